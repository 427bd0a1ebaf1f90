"""Comparison of an output with expected values, by NNAPI's precision rules for generated tests.

:func:`tolerance_for` returns the rule of an output's type, and :func:`compare` applies it.

The rules are a table by output type. RANDOM_MULTINOMIAL is compared by class frequencies, with the softmax of the
logits. Tests without expected values are judged by error bounds instead (:mod:`nnvet.oracle.bounds.compare`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import float_format, is_extension, type_info
from nnvet.oracle.error_pictures import draw_error
from nnvet.oracle.error_shapes import describe_error

_EPSILON32 = 2.0**-23
_EPSILON16 = 2.0**-10
"""Distance between 1 and the next number of the type, in which NNAPI states its tolerances."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Limits of a comparison: ``|actual - expected| <= absolute + relative * |expected|`` is accepted.

    ``source`` says in words where the limits come from. With ``is_truth``, values are compared as truth values.
    """

    absolute: float
    relative: float
    source: str
    is_truth: bool = False

    @property
    def is_exact(self) -> bool:
        """True if only equal values are accepted."""
        return self.absolute == 0 and self.relative == 0

    def allowed(self, expected: float) -> float:
        """Return the largest accepted difference for an expected value."""
        return self.absolute + self.relative * abs(expected)


def _float32(value: float) -> float:
    # The limits are float32 constants; the comparison itself is in double precision.
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
"""Tolerances of extensions' types by element type; those of other floats follow from their significant bits."""


@cache
def _tolerance_of_element(dtype: str) -> Tolerance:
    """Return the tolerance of a float type of ml_dtypes, which is like that of float16: five times its epsilon."""
    bits = float_format(dtype).bits - 1
    limit = _float32(5 * 2.0**-bits)
    return Tolerance(limit, limit, f"{dtype}: absolute and relative 5 * 2^-{bits}")


def tolerance_for(operand_type: int, *, relaxed: bool, whole_network: bool = False) -> Tolerance | None:
    """Return the tolerance of an output; None for types whose comparison NNAPI does not define.

    Floats of an extension's types are compared like the contract's own; all other elements of extensions exactly.

    ``relaxed``: the model allows float16 computation or has a TENSOR_FLOAT16 operand in any subgraph.
    ``whole_network``: roundings of many layers may add up in 8-bit results.
    """
    if operand_type in _EIGHT_BIT and whole_network:
        return _OFF_BY_THREE
    if operand_type == OperandType.TENSOR_FLOAT32 and relaxed:
        return _RELAXED
    if is_extension(operand_type):
        info = type_info(operand_type)
        if info.is_float and info.dtype not in _BY_ELEMENT:
            return _tolerance_of_element(info.dtype)
        return _BY_ELEMENT.get(info.dtype, _EXACT)
    return _BY_TYPE.get(OperandType(operand_type))


def worst_frequency(
    samples: npt.NDArray[Any], logits: npt.NDArray[Any], tolerance: float
) -> tuple[int, int, float, float] | None:
    """Return the worst (batch, class, expected, actual) whose frequency is off by more than ``tolerance``, or None.

    ``samples`` is [batches, draws], ``logits`` [batches, classes]. A sample that is not a class has an expected
    frequency of 0.
    """
    worst: tuple[int, int, float, float] | None = None
    for batch, (row, drawn) in enumerate(zip(logits.astype(np.float64), samples, strict=True)):
        weights = np.exp(row - row.max())
        expected = dict(enumerate((weights / weights.sum()).tolist()))
        values, counts = np.unique(drawn, return_counts=True)
        actual = dict(zip(values.tolist(), (counts / max(drawn.size, 1)).tolist(), strict=True))
        for label in expected.keys() | actual.keys():
            pair = expected.get(label, 0.0), actual.get(label, 0.0)
            off = abs(pair[0] - pair[1]) > tolerance or label not in expected
            if off and (worst is None or abs(pair[0] - pair[1]) > abs(worst[2] - worst[3])):
                worst = (batch, int(label), *pair)
    return worst


Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Elements that differ by more than the tolerance, and the worst of them with its index.

    ``describe`` returns a simple description of what they have in common (:mod:`nnvet.oracle.error_shapes`), and
    ``draw`` a picture of them (:mod:`nnvet.oracle.error_pictures`). Both are functions, because they take much longer
    than the comparison, whose result is often thrown away.
    """

    count: int
    total: int
    index: tuple[int, ...]
    expected: float
    actual: float
    allowed: float
    source: str
    describe: Callable[[], str] = field(default=str, repr=False, compare=False)
    draw: Callable[[], dict[str, Any]] = field(default=dict, repr=False, compare=False)

    @property
    def looks_like(self) -> str:
        """A description of what the wrong elements have in common; empty if nothing simple fits."""
        return self.describe()

    def __str__(self) -> str:
        """Return a sentence, and a second one if the elements have something in common."""
        place = ", ".join(map(str, self.index))
        sentence = (
            f"{self.count} of {self.total} elements differ; worst at [{place}]: expected {self.expected:g}, "
            f"got {self.actual:g}, allowed difference {self.allowed:g} ({self.source})"
        )
        looks_like = self.looks_like
        return f"{sentence}; {looks_like}" if looks_like else sentence


def compare(actual: Array, expected: Array, tolerance: Tolerance) -> Mismatch | None:
    """Compare element by element in double precision; return None if all agree.

    ``actual`` and ``expected`` have the same shape. A NaN on either side is a mismatch.
    """
    found = examine(actual, expected, tolerance)
    return found if isinstance(found, Mismatch) else None


def examine(actual: Array, expected: Array, tolerance: Tolerance) -> Mismatch | float:
    """Return the mismatch of :func:`compare`; if all agree, the largest share of the tolerance that an element uses."""
    if np.array_equal(actual, expected):
        # Most outputs are equal, and this is fast; a NaN equals nothing, so it does not pass here.
        return 0.0
    if tolerance.is_truth:
        actual, expected = actual != 0, expected != 0
    got, wanted = actual.astype(np.float64), expected.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        difference = np.abs(got - wanted)
        allowed = tolerance.absolute + tolerance.relative * np.abs(wanted)
        # Written so that NaN counts as wrong. Equal infinities agree, although their difference is NaN.
        wrong = ~((difference <= allowed) & np.isfinite(wanted)) & ~(got == wanted)
        if tolerance.is_exact:
            # Doubles do not distinguish all 64-bit integers.
            wrong = actual != expected
        beyond = difference - allowed
    if not wrong.any():
        return _share(difference, allowed)
    excess = np.where(wrong, np.nan_to_num(beyond, nan=np.inf, posinf=np.inf), -np.inf)
    index = np.unravel_index(int(np.argmax(excess)), wrong.shape)
    place = tuple(int(i) for i in index)
    return Mismatch(
        int(wrong.sum()),
        int(wrong.size),
        place,
        float(wanted[index]),
        float(got[index]),
        float(allowed[index]),
        tolerance.source,
        str if tolerance.is_truth else partial(describe_error, got, wanted, allowed, wrong, expected.dtype),
        partial(draw_error, got, wanted, wrong, place),
    )


def _share(difference: Array, allowed: Array) -> float:
    """Return the largest share of the allowed difference; equal infinities have a NaN difference, and use nothing."""
    counted = (allowed > 0) & np.isfinite(difference)
    return float(np.max(difference[counted] / allowed[counted], initial=0.0))
