"""CTS's criteria for the outputs of a random graph: for each element, and for all of them together.

:func:`criteria_of` returns the criteria of a test of one operation, and :func:`compare_output` applies criteria to an
output. Generated tests have other rules (:mod:`nnvet.oracle.comparison`). Source: docs/contract/random-graphs.md 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, inf
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info
from nnvet.oracle.comparison import Mismatch, Tolerance, compare

Array = npt.NDArray[Any]

_ENOUGH: Final = 10
"""Bias and mean square error need at least this many elements."""
_WRONG_TRUTHS: Final = 0.1
"""This share of truth values may be wrong, from comparisons of nearly equal numbers."""
_LARGEST: Final = {"float32": 1e3, "float16": 1e2}
"""Largest magnitude of an expected value that is compared."""


_ROUNDING: Final = {"float32": 1e-4, "float16": 1e-1}
"""The distance of values that many operations have rounded; relative for values above 1."""


@dataclass(frozen=True, slots=True)
class CriteriaLimits:
    """Limits for a type. For the means, differences of floats are relative to expected values above 1."""

    bias: float
    mean_square: float
    absolute: float
    relative: float = 0.0


_INTEGERS: Final = CriteriaLimits(inf, inf, 1.0)
_NO_ERROR: Final = CriteriaLimits(inf, inf, 0.0)


@dataclass(frozen=True, slots=True)
class Criteria:
    """Limits for all types."""

    name: str
    float32: CriteriaLimits
    float16: CriteriaLimits
    quantised: CriteriaLimits
    integers: CriteriaLimits = _INTEGERS

    def of(self, kind: int) -> CriteriaLimits:
        """Return the limits of an operand type."""
        info = type_info(kind)
        if info.is_float:
            return self.float32 if info.dtype == "float32" else self.float16
        return self.quantised if info.is_quantized else self.integers

    @property
    def relaxed(self) -> Criteria:
        """The criteria for a model whose float32 may be computed as float16."""
        return replace(self, name=f"{self.name}, relaxed", float32=self.float16)


def _criteria(
    name: str, float32: tuple[float, ...], float16: tuple[float, ...], quantised: tuple[float, ...]
) -> Criteria:
    return Criteria(name, CriteriaLimits(*float32), CriteriaLimits(*float16), CriteriaLimits(*quantised))


STRICT: Final = _criteria("strict", (1e-7, 1e-10, 1e-6, 1e-6), (1e-4, 1e-8, 1e-3, 1e-3), (0.1, 0.1, 1))
MEDIUM: Final = _criteria("medium", (1e-6, 1e-8, 1e-5, 1e-5), (1e-3, 1e-5, 1e-2, 1e-2), (1.2, 1.2, 2))
RELAXED: Final = _criteria("relaxed", (3e-5, 1e-6, 1e-3, 1e-3), (5e-3, 1e-3, 1.0, 1.0), (1.5, 1.5, 10))
CONVOLUTION: Final = _criteria("convolution", (4e-4, 1e-5, 2e-2, 2e-2), (5e-2, 1e-2, 1.0, 1.0), (1.5, 1.5, 10))
SMALL_GRAPH: Final = _criteria("small graph", (4e-4, 1e-5, 1e-2, 1e-2), (5e-2, 1e-2, 1.0, 1.0), (2, 2, 12))
LARGE_GRAPH: Final = _criteria("large graph", (1e-2, 1e-4, 1e-1, 1e-1), (1e-1, 5e-2, 1.0, 1.0), (2, 2, 12))

_SETS: Final = {
    STRICT: """
        ARGMAX ARGMIN BATCH_TO_SPACE_ND CHANNEL_SHUFFLE DEPTH_TO_SPACE EMBEDDING_LOOKUP EQUAL EXPAND_DIMS FILL GATHER
        GREATER GREATER_EQUAL HASHTABLE_LOOKUP LESS LESS_EQUAL LOGICAL_AND LOGICAL_NOT LOGICAL_OR NOT_EQUAL PAD PAD_V2
        RANK RESHAPE SELECT SLICE SPACE_TO_BATCH_ND SPACE_TO_DEPTH SQUEEZE STRIDED_SLICE TILE TOPK_V2 TRANSPOSE
    """,
    MEDIUM: """
        ABS ADD CAST CONCATENATION DEQUANTIZE ELU FLOOR HARD_SWISH MAXIMUM MINIMUM MUL NEG PRELU QUANTIZE RELU RELU1
        RELU6 SPLIT SUB
    """,
    RELAXED: """
        AVERAGE_POOL_2D DIV EXP FULLY_CONNECTED HEATMAP_MAX_KEYPOINT INSTANCE_NORMALIZATION L2_NORMALIZATION L2_POOL_2D
        LOCAL_RESPONSE_NORMALIZATION LOG LOGISTIC LOG_SOFTMAX MAX_POOL_2D MEAN POW REDUCE_ALL REDUCE_ANY REDUCE_MAX
        REDUCE_MIN REDUCE_PROD REDUCE_SUM RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR ROI_ALIGN ROI_POOLING RSQRT SIN
        SOFTMAX SQRT TANH
    """,
    CONVOLUTION: "CONV_2D DEPTHWISE_CONV_2D GROUPED_CONV_2D TRANSPOSE_CONV_2D",
}
CRITERIA: Final[Mapping[str, Criteria]] = {
    # Only the version of DIV for HAL 1.3 has integers.
    **{name: criteria for criteria, names in _SETS.items() for name in names.split()},
    "DIV_V1_3": MEDIUM,
}

EXACT: Final = replace(STRICT, name="exact", integers=_NO_ERROR)
"""The strict criteria without any error of integers, for operations that find indices, classes and hashes."""
_FURTHER_SETS: Final = {
    # These move elements, or decide by a hash or between boxes that lie apart: right or wrong.
    EXACT: "BOX_WITH_NMS_LIMIT LSH_PROJECTION MIRROR_PAD PACK REVERSE",
    # Boxes go through an exponential, like EXP; cells sum a few products, like FULLY_CONNECTED, and bend them, like
    # LOGISTIC and TANH; a matrix product is FULLY_CONNECTED without bias.
    replace(RELAXED, integers=_NO_ERROR): """
        AXIS_ALIGNED_BBOX_TRANSFORM BATCH_MATMUL BIDIRECTIONAL_SEQUENCE_LSTM BIDIRECTIONAL_SEQUENCE_RNN
        DETECTION_POSTPROCESSING GENERATE_PROPOSALS LSTM QUANTIZED_16BIT_LSTM QUANTIZED_LSTM RNN SVDF
        UNIDIRECTIONAL_SEQUENCE_LSTM UNIDIRECTIONAL_SEQUENCE_RNN
    """,
    # Subgraphs of control flow are small graphs.
    replace(SMALL_GRAPH, integers=_NO_ERROR): "IF WHILE",
    # Judged by frequencies, where possible.
    LARGE_GRAPH: "RANDOM_MULTINOMIAL",
}
FURTHER_CRITERIA: Final[Mapping[str, Criteria]] = {
    name: criteria for criteria, names in _FURTHER_SETS.items() for name in names.split()
}
"""Criteria of operations that no test of CTS covers, by analogy."""


def criteria_of(test: str) -> Criteria:
    """Return the criteria of a test of one operation, such as ``ADD_V1_0``.

    Operations of extensions have relaxed criteria, like those that go through an exponential.
    """
    operation = test.rpartition("_V")[0].removesuffix("_AIDL")
    return CRITERIA.get(test) or CRITERIA.get(operation) or FURTHER_CRITERIA.get(operation, RELAXED)


@dataclass(frozen=True, slots=True)
class Drift:
    """A fault of all elements together: too far in one direction, or too much on average."""

    measure: str
    actual: float
    allowed: float
    source: str

    def __str__(self) -> str:
        """Return one sentence."""
        return f"{self.measure} {self.actual:.3g}, allowed {self.allowed:.3g} ({self.source})"


def compare_output(actual: Array, expected: Array, kind: OperandType, criteria: Criteria) -> Mismatch | Drift | None:
    """Return the fault of one output, whose arrays have the same shape; None if there is none.

    Infinite and very large expected values are not compared: a driver may make them larger, or infinite.
    """
    if kind == OperandType.TENSOR_BOOL8:
        wrong = compare(actual, expected, Tolerance(0.0, 0.0, "truth values: one in ten may differ", is_truth=True))
        return wrong if wrong is not None and wrong.count > ceil(_WRONG_TRUTHS * expected.size) else None
    limits = criteria.of(kind)
    dtype = type_info(kind).dtype
    compared = np.abs(expected.astype(np.float64)) <= _LARGEST.get(dtype, inf)
    source = f"random graphs, {criteria.name} criteria for {dtype}"
    mismatch = compare(
        np.where(compared, actual, expected), expected, Tolerance(limits.absolute, limits.relative, source)
    )
    return mismatch or _drift(actual[compared], expected[compared], limits, source, is_float=type_info(kind).is_float)


def near_extreme(values: Array, axis: int, limits: CriteriaLimits, *, is_largest: bool) -> Array:
    """Return a mask of elements that might be the extreme along an axis if all were computed within the limits.

    If the extreme is infinite, NaN, or too large to be compared, the mask has all elements.
    """
    wanted = values.astype(np.float64)
    extreme = (np.max if is_largest else np.min)(wanted, axis=axis, keepdims=True)
    compared = np.abs(extreme) <= _LARGEST.get(str(values.dtype), np.finfo(np.float64).max)
    with np.errstate(invalid="ignore"):
        reach = 2 * (limits.absolute + limits.relative * np.abs(extreme))
        near: Array = (np.abs(wanted - extreme) <= reach) | ~compared
    return near


def near_whole(values: Array) -> Array:
    """Return a mask of elements that may round to the other side of a whole number.

    Whole numbers are not among them: comparisons and clamps produce many, and most of a graph would be undecided.
    """
    if values.dtype.kind != "f":
        return np.zeros(values.shape, np.bool_)
    wanted = values.astype(np.float64)
    with np.errstate(invalid="ignore"):
        distance = np.abs(wanted - np.round(wanted))
        near: Array = (distance > 0) & (distance <= _ROUNDING[str(values.dtype)] * np.maximum(1.0, np.abs(wanted)))
    return near


def compare_indices(actual: Array, expected: Array, right: Array, axis: int) -> Mismatch | None:
    """Return the fault of indices along ``axis``, of which ``right`` marks the right ones; None if all are right."""
    choices = np.moveaxis(right, axis, -1)
    found = actual.reshape(choices.shape[:-1]).astype(np.int64)
    inside = (found >= 0) & (found < choices.shape[-1])
    position = np.where(inside, found, 0)[..., np.newaxis]
    wrong = ~(inside & np.take_along_axis(choices, position, axis=-1)[..., 0])
    if not wrong.any():
        return None
    place = tuple(int(coordinate) for coordinate in np.argwhere(wrong)[0])
    wanted = expected.reshape(found.shape)
    source = "random graphs: the value at the index is not the extreme, nor nearly so"
    return Mismatch(int(wrong.sum()), int(wrong.size), place, float(wanted[place]), float(found[place]), 0.0, source)


def _drift(actual: Array, expected: Array, limits: CriteriaLimits, source: str, *, is_float: bool) -> Drift | None:
    if actual.size < _ENOUGH:
        return None
    wanted = expected.astype(np.float64)
    difference = actual.astype(np.float64) - wanted
    if is_float:
        difference /= np.maximum(1.0, np.abs(wanted))
    measures = (
        ("mean difference", float(np.mean(difference)), limits.bias),
        ("mean square difference", float(np.mean(difference**2)), limits.mean_square),
    )
    return next((Drift(name, value, limit, source) for name, value, limit in measures if abs(value) > limit), None)
