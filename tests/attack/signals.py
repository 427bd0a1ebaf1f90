"""Signals at each phase of a run: it ends with log and reports and leaves no process, and ``--resume`` completes it."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from nnvet.reports.log import Log
from tests.attack.figures import Attack, Figures
from tests.attack.runs import SLOW, Run, ended, listed, log_of, until

_ONLY: Final = "GeneratedTest/sync/add_*"
_NUMBERS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
_BY_SIGNAL: Final = 128

_PHASES: Final = ("loading", "starting", "running", "reporting")
"""Before there is a folder of results; before the log; when a case has ended; when the log is complete."""


def signals(tries: int, seed: int, folder: Path) -> Figures:
    """Send a signal in a phase of a run, ``tries`` times; the first tries have one of each kind."""
    chance = random.Random(seed)
    kinds = [(phase, number) for phase in _PHASES for number in _NUMBERS]
    chance.shuffle(kinds)
    figures, expected = Figures(), listed(_ONLY)
    for attempt in range(tries):
        phase, number = kinds[attempt % len(kinds)]
        jobs = chance.choice(("1", "2"))
        run = Run(folder / str(attempt), _ONLY, "-d", SLOW, "-n", jobs)
        wrong = _attacked(run, phase, number, chance.randrange(1, len(expected) // 2)) or _resumed(run, expected)
        figures.see(f"{number.name} while {phase}, -n {jobs}: {wrong}" if wrong else "")
    figures.notes = f"in turn while {', '.join(_PHASES)}"
    return figures


def _attacked(run: Run, phase: str, number: signal.Signals, cases: int) -> str:
    """Return the fault in the end of a run that gets a signal in a phase, in ``running`` after so many cases."""
    report = run.out / "report.html"
    if phase == "reporting":
        # Whoever opens it waits for a reader: there the run is when it gets the signal.
        run.out.mkdir(parents=True)
        os.mkfifo(report)
    reached: dict[str, Callable[[], bool]] = {
        "loading": lambda: True,
        "starting": run.out.exists,
        "running": lambda: run.finished_cases() >= cases,
        "reporting": lambda: run.log.exists() and b'"event":"run_finished"' in run.log.read_bytes(),
    }
    with run.start() as process:
        if not until(lambda: reached[phase]() or process.poll() is not None) or process.poll() is not None:
            process.kill()
            return f"the phase was not reached: {run.said[-500:]}"
        process.send_signal(number)
        if phase == "reporting":
            _read(report, process)
        code = ended(process)
    checks = (
        _code_wrong(code, number, phase),
        _log_wrong(run, number, phase),
        *_left_wrong(run),
        _said_wrong(run, phase),
    )
    return "; ".join(check for check in checks if check)


def _read(report: Path, process: subprocess.Popen[bytes]) -> None:
    """Read a report as long as somebody may write it."""
    descriptor = os.open(report, os.O_RDONLY | os.O_NONBLOCK)
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    while process.poll() is None:
        # Without a writer the end of the file is there at once.
        if poller.poll(50):
            os.read(descriptor, 1 << 20)
    os.close(descriptor)


def _code_wrong(code: int, number: signal.Signals, phase: str) -> str:
    """A shell sees the same code if the signal itself ends the process, which nothing prevents as it is loaded."""
    right = [-number] if number == signal.SIGKILL else [_BY_SIGNAL + number]
    right += [-number] if phase == "loading" else []
    return "" if code in right else f"exit code {code}"


def _log_wrong(run: Run, number: signal.Signals, phase: str) -> str:
    """The log is readable where there has to be one, and the reports are there unless the run was killed."""
    if phase in ("loading", "starting") and not run.log.exists():
        return ""
    log = log_of(run)
    if isinstance(log, str):
        return log
    if log.is_complete is not (phase == "reporting"):
        return "the log is complete" if log.is_complete else "the log is not complete"
    if number == signal.SIGKILL or (run.out / "junit.xml").exists():
        return ""
    return "there are no reports"


def _left_wrong(run: Run) -> Sequence[str]:
    left, files = run.survivors(), run.leftovers()
    return (f"left behind: {left}" if left else "", f"left behind: {files}" if files else "")


def _said_wrong(run: Run, phase: str) -> str:
    return f"a traceback: {run.said[-2000:]}" if "Traceback" in run.said and phase != "loading" else ""


def _resumed(run: Run, expected: set[str]) -> str:
    """Return the fault in the run when it is continued."""
    report = run.out / "report.html"
    if report.is_fifo():
        report.unlink()
    before = log_of(run)
    kept = before.results if isinstance(before, Log) else {}
    code = run.finish("--resume")
    log = log_of(run)
    if isinstance(log, str) or code != 0 or set(log.results) != expected:
        return f"--resume ends with {code}: {run.said[-500:]}"
    again = [case for case, result in kept.items() if log.results[case] != result]
    return f"--resume has run {len(again)} finished cases again" if again else ""


SIGNALS: Final = Attack(
    "signals", signals, 1, 48, "exit code, log and reports; nothing is left behind; `--resume` completes the run"
)
