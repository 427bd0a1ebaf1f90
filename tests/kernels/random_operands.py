"""Random operands for kernel tests, and how results are compared with the second implementations."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from nnvet.hal.enums import ErrorStatus, OperationType
from nnvet.hal.enums import OperandType as T
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.declaration import Argument
from tests.single import run_single, tensor

FEW = settings(derandomize=True, deadline=None, max_examples=40)
FLOATS = (T.TENSOR_FLOAT32, T.TENSOR_FLOAT16)
CODES = (T.TENSOR_QUANT8_ASYMM, T.TENSOR_QUANT8_ASYMM_SIGNED)
SPECIAL = (0.0, -0.0, float("inf"), float("-inf"), float("nan"), 65504.0, -1.0, 1.0, 6.0)
TOLERANCES = {
    "float32": (2e-6, 1e-7),
    "float16": (2**-10, 2**-24),
}
"""Relative and absolute; a few units in the last place, since exp, log and powers are not rounded perfectly."""


def shapes(ranks: tuple[int, int] = (1, 4), largest: int = 4) -> st.SearchStrategy[tuple[int, ...]]:
    """Shapes without zero sizes."""
    return st.lists(st.integers(1, largest), min_size=ranks[0], max_size=ranks[1]).map(tuple)


@st.composite
def broadcastable(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two compatible shapes, of ranks that may differ, either one the shorter."""
    full = draw(shapes())
    other = [draw(st.sampled_from((1, size))) for size in full]
    shorter = tuple(other[draw(st.integers(0, len(full) - 1)) :])
    return (full, shorter) if draw(st.booleans()) else (shorter, full)


@st.composite
def quantizations(draw: st.DrawFn, operand_type: T) -> tuple[float, int]:
    """Scale (a float32) and zero point, the ends of the range often among them."""
    low, high = OPERAND_TYPES[operand_type].zero_point
    scale = draw(st.floats(2**-8, 2.0, width=32))
    return scale, draw(st.sampled_from((low, high, (low + high + 1) // 2)) | st.integers(low, high))


@st.composite
def operands(
    draw: st.DrawFn, operand_type: T, shape: tuple[int, ...] | None = None, *, special: bool = False
) -> Argument:
    """A tensor with values; quantised ones with random parameters, floats with NaN and infinity if ``special``."""
    dimensions = shape if shape is not None else draw(shapes())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if operand_type in FLOATS:
        values = rng.normal(size=dimensions) * 10 ** rng.uniform(-1, 1)
        if special:
            chosen = rng.random(dimensions) < 0.3
            values = np.where(chosen, rng.choice(SPECIAL, dimensions), values)
        return tensor(operand_type, values)
    if operand_type == T.TENSOR_BOOL8:
        return tensor(operand_type, rng.choice((0, 0, 1, 1, 2, 255), dimensions))
    if operand_type == T.TENSOR_INT32:
        return tensor(operand_type, rng.integers(-5, 5, dimensions) * rng.choice((1, 10**6)))
    limits = np.iinfo(OPERAND_TYPES[operand_type].dtype)
    quantization = draw(quantizations(operand_type)) if OPERAND_TYPES[operand_type].is_quantized else (0.0, 0)
    return tensor(operand_type, rng.integers(limits.min, limits.max + 1, dimensions), *quantization)


def code_range(operand_type: int) -> tuple[int, int]:
    """Lowest and highest code of an 8-bit type."""
    return (0, 255) if operand_type == T.TENSOR_QUANT8_ASYMM else (-128, 127)


def flat(argument: Argument) -> list[Any]:
    """Elements as Python numbers, row-major."""
    values: list[Any] = argument.array.reshape(-1).tolist()
    return values


def assert_exact(result: Any, shape: Sequence[int], expected: Sequence[Any]) -> None:
    """Same shape and exactly the same numbers (NaN counts as equal)."""
    np.testing.assert_array_equal(result, np.array(expected, dtype=result.dtype).reshape(shape))


def assert_close(
    result: Any, shape: Sequence[int], expected: Sequence[Any], tolerance: tuple[float, float] | None = None
) -> None:
    """Same shape and numbers within ``tolerance`` (relative, absolute; by default that of the result's type)."""
    with np.errstate(over="ignore"):
        wanted = np.array(expected, dtype=np.float32).astype(result.dtype).reshape(shape)
    rtol, atol = tolerance or TOLERANCES[result.dtype.name]
    np.testing.assert_allclose(result, wanted, rtol=rtol, atol=atol)


def assert_fails(
    rule: str, status: ErrorStatus, operation: OperationType, inputs: Sequence[Argument], outputs: Sequence[Argument]
) -> None:
    """The operation fails with exactly this rule and status."""
    with pytest.raises(HalError) as caught:
        run_single(operation, inputs, outputs)
    assert (caught.value.rule, caught.value.status) == (rule, status)
