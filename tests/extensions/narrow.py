"""The extension ``nnvet.narrow``: dot products of narrow floats, whose types differ in what a driver may do.

Tests name this module in ``NNVET_EXTENSIONS``; ``narrow_session.py`` judges drivers by it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from nnvet.hal.extensions import ExtensionDeclaration
from nnvet.hal.operand_types import ExtensionCode, ExtensionType
from nnvet.hal.operations.declaration import Formal, OperationDeclaration, OutputSpec, Signature, rows
from nnvet.hal.operations.shapes import tensor
from nnvet.oracle.operations.invocation import Invocation, Meaning

_NAME, _PREFIX = "nnvet.narrow", 0x6E72


def _type(number: int, name: str, dtype: str, *, steps: str = "", flushes: bool = True) -> ExtensionType:
    return ExtensionType(_NAME, _PREFIX, number, name, dtype=dtype, is_tensor=True, steps=steps, flushes=flushes)


TYPES: Final = {
    kind.name.partition("::")[2]: kind
    for kind in (
        _type(0, "ROUNDED_ONCE", "bfloat16"),
        _type(1, "ROUNDED_EACH_STEP", "bfloat16", steps="bfloat16"),
        _type(2, "E4M3", "float8_e4m3fn", flushes=False),
        _type(3, "E5M2", "float8_e5m2", flushes=False),
        _type(4, "E5M2_FLUSHED", "float8_e5m2"),
    )
}
DOT: Final = ExtensionCode(_NAME, _PREFIX, 0, "DOT")


def _dot(call: Invocation) -> object:
    return np.matmul(call.exact(0).array, call.exact(1).array)


NARROW: Final = ExtensionDeclaration(
    name=_NAME,
    operand_types=tuple(TYPES.values()),
    operations=(
        OperationDeclaration(
            type=DOT,
            summary="products of rows with a matrix",
            rows=rows(*((3, {"T": kind}) for kind in TYPES.values())),
            signatures=(
                Signature("dot", (tensor("first", "T", 2, "rows, terms"), tensor("second", "T", 2, "terms, columns"))),
            ),
            outputs=(Formal("output", "T", "rows, columns"),),
            infer=lambda call: (OutputSpec((call["first"].dimensions[0], call["second"].dimensions[1])),),
        ),
    ),
    meanings={DOT: Meaning(_dot)},
)
