"""Turns of several processes: many beside one another, or one alone."""

from __future__ import annotations

import fcntl
import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from nnvet.conformance.engine.driver import Turns
from nnvet.hal.types import OwnedHandle

PATIENCE_S = 60.0
DOOR, INSIDE = 0, 1
PROGRAM = """
import sys
from nnvet.conformance.engine.driver import Turns
from nnvet.hal.memory import OwnedHandle

turns = Turns(OwnedHandle(int(sys.argv[1])))

def said(word):
    print(word, flush=True)

with turns.beside_others():
    said("beside")
    if sys.stdin.readline() == "alone\\n":
        said("wants")
        with turns.alone():
            said("alone")
            sys.stdin.readline()
said("left")
"""

Worker = subprocess.Popen[bytes]


@pytest.fixture
def shared() -> OwnedHandle:
    """The memory that all share."""
    return OwnedHandle(os.memfd_create("turns"))


@pytest.fixture
def start(shared: OwnedHandle) -> Iterator[Callable[[], Worker]]:
    """Starts a worker."""
    with ExitStack() as stack:

        def started() -> Worker:
            command = [sys.executable, "-c", PROGRAM, str(shared.fd)]
            # Unbuffered: a word that a buffer had taken in together with the one before would be hidden from select.
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 0}
            process = subprocess.Popen(command, pass_fds=[shared.fd], **pipes)  # type: ignore[call-overload]
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        yield started


def tell(worker: Worker, word: str) -> None:
    """Let it go on."""
    assert worker.stdin is not None
    worker.stdin.write(f"{word}\n".encode())


def heard(worker: Worker) -> str:
    """The next word."""
    assert worker.stdout is not None
    return worker.stdout.readline().decode().strip()


def test_one_alone_waits_and_holds_off_the_next(start: Callable[[], Worker], shared: OwnedHandle) -> None:
    """Cases run beside one another until one of them wants to be alone."""
    first, second = start(), start()
    assert [heard(first), heard(second)] == ["beside", "beside"]
    tell(first, "alone")
    assert heard(first) == "wants"
    with pytest.raises(BlockingIOError):
        _try(shared, INSIDE, fcntl.LOCK_EX)
    # The second is inside still: the first is alone only when it has left.
    tell(second, "leave")
    assert heard(second) == "left"
    assert heard(first) == "alone"
    for place in (DOOR, INSIDE):
        with pytest.raises(BlockingIOError):
            _try(shared, place, fcntl.LOCK_SH)
    third = start()
    tell(third, "leave")
    tell(first, "done")
    assert heard(first) == "left"
    assert [heard(third), heard(third)] == ["beside", "left"]


def test_nobody_is_alone_beside_others(start: Callable[[], Worker], shared: OwnedHandle) -> None:
    """Two who want to be do not wait for each other; the place is free when the one who had it is killed."""
    first, second = start(), start()
    assert [heard(first), heard(second)] == ["beside", "beside"]
    tell(first, "alone")
    tell(second, "alone")
    assert [heard(first), heard(second)] == ["wants", "wants"]
    leader = _first_alone([first, second])
    other = second if leader is first else first
    with pytest.raises(BlockingIOError):
        _try(shared, INSIDE, fcntl.LOCK_SH)
    leader.kill()
    assert heard(other) == "alone"
    tell(other, "done")
    assert heard(other) == "left"
    with Turns(shared).beside_others():
        pass


def test_who_is_by_itself_waits_for_nobody() -> None:
    """Without memory that is shared."""
    turns = Turns()
    with turns.beside_others(), turns.alone():
        pass


def _first_alone(workers: list[Worker]) -> Worker:
    """Whoever of them says so first."""
    readable, _, _ = select.select([worker.stdout for worker in workers], [], [], PATIENCE_S)
    found = next(worker for worker in workers if worker.stdout in readable)
    assert heard(found) == "alone"
    return found


def _try(shared: OwnedHandle, place: int, kind: int) -> None:
    fcntl.lockf(shared.fd, kind | fcntl.LOCK_NB, 1, place)
