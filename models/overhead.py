"""Cost of the way to a driver: the time of an inference that computes next to nothing.

It goes the way of all others: one request again and again, by the fastest executor of the driver's level. What the
driver itself needs for one RELU of one number is part of it, so it is an upper bound.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from statistics import median
from typing import Final

from nnvet.conformance.engine.executing import Answer
from nnvet.hal.enums import ErrorStatus, OperandLifeTime, OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device
from nnvet.hal.types import Model, Operand, Operation, PrepareModelConfig, Request, Subgraph
from nnvet.models.compiling import Compiler
from nnvet.models.contenders import ContenderError
from nnvet.models.execution import Arena, open_run
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
