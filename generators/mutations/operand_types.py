"""The mutation that gives an operand another, well-formed type.

Source: docs/contract/vts-tests.md 2.3 and number 10 of 2.2.

Mutations of where an operand's value comes from (docs/contract/vts-tests.md 2.2, numbers 6 and 7).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from nnvet.generators.graphs.editor import relisted, uses, with_operand
from nnvet.generators.mutations.editing import Mutant, mutant, placed
from nnvet.generators.mutations.exceptions import may_have_type
from nnvet.generators.mutations.operands import OEM
from nnvet.hal.operand_types import OPERAND_TYPES, OperandTypeInfo, type_name
from nnvet.hal.types import (
    DataLocation,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Subgraph,
    SymmPerChannelQuantParams,
)
from nnvet.hal.validation.operands import CONSTANTS, byte_size

_L = OperandLifeTime
_FIXED = (*CONSTANTS, _L.SUBGRAPH_INPUT)
_WRITTEN = (_L.TEMPORARY_VARIABLE, _L.SUBGRAPH_OUTPUT)

_WRONG_LIFETIMES = {
    **dict.fromkeys(_WRITTEN, (_L.SUBGRAPH_INPUT, _L.CONSTANT_COPY)),
    **dict.fromkeys(_FIXED, _WRITTEN),
}
"""Wrong lifetimes: an operand that is written must not have a value yet; one that nobody writes must have one."""

_UNLISTED_LIFETIMES = {
    _L.CONSTANT_COPY: _L.SUBGRAPH_INPUT,
    _L.CONSTANT_REFERENCE: _L.SUBGRAPH_INPUT,
    _L.SUBGRAPH_INPUT: _L.CONSTANT_COPY,
    _L.SUBGRAPH_OUTPUT: _L.TEMPORARY_VARIABLE,
    _L.TEMPORARY_VARIABLE: _L.SUBGRAPH_OUTPUT,
}
"""Changes that contradict the lists of inputs and outputs as long as these stay."""

_MOST_GROWTH = 32768
"""Bytes; larger operands are not turned into constants, as in VTS."""


def mutate_operand_lifetime(model: Model, _level: int) -> Iterator[Mutant]:
    """Another lifetime, with the lists of inputs and outputs to match."""
    for place, subgraph in placed(model):
        for index, operand in enumerate(subgraph.operands):
            for lifetime in _WRONG_LIFETIMES.get(OperandLifeTime(operand.lifetime), ()):
                changed = relisted(subgraph, index, lifetime)
                yield from _mutant(model, place, changed, index, lifetime)


def mutate_operand_input_output(model: Model, _level: int) -> Iterator[Mutant]:
    """Another lifetime, while the lists of inputs and outputs stay."""
    for place, subgraph in placed(model):
        for index, operand in enumerate(subgraph.operands):
            lifetime = _UNLISTED_LIFETIMES.get(OperandLifeTime(operand.lifetime))
            if lifetime is not None:
                yield from _mutant(model, place, subgraph, index, lifetime)


def constant_of_zeros(model: Model, operand: Operand) -> tuple[Model, Operand] | None:
    """The operand as a copied constant at the start of ``operand_values``, which grow; None if its size is unknown."""
    if operand.type not in OPERAND_TYPES:
        return None
    size = byte_size(operand.type, operand.dimensions)
    if (OPERAND_TYPES[operand.type].is_tensor and not operand.dimensions) or not size or size > _MOST_GROWTH:
        return None
    grown = replace(model, operand_values=model.operand_values.ljust(size, b"\0"))
    return grown, replace(operand, lifetime=_L.CONSTANT_COPY, location=DataLocation(length=size))


def _mutant(model: Model, place: int, subgraph: Subgraph, index: int, lifetime: OperandLifeTime) -> Iterator[Mutant]:
    operand = subgraph.operands[index]
    changed: tuple[Model, Operand] | None = model, replace(operand, lifetime=lifetime, location=DataLocation())
    if lifetime == _L.CONSTANT_COPY:
        changed = constant_of_zeros(model, operand)
    if changed is not None:
        what = f"lifetime {OperandLifeTime(operand.lifetime).name} becomes {lifetime.name}"
        yield mutant(changed[0], place, with_operand(subgraph, index, changed[1]), f"operand {index}: {what}")


TYPES = tuple(info for info in OPERAND_TYPES.values() if info.type not in OEM)


def mutate_operation_operand_type(model: Model, _level: int) -> Iterator[Mutant]:
    """Each operand that an operation names gets each other type, with attributes that are legal for that type."""
    for place, subgraph in placed(model):
        for index, operand in enumerate(subgraph.operands):
            for info in TYPES:
                if info.type == operand.type or not _breaks(subgraph, index, info.type):
                    continue
                grown, changed = _fitted(model, with_type(operand, info))
                what = f"type {type_name(operand.type)} becomes {info.type.name}"
                yield mutant(grown, place, with_operand(subgraph, index, changed), f"operand {index}: {what}")


def with_type(operand: Operand, info: OperandTypeInfo) -> Operand:
    """The operand with another type and, as far as that demands it, other dimensions and quantisation."""
    if info.type is OperandType.SUBGRAPH:
        return replace(operand, type=info.type)
    if not info.is_tensor:
        return replace(operand, type=info.type, dimensions=(), scale=0.0, zero_point=0, extra_params=None)
    low, high = info.zero_point
    changed = replace(
        operand,
        type=info.type,
        dimensions=operand.dimensions or (1,),
        scale=_scale(operand, info),
        zero_point=min(max(operand.zero_point, low), high),
        extra_params=None,
    )
    if info.type is OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL:
        known = [axis for axis, size in enumerate(changed.dimensions) if size]
        if not known:
            changed, known = replace(changed, dimensions=(1, *changed.dimensions[1:])), [0]
        scales = (1.0,) * changed.dimensions[known[0]]
        changed = replace(changed, extra_params=SymmPerChannelQuantParams(scales, known[0]))
    return changed


def _scale(operand: Operand, info: OperandTypeInfo) -> float:
    if info.scale == "positive":
        return operand.scale or 1.0
    return operand.scale if info.scale == "not_negative" else 0.0


def _fitted(model: Model, operand: Operand) -> tuple[Model, Operand]:
    """A constant gets a value of the size that its new type has."""
    if operand.lifetime not in CONSTANTS or operand.type == OperandType.SUBGRAPH:
        return model, operand
    if byte_size(operand.type, operand.dimensions) == operand.location.length:
        return model, operand
    return constant_of_zeros(model, operand) or (model, operand)


def _breaks(subgraph: Subgraph, index: int, operand_type: OperandType) -> bool:
    """Return True if no operation that names the operand may take it with this type."""
    found = list(uses(subgraph, index))
    return bool(found) and not any(
        may_have_type(subgraph.operations[use.position], use.slot, operand_type, output=use.is_output) for use in found
    )
