"""Mutations of where an operand's value comes from (docs/contract/vts-tests.md 2.2, numbers 6 and 7)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from nnvet.generators.graphs.editor import relisted, with_operand
from nnvet.generators.mutations.editing import Mutant, mutant, placed
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.types import DataLocation, Model, Operand, OperandLifeTime, Subgraph
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
