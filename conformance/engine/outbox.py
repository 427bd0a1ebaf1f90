"""A worker's messages: events in packets, and at any moment the case that it runs.

A message for each event would wake the runner twice for each case. A packet holds what has happened within
:data:`DELAY_S`; if the worker dies, the runner finds the case that ran in a :class:`CaseSlot`, and what the last packet
would have held is run again like everything that a dead worker owes.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import sys
import threading
import time
from collections import deque
from multiprocessing.connection import Connection
from typing import Any, Final

from nnvet.conformance.engine.driver import Event, Started
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
