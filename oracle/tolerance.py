"""The precision rules of the NNAPI for generated tests, as a table by output type."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import is_extension, type_info

_EPSILON32 = 2.0**-23
_EPSILON16 = 2.0**-10


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Accept ``|actual - expected| <= absolute + relative * |expected|``; ``source`` says why so much.

    ``is_truth``: values are compared as truth values.
    """

    absolute: float
    relative: float
    source: str
    is_truth: bool = False

    @property
    def is_exact(self) -> bool:
        """True if nothing but equal values is accepted."""
        return self.absolute == 0 and self.relative == 0

    def allowed(self, expected: float) -> float:
        """Largest accepted difference for one expected value."""
        return self.absolute + self.relative * abs(expected)


def _float32(value: float) -> float:
    # The limits are float32 constants; only the comparison is in double.
    return float(np.float32(value))


_FLOAT32 = Tolerance(_float32(1e-5), _float32(5 * _EPSILON32), "float32: absolute 1e-5, relative 5 * 2^-23")
_FLOAT16 = Tolerance(_float32(5 * _EPSILON16), _float32(5 * _EPSILON16), "float16: absolute and relative 5 * 2^-10")
_RELAXED = Tolerance(
    _FLOAT16.absolute, _FLOAT16.relative, "relaxed float32 or float16 in the model: absolute and relative 5 * 2^-10"
)
_OFF_BY_ONE = Tolerance(1.0, 0.0, "integer and quantised types: off by one")
_OFF_BY_THREE = Tolerance(3.0, 0.0, "8-bit whole-network test: off by three")
_BOOLEANS = Tolerance(0.0, 0.0, "booleans: exact", is_truth=True)
_EXACT = Tolerance(0.0, 0.0, "integers of an extension: exact")

_EIGHT_BIT = (
    OperandType.TENSOR_QUANT8_ASYMM,
    OperandType.TENSOR_QUANT8_SYMM,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED,
)
_BY_TYPE = {
    OperandType.TENSOR_FLOAT32: _FLOAT32,
    OperandType.TENSOR_FLOAT16: _FLOAT16,
    OperandType.TENSOR_INT32: _OFF_BY_ONE,
    OperandType.INT32: _OFF_BY_ONE,
    OperandType.TENSOR_QUANT16_ASYMM: _OFF_BY_ONE,
    OperandType.TENSOR_QUANT16_SYMM: _OFF_BY_ONE,
    OperandType.TENSOR_BOOL8: _BOOLEANS,
    **dict.fromkeys(_EIGHT_BIT, _OFF_BY_ONE),
}
_BY_ELEMENT = {"float16": _FLOAT16, "float32": _FLOAT32, "float64": _FLOAT32}
"""For types of extensions."""


def tolerance_for(operand_type: int, *, relaxed: bool, whole_network: bool = False) -> Tolerance | None:
    """Tolerance of an output; None for types whose comparison the NNAPI does not define.

    Floats of an extension's types are compared like the contract's own, everything else of theirs exactly.

    ``relaxed``: the model allows float16 computation or has a TENSOR_FLOAT16 operand in any subgraph.
    ``whole_network``: roundings of many layers may add up in 8-bit results.
    """
    if operand_type in _EIGHT_BIT and whole_network:
        return _OFF_BY_THREE
    if operand_type == OperandType.TENSOR_FLOAT32 and relaxed:
        return _RELAXED
    if is_extension(operand_type):
        return _BY_ELEMENT.get(type_info(operand_type).dtype, _EXACT)
    return _BY_TYPE.get(OperandType(operand_type))
