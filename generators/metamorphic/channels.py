"""Channels of convolutions and features of fully connected layers in another order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace

from nnvet.generators.graphs.editor import with_operand
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.metamorphic.batches import other_order
from nnvet.generators.metamorphic.operands import along, input_of, number, rearranged
from nnvet.generators.metamorphic.relation import OtherForm
from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.hal.types import OperationType

WITH_CHANNELS: Final = (OperationType.CONV_2D, OperationType.FULLY_CONNECTED)
"""Operations whose weights have output channels along axis 0, like the bias, and input channels along the last."""
_LEAST: Final = 2


def output_channels(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Filters and bias of the output channels in another order."""
    channels, axis = _channels(test, 0), _channel_axis(test)
    if channels < _LEAST:
        return ()
    order = other_order(chooser, channels)
    return (OtherForm(_with_channels(test, {1: (0, order), 2: (0, order)}), partial(along, axis, order)),)


def input_channels(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """The channels of images, or the features of rows, and those of the weights in another order."""
    (operation,) = test.main.operations
    data, weights = (test.main.operands[index] for index in operation.inputs[:2])
    axis, last = _channel_axis(test), len(weights.dimensions) - 1
    channels = _channels(test, last)
    # A fully connected layer may take rows of more than one dimension as one.
    if channels < _LEAST or len(data.dimensions) != last + 1 or data.dimensions[axis] != channels:
        return ()
    order = other_order(chooser, channels)
    return (OtherForm(_with_channels(test, {0: (axis, order), 1: (last, order)})),)


def _channels(test: TestModel, axis: int) -> int:
    return test.main.operands[test.main.operations[0].inputs[1]].dimensions[axis]


def _channel_axis(test: TestModel) -> int:
    """The axis of the channels in images, of features in rows."""
    (operation,) = test.main.operations
    layout = input_of(test, operation, "layout")
    is_nchw = layout is not None and number(test.main.operands[layout]) != 0
    rank = len(test.main.operands[operation.outputs[0]].dimensions)
    return 1 if is_nchw else rank - 1


def _with_channels(test: TestModel, orders: dict[int, tuple[int, list[int]]]) -> TestModel:
    main, (operation,) = test.main, test.main.operations
    for position, (axis, order) in orders.items():
        index = operation.inputs[position]
        main = with_operand(main, index, rearranged(main.operands[index], axis, order))
    return replace(test, main=main)
