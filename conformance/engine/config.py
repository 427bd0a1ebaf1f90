"""Configuration of an execution: executor, output type, memory type, measured or not (VTS: ``TestConfig``)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from nnvet.hal.enums import NO_DEADLINE


class Executor(StrEnum):
    """The method of the HAL that executes: VTS knows the same five, ``reusable`` as a flag beside the executor."""

    SYNC = "sync"
    ASYNC = "async"
    BURST = "burst"
    FENCED = "fenced"
    REUSABLE = "reusable"


EXECUTOR_LEVELS = {Executor.ASYNC: 1, Executor.SYNC: 3, Executor.BURST: 3, Executor.FENCED: 4, Executor.REUSABLE: 8}
"""First feature level of each executor."""


class OutputType(StrEnum):
    """Outputs in the request: all, no dimensions, or a buffer that is one byte too short."""

    FULLY_SPECIFIED = "fully_specified"
    UNSPECIFIED = "unspecified"
    INSUFFICIENT = "insufficient"


class MemoryType(StrEnum):
    """Memory of inputs and outputs: the shared memories of the contract, or memory that the driver allocates."""

    ASHMEM = "ashmem"
    MMAP_FD = "mmap_fd"
    BLOB_AHWB = "blob_ahwb"
    DEVICE = "device"


MEMORY_LEVELS = {MemoryType.ASHMEM: 1, MemoryType.MMAP_FD: 1, MemoryType.BLOB_AHWB: 3, MemoryType.DEVICE: 4}
"""First feature level of each type of memory."""

_PADDING_LEVEL = 5


@dataclass(frozen=True, slots=True)
class TestConfig:
    """Configuration of one case's execution, as in VTS; ``loop_timeout_ns`` is passed on to the driver.

    ``padded``: arguments are aligned and padded, and the inputs' memory cannot be written, as clients of FL5 have it.
    ``dimensions``: inputs come with their dimensions, which the model may leave open.
    """

    __test__: ClassVar[bool] = False

    executor: Executor
    output: OutputType = OutputType.FULLY_SPECIFIED
    measure: bool = False
    loop_timeout_ns: int = NO_DEADLINE
    memory: MemoryType = MemoryType.ASHMEM
    padded: bool = False
    dimensions: bool = False

    @property
    def name(self) -> str:
        """Short name for case ids, such as ``sync`` or ``async_unspecified_measured``."""
        parts = [self.executor.value]
        if self.output is not OutputType.FULLY_SPECIFIED:
            parts.append(self.output.value)
        if self.measure:
            parts.append("measured")
        if self.memory is not MemoryType.ASHMEM:
            parts.append(self.memory.value)
        if self.padded:
            parts.append("padded")
        if self.dimensions:
            parts.append("dimensions")
        return "_".join(parts)

    @property
    def level(self) -> tuple[int, str]:
        """First feature level that has all that is needed, and which part needs it."""
        return max(
            (EXECUTOR_LEVELS[self.executor], f"{self.executor.value} executions"),
            (MEMORY_LEVELS[self.memory], f"memory of type {self.memory.value}"),
            (_PADDING_LEVEL if self.padded else 1, "padding"),
        )
