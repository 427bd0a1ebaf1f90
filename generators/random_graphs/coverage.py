"""What random models are made of, by the declarations; and why the rest is never made.

An item is a line of text: types that go together, a list of operands, a value of an attribute, an operand that is
omitted or given. Every item of every declaration is made by some signature, or there is a reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from nnvet.generators.graphs.model import TestModel
from nnvet.generators.reducer.evaluation import argument_of, value_of
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_name
from nnvet.hal.operations.binding import bind
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Call, Formal, OperationDeclaration, Signature, TypeRow

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
"""Items that no random model has."""


def items(declaration: OperationDeclaration) -> Iterator[str]:
    """All items of an operation."""
    for row in declaration.rows:
        yield _types(declaration, row)
    for signature in declaration.signatures:
        for length in signature.lengths or (len(signature.inputs),):
            yield _list(declaration, signature, length)
        for formal in signature.inputs:
            for value in _values(formal):
                yield f"{declaration.name} {formal.name} = {value}"
            if formal.omissible and not formal.variadic:
                yield from (f"{declaration.name} {formal.name} {state}" for state in ("given", "omitted"))


def items_of(model: TestModel) -> Iterator[str]:
    """All items that the operations of a model have, those of its subgraphs too."""
    for subgraph in model.subgraphs:
        for operation in subgraph.operations:
            inputs, outputs = (
                [argument_of(subgraph.operands[index], value_of(subgraph.operands[index])) for index in side]
                for side in (operation.inputs, operation.outputs)
            )
            yield from _items_of(bind(declarations()[operation.type], inputs, outputs), len(inputs))


def _items_of(call: Call, length: int) -> Iterator[str]:
    declaration, signature = call.declaration, call.signature
    yield _types(declaration, call.row)
    yield _list(declaration, signature, length if signature.lengths else len(signature.inputs))
    for formal in signature.inputs:
        argument = call.inputs.get(formal.name)
        if argument is None:
            continue
        if formal.omissible and not formal.variadic:
            yield f"{declaration.name} {formal.name} {'omitted' if argument.omitted else 'given'}"
        if argument.value is not None and argument.value.size and _values(formal):
            yield f"{declaration.name} {formal.name} = {argument.value.item()}"


def _types(declaration: OperationDeclaration, row: TypeRow) -> str:
    together = ", ".join(f"{variable}={type_name(kind)}" for variable, kind in row.types.items())
    return f"{declaration.name} types {together or 'fixed'}"


def _list(declaration: OperationDeclaration, signature: Signature, length: int) -> str:
    return f"{declaration.name} operands {signature.name} ({length})"


def _values(formal: Formal) -> tuple[int, ...]:
    """The values of an attribute that has few."""
    return (0, 1) if formal.type == OperandType.BOOL else tuple(map(int, formal.values))
