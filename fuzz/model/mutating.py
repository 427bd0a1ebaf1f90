"""The mutator and the crossover of models: each step changes one thing of a model, often by an extreme number."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from nnvet.fuzz.extremes import DIMENSIONS, INTEGERS, REALS, ZERO_POINTS
from nnvet.fuzz.model.editing import (
    CONSTANTS,
    NotApplicableError,
    changed,
    element,
    pick_graph,
    some,
    with_graph,
    with_operand,
    with_operation,
    written,
)
from nnvet.fuzz.model.form import FuzzedModel, decoded, encoded
from nnvet.fuzz.model.growing import grafted, insert_copy, joined, lengthen, resize_constant
from nnvet.hal.enums import OperandLifeTime, OperandType, OperationType
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.types import DataLocation, Operand, SymmPerChannelQuantParams

Step = Callable[[random.Random, FuzzedModel], FuzzedModel]
_RAW: Final = 0.08
"""Share of inputs that libFuzzer changes as bytes."""
_STEPS: Final = (1, 1, 1, 2, 2, 3, 5)
_ATTEMPTS: Final = 8
_SMALL: Final = 64
"""A tensor of at most so many bytes may hold parameters: axes, sizes, paddings."""
_TYPES: Final = (*OperandType, 16, -1, 0x10000, 0x7FFFFFFF)
_OPERATIONS: Final = (*OperationType, 106, -1, 0x10000)
_LIFETIMES: Final = (*OperandLifeTime, 7, -1)


def _operand(draw: random.Random, model: FuzzedModel) -> tuple[int, int, Operand]:
    number, graph = pick_graph(draw, model)
    return (number, *some(draw, graph.operands))


def _parameter(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """A constant that is small gets an extreme element: strides, axes, block sizes, counts and the like."""
    _, graph = pick_graph(draw, model)
    small = [one for one in graph.operands if one.lifetime in CONSTANTS and 0 < one.location.length <= _SMALL]
    _, operand = some(draw, small)
    info = OPERAND_TYPES.get(operand.type)
    is_real = info is not None and info.is_float
    data = element(operand.type, draw.choice(REALS if is_real else INTEGERS))
    count = operand.location.length // len(data)
    if count > 1:
        place = operand.location
        begin = place.offset + draw.randrange(count) * len(data)
        operand = replace(operand, location=replace(place, offset=begin, length=len(data)))
    return written(model, operand, data)


def _dimension(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """One dimension of an operand changes, is added or taken away."""
    number, index, operand = _operand(draw, model)
    found = operand.dimensions
    position = draw.randrange(len(found) + 1)
    kind = draw.randrange(4)
    if kind == 0 or not found:
        new = (*found[:position], draw.choice(DIMENSIONS), *found[position:])
    elif kind == 1:
        new = (*found[:position], *found[position + 1 :])
    else:
        new = changed(found, position % len(found), draw.choice(DIMENSIONS))
    return with_operand(model, number, index, replace(operand, dimensions=new))


def _dimension_everywhere(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """A size that occurs in a graph becomes another one in all operands that are not constant."""
    number, graph = pick_graph(draw, model)
    _, size = some(draw, sorted({one for operand in graph.operands for one in operand.dimensions}))
    other = draw.choice(DIMENSIONS)
    operands = tuple(
        one
        if one.lifetime in CONSTANTS
        else replace(one, dimensions=tuple(other if old == size else old for old in one.dimensions))
        for one in graph.operands
    )
    return with_graph(model, number, replace(graph, operands=operands))


def _open_dimension(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """What is computed has unknown dimensions, so that only the driver says what they are."""
    number, graph = pick_graph(draw, model)
    computed = (OperandLifeTime.TEMPORARY_VARIABLE, OperandLifeTime.SUBGRAPH_OUTPUT)
    operands = tuple(
        replace(one, dimensions=()) if one.lifetime in computed and draw.random() < 0.8 else one  # noqa: PLR2004 - most
        for one in graph.operands
    )
    return with_graph(model, number, replace(graph, operands=operands))


def _type(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    number, index, operand = _operand(draw, model)
    return with_operand(model, number, index, replace(operand, type=int(draw.choice(_TYPES))))


def _type_everywhere(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """All operands of one type get another one, quantised ones a scale: operations of another type."""
    number, graph = pick_graph(draw, model)
    _, operand = some(draw, graph.operands)
    other = OPERAND_TYPES[draw.choice(list(OPERAND_TYPES))]
    scale = 0.5 if other.scale == "positive" else 0.0
    operands = tuple(
        replace(one, type=int(other.type), scale=scale, zero_point=0) if one.type == operand.type else one
        for one in graph.operands
    )
    return with_graph(model, number, replace(graph, operands=operands))


def _scale(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    number, index, operand = _operand(draw, model)
    return with_operand(model, number, index, replace(operand, scale=draw.choice(REALS)))


def _zero_point(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    number, index, operand = _operand(draw, model)
    return with_operand(model, number, index, replace(operand, zero_point=draw.choice(ZERO_POINTS)))


def _lifetime(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    number, index, operand = _operand(draw, model)
    return with_operand(model, number, index, replace(operand, lifetime=int(draw.choice(_LIFETIMES))))


def _location(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """A part of a location changes: the offset past the end, the length to another one."""
    number, index, operand = _operand(draw, model)
    field = draw.choice(DataLocation.__struct_fields__)
    value = draw.choice((*INTEGERS, getattr(operand.location, field) + draw.choice((-4, -1, 1, 4))))
    return with_operand(model, number, index, replace(operand, location=replace(operand.location, **{field: value})))


def _channels(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """Scales by channel appear, go, or change: one of them, their number, or the dimension."""
    number, index, operand = _operand(draw, model)
    graph = model.main if number < 0 else model.referenced[number]
    quantized = [
        position
        for position, one in enumerate(graph.operands)
        if isinstance(one.extra_params, SymmPerChannelQuantParams)
    ]
    if quantized:
        index = draw.choice(quantized)
        operand = graph.operands[index]
    params = operand.extra_params
    new: SymmPerChannelQuantParams | None
    if not isinstance(params, SymmPerChannelQuantParams):
        new = SymmPerChannelQuantParams((0.5,) * min(max(operand.dimensions[:1], default=1), _SMALL), 0)
    elif (kind := draw.randrange(4)) == 0:
        new = None
    elif kind == 1 and params.scales:
        new = replace(params, scales=changed(params.scales, draw.randrange(len(params.scales)), draw.choice(REALS)))
    elif kind == 2:  # noqa: PLR2004 - the next of the kinds
        new = replace(params, scales=params.scales[:-1] if draw.random() < math.sqrt(0.25) else (*params.scales, 1.0))
    else:
        new = replace(params, channel_dim=draw.choice(INTEGERS))
    return with_operand(model, number, index, replace(operand, extra_params=new))


def _operation_type(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    number, graph = pick_graph(draw, model)
    index, operation = some(draw, graph.operations)
    return with_operation(model, number, index, replace(operation, type=int(draw.choice(_OPERATIONS))))


def _operand_list(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """An operation reads or writes another operand, one more or one less."""
    number, graph = pick_graph(draw, model)
    index, operation = some(draw, graph.operations)
    field = "inputs" if draw.random() < 0.75 else "outputs"  # noqa: PLR2004 - there are more inputs
    new = _other_indexes(draw, getattr(operation, field), len(graph.operands))
    return with_operation(model, number, index, replace(operation, **{field: new}))


def _listed(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """The inputs or outputs of a subgraph change."""
    number, graph = pick_graph(draw, model)
    field = draw.choice(("input_indexes", "output_indexes"))
    return with_graph(
        model, number, replace(graph, **{field: _other_indexes(draw, getattr(graph, field), len(graph.operands))})
    )


def _other_indexes(draw: random.Random, indexes: tuple[int, ...], count: int) -> tuple[int, ...]:
    other = draw.choice((draw.randrange(max(count, 1)), count, -1, 2**31 - 1)) if draw.random() < 0.4 else -2  # noqa: PLR2004
    other = draw.randrange(max(count, 1)) if other == -2 else other  # noqa: PLR2004
    position = draw.randrange(len(indexes) + 1)
    kind = draw.randrange(4)
    if kind == 0 or not indexes:
        return (*indexes[:position], other, *indexes[position:])
    if kind == 1:
        return (*indexes[:position], *indexes[position + 1 :])
    if kind == 2 and len(indexes) > 1:  # noqa: PLR2004 - two that are exchanged
        first, second = draw.sample(range(len(indexes)), 2)
        swapped = list(indexes)
        swapped[first], swapped[second] = swapped[second], swapped[first]
        return tuple(swapped)
    return changed(indexes, position % len(indexes), other)


def _omit(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """A constant has no value."""
    number, graph = pick_graph(draw, model)
    constants = [index for index, one in enumerate(graph.operands) if one.lifetime in CONSTANTS]
    _, index = some(draw, constants)
    omitted = replace(graph.operands[index], lifetime=int(OperandLifeTime.NO_VALUE), location=DataLocation())
    return with_operand(model, number, index, omitted)


def _swap_operations(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    number, graph = pick_graph(draw, model)
    first, one = some(draw, graph.operations)
    second, other = some(draw, graph.operations)
    operations = changed(changed(graph.operations, first, other), second, one)
    return with_graph(model, number, replace(graph, operations=operations))


def _drop_operation(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    number, graph = pick_graph(draw, model)
    index, _ = some(draw, graph.operations)
    rest = (*graph.operations[:index], *graph.operations[index + 1 :])
    return with_graph(model, number, replace(graph, operations=rest))


def _swap_subgraphs(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """A referenced subgraph changes places with another or with the main one, comes twice, or goes."""
    index, graph = some(draw, model.referenced)
    kind = draw.randrange(4)
    if kind == 0:
        return replace(model, main=graph, referenced=changed(model.referenced, index, model.main))
    if kind == 1:
        return replace(model, referenced=(*model.referenced, graph))
    if kind == 2:  # noqa: PLR2004 - the next of the kinds
        return replace(model, referenced=(*model.referenced[:index], *model.referenced[index + 1 :]))
    other, second = some(draw, model.referenced)
    return replace(model, referenced=changed(changed(model.referenced, index, second), other, graph))


def _whole(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """What belongs to the model as a whole: values, pools, relaxed computation, and what inputs are made from."""
    kind = draw.randrange(5)
    if kind == 0:
        return replace(model, relaxed=not model.relaxed)
    if kind == 1:
        return replace(model, operand_values=model.operand_values[: draw.randrange(len(model.operand_values) + 1)])
    if kind == 2 and model.pools:  # noqa: PLR2004 - the next of the kinds
        index, content = some(draw, model.pools)
        return replace(model, pools=changed(model.pools, index, content[: draw.randrange(len(content) + 1)]))
    return replace(model, seed=draw.getrandbits(31))


STEPS: Final[tuple[tuple[int, Step], ...]] = (
    (10, _parameter),
    (4, _dimension),
    (4, _dimension_everywhere),
    (2, _open_dimension),
    (3, resize_constant),
    (2, _type),
    (2, _type_everywhere),
    (2, _scale),
    (2, _zero_point),
    (2, _lifetime),
    (2, _location),
    (2, _channels),
    (3, _operation_type),
    (4, _operand_list),
    (1, _listed),
    (2, _omit),
    (1, _swap_operations),
    (1, _drop_operation),
    (1, _swap_subgraphs),
    (2, insert_copy),
    (3, lengthen),
    (1, _whole),
)
"""Changes with how often each is made, compared with the others."""
_FUNCTIONS: Final = [step for _, step in STEPS]
_CUMULATED: Final = [sum(weight for weight, _ in STEPS[: position + 1]) for position in range(len(STEPS))]


def mutated(data: bytes, max_size: int, seed: int) -> bytes | None:
    """A few changes of a model; see :data:`nnvet.fuzz.harness.Mutator`."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    model = decoded(data)
    if model is None or draw.random() < _RAW:
        return None
    for _ in range(draw.choice(_STEPS)):
        model = _stepped(draw, model)
    return _fitting(model, max_size)


def crossed(first: bytes, second: bytes, max_size: int, seed: int) -> bytes | None:
    """One model with parts of another; see :data:`nnvet.fuzz.harness.Crossover`."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    one, other = decoded(first), decoded(second)
    if one is None or other is None:
        return None
    try:
        return _fitting(draw.choice((joined, grafted, grafted))(draw, one, other), max_size)
    except NotApplicableError:
        return None


def _stepped(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    for step in draw.choices(_FUNCTIONS, cum_weights=_CUMULATED, k=_ATTEMPTS):
        try:
            return step(draw, model)
        except NotApplicableError:
            continue
    return model


def _fitting(model: FuzzedModel, max_size: int) -> bytes | None:
    try:
        data = encoded(model)
    except OverflowError:
        return None
    return data if len(data) <= max_size else None
