"""Mutations that make a model larger and mostly keep it valid, and the parts of the crossover, which join two models.

:mod:`nnvet.fuzz.model.mutating` chooses among them.
"""

from __future__ import annotations

import math
import random
from typing import Final

from msgspec.structs import replace

from nnvet.fuzz.extremes import DIMENSIONS
from nnvet.fuzz.model import form
from nnvet.hal.enums import CONSTANTS, OperandLifeTime
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.types import DataLocation, Operand, Operation, Subgraph

_LENGTHS: Final = (1, 2, 4, 16, 64, 300)
"""Lengths of chains; the longest one exposes algorithms whose time grows faster than the chain."""
_MOST_BYTES: Final = 4096


def resize_constant(draw: random.Random, model: form.FuzzedModel) -> form.FuzzedModel:
    """Change a dimension of a constant tensor, and give it as many bytes as it then needs, at the end of all values."""
    number, graph = form.pick_graph(draw, model)
    tensors = [
        index for index, declared in enumerate(graph.operands) if declared.lifetime in CONSTANTS and declared.dimensions
    ]
    _, index = form.pick_part(draw, tensors)
    operand = graph.operands[index]
    info = OPERAND_TYPES.get(operand.type)
    axis = draw.randrange(len(operand.dimensions))
    size = draw.choice(DIMENSIONS[1:10])
    dimensions = (*operand.dimensions[:axis], size, *operand.dimensions[axis + 1 :])
    length = math.prod(dimensions) * info.size if info is not None else 0
    if not 0 < length <= _MOST_BYTES:
        raise form.NotApplicableError
    place = operand.location
    old = model.operand_values[place.offset : place.offset + place.length]
    content = (old or b"\1") * (length // max(len(old), 1) + 1)
    begin = -(-len(model.operand_values) // 4) * 4
    values = model.operand_values.ljust(begin, b"\0") + content[:length]
    lifetime = int(OperandLifeTime.CONSTANT_COPY)
    new = replace(operand, dimensions=dimensions, lifetime=lifetime, location=DataLocation(0, begin, length))
    return form.with_operand(replace(model, operand_values=values), number, index, new)


def insert_copy(draw: random.Random, model: form.FuzzedModel) -> form.FuzzedModel:
    """Double an operation; the outputs of the copy are new outputs of the subgraph."""
    number, graph = form.pick_graph(draw, model)
    position, operation = form.pick_part(draw, graph.operations)
    known = len(graph.operands)
    if known + len(operation.outputs) > form.MOST_PARTS or any(not 0 <= output < known for output in operation.outputs):
        raise form.NotApplicableError
    new = tuple(
        replace(graph.operands[output], lifetime=int(OperandLifeTime.SUBGRAPH_OUTPUT)) for output in operation.outputs
    )
    indexes = tuple(range(known, known + len(new)))
    copied = replace(operation, outputs=indexes)
    return form.with_graph(
        model,
        number,
        Subgraph(
            graph.operands + new,
            (*graph.operations[: position + 1], copied, *graph.operations[position + 1 :]),
            graph.input_indexes,
            graph.output_indexes + indexes,
        ),
    )


def lengthen(draw: random.Random, model: form.FuzzedModel) -> form.FuzzedModel:
    """Repeat an operation on its own output, which has to be like one of its inputs, so that a chain results."""
    number, graph = form.pick_graph(draw, model)
    position, operation = form.pick_part(draw, graph.operations)
    slot = _repeatable(operation, graph)
    length = draw.choice(_LENGTHS)
    if len(graph.operands) + length > form.MOST_PARTS:
        raise form.NotApplicableError
    (end,) = operation.outputs
    between = replace(graph.operands[end], lifetime=int(OperandLifeTime.TEMPORARY_VARIABLE))
    links = range(len(graph.operands), len(graph.operands) + length)
    chain = []
    source = operation.inputs[slot]
    for target in (*links, end):
        inputs = (*operation.inputs[:slot], source, *operation.inputs[slot + 1 :])
        chain.append(Operation(operation.type, inputs, (target,)))
        source = target
    operations = (*graph.operations[:position], *chain, *graph.operations[position + 1 :])
    return form.with_graph(
        model, number, replace(graph, operands=graph.operands + (between,) * length, operations=operations)
    )


def _repeatable(operation: Operation, graph: Subgraph) -> int:
    known = len(graph.operands)
    if len(operation.outputs) != 1 or any(not 0 <= index < known for index in (*operation.inputs, *operation.outputs)):
        raise form.NotApplicableError
    end = graph.operands[operation.outputs[0]]
    for slot, index in enumerate(operation.inputs):
        if _are_alike(graph.operands[index], end):
            return slot
    raise form.NotApplicableError


def _are_alike(operand: Operand, other: Operand) -> bool:
    return (operand.type, operand.dimensions) == (other.type, other.dimensions)


def join_models(draw: random.Random, model: form.FuzzedModel, other: form.FuzzedModel) -> form.FuzzedModel:
    """Return a model with both main subgraphs side by side in one, and all referenced subgraphs."""
    del draw
    operands, subgraphs, pools = len(model.main.operands), len(model.referenced), len(model.pools)
    begin = -(-len(model.operand_values) // 4) * 4
    if operands + len(other.main.operands) > form.MOST_PARTS:
        raise form.NotApplicableError
    offset: dict[int, int] = {OperandLifeTime.CONSTANT_COPY: begin, OperandLifeTime.SUBGRAPH: subgraphs}

    def moved(graph: Subgraph, by: int) -> Subgraph:
        return Subgraph(
            tuple(_move_operand(operand, offset.get(operand.lifetime, 0), pools) for operand in graph.operands),
            tuple(
                Operation(step.type, _add_to_all(step.inputs, by), _add_to_all(step.outputs, by))
                for step in graph.operations
            ),
            _add_to_all(graph.input_indexes, by),
            _add_to_all(graph.output_indexes, by),
        )

    second = moved(other.main, operands)
    main = Subgraph(*(getattr(model.main, field) + getattr(second, field) for field in Subgraph.__struct_fields__))
    return replace(
        model,
        main=main,
        referenced=model.referenced + tuple(moved(graph, 0) for graph in other.referenced),
        operand_values=model.operand_values.ljust(begin, b"\0") + other.operand_values,
        pools=model.pools + other.pools,
    )


def _move_operand(operand: Operand, offset: int, pools: int) -> Operand:
    place = operand.location
    if operand.lifetime == OperandLifeTime.CONSTANT_REFERENCE:
        return replace(operand, location=replace(place, pool_index=place.pool_index + pools))
    return replace(operand, location=replace(place, offset=place.offset + offset)) if offset else operand


def _add_to_all(indexes: tuple[int, ...], by: int) -> tuple[int, ...]:
    return tuple(index + by for index in indexes)


def graft(draw: random.Random, model: form.FuzzedModel, other: form.FuzzedModel) -> form.FuzzedModel:
    """Replace a part of the first model by one of the other: an operand, the kind of an operation, or a value."""
    number, graph = form.pick_graph(draw, model)
    index, operand = form.pick_part(draw, graph.operands)
    _, foreign = form.pick_part(draw, other.main.operands)
    kind = draw.randrange(3)
    if kind == 0:
        return form.with_operand(
            model, number, index, replace(foreign, lifetime=operand.lifetime, location=operand.location)
        )
    if kind == 1:
        position, operation = form.pick_part(draw, graph.operations)
        _, step = form.pick_part(draw, other.main.operations)
        return form.with_operation(model, number, position, replace(operation, type=step.type))
    constants = [entry for entry in graph.operands if entry.lifetime in CONSTANTS]
    _, constant = form.pick_part(draw, constants)
    place = foreign.location
    data = other.operand_values[place.offset : place.offset + min(place.length, constant.location.length)]
    return form.write_constant(model, constant, data)
