"""Operations that are formulas of several steps, on numbers at which a careless order of the steps shows.

L2_POOL_2D, the normalisations, SOFTMAX and LOG_SOFTMAX, the resizing operations. Source: docs/contract/accuracy.md 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from zlib import crc32

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from nnvet.generators.accuracy.dot_products import ProductType
from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.model import TestModel
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.operand_types import type_info

Array = npt.NDArray[Any]
_O: Final = OperationType
_T: Final = OperandType
_VALID: Final = 2
_NONE: Final = 0
"""No fused activation."""
_LARGE_MEAN: Final = 100.0

VALUES: Final[Mapping[str, Callable[[np.random.Generator, tuple[int, ...], float], Array]]] = {
    "even": lambda random, shape, _: random.uniform(-2, 2, shape),
    "one_sign": lambda random, shape, _: random.uniform(0.5, 2, shape),
    "large_mean": lambda random, shape, _: random.normal(_LARGE_MEAN, 1, shape),
    "many_magnitudes": lambda random, shape, _: (
        np.exp2(random.uniform(-12, 6, shape)) * random.choice((-1.0, 1.0), shape)
    ),
    "small": lambda random, shape, largest: random.uniform(0.5, 2, shape) / largest,
}
"""Sets of numbers by name. Squares of ``small`` vanish; those of large numbers overflow: nothing is said of them."""


@dataclass(frozen=True)
class Formula:
    """An operation with the shapes of its input and output, and its other inputs: integers, truth values, numbers.

    ``sets`` are the sets of numbers on which it says something.
    """

    operation: OperationType
    input: tuple[int, ...]
    output: tuple[int, ...]
    others: Sequence[int | bool | float] = ()
    level: FeatureLevel = FeatureLevel.FL1
    sets: Sequence[str] = ("even", "many_magnitudes")


_SQUARES: Final = ("even", "many_magnitudes", "small")
FORMULAS: Final[Mapping[str, Formula]] = {
    "L2_POOL_2D": Formula(
        _O.L2_POOL_2D, (1, 12, 11, 4), (1, 5, 4, 4), (_VALID, 2, 2, 4, 3, _NONE), FeatureLevel.FL1, _SQUARES
    ),
    "L2_NORMALIZATION": Formula(_O.L2_NORMALIZATION, (20, 30), (20, 30), (), FeatureLevel.FL3, _SQUARES),
    "LOCAL_RESPONSE_NORMALIZATION": Formula(
        _O.LOCAL_RESPONSE_NORMALIZATION,
        *(((2, 4, 5, 12),) * 2),
        (3, 1.5, 0.25, 0.75),
        FeatureLevel.FL1,
        _SQUARES,
    ),
    "INSTANCE_NORMALIZATION": Formula(
        _O.INSTANCE_NORMALIZATION,
        *(((2, 9, 8, 6),) * 2),
        (1.25, 0.5, 1e-5, False),
        FeatureLevel.FL3,
        ("even", "one_sign", "large_mean"),
    ),
    "SOFTMAX": Formula(
        _O.SOFTMAX, (20, 60), (20, 60), (0.75,), FeatureLevel.FL1, ("even", "large_mean", "many_magnitudes")
    ),
    "LOG_SOFTMAX": Formula(
        _O.LOG_SOFTMAX, (20, 60), (20, 60), (0.75, 1), FeatureLevel.FL3, ("even", "large_mean", "many_magnitudes")
    ),
    "RESIZE_BILINEAR": Formula(_O.RESIZE_BILINEAR, (1, 17, 19, 3), (1, 50, 43, 3), (43, 50)),
    "RESIZE_BILINEAR.half_pixels": Formula(
        _O.RESIZE_BILINEAR, (1, 41, 37, 3), (1, 60, 67, 3), (67, 60, False, False, True), FeatureLevel.FL4
    ),
    "RESIZE_BILINEAR.corners": Formula(
        _O.RESIZE_BILINEAR, (1, 37, 29, 3), (1, 20, 50, 3), (50, 20, False, True, False), FeatureLevel.FL4
    ),
    "RESIZE_NEAREST_NEIGHBOR": Formula(
        _O.RESIZE_NEAREST_NEIGHBOR, (1, 17, 19, 3), (1, 50, 43, 3), (43, 50, False), FeatureLevel.FL3
    ),
}
"""By name."""


def formula_test(name: str, kind: ProductType, values: str) -> TestModel:
    """One operation on one set of numbers; what its output has to be is not said."""
    formula = FORMULAS[name]
    random = np.random.default_rng(crc32(f"{name} {values}".encode()))
    dtype = np.float16 if kind.is_relaxed else type_info(kind.type).dtype
    numbers = VALUES[values](random, formula.input, kind.largest * 2).astype(dtype).astype(np.float64)
    graph = GraphBuilder()
    operands = [graph.input(kind.type, formula.input, numbers)]
    for other in formula.others:
        scalar = _T.BOOL if isinstance(other, bool) else _T.INT32 if isinstance(other, int) else kind.scalar
        operands.append(graph.scalar(scalar, other))
    graph.operation(formula.operation, tuple(operands), graph.output(kind.type, formula.output, None))
    test = graph.finish(f"{name} {kind.type.name} {values}", max(kind.level, formula.level))
    return replace(test, is_relaxed=kind.is_relaxed)
