"""Coverage of random models: items that they can contain according to the declarations, and reasons for missing ones.

An *item* is a line of text about one operation: it names a combination of types, a list of operands, a value of an
attribute, or an operand that is omitted or given. Every item of every declaration is made by some signature, or has a
reason in :data:`REASONS`, which tests check. Campaigns count the items that their models contain
(:func:`numbers_and_primary`), and ``schedule.py`` gives operations with many items more models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from nnvet.graphs.model import TestModel, TestOperand, TestOperation, TestSubgraph
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.extensions import every_declaration
from nnvet.hal.operand_types import type_info, type_name
from nnvet.hal.operations.binding import assign, bind, output_formals
from nnvet.hal.operations.declaration import Argument, Formal, OperationDeclaration, Signature, TypeRow

REASONS: Final[Mapping[str, str]] = {
    "DIV types T=TENSOR_QUANT8_ASYMM_SIGNED": "valid models may have it, but every execution of one fails",
    "IF condition omitted": "an execution without a condition fails",
    **{
        f"{operation} activation = 0": "the reference computes something else than the contract says"
        for operation in ("LSTM", "BIDIRECTIONAL_SEQUENCE_LSTM", "UNIDIRECTIONAL_SEQUENCE_LSTM")
    },
    **{
        f"QUANTIZED_LSTM {clip}_clip omitted": "the reference has no result without one; 0 says the same"
        for clip in ("cell", "projection")
    },
}
"""Items that no random model contains, with the reasons."""
APART: Final[Mapping[OperationType, str]] = {
    OperationType.RANDOM_MULTINOMIAL: "its results are random: models of their own have it, judged by frequencies"
}
"""Operations that no graph of a campaign contains."""


def items(declaration: OperationDeclaration) -> Iterator[str]:
    """Yield all items of an operation."""
    for row in declaration.rows:
        yield _describe_types(declaration, row)
    for signature in declaration.signatures:
        for length in signature.lengths or (len(signature.inputs),):
            yield _describe_list(declaration, signature, length)
        for formal in signature.inputs:
            for value in _declared_values(formal):
                yield f"{declaration.name} {formal.name} = {value}"
            if formal.omissible and not formal.variadic:
                yield from (f"{declaration.name} {formal.name} {state}" for state in ("given", "omitted"))


def items_of(model: TestModel) -> Iterator[str]:
    """Return the items of all operations of a model, including those of its subgraphs."""
    for subgraph in model.subgraphs:
        for operation in subgraph.operations:
            known = numbered_items(operation.type)
            yield from (known[number] for number in numbers_of(subgraph, operation))


@cache
def numbered_items(operation: int) -> tuple[str, ...]:
    """Return the items of an operation, each once; an operation without declaration has none."""
    return tuple(dict.fromkeys(items(every_declaration()[operation]))) if operation in every_declaration() else ()


def numbers_of(graph: TestSubgraph, operation: TestOperation) -> list[int]:
    """Return the indexes, in :func:`numbered_items`, of the items of one operation."""
    return numbers_and_primary(graph, operation)[0]


def numbers_and_primary(graph: TestSubgraph, operation: TestOperation) -> tuple[list[int], TestOperand | None]:
    """Return the results of :func:`numbers_of` and :func:`primary_tensor`; faster than a call of each."""
    if operation.type not in every_declaration():
        return [], _select_primary(graph, operation, None)
    form = _find_type_items(graph, operation)
    numbers = list(form.fixed)
    for position, places in form.by_value:
        value = graph.operands[operation.inputs[position]].value
        if value is not None:
            numbers.append(places[value.item()])
    return numbers, _select_primary(graph, operation, form.primary)


def primary_tensor(graph: TestSubgraph, operation: TestOperation) -> TestOperand | None:
    """Return the tensor whose type and rank count for the operation; None if it has no tensors.

    It is the first tensor of the first type in the declaration's rows, by which random models are chosen; if there is
    none, the first tensor. For IF and WHILE it is the last output.
    """
    known = operation.type in every_declaration()
    return _select_primary(graph, operation, _find_type_items(graph, operation).primary if known else None)


def _select_primary(graph: TestSubgraph, operation: TestOperation, place: int | None) -> TestOperand | None:
    """Return the primary tensor; ``place`` is its declared position among inputs and outputs, or None."""
    if operation.type in (OperationType.IF, OperationType.WHILE):
        return graph.operands[operation.outputs[-1]]
    indexes = (*operation.inputs, *operation.outputs)
    if place is not None:
        return graph.operands[indexes[place]]
    return next(
        (operand for operand in map(graph.operands.__getitem__, indexes) if type_info(operand.type).is_tensor), None
    )


class _TypeItems(NamedTuple):
    """Numbers of the items of all operations with the same types of operands.

    ``fixed`` are the numbers that these types decide. ``by_value`` has the positions of inputs that are attributes,
    each with the item's number for each value. ``primary`` is the position, among inputs and outputs, of the first
    operand of the row's first type, or None.
    """

    fixed: tuple[int, ...]
    by_value: tuple[tuple[int, Mapping[int, int]], ...]
    primary: int | None


def _find_type_items(graph: TestSubgraph, operation: TestOperation) -> _TypeItems:
    operands = graph.operands
    inputs = [operands[index] for index in operation.inputs]
    given = tuple([(operand.type, operand.is_omitted) for operand in inputs])
    return _compute_type_items(operation.type, given, tuple([operands[index].type for index in operation.outputs]))


@cache
def _compute_type_items(operation: int, given: tuple[tuple[int, bool], ...], outputs: tuple[int, ...]) -> _TypeItems:
    """Return the items of an operation by the types of its operands; ``given`` also says which inputs are omitted."""
    inputs = [Argument(kind, omitted=omitted) for kind, omitted in given]
    call = bind(every_declaration()[operation], inputs, [Argument(kind) for kind in outputs])
    name, signature = call.declaration.name, call.signature
    places = {item: number for number, item in enumerate(numbered_items(operation))}
    fixed = [
        _describe_types(call.declaration, call.row),
        _describe_list(call.declaration, signature, len(inputs) if signature.lengths else len(signature.inputs)),
    ]
    by_value = []
    assigned = assign(signature, inputs)
    for position, (formal, argument) in enumerate(assigned):
        if formal.omissible and not formal.variadic:
            fixed.append(f"{name} {formal.name} {'omitted' if argument.omitted else 'given'}")
        if values := _declared_values(formal):
            by_value.append((position, {value: places[f"{name} {formal.name} = {value}"] for value in values}))
    first = next(iter(call.row.types), None)
    formals = [*(formal for formal, _ in assigned), *output_formals(call.declaration, len(outputs))]
    primary = next((place for place, formal in enumerate(formals) if formal.type == first), None)
    return _TypeItems(tuple(places[item] for item in fixed), tuple(by_value), primary)


def _describe_types(declaration: OperationDeclaration, row: TypeRow) -> str:
    """Return the item of a combination of types."""
    together = ", ".join(f"{variable}={type_name(kind)}" for variable, kind in row.types.items())
    return f"{declaration.name} types {together or 'fixed'}"


def _describe_list(declaration: OperationDeclaration, signature: Signature, length: int) -> str:
    """Return the item of a list of ``length`` operands."""
    return f"{declaration.name} operands {signature.name} ({length})"


def _declared_values(formal: Formal) -> tuple[int, ...]:
    """Return the declared values of an attribute; () if it may have any value."""
    return (0, 1) if formal.type == OperandType.BOOL else tuple(map(int, formal.values))
