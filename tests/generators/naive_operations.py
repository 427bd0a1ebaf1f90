"""The operations of random graphs in plain loops: what a model of one operation has to compute.

Operands are read by their positions, as docs/contract/operations lists them, not through the declarations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from nnvet.generators.graphs.model import TestModel, TestOperand
from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.oracle.operations import (
    activation,
    arithmetic,
    assembly,
    blocks,
    comparison,
    convolution,
    dense,
    elementwise,
    extremum,
    keypoint,
    lookup,
    normalization,
    padding,
    pooling,
    quantization,
    reduction,
    reshaping,
    resize,
    roi,
    slicing,
)
from nnvet.oracle.operations.fused_activation import activate
from nnvet.oracle.operations.indexing import groups, reduced_shape, slices
from nnvet.oracle.operations.tensor import Tensor, build, to_nchw, to_nhwc

Naive = Callable[["Inputs"], Any]
_FLOAT_MAX = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Inputs:
    """The inputs of an operation by position. ``explicit``: its paddings are given one by one."""

    name: str
    operands: Sequence[TestOperand]
    outputs: Sequence[TestOperand]
    explicit: bool

    def __len__(self) -> int:
        """How many there are."""
        return len(self.operands)

    def kind(self, index: int) -> OperandType:
        """Type of an input."""
        return OperandType(self.operands[index].type)

    def list(self, index: int) -> Any:
        """Elements of an input, row-major."""
        data = self.operands[index].data
        assert data is not None
        return data.tolist()

    def number(self, index: int) -> Any:
        """The value of a scalar."""
        (value,) = self.list(index)
        return value

    def tensor(self, index: int) -> Tensor:
        """An input with its dimensions."""
        return Tensor(self.list(index), self.operands[index].dimensions)


def inputs_of(test: TestModel, *, explicit: bool) -> Inputs:
    """The inputs of a model of one operation."""
    (operation,) = test.main.operations
    operands = test.main.operands
    return Inputs(
        O(operation.type).name,
        [operands[index] for index in operation.inputs],
        [operands[index] for index in operation.outputs],
        explicit,
    )


def expected_outputs(inputs: Inputs) -> list[Tensor]:
    """What the operation computes."""
    result = NAIVE[O[inputs.name]](inputs)
    return [result] if isinstance(result, Tensor) else list(result)


def _each(of: Callable[[Any], Any], inputs: Inputs) -> Tensor:
    source = inputs.tensor(0)
    return Tensor([of(x) for x in source.values], source.dims)


def _image(inputs: Inputs, *, nchw: bool) -> Tensor:
    return to_nhwc(inputs.tensor(0)) if nchw else inputs.tensor(0)


def _laid_out(tensor: Tensor, *, nchw: bool) -> Tensor:
    return to_nchw(tensor) if nchw else tensor


def _arithmetic(inputs: Inputs) -> Tensor:
    if inputs.kind(0) == OperandType.TENSOR_INT32:
        of: Any = partial(arithmetic.of_integers, inputs.name)
    else:
        code = inputs.number(2)

        def of(x: float, y: float) -> float:
            return arithmetic.of_floats(inputs.name, x, y, code)

    return arithmetic.broadcast(inputs.tensor(0), inputs.tensor(1), of)


def _pairs(of: Callable[[Any, Any], Any], inputs: Inputs) -> Tensor:
    return arithmetic.broadcast(inputs.tensor(0), inputs.tensor(1), of)


def _select(inputs: Inputs) -> Tensor:
    condition, yes, no = (inputs.tensor(i) for i in range(3))
    chosen = [y if c else n for c, y, n in zip(condition.values, yes.values, no.values, strict=True)]
    return Tensor(chosen, condition.dims)


def _converted(inputs: Inputs) -> Tensor:
    source, target = inputs.operands[0], inputs.outputs[0]
    limits = type_info(target.type).dtype

    def of(x: Any) -> Any:
        if inputs.name == "CAST":
            same = source.type == target.type
            return x if same else quantization.cast(x, limits)
        if inputs.name == "DEQUANTIZE":
            return quantization.dequantize(x, source.scale, source.zero_point)
        info = np.iinfo(limits)
        return quantization.quantize(x, (target.scale, target.zero_point), int(info.min), int(info.max))

    return _each(of, inputs)


def _steps(
    inputs: Inputs, at: int, image: Tensor, cells: tuple[int, int], dilation: tuple[int, int] = (1, 1)
) -> convolution.Steps:
    """Paddings and strides that begin at a position; dilations are width before height."""
    if inputs.explicit:
        left, right, top, bottom, across, down = (inputs.number(at + i) for i in range(6))
        return convolution.Steps((left, right, top, bottom), (across, down), dilation)
    scheme, across, down = (inputs.number(at + i) for i in range(3))
    vertical = horizontal = (0, 0)
    if scheme == 1:
        vertical = convolution.same_padding(image.dims[1], cells[0], down, dilation[1])
        horizontal = convolution.same_padding(image.dims[2], cells[1], across, dilation[0])
    return convolution.Steps((*horizontal, *vertical), (across, down), dilation)


def _convolution(inputs: Inputs, extra: int) -> Tensor:
    """Convolutions with ``extra`` numbers between strides and activation."""
    activation_at = (9 if inputs.explicit else 6) + extra
    rest = len(inputs) - activation_at - 1
    nchw = bool(rest and inputs.number(activation_at + 1))
    dilation = (inputs.number(activation_at + 2), inputs.number(activation_at + 3)) if rest > 1 else (1, 1)
    image, weights, bias = _image(inputs, nchw=nchw), inputs.tensor(1), inputs.list(2)
    steps = _steps(inputs, 3, image, (weights.dims[1], weights.dims[2]), dilation)
    if inputs.name == "DEPTHWISE_CONV_2D":
        result = convolution.depthwise(image, weights, bias, steps, inputs.number(activation_at - 1))
    else:
        count = inputs.number(activation_at - 1) if extra else 1
        result = convolution.grouped(image, weights, bias, steps, count)
    return _laid_out(_activated(result, inputs.number(activation_at)), nchw=nchw)


def _activated(tensor: Tensor, code: int) -> Tensor:
    return Tensor([activate(x, code) for x in tensor.values], tensor.dims)


def _transposed(inputs: Inputs) -> Tensor:
    nchw = bool(inputs.number(len(inputs) - 1))
    image, weights, bias = _image(inputs, nchw=nchw), inputs.tensor(1), inputs.list(2)
    if inputs.explicit:
        left, right, top, bottom, across, down = (inputs.number(3 + i) for i in range(6))
    else:
        shape, (scheme, across, down) = inputs.list(3), (inputs.number(4 + i) for i in range(3))
        height, width = shape[2:] if nchw else shape[1:3]
        left = right = top = bottom = 0
        if scheme == 1:
            left, right = convolution.transposed_same_padding(width, weights.dims[2], across)
            top, bottom = convolution.transposed_same_padding(height, weights.dims[1], down)
    steps = convolution.Steps((left, right, top, bottom), (across, down))
    result = convolution.transposed(image, weights, bias, steps)
    return _laid_out(_activated(result, inputs.number(len(inputs) - 2)), nchw=nchw)


def _fully_connected(inputs: Inputs) -> Tensor:
    return _activated(dense.fully_connected(inputs.tensor(0), inputs.tensor(1), inputs.list(2)), inputs.number(3))


def _pool(of: Callable[[Sequence[Any]], Any], inputs: Inputs) -> Tensor:
    at = 7 if inputs.explicit else 4
    nchw = bool(len(inputs) > at + 3 and inputs.number(at + 3))
    image, cells = _image(inputs, nchw=nchw), (inputs.number(at + 1), inputs.number(at))
    result = pooling.pool(image, cells, _steps(inputs, 1, image, cells), of)
    return _laid_out(_activated(result, inputs.number(at + 2)), nchw=nchw)


def _along(of: Callable[[list[float]], list[float]], inputs: Inputs, axis: int) -> Tensor:
    """Every slice along an axis made anew."""
    source = inputs.tensor(0)
    values = list(source.values)
    for places in slices(source.dims, axis):
        for place, value in zip(places, of([source.values[place] for place in places]), strict=True):
            values[place] = value
    return Tensor(values, source.dims)


def _last(inputs: Inputs, at: int) -> int:
    """The axis at a position, the last one where there is none."""
    return int(inputs.number(at)) if len(inputs) > at else -1


def _softmax(inputs: Inputs) -> Tensor:
    return _along(lambda x: normalization.softmax(x, inputs.number(1)), inputs, _last(inputs, 2))


def _log_softmax(inputs: Inputs) -> Tensor:
    return _along(lambda x: normalization.log_softmax(x, inputs.number(1), float), inputs, inputs.number(2))


def _local_response(inputs: Inputs) -> Tensor:
    radius, bias, alpha, beta = (inputs.number(i) for i in range(1, 5))
    of = partial(normalization.local_response_normalization, radius=radius, bias=bias, alpha=alpha, beta=beta)
    return _along(of, inputs, _last(inputs, 5))


def _instance(inputs: Inputs) -> Tensor:
    nchw = bool(inputs.number(4))
    image = inputs.tensor(0) if nchw else to_nchw(inputs.tensor(0))
    size = image.dims[2] * image.dims[3]
    gamma, beta, epsilon = (inputs.number(i) for i in range(1, 4))
    values: list[float] = []
    for start in range(0, len(image.values), size):
        values += normalization.instance_normalization(image.values[start : start + size], gamma, beta, epsilon, float)
    result = Tensor(values, image.dims)
    return result if nchw else to_nhwc(result)


def _reduced(of: Callable[[Sequence[Any]], Any], inputs: Inputs) -> Tensor:
    source, axes = inputs.tensor(0), inputs.list(1)
    dims = reduced_shape(source.dims, axes, keep=inputs.number(2) > 0)
    return Tensor([of([source.values[p] for p in places]) for places in groups(source.dims, axes)], tuple(dims))


def _index(of: Callable[[Sequence[float]], int], inputs: Inputs) -> Tensor:
    source, axis = inputs.tensor(0), inputs.number(1)
    dims = list(source.dims)
    del dims[axis]
    return Tensor([of([source.values[p] for p in places]) for places in slices(source.dims, axis)], tuple(dims or [1]))


def _blocks(of: Callable[..., Tensor], inputs: Inputs, given: int) -> Tensor:
    """Block operations, whose layout stands behind ``given`` inputs."""
    nchw = bool(len(inputs) > given and inputs.number(given))
    image = _image(inputs, nchw=nchw)
    if inputs.kind(1) == OperandType.INT32:
        result = of(image, inputs.number(1))
    else:
        extra = [_edges(inputs), 0.0] if inputs.name == "SPACE_TO_BATCH_ND" else []
        result = of(image, *inputs.list(1), *extra)
    return _laid_out(result, nchw=nchw)


def _edges(inputs: Inputs) -> tuple[tuple[int, int], tuple[int, int]]:
    top, bottom, left, right = inputs.list(2)
    return (top, bottom), (left, right)


def _padded(inputs: Inputs) -> Tensor:
    flat = inputs.list(1)
    value = inputs.number(2) if len(inputs) > 2 else 0.0
    return padding.pad(inputs.tensor(0), list(zip(flat[::2], flat[1::2], strict=True)), value)


def _concatenated(inputs: Inputs) -> Tensor:
    last = len(inputs) - 1
    return assembly.concatenation([inputs.tensor(i) for i in range(last)], inputs.number(last))


def _given(inputs: Inputs) -> Any:
    """The second input, None if it is omitted."""
    return inputs.list(1) or None


def _resized(inputs: Inputs) -> Tensor:
    flags = [bool(inputs.number(i)) for i in range(3, len(inputs))] + [False] * 3
    nchw, align, half = flags[:3]
    image = _image(inputs, nchw=nchw)
    width, height = inputs.number(1), inputs.number(2)
    if inputs.kind(1) != OperandType.INT32:
        width, height = resize.scaled_size(image.dims[2], width), resize.scaled_size(image.dims[1], height)
    of = resize.bilinear if inputs.name == "RESIZE_BILINEAR" else resize.nearest
    return _laid_out(of(image, height, width, align=align, half=half), nchw=nchw)


def _regions(inputs: Inputs) -> Tensor:
    nchw = bool(inputs.number(len(inputs) - 1))
    samples = (inputs.number(7), inputs.number(8)) if inputs.name == "ROI_ALIGN" else (0, 0)
    settings = roi.Settings(*(inputs.number(i) for i in range(3, 7)), *samples)
    of = roi.roi_align if inputs.name == "ROI_ALIGN" else roi.roi_pooling
    return _laid_out(of(_image(inputs, nchw=nchw), inputs.tensor(1), inputs.list(2), settings), nchw=nchw)


def _strided(inputs: Inputs) -> Tensor:
    masks = inputs.number(4), inputs.number(5), inputs.number(6)
    return slicing.strided_slice(inputs.tensor(0), inputs.list(1), inputs.list(2), inputs.list(3), masks)


def _filled(inputs: Inputs) -> Tensor:
    return build(tuple(inputs.list(0)), lambda _: inputs.number(1))


NAIVE: dict[O, Naive] = {
    **dict.fromkeys((O.ADD, O.SUB, O.MUL, O.DIV), _arithmetic),
    **{O[name]: partial(_pairs, partial(comparison.relation, name)) for name in comparison.RELATIONS},
    **{O[name]: partial(_pairs, partial(extremum.extremum, name)) for name in ("MAXIMUM", "MINIMUM")},
    **{O[name]: partial(_each, of) for name, of in elementwise.FLOAT.items()},
    **{O[name]: partial(_each, partial(activation.relu_float, name)) for name in activation.REAL_BOUNDS},
    **dict.fromkeys((O.CAST, O.DEQUANTIZE, O.QUANTIZE), _converted),
    O.POW: partial(_pairs, extremum.power),
    O.PRELU: partial(_pairs, extremum.prelu),
    O.SELECT: _select,
    O.LOGISTIC: partial(_each, activation.logistic_float),
    O.TANH: partial(_each, math.tanh),
    O.HARD_SWISH: partial(_each, activation.hard_swish_float),
    O.ELU: lambda inputs: _each(lambda x: activation.elu_float(x, inputs.number(1)), inputs),
    O.LOGICAL_NOT: partial(_each, lambda x: int(not x)),
    O.CONV_2D: partial(_convolution, extra=0),
    O.DEPTHWISE_CONV_2D: partial(_convolution, extra=1),
    O.GROUPED_CONV_2D: partial(_convolution, extra=1),
    O.TRANSPOSE_CONV_2D: _transposed,
    O.FULLY_CONNECTED: _fully_connected,
    O.AVERAGE_POOL_2D: partial(_pool, pooling.mean),
    O.MAX_POOL_2D: partial(_pool, max),
    O.L2_POOL_2D: partial(_pool, pooling.root_mean_square),
    O.SOFTMAX: _softmax,
    O.LOG_SOFTMAX: _log_softmax,
    O.L2_NORMALIZATION: lambda inputs: _along(normalization.l2_normalization, inputs, _last(inputs, 1)),
    O.LOCAL_RESPONSE_NORMALIZATION: _local_response,
    O.INSTANCE_NORMALIZATION: _instance,
    O.MEAN: partial(_reduced, reduction.mean),
    O.REDUCE_ALL: partial(_reduced, reduction.reduce_all),
    O.REDUCE_ANY: partial(_reduced, reduction.reduce_any),
    O.REDUCE_MAX: partial(_reduced, partial(reduction.reduce_max, lowest=-_FLOAT_MAX)),
    O.REDUCE_MIN: partial(_reduced, partial(reduction.reduce_min, highest=_FLOAT_MAX)),
    O.REDUCE_PROD: partial(_reduced, partial(reduction.reduce_prod, number=float)),
    O.REDUCE_SUM: partial(_reduced, partial(reduction.reduce_sum, number=float)),
    O.ARGMAX: partial(_index, reduction.argmax),
    O.ARGMIN: partial(_index, reduction.argmin),
    O.TOPK_V2: lambda inputs: slicing.topk(inputs.tensor(0), inputs.number(1)),
    O.DEPTH_TO_SPACE: partial(_blocks, blocks.depth_to_space, given=2),
    O.SPACE_TO_DEPTH: partial(_blocks, blocks.space_to_depth, given=2),
    O.BATCH_TO_SPACE_ND: partial(_blocks, blocks.batch_to_space, given=2),
    O.SPACE_TO_BATCH_ND: partial(_blocks, blocks.space_to_batch, given=3),
    O.CHANNEL_SHUFFLE: lambda inputs: blocks.channel_shuffle(inputs.tensor(0), inputs.number(1), inputs.number(2)),
    O.PAD: _padded,
    O.PAD_V2: _padded,
    O.CONCATENATION: _concatenated,
    O.SPLIT: lambda inputs: assembly.split(inputs.tensor(0), inputs.number(1), inputs.number(2)),
    O.TILE: lambda inputs: assembly.tile(inputs.tensor(0), inputs.list(1)),
    O.RESHAPE: lambda inputs: reshaping.reshape(inputs.tensor(0), inputs.list(1)),
    O.TRANSPOSE: lambda inputs: reshaping.transpose(inputs.tensor(0), _given(inputs)),
    O.SQUEEZE: lambda inputs: reshaping.squeeze(inputs.tensor(0), _given(inputs)),
    O.EXPAND_DIMS: lambda inputs: reshaping.expand_dims(inputs.tensor(0), inputs.number(1)),
    O.FILL: _filled,
    O.RANK: lambda inputs: Tensor([len(inputs.tensor(0).dims)], ()),
    O.RESIZE_BILINEAR: _resized,
    O.RESIZE_NEAREST_NEIGHBOR: _resized,
    O.EMBEDDING_LOOKUP: lambda inputs: lookup.embedding_lookup(inputs.list(0), inputs.tensor(1)),
    O.HASHTABLE_LOOKUP: lambda inputs: lookup.hashtable_lookup(inputs.list(0), inputs.list(1), inputs.tensor(2)),
    O.GATHER: lambda inputs: slicing.gather(inputs.tensor(0), inputs.number(1), inputs.tensor(2)),
    O.SLICE: lambda inputs: slicing.slice_box(inputs.tensor(0), inputs.list(1), inputs.list(2)),
    O.STRIDED_SLICE: _strided,
    O.ROI_ALIGN: _regions,
    O.ROI_POOLING: _regions,
    O.HEATMAP_MAX_KEYPOINT: lambda inputs: keypoint.heatmap_max_keypoint(
        _image(inputs, nchw=bool(inputs.number(2))), inputs.tensor(1)
    ),
}
