"""Operands that fit a declaration, made from the declaration alone: what structural tests start from."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import ANY_TYPE, Argument, Formal, OperationDeclaration, Signature, TypeRow

ANYTHING = OperandType.TENSOR_FLOAT32


@dataclass(frozen=True)
class Fitting:
    """One signature at one length, with operands of the first type row that fits it."""

    declaration: OperationDeclaration
    signature: Signature
    row: TypeRow
    formals: tuple[Formal, ...]
    output_count: int

    @property
    def name(self) -> str:
        """Readable id of the call."""
        return f"{self.declaration.name}-{self.signature.name}-{len(self.formals)}".replace(" ", "_")

    def inputs(self) -> list[Argument]:
        """Fresh input operands with values of ones."""
        return [argument(formal, self.row) for formal in self.formals]

    def outputs(self) -> list[Argument]:
        """Fresh output operands of unknown dimensions."""
        formals = self.declaration.outputs
        return [
            Argument(type_of(formals[min(i, len(formals) - 1)], self.row), scale=0.5) for i in range(self.output_count)
        ]


def type_of(formal: Formal, row: TypeRow) -> OperandType:
    """The operand type of a formal in a type row."""
    if isinstance(formal.type, OperandType):
        return formal.type
    return ANYTHING if formal.type == ANY_TYPE else row.types[formal.type]


def argument(formal: Formal, row: TypeRow) -> Argument:
    """An operand of ones that fits a formal, of the lowest rank allowed."""
    info = OPERAND_TYPES[type_of(formal, row)]
    rank = max(formal.rank[0] if formal.rank else 1, 1) if info.is_tensor else 0
    value = np.ones((1,) * rank, info.dtype)
    return Argument(info.type, value.shape, 0.5 if info.scale == "positive" else 0.0, value=value)


def fittings() -> Iterator[Fitting]:
    """Every operation, signature and accepted length."""
    for declaration in declarations().values():
        outputs = (declaration.output_counts or (len(declaration.outputs),))[0]
        for signature in declaration.signatures:
            lengths = signature.lengths or (len(signature.inputs),)
            for length in lengths:
                formals = signature.inputs[:length]
                row = next((row for row in declaration.rows if _fits(row, formals, declaration)), None)
                if row is not None:
                    yield Fitting(declaration, signature, row, formals, max(outputs, 1))


def _fits(row: TypeRow, formals: tuple[Formal, ...], declaration: OperationDeclaration) -> bool:
    variables = {f.type for f in (*formals, *declaration.outputs) if isinstance(f.type, str) and f.type != ANY_TYPE}
    return variables <= set(row.types)
