"""Scheduler that shares the processors: fairly between clients, by priority among the executions of one client.

A :class:`Scheduler` has a few slots. Each prepared model has a :class:`Line`, and each of its executions is a
:class:`Turn`. An execution runs on the thread that calls it, once it has a slot. Between two operations the executor
calls :meth:`Turn.checkpoint`, which gives the slot to another execution if that should go first.
Priorities are relative to the other prepared models of the same client (docs/contract/hal.md 10.2).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Final, Self
from weakref import WeakValueDictionary

from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.calling import Client
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError, failure
from nnvet.reference_driver import limits

SLOTS: Final = min(4, os.cpu_count() or 1)
"""Executions that run at once. More would only wait for each other: kernels mostly hold Python's lock."""

QUANTUM_NS: Final = 10_000_000
"""Time for which a client may keep a slot while another client with fewer slots waits."""

_NS_PER_S: Final = 1e9
"""Nanoseconds in a second."""


class Line:
    """The executions of one prepared model: their client, their priority, and the number of those in flight."""

    def __init__(self, scheduler: Scheduler, client: Client, priority: int) -> None:
        """Register the model of ``client`` with ``scheduler``; ``priority`` is one of the HAL's, higher goes first."""
        self.scheduler = scheduler
        self.client = client
        self.priority = priority
        self.account = scheduler.account_of(client)
        self.in_flight = 0
        self.idle_since_ns = scheduler.clock()

    def turn(self, deadline_ns: int) -> Turn:
        """Return a new execution; it waits for a slot when a ``with`` block of it begins, and has it until the end."""
        return Turn(self, deadline_ns)


class Turn:
    """One execution as the scheduler sees it. Times are on the scheduler's clock.

    ``granted`` is set when a waiting execution gets a slot, ``order`` counts arrivals, ``since_ns`` is the time
    when the execution got its slot, and ``away_ns`` is how long the execution has waited in all.
    """

    __slots__ = ("account", "away_ns", "deadline_ns", "granted", "has_slot", "line", "order", "scheduler", "since_ns")

    granted: threading.Event
    order: int
    since_ns: int

    def __init__(self, line: Line, deadline_ns: int) -> None:
        """Join the executions of ``line``."""
        self.line = line
        self.account = line.account
        self.scheduler = line.scheduler
        self.deadline_ns = deadline_ns
        self.away_ns = 0
        self.has_slot = False

    def __enter__(self) -> Self:
        """Wait for a slot; raises like :meth:`Scheduler.enter`."""
        self.scheduler.enter(self)
        return self

    def __exit__(self, *_: object) -> None:
        """Release the slot."""
        self.scheduler.leave(self)

    def now_ns(self) -> int:
        """Return the time on a clock that stands still while the execution waits."""
        return self.scheduler.clock() - self.away_ns

    def checkpoint(self) -> None:
        """Give the slot to a more urgent execution if one waits; end this one if its result is of no use any more.

        The executor calls this between two operations.

        :raises HalError: MISSED_DEADLINE_TRANSIENT at the deadline; GENERAL_FAILURE once the client has gone.
        """
        if self.deadline_ns != NO_DEADLINE and self.scheduler.clock() >= self.deadline_ns:
            raise missed("the deadline passed during the execution")
        if self.line.client.has_gone:
            raise failure(f"{self.line.client.name} has gone", "execution/status")
        if self.scheduler.waiting:
            self.scheduler.yield_slot(self)


def missed(message: str) -> HalError:
    """Return the error of an execution whose deadline has passed, and which may succeed if it is tried again."""
    return HalError(ErrorStatus.MISSED_DEADLINE_TRANSIENT, message, "execution/deadline")


@dataclass(eq=False)
class Account:
    """One client with prepared models.

    ``running`` is the number of its slots, ``waiting`` a heap of its waiting executions. ``served`` is a running number
    of the last slot it got, so the smallest one has waited longest.
    """

    served: int = 0
    running: int = 0
    waiting: list[tuple[int, int, Turn]] = field(default_factory=list)

    @property
    def claim(self) -> tuple[int, int]:
        """Key that orders clients: fewest slots first, then the one that has got none for longest."""
        return self.running, self.served


class Scheduler:
    """Scheduler of all executions of a device."""

    def __init__(self, slots: int = SLOTS, clock: Callable[[], int] = boot_time_ns) -> None:
        """Run ``slots`` executions at once; ``clock`` returns nanoseconds on the clock of deadlines."""
        self.clock = clock
        self.waiting = 0
        """Number of executions without a slot; if it is above 0, all slots are taken."""
        self._free = slots
        self._lock = threading.Lock()
        self._accounts: WeakValueDictionary[Client, Account] = WeakValueDictionary()
        self._count = count()

    def enter(self, turn: Turn) -> None:
        """Wait until an execution has a slot.

        :raises HalError: MISSED_DEADLINE_TRANSIENT if no slot is free before the deadline, RESOURCE_EXHAUSTED_TRANSIENT
         if too many executions wait already.
        """
        with self._lock:
            if self.waiting >= limits.WAITING:
                message = f"{self.waiting} executions are waiting already"
                raise HalError(ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, message, "execution/busy")
            turn.order = next(self._count)
            turn.line.in_flight += 1
            account = turn.account
            if not account.running and not account.waiting:
                # A new client counts as just served, so clients that come and go do not overtake one that stays.
                account.served = turn.order
            if self._free:
                self._start(turn)
                return
            self._enqueue(turn)
        try:
            self._wait(turn)
        except HalError:
            self.leave(turn)
            raise

    def leave(self, turn: Turn) -> None:
        """End an execution. Its slot, if it has one, goes to an execution of the client with the smallest claim."""
        line = turn.line
        with self._lock:
            line.in_flight -= 1
            line.idle_since_ns = self.clock()
            if turn.has_slot:
                self._stop(turn)
                if self.waiting:
                    self._start(self._dequeue(min(self._queues(), key=lambda other: other.claim)))

    def yield_slot(self, turn: Turn) -> None:
        """Have an execution give up its slot and wait again, if another one should have it.

        :raises HalError: MISSED_DEADLINE_TRANSIENT if it gets none before the deadline.
        """
        with self._lock:
            successors = [account for account in self._queues() if self._goes_first(account, turn)]
            if not successors:
                return
            self._stop(turn)
            self._start(self._dequeue(min(successors, key=lambda account: account.claim)))
            self._enqueue(turn)
        self._wait(turn)

    def while_idle(self, line: Line, idle_ns: int, act: Callable[[], None]) -> int:
        """Call ``act`` if there has been no execution for ``idle_ns``; executions wait until it has returned.

        Returns the nanoseconds for which the line has been idle.
        """
        with self._lock:
            idle = 0 if line.in_flight else self.clock() - line.idle_since_ns
            if idle >= idle_ns:
                act()
            return idle

    def account_of(self, client: Client) -> Account:
        """Return the account of a client, which lasts as long as one of its prepared models."""
        with self._lock:
            account = self._accounts.get(client)
            if account is None:
                account = self._accounts[client] = Account()
            return account

    def _queues(self) -> Iterator[Account]:
        return (account for account in self._accounts.values() if account.waiting)

    def _goes_first(self, account: Account, turn: Turn) -> bool:
        """Return True if the first waiting execution of ``account`` takes the slot of the running ``turn``."""
        if account is turn.account:
            return -account.waiting[0][0] > turn.line.priority
        return account.running < turn.account.running and self.clock() - turn.since_ns >= QUANTUM_NS

    def _start(self, turn: Turn) -> None:
        self._free -= 1
        turn.has_slot = True
        turn.account.running += 1
        turn.account.served = next(self._count)
        turn.since_ns = self.clock()

    def _stop(self, turn: Turn) -> None:
        self._free += 1
        turn.has_slot = False
        turn.account.running -= 1

    def _enqueue(self, turn: Turn) -> None:
        turn.granted = threading.Event()
        # An execution that had to give way keeps its place in the queue.
        heappush(turn.account.waiting, (-turn.line.priority, turn.order, turn))
        self.waiting += 1

    def _dequeue(self, account: Account) -> Turn:
        turn = heappop(account.waiting)[-1]
        self.waiting -= 1
        turn.granted.set()
        return turn

    def _wait(self, turn: Turn) -> None:
        began = self.clock()
        timeout_s = None
        if turn.deadline_ns != NO_DEADLINE:
            timeout_s = min(max(0, turn.deadline_ns - began) / _NS_PER_S, threading.TIMEOUT_MAX)
        if not turn.granted.wait(timeout_s):
            self._give_up(turn)
        turn.away_ns += self.clock() - began

    def _give_up(self, turn: Turn) -> None:
        with self._lock:
            if turn.granted.is_set():
                return
            queue = turn.account.waiting
            queue.remove((-turn.line.priority, turn.order, turn))
            heapify(queue)
            self.waiting -= 1
        raise missed("the deadline passed while other executions were running")
