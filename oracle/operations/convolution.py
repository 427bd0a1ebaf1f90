"""Convolutions, matrix products and pooling. Images have the shape [N, H, W, C].

Elements are floats, or codes less the zero point as integers. The contents of all windows are an array of the shape
[cells of a window, N, output H, output W, C], which is zero outside of the image; a second array marks the cells
inside. Written from their pages in docs/contract/operations, and docs/contract/operations/common.md 9 and 16.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec
import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations import invocation
from nnvet.oracle.operations.activation import activate, code_bounds, requantized, wrap
from nnvet.oracle.operations.fixed_point_functions import div


class Steps(msgspec.Struct, frozen=True):
    """Paddings left, right, top, bottom; strides and dilations, width before height."""

    padding: tuple[int, int, int, int] = (0, 0, 0, 0)
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)


def effective(cells: int, dilation: int) -> int:
    """Return the extent of a dilated filter axis."""
    return (cells - 1) * dilation + 1


def same_padding(size: int, cells: int, stride: int, dilation: int = 1) -> tuple[int, int]:
    """Return head and tail of padding scheme 1 (SAME); every other scheme has no padding."""
    out = div(size + stride - 1, stride)
    total = max((out - 1) * stride + effective(cells, dilation) - size, 0)
    return div(total, 2), total - div(total, 2)


def output_size(size: int, cells: int, stride: int, dilation: int, head: int, tail: int) -> int:
    """Return the number of positions that a window has along one axis."""
    return div(size - effective(cells, dilation) + stride + head + tail, stride)


def out_shape(x: invocation.Tensor, cells: tuple[int, int], steps: Steps) -> tuple[int, int]:
    """Return the height and width of the output; ``cells`` are height and width of the filter."""
    left, right, top, bottom = steps.padding
    return (
        output_size(x.dims[1], cells[0], steps.stride[1], steps.dilation[1], top, bottom),
        output_size(x.dims[2], cells[1], steps.stride[0], steps.dilation[0], left, right),
    )


def window_cells(
    x: invocation.Tensor, cells: tuple[int, int], steps: Steps, outside: Any
) -> Iterator[tuple[int, int, invocation.Array]]:
    """Yield, for each cell of a window by row and column, its content in all windows: [N, H out, W out, C].

    Cells beyond the image contain ``outside``.
    """
    seen, _ = windows(x, cells, steps, outside)
    for place, cell in enumerate(seen):
        yield *divmod(place, cells[1]), cell


def windows(
    x: invocation.Tensor, cells: tuple[int, int], steps: Steps, outside: Any
) -> tuple[invocation.Array, invocation.Array]:
    """Return the cells that all windows see of an image, and a mask of those that lie in the image.

    [cells, N, H out, W out, C] with cells row by row, and booleans [cells, 1, H out, W out, 1].
    """
    (rows, columns), (height, width) = cells, out_shape(x, cells, steps)
    h = np.arange(rows)[:, None] * steps.dilation[1] + np.arange(height) * steps.stride[1] - steps.padding[2]
    w = np.arange(columns)[:, None] * steps.dilation[0] + np.arange(width) * steps.stride[0] - steps.padding[0]
    in_rows, in_columns = (h >= 0) & (h < x.dims[1]), (w >= 0) & (w < x.dims[2])
    inside = (in_rows[:, None, :, None] & in_columns[None, :, None, :]).reshape(-1, 1, height, width, 1)
    # One index for each of [rows, columns, N, H out, W out].
    seen = x.array[
        np.arange(x.dims[0])[:, None, None],
        np.clip(h, 0, x.dims[1] - 1)[:, None, None, :, None],
        np.clip(w, 0, x.dims[2] - 1)[None, :, None, None, :],
    ]
    seen = seen.reshape(rows * columns, *seen.shape[2:])
    return seen if inside.all() else np.where(inside, seen, outside), inside


def grouped(
    x: invocation.Tensor,
    weights: invocation.Tensor,
    bias: Sequence[Any] | invocation.Array,
    steps: Steps,
    groups: int = 1,
) -> invocation.Tensor:
    """Return the sums of CONV_2D, or with ``groups`` of GROUPED_CONV_2D, with the bias and without activation."""
    depth_out, fh, fw, depth_group = weights.dims
    batches, made = x.dims[0], depth_out // groups
    height, width = out_shape(x, (fh, fw), steps)
    sums = np.zeros((batches, height, width, groups, made), np.result_type(x.array, weights.array))
    # Output channel g * made + q sums over the inputs of group g.
    by_group = weights.array.reshape(groups, made, fh, fw, depth_group)
    for row, column, seen in window_cells(x, (fh, fw), steps, 0):
        inputs = seen.reshape(batches, height, width, groups, depth_group)
        for g in range(groups):
            sums[..., g, :] += inputs[..., g, :] @ by_group[g, :, row, column].T
    return invocation.Tensor.of(sums.reshape(batches, height, width, depth_out) + np.asarray(bias))


def depthwise(
    x: invocation.Tensor,
    weights: invocation.Tensor,
    bias: Sequence[Any] | invocation.Array,
    steps: Steps,
    multiplier: int,
) -> invocation.Tensor:
    """Return the sums of DEPTHWISE_CONV_2D, with the bias and without activation."""
    _, fh, fw, depth_out = weights.dims
    source = np.arange(depth_out) // multiplier
    height, width = out_shape(x, (fh, fw), steps)
    sums = np.zeros((x.dims[0], height, width, depth_out), np.result_type(x.array, weights.array))
    for row, column, seen in window_cells(x, (fh, fw), steps, 0):
        sums += seen[..., source] * weights.array[0, row, column]
    return invocation.Tensor.of(sums + np.asarray(bias))


def transposed_same_padding(wanted: int, cells: int, stride: int) -> tuple[int, int]:
    """Return head and tail paddings of TRANSPOSE_CONV_2D with scheme 1, for an output axis of ``wanted`` pixels."""
    n = -(-wanted // stride)
    total = (n - 1) * stride + cells
    head = (total - wanted) // 2 if total > wanted else 0
    return head, total - wanted - head


def transposed(
    x: invocation.Tensor, weights: invocation.Tensor, bias: Sequence[Any] | invocation.Array, steps: Steps
) -> invocation.Tensor:
    """Return the sums of TRANSPOSE_CONV_2D, with the bias and without activation: every input adds a scaled filter."""
    depth_out, fh, fw, _ = weights.dims
    batches, rows, columns, _ = x.dims
    left, right, top, bottom = steps.padding
    sw, sh = steps.stride
    # The sum of all contributions, from which the paddings are cut off (negative ones enlarge it).
    height, width = (rows - 1) * sh + fh, (columns - 1) * sw + fw
    sums = np.zeros((batches, height + max(-bottom, 0), width + max(-right, 0), depth_out), x.array.dtype)
    for i in range(fh):
        for j in range(fw):
            place = sums[:, i : i + (rows - 1) * sh + 1 : sh, j : j + (columns - 1) * sw + 1 : sw]
            place += x.array @ weights.array[:, i, j].T
    return invocation.Tensor.of(sums[:, top : height - bottom, left : width - right] + np.asarray(bias))


def is_explicit(call: invocation.Invocation, lengths: tuple[int, ...], shared: int, position: int) -> bool:
    """Return True for the list of inputs with four paddings, False for that with a scheme.

    ``lengths`` are the lengths of lists with four paddings. A list of ``shared`` inputs may be of either kind; then the
    type of the input at ``position`` decides.
    """
    return len(call) in lengths and (len(call) != shared or call.is_scalar(position, OperandType.INT32))


def steps_at(
    call: invocation.Invocation,
    position: int,
    image: invocation.Tensor,
    cells: tuple[int, int],
    *,
    explicit: bool,
    dilation: Any = (1, 1),
) -> Steps:
    """Return paddings and strides that begin at a position; dilations are width before height."""
    if explicit:
        left, right, top, bottom, across, down = call.numbers(position, 6)
        return Steps((left, right, top, bottom), (across, down), dilation)
    scheme, across, down = call.numbers(position, 3)
    vertical = horizontal = (0, 0)
    if scheme == 1:
        vertical = same_padding(image.dims[1], cells[0], down, dilation[1])
        horizontal = same_padding(image.dims[2], cells[1], across, dilation[0])
    return Steps((*horizontal, *vertical), (across, down), dilation)


class ConvolutionInputs(msgspec.Struct, frozen=True, eq=False):
    """The inputs of a convolution by name; images are NHWC.

    Images, filters and biases are floats in float64 or codes less the zero point in int64; ``factor`` is the depth
    multiplier of DEPTHWISE_CONV_2D, the number of groups of GROUPED_CONV_2D, else 1.
    """

    image: invocation.Tensor
    weights: invocation.Tensor
    bias: invocation.Array
    steps: Steps
    activation: int
    nchw: bool
    factor: int = 1


def read_inputs(call: invocation.Invocation) -> ConvolutionInputs:
    """Return the inputs of one of the four operations."""
    return (_read_transposed if call.name == "TRANSPOSE_CONV_2D" else _read_convolution)(call)


def _read_convolution(call: invocation.Invocation) -> ConvolutionInputs:
    """Compute the operation.

    Inputs: image, filter, bias, paddings, strides[, multiplier or groups], activation[, layout[, dilations]].
    """
    extra = 0 if call.name == "CONV_2D" else 1
    lengths = (12,) if call.name == "GROUPED_CONV_2D" else (10 + extra, 11 + extra, 13 + extra)
    explicit = is_explicit(call, lengths, 10 + extra, 7 + extra)
    last = (9 if explicit else 6) + extra
    nchw = call.flag(last + 1)
    dilation = call.numbers(last + 2, 2) if len(call) > last + 2 else (1, 1)
    image, weights, bias = invocation.in_nhwc(call.exact(0), nchw=nchw), call.exact(1), call.exact(2).array
    steps = steps_at(call, 3, image, (weights.dims[1], weights.dims[2]), explicit=explicit, dilation=dilation)
    return ConvolutionInputs(
        image, weights, bias, steps, call.number(last), nchw, call.number(last - 1) if extra else 1
    )


def _read_transposed(call: invocation.Invocation) -> ConvolutionInputs:
    """Compute the operation.

    Inputs: image, filter, bias, four paddings or output shape and scheme, strides, activation, layout.
    """
    last = len(call) - 1
    nchw = call.flag(last)
    image, weights, bias = invocation.in_nhwc(call.exact(0), nchw=nchw), call.exact(1), call.exact(2).array
    across, down = call.numbers(last - 3, 2)
    left = right = top = bottom = 0
    if last == 10:
        left, right, top, bottom = call.numbers(3, 4)
    elif call.number(4) == 1:
        shape = call.list(3)
        height, width = shape[2:] if nchw else shape[1:3]
        left, right = transposed_same_padding(width, weights.dims[2], across)
        top, bottom = transposed_same_padding(height, weights.dims[1], down)
    steps = Steps((left, right, top, bottom), (across, down))
    return ConvolutionInputs(image, weights, bias, steps, call.number(last - 1), nchw)


def sums_of(name: str, given: ConvolutionInputs) -> invocation.Tensor:
    """Return the sums of a convolution with the bias and without activation, in NHWC; ``name`` is the operation's."""
    if name == "TRANSPOSE_CONV_2D":
        return transposed(given.image, given.weights, given.bias, given.steps)
    of = depthwise if name == "DEPTHWISE_CONV_2D" else grouped
    return of(given.image, given.weights, given.bias, given.steps, given.factor)


def _convolution(call: invocation.Invocation) -> invocation.Tensor:
    return convolved(call, read_inputs(call))


def convolved(call: invocation.Invocation, given: ConvolutionInputs) -> invocation.Tensor:
    """Return sums of inputs after the activation, as codes for quantised operations, in the operation's layout."""
    sums = sums_of(call.name, given)
    if call.is_float:
        return invocation.in_layout(invocation.Tensor.of(activate(sums.array, given.activation)), nchw=given.nchw)
    scales = call.inputs[0].scale, channel_scales(call.inputs[1])
    codes = requantized(sums.array, scales, call.output.quantization, given.activation, call.output.limits)
    return invocation.in_layout(invocation.Tensor.of(codes), nchw=given.nchw)


def channel_scales(weights: invocation.OperandValue) -> Sequence[float]:
    """Return the scale of a filter, or one for each output channel."""
    return [weights.scale] if weights.channel_quant is None else weights.channel_quant.scales


def fully_connected(
    x: invocation.Tensor, weights: invocation.Tensor, bias: Sequence[Any] | invocation.Array
) -> invocation.Tensor:
    """Return rows of input_size elements times the weights; sums with the bias, no activation."""
    rows = x.array.reshape(-1, weights.dims[1])
    return invocation.Tensor.of(rows @ weights.array.T + np.asarray(bias))


def batch_matmul(
    x: invocation.Tensor, y: invocation.Tensor, *, adj_x: bool, adj_y: bool, number: Any = int
) -> invocation.Tensor:
    """Return the matrix product of each batch; every product and sum is rounded to ``number`` (int: exact)."""
    kind = np.int64 if number is int else number
    first = np.asarray(x.array.swapaxes(-1, -2) if adj_x else x.array, kind)
    second = np.asarray(y.array.swapaxes(-1, -2) if adj_y else y.array, kind)
    total = np.zeros((*first.shape[:-1], second.shape[-1]), kind)
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(first.shape[-1]):
            total = total + first[..., :, k : k + 1] * second[..., k : k + 1, :]
    return invocation.Tensor.of(total)


def _fully_connected(call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: tensor, weights, bias, activation."""
    x, weights, code = call.exact(0), call.exact(1), call.number(3)
    sums = fully_connected(x, weights, call.exact(2).array).array
    if call.is_float:
        return invocation.Tensor.of(activate(sums, code))
    scales = call.inputs[0].scale, [call.inputs[1].scale]
    return invocation.Tensor.of(requantized(sums, scales, call.output.quantization, code, call.output.limits))


def _batch_matmul(call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: two stacks of matrices, whether the first and whether the second is transposed."""
    kinds = {OperandType.TENSOR_FLOAT32: np.float32, OperandType.TENSOR_FLOAT16: np.float16}
    kind = kinds.get(OperandType(call.inputs[0].type), int)
    x, y = (call.raw(i) if call.is_float else call.centred(i) for i in range(2))
    sums = batch_matmul(x, y, adj_x=call.flag(2), adj_y=call.flag(3), number=kind)
    if call.is_float:
        return sums
    if call.inputs[0].type == OperandType.TENSOR_INT32:
        return invocation.Tensor.of(wrap(sums.array))
    scales = call.inputs[0].scale, [call.inputs[1].scale]
    return invocation.Tensor.of(requantized(sums.array, scales, call.output.quantization, 0, call.output.limits))


OfWindows = Callable[[invocation.Array, invocation.Array], Any]
"""Function that reduces the windows of :func:`windows` (contents, and the mask of cells inside) to one value each."""


def pool(x: invocation.Tensor, cells: tuple[int, int], steps: Steps, of: OfWindows) -> invocation.Tensor:
    """Return ``of`` the elements of each window that lie in the image, without activation; ``cells`` are its sizes."""
    return invocation.Tensor.of(of(*windows(x, cells, steps, 0)))


def mean(seen: invocation.Array, inside: invocation.Array) -> Any:
    """Return means of floats."""
    return seen.sum(0) / inside.sum(0)


def mean_unsigned(seen: invocation.Array, inside: invocation.Array) -> Any:
    """Return means of unsigned codes, halves up."""
    count = inside.sum(0)
    return (seen.sum(0) + count // 2) // count


def mean_signed(seen: invocation.Array, inside: invocation.Array) -> Any:
    """Return means of signed codes, halves away from zero."""
    total, count = seen.sum(0), inside.sum(0)
    return div(total + invocation.choose(total > 0, count // 2, -(count // 2)), count)


def root_mean_square(seen: invocation.Array, inside: invocation.Array) -> Any:
    """Return roots of the sums of squares times the reciprocals of the counts."""
    return np.sqrt((seen * seen).sum(0) * (np.float32(1) / np.float32(inside.sum(0))).astype(np.float64))


def largest(seen: invocation.Array, inside: invocation.Array) -> Any:
    """Return the largest elements of the windows."""
    lowest = -np.inf if seen.dtype.kind == "f" else np.iinfo(seen.dtype).min
    return np.where(inside, seen, lowest).max(0)


def _reduction_of(call: invocation.Invocation) -> OfWindows:
    if call.name != "AVERAGE_POOL_2D":
        return largest if call.name == "MAX_POOL_2D" else root_mean_square
    if call.is_float:
        return mean
    return mean_unsigned if call.inputs[0].type == OperandType.TENSOR_QUANT8_ASYMM else mean_signed


def pooled(call: invocation.Invocation, image: invocation.Array, of: OfWindows) -> invocation.Tensor:
    """Apply ``of`` to the windows of an image in the operation's layout; the result is NHWC, without activation."""
    explicit, nchw, at = _read_layout(call)
    nhwc = invocation.in_nhwc(invocation.Tensor.of(image), nchw=nchw)
    width, height, _ = call.numbers(at, 3)
    return pool(nhwc, (height, width), steps_at(call, 1, nhwc, (height, width), explicit=explicit), of)


def _read_layout(call: invocation.Invocation) -> tuple[bool, bool, int]:
    """Return whether paddings are explicit, whether the layout is NCHW, and the position of the window's width."""
    explicit = is_explicit(call, (10, 11), 0, 0)
    at = 7 if explicit else 4
    return explicit, call.flag(at + 3), at


def activation_and_layout(call: invocation.Invocation) -> tuple[int, bool]:
    """Return the activation, and whether the layout is NCHW."""
    _, nchw, at = _read_layout(call)
    return call.number(at + 2), nchw


def _pool(call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: image, paddings, strides, filter width and height, activation[, layout]."""
    code, nchw = activation_and_layout(call)
    image = call.exact(0) if call.is_float else call.whole(0)
    values = pooled(call, image.array, _reduction_of(call)).array
    if call.is_float:
        return invocation.in_layout(invocation.Tensor.of(activate(values, code)), nchw=nchw)
    source = call.inputs[0]
    codes = np.clip(values, *code_bounds(code, *source.quantization, *source.limits))
    return invocation.in_layout(invocation.Tensor.of(codes), nchw=nchw)


MEANINGS: Final = {
    **{
        O[name]: invocation.Meaning(_convolution)
        for name in ("CONV_2D", "DEPTHWISE_CONV_2D", "GROUPED_CONV_2D", "TRANSPOSE_CONV_2D")
    },
    O.FULLY_CONNECTED: invocation.Meaning(_fully_connected),
    O.BATCH_MATMUL: invocation.Meaning(_batch_matmul),
    **{
        O[name]: invocation.Meaning(_pool, invocation.like(0))
        for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D")
    },
}
