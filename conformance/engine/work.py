"""Messages between the runner and its workers: tasks and their results.

A worker (:mod:`nnvet.conformance.engine.worker`) reads the driver to test and the selection (:class:`Assignment`) and
answers :class:`Ready`. For each :class:`Work` it sends the events of its cases, in packets, and then
:class:`BatchEnded`. :mod:`nnvet.conformance.engine.pool` has the runner's end; on a cluster
:mod:`nnvet.conformance.cluster` sends the same. Messages of stress tests are in
:mod:`nnvet.conformance.stress.messages`.
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
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.outcome import Event, Finished
from nnvet.hal.types import OwnedHandle
from nnvet.reports.events import DriverFacts, Machine
from nnvet.reports.files import file_over

_SEALS: Final = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL
"""Seals of shared memory that nobody may change any more."""

Answer = TypeVar("Answer")
Item = TypeVar("Item")


@dataclass(frozen=True)
class Assignment:
    """Common part of all work of a run; cases that are ``done`` are not run again."""

    target: Target
    selection: Selection
    done: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Ready:
    """Answer of a worker whose driver has started; ``findings`` are faults that its description of itself revealed.

    ``machine`` describes the machine of the run, if that is not this one. ``round_trip_s`` is that of the link to the
    driver, 0.0 without a link.
    """

    facts: DriverFacts
    findings: tuple[Finished, ...]
    machine: Machine | None = None
    round_trip_s: float = 0.0


@dataclass(frozen=True)
class Lost:
    """Answer of a worker whose driver does not start, or not again."""

    finding: Finished


@dataclass(frozen=True)
class Work:
    """Order to run the cases of a batch that are not ``done``."""

    batch: Batch
    done: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Goodbye:
    """Order to end the driver since no work is left; also the worker's answer when it has ended."""


@dataclass(frozen=True)
class BatchEnded:
    """Answer of a worker: a batch is complete, and no more of its events will come."""

    batch: Batch


Message = Ready | Event | BatchEnded
"""Messages of a run: the driver's description, then events. A case starts twice if a worker died while it ran.

If the driver never starts, that is the only message.
"""


class WorkQueue(Generic[Item]):
    """Queue of work, made item by item when it is needed; items that were put back come first."""

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
        """Make an item the next one to be taken."""
        self._first.appendleft(item)


class Elsewhere(Protocol):
    """Interface of other machines, such as those of a cluster, that do the work in place of this one."""

    def run(self, batches: Iterable[Batch], assignment: Assignment) -> Generator[Message]:
        """Run batches there, and yield their messages."""

    def ask(self, function: Callable[..., Answer], *args: Any) -> Answer:
        """Call a function on one of the machines; return its result, or raise its exception."""


class SharedAssignment:
    """The assignment of all workers, in shared memory.

    It may be long, and sending it would block on a worker that is stopped.
    """

    def __init__(self, descriptor: int) -> None:
        """Share the memory behind ``descriptor``, which is taken over."""
        self.handle = OwnedHandle(descriptor)

    @classmethod
    def of(cls, assignment: Assignment) -> SharedAssignment:
        """Write an assignment into new memory.

        :raises OSError: there is no memory.
        """
        shared = cls(os.memfd_create("nnvet-assignment", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING))
        with file_over(os.dup(shared.handle.fd), "wb", buffering=-1) as file:
            pickle.dump(assignment, file)
        # Workers unpickle it, so nobody else who reaches the descriptor may change it.
        fcntl.fcntl(shared.handle.fd, fcntl.F_ADD_SEALS, _SEALS)
        return shared

    def read(self) -> Assignment:
        """Return the assignment."""
        content = os.pread(self.handle.fd, os.fstat(self.handle.fd).st_size, 0)
        found: Assignment = pickle.loads(content)  # noqa: S301 - the runner has written it
        return found
