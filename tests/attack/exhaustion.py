"""Runs with few descriptors, processes or threads: they give a verdict or a clear message, and lose nothing."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import Final

import psutil

from tests.attack.figures import Attack, Figures
from tests.attack.runs import Run, log_of

_ONLY: Final = "GeneratedTest/sync/add_*"
_DESCRIPTORS: Final = (6, 64)
_PROCESSES: Final = (2, 40)
_DOCUMENTED: Final = range(5)
"""Exit codes of the command line."""


def descriptors(tries: int, seed: int, folder: Path) -> Figures:
    """Run with so few descriptors, for runner, workers and services alike, ``tries`` times."""
    return _exhausted(tries, seed, folder, "RLIMIT_NOFILE", _DESCRIPTORS)


def processes(tries: int, seed: int, folder: Path) -> Figures:
    """Run with so few processes and threads more for the user; root has no such limit, which the notes say."""
    if os.geteuid() == 0:
        return Figures(notes="skipped: root may have any number of processes")
    running = sum(
        process.info["num_threads"] for process in psutil.process_iter(["uids", "num_threads"]) if _is_ours(process)
    )
    return _exhausted(tries, seed, folder, "RLIMIT_NPROC", (running + _PROCESSES[0], running + _PROCESSES[1]))


def _is_ours(process: psutil.Process) -> bool:
    return bool(process.info["uids"] and process.info["uids"].real == os.getuid())


def _exhausted(tries: int, seed: int, folder: Path, limit: str, between: tuple[int, int]) -> Figures:
    chance = random.Random(seed)
    figures = Figures()
    codes = []
    for attempt in range(tries):
        most = chance.randrange(*between)
        program = (sys.executable, "-c", _PROGRAM.format(limit=limit, most=most))
        run = Run(folder / str(attempt), _ONLY, "-d", "reference", "-n", chance.choice("12"), program=program)
        code = run.finish()
        codes.append(code)
        wrong = _wrong(run, code)
        figures.see(f"{limit} {most}: exit code {code}, {wrong}" if wrong else "")
    figures.notes = f"{limit} {between[0]} to {between[1] - 1}; exit codes {sorted(set(codes))}"
    return figures


_PROGRAM: Final = """
import resource, runpy, sys
from nnvet.commands.main import main
resource.setrlimit(resource.{limit}, ({most}, {most}))
sys.argv[0] = "nnvet"
main()
"""


def _wrong(run: Run, code: int) -> str:
    said = run.said
    left = [*run.survivors(), *run.leftovers()]
    if code not in _DOCUMENTED or "Traceback" in said or left:
        return f"left {left}: {said[-1500:]}"
    if not run.log.exists():
        return "" if code and "nnvet: " in said else f"neither a log nor a message: {said[-500:]}"
    log = log_of(run)
    if isinstance(log, str):
        return log
    # Without a footer something has gone wrong, and somebody has to have said what.
    return "" if log.is_complete or "nnvet: " in said else f"no message: {said[-500:]}"


_WITHSTOOD: Final = "a verdict or a message; nothing hangs or is left behind"
DESCRIPTORS: Final = Attack("few descriptors", descriptors, 1, 30, _WITHSTOOD)
PROCESSES: Final = Attack("few processes", processes, 1, 20, _WITHSTOOD)
