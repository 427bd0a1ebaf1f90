"""Levels, list lengths, broken rules and empty tensors of convolution and pooling, as the operations' pages say."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.errors import HalError
from nnvet.hal.operations.declaration import Argument
from nnvet.hal.types import SymmPerChannelQuantParams
from tests.kernels.declared import Break, level_of, rules_to_break
from tests.kernels.movement import flag, ints, number
from tests.kernels.windowed_calls import (
    CHANNEL_DIMS,
    FILTER_SHAPES,
    FLOAT,
    PADDING,
    PER_CHANNEL,
    QUANTIZED,
    call,
    operands,
    zeros,
)
from tests.single import omitted, output, run_single, tensor

CONVOLUTIONS = tuple(FILTER_SHAPES)
POOLS = (O.AVERAGE_POOL_2D, O.MAX_POOL_2D, O.L2_POOL_2D)
SLIDING = (O.CONV_2D, O.DEPTHWISE_CONV_2D)
Q8, Q8S = QUANTIZED
F16 = T.TENSOR_FLOAT16
LENGTHS = {
    # From the pages of the operations: explicit and implicit padding, each with its level.
    O.CONV_2D: ({10: 1, 11: 3, 13: 3}, {7: 1, 8: 3, 10: 3}),
    O.DEPTHWISE_CONV_2D: ({11: 1, 12: 3, 14: 3}, {8: 1, 9: 3, 11: 3}),
    O.GROUPED_CONV_2D: ({12: 3}, {9: 3}),
    O.TRANSPOSE_CONV_2D: ({11: 3}, {9: 3}),
    **dict.fromkeys(POOLS, ({10: 1, 11: 3}, {7: 1, 8: 3})),
}


@pytest.mark.parametrize("operation", LENGTHS, ids=lambda operation: operation.name)
@pytest.mark.parametrize("implicit", [False, True])
def test_lengths(operation: O, implicit: bool) -> None:
    """Each list length needs its level and runs; no other length is valid."""
    accepted = LENGTHS[operation][implicit]
    # The beginning of a list with explicit padding may be a whole list with implicit padding.
    ambiguous = set() if implicit else {min(LENGTHS[operation][1])}
    for length in set(range(1, max(accepted) + 2)) - ambiguous:
        inputs, outputs = call(operation, implicit=implicit, length=length)
        if length > len(inputs):
            inputs = [*inputs, number(1)]
        if length in accepted:
            assert level_of(operation, inputs, outputs) == accepted[length]
            run_single(operation, inputs, outputs)
        else:
            with pytest.raises(HalError) as caught:
                level_of(operation, inputs, outputs)
            assert caught.value.rule in (f"{operation.name}/inputs.count", f"{operation.name}/types")


def _combinations() -> Iterable[tuple[O, T, T | None, int]]:
    for operation in (*CONVOLUTIONS, *POOLS):
        first = 3 if operation in (O.GROUPED_CONV_2D, O.TRANSPOSE_CONV_2D) else 1
        yield operation, FLOAT, None, first
        yield operation, F16, None, 3
        if operation != O.L2_POOL_2D:
            yield operation, Q8, None, first
            yield operation, Q8S, None, 4
        if operation in CONVOLUTIONS:
            yield operation, Q8, PER_CHANNEL, 3
            yield operation, Q8S, PER_CHANNEL, 4


@pytest.mark.parametrize(("operation", "kind", "weights", "level"), list(_combinations()))
def test_types(operation: O, kind: T, weights: T | None, level: int) -> None:
    """Each legal combination of types needs its level and runs."""
    length = min(LENGTHS[operation][0])
    inputs, outputs = call(operation, kind=kind, weights=weights, length=length)
    assert level_of(operation, inputs, outputs) == level
    assert run_single(operation, inputs, outputs)[0].dtype == inputs[0].array.dtype


@pytest.mark.parametrize("kind", [*QUANTIZED, T.TENSOR_INT32])
def test_l2_pool_takes_floats_only(kind: T) -> None:
    """L2_POOL_2D has no quantised or integer form at any level."""
    with pytest.raises(HalError, match="types"):
        level_of(O.L2_POOL_2D, *call(O.L2_POOL_2D, kind=kind))


@pytest.mark.parametrize("operation", SLIDING)
@pytest.mark.parametrize(("scale", "level"), [(0.999, 1), (1.0, 3), (1.5, 3)])
def test_filter_scale_level(operation: O, scale: float, level: int) -> None:
    """A TENSOR_QUANT8_ASYMM filter needs level 3 from scale 1 on, whatever the output's scale."""
    weights = zeros(Q8, *FILTER_SHAPES[operation], scale=scale)
    inputs, outputs = call(operation, {"filter": weights}, kind=Q8, length=min(LENGTHS[operation][0]))
    assert level_of(operation, inputs, outputs) == level


def _break(operation: O, aspect: str, changes: dict[str, Argument], **options: object) -> Break:
    status = options.pop("status", ErrorStatus.GENERAL_FAILURE)
    inputs, outputs = call(operation, changes, **options)  # type: ignore[arg-type]
    return Break(f"{operation.name}/{aspect}", inputs, outputs, status)  # type: ignore[arg-type]


def _image_breaks(operation: O) -> Iterable[Break]:
    """Rules that all operations share, or nearly all."""
    grouped, transposed = operation == O.GROUPED_CONV_2D, operation == O.TRANSPOSE_CONV_2D
    yield _break(operation, "input.rank", {"input": zeros(FLOAT, 3, 3, 2)})
    for code in (-1, 4):
        yield _break(operation, "activation", {"activation": number(code)})
    yield _break(operation, "stride", {"stride_width": number(0)})
    yield _break(operation, "stride", {"stride_height": number(-1)}, implicit=True)
    if not grouped:
        yield _break(operation, "padding.negative", {"padding_left": number(-1)})
        yield _break(operation, "padding.negative", {"padding_top": number(-1)})
    if transposed:
        return
    if not grouped:
        yield _break(operation, "padding.negative", {"padding_bottom": number(-1)})
    yield _break(operation, "padding.size", {"padding_right": number(2)})
    yield _break(operation, "padding.size", {"padding_bottom": number(2)})
    yield _break(operation, "output.size", {"input": zeros(FLOAT, 1, 1, 3, 2)})
    if operation in SLIDING:
        yield _break(operation, "dilation", {"dilation_width": number(0)})
        # Extent (2 - 1) * 3 + 1 = 4 of a window on 3 cells.
        yield _break(operation, "output.size", {"dilation_height": number(3)})


def _pool_breaks(operation: O) -> Iterable[Break]:
    yield _break(operation, "filter", {"filter_width": number(0)})
    yield _break(operation, "filter", {"filter_height": number(-2)}, implicit=True)
    for shape in ((1, 0, 3, 2), (1, 3, 0, 2), (1, 3, 3, 0)):
        yield _break(operation, "input.empty", {"input": zeros(FLOAT, *shape)})


def _weight_breaks(operation: O) -> Iterable[Break]:
    shape = FILTER_SHAPES[operation]
    channel_dim = CHANNEL_DIMS[operation]
    yield _break(operation, "filter.rank", {"filter": zeros(FLOAT, *shape[1:])})
    yield _break(operation, "bias.rank", {"bias": zeros(FLOAT, shape[channel_dim], 1)})
    yield _break(operation, "bias.length", {"bias": zeros(FLOAT, shape[channel_dim] + 1)})
    for scale in (0.25001, 0.24999, 0.0):
        bias = tensor(T.TENSOR_INT32, np.zeros(shape[channel_dim]), scale)
        yield _break(operation, "bias.scale", {"bias": bias}, kind=Q8)
        yield _break(operation, "bias.scale", {"bias": bias}, kind=Q8S)
    weights = operands(operation, Q8, PER_CHANNEL)["filter"]
    other = (0.5,) * shape[1]
    changed = replace(weights, channel_quant=SymmPerChannelQuantParams(other, 1))
    yield _break(operation, "filter.channel_dim", {"filter": changed}, kind=Q8, weights=PER_CHANNEL)


def _special_breaks() -> Iterable[Break]:
    for operation in (O.CONV_2D, O.TRANSPOSE_CONV_2D):
        yield _break(operation, "filter.depth_in", {"filter": zeros(FLOAT, 3, 2, 2, 3)})
        for shape in ((1, 0, 3, 2), (1, 3, 0, 2), (1, 3, 3, 0)):
            yield _break(operation, "input.empty", {"input": zeros(FLOAT, *shape)})
        yield _break(operation, "filter.empty", {"filter": zeros(FLOAT, 0, 2, 2, 2), "bias": zeros(FLOAT, 0)})
    # 2^15 x 2^15 windows of one float.
    big = {"input": zeros(FLOAT, 1, 3, 2**15, 1), "filter": zeros(FLOAT, 3, 1, 2**13, 1)}
    wide = {"padding_left": number(2**13 - 1), "padding_right": number(2**13 - 1)}
    yield _break(O.CONV_2D, "patches.size", {**big, **wide})
    depthwise = O.DEPTHWISE_CONV_2D
    yield _break(depthwise, "filter.empty", {"filter": zeros(FLOAT, 1, 0, 2, 4)})
    yield _break(depthwise, "filter.first_dimension", {"filter": zeros(FLOAT, 2, 2, 2, 4)})
    yield _break(depthwise, "filter.depth_out", {"depth_multiplier": number(3)})
    yield _break(depthwise, "depth_multiplier", {"depth_multiplier": number(0)})
    grouped, transposed = O.GROUPED_CONV_2D, O.TRANSPOSE_CONV_2D
    yield _break(grouped, "groups", {"groups": number(0)})
    yield _break(grouped, "filter.depth_group", {"groups": number(1)})
    yield _break(grouped, "filter.depth_out", {"filter": zeros(FLOAT, 3, 2, 2, 1), "bias": zeros(FLOAT, 3)})
    yield _break(transposed, "output_shape.length", {"output_shape": ints(1, 3, 3)}, implicit=True)
    yield _break(transposed, "output_shape.rank", {"output_shape": zeros(T.TENSOR_INT32, 2, 2)}, implicit=True)
    # (3 - 1) * 1 + 2 = 4 cells, all of them cut off.
    yield _break(transposed, "output.size", {"padding_left": number(2), "padding_right": number(2)})


def _breaks() -> list[Break]:
    breaks = [b for operation in (*CONVOLUTIONS, *POOLS) for b in _image_breaks(operation)]
    breaks += [b for operation in POOLS for b in _pool_breaks(operation)]
    breaks += [b for operation in CONVOLUTIONS for b in _weight_breaks(operation)]
    return [*breaks, *_special_breaks()]


@pytest.mark.parametrize("broken", _breaks(), ids=lambda broken: broken.rule)
def test_broken_rules(broken: Break) -> None:
    """Each rule, broken alone, is the one that fails."""
    broken.check()


def test_every_rule_is_broken() -> None:
    """The table above leaves no declared rule out."""
    assert {broken.rule for broken in _breaks()} == rules_to_break((*CONVOLUTIONS, *POOLS))


@pytest.mark.parametrize("operation", [*SLIDING, O.TRANSPOSE_CONV_2D, *POOLS])
def test_no_images(operation: O) -> None:
    """A batch of no images gives none, and leaves the bias's scale unchecked."""
    quantized = operation != O.L2_POOL_2D
    kind = Q8 if quantized else FLOAT
    changes = {"input": zeros(kind, 0, 3, 3, 2)}
    if operation in CONVOLUTIONS:
        changes["bias"] = tensor(T.TENSOR_INT32, np.zeros(FILTER_SHAPES[operation][CHANNEL_DIMS[operation]]), 9.0)
    (result,) = run_single(operation, *call(operation, changes, kind=kind))
    assert (result.shape[0], result.dtype.name) == (0, "uint8" if quantized else "float32")


def test_grouped_takes_no_empty_images() -> None:
    """GROUPED_CONV_2D answers INVALID_ARGUMENT to a batch of no images and to a missing operand."""
    for changes, rule in (
        ({"input": zeros(FLOAT, 0, 3, 3, 2)}, "zero_sized"),
        ({"bias": omitted(FLOAT)}, "bias.omitted"),
    ):
        with pytest.raises(HalError) as caught:
            run_single(O.GROUPED_CONV_2D, *call(O.GROUPED_CONV_2D, changes))
        wanted = (f"GROUPED_CONV_2D/{rule}", ErrorStatus.INVALID_ARGUMENT)
        assert (caught.value.rule, caught.value.status) == wanted


@pytest.mark.parametrize("operation", [O.AVERAGE_POOL_2D, O.MAX_POOL_2D])
@pytest.mark.parametrize(("scale", "zero_point"), [(0.25, 0), (0.5, 1)])
def test_pooled_quantization(operation: O, scale: float, zero_point: int) -> None:
    """A model output must have scale and zero point of the input."""
    inputs, _ = call(operation, kind=Q8)
    with pytest.raises(HalError) as caught:
        run_single(operation, inputs, [output(Q8, scale, zero_point)])
    assert caught.value.rule == f"{operation.name}/output.quantization"


def test_absurd_padding_is_refused() -> None:
    """Working memory of absurd size is refused at once, not allocated."""
    wide = {"dilation_width": number(2**30), **{name: number(2**29) for name in list(PADDING)[:2]}}
    with pytest.raises(HalError) as caught:
        run_single(O.CONV_2D, *call(O.CONV_2D, {**wide, "stride_width": number(2**29)}))
    assert caught.value.status == ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT


def test_layout_twice() -> None:
    """With layout and dilations given, NCHW holds for input and output only: the filter keeps its order."""
    images = tensor(FLOAT, np.arange(18.0).reshape(1, 2, 3, 3))
    weights = tensor(FLOAT, np.array([1.0, 10.0]).reshape(1, 1, 1, 2))
    changes = {"input": images, "filter": weights, "bias": zeros(FLOAT, 1), "layout": flag(value=True)}
    (result,) = run_single(O.CONV_2D, *call(O.CONV_2D, changes))
    # x[0] + 10 x[1] at each place, where x[1] = x[0] + 9.
    assert result.shape == (1, 1, 3, 3)
    assert result.reshape(-1).tolist() == [11.0 * i + 90 for i in range(9)]


def test_absurd_empty_output_is_refused() -> None:
    """No images of absurd height and width are refused like one of them."""
    wide = {name: number(2**30 - 1) for name in PADDING}
    dilations = {"dilation_width": number(2**30), "dilation_height": number(2**30)}
    with pytest.raises(HalError) as caught:
        run_single(O.CONV_2D, *call(O.CONV_2D, {"input": zeros(FLOAT, 0, 3, 3, 2), **wide, **dilations}))
    assert caught.value.status == ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT
