"""Kernels whose recipes come from TensorFlow Lite, against its runtime (the reference kernels of LiteRT)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.formats.tflite.writer import ModelWriter
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operations.declaration import Argument
from tests.kernels.movement import flag, ints, like, number
from tests.kernels.random_operands import FEW, operands, shapes
from tests.single import run_single, tensor

interpreter = pytest.importorskip("ai_edge_litert.interpreter", reason="LiteRT is not installed (extra: litert)")
pytest.importorskip("flatbuffers", reason="flatbuffers is not installed (extra: models)")


def lite(
    name: str, inputs: Sequence[Argument], constants: int, out: Argument, shape: Sequence[int], **options: Any
) -> Any:
    """LiteRT's answer; the last ``constants`` inputs are constants of the model."""
    writer = ModelWriter()
    indexes = []
    for position, argument in enumerate(inputs):
        data = argument.array if position >= len(inputs) - constants else None
        indexes.append(_add(writer, f"input{position}", argument, argument.dimensions, data))
    result = _add(writer, "output", out, shape, None)
    writer.operator(name, indexes, [result], **options)
    fed = indexes[: len(inputs) - constants]
    runtime = interpreter.Interpreter(
        model_content=writer.finish(fed, [result]),
        experimental_op_resolver_type=interpreter.OpResolverType.BUILTIN_REF,
    )
    runtime.allocate_tensors()
    for details, argument in zip(runtime.get_input_details(), inputs, strict=False):
        runtime.set_tensor(details["index"], argument.array)
    runtime.invoke()
    return runtime.get_tensor(runtime.get_output_details()[0]["index"])


def _add(writer: ModelWriter, name: str, argument: Argument, shape: Sequence[int], data: Any) -> int:
    quantization: dict[str, Any] = (
        {"scale": argument.scale, "zero_point": argument.zero_point} if argument.scale else {}
    )
    return writer.tensor(name, shape, argument.dtype, data=data, **quantization)


@FEW
@given(
    data=st.data(),
    kind=st.sampled_from((T.TENSOR_FLOAT32, T.TENSOR_QUANT8_ASYMM)),
    sizes=st.tuples(*[st.integers(1, 6)] * 4),
    flags=st.sampled_from(((False, False), (True, False), (False, True))),
    operation=st.sampled_from((O.RESIZE_BILINEAR, O.RESIZE_NEAREST_NEIGHBOR)),
)
def test_resize(data: st.DataObject, kind: T, sizes: tuple[int, ...], flags: tuple[bool, bool], operation: O) -> None:
    """Resized images agree to the bit; int8 is left out because LiteRT interpolates it in integers."""
    height, width, new_height, new_width = sizes
    image = data.draw(operands(kind, (1, height, width, 2)))
    align, half = flags
    expected = lite(
        operation.name,
        [image, ints(new_height, new_width)],
        1,
        like(image),
        (1, new_height, new_width, 2),
        align_corners=align,
        half_pixel_centers=half,
    )
    inputs = [image, number(new_width), number(new_height), *(flag(value=v) for v in (False, align, half))]
    (result,) = run_single(operation, inputs, [like(image)])
    np.testing.assert_array_equal(result, expected)


@FEW
@given(data=st.data(), shape=shapes(ranks=(1, 4)))
def test_strided_slice(data: st.DataObject, shape: tuple[int, ...]) -> None:
    """Every position, stride and mask gives the same elements."""
    source = data.draw(operands(T.TENSOR_FLOAT32, shape))
    begin, end, strides = (ints(*(data.draw(st.integers(-6, 6)) for _ in shape)) for _ in range(3))
    strides = ints(*(stride or 1 for stride in strides.array.tolist()))
    masks = [data.draw(st.integers(0, 2 ** len(shape) - 1)) for _ in range(2)]
    (result,) = run_single(O.STRIDED_SLICE, [source, begin, end, strides, *map(number, (*masks, 0))], [like(source)])
    expected = lite(
        "STRIDED_SLICE",
        [source, begin, end, strides],
        3,
        like(source),
        result.shape,
        begin_mask=masks[0],
        end_mask=masks[1],
    )
    np.testing.assert_array_equal(result, expected)


@FEW
@given(
    first=operands(T.TENSOR_QUANT8_ASYMM, (5, 3)),
    second=operands(T.TENSOR_QUANT8_ASYMM, (2, 3)),
    target=operands(T.TENSOR_QUANT8_ASYMM, (1,)),
)
def test_requantised_concatenation(first: Argument, second: Argument, target: Argument) -> None:
    """Unsigned codes of any scales and zero points are requantised to the same codes."""
    (result,) = run_single(O.CONCATENATION, [first, second, number(0)], [like(target)])
    expected = lite("CONCATENATION", [first, second], 0, like(target), (7, 3), axis=0)
    np.testing.assert_array_equal(result, expected)


@FEW
@given(data=st.data(), mode=st.sampled_from((0, 1)), shape=shapes(ranks=(1, 3)))
def test_mirror_pad(data: st.DataObject, mode: int, shape: tuple[int, ...]) -> None:
    """Both modes mirror alike."""
    source = data.draw(operands(T.TENSOR_FLOAT32, shape))
    limits = [st.integers(0, size - 1 + mode) for size in shape]
    paddings = tensor(T.TENSOR_INT32, [[data.draw(limit), data.draw(limit)] for limit in limits])
    (result,) = run_single(O.MIRROR_PAD, [source, paddings, number(mode)], [like(source)])
    expected = lite("MIRROR_PAD", [source, paddings], 1, like(source), result.shape, mode=mode)
    np.testing.assert_array_equal(result, expected)
