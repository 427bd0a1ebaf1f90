"""Mutations of a single operand that leave the graph as it is."""

from __future__ import annotations

import math
from collections.abc import Iterator

from msgspec.structs import replace

from nnvet.generators.mutations.editing import of_operands
from nnvet.hal.levels import LAST_HIDL_LEVEL
from nnvet.hal.memory import memory_size
from nnvet.hal.operand_types import OPERAND_TYPES, OperandTypeInfo
from nnvet.hal.types import (
    DataLocation,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    SymmPerChannelQuantParams,
)
from nnvet.hal.validation.operands import CONSTANTS

OEM = (OperandType.OEM, OperandType.TENSOR_OEM_BYTE)
_UNKNOWN_TYPES = (-1, 9999, 10002)
_UNKNOWN_LIFETIMES = (-1, len(OperandLifeTime))
_WRONG_SCALES = {"zero": (1.0,), "not_negative": (-1.0, math.nan), "positive": (0.0, -1.0, math.nan), "any": ()}
_HUGE = (5, 4, 4, 786433, 5, 3, 16777216, 4, 5)
"""Dimensions whose product exceeds 64 bits."""
_UNKNOWN_RANK_LEVEL = 3

Changes = Iterator[tuple[str, Operand]]


def _info(operand: Operand) -> OperandTypeInfo | None:
    """Facts of the type; None for types whose operands are not checked."""
    return OPERAND_TYPES.get(operand.type) if operand.type not in OEM else None


def _type(operand: Operand, _model: Model, level: int) -> Changes:
    last = max(info.type for info in OPERAND_TYPES.values() if info.level <= level and info.type not in OEM)
    for value in (*_UNKNOWN_TYPES, last + 1):
        yield f"type {operand.type} becomes {value}", replace(operand, type=value)


def _rank(operand: Operand, _model: Model, level: int) -> Changes:
    info = _info(operand)
    if info is None or info.type is OperandType.SUBGRAPH:
        return
    if not info.is_tensor:
        yield "a scalar gets dimensions (0,)", replace(operand, dimensions=(0,))
    elif level < _UNKNOWN_RANK_LEVEL:
        yield "a tensor loses its dimensions", replace(operand, dimensions=())


def _scale(operand: Operand, _model: Model, _level: int) -> Changes:
    info = _info(operand)
    for value in _WRONG_SCALES[info.scale if info else "any"]:
        yield f"scale {operand.scale} becomes {value}", replace(operand, scale=value)


def _zero_point(operand: Operand, _model: Model, _level: int) -> Changes:
    info = _info(operand)
    if info is None:
        return
    low, high = info.zero_point
    extremes = {low - 1, high + 1}
    if info.is_quantized and low == high:
        # Symmetric types: also just outside of what their elements can hold.
        bits = 8 * info.size - 1
        extremes |= {-(2**bits) - 1, 2**bits}
    for value in sorted(extremes):
        yield f"zero point {operand.zero_point} becomes {value}", replace(operand, zero_point=value)


def _consumers(operand: Operand, _model: Model, level: int) -> Changes:
    count = operand.number_of_consumers
    if count is None or level > LAST_HIDL_LEVEL:
        return
    for value in (count - 1, count + 1) if count else (1,):
        yield f"number of consumers {count} becomes {value}", replace(operand, number_of_consumers=value)


def _dimensions(operand: Operand, _model: Model, _level: int) -> Changes:
    info = _info(operand)
    if info is None or info.type is OperandType.SUBGRAPH:
        return
    if not info.is_tensor:
        yield "a scalar gets dimensions (1,)", replace(operand, dimensions=(1,))
        return
    if operand.lifetime in CONSTANTS:
        yield "a constant loses its dimensions", replace(operand, dimensions=())
        unknown = (0, *operand.dimensions[1:])
        yield f"a constant gets dimensions {unknown}", replace(operand, dimensions=unknown)
    elif info.type is not OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL:
        yield f"dimensions become {_HUGE}", replace(operand, dimensions=_HUGE)
    if operand.dimensions:
        negative = (-1, *operand.dimensions[1:])
        yield f"dimensions become {negative}", replace(operand, dimensions=negative)


def wrong_extra_params(operand: Operand) -> Changes:
    """An operand with extra parameters that its type does not take, or not like this."""
    params = operand.extra_params
    if operand.type != OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL:
        first = operand.dimensions[0] if operand.dimensions else 1
        given = SymmPerChannelQuantParams((1.0,) * max(first, 1), 0)
        yield "gets channel scales", replace(operand, extra_params=given)
        return
    yield "loses its channel scales", replace(operand, extra_params=None)
    if not isinstance(params, SymmPerChannelQuantParams):
        return
    scales, rank = params.scales, len(operand.dimensions)
    for what, wrong in (
        ("has a channel dimension that is negative", replace(params, channel_dim=-1)),
        ("has a channel dimension equal to its rank", replace(params, channel_dim=rank)),
        ("has one channel scale too few", replace(params, scales=scales[:-1])),
        ("has one channel scale too many", replace(params, scales=(*scales, 1.0))),
        ("has a negative channel scale", replace(params, scales=(*scales[:-1], -scales[-1]))),
        ("has a channel scale of 0", replace(params, scales=(*scales[:-1], 0.0))),
        ("has a channel scale that is no number", replace(params, scales=(*scales[:-1], math.nan))),
    ):
        yield what, replace(operand, extra_params=wrong)


def _extra_params(operand: Operand, _model: Model, _level: int) -> Changes:
    return wrong_extra_params(operand) if _info(operand) else iter(())


def _location(operand: Operand, model: Model, level: int) -> Changes:
    place, constant = operand.location, operand.lifetime in CONSTANTS
    if constant and _info(operand) is None:
        return
    wrong = {"pool_index": place.pool_index + max(1, len(model.pools)), "offset": -1, "length": place.length + 1}
    if operand.lifetime == OperandLifeTime.CONSTANT_COPY:
        wrong["offset"] = len(model.operand_values)
    elif operand.lifetime == OperandLifeTime.CONSTANT_REFERENCE:
        wrong["offset"] = memory_size(model.pools[place.pool_index])
    elif operand.lifetime == OperandLifeTime.SUBGRAPH:
        wrong["offset"] = len(model.referenced)
    elif not constant:
        wrong["offset"] = 1
    variants = [*wrong.items()]
    if constant:
        variants += [("length", place.length - 1), ("offset", -1)]
    if level > LAST_HIDL_LEVEL:
        variants.append(("padding", 1))
    for name, value in dict.fromkeys(variants):
        yield f"location.{name} becomes {value}", replace(operand, location=replace(place, **{name: value}))


def _lifetime_value(operand: Operand, _model: Model, _level: int) -> Changes:
    for value in _UNKNOWN_LIFETIMES:
        yield f"lifetime becomes {value}", replace(operand, lifetime=value)
    if operand.type == OperandType.SUBGRAPH:
        changed = replace(operand, lifetime=OperandLifeTime.NO_VALUE, location=DataLocation())
        yield "a subgraph operand gets lifetime NO_VALUE", changed
    else:
        changed = replace(operand, lifetime=OperandLifeTime.SUBGRAPH, location=DataLocation())
        yield "lifetime becomes SUBGRAPH", changed


mutate_operand_type = of_operands(_type)
mutate_operand_rank = of_operands(_rank)
mutate_operand_scale = of_operands(_scale)
mutate_operand_zero_point = of_operands(_zero_point)
mutate_operand_number_of_consumers = of_operands(_consumers)
mutate_operand_dimensions = of_operands(_dimensions)
mutate_operand_extra_params = of_operands(_extra_params)
mutate_operand_location = of_operands(_location)
mutate_operand_lifetime_value = of_operands(_lifetime_value)
