"""Processes in which mutants are tried, with limits of memory and of the time from one case to the next.

:func:`try_mutants` forks a process for each :class:`Question` of ``__main__.py`` and yields how it ended. Judges
(``judges.py``, ``random_models.py``, ``preferences.py``) run in these processes.
"""

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
"""Bytes of address space that a process may have."""
_FORK: Final = get_context("fork")
"""Way of starting processes: forked ones have all modules and answers of this process."""
_BROKEN_OFF: Final = "the process ended"
"""Name of the case that found a mutant, if its process died."""
_GOES_ON: Final = None
"""Message in place of a fate, after a case that passed."""

Judge = Callable[[Mutant], Iterator[tuple[str, bool]]]
"""Function that yields names of cases, each with True if the driver with the mutant passes."""


@dataclass(frozen=True)
class Question:
    """A mutant and the judge that tries it; ``against`` is the name of the judge in results."""

    mutant: Mutant
    against: str
    judge: Judge


@dataclass(frozen=True)
class End:
    """The fate of one mutant, the case that found it, and the number of cases."""

    question: Question
    fate: Fate
    by: str = ""
    tried: int = 0


@dataclass
class _Running:
    """A process that tries a mutant; ``ends`` is the time at which it is killed unless a case ends before."""

    question: Question
    process: ForkProcess
    answer: Connection
    ends: float


def try_mutants(questions: Sequence[Question], seconds: float, jobs: int) -> Iterator[End]:
    """Try mutants, ``jobs`` at a time, and yield their ends as they come.

    A mutant hangs if no case ends for so many ``seconds``; the number of cases has no limit. Processes that still run
    when the caller stops iterating are killed.
    """
    waiting = list(reversed(questions))
    running: list[_Running] = []
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                running.append(_start(waiting.pop(), seconds))
            first = min(child.ends for child in running)
            wait([child.answer for child in running], max(first - time.monotonic(), 0))
            for child in list(running):
                end = _poll(child, seconds)
                if end is not None:
                    running.remove(child)
                    yield end
    finally:
        for child in running:
            _stop(child)


def _start(question: Question, seconds: float) -> _Running:
    ours, theirs = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_try, args=(question, theirs, seconds))
    process.start()
    theirs.close()
    return _Running(question, process, ours, time.monotonic() + seconds)


def _poll(child: _Running, seconds: float) -> End | None:
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
    """Try a mutant in this process, and send its fate; after each case that passes, send :data:`_GOES_ON`."""
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
    """Grant processor time for one more case, so that a process that hangs ends even without its parent."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds) + 1, most))
