"""The contract for the mutator: operations that take the same operands, numbers that matter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Formal, OperationDeclaration, TypeRow
from nnvet.hal.types import Operand, Operation

Types = tuple[tuple[int, ...], tuple[int, ...]]
"""Types of inputs and of outputs."""
_LARGEST_ENUM: Final = 16


@cache
def _by_types() -> Mapping[Types, tuple[int, ...]]:
    found: dict[Types, set[int]] = defaultdict(set)
    for code, declaration in declarations().items():
        for types in _signatures(declaration):
            found[types].add(code)
    return {types: tuple(sorted(codes)) for types, codes in found.items()}


def _signatures(declaration: OperationDeclaration) -> Iterator[Types]:
    """All lists of types that an operation takes, but those of any length."""
    for row in declaration.rows:
        results = _resolved(declaration.outputs, row)
        for signature in declaration.signatures:
            if any(formal.variadic for formal in signature.inputs):
                continue
            types = _resolved(signature.inputs, row)
            for length in signature.lengths or (len(types),):
                yield types[:length], results


def _resolved(formals: tuple[Formal, ...], row: TypeRow) -> tuple[int, ...]:
    types = (row.types.get(formal.type, -1) if isinstance(formal.type, str) else formal.type for formal in formals)
    return tuple(int(code) for code in types)


def relatives(operation: Operation, operands: tuple[Operand, ...]) -> tuple[int, ...]:
    """The codes of operations that take operands of the same types, the operation itself among them."""
    known = len(operands)
    if any(not 0 <= index < known for index in (*operation.inputs, *operation.outputs)):
        return ()
    inputs, outputs = (tuple(operands[index].type for index in side) for side in (operation.inputs, operation.outputs))
    return _by_types().get((inputs, outputs), ())


@cache
def enumerated_values() -> tuple[int, ...]:
    """All legal values of enumerated attributes, and those beside them."""
    legal = {
        value
        for declaration in declarations().values()
        for signature in declaration.signatures
        for formal in signature.inputs
        for value in formal.values
        if value < _LARGEST_ENUM
    }
    return tuple(sorted({near for value in legal for near in (value - 1, value, value + 1)}))
