"""Tries mutants, each in a process of its own with limits of memory and of the time from one case to the next."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Final

from tools.mutants.mutant import Mutant
from tools.mutants.results import Fate
from tools.mutants.sessions import RefusedError, StillbornError, SwitchedOffError, UnchangedError

_MEMORY: Final = 4 << 30
_FORK: Final = get_context("fork")
_BROKEN_OFF: Final = "the process ended"
_GOES_ON: Final = None
"""In place of a fate after a case that passed."""

Judge = Callable[[Mutant], Iterator[tuple[str, bool]]]
"""Names of cases and whether they pass, of a mutant's driver."""


@dataclass(frozen=True)
class Question:
    """A mutant, and the judge that it is tried against, which results name so."""

    mutant: Mutant
    against: str
    judge: Judge


@dataclass(frozen=True)
class End:
    """End of one mutant: the case that found it, and the number of cases."""

    question: Question
    fate: Fate
    by: str = ""
    tried: int = 0


@dataclass
class _Running:
    question: Question
    process: ForkProcess
    answer: Connection
    ends: float


def tried(questions: Sequence[Question], seconds: float, jobs: int) -> Iterator[End]:
    """Try mutants, ``jobs`` at a time, in the order in which they end.

    One in which no case ends for so many seconds hangs. How many cases there are does not count.

    Processes that still run when the caller goes are ended.
    """
    waiting = list(reversed(questions))
    running: list[_Running] = []
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                running.append(_started(waiting.pop(), seconds))
            first = min(child.ends for child in running)
            wait([child.answer for child in running], max(first - time.monotonic(), 0))
            for child in list(running):
                end = _ended(child, seconds)
                if end is not None:
                    running.remove(child)
                    yield end
    finally:
        for child in running:
            _stop(child)


def _started(question: Question, seconds: float) -> _Running:
    ours, theirs = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_try, args=(question, theirs, seconds))
    process.start()
    theirs.close()
    return _Running(question, process, ours, time.monotonic() + seconds)


def _ended(child: _Running, seconds: float) -> End | None:
    """Return the end of a mutant; None while it runs."""
    if child.answer.poll():
        try:
            fate, by, count = child.answer.recv()
        except EOFError:
            fate, by, count = Fate.KILLED, _BROKEN_OFF, 0
        if fate is _GOES_ON:
            child.ends = time.monotonic() + seconds
            return None
    elif time.monotonic() >= child.ends:
        fate, by, count = Fate.TIMEOUT, "", 0
    else:
        return None
    _stop(child)
    return End(child.question, Fate(fate), by, count)


def _stop(child: _Running) -> None:
    child.process.kill()
    child.process.join()
    child.process.close()
    child.answer.close()


def _try(question: Question, answer: Connection, seconds: float) -> None:
    """In a process of its own: say what becomes of the mutant."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    count, name = 0, ""
    try:
        _allow(seconds)
        for count, (name, right) in enumerate(question.judge(question.mutant), 1):
            if not right:
                answer.send((Fate.KILLED, name, count))
                return
            answer.send((_GOES_ON, name, count))
            _allow(seconds)
    except StillbornError as error:
        answer.send((Fate.STILLBORN, str(error), 0))
        return
    except UnchangedError:
        answer.send((Fate.UNCHANGED, "", count))
        return
    except SwitchedOffError as error:
        answer.send((Fate.SWITCHED_OFF, str(error), count))
        return
    except RefusedError:
        answer.send((Fate.REFUSED, "", count))
        return
    except MemoryError:
        answer.send((Fate.KILLED, name, count))
        return
    answer.send((Fate.SURVIVED if count else Fate.UNREACHED, "", count))


def _allow(seconds: float) -> None:
    """Processor time for one more case: should the parent be gone, a process that hangs ends by itself."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds) + 1, most))
