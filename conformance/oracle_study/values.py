"""Values and sizes of the study's models: each set shows errors that the others hide.

Source of the sets: docs/contract/accuracy.md 3. Of even values an error in the sums is lost among honest roundings, of
large ones a small constant that is added, and of numbers with 24 bits hashes in relaxed models are not decided.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.conformance.oracle_study.arithmetic import Array
from nnvet.generators.graphs.model import TestModel, TestOperand
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info

_SMALL: Final = SizeLimits(8, 400)
_WIDE: Final = SizeLimits(60, 4000)
_SHORT: Final = SizeLimits(3, 400)
_SMALLER: Final = 2.0**-6
_ONE_OF: Final = 4
_KEPT: Final = frozenset(
    (
        *(O.AXIS_ALIGNED_BBOX_TRANSFORM, O.BOX_WITH_NMS_LIMIT, O.DETECTION_POSTPROCESSING, O.GENERATE_PROPOSALS),
        O.HEATMAP_MAX_KEYPOINT,
    )
)
"""Operations whose numbers are boxes."""
_FIRST: Final = frozenset((O.ROI_ALIGN, O.ROI_POOLING))
"""Operations whose first input alone is none."""
_SPARSE: Final = frozenset(
    (
        *(O.AVERAGE_POOL_2D, O.BATCH_MATMUL, O.CONV_2D, O.DEPTHWISE_CONV_2D, O.FULLY_CONNECTED, O.GROUPED_CONV_2D),
        *(O.TRANSPOSE_CONV_2D, O.MEAN, O.REDUCE_SUM, O.RNN, O.SVDF, O.BIDIRECTIONAL_SEQUENCE_RNN),
        *(O.UNIDIRECTIONAL_SEQUENCE_RNN, O.LSTM, O.BIDIRECTIONAL_SEQUENCE_LSTM, O.UNIDIRECTIONAL_SEQUENCE_LSTM),
    )
)
"""Sums, whose terms may be zero."""
_ONES: Final = frozenset((O.REDUCE_PROD,))
"""Products, most of whose factors may be one."""
_SCALED: Final = frozenset((O.INSTANCE_NORMALIZATION,))
"""Operations whose results are as large as their scalars."""


@dataclass(frozen=True)
class ValueSet:
    """Sizes, and what becomes of floats; ``sparse``: three of four numbers of sums are zero, of products one.

    ``revealing``: scales of codes are those of :func:`nnvet.conformance.oracle_study.models.revealing`.
    """

    limits: SizeLimits
    of: Callable[[Array], Array] | None = None
    sparse: bool = False
    revealing: bool = False


def _small(values: Array) -> Array:
    return values * _SMALLER


def _any(values: Array) -> Array:
    return values


SETS: Final = (
    ValueSet(_SMALL),
    ValueSet(_WIDE, np.abs, revealing=True),
    ValueSet(_SMALL, _small, sparse=True),
    ValueSet(_SHORT, _any),
    ValueSet(_WIDE, revealing=True),
)
"""In turn: even ones; of one sign, so that what is cut off adds up; small ones and zeros; even ones in small tensors,
where little is summed; and in large ones, where errors on average show. Large tensors of codes have revealing scales.

Those of relaxed models are numbers of float16 where there is a function: such models may not lose any of them.
"""


def with_values(test: TestModel, chosen: ValueSet) -> TestModel:
    """A model of one operation whose tensors of floats have the values of a set."""
    (operation,) = test.main.operations
    of = chosen.of
    if of is None or operation.type in _KEPT:
        return test
    first = operation.inputs[0]
    neutral = None
    if chosen.sparse and operation.type in _SPARSE | _ONES:
        neutral, of = (1.0, _any) if operation.type in _ONES else (0.0, of)
    are_changed = [
        (index == first or operation.type not in _FIRST)
        and (type_info(operand.type).is_tensor or operation.type in _SCALED)
        for index, operand in enumerate(test.main.operands)
    ]
    operands = [
        _changed(operand, of, neutral=neutral, relaxed=test.is_relaxed, seed=index) if is_changed else operand
        for index, (operand, is_changed) in enumerate(zip(test.main.operands, are_changed, strict=True))
    ]
    return replace(test, main=replace(test.main, operands=tuple(operands)))


def _changed(
    operand: TestOperand, of: Callable[[Array], Array], *, neutral: float | None, relaxed: bool, seed: int
) -> TestOperand:
    """With other values, three of four of them ``neutral`` unless that is None; what is no float stays."""
    if operand.data is None or not operand.data.size or not type_info(operand.type).is_float:
        return operand
    values = of(operand.data.astype(np.float64))
    if neutral is not None:
        values = np.where(np.random.default_rng(seed).integers(_ONE_OF, size=values.shape) == 0, values, neutral)
    return replace(
        operand, data=values.astype(np.float16 if relaxed else operand.data.dtype).astype(operand.data.dtype)
    )
