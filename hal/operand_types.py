"""Table of operand types: element size, quantisation, first level.

Validation, operation declarations, generators and docs read it. Types of extensions are not in the table: an
:class:`ExtensionType` carries the same facts itself, and :func:`type_info` finds both. The module also has functions on
partly known dimensions, in which () and 0 mean unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Final, NamedTuple, Self

import numpy as np

from nnvet.hal.enums import BASE_MAX, EXTENSION_TYPE_LOW_BITS_TYPE, FeatureLevel, OperandType

EXTENSION_NAME = re.compile(r"[a-z0-9_.]*\.[a-z0-9_.]*")
"""Pattern of the whole name of an extension (docs/contract/hal.md 3)."""


class ExtensionCode(int):
    """The code of an operand type or operation of an extension: an integer that has a name as well.

    ``extension`` is the extension's name, and ``name`` is ``EXTENSION::NAME`` of the type or operation.
    The high bits are the prefix of the declaration; a model chooses its own (:func:`nnvet.hal.extensions.resolved`).
    """

    extension: str
    name: str

    def __new__(cls, extension: str, prefix: int, number: int, name: str) -> Self:
        """Return the code with the low bits ``number`` of an extension that calls it ``name``."""
        code = super().__new__(cls, prefix << EXTENSION_TYPE_LOW_BITS_TYPE | number)
        code.extension, code.name = extension, f"{extension}::{name}"
        return code

    @property
    def prefix(self) -> int:
        """High 16 bits of the code: the number that the model gives the extension."""
        return self >> EXTENSION_TYPE_LOW_BITS_TYPE

    @property
    def number(self) -> int:
        """Low bits of the code: the number within the extension."""
        return self & BASE_MAX

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments from which a copy is made."""
        return (self.extension, self.prefix, self.number, self.name.partition("::")[2]), {}


class ExtensionType(ExtensionCode):
    """An operand type of an extension, with the facts about it.

    ``steps`` is the type to which a driver may round each step of a calculation, and in which it may form sums; by
    default float32, or the type itself if that is wider. ``flushes``: a driver may take subnormal numbers as zero.
    """

    info: OperandTypeInfo
    steps: str
    flushes: bool

    def __new__(
        cls,
        extension: str,
        prefix: int,
        number: int,
        name: str,
        *,
        dtype: str,
        is_tensor: bool,
        steps: str = "",
        flushes: bool = True,
    ) -> Self:
        """Return a type whose elements are of the type ``dtype`` of NumPy or ml_dtypes (little endian).

        :raises TypeError: there is no such type.
        """
        code = super().__new__(cls, extension, prefix, number, name)
        opaque = OperandType.TENSOR_OEM_BYTE if is_tensor else OperandType.OEM
        size = _element(dtype).itemsize
        code.info = OperandTypeInfo(opaque, FeatureLevel.FL3, is_tensor, size, dtype)
        wide = "float32" if size < np.dtype(np.float32).itemsize else dtype
        code.steps, code.flushes = _element(steps or wide).name, flushes
        return code

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments from which a copy is made."""
        facts = {"dtype": self.info.dtype, "is_tensor": self.info.is_tensor}
        return super().__getnewargs_ex__()[0], {**facts, "steps": self.steps, "flushes": self.flushes}


def _element(dtype: str) -> np.dtype[Any]:
    """Return the type of elements by name: one of NumPy, or one that ml_dtypes adds to NumPy, such as bfloat16."""
    try:
        return np.dtype(dtype)
    except TypeError:
        import_module("ml_dtypes")
        return np.dtype(dtype)


def is_float_array(array: np.ndarray[Any, Any]) -> bool:
    """Return True if elements are floating-point numbers of NumPy or ml_dtypes, which may have another kind."""
    return "float" in array.dtype.name


class FloatFormat(NamedTuple):
    """``bits``: significant bits of normal numbers, of which ``smallest`` and ``largest`` are the ends.

    Without ``has_infinity`` (float8_e4m3fn) a larger number becomes NaN, or the largest one.
    """

    bits: int
    smallest: float
    largest: float
    has_infinity: bool


@cache
def float_format(dtype: str) -> FloatFormat:
    """Return the format of a floating-point type of NumPy or ml_dtypes."""
    source: Any = np if np.issubdtype(np.dtype(dtype), np.floating) else import_module("ml_dtypes")
    found = source.finfo(np.dtype(dtype))
    with np.errstate(over="ignore"):
        has_infinity = bool(np.isinf(np.array(np.inf).astype(dtype)))
    return FloatFormat(int(found.nmant) + 1, float(found.smallest_normal), float(found.max), has_infinity)


@dataclass(frozen=True, slots=True)
class OperandTypeInfo:
    """Facts about an operand type; ``type`` is the OEM type of bytes if it belongs to an extension.

    ``dtype`` is the element's NumPy name (little endian), ``scale`` the rule for the scale (``zero``, ``positive``,
    ``not_negative`` or ``any``), ``zero_point`` the legal range, both ends included. Two facts that follow from the
    others are stored because they are needed everywhere: ``is_quantized`` says whether an element stands for (q -
    zero_point) * scale, ``is_float`` whether elements are floating-point numbers.
    """

    type: OperandType
    level: int
    is_tensor: bool
    size: int
    dtype: str
    scale: str = "zero"
    zero_point: tuple[int, int] = (0, 0)
    is_quantized: bool = field(init=False)
    is_float: bool = field(init=False)

    def __post_init__(self) -> None:
        """Store the facts that follow from the other fields."""
        has_scale = self.scale == "positive" or self.type is OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL
        object.__setattr__(self, "is_quantized", has_scale)
        object.__setattr__(self, "is_float", self.dtype.startswith(("float", "bfloat")))


_T = OperandType
OPERAND_TYPES: dict[int, OperandTypeInfo] = {
    info.type: info
    for info in (
        OperandTypeInfo(_T.FLOAT32, 1, False, 4, "float32"),
        OperandTypeInfo(_T.INT32, 1, False, 4, "int32"),
        OperandTypeInfo(_T.UINT32, 1, False, 4, "uint32"),
        OperandTypeInfo(_T.TENSOR_FLOAT32, 1, True, 4, "float32"),
        OperandTypeInfo(_T.TENSOR_INT32, 1, True, 4, "int32", "not_negative"),
        OperandTypeInfo(_T.TENSOR_QUANT8_ASYMM, 1, True, 1, "uint8", "positive", (0, 255)),
        OperandTypeInfo(_T.BOOL, 3, False, 1, "uint8"),
        OperandTypeInfo(_T.TENSOR_QUANT16_SYMM, 3, True, 2, "int16", "positive"),
        OperandTypeInfo(_T.TENSOR_FLOAT16, 3, True, 2, "float16"),
        OperandTypeInfo(_T.TENSOR_BOOL8, 3, True, 1, "uint8"),
        OperandTypeInfo(_T.FLOAT16, 3, False, 2, "float16"),
        OperandTypeInfo(_T.TENSOR_QUANT8_SYMM_PER_CHANNEL, 3, True, 1, "int8"),
        OperandTypeInfo(_T.TENSOR_QUANT16_ASYMM, 3, True, 2, "uint16", "positive", (0, 65535)),
        OperandTypeInfo(_T.TENSOR_QUANT8_SYMM, 3, True, 1, "int8", "positive"),
        OperandTypeInfo(_T.TENSOR_QUANT8_ASYMM_SIGNED, 4, True, 1, "int8", "positive", (-128, 127)),
        OperandTypeInfo(_T.SUBGRAPH, 4, False, 0, "uint8"),
        OperandTypeInfo(_T.OEM, 1, False, 0, "uint8", "any"),
        OperandTypeInfo(_T.TENSOR_OEM_BYTE, 1, True, 1, "uint8", "any"),
    )
}
"""Facts about every type of the contract, by code (docs/contract/hal.md 3)."""
QUANT8_ASYMM: Final = (_T.TENSOR_QUANT8_ASYMM, _T.TENSOR_QUANT8_ASYMM_SIGNED)
"""Types of 8-bit codes with one scale and zero point for the whole tensor."""
_UNDECLARED = OperandTypeInfo(_T.TENSOR_OEM_BYTE, FeatureLevel.FL3, True, 1, "uint8", "zero")
"""Facts that stand for a type of an extension without a declaration: a tensor of plain bytes."""


def is_extension(code: int) -> bool:
    """Return True if an operand or operation code belongs to a vendor extension."""
    return code > BASE_MAX


def is_tensor(code: int) -> bool:
    """Return True if operands of a type, known or of an extension, can have dimensions."""
    return is_extension(code) or OPERAND_TYPES[code].is_tensor


def type_info(code: int) -> OperandTypeInfo:
    """Return the facts of an operand type; types of an undeclared extension count as plain bytes.

    :raises KeyError: there is no such type.
    """
    info = OPERAND_TYPES.get(code)
    if info is not None:
        return info
    if isinstance(code, ExtensionType):
        return code.info
    return _UNDECLARED if is_extension(code) else OPERAND_TYPES[code]


def type_name(code: int) -> str:
    """Return the HAL's or an extension's name of an operand type, or its number if it is unknown."""
    if isinstance(code, ExtensionCode):
        return code.name
    return OPERAND_TYPES[code].type.name if code in OPERAND_TYPES else f"type {code:#x}"


def combine(known: Sequence[int], given: Sequence[int]) -> tuple[int, ...] | None:
    """Merge dimensions from two partly known sources; return None if they contradict each other."""
    if not known or not given:
        return tuple(known or given)
    if len(known) != len(given) or any(a != b and 0 not in (a, b) for a, b in zip(known, given, strict=True)):
        return None
    return tuple(a or b for a, b in zip(known, given, strict=True))


def fully_known(dimensions: Sequence[int]) -> bool:
    """Return True if the rank and every dimension of a tensor are known."""
    return bool(dimensions) and 0 not in dimensions
