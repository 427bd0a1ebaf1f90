"""A disk that is full after some bytes: one message names the file, and ``--resume`` continues once there is space."""

from __future__ import annotations

import random
import resource
import subprocess
from pathlib import Path
from typing import Final

from nnvet.reports.log import Log
from tests.attack.figures import Attack, Figures
from tests.attack.runs import SLOW, Run, ended, listed, log_of, until

_ONLY: Final = "GeneratedTest/sync/add_*"
_REPORTS: Final = ("report.html", "junit.xml", "summary.md", "result.json")
_LEAST: Final = 1500
"""Bytes within which the header of a log surely lies."""
_MOST: Final = 59_000
"""Bytes within which the largest report surely does not."""


def disk(tries: int, seed: int, folder: Path) -> Figures:
    """Let files of the runner have a size at most that is drawn, ``tries`` times, once its log has begun.

    Without the right to mount anything this is what comes next to a full disk: writing and extending fail.
    """
    chance = random.Random(seed)
    figures, expected = Figures(), listed(_ONLY)
    for attempt in range(tries):
        most = chance.randrange(_LEAST, _MOST)
        wrong = _attacked(Run(folder / str(attempt), _ONLY, "-d", SLOW, "-n", chance.choice("12")), most, expected)
        figures.see(f"space for {most} bytes: {wrong}" if wrong else "")
    figures.notes = f"from {_LEAST:,} to {_MOST:,} bytes"
    return figures


def _attacked(run: Run, most: int, expected: set[str]) -> str:
    with run.start() as process:
        if not until(lambda: run.log.exists() or process.poll() is not None) or process.poll() is not None:
            return f"the run has not begun: {run.said[-500:]}"
        _limit(process, most)
        code = ended(process)
    log = log_of(run)
    if isinstance(log, str):
        return log
    return _end_wrong(run, code, log) or _resumed_wrong(run, log, expected)


def _limit(process: subprocess.Popen[bytes], most: int) -> None:
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most, most))


def _end_wrong(run: Run, code: int, log: Log) -> str:
    """The file that did not fit is named in one message; a log that is complete fitted."""
    said = run.said
    culprits = _REPORTS if log.is_complete else (run.log.name,)
    message = [line for line in said.splitlines() if line.startswith("nnvet: ")]
    named = len(message) == 1 and any(str(run.out / name) in said for name in culprits)
    # 2 if the log could not even be begun.
    if code not in (2, 3) or not named or "Traceback" in said:
        return f"exit code {code}, {said[-1000:]}"
    if not run.log.read_bytes().endswith(b"}\n"):
        return "the log ends with half a line"
    left = [*run.survivors(), *run.leftovers()]
    return f"left behind: {left}" if left else ""


def _resumed_wrong(run: Run, before: Log, expected: set[str]) -> str:
    code = run.finish("--resume")
    log = log_of(run)
    if isinstance(log, str) or code != 0 or set(log.results) != expected:
        return f"--resume ends with {code}: {run.said[-500:]}"
    lost = [case for case, result in before.results.items() if log.results[case] != result]
    return f"--resume has run {len(lost)} finished cases again" if lost else ""


DISK: Final = Attack(
    "full disk", disk, 1, 20, "one message names the file; the log is whole; `--resume` completes the run"
)
