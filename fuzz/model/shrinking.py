"""Smaller forms of a model, valid or not: what is tried when a finding is to be made small."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from nnvet.fuzz.model.form import FuzzedModel, decode_model, encode_model
from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.types import Operand, Operation, Subgraph

_COMPUTED: Final = (OperandLifeTime.TEMPORARY_VARIABLE, OperandLifeTime.SUBGRAPH_OUTPUT)


def smaller(data: bytes) -> Iterator[bytes]:
    """Models with an operation, an unused operand, or what is beside the main subgraph left out; none of no model."""
    model = decode_model(data)
    if model is None:
        return
    for plainer in _plainer(model):
        yield encode_model(plainer)
    for position in reversed(range(len(model.main.operations))):
        yield encode_model(replace(model, main=_without_operation(model.main, position)))
    used = _used(model.main)
    for index in reversed(range(len(model.main.operands))):
        if index not in used:
            yield encode_model(replace(model, main=_without_operand(model.main, index)))


def _plainer(model: FuzzedModel) -> Iterator[FuzzedModel]:
    if model.referenced:
        yield replace(model, referenced=model.referenced[:-1])
    if model.pools:
        yield replace(model, pools=model.pools[:-1])
    if model.operand_values:
        yield replace(model, operand_values=model.operand_values[: len(model.operand_values) // 2])


def _without_operation(graph: Subgraph, position: int) -> Subgraph:
    """Leave out an operation: its result becomes an input if another one reads it, and is no output any more."""
    rest = (*graph.operations[:position], *graph.operations[position + 1 :])
    read = {index for operation in rest for index in operation.inputs}
    gone = [output for output in graph.operations[position].outputs if 0 <= output < len(graph.operands)]
    orphans = [index for index in gone if graph.operands[index].lifetime in _COMPUTED]
    as_input = int(OperandLifeTime.SUBGRAPH_INPUT)
    operands = tuple(
        replace(operand, lifetime=as_input) if index in orphans else operand
        for index, operand in enumerate(graph.operands)
    )
    kept = Subgraph(
        operands,
        rest,
        (*graph.input_indexes, *orphans),
        tuple(index for index in graph.output_indexes if index not in orphans),
    )
    for index in sorted(orphans, reverse=True):
        kept = kept if index in read else _without_operand(kept, index)
    return kept


def _used(graph: Subgraph) -> set[int]:
    return {index for operation in graph.operations for index in (*operation.inputs, *operation.outputs)}


def _without_operand(graph: Subgraph, index: int) -> Subgraph:
    operands: tuple[Operand, ...] = (*graph.operands[:index], *graph.operands[index + 1 :])

    def moved(indexes: Sequence[int]) -> tuple[int, ...]:
        return tuple(place - (place > index) for place in indexes)

    return Subgraph(
        operands,
        tuple(
            Operation(operation.type, moved(operation.inputs), moved(operation.outputs))
            for operation in graph.operations
        ),
        moved([input_index for input_index in graph.input_indexes if input_index != index]),
        moved([output_index for output_index in graph.output_indexes if output_index != index]),
    )
