"""Numbers of the C API that the HAL does not have, or has under other numbers (docs/contract/c-api.md 1.1)."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from nnvet.hal.enums import ErrorStatus, FeatureLevel, Priority
from nnvet.hal.errors import HalError


class ResultCode(IntEnum):
    """Results of functions of the C API."""

    NO_ERROR = 0
    OUT_OF_MEMORY = 1
    INCOMPLETE = 2
    UNEXPECTED_NULL = 3
    BAD_DATA = 4
    OP_FAILED = 5
    BAD_STATE = 6
    UNMAPPABLE = 7
    OUTPUT_INSUFFICIENT_SIZE = 8
    UNAVAILABLE_DEVICE = 9
    MISSED_DEADLINE_TRANSIENT = 10
    MISSED_DEADLINE_PERSISTENT = 11
    RESOURCE_EXHAUSTED_TRANSIENT = 12
    RESOURCE_EXHAUSTED_PERSISTENT = 13
    DEAD_OBJECT = 14


class DurationCode(IntEnum):
    """Durations of ``ANeuralNetworksExecution_getDuration``; fenced: since the last dependency signalled."""

    ON_HARDWARE = 0
    IN_DRIVER = 1
    FENCED_ON_HARDWARE = 2
    FENCED_IN_DRIVER = 3


class PerformanceCode(IntEnum):
    """Cases of ``SL_ANeuralNetworksDevice_getPerformanceInfo``."""

    RELAXED_SCALAR = 0
    RELAXED_TENSOR = 1
    IF = 2
    WHILE = 3


STATUSES: Final = {
    ResultCode.UNEXPECTED_NULL: ErrorStatus.INVALID_ARGUMENT,
    ResultCode.BAD_DATA: ErrorStatus.INVALID_ARGUMENT,
    ResultCode.OUTPUT_INSUFFICIENT_SIZE: ErrorStatus.OUTPUT_INSUFFICIENT_SIZE,
    ResultCode.UNAVAILABLE_DEVICE: ErrorStatus.DEVICE_UNAVAILABLE,
    ResultCode.MISSED_DEADLINE_TRANSIENT: ErrorStatus.MISSED_DEADLINE_TRANSIENT,
    ResultCode.MISSED_DEADLINE_PERSISTENT: ErrorStatus.MISSED_DEADLINE_PERSISTENT,
    ResultCode.RESOURCE_EXHAUSTED_TRANSIENT: ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT,
    ResultCode.RESOURCE_EXHAUSTED_PERSISTENT: ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT,
}
"""The HAL's status of a result code; of all others GENERAL_FAILURE (docs/contract/sample-driver.md 4)."""

RESULTS: Final = {
    ErrorStatus.NONE: ResultCode.NO_ERROR,
    ErrorStatus.DEVICE_UNAVAILABLE: ResultCode.UNAVAILABLE_DEVICE,
    ErrorStatus.GENERAL_FAILURE: ResultCode.OP_FAILED,
    ErrorStatus.OUTPUT_INSUFFICIENT_SIZE: ResultCode.OUTPUT_INSUFFICIENT_SIZE,
    ErrorStatus.INVALID_ARGUMENT: ResultCode.BAD_DATA,
    ErrorStatus.MISSED_DEADLINE_TRANSIENT: ResultCode.MISSED_DEADLINE_TRANSIENT,
    ErrorStatus.MISSED_DEADLINE_PERSISTENT: ResultCode.MISSED_DEADLINE_PERSISTENT,
    ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT: ResultCode.RESOURCE_EXHAUSTED_TRANSIENT,
    ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT: ResultCode.RESOURCE_EXHAUSTED_PERSISTENT,
    ErrorStatus.DEAD_OBJECT: ResultCode.DEAD_OBJECT,
}
"""The result code of each of the HAL's statuses (docs/contract/sample-driver.md 4)."""

PRIORITIES: Final = {Priority.LOW: 90, Priority.MEDIUM: 100, Priority.HIGH: 110}
"""The C API's numbers of the HAL's priorities."""

LEVELS: Final = {
    **{26 + level: level for level in FeatureLevel if level <= FeatureLevel.FL5},
    **{1_000_000 + level: level for level in FeatureLevel if level > FeatureLevel.FL5},
}
"""The HAL's feature level of each of the C API's: 27 to 31 are Android's API levels, the later ones a series."""

MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES: Final = 128
"""Bytes of a constant up to which the library copies it at once; longer ones have to stay where they are."""

NO_DURATION: Final = 2**64 - 1


def result_name(code: int) -> str:
    """The C API's name of a result, or its number where it has none."""
    return ResultCode(code).name if code in ResultCode.__members__.values() else f"result {code}"


def error_of(code: int, function: str) -> HalError:
    """The HAL's error for what a function returned."""
    status = STATUSES.get(code, ErrorStatus.GENERAL_FAILURE)  # type: ignore[call-overload]
    rule = "" if code in ResultCode.__members__.values() else "driver/reply"
    return HalError(status, f"{function} returns {result_name(code)}", rule)


def feature_level(number: int) -> FeatureLevel:
    """The HAL's level of a level of the C API; of one that is newer than all that is known, the highest.

    :raises HalError: GENERAL_FAILURE for a number that is no level.
    """
    if number >= max(LEVELS):
        return FeatureLevel.FL8
    if number not in LEVELS:
        raise HalError(ErrorStatus.GENERAL_FAILURE, f"{number} is no feature level of the C API", "driver/reply")
    return LEVELS[number]
