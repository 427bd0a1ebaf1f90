"""The ways of executing a prepared model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hal.enums import NO_DEADLINE


class Executor(StrEnum):
    """Which method executes."""

    SYNC = "sync"
    ASYNC = "async"
    BURST = "burst"
    FENCED = "fenced"
    REUSABLE = "reusable"


EXECUTOR_LEVELS = {Executor.ASYNC: 1, Executor.SYNC: 3, Executor.BURST: 3, Executor.FENCED: 4, Executor.REUSABLE: 8}
"""First feature level of each executor."""


class OutputType(StrEnum):
    """What the request says of the outputs: all, no dimensions, or a buffer that is one byte too short."""

    FULLY_SPECIFIED = "fully_specified"
    UNSPECIFIED = "unspecified"
    INSUFFICIENT = "insufficient"


@dataclass(frozen=True, slots=True)
class Way:
    """One way of executing; ``loop_timeout_ns`` is passed on to the driver."""

    executor: Executor
    output: OutputType = OutputType.FULLY_SPECIFIED
    measure: bool = False
    loop_timeout_ns: int = NO_DEADLINE

    @property
    def name(self) -> str:
        """Short name for case ids, such as ``sync`` or ``async_unspecified_measured``."""
        parts = [self.executor.value]
        if self.output is not OutputType.FULLY_SPECIFIED:
            parts.append(self.output.value)
        if self.measure:
            parts.append("measured")
        return "_".join(parts)
