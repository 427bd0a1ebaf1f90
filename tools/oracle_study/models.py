"""The models of the study: random models of one operation, and small random graphs, by kind of arithmetic.

:func:`make_models` yields them for ``study.py`` and ``comparisons.py``; ``nasty.py`` changes their numbers further.

Random numbers alone hide many errors, so that the models of successive seeds take turns with the sets of sizes and
values in :data:`SETS`; each shows errors that the others hide. For example, numbers of both signs hide an error in sums
among honest roundings, and large numbers hide a small constant that is added (docs/contract/accuracy.md 3).

In models of codes, most results would lie at an end of the range, where no error of a scale shows. So some sets choose
scales with which the results spread over all codes, and which are far from numbers of float16
(:func:`spread_over_codes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil, frexp
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.generators.random_graphs.catalogue import all_signatures, whole_pool
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.generate import random_graph, single_operation
from nnvet.generators.random_graphs.golden import compute_outputs, inputs_of
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import TestModel, TestOperand
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.enums import OperationType as O
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import type_info
from nnvet.hal.validation.model import validate_model
from nnvet.oracle.arithmetic.sums import Array
from tools.oracle_study.driver import run_kernels

# Limits of sizes: the largest dimension, and the largest number of elements of a tensor.
_SMALL: Final = SizeLimits(8, 400)
_WIDE: Final = SizeLimits(60, 4000)
_SHORT: Final = SizeLimits(3, 400)
_SMALLER: Final = 2.0**-6
"""Factor that makes numbers so small that a constant error of 1e-4 shows."""
_ONE_OF: Final = 4
"""One of so many numbers of a sparse tensor is not neutral."""
KEPT: Final = frozenset(
    (
        *(O.AXIS_ALIGNED_BBOX_TRANSFORM, O.BOX_WITH_NMS_LIMIT, O.DETECTION_POSTPROCESSING, O.GENERATE_PROPOSALS),
        O.HEATMAP_MAX_KEYPOINT,
    )
)
"""Operations on boxes, whose numbers are kept: other numbers would be no boxes."""
FIRST_ALONE: Final = frozenset((O.ROI_ALIGN, O.ROI_POOLING))
"""Operations of which only the first input, the image, may get other numbers; the other inputs are boxes."""
_SPARSE: Final = frozenset(
    (
        *(O.AVERAGE_POOL_2D, O.BATCH_MATMUL, O.CONV_2D, O.DEPTHWISE_CONV_2D, O.FULLY_CONNECTED, O.GROUPED_CONV_2D),
        *(O.TRANSPOSE_CONV_2D, O.MEAN, O.REDUCE_SUM, O.RNN, O.SVDF, O.BIDIRECTIONAL_SEQUENCE_RNN),
        *(O.UNIDIRECTIONAL_SEQUENCE_RNN, O.LSTM, O.BIDIRECTIONAL_SEQUENCE_LSTM, O.UNIDIRECTIONAL_SEQUENCE_LSTM),
    )
)
"""Operations with sums; in sparse sets most terms are zero."""
_ONES: Final = frozenset((O.REDUCE_PROD,))
"""Operations with products; in sparse sets most factors are one."""
_SCALED: Final = frozenset((O.INSTANCE_NORMALIZATION,))
"""Operations whose results are as large as their scalar inputs, so that these are changed, too."""


@dataclass(frozen=True)
class ValueSet:
    """Limits of sizes, and a function that changes the numbers of tensors of floats (None: they stay).

    ``sparse``: three of four terms of sums are zero, and three of four factors of products are one. ``revealing``:
    scales of codes are changed by :func:`spread_over_codes`.
    """

    limits: SizeLimits
    of: Callable[[Array], Array] | None = None
    sparse: bool = False
    revealing: bool = False


def _make_small(values: Array) -> Array:
    return values * _SMALLER


def _keep(values: Array) -> Array:
    return values


SETS: Final = (
    ValueSet(_SMALL),
    ValueSet(_WIDE, np.abs, revealing=True),
    ValueSet(_SMALL, _make_small, sparse=True),
    ValueSet(_SHORT, _keep),
    ValueSet(_WIDE, revealing=True),
)
"""Sets of sizes and values, in turn.

Numbers as they are drawn; numbers of one sign, so that the losses of truncation add up; small numbers with many zeros;
numbers as drawn in tiny tensors, where little is summed; and in large tensors, where errors on average show. Relaxed
models of a set with a function get numbers of float16, because such models may be computed in float16.
"""


def apply_values(test: TestModel, chosen: ValueSet) -> TestModel:
    """Return a model of one operation whose tensors of floats have the values of a set."""
    (operation,) = test.main.operations
    of = chosen.of
    if of is None or operation.type in KEPT:
        return test
    first = operation.inputs[0]
    neutral = None
    if chosen.sparse and operation.type in _SPARSE | _ONES:
        neutral, of = (1.0, _keep) if operation.type in _ONES else (0.0, of)
    are_changed = [
        (index == first or operation.type not in FIRST_ALONE)
        and (type_info(operand.type).is_tensor or operation.type in _SCALED)
        for index, operand in enumerate(test.main.operands)
    ]
    operands = [
        _change_operand(operand, of, neutral=neutral, relaxed=test.is_relaxed, seed=index) if is_changed else operand
        for index, (operand, is_changed) in enumerate(zip(test.main.operands, are_changed, strict=True))
    ]
    return replace(test, main=replace(test.main, operands=tuple(operands)))


def _change_operand(
    operand: TestOperand, of: Callable[[Array], Array], *, neutral: float | None, relaxed: bool, seed: int
) -> TestOperand:
    """Return an operand with changed floats, three of four of them ``neutral`` unless that is None."""
    if operand.data is None or not operand.data.size or not type_info(operand.type).is_float:
        return operand
    values = of(operand.data.astype(np.float64))
    if neutral is not None:
        values = np.where(np.random.default_rng(seed).integers(_ONE_OF, size=values.shape) == 0, values, neutral)
    return replace(
        operand, data=values.astype(np.float16 if relaxed else operand.data.dtype).astype(operand.data.dtype)
    )


_HALF_BITS: Final = 11
"""Number of bits of the significand of float16."""
_STEPS: Final = 12
"""Most changes of an output's scale: enough from the coarsest scale that models have to the finest."""
_WIDER, _FINER = 8.0, 0.125
"""Factors of a change of the output's scale, if too many results saturate and if results fill too few codes."""
_FAR_WIDER: Final = 2.0**40
"""Factor of a scale with which all finite results become zero, unless they do not depend on the scale."""
_FEW: Final = 16
"""Distance from zero in codes below which results fill too few codes."""
_MANY: Final = 64
"""Divisor of a model's random default scale, which then varies the scale of :data:`_SLOW` a little."""
_FILLED: Final = 0.95
"""Share of the codes that the results fill."""
_SUMS: Final = frozenset(
    (O.BATCH_MATMUL, O.CONV_2D, O.DEPTHWISE_CONV_2D, O.FULLY_CONNECTED, O.GROUPED_CONV_2D, O.TRANSPOSE_CONV_2D)
)
"""Operations of integer sums, which are multiplied by a factor to get codes."""
_SLOW: Final[Mapping[int, float]] = {O.LOGISTIC: 2.0**-4, O.TANH: 2.0**-5}
"""Approximate scale of the input with which results of bounded functions take many values."""


def spread_over_codes(test: TestModel) -> TestModel:
    """Return a model of one operation whose results spread over the codes, with scales that are no float16 numbers.

    Scales that the operation or its declaration prescribes stay. A change that the declaration does not allow is left
    out.
    """
    if not any(is_codes(operand) for operand in test.main.operands):
        return test
    between = _choose_allowed(_set_scales(test), test)
    return _choose_allowed(_fit_output(between), between)


def move_between_halves(scale: float) -> float:
    """Return the number half-way between the neighbours of a scale in float16: rounding it changes it the most.

    Powers of two are kept, because the scales that operations prescribe are powers of two.
    """
    mantissa, exponent = frexp(scale)
    if mantissa == 0.5:  # noqa: PLR2004 - that is a power of two
        return scale
    steps = 2.0 ** (_HALF_BITS - exponent)
    return float(np.float32((np.floor(scale * steps) + 0.5) / steps))


def _set_scales(test: TestModel) -> TestModel:
    """Return a model with inconvenient scales; equal scales stay equal, and those of biases remain products."""
    (operation,) = test.main.operations
    operands = [
        replace(operand, scale=move_between_halves(operand.scale)) if is_codes(operand) else operand
        for operand in test.main.operands
    ]
    first, second = (*operation.inputs, operation.inputs[0])[:2]
    if operation.type in _SLOW and is_codes(operands[first]):
        wanted = _SLOW[operation.type] + operands[first].scale / _MANY
        operands[first] = replace(operands[first], scale=move_between_halves(wanted))
    product = _multiply_scales(operands[first], operands[second])
    biased = [
        replace(operand, scale=product) if operand.scale and type_info(operand.type).dtype == "int32" else operand
        for operand in operands
    ]
    return _replace_operands(test, biased)


def _fit_output(test: TestModel) -> TestModel:
    """Return a model whose output has a scale and zero point that cover the results.

    The scale is changed until no more results saturate than must; infinite ones always do. Operations that only move
    codes are left as they are.
    """
    (operation,) = test.main.operations
    index = operation.outputs[0]
    output = test.main.operands[index]
    if not is_codes(output) or 0 in output.dimensions or not _is_allowed(_replace_output(test, index, 1.0, 0)):
        return test
    low, high = type_info(output.type).zero_point
    middle = (low + high + 1) // 2
    scale = output.scale
    codes = _compute_codes(_replace_output(test, index, scale, middle))
    if (codes != middle).any() and np.array_equal(
        codes, _compute_codes(_replace_output(test, index, scale * _FAR_WIDER, middle))
    ):
        # The codes of the results do not depend on the scale.
        return test
    for _ in range(_STEPS):
        wider = _compute_codes(_replace_output(test, index, scale * _WIDER, middle))
        if np.isin(wider, (low, high)).sum() < np.isin(codes, (low, high)).sum():
            scale, codes = scale * _WIDER, wider
        elif np.abs(codes - middle).max() < _FEW:
            scale = max(scale * _FINER, _find_least_scale(test))
            codes = _compute_codes(_replace_output(test, index, scale, middle))
        else:
            break
    ends = (min(int(codes.min()) - middle, 0) * scale, max(int(codes.max()) - middle, 0) * scale)
    fitted = move_between_halves(max((ends[1] - ends[0]) / (high - low) / _FILLED, _find_least_scale(test)))
    return _replace_output(test, index, fitted, min(low + ceil(-ends[0] / fitted), high))


_HARD_SWISH: Final = 1.01 / 128
"""Least scale of the output of HARD_SWISH, relative to that of the input: 1/128, and a little more."""


def _find_least_scale(test: TestModel) -> float:
    """Return the least scale of the output: for sums, that of the products, and 0 for most operations.

    With a finer scale the integers of a sum would be shifted beyond 32 bits. HARD_SWISH has a limit of its own
    (docs/contract/operations/HARD_SWISH.md, execution).
    """
    (operation,) = test.main.operations
    if operation.type == O.HARD_SWISH:
        return test.main.operands[operation.inputs[0]].scale * _HARD_SWISH
    if operation.type not in _SUMS:
        return 0.0
    return _multiply_scales(*(test.main.operands[place] for place in operation.inputs[:2]))


def _multiply_scales(first: TestOperand, second: TestOperand) -> float:
    return float(np.float32(first.scale) * np.float32(second.scale))


def _compute_codes(test: TestModel) -> Array:
    return compute_outputs(test)[0].astype(np.int64)


def _replace_output(test: TestModel, index: int, scale: float, zero_point: int) -> TestModel:
    operands = list(test.main.operands)
    operands[index] = replace(operands[index], scale=scale, zero_point=zero_point)
    return _replace_operands(test, operands)


def _replace_operands(test: TestModel, operands: list[TestOperand]) -> TestModel:
    return replace(test, main=replace(test.main, operands=tuple(operands)))


def is_codes(operand: TestOperand) -> bool:
    """Return True if an operand is a tensor of codes of 8 bits with a zero point."""
    info = type_info(operand.type)
    return info.scale == "positive" and info.size == 1 and info.is_tensor and len(set(info.zero_point)) > 1


def _choose_allowed(test: TestModel, otherwise: TestModel) -> TestModel:
    return test if _is_allowed(test) else otherwise


def _is_allowed(test: TestModel) -> bool:
    """Return True if the declarations allow a model and its outputs."""
    model = build_model(test)
    try:
        validate_model(model)
        run_kernels(model, inputs_of(test))
    except HalError:
        return False
    finally:
        close_pools(model)
    return True


# The two types of 8-bit codes with a zero point.
_UNSIGNED, _SIGNED = OperandType.TENSOR_QUANT8_ASYMM, OperandType.TENSOR_QUANT8_ASYMM_SIGNED
KINDS: Final = {
    "float32": (OperandType.TENSOR_FLOAT32,),
    "float16": (OperandType.TENSOR_FLOAT16,),
    "relaxed": (OperandType.TENSOR_FLOAT32,),
    "uint8": (_UNSIGNED,),
    "int8": (_SIGNED,),
    "per-channel": (_UNSIGNED, _SIGNED),
}
"""Kinds of arithmetic, and the types of operands of their models."""
_PER_CHANNEL: Final = "per-channel"
"""The kind of models whose weights have a scale for each channel."""
_LEFT_OUT: Final = frozenset((OperationType.RANDOM_MULTINOMIAL,))
"""Operations that are left out: random results are judged by their distribution, and not by error bounds."""
_OPERATIONS: Final = 5
"""Number of operations of a graph."""
_GRAPHS: Final = 3
"""Number of graphs of each rank: an error shows only in a graph that has its operation on a path to an output."""
GRAPH: Final = "graph"
"""Name that stands for the operation of a graph."""


@dataclass(frozen=True)
class StudyModel:
    """A model, the kind of its arithmetic, and the name of its operation, or :data:`GRAPH`."""

    test: TestModel
    kind: str
    subject: str


def make_models(seed: int, kind: str) -> Iterator[StudyModel]:
    """Yield a model of each signature and type of a kind, and three graphs of each rank."""
    yield from make_singles(seed, kind)
    if kind != _PER_CHANNEL:
        yield from (_make_graph(rank, kind, seed, number) for rank in range(1, 5) for number in range(_GRAPHS))


def make_singles(seed: int, kind: str) -> Iterator[StudyModel]:
    """Yield a model of each signature and type of a kind."""
    for signature in all_signatures():
        if signature.operation in _LEFT_OUT or ("per_channel" in signature.variant) is not (kind == _PER_CHANNEL):
            continue
        for operand_type in KINDS[kind]:
            if operand_type in signature.types:
                yield _make_single(signature, operand_type, kind, seed)


def _make_single(signature: OperationSignature, operand_type: OperandType, kind: str, seed: int) -> StudyModel:
    name = f"oracle/{signature.name}/{kind}/{operand_type.name}/{seed}"
    chooser = SeededChooser(name)
    values = SETS[seed % len(SETS)]
    test = single_operation(chooser, name, signature, operand_type, chooser.pick(signature.ranks), values.limits)
    test = apply_values(_relax(test, kind), values)
    return StudyModel(spread_over_codes(test) if values.revealing else test, kind, signature.operation.name)


def _make_graph(rank: int, kind: str, seed: int, number: int) -> StudyModel:
    name = f"oracle/{GRAPH}/{kind}/{rank}/{seed}/{number}"
    (operand_type,) = KINDS[kind]
    signatures = [
        signature
        for signature in whole_pool(operand_type, rank, max(FeatureLevel))
        if signature.operation not in _LEFT_OUT
    ]
    test = random_graph(SeededChooser(name), name, signatures, operand_type, rank, _OPERATIONS, _SMALL)
    return StudyModel(_relax(test, kind), kind, f"{GRAPH} of rank {rank}")


def _relax(test: TestModel, kind: str) -> TestModel:
    return replace(test, is_relaxed=True) if kind == "relaxed" else test
