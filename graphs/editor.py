"""Changed copies of models; the original stays as it is.

Test models and HAL models have the same structure, so the same functions edit both. If operands move, indexes are
adjusted, and in HAL models the numbers of consumers. Nothing else is adjusted, so the result may be invalid. Other
functions make standard variants of a test model: signed codes, outputs of unknown size, other expected results
(docs/contract/spec-format.md 11).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from msgspec.structs import replace

from nnvet.graphs.model import Array, TestModel, TestOperand, TestOperation, TestSubgraph
from nnvet.hal.types import Model, Operand, OperandLifeTime, OperandType, Operation, Subgraph

AnyModel = TypeVar("AnyModel", TestModel, Model)
"""A test model or a model of the HAL; the result of an edit has the same type."""
AnySubgraph = TypeVar("AnySubgraph", TestSubgraph, Subgraph)
"""A subgraph of either kind."""
T = TypeVar("T")


class OperandUse(NamedTuple):
    """Use of an operand by an operation: position of the operation, slot, and True for an output."""

    position: int
    slot: int
    is_output: bool


def consumers(subgraph: TestSubgraph | Subgraph) -> dict[int, int]:
    """Return the number of operation inputs that name an operand, by its index; unnamed operands are left out."""
    counts: dict[int, int] = {}
    for operation in subgraph.operations:
        for index in operation.inputs:
            counts[index] = counts.get(index, 0) + 1
    return counts


def uses(subgraph: TestSubgraph | Subgraph, index: int) -> Iterator[OperandUse]:
    """Yield all uses of an operand, inputs of each operation first."""
    operations: Iterable[TestOperation | Operation] = subgraph.operations
    for position, operation in enumerate(operations):
        for is_output, indexes in ((False, operation.inputs), (True, operation.outputs)):
            yield from (OperandUse(position, slot, is_output) for slot, named in enumerate(indexes) if named == index)


def without(items: tuple[T, ...], position: int) -> tuple[T, ...]:
    """Return a list without the element at ``position``."""
    return items[:position] + items[position + 1 :]


def with_item(items: tuple[T, ...], position: int, item: T) -> tuple[T, ...]:
    """Return a list with another element at ``position``."""
    return (*items[:position], item, *items[position + 1 :])


def with_subgraph(model: AnyModel, place: int, subgraph: TestSubgraph | Subgraph) -> AnyModel:
    """Return a copy with another main (0) or referenced subgraph."""
    if place == 0:
        return replace(model, main=subgraph)
    referenced: tuple[Any, ...] = model.referenced
    return replace(model, referenced=with_item(referenced, place - 1, subgraph))


def map_operands(model: TestModel, change: Callable[[TestOperand], TestOperand]) -> TestModel:
    """Return a copy with ``change`` applied to every operand of every subgraph."""

    def mapped(subgraph: TestSubgraph) -> TestSubgraph:
        return replace(subgraph, operands=tuple(map(change, subgraph.operands)))

    return replace(model, main=mapped(model.main), referenced=tuple(map(mapped, model.referenced)))


def with_operands(subgraph: AnySubgraph, changed: Mapping[int, TestOperand | Operand]) -> AnySubgraph:
    """Return a copy with other operands at some indexes."""
    operands = (changed.get(index, operand) for index, operand in enumerate(subgraph.operands))
    return replace(subgraph, operands=tuple(operands))


def with_operand(subgraph: AnySubgraph, index: int, operand: TestOperand | Operand) -> AnySubgraph:
    """Return a copy with another operand at ``index``."""
    operands: tuple[Any, ...] = subgraph.operands
    return replace(subgraph, operands=with_item(operands, index, operand))


def with_added(subgraph: AnySubgraph, *added: TestOperand | Operand) -> AnySubgraph:
    """Return a copy with more operands after all others, listed as inputs and outputs by their lifetimes."""
    first = len(subgraph.operands)
    larger = replace(subgraph, operands=(*subgraph.operands, *added))
    for index, operand in enumerate(added, first):
        larger = relisted(larger, index, operand.lifetime)
    return recounted(larger)


def without_operand(subgraph: AnySubgraph, index: int) -> AnySubgraph:
    """Return a copy without an operand: all mentions of it are removed, and higher indexes move down."""

    def shifted(indexes: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(other - (other > index) for other in indexes if other != index)

    operands: tuple[Any, ...] = subgraph.operands
    operations: tuple[Any, ...] = subgraph.operations
    smaller = replace(
        subgraph,
        operands=without(operands, index),
        input_indexes=shifted(subgraph.input_indexes),
        output_indexes=shifted(subgraph.output_indexes),
    )
    return with_operations(
        smaller,
        (
            replace(operation, inputs=shifted(operation.inputs), outputs=shifted(operation.outputs))
            for operation in operations
        ),
    )


def relisted(subgraph: AnySubgraph, index: int, lifetime: int) -> AnySubgraph:
    """Return a copy whose lists of inputs and outputs name the operand if its ``lifetime`` belongs there."""

    def listed(indexes: tuple[int, ...], kind: OperandLifeTime) -> tuple[int, ...]:
        return (*(other for other in indexes if other != index), *((index,) if lifetime == kind else ()))

    return replace(
        subgraph,
        input_indexes=listed(subgraph.input_indexes, OperandLifeTime.SUBGRAPH_INPUT),
        output_indexes=listed(subgraph.output_indexes, OperandLifeTime.SUBGRAPH_OUTPUT),
    )


def with_operations(subgraph: AnySubgraph, operations: Iterable[TestOperation | Operation]) -> AnySubgraph:
    """Return a copy with other operations."""
    return recounted(replace(subgraph, operations=tuple(operations)))


def with_operation(subgraph: AnySubgraph, position: int, operation: TestOperation | Operation) -> AnySubgraph:
    """Return a copy with another operation at ``position``."""
    operations: tuple[Any, ...] = subgraph.operations
    return with_operations(subgraph, with_item(operations, position, operation))


def recounted(subgraph: AnySubgraph) -> AnySubgraph:
    """Return a copy with right numbers of consumers, if the first operand has such a number."""
    if isinstance(subgraph, TestSubgraph) or not subgraph.operands or subgraph.operands[0].number_of_consumers is None:
        return subgraph
    counts = consumers(subgraph)
    operands = (
        operand if operand.number_of_consumers == count else replace(operand, number_of_consumers=count)
        for operand, count in ((operand, counts.get(index, 0)) for index, operand in enumerate(subgraph.operands))
    )
    return replace(subgraph, operands=tuple(operands))


def convert_quant8_asymm_operands_to_signed(model: TestModel) -> TestModel:
    """Return the same test over TENSOR_QUANT8_ASYMM_SIGNED: zero points and bytes of TENSOR_QUANT8_ASYMM less 128."""

    def signed(operand: TestOperand) -> TestOperand:
        if operand.type != OperandType.TENSOR_QUANT8_ASYMM:
            return operand
        data = None if operand.data is None else (operand.data.astype(np.int16) - 128).astype(np.int8)
        zero_point = operand.zero_point - 128
        return replace(operand, type=OperandType.TENSOR_QUANT8_ASYMM_SIGNED, zero_point=zero_point, data=data)

    return map_operands(model, signed)


def with_unknown_output_dimensions(model: TestModel, *, referenced: bool = False) -> TestModel:
    """Return the test with dynamic output shapes: every dimension of every output is 0, and the rank stays.

    This concerns only the main outputs, as in VTS; with ``referenced`` also those of referenced subgraphs, as in CTS.
    """

    def unknown(operand: TestOperand) -> TestOperand:
        if operand.lifetime != OperandLifeTime.SUBGRAPH_OUTPUT:
            return operand
        return replace(operand, dimensions=(0,) * len(operand.dimensions))

    everywhere = map_operands(model, unknown)
    return everywhere if referenced else replace(everywhere, referenced=model.referenced)


def with_expected_outputs(model: TestModel, results: Sequence[Array]) -> TestModel:
    """Return the test with other expected results: flat arrays of the outputs' element types, in output order."""
    main = model.main
    pairs = zip(main.output_indexes, results, strict=True)
    changed = {index: replace(main.operands[index], data=result) for index, result in pairs}
    return replace(model, main=with_operands(main, changed))
