"""Attacks that run in a process of their own, so that its memory is only that of the suite."""

from __future__ import annotations

import multiprocessing
import re
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from tests.attack.figures import Figures

_PEAK: Final = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)


def peak_mib(pid: int | str = "self") -> float:
    """The most resident memory in MiB that a process has had; unlike ``ru_maxrss``, without its parent's."""
    found = _PEAK.search(Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def attack_apart(attack: Callable[..., Figures], *arguments: Any, limit_s: float) -> Figures:
    """The figures of ``attack(*arguments)``; by default with the peak memory of the process that it was made in.

    One that ends without figures, or not within ``limit_s`` seconds, counts as one that was not withstood.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_attack, args=(theirs, attack, arguments))
    process.start()
    theirs.close()
    figures = Figures()
    try:
        if ours.poll(limit_s):
            figures = ours.recv()
        else:
            figures.see(f"the attack has not ended within {limit_s:g} s")
    except EOFError:
        process.join()
        figures.see(f"the attacked process has ended with exit code {process.exitcode}")
    finally:
        ours.close()
        process.kill()
        process.join()
        process.close()
    return figures


def _attack(answer: Connection, attack: Callable[..., Figures], arguments: tuple[Any, ...]) -> None:
    try:
        figures = attack(*arguments)
    except Exception:  # noqa: BLE001 - whatever it is, it is what the attack came to
        figures = Figures()
        figures.see(traceback.format_exc())
    figures.peak_mib = figures.peak_mib or peak_mib()
    answer.send(figures)
