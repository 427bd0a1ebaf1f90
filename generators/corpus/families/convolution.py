"""Spec files of the convolutions, made by :func:`files` for ``corpus/writing.py``, with values of the oracle."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from nnvet.generators.corpus.emitter import (
    F32,
    FAILS,
    HALF,
    HALF_ONLY,
    INT32,
    LABELS,
    ONCE,
    PER_CHANNEL,
    Q8,
    Q8S,
    QUANTIZED,
    RANGES,
    RELAXED,
    EmittedFile,
    Operand,
    SpecCall,
    SpecExample,
    SpecTensor,
    parameter,
    result,
)
from nnvet.generators.corpus.windowed import (
    ALL_ACTIVATIONS,
    BIAS_UNIT,
    BIASES_AT_LIMIT,
    BIASES_PAST_LIMIT,
    ENDS,
    GREATER,
    LOW,
    MIDDLE,
    NCHW,
    SATURATING,
    SMALL,
    SMALL_BIASES,
    TINY,
    Scales,
    codes,
    empty_batch,
    floats,
    numbers,
    quantized,
    shifted,
    with_product,
)
from nnvet.hal.enums import OperandType
from nnvet.oracle.operations import convolution as oracle
from nnvet.oracle.operations.activation import activate, requantized
from nnvet.oracle.operations.invocation import Tensor

SAME, VALID = 1, 2
"""Codes of implicit padding in NNAPI."""
Quad = tuple[int, int, int, int]
"""Four dimensions of an image or of weights, or four paddings."""


@dataclass(frozen=True)
class _Shape:
    """An example without its values; ``padding`` is left, right, top and bottom, or a scheme; pairs: width, height.

    ``factor`` is the depth multiplier or the number of groups. ``output_shape`` is the height and width that a
    transposed convolution with a padding scheme has to return. ``tail`` is 1 with a layout, 3 with dilations, too.
    """

    name: str
    image: Quad
    weights: Quad
    padding: Quad | int
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    factor: int = 1
    output_shape: tuple[int, int] = (0, 0)
    tail: int = 0


BEYOND = "filter_and_padding_beyond_image"
"""Name of shapes whose filter and whose padding are larger than the image."""
BASIC = {
    "CONV_2D": (
        _Shape("explicit_padding_stride_2x1", (1, 4, 5, 2), (3, 3, 2, 2), (1, 0, 2, 1), (2, 1)),
        _Shape("same_padding_stride_1x2", (2, 3, 4, 1), (2, 2, 3, 1), SAME, (1, 2)),
        _Shape("valid_padding", (1, 5, 4, 3), (2, 3, 3, 3), VALID),
        _Shape("one_by_one_filter", (1, 2, 3, 4), (3, 1, 1, 4), VALID),
        _Shape("sizes_of_one", (1, 1, 1, 1), (1, 1, 1, 1), (0, 0, 0, 0)),
        _Shape("row_padded_at_the_right", (1, 2, 6, 2), (2, 1, 3, 2), (0, 2, 0, 0), (2, 1)),
        _Shape("column_padded_at_the_bottom", (1, 6, 2, 1), (2, 3, 1, 1), (0, 0, 0, 2), (1, 4)),
        _Shape("padded_left_cells_left_over", (1, 1, 8, 2), (2, 1, 2, 2), (1, 0, 0, 0), (3, 1)),
        _Shape("padded_above_cells_left_over", (1, 8, 1, 2), (2, 2, 1, 2), (0, 0, 1, 0), (1, 3)),
        _Shape(BEYOND, (1, 2, 3, 2), (2, 4, 5, 2), (4, 3, 3, 2)),
    ),
    "DEPTHWISE_CONV_2D": (
        _Shape("explicit_padding_multiplier_two", (1, 4, 5, 2), (1, 3, 2, 4), (1, 0, 2, 1), (2, 1), factor=2),
        _Shape("same_padding_stride_1x2", (2, 3, 4, 3), (1, 2, 3, 3), SAME, (1, 2)),
        _Shape("valid_padding_multiplier_three", (1, 5, 4, 1), (1, 3, 3, 3), VALID, factor=3),
        _Shape("same_padding_stride_2x2", (1, 6, 6, 2), (1, 3, 3, 2), SAME, (2, 2)),
        _Shape("row_padded_at_the_right", (1, 2, 6, 2), (1, 1, 3, 4), (0, 2, 0, 0), (2, 1), factor=2),
        _Shape("column_padded_at_the_bottom", (1, 6, 2, 1), (1, 3, 1, 1), (0, 0, 0, 2), (1, 4)),
        _Shape("padded_left_cells_left_over", (1, 1, 8, 2), (1, 1, 2, 2), (1, 0, 0, 0), (3, 1)),
        _Shape("padded_above_cells_left_over", (1, 8, 1, 2), (1, 2, 1, 2), (0, 0, 1, 0), (1, 3)),
        _Shape(BEYOND, (1, 2, 3, 2), (1, 4, 5, 2), (4, 3, 3, 2)),
    ),
    "GROUPED_CONV_2D": (
        _Shape("two_groups_explicit_padding", (1, 4, 5, 4), (4, 3, 2, 2), (1, 0, 2, 1), (2, 1), factor=2, tail=1),
        _Shape("three_groups_same_padding", (2, 3, 4, 3), (6, 2, 3, 1), SAME, (1, 2), factor=3, tail=1),
        _Shape("one_group_valid_padding", (1, 4, 4, 2), (3, 2, 3, 2), VALID, tail=1),
        _Shape(BEYOND, (1, 2, 3, 4), (4, 4, 5, 2), (4, 3, 3, 2), factor=2, tail=1),
    ),
    "TRANSPOSE_CONV_2D": (
        _Shape("explicit_padding_stride_2x1", (1, 3, 2, 2), (2, 3, 2, 2), (1, 0, 1, 2), (2, 1), tail=1),
        _Shape("same_padding_stride_2x3", (2, 2, 3, 1), (2, 2, 3, 1), SAME, (2, 3), output_shape=(4, 8), tail=1),
        _Shape("same_padding_smaller_output", (1, 3, 2, 3), (1, 3, 3, 3), SAME, (2, 2), output_shape=(5, 4), tail=1),
        _Shape("valid_padding_larger_output", (1, 2, 2, 1), (2, 3, 2, 1), VALID, (1, 3), output_shape=(9, 9), tail=1),
        _Shape(
            "same_padding_stride_beyond_filter", (1, 2, 1, 2), (2, 1, 2, 2), SAME, (3, 2), output_shape=(4, 3), tail=1
        ),
    ),
}
"""Sizes, padding, strides and dilations of the examples of each operation."""
DILATED = {
    "CONV_2D": (
        _Shape("dilated_explicit_padding", (1, 5, 6, 2), (2, 2, 3, 2), (2, 1, 0, 1), (1, 2), (2, 1), tail=3),
        _Shape("dilated_same_padding", (1, 6, 5, 1), (2, 3, 2, 1), SAME, (2, 1), (1, 2), tail=3),
    ),
    "DEPTHWISE_CONV_2D": (
        _Shape("dilated_explicit_padding", (1, 5, 6, 2), (1, 2, 3, 4), (2, 1, 0, 1), (1, 2), (2, 1), 2, tail=3),
        _Shape("dilated_same_padding", (1, 7, 7, 2), (1, 3, 3, 2), SAME, (2, 3), (2, 2), tail=3),
    ),
}
"""Forms in which layout and dilations are given."""
PLAIN_LAYOUT = {
    "CONV_2D": (_Shape("no_dilations_given", (1, 3, 4, 2), (3, 2, 2, 2), (0, 1, 1, 0), tail=1),),
    "DEPTHWISE_CONV_2D": (_Shape("no_dilations_given", (1, 3, 4, 2), (1, 2, 2, 4), (0, 1, 1, 0), factor=2, tail=1),),
}
"""Forms in which the layout is given, and dilations are not."""
CROPPED = _Shape("cropped", (1, 2, 2, 1), (1, 2, 2, 1), (1, -1, 0, -2), (2, 2), tail=1)
"""A transposed convolution whose negative padding asks for cells that no filter reaches."""
CHANNEL_DIMS = {operation: 3 if operation == "DEPTHWISE_CONV_2D" else 0 for operation in BASIC}
"""Dimension of the weights that counts output channels, by operation."""


FUSED = "activation"
"""Name of the examples that vary the fused activation."""


def _named(name: str, shape: _Shape) -> _Shape:
    return replace(shape, name=name)


def _steps(operation: str, shape: _Shape) -> oracle.Steps:
    if not isinstance(shape.padding, int):
        return oracle.Steps(shape.padding, shape.stride, shape.dilation)
    cells, strides, dilations = shape.weights[1:3], shape.stride[::-1], shape.dilation[::-1]
    heads_and_tails = [(0, 0), (0, 0)]
    if shape.padding == SAME and operation == "TRANSPOSE_CONV_2D":
        heads_and_tails = [oracle.transposed_same_padding(shape.output_shape[i], cells[i], strides[i]) for i in (0, 1)]
    elif shape.padding == SAME:
        heads_and_tails = [oracle.same_padding(shape.image[1 + i], cells[i], strides[i], dilations[i]) for i in (0, 1)]
    (top, bottom), (left, right) = heads_and_tails
    return oracle.Steps((left, right, top, bottom), shape.stride, shape.dilation)


def _sums(operation: str, shape: _Shape, x: Tensor, weights: Tensor, bias: Sequence[float]) -> Tensor:
    steps = _steps(operation, shape)
    if operation == "DEPTHWISE_CONV_2D":
        return oracle.depthwise(x, weights, bias, steps, shape.factor)
    if operation == "TRANSPOSE_CONV_2D":
        return oracle.transposed(x, weights, bias, steps)
    return oracle.grouped(x, weights, bias, steps, shape.factor if operation == "GROUPED_CONV_2D" else 1)


def _scalars(operation: str, shape: _Shape) -> dict[str, Operand]:
    """Return operands after the bias, by name; the activation is none."""
    scalars: dict[str, Operand] = {}
    if isinstance(shape.padding, int):
        if operation == "TRANSPOSE_CONV_2D":
            height, width = shape.output_shape
            dimensions = [shape.image[0], height, width, shape.weights[0]]
            scalars["shape"] = parameter(INT32, [4], dimensions)
        scalars["padding"] = str(shape.padding)
    else:
        scalars.update(zip(("left", "right", "top", "bottom"), map(str, shape.padding), strict=True))
    scalars.update(zip(("stride_width", "stride_height"), map(str, shape.stride), strict=True))
    if operation in ("DEPTHWISE_CONV_2D", "GROUPED_CONV_2D"):
        scalars["factor"] = str(shape.factor)
    scalars["activation"] = 'Int32Scalar("activation", 0)'
    if shape.tail:
        scalars["layout"] = 'BoolScalar("layout", False)'
    if shape.tail == 3:
        scalars.update(zip(("dilation_width", "dilation_height"), map(str, shape.dilation), strict=True))
    return scalars


def _channels(operation: str, shape: _Shape) -> int:
    return shape.weights[CHANNEL_DIMS[operation]]


def _add_float(file: EmittedFile, operation: str, shape: _Shape, seed: int, variations: str) -> None:
    channels = _channels(operation, shape)
    x = SpecTensor(F32, shape.image, floats(seed, shape.image))
    weights = SpecTensor(F32, shape.weights, floats(seed + 1, shape.weights), role="Parameter")
    bias = SpecTensor(F32, [channels], floats(seed + 2, [channels]), role="Parameter")
    sums = _sums(operation, shape, numbers(x), numbers(weights), bias.values)
    given = {"input": x, "filter": weights, "bias": bias, **_scalars(operation, shape)}
    expected = result(F32, sums.dims, [activate(value, 0) for value in sums.values])
    file.add(shape.name, operation, given, expected, _for_shape(shape, operation, variations))


def _for_shape(shape: _Shape, operation: str, variations: str) -> str:
    if operation == "TRANSPOSE_CONV_2D" and isinstance(shape.padding, int):
        return variations.replace("output, layout)", "output, shape, layout)")
    return variations


def _add_codes(
    file: EmittedFile,
    operation: str,
    kind: OperandType,
    shape: _Shape,
    scales: Scales,
    seed: int,
    variations: str = "",
    *,
    bias_scale: float | None = None,
) -> None:
    """Add an example of codes; the default ``bias_scale`` follows the rule: input scale times filter scale."""
    channels = _channels(operation, shape)
    x = quantized(kind, shape.image, seed, scales.input, scales.reach)
    weights = replace(quantized(kind, shape.weights, seed + 1, scales.weights, scales.reach), role="Parameter")
    product = scales.input[0] * scales.weights[0]
    bias = SpecTensor(INT32, [channels], _bias(scales, product, channels), bias_scale or product, role="Parameter")
    sums = _sums(operation, shape, numbers(x), numbers(weights), bias.values)
    _add_quantized(file, operation, shape, (x, weights, bias), sums, (weights.scale,), scales, variations)


def _bias(scales: Scales, bias_scale: float, channels: int) -> list[int]:
    """Return biases worth some dozens of output codes."""
    step = min(max(int(scales.output[0] / bias_scale * 20), 1), 2**24)
    return [step * (-1) ** c * (c + 1) + c for c in range(channels)]


def _add_quantized(
    file: EmittedFile,
    operation: str,
    shape: _Shape,
    tensors: tuple[SpecTensor, SpecTensor, SpecTensor],
    sums: Tensor,
    weight_scales: Sequence[float],
    scales: Scales,
    variations: str,
) -> None:
    x, weights, bias = tensors
    target = shifted(scales.output, x.type)
    values = requantized(sums.values, (x.scale, weight_scales), target, 0, RANGES[x.type])
    given = {"input": x, "filter": weights, "bias": bias, **_scalars(operation, shape)}
    file.add(
        shape.name,
        operation,
        given,
        result(x.type, sums.dims, values, *target),
        _for_shape(shape, operation, variations),
    )


def _add_per_channel(
    file: EmittedFile, operation: str, kind: OperandType, shape: _Shape, scales: Scales, seed: int, variations: str
) -> None:
    channels = _channels(operation, shape)
    x = quantized(kind, shape.image, seed, scales.input, scales.reach)
    # 1/8, 1/4, 3/8, 1/2, …
    weight_scales = [0.125 * (c + 1) for c in range(channels)]
    values = codes(Q8S, seed + 1, shape.weights, 0, min(scales.reach, 127))
    channel = CHANNEL_DIMS[operation]
    weights = SpecTensor(PER_CHANNEL, shape.weights, values, role="Parameter", scales=weight_scales, channel=channel)
    bias = SpecTensor(INT32, [channels], _bias(scales, x.scale * 0.25, channels), role="Parameter")
    sums = _sums(operation, shape, numbers(x), numbers(weights), bias.values)
    _add_quantized(file, operation, shape, (x, weights, bias), sums, weight_scales, scales, variations)


def _name(operation: str, what: str) -> str:
    return f"{operation.lower().replace('conv_2d', 'conv2d')}_{what}"


def _float_files(operation: str) -> Iterable[EmittedFile]:
    new = operation in ("GROUPED_CONV_2D", "TRANSPOSE_CONV_2D")
    file = EmittedFile("V1_2" if new else "V1_0", _name(operation, "float"))
    for index, shape in enumerate(BASIC[operation]):
        variations = HALF + NCHW if new else (RELAXED if index == 1 else "")
        _add_float(file, operation, shape, index, variations)
    _add_float(file, operation, _named(FUSED, BASIC[operation][0]), 9, ALL_ACTIVATIONS)
    yield file
    if new:
        return
    file = EmittedFile("V1_2", _name(operation, "float16"))
    for index, shape in enumerate(BASIC[operation][:3]):
        _add_float(file, operation, shape, 20 + index, HALF_ONLY)
    _add_float(file, operation, _named(FUSED, BASIC[operation][0]), 29, HALF_ONLY + ALL_ACTIVATIONS)
    yield file
    file = EmittedFile("V1_2", _name(operation, "layout_dilation"))
    for index, shape in enumerate((*DILATED[operation], *PLAIN_LAYOUT[operation])):
        _add_float(file, operation, shape, 30 + index, HALF + NCHW)
    yield file


def _quantized_files(operation: str, kind: OperandType) -> Iterable[EmittedFile]:
    new = operation in ("GROUPED_CONV_2D", "TRANSPOSE_CONV_2D")
    folder = "V1_3" if kind == Q8S else ("V1_2" if new else "V1_0")
    file = EmittedFile(folder, _name(operation, LABELS[kind]))
    layout = NCHW if new else ""
    for index, shape in enumerate(BASIC[operation]):
        _add_codes(file, operation, kind, shape, (MIDDLE, ENDS, LOW)[index % 3], 40 + index, layout * (index < 2))
    _add_codes(file, operation, kind, _named("saturating", BASIC[operation][0]), SATURATING, 48)
    _add_codes(file, operation, kind, _named("small_multiplier", BASIC[operation][0]), SMALL, 47, ONCE)
    _add_codes(file, operation, kind, _named("tiny_multiplier", BASIC[operation][0]), TINY, 46, ONCE)
    _add_codes(file, operation, kind, _named(FUSED, BASIC[operation][0]), MIDDLE, 49, ALL_ACTIVATIONS)
    if kind == Q8:
        _add_biases(file, operation, BASIC[operation][0], BIASES_AT_LIMIT, ONCE)
    yield file
    folder = "V1_3" if kind == Q8S else "V1_2"
    file = EmittedFile(folder, _name(operation, f"{LABELS[kind]}_multiplier_above_1"))
    _add_codes(file, operation, kind, BASIC[operation][1], GREATER, 50)
    _add_codes(file, operation, kind, _named("filter_scale_1", BASIC[operation][1]), ONE, 51)
    yield file
    file = EmittedFile(folder, _name(operation, f"{LABELS[kind]}_per_channel"))
    for index, shape in enumerate(BASIC[operation][:3]):
        _add_per_channel(file, operation, kind, shape, (MIDDLE, ENDS, LOW)[index], 60 + index, layout * (index < 2))
    _add_per_channel(file, operation, kind, _named(FUSED, BASIC[operation][0]), MIDDLE, 69, ALL_ACTIVATIONS)
    yield file
    if new:
        return
    file = EmittedFile(folder, _name(operation, f"{LABELS[kind]}_layout_dilation"))
    for index, shape in enumerate((*DILATED[operation], *PLAIN_LAYOUT[operation])):
        _add_codes(file, operation, kind, shape, (MIDDLE, ENDS, LOW)[index], 70 + index, NCHW)
    _add_per_channel(file, operation, kind, _named("per_channel", DILATED[operation][0]), MIDDLE, 79, NCHW)
    yield file


def _cropped_files() -> Iterable[EmittedFile]:
    file = EmittedFile("V1_2", "transpose_conv2d_negative_padding")
    _add_float(file, "TRANSPOSE_CONV_2D", CROPPED, 80, HALF + NCHW)
    _add_codes(file, "TRANSPOSE_CONV_2D", Q8, _named("cropped_quant8", CROPPED), MIDDLE, 81, NCHW)
    yield file


def _constants() -> Iterable[EmittedFile]:
    """Return files with constants of several operations: a driver that keeps constants must tell them apart."""
    file = EmittedFile("V1_0", "conv2d_constants")
    shape = _Shape("", (1, 2, 3, 2), (2, 2, 2, 2), VALID)
    x = SpecTensor(F32, shape.image, floats(90, shape.image))
    given: dict[str, Operand] = {"input": x, "bias": parameter(F32, [2], [0.5, -0.25])}
    scalars, calls = _scalars("CONV_2D", shape), []
    for seed, suffix in ((91, ""), (92, "_too")):
        weights = SpecTensor(F32, shape.weights, floats(seed, shape.weights), role="Parameter")
        sums = _sums("CONV_2D", shape, numbers(x), numbers(weights), (0.5, -0.25))
        given |= {f"filter{suffix}": weights, f"output{suffix}": result(F32, sums.dims, sums.values)}
        calls.append(SpecCall("CONV_2D", ["input", f"filter{suffix}", "bias", *scalars], [f"output{suffix}"]))
    file.examples.append(SpecExample("two_filters_of_one_shape", {**given, **scalars}, calls))
    image, weights = replace(x, role="Parameter"), SpecTensor(F32, shape.weights, floats(91, shape.weights))
    sums = _sums("CONV_2D", shape, numbers(x), numbers(weights), (0.5, -0.25))
    inputs = {"input": image, "filter": weights, "bias": given["bias"], **scalars}
    file.add("constant_image", "CONV_2D", inputs, result(F32, sums.dims, sums.values), ONCE)
    # Two rows of 59 windows of 36 by 36 cells: more than the kernels process at a time.
    large = _Shape("many_cells", (1, 37, 94, 1), (1, 36, 36, 1), VALID)
    _add_float(file, "CONV_2D", large, 95, ONCE)
    # The same number of windows in two images with one row each.
    _add_float(file, "CONV_2D", replace(large, name="many_cells_of_images", image=(2, 36, 94, 1)), 96, ONCE)
    yield file


ONE = Scales((0.5, 120), (1.0, 131), (8.0, 100), 24)
"""Smallest filter scale that needs feature level 3."""
PADDINGS = ("left", "right", "top", "bottom")
"""Sides of explicit padding, in the order of the inputs."""


def _failures() -> Iterable[EmittedFile]:
    """Yield calls that break one rule; their expected values are never compared."""
    for operation, (shape, *_) in BASIC.items():
        file = EmittedFile("V1_2", _name(operation, "invalid"))
        channels = _channels(operation, shape)
        x = SpecTensor(F32, shape.image, floats(0, shape.image))
        weights = SpecTensor(F32, shape.weights, floats(1, shape.weights), role="Parameter")
        bias = SpecTensor(F32, [channels], floats(2, [channels]), role="Parameter")
        good = {"input": x, "filter": weights, "bias": bias, **_scalars(operation, shape)}
        sums = _sums(operation, shape, numbers(x), numbers(weights), bias.values)
        zeros = result(F32, sums.dims, [0.0] * len(sums.values))
        deeper = (*shape.image[:3], shape.image[3] + 1)
        broken: dict[str, Operand] = {
            "input": SpecTensor(F32, deeper, floats(0, deeper)),
            "bias": SpecTensor(F32, [channels + 1], floats(2, [channels + 1]), role="Parameter"),
            "stride_width": "0",
            "stride_height": "0",
            "activation": "-1",
        }
        for name, value in broken.items():
            # With a stride of 0 a transposed convolution puts all windows at one place, so one window's columns remain.
            is_narrow = (operation, name) == ("TRANSPOSE_CONV_2D", "stride_width")
            output = result(F32, [1, 2, 1, 2], [0.0] * 4) if is_narrow else zeros
            file.add(name.replace("stride_h", "no_stride_h"), operation, {**good, name: value}, output, FAILS)
        longer = result(F32, [*sums.dims[:3], channels + 1], [0.0] * (len(sums.values) // channels * (channels + 1)))
        file.add("bias_and_output", operation, {**good, "bias": broken["bias"]}, longer, FAILS)
        if operation == "TRANSPOSE_CONV_2D":
            file.add("top", operation, {**good, "top": "-1"}, result(F32, [1, 4, 3, 2], [0.0] * 24), FAILS)
            _add_strides_of_one_cell(file)
            _add_nothing_left(file)
        else:
            _add_wrong_paddings(file, operation, shape)
        if operation == "DEPTHWISE_CONV_2D":
            two = SpecTensor(F32, [2, *shape.weights[1:]], [*weights.values] * 2, role="Parameter")
            file.add("filters", operation, {**good, "filter": two}, zeros, FAILS)
        _add_wrong_bias_scale(file, operation, shape)
        yield file


def _add_wrong_paddings(file: EmittedFile, operation: str, shape: _Shape) -> None:
    # The outputs are as large as such paddings make them, so that nothing but the padding is wrong. Grouped
    # convolutions take negative ones.
    channels = _channels(operation, shape)
    x = SpecTensor(F32, shape.image, floats(0, shape.image))
    weights = SpecTensor(F32, shape.weights, floats(1, shape.weights), role="Parameter")
    bias = SpecTensor(F32, [channels], floats(2, [channels]), role="Parameter")
    for index, side in enumerate(PADDINGS):
        names = {f"{side}_alone": shape.weights[2] if index < 2 else shape.weights[1]}
        if operation != "GROUPED_CONV_2D":
            names[f"negative_{side}"] = -1
        for name, cells in names.items():
            padding = [*shape.padding] if isinstance(shape.padding, tuple) else [0] * 4
            padding[index] = cells
            padded = replace(shape, padding=(padding[0], padding[1], padding[2], padding[3]))
            sums = _sums(operation, padded, numbers(x), numbers(weights), bias.values)
            given = {"input": x, "filter": weights, "bias": bias, **_scalars(operation, padded)}
            file.add(name, operation, given, result(F32, sums.dims, [0.0] * len(sums.values)), FAILS)


def _add_strides_of_one_cell(file: EmittedFile) -> None:
    # If the input has only one cell, the size of the output does not depend on the stride.
    weights = SpecTensor(F32, (1, 2, 2, 1), floats(1, (1, 2, 2, 1)), role="Parameter")
    shape = _Shape("", (1, 1, 1, 1), (1, 2, 2, 1), (0, 0, 0, 0), tail=1)
    given = {"input": SpecTensor(F32, [1, 1, 1, 1], [1.0]), "filter": weights, "bias": parameter(F32, [1], [0.5])}
    for name, stride in (("stride_width", "0"), ("stride_height", "-1")):
        operands = {**given, **_scalars("TRANSPOSE_CONV_2D", shape), name: stride}
        file.add(f"{name}_from_one_cell", "TRANSPOSE_CONV_2D", operands, result(F32, [1, 2, 2, 1], [0.0] * 4), FAILS)


def _add_nothing_left(file: EmittedFile) -> None:
    # The output would have two columns, and both are cut off; the declared width of 0 means unknown.
    weights = SpecTensor(F32, (1, 2, 2, 1), floats(1, (1, 2, 2, 1)), role="Parameter")
    shape = _Shape("", (1, 1, 1, 1), (1, 2, 2, 1), (1, 1, 0, 0), tail=1)
    given = {"input": SpecTensor(F32, [1, 1, 1, 1], [1.0]), "filter": weights, "bias": parameter(F32, [1], [0.5])}
    operands = {**given, **_scalars("TRANSPOSE_CONV_2D", shape)}
    file.add("no_columns", "TRANSPOSE_CONV_2D", operands, result(F32, [1, 2, 0, 1], []), FAILS)


def _add_wrong_bias_scale(file: EmittedFile, operation: str, shape: _Shape) -> None:
    # 0.0625 is input scale x filter scale.
    _add_codes(file, operation, Q8, _named("bias_scale", shape), MIDDLE, 90, FAILS, bias_scale=0.0626)
    for name, scale in SMALL_BIASES.items():
        _add_codes(file, operation, Q8, _named(name, shape), SMALL, 90, FAILS, bias_scale=scale)
    _add_biases(file, operation, shape, BIASES_PAST_LIMIT, FAILS)


def _add_biases(
    file: EmittedFile, operation: str, shape: _Shape, scales: Mapping[str, tuple[int, int]], variations: str
) -> None:
    for name, (product, bias) in scales.items():
        scale = bias * BIAS_UNIT
        _add_codes(file, operation, Q8, _named(name, shape), with_product(product), 90, variations, bias_scale=scale)


EMPTY = {
    "CONV_2D": ([2, 1, 1, 2], ("1", "1", "1", "0")),
    "DEPTHWISE_CONV_2D": ([1, 1, 2, 2], ("1", "1", "1", "1", "0")),
    "TRANSPOSE_CONV_2D": ([2, 1, 1, 2], ("0", "0", "0", "0", "1", "1", "0", "False")),
}
"""Shape of the filter and what follows the bias, for operations that take no images."""


def _zero_sized() -> Iterable[EmittedFile]:
    for operation, (shape, trailing) in EMPTY.items():
        for kind in (F32, *QUANTIZED):
            folder = "V1_3" if kind == Q8S else "V1_2"
            file = EmittedFile(folder, _name(operation, f"zero_sized_{LABELS[kind]}"))
            constants = {
                "filter": parameter(F32, shape, [1.0, -1.0, 0.5, 2.0]),
                "bias": parameter(F32, [2], [1.0, 2.0]),
            }
            file.examples.append(empty_batch(operation, kind, "filter", "bias", *trailing, constants=constants))
            yield file


def files() -> list[EmittedFile]:
    """Return all spec files of the family."""
    written = [file for operation in BASIC for file in _float_files(operation)]
    written += [file for operation in BASIC for kind in QUANTIZED for file in _quantized_files(operation, kind)]
    return [*written, *_cropped_files(), *_constants(), *_failures(), *_zero_sized()]
