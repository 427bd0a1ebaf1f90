"""The long form of every attack: ``python -m tests.attack [NAME ...]``; writes the table of ``docs/reliability.md``.

The exit code is 1 if one was not withstood. With names only those attacks run, and the rows of the others stay.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.attack.attacks import ATTACKS
from tests.attack.figures import Attack, Figures

_PAGE: Final = Path(__file__).parent.parent.parent / "docs" / "reliability.md"
_BEGIN: Final = "<!-- figures: written by `make attack` -->\n"
_SEED: Final = 20_26


def main(names: list[str]) -> int:
    """Attack, print each result as it comes, and keep the table; returns the exit code."""
    chosen = [attack for attack in ATTACKS if not names or attack.name in names]
    failed = len(chosen) < len(names)
    for attack in chosen:
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            figures = attack.run(attack.long, _SEED, Path(folder))
        row = _row(attack, figures, time.monotonic() - begin)
        sys.stdout.write(row + "".join(f"    {wrong}\n" for wrong in figures.wrongs))
        sys.stdout.flush()
        failed |= bool(figures.wrong) or figures.peak_mib >= attack.memory_limit_mib
        _keep(attack, row)
    return int(failed)


def _row(attack: Attack, figures: Figures, seconds: float) -> str:
    memory = f"{figures.peak_mib:.0f} MiB" if figures.peak_mib else "-"
    counts = f"{figures.tried:,} | {figures.right:,} | {figures.wrong:,}"
    return f"| {attack.name} | {attack.withstood} | {counts} | {memory} | {seconds:.0f} s | {figures.notes} |\n"


def _keep(attack: Attack, row: str) -> None:
    """Put the row of an attack into the table, which has those of known attacks, in their order."""
    head = "| Attack | Required outcome | Tried | Right | Wrong | Peak memory | Took | Besides |\n" + "|---" * 8 + "|\n"
    before, _, table = _PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    rows = {line.split("|")[1].strip(): line for line in table.splitlines(keepends=True)[2:]} | {attack.name: row}
    kept = (rows[known.name] for known in ATTACKS if known.name in rows)
    _PAGE.write_text(before + _BEGIN + head + "".join(kept), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
