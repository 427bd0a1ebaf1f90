"""Functions that say what has come of an execution."""

from __future__ import annotations

from typing import Any, Final

from nnvet.adapters.nnapi.codes import NO_DURATION, DurationCode, ResultCode
from nnvet.adapters.nnapi.exported.execution import ClientExecution
from nnvet.adapters.nnapi.exported.refusals import Functions, RefusalError, bad_data, bad_state, check_index
from nnvet.hal.enums import NO_TIMING
from nnvet.hal.types import OutputShape

_WITH_SHAPES: Final = (ResultCode.NO_ERROR, ResultCode.OUTPUT_INSUFFICIENT_SIZE)


def _shape(execution: ClientExecution, index: int) -> OutputShape:
    """The shape of an output as the driver has reported it, or as client and model know it."""
    outcome = execution.check_completed()
    if outcome.code not in _WITH_SHAPES:
        raise bad_state(f"the execution has failed with {outcome.code.name}")
    check_index(index, len(execution.outputs), "output")
    if outcome.shapes:
        return outcome.shapes[index]
    argument = execution.outputs[index]
    return OutputShape(argument.dimensions if argument is not None else ())


def _check_sufficient(index: int, shape: OutputShape) -> None:
    if not shape.is_sufficient:
        raise RefusalError(ResultCode.OUTPUT_INSUFFICIENT_SIZE, f"output {index} is too small for {shape.dimensions}")


def _get_rank(execution: ClientExecution, index: int, place: Any) -> None:
    shape = _shape(execution, index)
    place[0] = len(shape.dimensions)
    _check_sufficient(index, shape)


def _get_dimensions(execution: ClientExecution, index: int, place: Any) -> None:
    shape = _shape(execution, index)
    if not shape.dimensions:
        raise bad_data(f"output {index} has no dimensions")
    for position, dimension in enumerate(shape.dimensions):
        place[position] = dimension
    _check_sufficient(index, shape)


def _get_duration(execution: ClientExecution, code: int, place: Any) -> None:
    place[0] = NO_DURATION
    if code not in DurationCode.__members__.values():
        raise bad_data(f"there is no duration {code}")
    outcome = execution.check_completed()
    if outcome.code is not ResultCode.NO_ERROR or not execution.is_measured:
        raise bad_state("the execution has failed, or was not to be measured")
    is_fenced = code in (DurationCode.FENCED_ON_HARDWARE, DurationCode.FENCED_IN_DRIVER)
    timing = outcome.fenced if is_fenced else outcome.launched
    on_hardware = code in (DurationCode.ON_HARDWARE, DurationCode.FENCED_ON_HARDWARE)
    duration = timing.time_on_device_ns if on_hardware else timing.time_in_driver_ns
    place[0] = NO_DURATION if duration == NO_TIMING else duration


FUNCTIONS: Final[Functions] = {
    "Execution_getOutputOperandRank": _get_rank,
    "Execution_getOutputOperandDimensions": _get_dimensions,
    "Execution_getDuration": _get_duration,
}
