"""Mutations of an operand's attributes (dimensions, type, quantisation, lifetime, location), and added operands.

:mod:`nnvet.fuzz.model.mutating` lists all mutations with their weights; each takes a random source and a model.
"""

from __future__ import annotations

import math
import random
from typing import Final

from msgspec.structs import replace

from nnvet.fuzz.extremes import DIMENSIONS, INTEGERS, REALS, VAST, ZERO_POINTS
from nnvet.fuzz.model.form import FuzzedModel, pick_graph, pick_part, with_graph, with_item, with_operand
from nnvet.hal.enums import CONSTANTS, OperandLifeTime, OperandType
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.types import DataLocation, Operand, Subgraph, SymmPerChannelQuantParams

_TYPES: Final = (*OperandType, 16, -1, 0x10000, 0x7FFFFFFF)
"""All types of operands, and numbers that stand for none: the next one, a negative one, and two of extensions."""
_LIFETIMES: Final = (*OperandLifeTime, 7, -1)
"""All lifetimes, the next number, and a negative one."""
_MOST_CHANNELS: Final = 64
_MOST_NEW: Final = 64
"""Most elements of a new operand."""


def _operand(draw: random.Random, model: FuzzedModel) -> tuple[int, int, Operand]:
    number, graph = pick_graph(draw, model)
    return (number, *pick_part(draw, graph.operands))


def change_dimension(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """Change, add or remove one dimension of an operand."""
    number, index, operand = _operand(draw, model)
    found = operand.dimensions
    position = draw.randrange(len(found) + 1)
    kind = draw.randrange(4)
    if kind == 0 or not found:
        new = (*found[:position], draw.choice(DIMENSIONS), *found[position:])
    elif kind == 1:
        new = (*found[:position], *found[position + 1 :])
    else:
        new = with_item(found, position % len(found), draw.choice(DIMENSIONS))
    return with_operand(model, number, index, replace(operand, dimensions=new))


def change_dimension_everywhere(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """Replace one size by another in all dimensions of operands that are not constant."""
    number, graph = pick_graph(draw, model)
    _, size = pick_part(draw, sorted({dimension for operand in graph.operands for dimension in operand.dimensions}))
    other = draw.choice(DIMENSIONS)
    operands = tuple(
        operand
        if operand.lifetime in CONSTANTS
        else replace(operand, dimensions=tuple(other if old == size else old for old in operand.dimensions))
        for operand in graph.operands
    )
    return with_graph(model, number, replace(graph, operands=operands))


def change_open_dimension(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """Give results unknown dimensions, so that the driver has to infer them."""
    number, graph = pick_graph(draw, model)
    computed = (OperandLifeTime.TEMPORARY_VARIABLE, OperandLifeTime.SUBGRAPH_OUTPUT)
    operands = tuple(
        replace(operand, dimensions=()) if operand.lifetime in computed and draw.random() < 0.8 else operand  # noqa: PLR2004 - most
        for operand in graph.operands
    )
    return with_graph(model, number, replace(graph, operands=operands))


def change_type(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """Give an operand any type, known or not."""
    number, index, operand = _operand(draw, model)
    return with_operand(model, number, index, replace(operand, type=int(draw.choice(_TYPES))))


def change_type_everywhere(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """Change the type of all operands of one type, with a scale if it is quantised: this tests another data type."""
    number, graph = pick_graph(draw, model)
    _, operand = pick_part(draw, graph.operands)
    other = OPERAND_TYPES[draw.choice(list(OPERAND_TYPES))]
    scale = 0.5 if other.scale == "positive" else 0.0
    operands = tuple(
        replace(known, type=int(other.type), scale=scale, zero_point=0) if known.type == operand.type else known
        for known in graph.operands
    )
    return with_graph(model, number, replace(graph, operands=operands))


def change_scale(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """Give an operand an extreme scale."""
    number, index, operand = _operand(draw, model)
    return with_operand(model, number, index, replace(operand, scale=draw.choice(REALS)))


def change_zero_point(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """Give an operand a zero point at or beyond an end of its range."""
    number, index, operand = _operand(draw, model)
    return with_operand(model, number, index, replace(operand, zero_point=draw.choice(ZERO_POINTS)))


def change_lifetime(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """Give an operand any lifetime, known or not."""
    number, index, operand = _operand(draw, model)
    return with_operand(model, number, index, replace(operand, lifetime=int(draw.choice(_LIFETIMES))))


def change_location(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """Change a part of a constant's location: the offset to past the end, or the length."""
    number, index, operand = _operand(draw, model)
    field = draw.choice(DataLocation.__struct_fields__)
    value = draw.choice((*INTEGERS, getattr(operand.location, field) + draw.choice((-4, -1, 1, 4))))
    return with_operand(model, number, index, replace(operand, location=replace(operand.location, **{field: value})))


def change_channels(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """Add, remove or change per-channel scales: one of them, their number, or their dimension."""
    number, index, operand = _operand(draw, model)
    graph = _graph(model, number)
    quantized = [
        position
        for position, declared in enumerate(graph.operands)
        if isinstance(declared.extra_params, SymmPerChannelQuantParams)
    ]
    if quantized:
        index = draw.choice(quantized)
        operand = graph.operands[index]
    params = operand.extra_params
    if not isinstance(params, SymmPerChannelQuantParams) or not draw.randrange(3):
        return with_operand(model, number, index, by_channel(draw, operand))
    kind = draw.randrange(4)
    new: SymmPerChannelQuantParams | None
    if kind == 0:
        new = None
    elif kind == 1:
        new = replace(params, scales=params.scales[:-1] if draw.random() < math.sqrt(0.25) else (*params.scales, 1.0))
    elif kind == 2 or not params.scales:  # noqa: PLR2004 - the next of the kinds
        new = replace(params, channel_dim=draw.choice((*range(len(operand.dimensions) + 1), *INTEGERS)))
    else:
        new = replace(params, scales=_with_odd_scale(draw, params.scales))
    return with_operand(model, number, index, replace(operand, extra_params=new))


def _graph(model: FuzzedModel, number: int) -> Subgraph:
    return model.main if number < 0 else model.referenced[number]


def by_channel(draw: random.Random, operand: Operand) -> Operand:
    """Return the operand with one scale for each element of a dimension; one scale may be illegal."""
    known = [axis for axis, size in enumerate(operand.dimensions) if 0 < size <= _MOST_CHANNELS]
    axis = draw.choice(known) if known else draw.randrange(5)
    scales = (0.5,) * (operand.dimensions[axis] if known else draw.randrange(5))
    if scales and draw.randrange(3):
        scales = _with_odd_scale(draw, scales)
    kind = int(OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL)
    return replace(operand, type=kind, scale=0.0, zero_point=0, extra_params=SymmPerChannelQuantParams(scales, axis))


def _with_odd_scale(draw: random.Random, scales: tuple[float, ...]) -> tuple[float, ...]:
    return with_item(scales, draw.randrange(len(scales)), draw.choice(REALS))


def declare_another(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """Add a constant or an input that nothing reads; the rules of operands hold for it, too."""
    number, graph = pick_graph(draw, model)
    info = OPERAND_TYPES[draw.choice(list(OPERAND_TYPES))]
    sizes = tuple(draw.choice((1, 2, 3, 4)) for _ in range(draw.randrange(1, 6))) if info.is_tensor else ()
    sizes = sizes if math.prod(sizes) <= _MOST_NEW else sizes[:2]
    is_scaled = info.scale == "positive"
    new = Operand(type=int(info.type), dimensions=sizes, scale=0.5 if is_scaled else 0.0)
    if info.type is OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL or not draw.randrange(3):
        new = by_channel(draw, replace(new, dimensions=sizes or (2, 3)))
    elif draw.randrange(2):
        new = draw.choice((_oddly_scaled, _oddly_centred, _vast))(draw, new)
    index = len(graph.operands)
    if draw.randrange(2):
        lifetime = int(OperandLifeTime.SUBGRAPH_INPUT)
        operands = (*graph.operands, replace(new, lifetime=lifetime))
        return with_graph(model, number, replace(graph, operands=operands, input_indexes=(*graph.input_indexes, index)))
    begin = -(-len(model.operand_values) // 4) * 4
    length = min(math.prod(new.dimensions) * info.size, _MOST_NEW * 4)
    values = model.operand_values.ljust(begin + length, b"\0")
    place = DataLocation(0, begin, length)
    constant = replace(new, lifetime=int(OperandLifeTime.CONSTANT_COPY), location=place)
    return with_graph(
        replace(model, operand_values=values), number, replace(graph, operands=(*graph.operands, constant))
    )


def _oddly_scaled(draw: random.Random, operand: Operand) -> Operand:
    return replace(operand, scale=draw.choice(REALS))


def _oddly_centred(draw: random.Random, operand: Operand) -> Operand:
    return replace(operand, zero_point=draw.choice(ZERO_POINTS))


def _vast(draw: random.Random, operand: Operand) -> Operand:
    """Return dimensions whose product exceeds 32 or 64 bits, shuffled and mixed with others."""
    sizes = [*draw.choice(VAST), *(draw.choice(DIMENSIONS) for _ in range(draw.randrange(3)))]
    draw.shuffle(sizes)
    return replace(operand, dimensions=tuple(sizes))


def change_to_vast(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """Give an operand dimensions whose product no driver can hold."""
    number, index, operand = _operand(draw, model)
    return with_operand(model, number, index, _vast(draw, operand))
