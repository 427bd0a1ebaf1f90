"""Executes one request again and again: its memory, and the fastest way that a driver's level offers."""

from __future__ import annotations

import mmap
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nnvet.hal import memory
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, FeatureLevel
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.types import (
    DataLocation,
    ExecutionConfig,
    ExecutionResult,
    Operand,
    OutputShape,
    Request,
    RequestArgument,
    Timing,
)

Run = Callable[[], ExecutionResult]
_ALIGNMENT: Final = 64


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


@dataclass
class _Ending:
    """The end of an asynchronous execution."""

    status: ErrorStatus = ErrorStatus.GENERAL_FAILURE
    result: ExecutionResult = field(default_factory=ExecutionResult)
    told: threading.Event = field(default_factory=threading.Event)

    def notify(self, status: ErrorStatus, output_shapes: tuple[OutputShape, ...], timing: Timing) -> None:
        """Keep what the driver tells."""
        self.status = status
        self.result = ExecutionResult(status != ErrorStatus.OUTPUT_INSUFFICIENT_SIZE, output_shapes, timing)
        self.told.set()


def make_run(prepared: PreparedModel, request: Request, level: int) -> Run:
    """A function that executes ``request``; it raises HalError as the execution fails.

    Level 8 has reusable executions, 3 has bursts; drivers below can only launch and tell.

    :raises HalError: if the driver refuses to set the executions up.
    """
    config = ExecutionConfig()
    if level >= FeatureLevel.FL8:
        execution = prepared.create_reusable_execution(request, config)
        return lambda: execution.execute_synchronously(NO_DEADLINE)
    if level >= FeatureLevel.FL3:
        burst = prepared.configure_execution_burst()
        tokens = tuple(range(len(request.pools)))
        return lambda: burst.execute_synchronously(request, tokens, config, NO_DEADLINE)
    return lambda: _launch_and_wait(prepared, request, config)


def _launch_and_wait(prepared: PreparedModel, request: Request, config: ExecutionConfig) -> ExecutionResult:
    """Execute asynchronously and wait for the end."""
    ending = _Ending()
    prepared.execute(request, config, NO_DEADLINE, ending)
    ending.told.wait()
    if ending.status not in (ErrorStatus.NONE, ErrorStatus.OUTPUT_INSUFFICIENT_SIZE):
        raise HalError(ending.status, "the execution ended so", "execution/status")
    return ending.result
