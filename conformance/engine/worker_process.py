"""The runner's end of a worker: its process, its messages, and its time limits.

:mod:`nnvet.conformance.engine.pool` has one :class:`WorkerProcess` for each worker;
:mod:`nnvet.conformance.engine.worker` is the program that it starts, which sends its events by an :class:`Outbox`.

A message for each event would wake the runner twice for each case. So a packet holds the events of :data:`DELAY_S`. If
the worker dies, the runner finds the id of the running case in a :class:`CaseSlot`, and another worker runs the cases
of the lost packet again.
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
from nnvet.conformance.engine.target import Target
from nnvet.conformance.engine.work import Goodbye, SharedAssignment, Work
from nnvet.conformance.kit.outcome import Event, Finished, Started
from nnvet.hal.types import OwnedHandle

DELAY_S: Final = 0.05
"""Seconds that an event waits for others to share a packet."""
HEARTBEAT_S: Final = 1.0
"""Seconds without an event after which an empty packet shows that the worker is alive."""

_SIZE: Final = 4096
"""Bytes of a slot: a page."""
_LENGTH: Final = 2
"""Bytes of the length before the id."""


class CaseSlot:
    """The id of the case that a worker runs, in memory that the runner shares, so that it outlives the worker."""

    def __init__(self, descriptor: int | None = None) -> None:
        """Share the memory behind ``descriptor``, which is taken over; None: new memory.

        :raises OSError: no memory can be made.
        """
        if descriptor is None:
            descriptor = os.memfd_create("nnvet-case", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        self.handle: Final = OwnedHandle(descriptor)
        os.ftruncate(descriptor, _SIZE)
        # The size is sealed: access to mapped memory that has shrunk kills a process, and a driver could shrink it.
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
        self._memory: Final = mmap.mmap(descriptor, _SIZE)

    @property
    def case(self) -> str:
        """Return the id of the case; empty between two cases."""
        length = int.from_bytes(self._memory[:_LENGTH], "little")
        return self._memory[_LENGTH : _LENGTH + length].decode("utf-8", "replace")

    @case.setter
    def case(self, identifier: str) -> None:
        text = identifier.encode()[: _SIZE - _LENGTH]
        self._memory[: _LENGTH + len(text)] = len(text).to_bytes(_LENGTH, "little") + text


class Outbox:
    """The worker's end of the connection to the runner; packets are sent by a separate thread."""

    def __init__(self, connection: Connection, slot: CaseSlot) -> None:
        """Start the thread; it ends with the process."""
        self._connection = connection
        self._slot = slot
        self._lock = threading.Lock()
        self._events: deque[Event] = deque()
        self._some = threading.Event()
        threading.Thread(target=self._run_sender, name="nnvet-outbox", daemon=True).start()

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

    def _run_sender(self) -> None:
        """Send a packet after each delay, an empty one if there was nothing for a heartbeat."""
        try:
            while True:
                has_some = self._some.wait(HEARTBEAT_S)
                self._some.clear()
                with self._lock:
                    self._send_events(even_none=not has_some)
                time.sleep(DELAY_S)
        except ConnectionError:
            # The runner is gone: the other thread notices that as soon as it wants more work.
            return
        except OSError as error:
            # The runner misses these events, so another worker runs their cases again.
            sys.stderr.write(f"nnvet: events cannot be sent to the runner: {error}\n")
            sys.stderr.flush()
            os._exit(1)

    def _send_events(self, *, even_none: bool = False) -> None:
        """Send the events so far as one packet; none without events, unless ``even_none``."""
        # Another thread may append events meanwhile; they stay for the next packet.
        events = [self._events.popleft() for _ in range(len(self._events))]
        if events or even_none:
            self._connection.send(events)


_COMMAND: Final = (sys.executable, "-P", "-X", "faulthandler", "-m", "nnvet.conformance.engine.worker")
"""Command of a worker, without the number of its socket."""
_GOODBYE_S: Final = 2.0
"""Seconds for a worker to exit when its connection is closed."""
_MEMORY: Final = 4 << 30
"""Memory limit of a worker without its driver, in bytes."""

LOADING_S: Final = 120.0
"""Seconds that a worker may take to load a spec file."""

_STARTING_S: Final = 120.0
"""Seconds that a worker may take until its first message."""
_LEAST_SILENCE_S: Final = 5.0
"""Seconds for which a worker may be silent at least, however short the driver's time limit is."""
_SHOTS: Final = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT")
"""Signals that come from another process alone, never from a fault of the process itself."""
_MESSAGE_S: Final = 60
"""Whole seconds within which a worker has to read a message, and to complete one that it writes."""


class WorkerError(Exception):
    """No worker process can be started, after a few attempts; the text has the reason or the last output."""


class WorkerProcess:
    """A worker process, its present work, and the cases of it that are done."""

    def __init__(self, target: Target, assignment: SharedAssignment) -> None:
        """Start the process, which tests ``target``, and let it read the assignment.

        :raises WorkerError: it cannot be started.
        """
        # The limit includes the driver, with the memory that the user allows it.
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
        # After its first message it may be silent as long as a driver, and at least for a few heartbeats.
        self._patience_at_work_s = max(target.timeout_s, _LEAST_SILENCE_S)

    def give(self, work: Work) -> None:
        """Give it a batch to run."""
        self.work, self.done = work, set(work.done)
        self.loads_until = time.monotonic() + LOADING_S
        self._send(work)

    @property
    def is_idle(self) -> bool:
        """Return True if it waits for work."""
        return self.is_ready and self.work is None and not self.is_leaving

    def part(self) -> None:
        """Order it to end its driver; it answers with the findings and its own goodbye."""
        self.is_leaving = True
        self._send(Goodbye())

    def _send(self, order: Work | Goodbye) -> None:
        """Send an order; a worker that does not read it is killed."""
        try:
            self.connection.send(order)
        except OSError:
            # It has died or does not read. The runner will notice soon, and give its work to another worker.
            self.is_unread = True
            self.kill("it did not read what was sent to it")

    def receive(self) -> Any:
        """Receive the message that has come.

        :raises EOFError, OSError: it has died, or does not complete its message, and is killed.
        """
        self._silence_s, self._patience_s = 0.0, self._patience_at_work_s
        try:
            return self.connection.recv()
        except BlockingIOError:
            self.kill("it stopped in the middle of a message")
            raise

    def see(self, event: Event) -> None:
        """Take note of an event of its work."""
        self.loads_until = math.inf
        if isinstance(event, Finished):
            self.done.add(event.case)

    def watch(self, passed_s: float) -> None:
        """Kill it if it loads a file for too long or has fallen silent; the last check was ``passed_s`` ago."""
        self._silence_s += passed_s
        if time.monotonic() >= self.loads_until:
            self.is_overdue, self.loads_until = True, math.inf
            self.kill(f"loading took more than {LOADING_S:g} s")
        elif self._silence_s >= self._patience_s:
            self.kill(f"it gave no sign of life for {self._patience_s:g} s")

    def kill(self, why: str) -> None:
        """Kill it if it lives; the end of its connection then reports the death."""
        if self.process.alive:
            self.why_killed = why
        self.process.kill()

    @property
    def begun(self) -> str:
        """Return the case that is running, or was running when the process died."""
        return self._slot.case

    @property
    def last_words(self) -> str:
        """Return the cause of a dead worker's death, and the end of its output."""
        evidence = self.process.evidence(dead=True)
        state = f"was killed: {self.why_killed}" if self.why_killed else evidence.state
        return f"the suite's worker process {state}: {evidence.stderr_tail}".rstrip(" :\n")

    @property
    def was_shot(self) -> bool:
        """Return True if another program has killed the process, not the suite, the kernel or a fault of its own."""
        evidence = self.process.evidence(dead=True)
        by_nobody = self.why_killed or evidence.suite_fault or evidence.memory is not None
        return not by_nobody and evidence.signal in _SHOTS and _deaths_for_want_of_memory() == self._starved

    def dismiss(self) -> None:
        """Let it end by itself, or end it."""
        self.connection.close()
        if not self.process.wait(_GOODBYE_S):
            self.process.kill()


def _deaths_for_want_of_memory() -> int:
    """Return the number of processes that the kernel has killed for lack of memory (proc(5), vmstat); 0 if unknown."""
    try:
        counters = dict(line.split() for line in Path("/proc/vmstat").read_text().splitlines())
    except OSError:
        return 0
    return int(counters.get("oom_kill", 0))
