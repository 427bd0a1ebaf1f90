"""``python -m tools.soak``: usual runs, random models, fuzzing and stress in turn, for a given time.

The exit code is 1 if processes or files were left behind, if a command failed by a fault of the suite, or if a quantity
grows from round to round. ``watching.py`` measures the commands, ``judging.py`` judges the measurements.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from tools.soak.judging import faults, slopes
from tools.soak.watching import Record, watch

OUT: Final = Path(__file__).parents[2] / "out" / "soak"
"""Default folder of the readings."""
_COMMAND: Final = (sys.executable, "-m", "nnvet.commands")
"""Beginning of each command line."""
_OVERTIME: Final = 20
"""Multiple of a round's time after which a command is killed; a command finishes the work that it has begun."""
_LEAST_SHARE_S: Final = 60.0
"""Least seconds for a command, so that it gets to its work also on a busy machine."""
_LEAST_LIMIT_S: Final = 1800.0
"""Least seconds after which a command is killed."""


def commands(round_s: float, seed: int, place: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of one round, each for a quarter of its time, with the number of the round as seed."""
    share_s = max(_LEAST_SHARE_S, round_s / 4)
    share = f"{share_s:.0f}s"
    minutes = f"{share_s / 60:.3f}"
    driver = ("-d", "reference")
    yield "run", [*_COMMAND, "run", *driver, "-n", "2", "--budget", share, "--out", str(place / "run")]
    more = ("--minutes", minutes, "--seed", str(seed))
    yield "random", [*_COMMAND, "random", *driver, *more, "--out", str(place / "random")]
    kept = ("--corpus", str(place / "corpus"), "--out", str(place / "fuzz"))
    yield "fuzz", [*_COMMAND, "fuzz", *driver, "--jobs", "2", "--minutes", minutes, *kept]
    yield "stress", [*_COMMAND, "stress", *driver, "--minutes", minutes, "--out", str(place / "stress")]


def soak(time_s: float, round_s: float, out: Path, every_s: float) -> list[tuple[str, Record]]:
    """Run rounds of commands until the time is over, at least one, and return the records by command.

    All readings are also written to ``soak.jsonl`` in the folder ``out``.
    """
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    records: list[tuple[str, Record]] = []
    until = time.monotonic() + time_s
    with (out / "soak.jsonl").open("w", encoding="utf-8") as log:
        for number in count():
            place = out / "round"
            for name, command in commands(round_s, number, place):
                limit_s = max(_LEAST_LIMIT_S, round_s * _OVERTIME)
                record = watch(command, place, every_s=every_s, limit_s=limit_s)
                records.append((name, record))
                log.write(json.dumps({"round": number, "name": name, **record.plain()}) + "\n")
                log.flush()
            shutil.rmtree(place)
            if time.monotonic() >= until:
                break
    return records


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the soak test, print the table of slopes and all faults, and return the exit code."""
    parser = argparse.ArgumentParser(prog="tools.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=120.0, help="no further round is begun after so many")
    parser.add_argument("--round-minutes", type=float, default=12.0, help="all four commands of one round")
    parser.add_argument("--every", type=float, default=2.0, help="seconds between two readings")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    records = soak(options.minutes * 60, options.round_minutes * 60, options.out, options.every)
    table = Table("command", "whose", "quantity", "median", "peak", "by round", box=None)
    wrong = [fault for name, record in records for fault in faults(name, record)]
    for slope in slopes(records):
        growth = "-" if slope.by_round is None else f"{slope.by_round:+.2f}"
        table.add_row(slope.command, slope.whose, slope.quantity, f"{slope.median:.1f}", f"{slope.peak:.1f}", growth)
        wrong += [f"{slope.command}: {slope.quantity} of {slope.whose} grows: {growth} a round"] * slope.is_growth
    console = Console(soft_wrap=True, highlight=False, markup=False)
    console.print(table)
    for line in (*wrong, f"{len(records)} commands, {len(wrong)} things wrong"):
        console.print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
