"""How long each planted bug of fuzzing survives: ``nnvet fuzz`` on one process, from the inputs of the repository.

``python benchmarks/fuzz_bugs.py --minutes 5`` prints a row for each; the exit code is 1 if one was not found in time. A
bug counts as found once its harness has saved a finding; look at its name, which says what was found.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from nnvet.reference_driver.zoo.registry import Bug, bugs

_GLANCE_S: Final = 0.5
_START_S: Final = 60.0


def seconds_to_find(bug: Bug, minutes: float, folder: Path) -> tuple[float, str] | None:
    """Seconds from the start of the program until a finding is saved, and the finding's name; None: there is none."""
    command = [sys.executable, "-m", "nnvet.commands", "fuzz", bug.harness, "-d", f"zoo:{bug.name}"]
    options = ["--minutes", str(minutes), "--jobs", "1", "--corpus", str(folder / "corpus"), "--out", str(folder)]
    begin = time.monotonic()
    with (folder / "output").open("w", encoding="utf-8") as output:
        process = subprocess.Popen([*command, *options], stdout=output, stderr=subprocess.STDOUT)
        try:
            while time.monotonic() - begin < 60 * minutes + _START_S:
                is_over = process.poll() is not None
                found = sorted((folder / "findings").glob("*/*/finding.json"))
                if found:
                    return time.monotonic() - begin, found[0].parent.name
                if is_over:
                    return None
                time.sleep(_GLANCE_S)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()
    return None


def main() -> int:
    """Measure, and print a row for each bug."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("glob", nargs="?", default="fuzz-*")
    parser.add_argument("--minutes", type=float, default=5.0)
    arguments = parser.parse_args()
    missed = 0
    for bug in bugs().values():
        if bug.harness and fnmatchcase(bug.name, arguments.glob):
            with tempfile.TemporaryDirectory() as folder:
                found = seconds_to_find(bug, arguments.minutes, Path(folder))
            missed += found is None
            result = f"{found[0]:.0f} s | `{found[1]}`" if found else f"not in {arguments.minutes:g} minutes |"
            sys.stdout.write(f"| `{bug.name}` | `{bug.harness}` | {result} |\n")
            sys.stdout.flush()
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
