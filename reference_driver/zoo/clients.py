"""Planted bugs that show between clients or over time: shared state that should be separate, and resources that leak.

Each function makes a driver with one planted bug; the decorator names the rules and the checks that it must break.
"""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from itertools import count
from typing import Any, Final

from msgspec.structs import replace

from nnvet.hal import types as hal
from nnvet.hal.calling import Client, calling_client
from nnvet.hal.interfaces import Device
from nnvet.hal.validation.request import Role
from nnvet.reference_driver.buffers import BufferTracker, DeviceMemory
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.scheduler import Line
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_LARGE: Final = 2**19
"""Only requests of this many bytes leak. If every request did, the driver would not survive other checks."""

_LARGE_ROUNDS: Final = ("LeakTest/Preparations", "LeakTest/Executions/*", "LeakTest/Clients")
"""Cases whose requests are large enough to leak."""
_KEPT: Final[list[object]] = []
"""References that keep leaked objects alive."""

_ROLES: Final = ("IsolationTest/Token", "MemoryDomainExecutionTest/InvalidPreparedModel/*")
"""Cases that use device memory with a model for which it was not allocated."""
_UNFAIR: Final = ("PriorityTest/OtherClient", "IsolationTest/Death", "LeakTest/Clients")
"""Cases in which one client has to wait for another one."""
_STARTS: Final = count(1)
"""Number of starts of the driver in this process, for descriptions that change with each."""


@bug(
    "restart-version",
    "The version is another one after each start.",
    rules=("device/restart",),
    breaks=("RestartTest/Queries",),
)
def restart_version() -> Device:
    """Append the number of the start to the version."""
    device = FullDevice()
    device.version = f"{device.version}.{next(_STARTS)}"
    return device


@bug(
    "restart-slower",
    "The device says that it is slower after each start.",
    rules=("device/restart",),
    breaks=("RestartTest/Queries",),
)
def restart_slower() -> Device:
    """Report the performance as if it were measured anew at each start."""
    device = FullDevice()
    device.capabilities = replace(device.capabilities, if_performance=hal.PerformanceInfo(float(next(_STARTS)), 1.0))
    return device


class _AnyModel(frozenset[Role]):
    """Roles of device memory that match any prepared model."""

    def __contains__(self, role: object) -> bool:
        """Return True if there is a role of the same direction and index."""
        return isinstance(role, Role) and any(
            (known.direction, known.io_index) == (role.direction, role.io_index) for known in self
        )


@bug(
    "token-of-anybody",
    "Device memory is for whoever knows its token.",
    rules=(
        "buffer/role",
        "client/isolation",
    ),
    breaks=_ROLES,
)
def token_of_anybody() -> Device:
    """Compare roles without their prepared models."""

    class Open(BufferTracker):
        def find(self, token: int) -> DeviceMemory:
            """Open the memory for all models."""
            memory = super().find(token)
            memory.roles = _AnyModel(memory.roles)
            return memory

    device = FullDevice()
    device.buffers = Open()
    return device


@bug(
    "tokens-per-client",
    "Every client's tokens begin at 1.",
    rules=("allocate/answer",),
    breaks=("IsolationTest/Tokens",),
)
def tokens_per_client() -> Device:
    """Give each client tokens of its own, so that they are unique for one client only."""
    trackers: dict[Client, BufferTracker] = defaultdict(BufferTracker)

    class Split(FullDevice):
        @property
        def buffers(self) -> BufferTracker:
            """Return the buffers of the calling client."""
            return trackers[calling_client()]

        @buffers.setter
        def buffers(self, _: BufferTracker) -> None:
            """Ignore the assignment in the constructor of the base class."""

    return Split()


@bug(
    "clients-equal",
    "Priorities count across clients, and no client's end is noticed.",
    rules=(
        "client/interference",
        "client/leak",
    ),
    breaks=_UNFAIR,
    service=True,
)
def clients_equal() -> Device:
    """Schedule the work of all clients as if it came from one client."""
    everybody = Client("everybody")

    class Equal(FullDevice):
        def build(self, model: hal.Model, config: hal.PrepareModelConfig) -> ReferencePreparedModel:
            """Put the model into the line of one client that stands for all."""
            prepared = super().build(model, config)
            prepared.line = Line(self.scheduler, everybody, config.priority)
            return prepared

    return Equal()


def _leaking(leak: Any) -> Device:
    class Leaks(ReferencePreparedModel):
        def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
            """Leak something if the request is large, then execute it."""
            for pool in request.pools[:1]:
                if not isinstance(pool, hal.BufferToken) and os.fstat(pool.handle.fd).st_size >= _LARGE:
                    _KEPT.append(leak(pool.handle))
            return super().run(request, config, deadline_ns)

    return with_prepared_model(Leaks)


@bug(
    "leaks-descriptors",
    "Descriptors of large requests stay open.",
    rules=("client/leak",),
    breaks=_LARGE_ROUNDS,
    service=True,
)
def leaks_descriptors() -> Device:
    """Duplicate a descriptor and never close the duplicate."""

    def leak(handle: hal.Handle) -> object:
        return hal.OwnedHandle(os.dup(handle.fd))

    return _leaking(leak)


@bug(
    "leaks-threads",
    "Every large request leaves threads behind.",
    rules=("client/leak",),
    breaks=_LARGE_ROUNDS,
    service=True,
)
def leaks_threads() -> Device:
    """Start threads that wait forever."""

    def leak(_: hal.Handle) -> object:
        thread = threading.Thread(target=threading.Event().wait, daemon=True)
        thread.start()
        return thread

    return _leaking(leak)


@bug("leaks-memory", "What large requests contain is kept.", rules=("client/leak",), breaks=_LARGE_ROUNDS, service=True)
def leaks_memory() -> Device:
    """Keep a copy of the request's memory."""
    return _leaking(lambda handle: os.pread(handle.fd, _LARGE, 0))


_KIB: Final = 2**10
"""Bytes of a KiB."""


def _keep(size: int) -> None:
    """Leak a number of bytes. All are written to, so that they count as resident memory."""
    _KEPT.append(b"x" * size)


@bug(
    "leaks-little",
    "Every execution keeps 4 KiB.",
    rules=("client/leak",),
    breaks=("LeakTest/Soak/executions",),
    service=True,
)
def leaks_little() -> Device:
    """Keep a record of each execution that is never read."""

    class Leaks(ReferencePreparedModel):
        def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
            """Leak 4 KiB, then execute."""
            _keep(4 * _KIB)
            return super().run(request, config, deadline_ns)

    return with_prepared_model(Leaks)


@bug(
    "leaks-preparations",
    "Every prepared model keeps 64 KiB.",
    rules=("client/leak",),
    breaks=("LeakTest/Soak/preparations",),
    service=True,
)
def leaks_preparations() -> Device:
    """Keep the compiler's scratch memory."""

    class Leaks(FullDevice):
        def build(self, model: hal.Model, config: hal.PrepareModelConfig) -> ReferencePreparedModel:
            """Leak 64 KiB, then compile."""
            _keep(64 * _KIB)
            return super().build(model, config)

    return Leaks()


@bug(
    "leaks-descriptors-slowly",
    "Every eighth execution leaves a descriptor open.",
    rules=("client/leak",),
    breaks=("LeakTest/Soak/executions",),
    service=True,
)
def leaks_descriptors_slowly() -> Device:
    """Imitate a rare path of the code that does not close its descriptor."""
    executions = count(1)

    class Leaks(ReferencePreparedModel):
        def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
            """Leak a descriptor in every eighth execution."""
            if next(executions) % 8 == 0:
                _KEPT.append(hal.OwnedHandle(os.dup(0)))
            return super().run(request, config, deadline_ns)

    return with_prepared_model(Leaks)
