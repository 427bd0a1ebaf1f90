"""Bugs of device memory that is used by several threads at the same time, one of which writes."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

from nnvet.hal.interfaces import Device
from nnvet.hal.memory import Memory
from nnvet.hal.types import BufferToken, ExecutionConfig, ExecutionResult, Request
from nnvet.reference_driver.device_memory import DeviceBuffer, DeviceMemory
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_CONCURRENT: Final = "MemoryDomainConcurrencyTest/ConcurrentUse/"
_BUSY_S: Final = 0.01
"""A use of device memory lasts so long, as if there were much to move."""


class _Uses:
    """Present uses of device memory; ``conflict`` is called when a use begins beside another and one writes."""

    def __init__(self, conflict: Callable[[], None]) -> None:
        self._conflict = conflict
        self._lock = threading.Lock()
        self._users: defaultdict[DeviceMemory, list[bool]] = defaultdict(list)

    @contextmanager
    def of(self, memory: DeviceMemory, *, writes: bool) -> Iterator[None]:
        with self._lock:
            others = list(self._users[memory])
            self._users[memory].append(writes)
        try:
            if others and (writes or any(others)):
                self._conflict()
            time.sleep(_BUSY_S)
            yield
        finally:
            with self._lock:
                self._users[memory].remove(writes)


def _with(conflict: Callable[[], None], *, executions: bool) -> Device:
    """A driver that does ``conflict`` where two copies meet, or copies and executions."""
    uses = _Uses(conflict)

    class Watched(DeviceBuffer):
        def copy_to(self, destination: Memory) -> None:
            """Copy, as one of the users."""
            with uses.of(self.memory, writes=False):
                super().copy_to(destination)

        def copy_from(self, source: Memory, dimensions: Sequence[int]) -> None:
            """Copy, as one of the users."""
            with uses.of(self.memory, writes=True):
                super().copy_from(source, dimensions)

    class Executing(ReferencePreparedModel):
        def _run(self, request: Request, config: ExecutionConfig, deadline_ns: int, started: int) -> ExecutionResult:
            """Execute, as one of the users of each device memory."""
            written: dict[DeviceMemory, bool] = {}
            for arguments, is_output in ((request.inputs, False), (request.outputs, True)):
                for pool in (
                    request.pools[argument.location.pool_index] for argument in arguments if not argument.has_no_value
                ):
                    if isinstance(pool, BufferToken) and executions:
                        written[self.buffers.find(pool.token)] = is_output
            with ExitStack() as stack:
                for memory, writes in written.items():
                    stack.enter_context(uses.of(memory, writes=writes))
                return super()._run(request, config, deadline_ns, started)

    device = with_prepared_model(Executing)
    device.buffers.buffer = Watched
    return device


@bug(
    "buffer-concurrent-crash",
    "A copy of device memory that begins while another writes to it crashes the driver.",
    rules=("buffer/concurrent",),
    breaks=(f"{_CONCURRENT}CopyFrom*_Copy*",),
    service=True,
)
def buffer_concurrent_crash() -> Device:
    """As if one freed what the other uses."""
    return _with(lambda: os.kill(os.getpid(), signal.SIGSEGV), executions=False)


@bug(
    "buffer-concurrent-blocks",
    "A use of device memory beside one that writes to it waits for ever.",
    rules=("buffer/concurrent",),
    breaks=(f"{_CONCURRENT}*",),
    service=True,
)
def buffer_concurrent_blocks() -> Device:
    """As if two locks were taken in opposite orders."""
    never = threading.Event()

    def wait() -> None:
        never.wait()

    return _with(wait, executions=True)
