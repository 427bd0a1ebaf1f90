"""TestOperandExtraParams: scales of channels for the right type and for wrong ones.

Source: docs/contract/cts-tests.md 2.11.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.invalid_models import REFUSED, try_mutants
from nnvet.conformance.engine.preparing import ask_supported, prepare_valid
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.mutations.editing import Mutant
from nnvet.generators.mutations.operand_types import TYPES, with_type
from nnvet.hal.types import (
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Operation,
    OperationType,
    Subgraph,
    SymmPerChannelQuantParams,
)

_SUITE = "TestOperandExtraParams"
_LEVEL = 3
_PER_CHANNEL = OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL
_PARAMS = SymmPerChannelQuantParams((0.5, 1.0, 1.5, 2.0), 3)
_CHANNELS = Operand(_PER_CHANNEL, (1, 2, 3, 4), lifetime=OperandLifeTime.SUBGRAPH_INPUT, extra_params=_PARAMS)


def _model(operand: Operand, *unused: Operand) -> Model:
    """DEQUANTIZE of an operand; inputs that nobody reads are legal, whatever their type."""
    result = Operand(OperandType.TENSOR_FLOAT32, (1, 2, 3, 4), lifetime=OperandLifeTime.SUBGRAPH_OUTPUT)
    operands = (operand, result, *unused)
    inputs = (0, *range(2, len(operands)))
    return Model(Subgraph(operands, (Operation(OperationType.DEQUANTIZE, (0,), (1,)),), inputs, (1,)))


_WRONG_CHANNELS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "TestChannelQuantValuesBadDim": (
        {"extra_params": replace(_PARAMS, channel_dim=7)},
        {"extra_params": replace(_PARAMS, channel_dim=4)},
        {"extra_params": replace(_PARAMS, channel_dim=-1)},
    ),
    "TestChannelQuantValuesBadScalesCount": (
        {"extra_params": replace(_PARAMS, scales=(1.0,) * 3)},
        {"extra_params": replace(_PARAMS, scales=(1.0,) * 10)},
    ),
    "TestChannelQuantValuesBadScalesNegative": (
        {"extra_params": replace(_PARAMS, scales=(1.0, 1.0, -1.0, 1.0))},
        {"extra_params": replace(_PARAMS, scales=(1.0, 0.0, 1.0, 1.0))},
        {"extra_params": replace(_PARAMS, scales=(1.0, 1.0, 1.0, math.nan))},
    ),
    "TestChannelQuantValuesNullScales": ({"extra_params": replace(_PARAMS, scales=())}, {"extra_params": None}),
    "TestChannelQuantValuesOperandScale": ({"scale": 1.0},),
    "TestChannelQuantValuesOperandZeroPoint": ({"zero_point": 1},),
}
"""By the name of the test: what is changed in a valid operand of {1, 2, 3, 4} with four scales along dimension 3."""


@check(_SUITE, "TestChannelQuant", rules=("prepare/valid",), level=_LEVEL)
def channel_quant(subject: Subject, _: None) -> None:
    """Scales of channels are taken for the type that needs them."""
    prepare_valid(subject, _model(_CHANNELS))


@check(
    _SUITE,
    "TestNoExtraParams",
    rules=("model/operand.extra_params", *REFUSED),
    level=_LEVEL,
    parameters=lambda: {
        info.type.name: info for info in TYPES if info.type not in (_PER_CHANNEL, OperandType.SUBGRAPH)
    },
)
def no_extra_params(subject: Subject, info: Any) -> None:
    """No other type takes them."""
    prepare_valid(subject, _model(_CHANNELS))
    other = with_type(_CHANNELS, info)
    if info.level <= subject.feature_level:
        ask_supported(subject, _model(_CHANNELS, other))
    wrong = replace(other, extra_params=_PARAMS)
    try_mutants(subject, [(_SUITE, Mutant(f"{info.type.name} with scales of channels", _model(_CHANNELS, wrong)))])


@check(
    _SUITE,
    "TestChannelQuantValues",
    rules=("model/operand.*", *REFUSED),
    level=_LEVEL,
    parameters=lambda: _WRONG_CHANNELS,
)
def channel_quant_values(subject: Subject, wrong: tuple[dict[str, Any], ...]) -> None:
    """Scales that do not fit the operand are refused."""
    prepare_valid(subject, _model(_CHANNELS))
    mutants = [Mutant(f"operand with {changes}", _model(replace(_CHANNELS, **changes))) for changes in wrong]
    try_mutants(subject, [(_SUITE, mutant) for mutant in mutants])
