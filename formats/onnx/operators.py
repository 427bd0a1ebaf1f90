"""Table of the ONNX operators that can be converted: :data:`FUNCTIONS` has a function for each, which emits operations.

``reader.py`` looks the functions up; they are in the other modules of this package.

Source: the operators' own pages, https://onnx.ai/onnx/operators; feature maps are NCHW, which the contract has as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from nnvet.formats.onnx import elementwise, folding, linear, movement, pooling, quantised, reduction
from nnvet.formats.onnx.context import NodeContext
from nnvet.hal.types import OperationType as O

Function = Callable[[NodeContext], None]

FUNCTIONS: Final[Mapping[str, Function]] = {
    **{
        name: partial(elementwise.unary, O[kind or name.upper()])
        for name, kind in {
            **dict.fromkeys(("Abs", "Exp", "Floor", "Log", "Neg", "Sqrt", "Sin", "Tanh"), ""),
            "HardSwish": "HARD_SWISH",
            "Not": "LOGICAL_NOT",
            "Sigmoid": "LOGISTIC",
        }.items()
    },
    **{
        name: partial(elementwise.binary, O[kind or name.upper()])
        for name, kind in {
            **dict.fromkeys(("Equal", "Greater", "Less", "Mul", "PRelu", "Sub"), ""),
            "And": "LOGICAL_AND",
            "GreaterOrEqual": "GREATER_EQUAL",
            "LessOrEqual": "LESS_EQUAL",
            "Or": "LOGICAL_OR",
            "Xor": "NOT_EQUAL",
        }.items()
    },
    "Add": elementwise.add,
    "ArgMax": partial(reduction.argument, O.ARGMAX),
    "ArgMin": partial(reduction.argument, O.ARGMIN),
    "AveragePool": partial(pooling.pool, O.AVERAGE_POOL_2D),
    "BatchNormalization": linear.batch_normalization,
    "Cast": elementwise.cast,
    "CastLike": elementwise.cast,
    "Ceil": elementwise.ceiling,
    "Clip": elementwise.clip,
    "Concat": movement.concat,
    "Conv": linear.conv,
    "ConvTranspose": linear.conv_transpose,
    "CumSum": reduction.cumulate,
    "DepthToSpace": partial(movement.block, O.DEPTH_TO_SPACE),
    "DequantizeLinear": quantised.dequantize,
    "Div": elementwise.division,
    "Dropout": elementwise.dropout,
    "Elu": elementwise.elu,
    "Erf": elementwise.erf,
    "Expand": elementwise.expand,
    "Flatten": movement.flatten,
    "Gather": movement.gather,
    "GatherElements": movement.gather_elements,
    "GatherND": movement.gather_nd,
    "Gelu": elementwise.gelu,
    "Gemm": linear.gemm,
    "GlobalAveragePool": partial(pooling.global_pool, O.MEAN),
    "GlobalMaxPool": partial(pooling.global_pool, O.REDUCE_MAX),
    "GroupNormalization": reduction.group_normalization,
    "HardSigmoid": elementwise.hard_sigmoid,
    "Hardmax": reduction.hardmax,
    "Identity": elementwise.identity,
    "InstanceNormalization": reduction.instance_normalization,
    "IsInf": elementwise.is_infinite,
    "IsNaN": elementwise.is_nan,
    "LRN": pooling.response,
    "LeakyRelu": elementwise.leaky_relu,
    "LogSoftmax": partial(reduction.softmax, O.LOG_SOFTMAX),
    "LpNormalization": reduction.normalize_by_length,
    "MatMul": linear.matmul,
    "MatMulInteger": linear.matmul_integer,
    "Max": partial(elementwise.chained, O.MAXIMUM),
    "MaxPool": partial(pooling.pool, O.MAX_POOL_2D),
    "Mean": elementwise.mean_of_inputs,
    "MeanVarianceNormalization": reduction.mean_variance,
    "Min": partial(elementwise.chained, O.MINIMUM),
    "Mod": elementwise.modulo,
    "OneHot": movement.one_hot,
    "Pad": movement.pad,
    "Pow": elementwise.power,
    "QuantizeLinear": quantised.quantize,
    "Reciprocal": elementwise.reciprocal,
    "ReduceL1": partial(reduction.reduce, O.REDUCE_SUM, before=O.ABS),
    "ReduceL2": partial(reduction.reduce, O.REDUCE_SUM, before=O.MUL, after=O.SQRT),
    "ReduceLogSum": partial(reduction.reduce, O.REDUCE_SUM, after=O.LOG),
    "ReduceLogSumExp": partial(reduction.reduce, O.REDUCE_SUM, before=O.EXP, after=O.LOG),
    "ReduceMax": partial(reduction.reduce, O.REDUCE_MAX),
    "ReduceMean": partial(reduction.reduce, O.MEAN),
    "ReduceMin": partial(reduction.reduce, O.REDUCE_MIN),
    "ReduceProd": partial(reduction.reduce, O.REDUCE_PROD),
    "ReduceSum": partial(reduction.reduce, O.REDUCE_SUM),
    "ReduceSumSquare": partial(reduction.reduce, O.REDUCE_SUM, before=O.MUL),
    "Relu": elementwise.relu,
    "Reshape": movement.reshape,
    "Resize": pooling.resize,
    "Round": elementwise.round_half_even,
    "Selu": elementwise.selu,
    "Sign": elementwise.sign,
    "Slice": movement.slice_,
    "Softmax": partial(reduction.softmax, O.SOFTMAX),
    "Softplus": elementwise.softplus,
    "Softsign": elementwise.softsign,
    "SpaceToDepth": partial(movement.block, O.SPACE_TO_DEPTH),
    "Split": movement.split,
    "Squeeze": movement.squeeze,
    "Sum": partial(elementwise.chained, O.ADD),
    "Tile": movement.tile,
    "ThresholdedRelu": elementwise.thresholded_relu,
    "TopK": movement.top,
    "Transpose": movement.transpose,
    "Trilu": movement.triangle,
    "Unsqueeze": movement.unsqueeze,
    "Upsample": pooling.resize,
    "Where": elementwise.where,
}
"""The functions by operator."""

EXPANDED: Final = frozenset(
    [
        "Attention",
        "Celu",
        "CenterCropPad",
        "DynamicQuantizeLinear",
        "LayerNormalization",
        "Mish",
        "NegativeLogLikelihoodLoss",
        "RMSNormalization",
        "RotaryEmbedding",
        "SoftmaxCrossEntropyLoss",
        "SwiGLU",
        "Swish",
    ]
)
"""Operators that the package ``onnx`` replaces by simpler ones before the conversion."""
KNOWN: Final = frozenset(
    [*FUNCTIONS, *EXPANDED, *folding.SHAPES, *folding.KNOWN, "Constant", "QLinearConv", "QLinearMatMul"]
)
"""All operators that the reader knows."""
