"""Conversion of models, requests, options and results to older levels of the interface.

An object complies with a level if it can be given to every driver of that level. A conversion drops what the level
cannot express and need not know: advice (priorities, hints, padding), and numbers that only some levels have. A
conversion that would change the meaning is an error. Drivers made of drivers (:mod:`nnvet.adapters.split`) use the
conversions for members of older levels; :mod:`nnvet.hal.levels` says which level an object needs. Source:
docs/contract/hal.md 1, 5, 6.3, 6.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from nnvet.hal import types as hal
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, FeatureLevel, OperandType, Priority
from nnvet.hal.errors import failure, invalid
from nnvet.hal.levels import HIGHEST_REQUEST_LEVEL, LAST_HIDL_LEVEL, request_level, without_consumers
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.validation import required_level

_RELAXED_LEVEL: Final = FeatureLevel.FL2
"""First level that has relaxed computation."""
_RESULTS_LEVEL: Final = FeatureLevel.FL3
"""First level whose results have shapes and timings, and whose capabilities have a figure for each type."""
_CONTROL_LEVEL: Final = FeatureLevel.FL4
"""First level that has control flow."""
_NS_IN_US: Final = 1000
"""Nanoseconds in a microsecond, the unit of HIDL's times."""
_FLT_MAX: Final = float.fromhex("0x1.fffffep+127")
"""The largest 32-bit float, FLT_MAX of C."""
UNKNOWN_PERFORMANCE: Final = hal.PerformanceInfo(_FLT_MAX, _FLT_MAX)
"""Placeholder for figures that a level does not have: the largest 32-bit float."""
_FLOAT32: Final = (OperandType.FLOAT32, OperandType.TENSOR_FLOAT32)
"""Types for which the oldest levels have a figure of their own."""
_QUANT8: Final = (
    OperandType.INT32,
    OperandType.UINT32,
    OperandType.TENSOR_INT32,
    OperandType.TENSOR_QUANT8_ASYMM,
)
"""Types for which the oldest levels have one common figure; it also covers OEM types, which are in no table."""
_DEGRADED: Final = frozenset(
    {
        ErrorStatus.MISSED_DEADLINE_TRANSIENT,
        ErrorStatus.MISSED_DEADLINE_PERSISTENT,
        ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT,
        ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT,
        ErrorStatus.DEAD_OBJECT,
    }
)
"""Statuses that FL4 added; older levels have GENERAL_FAILURE instead."""


def model_complies(model: hal.Model, level: FeatureLevel) -> bool:
    """Return True if a valid model needs no higher level."""
    return required_level(model) <= level


def model_at(model: hal.Model, level: FeatureLevel) -> hal.Model:
    """Return a valid model in the form of a level: with numbers of consumers for HIDL, without them for AIDL.

    :raises HalError: INVALID_ARGUMENT if it needs a higher level.
    """
    if not model_complies(model, level):
        raise invalid(f"the model needs feature level {required_level(model)}, not {level}", "model/level")
    if level < _RELAXED_LEVEL and model.relax_computation_float32_to_float16:
        model = replace(model, relax_computation_float32_to_float16=False)
    if level > LAST_HIDL_LEVEL:
        return without_consumers(model)
    return replace(model, main=_count_consumers(model.main), referenced=tuple(map(_count_consumers, model.referenced)))


def _count_consumers(subgraph: hal.Subgraph) -> hal.Subgraph:
    counts = Counter(index for operation in subgraph.operations for index in operation.inputs)
    return replace(
        subgraph,
        operands=tuple(
            [replace(operand, number_of_consumers=counts[index]) for index, operand in enumerate(subgraph.operands)]
        ),
    )


def request_complies(request: hal.Request, model: hal.Model, level: FeatureLevel) -> bool:
    """Return True if a valid request for a model needs no higher level."""
    return request_level(request, model) <= level


def request_at(request: hal.Request, model: hal.Model, level: FeatureLevel) -> hal.Request:
    """Return a valid request in the form of a level: without padding if the level has none.

    :raises HalError: INVALID_ARGUMENT for device memory, hardware buffers or outputs of unknown size that the level
        does not have.
    """
    if level >= HIGHEST_REQUEST_LEVEL:
        return request
    # Padding came with the highest level that a request can need.
    inputs, outputs = (tuple(map(_drop_padding, side)) for side in (request.inputs, request.outputs))
    request = replace(request, inputs=inputs, outputs=outputs)
    if not request_complies(request, model, level):
        raise invalid(f"the request needs feature level {request_level(request, model)}, not {level}", "model/level")
    return request


def _drop_padding(argument: hal.RequestArgument) -> hal.RequestArgument:
    if not argument.location.padding:
        return argument
    return replace(argument, location=replace(argument.location, padding=0))


def preparation_at(config: hal.PrepareModelConfig, level: FeatureLevel) -> hal.PrepareModelConfig:
    """Return the options of a compilation that a level has; the others are only advice and are dropped."""
    default = hal.PrepareModelConfig()
    if level < FeatureLevel.FL8:
        config = replace(config, compilation_hints=(), extension_name_to_prefix=())
    if level < _CONTROL_LEVEL:
        config = replace(config, priority=Priority.MEDIUM, deadline_ns=NO_DEADLINE)
    if level < _RESULTS_LEVEL:
        config = replace(config, model_cache=(), data_cache=(), cache_token=bytes(hal.BYTE_SIZE_OF_CACHE_TOKEN))
    return default if level < _RELAXED_LEVEL else config


def preparation_complies(config: hal.PrepareModelConfig, level: FeatureLevel) -> bool:
    """Return True if a level has all options of a compilation."""
    return preparation_at(config, level) == config


def execution_at(config: hal.ExecutionConfig, level: FeatureLevel) -> hal.ExecutionConfig:
    """Return the options of an execution that a level has; the others are only advice and are dropped."""
    if level < FeatureLevel.FL8:
        config = replace(config, execution_hints=(), extension_name_to_prefix=())
    if level < _CONTROL_LEVEL:
        config = replace(config, loop_timeout_duration_ns=NO_DEADLINE)
    return config if level >= _RESULTS_LEVEL else hal.ExecutionConfig()


def execution_complies(config: hal.ExecutionConfig, level: FeatureLevel) -> bool:
    """Return True if a level has all options of an execution."""
    return execution_at(config, level) == config


def result_at(result: hal.ExecutionResult, level: FeatureLevel) -> hal.ExecutionResult:
    """Return the result of an execution in the form of a level: HIDL has whole microseconds, and no times before FL3.

    :raises HalError: GENERAL_FAILURE for an output that is too small, if the level has no shapes to report that.
    """
    if level < _RESULTS_LEVEL:
        if not result.output_sufficient_size:
            raise failure("an output is too small, and the level cannot say it", "execution/status")
        return hal.ExecutionResult()
    if level > LAST_HIDL_LEVEL:
        return result
    timing = hal.Timing(
        _round_to_microseconds(result.timing.time_on_device_ns), _round_to_microseconds(result.timing.time_in_driver_ns)
    )
    return replace(result, timing=timing)


def _round_to_microseconds(duration_ns: int) -> int:
    return hal.NO_TIMING if duration_ns == hal.NO_TIMING else duration_ns // _NS_IN_US * _NS_IN_US


def result_complies(result: hal.ExecutionResult, level: FeatureLevel) -> bool:
    """Return True if a level can say all of a result."""
    return (result.output_sufficient_size or level >= _RESULTS_LEVEL) and result_at(result, level) == result


def status_at(status: ErrorStatus, level: FeatureLevel) -> ErrorStatus:
    """Return the status in the form of a level: before FL4, the statuses that FL4 added are GENERAL_FAILURE."""
    return ErrorStatus.GENERAL_FAILURE if level < _CONTROL_LEVEL and status in _DEGRADED else status


def capabilities_at(capabilities: hal.Capabilities, level: FeatureLevel) -> hal.Capabilities:
    """Return performance figures as a client sees those of a driver of a level.

    FL1 has one figure for float32 and one for all its other types, FL2 adds one for relaxed float32, and FL3 has no
    figures for control flow. If several figures become one, it is the figure of tensors.
    """
    if level >= _CONTROL_LEVEL:
        return capabilities
    known = {entry.type: entry.info for entry in capabilities.operand_performance}
    relaxed = capabilities.relaxed_float32_to_float16_performance_tensor
    if level < _RESULTS_LEVEL:
        float32 = known.get(OperandType.TENSOR_FLOAT32, UNKNOWN_PERFORMANCE)
        quant8 = known.get(OperandType.TENSOR_QUANT8_ASYMM, UNKNOWN_PERFORMANCE)
        relaxed = float32 if level < _RELAXED_LEVEL else relaxed
        known = {**dict.fromkeys(_FLOAT32, float32), **dict.fromkeys(_QUANT8, quant8)}
        scalar = relaxed
    else:
        scalar = capabilities.relaxed_float32_to_float16_performance_scalar
    return hal.Capabilities(scalar, relaxed, _list_performance(known, level), UNKNOWN_PERFORMANCE, UNKNOWN_PERFORMANCE)


def _list_performance(
    known: Mapping[OperandType, hal.PerformanceInfo], level: FeatureLevel
) -> tuple[hal.OperandPerformance, ...]:
    """Return the figures of the types that a level has, in ascending order."""
    return tuple(
        hal.OperandPerformance(kind, known[kind])
        for kind in sorted(known)
        if kind not in OPERAND_TYPES or OPERAND_TYPES[kind].level <= level
    )


def capabilities_comply(capabilities: hal.Capabilities, level: FeatureLevel) -> bool:
    """Return True if a driver of a level could have answered these figures."""
    return capabilities_at(capabilities, level) == capabilities
