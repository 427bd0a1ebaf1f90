"""A worker as the runner sees it: its process, its messages, and the time that it may take.

A message for each event would wake the runner twice for each case. A packet holds what has happened within
:data:`DELAY_S`; if the worker dies, the runner finds the case that ran in a :class:`CaseSlot`, and what the last packet
would have held is run again like everything that a dead worker owes.
"""

from __future__ import annotations

import fcntl
import math
import mmap
import os
import socket
import struct
import sys
import threading
import time
from collections import deque
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from nnvet.adapters.service.process import ServiceProcess
from nnvet.conformance.engine.outcome import Event, Finished, Started
from nnvet.conformance.engine.subject import Target
from nnvet.conformance.engine.work import Goodbye, SharedAssignment, Work
from nnvet.hal.memory import OwnedHandle

DELAY_S: Final = 0.05
"""Time that an event waits for others, in seconds."""
HEARTBEAT_S: Final = 1.0
"""After so many seconds without an event there is a packet with none, which says that the worker is alive."""

_SIZE: Final = 4096
_LENGTH: Final = 2


class CaseSlot:
    """The id of the case that a worker runs, in memory that the runner shares and that outlives the worker."""

    def __init__(self, descriptor: int | None = None) -> None:
        """Share the memory behind ``descriptor``, which is taken over; None: new memory.

        :raises OSError: there is none.
        """
        if descriptor is None:
            descriptor = os.memfd_create("nnvet-case", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        self.handle: Final = OwnedHandle(descriptor)
        os.ftruncate(descriptor, _SIZE)
        # Touching mapped memory that has shrunk kills a process, and drivers can reach the descriptors of others.
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
        self._memory: Final = mmap.mmap(descriptor, _SIZE)

    @property
    def case(self) -> str:
        """The case, or nothing between two."""
        length = int.from_bytes(self._memory[:_LENGTH], "little")
        return self._memory[_LENGTH : _LENGTH + length].decode("utf-8", "replace")

    @case.setter
    def case(self, identifier: str) -> None:
        text = identifier.encode()[: _SIZE - _LENGTH]
        self._memory[: _LENGTH + len(text)] = len(text).to_bytes(_LENGTH, "little") + text


class Outbox:
    """The worker's end of its connection to the runner. One thread uses it, another one sends the packets."""

    def __init__(self, connection: Connection, slot: CaseSlot) -> None:
        """Start the thread, which ends with the process."""
        self._connection = connection
        self._slot = slot
        self._lock = threading.Lock()
        self._events: deque[Event] = deque()
        self._some = threading.Event()
        threading.Thread(target=self._send_packets, name="nnvet-outbox", daemon=True).start()

    def say(self, event: Event) -> None:
        """Send an event with the next packet."""
        self._slot.case = event.case if isinstance(event, Started) else ""
        self._events.append(event)
        self._some.set()

    def send(self, message: Any) -> None:
        """Send a message now, after all events before it; raises like ``Connection.send``."""
        with self._lock:
            self._send_events()
            self._connection.send(message)

    def _send_packets(self) -> None:
        try:
            while True:
                has_some = self._some.wait(HEARTBEAT_S)
                self._some.clear()
                with self._lock:
                    self._send_events(even_none=not has_some)
                time.sleep(DELAY_S)
        except ConnectionError:
            # The runner has gone: the other thread notices as soon as it wants more work.
            return
        except OSError as error:
            # The runner would miss these events; what they tell of is run again by another worker.
            sys.stderr.write(f"nnvet: events cannot be sent to the runner: {error}\n")
            sys.stderr.flush()
            os._exit(1)

    def _send_events(self, *, even_none: bool = False) -> None:
        # Whoever adds to them meanwhile does so behind these.
        events = [self._events.popleft() for _ in range(len(self._events))]
        if events or even_none:
            self._connection.send(events)


_COMMAND: Final = (sys.executable, "-P", "-X", "faulthandler", "-m", "nnvet.conformance.engine.worker")
_GOODBYE_S: Final = 2.0
_MEMORY: Final = 4 << 30
"""Bytes that a worker may have without its driver."""

LOADING_S: Final = 120.0
"""Time that a worker may take to load a file of specs."""

_STARTING_S: Final = 120.0
"""Time that a worker may take until its first message."""
_LEAST_SILENCE_S: Final = 5.0
_SHOTS: Final = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT")
"""Signals that no fault of a process's own ends it with."""
_MESSAGE_S: Final = 60
"""Whole seconds within which a message is read by a worker, and one that it has begun to write ends."""


class WorkerError(Exception):
    """No worker process can be started, although that was tried a few times; the text says why, or holds last words."""


class WorkerProcess:
    """A process, what it is doing, and what it has done of that."""

    def __init__(self, target: Target, assignment: SharedAssignment) -> None:
        """Start the process, which tests ``target``, and let it read the assignment.

        :raises WorkerError: it cannot be started.
        """
        # With its driver, which may have what the user allows it.
        limit = None if target.memory_limit is None else _MEMORY + target.memory_limit
        try:
            self._slot = CaseSlot()
            ours, theirs = socket.socketpair()
            with ours, theirs:
                socket.send_fds(ours, [b"\0"], [self._slot.handle.fd, assignment.handle.fd])
                for side in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
                    ours.setsockopt(socket.SOL_SOCKET, side, struct.pack("ll", _MESSAGE_S, 0))
                command = (*_COMMAND, str(theirs.fileno()))
                self.process = ServiceProcess(command, theirs.fileno(), {}, memory_limit=limit)
                self.connection = Connection(ours.detach())
        except (OSError, RuntimeError) as error:
            raise WorkerError(f"a process of the suite cannot be started: {error}") from error
        self._starved = _deaths_for_want_of_memory()
        self.is_ready = self.is_leaving = False
        self.work: Work | None = None
        self.done: set[str] = set()
        self.loads_until = math.inf
        self.is_overdue = False
        self.is_unread = False
        self.why_killed = ""
        self._silence_s = 0.0
        self._patience_s = _STARTING_S
        # From its first word on it may be silent as long as a driver, but never less than a few heartbeats.
        self._patience_at_work_s = max(target.timeout_s, _LEAST_SILENCE_S)

    def give(self, work: Work) -> None:
        """Have it run a batch."""
        self.work, self.done = work, set(work.done)
        self.loads_until = time.monotonic() + LOADING_S
        self._send(work)

    @property
    def is_idle(self) -> bool:
        """True if it waits for work."""
        return self.is_ready and self.work is None and not self.is_leaving

    def part(self) -> None:
        """Have it part from its driver, which it answers with what came of that and its own goodbye."""
        self.is_leaving = True
        self._send(Goodbye())

    def _send(self, order: Work | Goodbye) -> None:
        try:
            self.connection.send(order)
        except OSError:
            # It has died, or is not reading: that is heard of soon, and then its work is given to another.
            self.is_unread = True
            self.kill("it did not read what was sent to it")

    def receive(self) -> Any:
        """The message that has come.

        :raises EOFError, OSError: it has died, or will not end what it has begun to say, and is killed.
        """
        self._silence_s, self._patience_s = 0.0, self._patience_at_work_s
        try:
            return self.connection.recv()
        except BlockingIOError:
            self.kill("it stopped in the middle of a message")
            raise

    def see(self, event: Event) -> None:
        """Take note of what it has done."""
        self.loads_until = math.inf
        if isinstance(event, Finished):
            self.done.add(event.case)

    def watch(self, passed_s: float) -> None:
        """Kill it if it loads a file for too long or has fallen silent; the last look was ``passed_s`` ago."""
        self._silence_s += passed_s
        if time.monotonic() >= self.loads_until:
            self.is_overdue, self.loads_until = True, math.inf
            self.kill(f"loading took more than {LOADING_S:g} s")
        elif self._silence_s >= self._patience_s:
            self.kill(f"it gave no sign of life for {self._patience_s:g} s")

    def kill(self, why: str) -> None:
        """End it at once, if it lives; its connection says so then."""
        if self.process.alive:
            self.why_killed = why
        self.process.kill()

    @property
    def begun(self) -> str:
        """The case that runs, or ran when the process died."""
        return self._slot.case

    @property
    def last_words(self) -> str:
        """Of a dead one how it died, and the end of what it has printed."""
        evidence = self.process.evidence(dead=True)
        state = f"was killed: {self.why_killed}" if self.why_killed else evidence.state
        return f"the suite's worker process {state}: {evidence.stderr_tail}".rstrip(" :\n")

    @property
    def was_shot(self) -> bool:
        """True if a program has killed it: not the suite, not the kernel for want of memory, no fault of its own."""
        evidence = self.process.evidence(dead=True)
        by_nobody = self.why_killed or evidence.suite_fault or evidence.memory is not None
        return not by_nobody and evidence.signal in _SHOTS and _deaths_for_want_of_memory() == self._starved

    def dismiss(self) -> None:
        """Let it end by itself, or end it."""
        self.connection.close()
        if not self.process.wait(_GOODBYE_S):
            self.process.kill()


def _deaths_for_want_of_memory() -> int:
    """Return how many processes of this machine the kernel has killed for memory (proc(5), vmstat); 0 if not said."""
    try:
        counters = dict(line.split() for line in Path("/proc/vmstat").read_text().splitlines())
    except OSError:
        return 0
    return int(counters.get("oom_kill", 0))
