"""Mutations of a single operand, which leave the graph as it is.

An operand gets other properties, another well-formed type, or another source of its value.

Source: docs/contract/vts-tests.md 2.3, and numbers 6, 7 and 10 of 2.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from msgspec.structs import replace

from nnvet.generators.mutations.editing import Mutant, may_have_type, mutant, of_operands, placed
from nnvet.graphs.editor import relisted, uses, with_operand
from nnvet.hal import types as hal
from nnvet.hal.enums import CONSTANTS
from nnvet.hal.levels import LAST_HIDL_LEVEL
from nnvet.hal.memory import memory_size
from nnvet.hal.operand_types import OPERAND_TYPES, OperandTypeInfo, type_name
from nnvet.hal.validation.operands import byte_size

OEM = (hal.OperandType.OEM, hal.OperandType.TENSOR_OEM_BYTE)
_UNKNOWN_TYPES = (-1, 9999, 10002)
_UNKNOWN_LIFETIMES = (-1, len(hal.OperandLifeTime))
_WRONG_SCALES = {"zero": (1.0,), "not_negative": (-1.0, math.nan), "positive": (0.0, -1.0, math.nan), "any": ()}
_HUGE = (5, 4, 4, 786433, 5, 3, 16777216, 4, 5)
"""Dimensions whose product exceeds 64 bits."""
_UNKNOWN_RANK_LEVEL = 3

Changes = Iterator[tuple[str, hal.Operand]]


def _info(operand: hal.Operand) -> OperandTypeInfo | None:
    """Return the facts of the operand's type; None for types whose operands are not checked."""
    return OPERAND_TYPES.get(operand.type) if operand.type not in OEM else None


def _type(operand: hal.Operand, _model: hal.Model, level: int) -> Changes:
    last = max(info.type for info in OPERAND_TYPES.values() if info.level <= level and info.type not in OEM)
    for value in (*_UNKNOWN_TYPES, last + 1):
        yield f"type {operand.type} becomes {value}", replace(operand, type=value)


def _rank(operand: hal.Operand, _model: hal.Model, level: int) -> Changes:
    info = _info(operand)
    if info is None or info.type is hal.OperandType.SUBGRAPH:
        return
    if not info.is_tensor:
        yield "a scalar gets dimensions (0,)", replace(operand, dimensions=(0,))
    elif level < _UNKNOWN_RANK_LEVEL:
        yield "a tensor loses its dimensions", replace(operand, dimensions=())


def _scale(operand: hal.Operand, _model: hal.Model, _level: int) -> Changes:
    info = _info(operand)
    for value in _WRONG_SCALES[info.scale if info else "any"]:
        yield f"scale {operand.scale} becomes {value}", replace(operand, scale=value)


def _zero_point(operand: hal.Operand, _model: hal.Model, _level: int) -> Changes:
    info = _info(operand)
    if info is None:
        return
    low, high = info.zero_point
    extremes = {low - 1, high + 1}
    if info.is_quantized and low == high:
        # Symmetric types also get values just outside the range of their elements.
        bits = 8 * info.size - 1
        extremes |= {-(2**bits) - 1, 2**bits}
    for value in sorted(extremes):
        yield f"zero point {operand.zero_point} becomes {value}", replace(operand, zero_point=value)


def _consumers(operand: hal.Operand, _model: hal.Model, level: int) -> Changes:
    count = operand.number_of_consumers
    if count is None or level > LAST_HIDL_LEVEL:
        return
    for value in (count - 1, count + 1) if count else (1,):
        yield f"number of consumers {count} becomes {value}", replace(operand, number_of_consumers=value)


def _dimensions(operand: hal.Operand, _model: hal.Model, _level: int) -> Changes:
    info = _info(operand)
    if info is None or info.type is hal.OperandType.SUBGRAPH:
        return
    if not info.is_tensor:
        yield "a scalar gets dimensions (1,)", replace(operand, dimensions=(1,))
        return
    if operand.lifetime in CONSTANTS:
        yield "a constant loses its dimensions", replace(operand, dimensions=())
        unknown = (0, *operand.dimensions[1:])
        yield f"a constant gets dimensions {unknown}", replace(operand, dimensions=unknown)
    elif info.type is not hal.OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL:
        yield f"dimensions become {_HUGE}", replace(operand, dimensions=_HUGE)
    if operand.dimensions:
        negative = (-1, *operand.dimensions[1:])
        yield f"dimensions become {negative}", replace(operand, dimensions=negative)


def wrong_extra_params(operand: hal.Operand) -> Changes:
    """Yield an operand with extra parameters that its type does not take, or with wrong values of them."""
    params = operand.extra_params
    if operand.type != hal.OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL:
        first = operand.dimensions[0] if operand.dimensions else 1
        given = hal.SymmPerChannelQuantParams((1.0,) * max(first, 1), 0)
        yield "gets channel scales", replace(operand, extra_params=given)
        return
    yield "loses its channel scales", replace(operand, extra_params=None)
    if not isinstance(params, hal.SymmPerChannelQuantParams):
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


def _extra_params(operand: hal.Operand, _model: hal.Model, _level: int) -> Changes:
    return wrong_extra_params(operand) if _info(operand) else iter(())


def _location(operand: hal.Operand, model: hal.Model, level: int) -> Changes:
    place, constant = operand.location, operand.lifetime in CONSTANTS
    if constant and _info(operand) is None:
        return
    wrong = {"pool_index": place.pool_index + max(1, len(model.pools)), "offset": -1, "length": place.length + 1}
    if operand.lifetime == hal.OperandLifeTime.CONSTANT_COPY:
        wrong["offset"] = len(model.operand_values)
    elif operand.lifetime == hal.OperandLifeTime.CONSTANT_REFERENCE:
        wrong["offset"] = memory_size(model.pools[place.pool_index])
    elif operand.lifetime == hal.OperandLifeTime.SUBGRAPH:
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


def _lifetime_value(operand: hal.Operand, _model: hal.Model, _level: int) -> Changes:
    for value in _UNKNOWN_LIFETIMES:
        yield f"lifetime becomes {value}", replace(operand, lifetime=value)
    if operand.type == hal.OperandType.SUBGRAPH:
        changed = replace(operand, lifetime=hal.OperandLifeTime.NO_VALUE, location=hal.DataLocation())
        yield "a subgraph operand gets lifetime NO_VALUE", changed
    else:
        changed = replace(operand, lifetime=hal.OperandLifeTime.SUBGRAPH, location=hal.DataLocation())
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


_L = hal.OperandLifeTime
_FIXED = (*CONSTANTS, _L.SUBGRAPH_INPUT)
_WRITTEN = (_L.TEMPORARY_VARIABLE, _L.SUBGRAPH_OUTPUT)

_WRONG_LIFETIMES = {
    **dict.fromkeys(_WRITTEN, (_L.SUBGRAPH_INPUT, _L.CONSTANT_COPY)),
    **dict.fromkeys(_FIXED, _WRITTEN),
}
"""Wrong lifetimes: an operand that an operation writes must have no value; any other operand must have a value."""

_UNLISTED_LIFETIMES = {
    _L.CONSTANT_COPY: _L.SUBGRAPH_INPUT,
    _L.CONSTANT_REFERENCE: _L.SUBGRAPH_INPUT,
    _L.SUBGRAPH_INPUT: _L.CONSTANT_COPY,
    _L.SUBGRAPH_OUTPUT: _L.TEMPORARY_VARIABLE,
    _L.TEMPORARY_VARIABLE: _L.SUBGRAPH_OUTPUT,
}
"""Changes that contradict the lists of inputs and outputs as long as these stay."""

_MOST_GROWTH = 32768
"""Most bytes of an operand that is turned into a constant, as in VTS."""


def mutate_operand_lifetime(model: hal.Model, _level: int) -> Iterator[Mutant]:
    """Yield another lifetime, with the lists of inputs and outputs to match."""
    for place, subgraph in placed(model):
        for index, operand in enumerate(subgraph.operands):
            for lifetime in _WRONG_LIFETIMES.get(hal.OperandLifeTime(operand.lifetime), ()):
                changed = relisted(subgraph, index, lifetime)
                yield from _mutant(model, place, changed, index, lifetime)


def mutate_operand_input_output(model: hal.Model, _level: int) -> Iterator[Mutant]:
    """Yield another lifetime, while the lists of inputs and outputs stay."""
    for place, subgraph in placed(model):
        for index, operand in enumerate(subgraph.operands):
            lifetime = _UNLISTED_LIFETIMES.get(hal.OperandLifeTime(operand.lifetime))
            if lifetime is not None:
                yield from _mutant(model, place, subgraph, index, lifetime)


def constant_of_zeros(model: hal.Model, operand: hal.Operand) -> tuple[hal.Model, hal.Operand] | None:
    """Return the operand as a constant of zeros in ``operand_values``, which grow; None if its size is unknown."""
    if operand.type not in OPERAND_TYPES:
        return None
    size = byte_size(operand.type, operand.dimensions)
    if (OPERAND_TYPES[operand.type].is_tensor and not operand.dimensions) or not size or size > _MOST_GROWTH:
        return None
    grown = replace(model, operand_values=model.operand_values.ljust(size, b"\0"))
    return grown, replace(operand, lifetime=_L.CONSTANT_COPY, location=hal.DataLocation(length=size))


def _mutant(
    model: hal.Model, place: int, subgraph: hal.Subgraph, index: int, lifetime: hal.OperandLifeTime
) -> Iterator[Mutant]:
    operand = subgraph.operands[index]
    changed: tuple[hal.Model, hal.Operand] | None = (
        model,
        replace(operand, lifetime=lifetime, location=hal.DataLocation()),
    )
    if lifetime == _L.CONSTANT_COPY:
        changed = constant_of_zeros(model, operand)
    if changed is not None:
        what = f"lifetime {hal.OperandLifeTime(operand.lifetime).name} becomes {lifetime.name}"
        yield mutant(changed[0], place, with_operand(subgraph, index, changed[1]), f"operand {index}: {what}")


TYPES = tuple(info for info in OPERAND_TYPES.values() if info.type not in OEM)


def mutate_operation_operand_type(model: hal.Model, _level: int) -> Iterator[Mutant]:
    """Yield mutants in which an operand of an operation has another type, with attributes legal for that type."""
    for place, subgraph in placed(model):
        for index, operand in enumerate(subgraph.operands):
            for info in TYPES:
                if info.type == operand.type or not _breaks(subgraph, index, info.type):
                    continue
                grown, changed = _fitted(model, with_type(operand, info))
                what = f"type {type_name(operand.type)} becomes {info.type.name}"
                yield mutant(grown, place, with_operand(subgraph, index, changed), f"operand {index}: {what}")


def with_type(operand: hal.Operand, info: OperandTypeInfo) -> hal.Operand:
    """Return the operand with another type, and with other dimensions and quantisation if that type needs them."""
    if info.type is hal.OperandType.SUBGRAPH:
        return replace(operand, type=info.type)
    if not info.is_tensor:
        return replace(operand, type=info.type, dimensions=(), scale=0.0, zero_point=0, extra_params=None)
    low, high = info.zero_point
    changed = replace(
        operand,
        type=info.type,
        dimensions=operand.dimensions or (1,),
        scale=_scale_of_type(operand, info),
        zero_point=min(max(operand.zero_point, low), high),
        extra_params=None,
    )
    if info.type is hal.OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL:
        known = [axis for axis, size in enumerate(changed.dimensions) if size]
        if not known:
            changed, known = replace(changed, dimensions=(1, *changed.dimensions[1:])), [0]
        scales = (1.0,) * changed.dimensions[known[0]]
        changed = replace(changed, extra_params=hal.SymmPerChannelQuantParams(scales, known[0]))
    return changed


def _scale_of_type(operand: hal.Operand, info: OperandTypeInfo) -> float:
    if info.scale == "positive":
        return operand.scale or 1.0
    return operand.scale if info.scale == "not_negative" else 0.0


def _fitted(model: hal.Model, operand: hal.Operand) -> tuple[hal.Model, hal.Operand]:
    """Give a constant a value of the size of its new type."""
    if operand.lifetime not in CONSTANTS or operand.type == hal.OperandType.SUBGRAPH:
        return model, operand
    if byte_size(operand.type, operand.dimensions) == operand.location.length:
        return model, operand
    return constant_of_zeros(model, operand) or (model, operand)


def _breaks(subgraph: hal.Subgraph, index: int, operand_type: hal.OperandType) -> bool:
    """Return True if no operation that names the operand may take it with this type."""
    found = list(uses(subgraph, index))
    return bool(found) and not any(
        may_have_type(subgraph.operations[use.position], use.slot, operand_type, output=use.is_output) for use in found
    )
