"""Random boxes, scores and scalars for the tests of operations on boxes.

Numbers are coarse, so that float16 holds them and equal scores and overlaps at a threshold are common.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nnvet.hal.enums import OperandType as T
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations.elementwise import dequantize
from nnvet.oracle.operations.invocation import Tensor
from tests.kernels.random_operands import CODES, flat
from tests.single import output, tensor

KINDS = (T.TENSOR_FLOAT32, T.TENSOR_FLOAT16, *CODES)
BOX_KIND = {T.TENSOR_FLOAT32: T.TENSOR_FLOAT32, T.TENSOR_FLOAT16: T.TENSOR_FLOAT16} | dict.fromkeys(
    CODES, T.TENSOR_QUANT16_ASYMM
)
SIXTEEN_BIT = (T.TENSOR_QUANT16_ASYMM, T.TENSOR_QUANT16_SYMM)
QUANTIZATION = {T.TENSOR_QUANT8_ASYMM: (0.0625, 10), T.TENSOR_QUANT8_ASYMM_SIGNED: (0.0625, -118)}
"""Scale and zero point of 8-bit scores and deltas in tests."""


def coordinates(kind: T, values: Any) -> Argument:
    """A tensor of boxes, anchors or image sizes from real numbers, multiples of 1/8."""
    if kind in SIXTEEN_BIT:
        return tensor(kind, np.asarray(values) * 8, 0.125, 0)
    return tensor(kind, values)


def numbers(kind: T, values: Any) -> Argument:
    """A tensor of scores or deltas from real numbers, which 8-bit types round and cut off."""
    if kind not in CODES:
        return tensor(kind, values)
    scale, zero_point = QUANTIZATION[kind]
    limits = (0, 255) if kind == T.TENSOR_QUANT8_ASYMM else (-128, 127)
    return tensor(kind, np.clip(np.rint(np.asarray(values) / scale) + zero_point, *limits), scale, zero_point)


def scalar(kind: T, value: float) -> Argument:
    """A real scalar beside tensors of the main type ``kind``."""
    return tensor(T.FLOAT16 if kind == T.TENSOR_FLOAT16 else T.FLOAT32, value)


def like_numbers(kind: T) -> Argument:
    """An output with the quantisation of :func:`numbers`."""
    return output(kind, *QUANTIZATION.get(kind, (0.0, 0)))


def like_boxes(kind: T) -> Argument:
    """An output of boxes beside tensors of the main type ``kind``."""
    return output(BOX_KIND[kind], *((0.125, 0) if kind in CODES else (0.0, 0)))


def real(argument: Argument) -> Tensor:
    """Real numbers of an argument, for the second implementation."""
    values = flat(argument)
    if argument.scale:
        values = [dequantize(code, argument.scale, argument.zero_point) for code in values]
    return Tensor(values, argument.dimensions)


def random_boxes(rng: np.random.Generator, *shape: int, within: int = 24, smallest: float = 0.5) -> Any:
    """Boxes with sides of ``smallest`` and more, in steps of 1/2."""
    corners = rng.integers(0, within, (*shape, 2)) / 2
    return np.concatenate([corners, corners + smallest + rng.integers(0, within, (*shape, 2)) / 2], axis=-1)


def random_scores(rng: np.random.Generator, *shape: int) -> Any:
    """Multiples of 1/16 from 0 to 1."""
    return rng.integers(0, 17, shape) / 16
