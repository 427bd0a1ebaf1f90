"""The memory of one request that is executed again and again, and the fastest executor that a driver's level offers."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nnvet.conformance.engine.config import EXECUTOR_LEVELS, Executor, TestConfig
from nnvet.conformance.engine.executing import Answer, Execution, opened
from nnvet.hal import memory
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.types import DataLocation, Operand, Request, RequestArgument
from nnvet.transport.burst.polling import Announcer, polling_for

_ALIGNMENT: Final = 64
_FASTEST: Final = (Executor.BURST, Executor.ASYNC)
"""Requests of bursts go through shared memory, those of reusable executions through a socket."""

_POLLING_S: Final = 0.005
"""Networks are mostly faster. While it looks for a result, the client has nothing else to do, and others no turn."""


class Arena:
    """One shared-memory pool with an array for each operand; the arrays look into the pool."""

    def __init__(self, operands: Sequence[Operand]) -> None:
        """Lay the (fully specified) operands out one after the other."""
        self._locations: list[DataLocation] = []
        end = 0
        for operand in operands:
            info = OPERAND_TYPES[operand.type]
            start = -(-end // _ALIGNMENT) * _ALIGNMENT
            size = info.size * int(np.prod(operand.dimensions, dtype=np.int64))
            self._locations.append(DataLocation(offset=start, length=size))
            end = start + size
        self.pool = memory.create_ashmem(end, "nnvet-bench")
        self._mapping: mmap.mmap = memory.map_memory(self.pool)
        self.arrays: list[npt.NDArray[Any]] = [
            np.ndarray(operand.dimensions, OPERAND_TYPES[operand.type].dtype, self._mapping, location.offset)
            for operand, location in zip(operands, self._locations, strict=True)
        ]

    def arguments(self, pool_index: int) -> tuple[RequestArgument, ...]:
        """Arguments of a request whose pool number ``pool_index`` this is."""
        return tuple(
            RequestArgument(location=DataLocation(pool_index, location.offset, location.length))
            for location in self._locations
        )

    def close(self) -> None:
        """Unmap and close the pool; the arrays must not be used any more."""
        self.arrays.clear()
        self._mapping.close()
        memory.close(self.pool)


@dataclass(frozen=True)
class RepeatedRequest:
    """Executes one request each time it is called."""

    execute: Execution
    ends: Sequence[Announcer] = ()

    def announce(self) -> None:
        """The next execution follows soon: its time is not to be that in which a service wakes."""
        for end in self.ends:
            end.announce()

    def __call__(self) -> Answer:
        """Execute."""
        return self.execute()


def open_run(
    stack: ExitStack, prepared: PreparedModel, request: Request, level: int, timeout_s: float
) -> RepeatedRequest:
    """A function that executes ``request`` by the fastest executor of a driver's level, until ``stack`` is closed.

    Drivers from level 3 on have bursts; those below can only launch and notify.

    :raises HalError: if the driver refuses to set the executions up.
    """
    executor = next(candidate for candidate in _FASTEST if EXECUTOR_LEVELS[candidate] <= level)
    with polling_for(_POLLING_S) as ends:
        return RepeatedRequest(stack.enter_context(opened(prepared, request, TestConfig(executor), timeout_s)), ends)
