"""Metamorphic relations of whole models: the same operations in two models, in another order, with more outputs, twice.

The rows of a batch are reordered, split into two batches, or doubled, if all operations treat rows independently.
Channels of convolutions and features of fully connected layers are reordered.

Each relation takes a test, and returns other forms of it with the outputs that follow from the original's; none if it
does not apply (:mod:`nnvet.generators.metamorphic.relation`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace

from nnvet.generators.metamorphic.operands import along, input_of, is_data, is_value, number, rearranged
from nnvet.generators.metamorphic.relation import Expected, OtherForm
from nnvet.generators.random_graphs.chooser import Chooser, shuffled
from nnvet.generators.reducer.evaluation import complete, part_of
from nnvet.graphs.editor import relisted, with_operand
from nnvet.graphs.model import Array, TestModel, TestOperation, TestSubgraph
from nnvet.hal.types import OperandLifeTime, OperationType


def _picked(places: Sequence[int | None]) -> Expected:
    """Return the function that picks the original's outputs at these places; None stands for an uncompared output."""
    return lambda outputs: [None if place is None else outputs[place] for place in places]


def partitioned(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Cut a model between two operations into two models; the second one is fed with results of the first.

    :raises NotReducibleError: only empty tensors cross the cut.
    """
    main, count = test.main, len(test.main.operations)
    cut = chooser.integer(1, count - 1)
    written = {index for operation in main.operations[:cut] for index in operation.outputs}
    read = {index for operation in main.operations[cut:] for index in operation.inputs}
    crossing = sorted(index for index in written & read if index not in main.output_indexes)
    if not crossing:
        return ()
    values = complete(test)[1]
    # The first model has the crossing values as additional outputs.
    shown = replace(test, main=replace(main, output_indexes=(*main.output_indexes, *crossing)))
    first, former = part_of(shown, range(cut), None)
    second, latter = part_of(test, range(cut, count), values)
    outputs = [former[index] for index in first.main.output_indexes]
    feeds = {
        place: (0, outputs.index(latter[index]))
        for place, index in enumerate(second.main.input_indexes)
        if latter[index] in outputs
    }
    return (
        OtherForm(first, _picked(_places(main, outputs))),
        OtherForm(second, _picked(_places(main, [latter[index] for index in second.main.output_indexes])), feeds),
    )


def _places(main: TestSubgraph, indexes: Sequence[int]) -> list[int | None]:
    """Return the place of each operand among the model's outputs; None if it is not an output."""
    known = main.output_indexes
    return [known.index(index) if index in known else None for index in indexes]


def reordered(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Reorder the operations so that each still comes after those whose results it reads."""
    main = test.main
    orders = [_order(main, pick) for pick in (chooser.pick, _last)]
    other = [
        order
        for order in orders
        if any(operation is not now for operation, now in zip(order, main.operations, strict=True))
    ]
    return [OtherForm(replace(test, main=replace(main, operations=tuple(order)))) for order in other[:1]]


def _order(main: TestSubgraph, pick: Callable[[Sequence[TestOperation]], TestOperation]) -> list[TestOperation]:
    """Order operations: repeatedly pick one of those whose inputs are already written."""
    waiting, order = list(main.operations), list[TestOperation]()
    while waiting:
        unwritten = {index for operation in waiting for index in operation.outputs}
        order.append(pick([operation for operation in waiting if unwritten.isdisjoint(operation.inputs)]))
        waiting.remove(order[-1])
    return order


def _last(operations: Sequence[TestOperation]) -> TestOperation:
    return operations[-1]


def renumbered(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Renumber the operands, and list inputs and outputs in another order."""
    main = test.main
    order = shuffled(chooser, range(len(main.operands)))
    number = {before: after for after, before in enumerate(order)}
    places = shuffled(chooser, range(len(main.output_indexes)))
    changed = TestSubgraph(
        tuple(main.operands[index] for index in order),
        tuple(_with_indexes(operation, number.__getitem__) for operation in main.operations),
        tuple(number[index] for index in shuffled(chooser, main.input_indexes)),
        tuple(number[main.output_indexes[place]] for place in places),
    )
    return (OtherForm(replace(test, main=changed), _picked(places)),)


def _with_indexes(operation: TestOperation, number: Callable[[int], int]) -> TestOperation:
    return TestOperation(operation.type, tuple(map(number, operation.inputs)), tuple(map(number, operation.outputs)))


def exposed(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Make an intermediate result an additional output."""
    main = test.main
    inner = [
        index
        for index, operand in enumerate(main.operands)
        if operand.lifetime == OperandLifeTime.TEMPORARY_VARIABLE and is_value(operand)
    ]
    if not inner:
        return ()
    index = chooser.pick(inner)
    shown = replace(main.operands[index], lifetime=OperandLifeTime.SUBGRAPH_OUTPUT)
    changed = relisted(with_operand(main, index, shown), index, OperandLifeTime.SUBGRAPH_OUTPUT)
    return (OtherForm(replace(test, main=changed), _picked([*range(len(main.output_indexes)), None])),)


def doubled(_: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Put a copy of each operation behind it.

    A copy reads the same inputs and constants of the model as its original, but results of other copies.
    """
    main = test.main
    written = sorted({index for operation in main.operations for index in operation.outputs})
    copies = {index: len(main.operands) + place for place, index in enumerate(written)}
    again = [_with_indexes(operation, lambda index: copies.get(index, index)) for operation in main.operations]
    changed = TestSubgraph(
        (*main.operands, *(main.operands[index] for index in written)),
        tuple(operation for pair in zip(main.operations, again, strict=True) for operation in pair),
        main.input_indexes,
        (*main.output_indexes, *(copies[index] for index in main.output_indexes)),
    )
    return (OtherForm(replace(test, main=changed), _twice),)


def _twice(outputs: Sequence[Array]) -> Sequence[Array]:
    return [*outputs, *outputs]


WITH_CHANNELS: Final = (OperationType.CONV_2D, OperationType.FULLY_CONNECTED)
"""Operations whose weights and bias have output channels along axis 0, and whose weights have input channels last."""
_LEAST: Final = 2
"""Fewest channels or rows that can be reordered; fewest dimensions of a batch of rows."""


def output_channels(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Reorder the output channels of filters and bias."""
    channels, axis = _channels(test, 0), _channel_axis(test)
    if channels < _LEAST:
        return ()
    order = other_order(chooser, channels)
    return (OtherForm(_with_channels(test, {1: (0, order), 2: (0, order)}), partial(along, axis, order)),)


def input_channels(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Reorder the channels of images, or the features of rows, together with those of the weights."""
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
    """Return the size of the weights along an axis."""
    return test.main.operands[test.main.operations[0].inputs[1]].dimensions[axis]


def _channel_axis(test: TestModel) -> int:
    """Return the axis of the channels if the input is an image, or of the features if the input is rows."""
    (operation,) = test.main.operations
    layout = input_of(test, operation, "layout")
    is_nchw = layout is not None and number(test.main.operands[layout]) != 0
    rank = len(test.main.operands[operation.outputs[0]].dimensions)
    return 1 if is_nchw else rank - 1


def _with_channels(test: TestModel, orders: dict[int, tuple[int, list[int]]]) -> TestModel:
    """Reorder inputs of the only operation: by position, the axis and the order along it."""
    main, (operation,) = test.main, test.main.operations
    for position, (axis, order) in orders.items():
        index = operation.inputs[position]
        main = with_operand(main, index, rearranged(main.operands[index], axis, order))
    return replace(test, main=main)


_O: Final = OperationType
ROW_BY_ROW: Final = frozenset(
    (
        *(_O.CONV_2D, _O.DEPTHWISE_CONV_2D, _O.GROUPED_CONV_2D, _O.TRANSPOSE_CONV_2D, _O.FULLY_CONNECTED),
        *(_O.AVERAGE_POOL_2D, _O.L2_POOL_2D, _O.MAX_POOL_2D, _O.RESIZE_BILINEAR, _O.RESIZE_NEAREST_NEIGHBOR),
        *(_O.DEPTH_TO_SPACE, _O.SPACE_TO_DEPTH, _O.INSTANCE_NORMALIZATION, _O.L2_NORMALIZATION),
        *(_O.LOCAL_RESPONSE_NORMALIZATION, _O.SOFTMAX, _O.LOG_SOFTMAX),
    )
)
"""Operations in which row i of the first output depends on no row of the first input except row i."""


def _is_by_row(test: TestModel) -> bool:
    """Return True if the only operation of a test treats rows along axis 0 independently, and there are rows."""
    (operation,) = test.main.operations
    data, output = test.main.operands[operation.inputs[0]], test.main.operands[operation.outputs[0]]
    axis = input_of(test, operation, "axis")
    rank = len(data.dimensions)
    if rank < _LEAST or not is_data(data) or data.dimensions[0] < _LEAST:
        return False
    if axis is not None and number(test.main.operands[axis]) % rank == 0:
        return False
    return output.dimensions[:1] == data.dimensions[:1]


def _with_rows(test: TestModel, rows: Sequence[int]) -> TestModel:
    index = test.main.operations[0].inputs[0]
    return replace(test, main=with_operand(test.main, index, rearranged(test.main.operands[index], 0, rows)))


def _rows(test: TestModel) -> int:
    return test.main.operands[test.main.operations[0].inputs[0]].dimensions[0]


def permuted(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Put the rows of the batch into another order."""
    if not _is_by_row(test):
        return ()
    rows = other_order(chooser, _rows(test))
    return (OtherForm(_with_rows(test, rows), partial(along, 0, rows)),)


def split(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Split the batch into two, each of which is a form of its own."""
    if not _is_by_row(test):
        return ()
    count = _rows(test)
    cut = chooser.integer(1, count - 1)
    return [OtherForm(_with_rows(test, rows), partial(along, 0, rows)) for rows in (range(cut), range(cut, count))]


def repeated(_: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Double the batch: all rows, then all rows again."""
    if not _is_by_row(test):
        return ()
    rows = [*range(_rows(test))] * 2
    return (OtherForm(_with_rows(test, rows), partial(along, 0, rows)),)


def other_order(chooser: Chooser, count: int) -> list[int]:
    """Return the numbers from 0 to ``count`` - 1 in an order that is not ascending; ``count`` is at least 2."""
    rows = shuffled(chooser, range(count))
    return [*rows[1:], rows[0]] if rows == sorted(rows) else rows
