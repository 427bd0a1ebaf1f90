"""Bugs between clients and over time: what is shared that should not be, and what is never given back."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from itertools import count
from typing import Any, Final

from msgspec.structs import replace

from nnvet.hal.calling import Client, calling_client
from nnvet.hal.interfaces import Device
from nnvet.hal.memory import Handle, OwnedHandle
from nnvet.hal.types import (
    BufferToken,
    ExecutionConfig,
    ExecutionResult,
    Model,
    PerformanceInfo,
    PrepareModelConfig,
    Request,
)
from nnvet.hal.validation.request import Role
from nnvet.reference_driver.buffers import BufferTracker, DeviceMemory
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.scheduler import Line
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_LARGE: Final = 2**19
"""Bytes of what leaks: a driver that leaks with everything would not survive the other checks."""

_LARGE_ROUNDS: Final = ("LeakTest/Preparations", "LeakTest/Executions/*", "LeakTest/Clients")
_KEPT: Final[list[object]] = []
"""Objects that are never given back."""

_ROLES: Final = ("IsolationTest/Token", "MemoryDomainExecutionTest/InvalidPreparedModel/*")
_UNFAIR: Final = ("PriorityTest/OtherClient", "IsolationTest/Death", "LeakTest/Clients")
_STARTS: Final = count(1)


@bug(
    "restart-version",
    "The version is another one after each start.",
    rules=("device/restart",),
    breaks=("RestartTest/Queries",),
)
def restart_version() -> Device:
    """A version that counts starts."""
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
    """Performance that was measured anew."""
    device = FullDevice()
    device.capabilities = replace(device.capabilities, if_performance=PerformanceInfo(float(next(_STARTS)), 1.0))
    return device


class _AnyModel(frozenset[Role]):
    """Roles of device memory, whichever prepared model they are of."""

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
    """Roles are compared without their prepared models."""

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
    """Tokens that are unique for one client only."""
    trackers: dict[Client, BufferTracker] = defaultdict(BufferTracker)

    class Split(FullDevice):
        @property
        def buffers(self) -> BufferTracker:
            """Those of whoever asks."""
            return trackers[calling_client()]

        @buffers.setter
        def buffers(self, _: BufferTracker) -> None:
            """There are others."""

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
    """One account for all clients."""
    everybody = Client("everybody")

    class Equal(FullDevice):
        def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
            """Take all for one."""
            prepared = super().build(model, config)
            prepared.line = Line(self.scheduler, everybody, config.priority)
            return prepared

    return Equal()


def _leaking(leak: Any) -> Device:
    class Leaks(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            """Leave something behind, if the request is large."""
            for pool in request.pools[:1]:
                if not isinstance(pool, BufferToken) and os.fstat(pool.handle.fd).st_size >= _LARGE:
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
    """A duplicate that is never closed."""

    def leak(handle: Handle) -> object:
        return OwnedHandle(os.dup(handle.fd))

    return _leaking(leak)


@bug(
    "leaks-threads",
    "Every large request leaves threads behind.",
    rules=("client/leak",),
    breaks=_LARGE_ROUNDS,
    service=True,
)
def leaks_threads() -> Device:
    """Threads that wait for ever."""

    def leak(_: Handle) -> object:
        thread = threading.Thread(target=threading.Event().wait, daemon=True)
        thread.start()
        return thread

    return _leaking(leak)


@bug("leaks-memory", "What large requests contain is kept.", rules=("client/leak",), breaks=_LARGE_ROUNDS, service=True)
def leaks_memory() -> Device:
    """A copy that nobody needs."""
    return _leaking(lambda handle: os.pread(handle.fd, _LARGE, 0))


_KIB: Final = 2**10


def _keep(size: int) -> None:
    """Keep so many bytes for ever, all of them written to."""
    _KEPT.append(b"x" * size)


@bug(
    "leaks-little",
    "Every execution keeps 4 KiB.",
    rules=("client/leak",),
    breaks=("LeakTest/Soak/executions",),
    service=True,
)
def leaks_little() -> Device:
    """A record of each execution that nobody reads."""

    class Leaks(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            """Keep a little, whatever the request."""
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
    """Scratch memory of the compiler that is not given back."""

    class Leaks(FullDevice):
        def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
            """Keep something of each model."""
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
    """A path that is seldom taken, and forgets to close."""
    executions = count(1)

    class Leaks(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            """Leave a descriptor open now and then."""
            if next(executions) % 8 == 0:
                _KEPT.append(OwnedHandle(os.dup(0)))
            return super().run(request, config, deadline_ns)

    return with_prepared_model(Leaks)
