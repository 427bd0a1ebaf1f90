"""The memory of one request that is executed again and again, and the fastest executor that a driver's level offers.

Cost of the way to a driver: the time of an inference that computes next to nothing.

It goes the way of all others: one request again and again, by the fastest executor of the driver's level. What the
driver itself needs for one RELU of one number is part of it, so it is an upper bound.
"""

from __future__ import annotations

import mmap
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nnvet.conformance.engine.config import EXECUTOR_LEVELS, Executor, TestConfig
from nnvet.conformance.engine.executing import Answer, Execution, open_execution
from nnvet.hal import memory
from nnvet.hal.enums import ErrorStatus, OperandLifeTime, OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.types import (
    DataLocation,
    Model,
    Operand,
    Operation,
    PrepareModelConfig,
    Request,
    RequestArgument,
    Subgraph,
)
from nnvet.models.compiling import Compiler
from nnvet.models.contenders import ContenderError
from nnvet.transport.burst.polling import Announcer, polling_for
from nnvet.transport.wire.failures import DriverGone

_WARM_UP: Final = 20
_WARM_UP_S: Final = 0.1
"""Until then the system may have client and service share a core, both of which look for packets."""
_INFERENCES: Final = 200
_BUDGET_S: Final = 1.0
_OPERANDS: Final = (
    Operand(OperandType.TENSOR_FLOAT32, (1,), lifetime=OperandLifeTime.SUBGRAPH_INPUT),
    Operand(OperandType.TENSOR_FLOAT32, (1,), lifetime=OperandLifeTime.SUBGRAPH_OUTPUT),
)
NEXT_TO_NOTHING: Final = Model(Subgraph(_OPERANDS, (Operation(OperationType.RELU, (0,), (1,)),), (0,), (1,)))
"""RELU of one number."""


def measure_overhead(device: Device, level: int, timeout_s: float) -> float | None:
    """Seconds of an inference of :data:`NEXT_TO_NOTHING`, the median; None for a driver that does not run it."""
    try:
        if not all(device.get_supported_operations(NEXT_TO_NOTHING)):
            return None
        prepared = Compiler(device, NEXT_TO_NOTHING, timeout_s).compile(PrepareModelConfig())
        with ExitStack() as stack:
            arenas = [Arena([operand]) for operand in _OPERANDS]
            for arena in arenas:
                stack.callback(arena.close)
            sources, results = arenas
            request = Request(sources.arguments(0), results.arguments(1), (sources.pool, results.pool))
            run = open_run(stack, prepared, request, level, timeout_s)
            warm = _latencies(run, _WARM_UP, _WARM_UP_S)
            return median(_latencies(run, _INFERENCES, 0) if sum(warm) < _BUDGET_S else warm)
    except (HalError, ContenderError, DriverGone):
        return None


def _latencies(run: Callable[[], Answer], inferences: int, at_least_s: float) -> list[float]:
    """Seconds of so many inferences and so long, at least; fewer if they take longer than the budget.

    :raises HalError: if one fails.
    """
    latencies: list[float] = []
    total = 0.0
    while (len(latencies) < inferences or total < at_least_s) and total < _BUDGET_S:
        started = time.perf_counter_ns()
        answer = run()
        latencies.append((time.perf_counter_ns() - started) / 1e9)
        total += latencies[-1]
        if answer.status is not ErrorStatus.NONE:
            raise HalError(answer.status, answer.message, answer.rule)
    return latencies


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
        return RepeatedRequest(
            stack.enter_context(open_execution(prepared, request, TestConfig(executor), timeout_s)), ends
        )
