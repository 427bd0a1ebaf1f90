"""Every operator that can be converted computes the same on the reference driver as on LiteRT.

Expected values come from LiteRT's reference kernels (``ai_edge_litert``), run on the very file that is converted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from models.tflite.operators.registry import FUNCTIONS
from models.tflite.writer import ModelWriter


@dataclass(frozen=True, eq=False)
class T:
    """A tensor of a case: an input unless it has a value, is variable, or is an output."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    scale: Any = ()
    zero_point: int = 0
    axis: int = 0
    value: Any = None
    variable: bool = False
    positive: bool = False


@dataclass(frozen=True, eq=False)
class Case:
    """One operator: its tensors (None: omitted), its options, and how far 8-bit codes may be apart."""

    operator: str
    inputs: list[T | None]
    outputs: list[T]
    options: dict[str, Any] = field(default_factory=dict)
    codes: int = 0
    version: int = 1
    name: str = ""


def f(*shape: int) -> T:
    """A float tensor."""
    return T(shape)


def pos(*shape: int) -> T:
    """A float tensor of positive numbers."""
    return T(shape, positive=True)


def q(*shape: int, scale: float = 0.05, zp: int = 120, dtype: str = "uint8") -> T:
    """A uint8 tensor."""
    return T(shape, dtype, scale, zp)


def s(*shape: int, scale: float = 0.05, zp: int = -3) -> T:
    """An int8 tensor."""
    return T(shape, "int8", scale, zp)


def i32(*shape: int) -> T:
    """An int32 tensor."""
    return T(shape, "int32")


def b(*shape: int) -> T:
    """A bool tensor."""
    return T(shape, "bool")


def c(value: Any, dtype: str = "int32", **quantization: Any) -> T:
    """A constant."""
    array = np.asarray(value, dtype=dtype)
    return T(array.shape, dtype, value=array, **quantization)


def w(*shape: int, seed: int = 1, scale: float = 0.5) -> T:
    """A float constant of random numbers."""
    return c(np.random.default_rng(seed).normal(0, scale, shape), "float32")


def w8(*shape: int, dtype: str = "uint8", seed: int = 2, **quantization: Any) -> T:
    """An 8-bit constant of random codes."""
    info = np.iinfo(dtype)
    return c(np.random.default_rng(seed).integers(max(info.min, -127), info.max, shape), dtype, **quantization)


def bias(count: int, seed: int = 3) -> T:
    """An int32 constant of random numbers with scale 0.001 (that of 0.05 * 0.02)."""
    return c(np.random.default_rng(seed).integers(-2000, 2000, count), "int32", scale=0.001)


def state(*shape: int) -> T:
    """A variable tensor."""
    return T(shape, variable=True)


CONV = {"padding": 0, "stride_w": 1, "stride_h": 1}
POOL = {"padding": 0, "stride_w": 2, "stride_h": 1, "filter_width": 3, "filter_height": 2}
CHANNEL = {"scale": (0.01, 0.02, 0.04), "axis": 0}
CHANNEL3 = {"scale": (0.01, 0.02, 0.04, 0.03), "axis": 3}
SIG8 = {"scale": 1 / 256, "zp": 0}
NORM = {"scale": 1 / 128, "zp": 128}
U = 5
O_ = 4


def lstm_weights(*, cifg: bool, peephole: bool, projection: bool, inputs: int = 3) -> list[T | None]:
    """Inputs 1 to 19 of an LSTM of 5 units; 4 outputs with projection."""
    out = O_ if projection else U
    first = None if cifg else w(U, inputs, seed=11)
    recurrent = None if cifg else w(U, out, seed=12)
    peepholes: list[T | None] = [None if cifg else w(U, seed=13), w(U, seed=14), w(U, seed=15)]
    return [
        first,
        *(w(U, inputs, seed=20 + n) for n in range(3)),
        recurrent,
        *(w(U, out, seed=30 + n) for n in range(3)),
        *(peepholes if peephole else [None] * 3),
        None if cifg else w(U, seed=40),
        *(w(U, seed=41 + n) for n in range(3)),
        w(O_, U, seed=50) if projection else None,
        w(O_, seed=51) if projection else None,
        state(1, out),
        state(1, U),
    ]


LSTM = {"activation": 4, "cell_clip": 0.8, "proj_clip": 0.3}
BIDI = [*lstm_weights(cifg=False, peephole=False, projection=False)[:17]]
CASES = [
    *(Case(op, [f(2, 3), f(3)], [f(2, 3)], {"activation": code}) for op in ("ADD", "SUB", "MUL", "DIV") for code in range(4)),
    *(Case(op, [q(2, 3), q(1, 3, scale=0.1, zp=7)], [q(2, 3, scale=0.2, zp=90)], {"activation": 1}) for op in ("ADD", "SUB", "MUL")),
    *(Case(op, [s(2, 3), s(2, 3, scale=0.1, zp=7)], [s(2, 3, scale=0.2, zp=10)]) for op in ("ADD", "SUB", "MUL")),
    *(Case(op, [i32(2, 3), i32(2, 3)], [i32(2, 3)]) for op in ("ADD", "SUB", "MUL")),
    Case("ADD", [f(1, 2), c(2.5, "float32")], [f(1, 2)], name="scalar constant"),
    Case("ADD_N", [f(2, 3), f(2, 3), f(2, 3)], [f(2, 3)]),
    *(Case(op, [f(2, 3)], [f(2, 3)]) for op in ("ABS", "NEG", "EXP", "FLOOR", "SIN", "ELU", "RELU", "RELU6", "RELU_N1_TO_1", "LOGISTIC", "TANH", "HARD_SWISH", "SQUARE", "LOG_SOFTMAX", "L2_NORMALIZATION")),
    *(Case(op, [pos(2, 3)], [f(2, 3)]) for op in ("LOG", "SQRT", "RSQRT")),
    *(Case(op, [q(2, 9)], [q(2, 9)]) for op in ("RELU", "RELU6", "RELU_N1_TO_1")),
    *(Case(op, [s(2, 9)], [s(2, 9)]) for op in ("RELU", "RELU6")),
    Case("LOGISTIC", [q(2, 9)], [q(2, 9, **SIG8)]),
    Case("LOGISTIC", [s(2, 9)], [s(2, 9, scale=1 / 256, zp=-128)]),
    Case("TANH", [q(2, 9)], [q(2, 9, **NORM)]),
    Case("TANH", [s(2, 9)], [s(2, 9, scale=1 / 128, zp=0)]),
    Case("HARD_SWISH", [q(2, 9)], [q(2, 9, scale=0.04, zp=20)]),
    Case("HARD_SWISH", [s(2, 9)], [s(2, 9, scale=0.04, zp=20)]),
    Case("L2_NORMALIZATION", [q(2, 9)], [q(2, 9, **NORM)]),
    Case("LEAKY_RELU", [f(2, 3)], [f(2, 3)], {"alpha": 0.1}),
    Case("LEAKY_RELU", [q(2, 9)], [q(2, 9, scale=0.04, zp=20)], {"alpha": 0.1}),
    Case("LEAKY_RELU", [s(2, 9)], [s(2, 9, scale=0.04, zp=20)], {"alpha": 0.3}),
    Case("PRELU", [f(1, 2, 3, 2), w(1, 1, 2)], [f(1, 2, 3, 2)]),
    Case("PRELU", [q(1, 2, 3, 2), w8(1, 1, 2, scale=0.01, zero_point=100)], [q(1, 2, 3, 2, scale=0.06, zp=99)]),
    Case("POW", [pos(2, 3), f(2, 3)], [f(2, 3)]),
    Case("SQUARED_DIFFERENCE", [f(2, 3), f(1, 3)], [f(2, 3)]),
    Case("FLOOR_DIV", [f(2, 3), pos(2, 3)], [f(2, 3)]),
    Case("FLOOR_DIV", [i32(2, 3), c([[3, -4, 5]])], [i32(2, 3)]),
    *(Case(op, [f(2, 3), f(2, 3)], [f(2, 3)]) for op in ("MAXIMUM", "MINIMUM")),
    *(Case(op, [q(2, 3), q(1, 3)], [q(2, 3)], codes=0) for op in ("MAXIMUM", "MINIMUM")),
    *(
        Case(op, [f(2, 3), f(1, 3)], [b(2, 3)])
        for op in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
    ),
    *(Case(op, [i32(2, 30), i32(2, 30)], [b(2, 30)]) for op in ("EQUAL", "LESS")),
    *(Case(op, [q(2, 30), q(2, 30)], [b(2, 30)]) for op in ("NOT_EQUAL", "GREATER")),
    *(Case(op, [b(2, 3), b(2, 3)], [b(2, 3)]) for op in ("LOGICAL_AND", "LOGICAL_OR")),
    Case("LOGICAL_NOT", [b(2, 3)], [b(2, 3)]),
    Case("SELECT", [b(2, 3), f(2, 3), f(2, 3)], [f(2, 3)]),
    Case("SELECT_V2", [b(2, 3), q(2, 3), q(2, 3)], [q(2, 3)], codes=0),
    *(Case("CONV_2D", [f(1, 5, 6, 2), w(3, 2, 3, 2), w(3)], [f(1, 5, 6, 3)], {**CONV, "activation": a}) for a in range(4)),
    Case("CONV_2D", [f(2, 7, 6, 2), w(3, 2, 3, 2), w(3)], [f(2, 5, 2, 3)], {"padding": 1, "stride_w": 1, "stride_h": 1, "dilation_w_factor": 2, "dilation_h_factor": 2}, name="dilated"),
    Case("CONV_2D", [f(1, 5, 6, 2), w(3, 2, 3, 2), w(3)], [f(1, 3, 3, 3)], {"padding": 0, "stride_w": 2, "stride_h": 2}, name="strided"),
    Case("CONV_2D", [f(1, 5, 6, 4), w(6, 2, 3, 2), w(6)], [f(1, 5, 6, 6)], CONV, name="grouped"),
    Case("CONV_2D", [q(1, 5, 6, 2), w8(3, 2, 3, 2, scale=0.02, zero_point=130), bias(3)], [q(1, 5, 6, 3, scale=0.2, zp=100)], {**CONV, "activation": 3}),
    Case("CONV_2D", [s(1, 5, 6, 2), w8(3, 2, 3, 2, dtype="int8", **CHANNEL), bias(3)], [s(1, 5, 6, 3, scale=0.2, zp=4)], CONV, name="per channel"),
    Case("CONV_2D", [s(1, 5, 6, 2), w8(3, 2, 3, 2, dtype="int8", scale=0.02), bias(3)], [s(1, 5, 6, 3, scale=0.2, zp=4)], CONV, name="int8 per tensor"),
    Case("DEPTHWISE_CONV_2D", [f(1, 5, 6, 2), w(1, 2, 3, 4), w(4)], [f(1, 5, 6, 4)], {**CONV, "depth_multiplier": 2, "activation": 3}),
    Case("DEPTHWISE_CONV_2D", [f(1, 7, 7, 2), w(1, 2, 3, 2), w(2)], [f(1, 7, 7, 2)], {**CONV, "depth_multiplier": 1, "dilation_w_factor": 2, "dilation_h_factor": 3}, name="dilated"),
    Case("DEPTHWISE_CONV_2D", [q(1, 5, 6, 2), w8(1, 2, 3, 4, scale=0.02, zero_point=130), bias(4)], [q(1, 5, 6, 4, scale=0.2)], {**CONV, "depth_multiplier": 2}),
    Case("DEPTHWISE_CONV_2D", [s(1, 5, 6, 2), w8(1, 2, 3, 4, dtype="int8", **CHANNEL3), bias(4)], [s(1, 5, 6, 4, scale=0.2)], {**CONV, "depth_multiplier": 2}, name="per channel"),
    Case("TRANSPOSE_CONV", [c([1, 6, 8, 3]), w(3, 3, 3, 2), f(1, 3, 4, 2)], [f(1, 6, 8, 3)], {"padding": 0, "stride_w": 2, "stride_h": 2}),
    Case("TRANSPOSE_CONV", [c([1, 7, 9, 3]), w8(3, 3, 3, 2, dtype="int8", **CHANNEL), s(1, 3, 4, 2), bias(3)], [s(1, 7, 9, 3, scale=0.2)], {"padding": 1, "stride_w": 2, "stride_h": 2}, version=3),
    Case("FULLY_CONNECTED", [f(2, 3), w(4, 3), w(4)], [f(2, 4)], {"activation": 1}),
    Case("FULLY_CONNECTED", [f(2, 2, 3), w(4, 3), None], [f(4, 4)], name="flattened without bias"),
    Case("FULLY_CONNECTED", [f(2, 2, 3), w(4, 3), w(4)], [f(2, 2, 4)], {"keep_num_dims": True}, version=5, name="dimensions kept"),
    Case("FULLY_CONNECTED", [q(2, 3), w8(4, 3, scale=0.02, zero_point=130), bias(4)], [q(2, 4, scale=0.1)]),
    Case("FULLY_CONNECTED", [s(2, 3), w8(4, 3, dtype="int8", scale=0.02), bias(4)], [s(2, 4, scale=0.1)], version=4),
    Case("BATCH_MATMUL", [f(2, 3, 4), f(2, 4, 5)], [f(2, 3, 5)]),
    Case("BATCH_MATMUL", [f(2, 4, 3), f(2, 5, 4)], [f(2, 3, 5)], {"adj_x": True, "adj_y": True}, name="adjoint"),
    *(Case(op, [f(1, 5, 6, 2)], [f(1, 5, 3, 2)], POOL) for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D")),
    *(Case(op, [q(1, 5, 6, 2)], [q(1, 5, 3, 2)], POOL) for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D")),
    *(Case(op, [s(1, 5, 6, 2)], [s(1, 5, 3, 2)], POOL) for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D")),
    Case("SOFTMAX", [f(2, 7)], [f(2, 7)], {"beta": 1.5}),
    Case("SOFTMAX", [q(2, 7)], [q(2, 7, **SIG8)], {"beta": 1.0}),
    Case("SOFTMAX", [s(2, 7)], [s(2, 7, scale=1 / 256, zp=-128)], {"beta": 1.0}),
    Case("LOCAL_RESPONSE_NORMALIZATION", [f(1, 2, 2, 6)], [f(1, 2, 2, 6)], {"radius": 2, "bias": 1.0, "alpha": 0.5, "beta": 0.5}),
    Case("RESHAPE", [f(2, 6), c([3, -1])], [f(3, 4)]),
    Case("RESHAPE", [q(2, 6)], [q(3, 4)], {"new_shape": np.asarray([3, 4])}, codes=0, name="shape as option"),
    Case("SQUEEZE", [f(1, 2, 1, 3)], [f(2, 1, 3)], {"squeeze_dims": np.asarray([0])}),
    Case("SQUEEZE", [f(1, 2, 1, 3)], [f(2, 3)], name="all"),
    Case("SQUEEZE", [f(2, 3)], [f(2, 3)], name="none"),
    Case("EXPAND_DIMS", [f(2, 3), c([-1])], [f(2, 3, 1)]),
    Case("TRANSPOSE", [f(2, 3, 4), c([2, 0, 1])], [f(4, 2, 3)]),
    Case("TRANSPOSE", [q(2, 3), c([1, 0])], [q(3, 2)], codes=0),
    Case("SLICE", [f(4, 5), c([1, 2]), c([2, -1])], [f(2, 3)]),
    Case("STRIDED_SLICE", [f(4, 6), c([1, 5]), c([4, 0]), c([2, -2])], [f(2, 3)]),
    Case("STRIDED_SLICE", [f(4, 6), c([-1, 0]), c([0, 9]), c([1, 1])], [f(6)], {"shrink_axis_mask": 1, "begin_mask": 2, "end_mask": 2}, name="shrunk"),
    Case("STRIDED_SLICE", [f(4, 6), c([1]), c([3]), c([1])], [f(2, 6)], name="trailing dimensions"),
    Case("SPLIT", [c(1), f(2, 6)], [f(2, 3), f(2, 3)], {"num_splits": 2}),
    Case("SPLIT_V", [f(2, 6), c([1, -1, 2]), c(1)], [f(2, 1), f(2, 3), f(2, 2)], {"num_splits": 3}),
    Case("UNPACK", [f(3, 2)], [f(2), f(2), f(2)], {"num": 3, "axis": 0}),
    Case("UNPACK", [q(2, 2)], [q(2), q(2)], {"num": 2, "axis": -1}, codes=0),
    Case("PACK", [f(2, 3), f(2, 3)], [f(2, 2, 3)], {"values_count": 2, "axis": -2}),
    Case("CONCATENATION", [f(2, 3), f(2, 1)], [f(2, 4)], {"axis": -1}),
    Case("CONCATENATION", [q(2, 3), q(2, 1, scale=0.1, zp=10)], [q(2, 4, scale=0.07, zp=80)], {"axis": 1}),
    Case("GATHER", [f(4, 3), c([3, 0, 3])], [f(3, 3)]),
    Case("GATHER", [f(4, 3), c([[1], [2]])], [f(4, 2, 1)], {"axis": 1}),
    Case("GATHER", [f(4, 3), c(2)], [f(3)], name="scalar index"),
    Case("GATHER", [f(4, 3), c([3, 0], "int64")], [f(2, 3)], name="64-bit indices"),
    Case("TILE", [f(2, 3), c([2, 1])], [f(4, 3)]),
    Case("FILL", [c([2, 3]), c(1.5, "float32")], [f(2, 3)]),
    Case("REVERSE_V2", [f(2, 3), c([-1])], [f(2, 3)], name="negative axis"),
    Case("PAD", [f(2, 3), c([[1, 0], [2, 1]])], [f(3, 6)]),
    Case("PAD", [q(2, 3), c([[1, 0], [2, 1]], "int64")], [q(3, 6)], codes=0, name="64-bit paddings"),
    Case("PADV2", [f(2, 3), c([[1, 0], [2, 1]]), c(1.5, "float32")], [f(3, 6)]),
    Case("PADV2", [q(2, 3), c([[1, 0], [2, 1]]), c([33], "uint8", scale=0.05, zero_point=120)], [q(3, 6)], codes=0, version=2),
    Case("MIRROR_PAD", [f(3, 4), c([[1, 2], [2, 0]])], [f(6, 6)], {"mode": 0}),
    Case("MIRROR_PAD", [f(3, 4), c([[1, 2], [2, 0]])], [f(6, 6)], {"mode": 1}, name="symmetric"),
    Case("SPACE_TO_DEPTH", [f(1, 4, 6, 2)], [f(1, 2, 3, 8)], {"block_size": 2}),
    Case("DEPTH_TO_SPACE", [f(1, 2, 3, 8)], [f(1, 4, 6, 2)], {"block_size": 2}),
    Case("SPACE_TO_BATCH_ND", [f(1, 3, 4, 2), c([2, 2]), c([[1, 0], [0, 2]])], [f(4, 2, 3, 2)]),
    Case("BATCH_TO_SPACE_ND", [f(4, 2, 3, 2), c([2, 2]), c([[0, 0], [0, 0]])], [f(1, 4, 6, 2)]),
    Case("BATCH_TO_SPACE_ND", [f(4, 2, 3, 2), c([2, 2]), c([[1, 0], [0, 2]])], [f(1, 3, 4, 2)], name="cropped"),
    *(Case(op, [f(2, 3, 4), c([1])], [f(2, 4)]) for op in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD")),
    *(Case(op, [f(2, 3, 4), c([0, -1])], [f(1, 3, 1)], {"keep_dims": True}) for op in ("MEAN", "SUM", "REDUCE_MAX")),
    *(Case(op, [b(2, 3), c([1])], [b(2)]) for op in ("REDUCE_ANY", "REDUCE_ALL")),
    Case("REDUCE_MAX", [q(2, 3, 4), c([1])], [q(2, 4)], codes=0),
    Case("MEAN", [q(1, 3, 4, 2), c([1, 2])], [q(1, 1, 1, 2)], {"keep_dims": True}),
    Case("SUM", [f(2, 3), c(1)], [f(2)], name="scalar axis"),
    Case("ARG_MAX", [f(2, 7), c(1)], [i32(2)], {"output_type": 2}),
    Case("ARG_MIN", [q(2, 7), c([-1])], [i32(2)], {"output_type": 2}),
    Case("TOPK_V2", [f(2, 7), c(3)], [f(2, 3), i32(2, 3)]),
    Case("CAST", [i32(2, 3)], [f(2, 3)], {"in_data_type": 2, "out_data_type": 0}),
    Case("CAST", [f(2, 3)], [i32(2, 3)], {"in_data_type": 0, "out_data_type": 2}),
    Case("QUANTIZE", [f(2, 3)], [q(2, 3)]),
    Case("QUANTIZE", [f(2, 3)], [s(2, 3)]),
    Case("QUANTIZE", [q(2, 9)], [s(2, 9, scale=0.05, zp=-8)], codes=0, version=2, name="shifted"),
    Case("DEQUANTIZE", [q(2, 3)], [f(2, 3)]),
    Case("DEQUANTIZE", [s(2, 3)], [f(2, 3)], version=2),
    Case("DEQUANTIZE", [T((2, 3), "float16")], [f(2, 3)], version=3, name="computed float16"),
    *(
        Case(op, [f(1, 4, 5, 2), c([7, 8])], [f(1, 7, 8, 2)], flags, version=3, name=f"{flags}")
        for op in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR")
        for flags in ({}, {"align_corners": True}, {"half_pixel_centers": True})
    ),
    Case("RESIZE_BILINEAR", [q(1, 4, 5, 2), c([7, 8])], [q(1, 7, 8, 2)]),
    Case("EMBEDDING_LOOKUP", [c([2, 0, 2]), f(3, 4)], [f(3, 4)]),
    Case("HASHTABLE_LOOKUP", [c([4, 7, 9]), c([4, 5, 9]), f(3, 2)], [f(3, 2), T((3,), "uint8")]),
    Case("RNN", [f(1, 3), w(4, 3), w(4, 4), w(4), state(1, 4)], [f(1, 4)], {"activation": 4}),
    Case("UNIDIRECTIONAL_SEQUENCE_RNN", [f(1, 6, 3), w(4, 3), w(4, 4), w(4), state(1, 4)], [f(1, 6, 4)], {"activation": 1}),
    Case("UNIDIRECTIONAL_SEQUENCE_RNN", [f(6, 1, 3), w(4, 3), w(4, 4), w(4), state(1, 4)], [f(6, 1, 4)], {"activation": 4, "time_major": True}, name="time major"),
    Case("BIDIRECTIONAL_SEQUENCE_RNN", [f(1, 6, 3), w(4, 3), w(4, 4), w(4), state(1, 4), w(2, 3), w(2, 2), w(2), state(1, 2), None, None, None], [f(1, 6, 4), f(1, 6, 2)], {"activation": 4}),
    Case("BIDIRECTIONAL_SEQUENCE_RNN", [f(1, 6, 3), w(4, 3), w(4, 4), w(4), state(1, 4), w(2, 3), w(2, 2), w(2), state(1, 2), None, None, None], [f(1, 6, 6)], {"activation": 4, "merge_outputs": True}, name="merged"),
    Case("SVDF", [f(2, 3), w(4, 3), w(4, 5), w(2), state(2, 20)], [f(2, 2)], {"rank": 2, "activation": 1}),
    *(
        Case("LSTM", [f(1, 3), *lstm_weights(cifg=cifg, peephole=peephole, projection=projection)], [f(1, O_ if projection else U)], LSTM, name=f"{cifg} {peephole} {projection}")
        for cifg in (False, True)
        for peephole in (False, True)
        for projection in (False, True)
    ),
    Case("LSTM", [f(1, 3), *lstm_weights(cifg=False, peephole=True, projection=True), *(w(U, seed=60 + n) for n in range(4))], [f(1, O_)], LSTM, name="layer norm"),
    Case("UNIDIRECTIONAL_SEQUENCE_LSTM", [f(1, 6, 3), *lstm_weights(cifg=False, peephole=False, projection=True)], [f(1, 6, O_)], LSTM),
    Case("UNIDIRECTIONAL_SEQUENCE_LSTM", [f(6, 1, 3), *lstm_weights(cifg=True, peephole=True, projection=False)], [f(6, 1, U)], {**LSTM, "time_major": True}, name="time major"),
    Case("BIDIRECTIONAL_SEQUENCE_LSTM", [f(6, 1, 3), *BIDI, *BIDI, state(1, U), state(1, U), state(1, U), state(1, U), *[None] * 9], [f(6, 1, U), f(6, 1, U)], LSTM),
    Case("BIDIRECTIONAL_SEQUENCE_LSTM", [f(6, 1, 3), *BIDI, *BIDI, state(1, U), state(1, U), state(1, U), state(1, U), *[None] * 9], [f(6, 1, 2 * U)], {**LSTM, "merge_outputs": True}, name="merged"),
]


def build(case: Case) -> tuple[bytes, list[T]]:
    """The case as a file, and its inputs."""
    writer = ModelWriter()
    indexes: list[int] = []
    given: list[tuple[int, T]] = []
    for number, tensor in enumerate(case.inputs):
        if tensor is None:
            indexes.append(-1)
            continue
        quantization = {"scale": tensor.scale, "zero_point": tensor.zero_point, "axis": tensor.axis}
        index = writer.tensor(f"in{number}", tensor.shape, tensor.dtype, data=tensor.value, is_variable=tensor.variable, **quantization)
        indexes.append(index)
        if tensor.value is None and not tensor.variable:
            given.append((index, tensor))
    if not given:
        # A model needs an input, even if the operator has constants alone.
        extra = f(1)
        given.append((writer.tensor("unused", extra.shape), extra))
        writer.operator("ABS", [given[0][0]], [writer.tensor("unused_too", (1,))])
    outputs = [writer.tensor(f"out{n}", t.shape, t.dtype, scale=t.scale, zero_point=t.zero_point) for n, t in enumerate(case.outputs)]
    writer.operator(case.operator, indexes, outputs, version=case.version, **case.options)
    return writer.finish([index for index, _ in given], outputs), [tensor for _, tensor in given]


def random_input(tensor: T, rng: np.random.Generator) -> Any:
    """Values of the tensor's type; floats around 0, or positive where the operator wants that."""
    if tensor.dtype.startswith("float"):
        values = rng.normal(0, 2, tensor.shape)
        return (np.abs(values) + 0.1 if tensor.positive else values).astype(tensor.dtype)
    if tensor.dtype == "bool":
        return rng.integers(0, 2, tensor.shape).astype(bool)
    low, high = (-9, 10) if tensor.dtype == "int32" else (np.iinfo(tensor.dtype).min, np.iinfo(tensor.dtype).max + 1)
    return rng.integers(low, high, tensor.shape).astype(tensor.dtype)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.operator} {case.inputs[0].dtype if case.inputs[0] else ''} {case.name}".strip())
def test_computes_as_litert(case: Case, on_litert: Callable[..., Any], on_driver: Callable[..., Any]) -> None:
    """Three steps in a row (states go on) give LiteRT's outputs: floats within rounding, 8-bit codes within one."""
    data, inputs = build(case)
    rng = np.random.default_rng(7)
    steps = [[random_input(tensor, rng) for tensor in inputs] for _ in range(3)]
    for expected, actual in zip(on_litert(data, steps), on_driver(data, steps), strict=True):
        for left, right in zip(expected, actual, strict=True):
            assert left.shape == right.shape or left.shape == ()
            if left.dtype.kind == "f":
                np.testing.assert_allclose(right.reshape(left.shape), left, rtol=2e-6, atol=2e-6)
            else:
                allowed = case.codes if left.dtype.itemsize == 1 else 0
                assert np.abs(right.reshape(left.shape).astype(int) - left.astype(int)).max() <= allowed


def test_all_operators_are_covered() -> None:
    """Every operator that can be converted has a case here."""
    assert {case.operator for case in CASES} == set(FUNCTIONS)
