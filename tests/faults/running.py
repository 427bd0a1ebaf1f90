"""Faults as an attack: runs them in a process, and counts its reports."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from tests.attack.figures import Attack, Figures
from tests.faults.__main__ import Job, Line
from tests.faults.sites import ROOT

_STARTUP: Final = Path(__file__).parent / "startup"
_ONE_THREAD: Final = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


def lines(job: Job, folder: Path) -> Iterator[Line]:
    """Yield the output of a job, line by line.

    :raises subprocess.CalledProcessError: it breaks off.
    """
    paths = os.pathsep.join(map(str, (_STARTUP, ROOT / "src", ROOT)))
    command = [sys.executable, "-m", "tests.faults", str(folder / "lab"), msgspec.json.encode(job).decode()]
    environment = {**os.environ, **_ONE_THREAD, "PYTHONPATH": paths}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, cwd=ROOT) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield msgspec.json.decode(line, type=Line)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)


def attack(tries: int, seed: int, folder: Path) -> Figures:
    """See :class:`tests.attack.figures.Attack`."""
    figures = Figures()
    if not tries:
        return figures
    reached: set[str] = set()
    # Where processes start, or models are built, a try takes seconds.
    for line in lines(Job({"here": tries, "elsewhere": tries // 4, "models": tries // 40}, seed), folder):
        reached.update(line.reached)
        if line.tried:
            figures.see(line.wrong and f"{line.scenario}: {line.tried}: {line.wrong}")
    figures.notes = f"{len(reached)} call sites"
    return figures


FAULTS: Final = Attack(
    "faults of single system calls",
    attack,
    0,
    2000,
    "no difference, or an error that says the cause; nothing recorded is lost, nothing stays",
)
"""A call of the operating system fails once: each of the suite's call sites first, then later calls at them.

The short form is in ``tests/faults``, with the list of the sites.
"""
