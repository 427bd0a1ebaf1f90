"""``python -m tools.oracle_study``: honest drivers that must not be blamed, planted errors that must be found.

A run consists of numbered pieces, whose results are kept in a file, so that an interrupted run continues with the next
piece. With ``--page`` the tables go into ``docs/oracle.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

# Before NumPy is imported: small matrices are slower with threads, and other processes want the cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from tools.oracle_study.comparisons import Comparisons, compare, make_piece_models
from tools.oracle_study.driver import HonestDriver
from tools.oracle_study.faults import FAULTS
from tools.oracle_study.figures import (
    FIGURES,
    ROOT,
    Pieces,
    add_up,
    find_known_mutants,
    merge_studies,
    pack_comparisons,
    pack_study,
)
from tools.oracle_study.figures import summary as figures_of
from tools.oracle_study.honest import FURTHER, HONEST
from tools.oracle_study.jax_driver import make_jax_drivers
from tools.oracle_study.models import KINDS, make_models
from tools.oracle_study.runtimes import make_runtime_drivers
from tools.oracle_study.study import HEADINGS, list_alarms, list_survivors, rows, run_study

OUT: Final = ROOT / "out" / "oracle_study"
"""Default folder of the pieces."""
_ENDED_BY_ALARM: Final = 1
"""Exit code if an honest driver was blamed."""
_USAGE: Final = 2
"""Exit code if no operation has the given name."""


def compare_honest(pieces: Pieces, least: int, only: str, console: Console) -> None:
    """Compare honest drivers, piece by piece, until there are at least so many comparisons."""
    drivers = (*HONEST, *FURTHER, *make_runtime_drivers(), *make_jax_drivers())
    seed, piece = pieces.seed, 0
    with Progress(console=console, disable=not console.is_terminal) as progress:
        total = sum(count.total for count in add_up(pieces.of("honest"))[0].values())
        bar = progress.add_task("honest comparisons", total=least, completed=total)
        while total < least:
            if ("honest", piece) not in pieces.known:
                found = _compare_piece(seed, piece, only, drivers)
                if not found.total:
                    console.print(f"no operation matches {only!r}", markup=False)
                    raise SystemExit(_USAGE)
                pieces.keep("honest", piece, pack_comparisons(found))
                total += found.total
                progress.update(bar, completed=total)
                console.print(f"piece {piece}: {total} comparisons, {len(found.alarms)} false alarms in it")
            piece += 1


def _compare_piece(seed: int, piece: int, only: str, drivers: Sequence[HonestDriver]) -> Comparisons:
    found = Comparisons()
    for sample in make_piece_models(seed, piece):
        if fnmatchcase(sample.subject, only):
            compare(sample, found, drivers)
    return found


def plant(pieces: Pieces, count: int, only: str, console: Console) -> None:
    """Plant errors in the models of ``count`` seeds."""
    drivers, seed = (*HONEST, *make_runtime_drivers()), pieces.seed
    with Progress(console=console, disable=not console.is_terminal) as progress:
        for piece in progress.track(range(count), description="planted errors"):
            if ("planted", piece) in pieces.known:
                continue
            models = (
                sample
                for kind in KINDS
                for sample in make_models(seed + piece, kind)
                if fnmatchcase(sample.subject, only)
            )
            pieces.keep("planted", piece, pack_study(run_study(models, find_known_mutants(pieces), drivers)))
            console.print(f"planted errors: {piece + 1} of {count}")


def print_figures(pieces: Pieces, console: Console) -> bool:
    """Print the tables; return True if no honest driver was blamed."""
    counts, different, blamed = add_up(pieces.of("honest"))
    drivers = {driver.name: driver for driver in (*HONEST, *FURTHER, *make_runtime_drivers(), *make_jax_drivers())}
    table = Table("driver", "single operations", "graphs", "needed its liberties", "liberties", box=None)
    for name, count in counts.items():
        liberties = ", ".join(drivers[name].liberties) if name in drivers else ""
        table.add_row(name, str(count.singles), str(count.graphs), str(count.needed), liberties)
    console.print(table)
    total = sum(count.total for count in counts.values())
    console.print(f"{total} honest comparisons by {len(counts)} drivers, {different} different results")
    study = merge_studies(pieces.of("planted"))
    table = Table(*HEADINGS, box=None)
    for row in rows(study):
        table.add_row(*row)
    console.print(table)
    console.print(f"{len(FAULTS)} kinds of planted errors")
    for fault, places in list_survivors(study):
        console.print(f"missed: {fault}: {places}", markup=False)
    blamed += list_alarms(study)
    for line in blamed:
        console.print(f"false alarm: {line}", markup=False)
    return not blamed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study, print the tables, and return the exit code: 1 if an honest driver was blamed."""
    today = int(datetime.now(UTC).strftime("%Y%m%d"))
    parser = argparse.ArgumentParser(prog="python -m tools.oracle_study", description=__doc__)
    parser.add_argument("--comparisons", type=int, default=300_000, help="honest comparisons at least")
    parser.add_argument("--count", type=int, default=8, help="models with planted errors of each form of an operation")
    parser.add_argument("--seed", type=int, default=today * 1000, help="of all models; the default is another each day")
    parser.add_argument("--only", default="*", help="operations whose names match")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the pieces")
    parser.add_argument("--page", action="store_true", help="write the figures into docs/oracle.md")
    given = parser.parse_args(arguments)
    console = Console(soft_wrap=True, highlight=False)
    name = "pieces.jsonl" if given.only == "*" else f"pieces-{given.only.replace('*', '_')}.jsonl"
    pieces = Pieces(given.out / name, given.seed)
    plant(pieces, given.count, given.only, console)
    compare_honest(pieces, given.comparisons, given.only, console)
    is_right = print_figures(pieces, console)
    if given.page:
        figures = figures_of(pieces, datetime.now(UTC).strftime("%Y-%m-%d"))
        FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        # The page imports all that tables are made of.
        from docs.oracle_tables import PAGE, oracle_page  # noqa: PLC0415

        PAGE.write_text(oracle_page(), encoding="utf-8")
    return 0 if is_right else _ENDED_BY_ALARM


if __name__ == "__main__":
    sys.exit(main())
