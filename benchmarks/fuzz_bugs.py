"""Measures how long the planted bugs of fuzzing survive ``nnvet fuzz`` on one process with the repository's corpus.

``python benchmarks/fuzz_bugs.py --minutes 5`` prints a row for each bug; the exit code is 1 if a bug was not found
within that many minutes of processor time. A bug is found once a finding with its sign (``Bug.sign``) is saved; other
findings are listed, and do not count.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, NamedTuple

import psutil

from nnvet.fuzz.findings import SavedFinding, read_saved
from nnvet.fuzz.runner import FINDINGS
from nnvet.reference_driver.zoo.registry import Bug, bugs

_GLANCE_S: Final = 0.5
_BUSY: Final = 4.0
"""Maximal wall time of a search, as a multiple of its minutes of processor time."""


class Search(NamedTuple):
    """Result of a search: wall and processor seconds, the finding of the bug if any, and other findings."""

    seconds: float
    processor_s: float
    found: str
    others: tuple[str, ...]


def searched(bug: Bug, minutes: float, folder: Path, *, everything: bool) -> Search:
    """Fuzz the driver with a bug until the bug is found, or the processor time is used up."""
    names = [] if everything else [bug.harness]
    command = [sys.executable, "-m", "nnvet.commands", "fuzz", *names, "-d", f"zoo:{bug.name}"]
    options = [
        "--minutes",
        str(_BUSY * minutes),
        "--jobs",
        "1",
        "--corpus",
        str(folder / "corpus"),
        "--out",
        str(folder),
    ]
    begin, used = time.monotonic(), 0.0
    is_over = False
    found, others = "", tuple[str, ...]()
    with (folder / "output").open("w", encoding="utf-8") as output:
        process = subprocess.Popen([*command, *options], stdout=output, stderr=subprocess.STDOUT)
        try:
            while not (found or is_over):
                time.sleep(_GLANCE_S)
                used = max(used, _processor_s(process.pid))
                is_over = process.poll() is not None or used > 60 * minutes
                found, others = _sorted_out(bug, folder)
            seconds = time.monotonic() - begin
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            process.wait()
    return Search(seconds, used, found, others)


def _processor_s(pid: int) -> float:
    """Return the processor seconds of a process and its children, those that have ended included."""
    used = 0.0
    with suppress(psutil.NoSuchProcess):
        parent = psutil.Process(pid)
        for process in (parent, *parent.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                used += sum(process.cpu_times()[:4])
    return used


def _sorted_out(bug: Bug, folder: Path) -> tuple[str, tuple[str, ...]]:
    found, others = "", list[str]()
    for known, place in read_saved(folder / FINDINGS):
        if _is_sign(bug, known):
            found = place.name
        else:
            others.append(place.name)
    return found, tuple(others)


def _is_sign(bug: Bug, known: SavedFinding) -> bool:
    return fnmatchcase(f"{known.kind} {known.rule} {known.place}", bug.sign)


def main() -> int:
    """Measure, and print a row for each bug."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("glob", nargs="?", default="fuzz-*")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--everything", action="store_true", help="fuzz with all harnesses, not the bug's alone")
    arguments = parser.parse_args()
    missed = 0
    for bug in bugs().values():
        if bug.harness and fnmatchcase(bug.name, arguments.glob):
            with tempfile.TemporaryDirectory() as folder:
                result = searched(bug, arguments.minutes, Path(folder), everything=arguments.everything)
            missed += not result.found
            known = f"{result.seconds:.0f} s ({result.processor_s:.0f} s)" if result.found else "not found"
            others = ", ".join(f"`{name}`" for name in result.others)
            sys.stdout.write(f"| `{bug.name}` | `{bug.harness}` | {known} | `{result.found}` | {others} |\n")
            sys.stdout.flush()
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
