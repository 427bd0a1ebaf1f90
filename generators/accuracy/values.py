"""Models for accuracy tests: single operations on chosen values.

Elementwise operations get every value of an 8-bit type or of float16, and unusual values of all float types. Operations
that are formulas of several steps get numbers for which a careless order of the steps gives large errors: L2_POOL_2D,
the normalisations, SOFTMAX, LOG_SOFTMAX and the resizing operations.

Source: docs/contract/accuracy.md 2 and 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from zlib import crc32

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from nnvet.generators.accuracy.dot_products import ProductType
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import TestModel, element_type
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import OperationDeclaration, TypeRow

Array = npt.NDArray[Any]
_O: Final = OperationType
_T: Final = OperandType
_SHAPED: Final = (_O.RANK,)
"""Operations of one tensor whose results do not depend on its elements."""
_ALPHA: Final = 0.75
_SCALE: Final = 1.0 / 32
_PLACES: Final = {"lowest": 0.0, "middle": 0.5, "highest": 1.0}
"""Zero points, as a share of the range of codes; the middle one is 0 for signed codes."""
_ZERO_POINTS: Final = (_T.TENSOR_QUANT8_ASYMM, _T.TENSOR_QUANT8_ASYMM_SIGNED)
"""Types whose zero point is free."""
_FLOATS: Final = (_T.TENSOR_FLOAT32, _T.TENSOR_FLOAT16)
_SWEEP: Final = 4096
_PAIRS: Final = (_O.ADD, _O.SUB, _O.MUL, _O.DIV, _O.POW, _O.MAXIMUM, _O.MINIMUM, _O.PRELU)
_ROUNDING: Final = (_O.ADD, _O.SUB, _O.MUL, _O.DIV, _O.POW)
_VARIED: Final = 64
_MAGNITUDES: Final = 8.0
_COMPARISONS: Final = (_O.EQUAL, _O.NOT_EQUAL, _O.LESS, _O.LESS_EQUAL, _O.GREATER, _O.GREATER_EQUAL)
_ACTIVATED: Final = (_O.ADD, _O.SUB, _O.MUL, _O.DIV)
"""Operations with a fused activation."""


@dataclass(frozen=True)
class ValueTest:
    """An operation with the operand types of one row of its declaration, by the names of the row's type variables.

    ``place`` is the position of the zero point, as a share of the range of codes. ``is_pair`` means that the operation
    takes two tensors, and that every value of one meets every value of the other. With ``is_varied`` the values are
    positive numbers of many magnitudes, else special values.
    """

    operation: OperationType
    types: Mapping[str, OperandType]
    level: int
    place: str = ""
    is_pair: bool = False
    is_varied: bool = False

    @property
    def name(self) -> str:
        """Unique, such as ``CAST.TENSOR_FLOAT16.TENSOR_INT32``."""
        kinds = [kind.name for kind in self.types.values() if type_info(kind).is_tensor]
        return ".".join((self.operation.name, *kinds, *([f"zero_point_{self.place}"] if self.place else [])))

    @property
    def input(self) -> OperandType:
        """Type of the elements."""
        return next(iter(self.types.values()))

    def __call__(self) -> TestModel:
        """Return the test, without an expected output."""
        graph = GraphBuilder()
        kind = self.input
        values = odd_values(kind) if self.is_pair else values_of(kind)
        scale, zero_point = _quantization(kind, self.place)
        if self.is_pair:
            first, second = (varied_values(kind, side) for side in (0, 1)) if self.is_varied else (values, values)
            values = first
            operands = [
                graph.input(kind, (values.size, 1), first, scale, zero_point),
                graph.input(kind, (values.size,), second, scale, zero_point),
            ]
            shape: tuple[int, ...] = (values.size, values.size)
            operands += [graph.scalar(_T.INT32, 0)] if self.operation in _ACTIVATED else []
        else:
            operands, shape = [graph.input(kind, values.shape, values, scale, zero_point)], values.shape
            operands += [graph.scalar(self.types["S"], _ALPHA)] if "S" in self.types else []
        result = self._result()
        graph.operation(self.operation, tuple(operands), graph.output(result, shape, None, *self._output(result)))
        return graph.finish(self.name, FeatureLevel(self.level))

    def _result(self) -> OperandType:
        kind = declarations()[self.operation].outputs[0].type
        return self.types[kind] if isinstance(kind, str) else OperandType(kind)

    def _output(self, kind: OperandType) -> tuple[float, int]:
        if self.operation in _FIXED and type_info(kind).scale == "positive":
            scale = _FIXED[self.operation]
            # Results of LOGISTIC start at 0, those of TANH at -1.
            return scale, _code(kind, 0.5 if self.operation is _O.TANH else 0.0)
        return _quantization(kind, self.place or "middle")


_FIXED: Final = {_O.LOGISTIC: 2.0**-8, _O.TANH: 2.0**-7}
"""Scales that the contract requires of codes of these operations."""


def _quantization(kind: OperandType, place: str) -> tuple[float, int]:
    info = type_info(kind)
    if info.scale != "positive":
        return 0.0, 0
    return _SCALE, _code(kind, _PLACES[place or "middle"]) if kind in _ZERO_POINTS else 0


def _code(kind: OperandType, share: float) -> int:
    limits = np.iinfo(type_info(kind).dtype)
    return int(limits.min + np.ceil(share * (int(limits.max) - int(limits.min))))


def values_of(kind: OperandType) -> Array:
    """Return every value of a small type; for other types the special values and some between them."""
    dtype = np.dtype(element_type(kind))
    if kind == _T.TENSOR_BOOL8:
        return np.array([0, 1], dtype)
    if kind == _T.TENSOR_FLOAT16:
        return np.arange(2**16, dtype=np.uint16).view(np.float16)
    if dtype.itemsize == 1:
        return np.arange(2**8, dtype=np.uint8).view(dtype)
    if dtype.kind == "f":
        magnitudes = np.geomspace(1e-30, 1e30, _SWEEP)
        near = np.linspace(-20, 20, _SWEEP)
        return np.concatenate([odd_values(kind), magnitudes, -magnitudes, near]).astype(dtype)
    # The smallest integer has no negative that could be asked for.
    ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max - 1]) + 1
    return np.unique([*ends, *(ends // 2), 0, 1]).astype(dtype)


def odd_values(kind: OperandType) -> Array:
    """Return special values: zeros, subnormal, smallest and largest numbers, infinities, NaN, halves, small ones."""
    limits = np.finfo(element_type(kind))
    tiny, largest = float(limits.smallest_normal), float(limits.max)
    magnitudes = (
        *(0.0, float(limits.smallest_subnormal), tiny / 2, tiny, float(limits.eps)),
        *(0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 100.0, float(np.sqrt(largest)), largest / 2, largest, np.inf),
    )
    return np.array([*magnitudes, *(-magnitude for magnitude in magnitudes), np.nan], limits.dtype)


def varied_values(kind: OperandType, side: int) -> Array:
    """Return positive numbers from 2^-8 to 2^8 with all bits of the type, for operand ``side``, 0 or 1."""
    exponents = np.random.default_rng(side).uniform(-_MAGNITUDES, _MAGNITUDES, _VARIED)
    found: Array = np.exp2(exponents).astype(element_type(kind))
    return found


def exhaustive_tests() -> Iterator[ValueTest]:
    """Yield every operation of one tensor, with every type of its declaration."""
    for declaration in declarations().values():
        if _is_unary(declaration) and declaration.type not in _SHAPED:
            for row in declaration.rows:
                yield from _unary(declaration, row)


def pair_tests() -> Iterator[ValueTest]:
    """Return operations of two tensors of floats, with every pair of odd values."""
    return _pairs((*_PAIRS, *_COMPARISONS), is_varied=False)


def varied_tests() -> Iterator[ValueTest]:
    """Return operations of two tensors of floats that round, with pairs of numbers of many magnitudes."""
    return _pairs(_ROUNDING, is_varied=True)


def _pairs(operations: Iterable[OperationType], *, is_varied: bool) -> Iterator[ValueTest]:
    for operation in operations:
        declaration = declarations()[operation]
        level = declaration.level
        for row in declaration.rows:
            types = {name: OperandType(kind) for name, kind in row.types.items()}
            if next(iter(types.values())) in _FLOATS:
                yield ValueTest(operation, types, max(row.level, level), is_pair=True, is_varied=is_varied)


def _is_unary(declaration: OperationDeclaration) -> bool:
    tensors = [formal for formal in declaration.signatures[0].inputs if formal.type in {"T", "S"}]
    return [formal.type for formal in tensors] in (["T"], ["T", "S"]) and len(tensors) == len(
        declaration.signatures[0].inputs
    )


def _unary(declaration: OperationDeclaration, row: TypeRow) -> Iterator[ValueTest]:
    types = {name: OperandType(kind) for name, kind in row.types.items()}
    operation, level = OperationType(declaration.type), max(row.level, declaration.level)
    if _T.TENSOR_QUANT8_SYMM_PER_CHANNEL in types.values():
        # The tensor has one dimension, along which the scales run, so each scale belongs to one value.
        return
    has_zero_point = any(kind in _ZERO_POINTS for kind in types.values()) and operation not in _FIXED
    for place in _PLACES if has_zero_point else ("",):
        yield ValueTest(operation, types, level, place)


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
"""Sets of numbers by name. Squares of ``small`` vanish; larger numbers are left out, since their squares overflow."""


@dataclass(frozen=True)
class Formula:
    """An operation with the shapes of its input and output, and its other inputs: integers, truth values, numbers.

    ``sets`` are the sets of numbers for which its results are meaningful.
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
"""The formulas, by name."""


def formula_test(name: str, kind: ProductType, values: str) -> TestModel:
    """Return one operation on one set of numbers, without an expected output."""
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
