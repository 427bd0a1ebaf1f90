"""The models of the study: random ones of one operation and small graphs, by the kind of their arithmetic.

Quantisations of the study's models that reveal errors in scales: results that fill the codes, inconvenient scales.

Of codes that are drawn at random most results lie at an end of the range, where no error of a scale shows.

Values and sizes of the study's models: each set shows errors that the others hide.

Source of the sets: docs/contract/accuracy.md 3. Of even values an error in the sums is lost among honest roundings, of
large ones a small constant that is added, and of numbers with 24 bits hashes in relaxed models are not decided.
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
from tools.oracle_study.driver import by_kernels

_SMALL: Final = SizeLimits(8, 400)
_WIDE: Final = SizeLimits(60, 4000)
_SHORT: Final = SizeLimits(3, 400)
_SMALLER: Final = 2.0**-6
_ONE_OF: Final = 4
KEPT: Final = frozenset(
    (
        *(O.AXIS_ALIGNED_BBOX_TRANSFORM, O.BOX_WITH_NMS_LIMIT, O.DETECTION_POSTPROCESSING, O.GENERATE_PROPOSALS),
        O.HEATMAP_MAX_KEYPOINT,
    )
)
"""Operations whose numbers are boxes."""
FIRST_ALONE: Final = frozenset((O.ROI_ALIGN, O.ROI_POOLING))
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

    ``revealing``: scales of codes are those of :func:`tools.oracle_study.models.revealing`.
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
    if of is None or operation.type in KEPT:
        return test
    first = operation.inputs[0]
    neutral = None
    if chosen.sparse and operation.type in _SPARSE | _ONES:
        neutral, of = (1.0, _any) if operation.type in _ONES else (0.0, of)
    are_changed = [
        (index == first or operation.type not in FIRST_ALONE)
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


_HALF_BITS: Final = 11
"""Of the significand of float16."""
_STEPS: Final = 12
"""Changes of an output's scale: as many as it takes from the coarsest to the finest that models have."""
_WIDER, _FINER = 8.0, 0.125
_FAR_WIDER: Final = 2.0**40
"""With a scale that is so much larger all finite results are zero."""
_FEW: Final = 16
"""Codes: results that reach no farther from zero are scaled up."""
_MANY: Final = 64
"""By so much is the default scale, other in each model, brought down to vary another one."""
_FILLED: Final = 0.95
"""Share of the codes that the results fill."""
_SUMS: Final = frozenset(
    (O.BATCH_MATMUL, O.CONV_2D, O.DEPTHWISE_CONV_2D, O.FULLY_CONNECTED, O.GROUPED_CONV_2D, O.TRANSPOSE_CONV_2D)
)
"""Operations of integer sums, which a multiplier brings to codes."""
_SLOW: Final[Mapping[int, float]] = {O.LOGISTIC: 2.0**-4, O.TANH: 2.0**-5}
"""About the input's scale with which results between fixed ends take many values."""


def revealing(test: TestModel) -> TestModel:
    """Return a model of one operation with scales half-way between two float16 numbers; results spread over the codes.

    What the operation or its declaration decides stays as it is, both where the two changes are not allowed.
    """
    if not any(is_codes(operand) for operand in test.main.operands):
        return test
    between = _allowed(_with_scales(test), test)
    return _allowed(_fitted(between), between)


def between_halves(scale: float) -> float:
    """Return the next float32 above a scale that lies half-way between two of float16; powers of two are kept.

    These are what operations demand of their scales.
    """
    mantissa, exponent = frexp(scale)
    if mantissa == 0.5:  # noqa: PLR2004 - that is a power of two
        return scale
    steps = 2.0 ** (_HALF_BITS - exponent)
    return float(np.float32((np.floor(scale * steps) + 0.5) / steps))


def _with_scales(test: TestModel) -> TestModel:
    """Equal scales stay equal; those of biases are products of the others."""
    (operation,) = test.main.operations
    operands = [
        replace(operand, scale=between_halves(operand.scale)) if is_codes(operand) else operand
        for operand in test.main.operands
    ]
    first, second = (*operation.inputs, operation.inputs[0])[:2]
    if operation.type in _SLOW and is_codes(operands[first]):
        wanted = _SLOW[operation.type] + operands[first].scale / _MANY
        operands[first] = replace(operands[first], scale=between_halves(wanted))
    product = _product(operands[first], operands[second])
    biased = [
        replace(operand, scale=product) if operand.scale and type_info(operand.type).dtype == "int32" else operand
        for operand in operands
    ]
    return _with_operands(test, biased)


def _fitted(test: TestModel) -> TestModel:
    """The output's scale and zero point cover the results: its scale is changed until no more saturate than must.

    What is infinite does so with any scale. Operations that only move codes are left as they are.
    """
    (operation,) = test.main.operations
    index = operation.outputs[0]
    output = test.main.operands[index]
    if not is_codes(output) or 0 in output.dimensions or not _is_allowed(_with_output(test, index, 1.0, 0)):
        return test
    low, high = type_info(output.type).zero_point
    middle = (low + high + 1) // 2
    scale = output.scale
    codes = _codes(_with_output(test, index, scale, middle))
    if (codes != middle).any() and np.array_equal(codes, _codes(_with_output(test, index, scale * _FAR_WIDER, middle))):
        # They do not depend on the scale.
        return test
    for _ in range(_STEPS):
        wider = _codes(_with_output(test, index, scale * _WIDER, middle))
        if np.isin(wider, (low, high)).sum() < np.isin(codes, (low, high)).sum():
            scale, codes = scale * _WIDER, wider
        elif np.abs(codes - middle).max() < _FEW:
            scale = max(scale * _FINER, _least_scale(test))
            codes = _codes(_with_output(test, index, scale, middle))
        else:
            break
    ends = (min(int(codes.min()) - middle, 0) * scale, max(int(codes.max()) - middle, 0) * scale)
    fitted = between_halves(max((ends[1] - ends[0]) / (high - low) / _FILLED, _least_scale(test)))
    return _with_output(test, index, fitted, min(low + ceil(-ends[0] / fitted), high))


_HARD_SWISH: Final = 1.01 / 128
"""Of the input's scale: the least that the output's may be, and a little more."""


def _least_scale(test: TestModel) -> float:
    """That of the products of a sum: with a finer one its integers are shifted beyond 32 bits.

    HARD_SWISH has a finest scale of its own. Source: docs/contract/operations/HARD_SWISH.md, execution.
    """
    (operation,) = test.main.operations
    if operation.type == O.HARD_SWISH:
        return test.main.operands[operation.inputs[0]].scale * _HARD_SWISH
    if operation.type not in _SUMS:
        return 0.0
    return _product(*(test.main.operands[place] for place in operation.inputs[:2]))


def _product(first: TestOperand, second: TestOperand) -> float:
    return float(np.float32(first.scale) * np.float32(second.scale))


def _codes(test: TestModel) -> Array:
    return compute_outputs(test)[0].astype(np.int64)


def _with_output(test: TestModel, index: int, scale: float, zero_point: int) -> TestModel:
    operands = list(test.main.operands)
    operands[index] = replace(operands[index], scale=scale, zero_point=zero_point)
    return _with_operands(test, operands)


def _with_operands(test: TestModel, operands: list[TestOperand]) -> TestModel:
    return replace(test, main=replace(test.main, operands=tuple(operands)))


def is_codes(operand: TestOperand) -> bool:
    """Return True if an operand is a tensor of codes of 8 bits with a zero point."""
    info = type_info(operand.type)
    return info.scale == "positive" and info.size == 1 and info.is_tensor and len(set(info.zero_point)) > 1


def _allowed(test: TestModel, otherwise: TestModel) -> TestModel:
    return test if _is_allowed(test) else otherwise


def _is_allowed(test: TestModel) -> bool:
    """Return True if the declarations allow a model and its outputs."""
    model = build_model(test)
    try:
        validate_model(model)
        by_kernels(model, inputs_of(test))
    except HalError:
        return False
    finally:
        close_pools(model)
    return True


_UNSIGNED, _SIGNED = OperandType.TENSOR_QUANT8_ASYMM, OperandType.TENSOR_QUANT8_ASYMM_SIGNED
KINDS: Final = {
    "float32": (OperandType.TENSOR_FLOAT32,),
    "float16": (OperandType.TENSOR_FLOAT16,),
    "relaxed": (OperandType.TENSOR_FLOAT32,),
    "uint8": (_UNSIGNED,),
    "int8": (_SIGNED,),
    "per-channel": (_UNSIGNED, _SIGNED),
}
"""Kinds of arithmetic, and the types of operands that they are made of."""
_PER_CHANNEL: Final = "per-channel"
_LEFT_OUT: Final = frozenset((OperationType.RANDOM_MULTINOMIAL,))
"""Judged by the distribution of its results."""
"""Sizes of graphs."""
_OPERATIONS: Final = 5
_GRAPHS: Final = 3
"""Of each rank: an error needs its operation in a graph, and a way to an output."""
GRAPH: Final = "graph"


@dataclass(frozen=True)
class StudyModel:
    """A model, the kind of its arithmetic, and the name of its operation, or :data:`GRAPH`."""

    test: TestModel
    kind: str
    subject: str


def models_of(seed: int, kind: str) -> Iterator[StudyModel]:
    """Yield a model of each signature and type of a kind, and three graphs of each rank."""
    yield from singles_of(seed, kind)
    if kind != _PER_CHANNEL:
        yield from (_graph(rank, kind, seed, number) for rank in range(1, 5) for number in range(_GRAPHS))


def singles_of(seed: int, kind: str) -> Iterator[StudyModel]:
    """Yield a model of each signature and type of a kind."""
    for signature in all_signatures():
        if signature.operation in _LEFT_OUT or ("per_channel" in signature.variant) is not (kind == _PER_CHANNEL):
            continue
        for operand_type in KINDS[kind]:
            if operand_type in signature.types:
                yield _single(signature, operand_type, kind, seed)


def _single(signature: OperationSignature, operand_type: OperandType, kind: str, seed: int) -> StudyModel:
    name = f"oracle/{signature.name}/{kind}/{operand_type.name}/{seed}"
    chooser = SeededChooser(name)
    values = SETS[seed % len(SETS)]
    test = single_operation(chooser, name, signature, operand_type, chooser.pick(signature.ranks), values.limits)
    test = with_values(_relaxed(test, kind), values)
    return StudyModel(revealing(test) if values.revealing else test, kind, signature.operation.name)


def _graph(rank: int, kind: str, seed: int, number: int) -> StudyModel:
    name = f"oracle/{GRAPH}/{kind}/{rank}/{seed}/{number}"
    (operand_type,) = KINDS[kind]
    signatures = [
        signature
        for signature in whole_pool(operand_type, rank, max(FeatureLevel))
        if signature.operation not in _LEFT_OUT
    ]
    test = random_graph(SeededChooser(name), name, signatures, operand_type, rank, _OPERATIONS, _SMALL)
    return StudyModel(_relaxed(test, kind), kind, f"{GRAPH} of rank {rank}")


def _relaxed(test: TestModel, kind: str) -> TestModel:
    return replace(test, is_relaxed=True) if kind == "relaxed" else test
