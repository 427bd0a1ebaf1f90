"""Messages between the runner and its workers: tasks and their results.

A worker reads what to test and which cases to take (:class:`Assignment`) and answers :class:`Ready`. For each
:class:`Work` it sends the events of its cases, in packets, and then :class:`BatchEnded`.
"""

from __future__ import annotations

import fcntl
import os
import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Generic, Protocol, TypeVar

from nnvet.conformance.engine.catalogue import Batch
from nnvet.conformance.engine.outcome import Event, Finished
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.subject import Target
from nnvet.hal.memory import OwnedHandle
from nnvet.reports.events import DriverFacts, Machine
from nnvet.reports.files import file_over

_SEALS: Final = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL

Answer = TypeVar("Answer")
Item = TypeVar("Item")


@dataclass(frozen=True)
class Assignment:
    """Common part of all work of a run; cases that are ``done`` do not run again."""

    target: Target
    selection: Selection
    done: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Ready:
    """The driver is there; ``findings`` are what went wrong when it described itself.

    ``machine`` is where all of the run takes place, if that is not here.
    """

    facts: DriverFacts
    findings: tuple[Finished, ...]
    machine: Machine | None = None


@dataclass(frozen=True)
class Lost:
    """The driver of a worker cannot be started, or not again."""

    finding: Finished


@dataclass(frozen=True)
class Work:
    """Run the cases of a batch that are not ``done``."""

    batch: Batch
    done: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Goodbye:
    """Order to end the driver, since there is no more work, and the worker's answer when that has come about."""


@dataclass(frozen=True)
class BatchEnded:
    """Nothing more comes of a batch."""

    batch: Batch


Message = Ready | Event | BatchEnded
"""Messages of a run: the driver, then events; a case that is started twice was begun by a worker that died.

Of a driver that never starts nothing is said but that.
"""


class WorkQueue(Generic[Item]):
    """Items to do in their order, those that were put back first; the next one is made when it is wanted."""

    def __init__(self, items: Iterable[Item]) -> None:
        """Take the items one by one."""
        self._items = iter(items)
        self._first: deque[Item] = deque()

    def __bool__(self) -> bool:
        """Return True if anything is left."""
        if not self._first:
            self._first.extend(islice(self._items, 1))
        return bool(self._first)

    def __iter__(self) -> Iterator[Item]:
        """Take everything that is left."""
        while self:
            yield self.take()

    def take(self) -> Item:
        """Take the next item.

        :raises IndexError: nothing is left.
        """
        if not self:
            raise IndexError("no work is left")
        return self._first.popleft()

    def put_back(self, item: Item) -> None:
        """Make an item the next one."""
        self._first.appendleft(item)


class Elsewhere(Protocol):
    """Machines that work in place of this one."""

    def run(self, batches: Iterable[Batch], assignment: Assignment) -> Generator[Message]:
        """Run batches there, and say what comes of them."""

    def ask(self, function: Callable[..., Answer], *args: Any) -> Answer:
        """Return the answer of a function on one of them; its exception is raised here."""


class SharedAssignment:
    """The assignment of all workers, in memory that each of them reads for itself.

    It may be long, and to send it would take as long as the worker takes to read it, which may be stopped.
    """

    def __init__(self, descriptor: int) -> None:
        """Share the memory behind ``descriptor``, which is taken over."""
        self.handle = OwnedHandle(descriptor)

    @classmethod
    def of(cls, assignment: Assignment) -> SharedAssignment:
        """Memory that holds an assignment.

        :raises OSError: there is none.
        """
        shared = cls(os.memfd_create("nnvet-assignment", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING))
        with file_over(os.dup(shared.handle.fd), "wb", buffering=-1) as file:
            pickle.dump(assignment, file)
        # What workers unpickle is what we have written, whoever else reaches the descriptor.
        fcntl.fcntl(shared.handle.fd, fcntl.F_ADD_SEALS, _SEALS)
        return shared

    def read(self) -> Assignment:
        """The assignment."""
        content = os.pread(self.handle.fd, os.fstat(self.handle.fd).st_size, 0)
        found: Assignment = pickle.loads(content)  # noqa: S301 - the runner has written it
        return found
