"""Valid examples of the families, from which others are derived by breaking one thing."""

from __future__ import annotations

from functools import cache
from typing import Final

from nnvet.generators.corpus.emitter import FAILURE, Operand, SpecExample, SpecTensor
from nnvet.generators.corpus.writing import family_files, family_names
from nnvet.hal.enums import OperandType
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Formal, OperationDeclaration, Signature

DERIVED: Final = ("ranks", "rules")
"""Families whose examples are derived from those of others."""


@cache
def valid_examples() -> tuple[tuple[str, SpecExample], ...]:
    """Return the examples of one operation that do not fail and are from no derived family, with their folders."""
    return tuple(
        (file.folder, example)
        for family in family_names()
        if family not in DERIVED
        for file in family_files(family)
        for example in file.examples
        if len(example.operations) == 1 and FAILURE not in example.calls
    )


@cache
def _by_name() -> dict[str, OperationDeclaration]:
    return {declaration.name: declaration for declaration in declarations().values()}


def places_of(example: SpecExample) -> dict[str, int]:
    """Return the place of each input by the name of its formal operand; nothing if no list of operands fits."""
    (operation,) = example.operations
    declaration = _by_name().get(operation.type)
    given = [example.operands.get(name, name) for name in operation.inputs]
    for signature in declaration.signatures if declaration is not None else ():
        if _fits(signature, given):
            return {formal.name: place for place, formal in enumerate(signature.inputs[: len(given)])}
    return {}


def _fits(signature: Signature, given: list[Operand]) -> bool:
    if any(formal.variadic for formal in signature.inputs):
        return False
    lengths = signature.lengths or (len(signature.inputs),)
    pairs = zip(signature.inputs, given, strict=False)
    return len(given) in lengths and all(_is_alike(formal, operand) for formal, operand in pairs)


def _is_alike(formal: Formal, operand: Operand) -> bool:
    """Return False if one of both is a truth value and the other is not."""
    is_flag = isinstance(operand, str) and (operand in ("True", "False") or operand.startswith("BoolScalar"))
    return isinstance(operand, SpecTensor) or is_flag == (formal.type == OperandType.BOOL)
