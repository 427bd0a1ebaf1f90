"""Metamorphic relations of one operation: swapped operands, a separate activation, or the other image layout.

``table.py`` lists them. The module also has the tool that all inserting relations use, those of ``identities.py`` too:
:func:`spliced` puts operations behind an operand, so that everything that read the operand reads their result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final, TypeAlias

import numpy as np
from msgspec.structs import replace

from nnvet.generators.metamorphic.operands import input_of, is_value, number
from nnvet.generators.metamorphic.relation import Models, OtherForm, Transformation
from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.reducer.evaluation import complete
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.editor import with_operand, with_operation
from nnvet.graphs.hal_model import operand_data
from nnvet.graphs.model import TestModel, TestOperand, TestOperation
from nnvet.hal.types import OperandLifeTime, OperandType, OperationType

Splice: TypeAlias = Callable[[Chooser, GraphBuilder, TestOperand, int, int], None]
"""Function that adds operations which read one operand and write another of the same type.

Its arguments are the chooser, the graph, the operand that is read, and the indexes of both.
"""


def everywhere(splice: Splice, kinds: Collection[OperandType]) -> Transformation:
    """Return the transformation that inserts ``splice`` behind a random input or result of these types."""
    return partial(_splice_somewhere, splice, kinds)


def _splice_somewhere(
    splice: Splice, kinds: Collection[OperandType], chooser: Chooser, test: TestModel
) -> Sequence[OtherForm]:
    main = test.main
    written = {index for operation in main.operations for index in operation.outputs}
    read = {index for operation in main.operations for index in operation.inputs}
    ends = {*main.input_indexes, *written}
    places = [
        index
        for index in sorted(ends)
        if main.operands[index].type in kinds and is_value(main.operands[index]) and _is_clear(test, index, read)
    ]
    if not places:
        return ()
    return (OtherForm(spliced(test, chooser.pick(places), partial(splice, chooser))),)


def _is_clear(test: TestModel, index: int, read: set[int]) -> bool:
    """Return True if an operand is either read or an output, but not both."""
    return (index in read) != (test.main.operands[index].lifetime == OperandLifeTime.SUBGRAPH_OUTPUT)


def spliced(test: TestModel, index: int, splice: Callable[[GraphBuilder, TestOperand, int, int], None]) -> TestModel:
    """Return the test with a splice after the operand ``index``.

    If that operand was an output of the model, the last operand of the splice becomes the output instead.
    """
    main, operand = test.main, test.main.operands[index]
    graph = GraphBuilder()
    for given in main.operands:
        graph.add(given)
    other = graph.add(replace(operand, lifetime=OperandLifeTime.TEMPORARY_VARIABLE, data=None, is_ignored=False))
    is_output = operand.lifetime == OperandLifeTime.SUBGRAPH_OUTPUT
    moved = [
        replace(operation, outputs=_replace_index(operation.outputs, index, other))
        if is_output
        else replace(operation, inputs=_replace_index(operation.inputs, index, other))
        for operation in main.operations
    ]
    position = _find_first_use(moved, other) + is_output
    for operation in moved[:position]:
        graph.operation(operation.type, operation.inputs, *operation.outputs)
    splice(graph, operand, *((other, index) if is_output else (index, other)))
    for operation in moved[position:]:
        graph.operation(operation.type, operation.inputs, *operation.outputs)
    return replace(test, main=graph.finish_subgraph())


def _replace_index(indexes: tuple[int, ...], before: int, after: int) -> tuple[int, ...]:
    return tuple(after if index == before else index for index in indexes)


def _find_first_use(operations: Sequence[TestOperation], index: int) -> int:
    return next(place for place, operation in enumerate(operations) if index in (*operation.inputs, *operation.outputs))


_O: Final = OperationType
_UNORDERED: Final = (_O.ADD, _O.MUL, _O.MAXIMUM, _O.MINIMUM, _O.EQUAL, _O.NOT_EQUAL, _O.LOGICAL_AND, _O.LOGICAL_OR)
_MIRRORED: Final = {_O.LESS: _O.GREATER, _O.LESS_EQUAL: _O.GREATER_EQUAL}
COMMUTED: Final = {
    **{operation: operation for operation in _UNORDERED},
    **_MIRRORED,
    **{other: operation for operation, other in _MIRRORED.items()},
}
"""Operations of two operands, with the operation that gives the same result if the operands are swapped."""
_ACTIVATIONS: Final = {1: _O.RELU, 2: _O.RELU1, 3: _O.RELU6}
"""Fused activations, and the operations that do the same."""
FUSING: Final = (
    *(_O.ADD, _O.SUB, _O.MUL, _O.DIV, _O.CONV_2D, _O.DEPTHWISE_CONV_2D, _O.GROUPED_CONV_2D, _O.TRANSPOSE_CONV_2D),
    *(_O.FULLY_CONNECTED, _O.AVERAGE_POOL_2D, _O.L2_POOL_2D, _O.MAX_POOL_2D),
)
"""Operations with a fused activation."""
LAYERED: Final = (
    *(_O.CONV_2D, _O.DEPTHWISE_CONV_2D, _O.GROUPED_CONV_2D, _O.TRANSPOSE_CONV_2D),
    *(_O.AVERAGE_POOL_2D, _O.L2_POOL_2D, _O.MAX_POOL_2D, _O.RESIZE_BILINEAR, _O.RESIZE_NEAREST_NEIGHBOR),
    *(_O.DEPTH_TO_SPACE, _O.SPACE_TO_DEPTH, _O.BATCH_TO_SPACE_ND, _O.SPACE_TO_BATCH_ND, _O.INSTANCE_NORMALIZATION),
)
"""Operations from images to images that take both layouts."""
_TO_NCHW: Final = (0, 3, 1, 2)
_TO_NHWC: Final = (0, 2, 3, 1)


def commuted(_: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Return the form in which the two operands of the only operation are exchanged."""
    (operation,) = test.main.operations
    first, second, *rest = operation.inputs
    kind = COMMUTED[OperationType(operation.type)]
    changed = replace(operation, type=kind, inputs=(second, first, *rest))
    return (OtherForm(replace(test, main=with_operation(test.main, 0, changed))),)


def with_activation(draw: Models) -> Models:
    """Return the function that draws a model by ``draw`` and gives its operation a fused activation, if possible."""

    def drawn(chooser: Chooser, name: str) -> TestModel:
        test = draw(chooser, name)
        (operation,) = test.main.operations
        index = input_of(test, operation, "activation")
        if index is None or test.main.operands[operation.outputs[0]].type == OperandType.TENSOR_INT32:
            return test
        code = np.array([chooser.integer(1, len(_ACTIVATIONS))], np.int32)
        return replace(test, main=with_operand(test.main, index, replace(test.main.operands[index], data=code)))

    return drawn


def explicit_activation(_: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Return the form that has a separate operation behind the result instead of the fused activation.

    There is no such form if the activation changes nothing.

    :raises NotReducibleError: without its activation the model is not valid.
    """
    (operation,) = test.main.operations
    index = input_of(test, operation, "activation")
    if index is None or number(test.main.operands[index]) not in _ACTIVATIONS:
        return ()
    code = test.main.operands[index]
    plain = replace(test, main=with_operand(test.main, index, replace(code, data=np.zeros(1, np.int32))))
    if np.array_equal(operand_data(complete(plain)[0].main.outputs[0]), operand_data(test.main.outputs[0])):
        return ()
    return (OtherForm(spliced(plain, operation.outputs[0], partial(_add_activation, _ACTIVATIONS[number(code)]))),)


def _add_activation(kind: OperationType, graph: GraphBuilder, _: TestOperand, source: int, target: int) -> None:
    graph.operation(kind, (source,), target)


def other_layout(_: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Return the form in which the operation has the other data layout, between two TRANSPOSEs."""
    (operation,) = test.main.operations
    index = input_of(test, operation, "layout")
    if index is None:
        return ()
    layout = test.main.operands[index]
    is_nchw = number(layout) != 0
    flag = np.array([not is_nchw]).astype(layout.data.dtype if layout.data is not None else np.uint8)
    turned = replace(test, main=with_operand(test.main, index, replace(layout, data=flag)))
    there, back = (_TO_NHWC, _TO_NCHW) if is_nchw else (_TO_NCHW, _TO_NHWC)
    inside = spliced(turned, operation.inputs[0], partial(_add_transpose, there))
    return (OtherForm(spliced(inside, operation.outputs[0], partial(_add_transpose, back))),)


def _add_transpose(axes: Sequence[int], graph: GraphBuilder, _: TestOperand, source: int, target: int) -> None:
    order = graph.constant(OperandType.TENSOR_INT32, (len(axes),), axes)
    graph.operation(OperationType.TRANSPOSE, (source, order), target)
