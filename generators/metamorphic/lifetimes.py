"""Relations about sources of values: constants become inputs, inputs become constants, constants move to a pool."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from nnvet.generators.graphs.editor import relisted, with_operand, with_operands
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.metamorphic.operands import is_data
from nnvet.generators.metamorphic.relation import OtherForm
from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.validation.operands import CONSTANTS


def constant_as_input(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """A constant tensor is an input of that value."""
    constants = [
        index for index, operand in enumerate(test.main.operands) if operand.lifetime in CONSTANTS and is_data(operand)
    ]
    return _with_lifetime(chooser, test, constants, OperandLifeTime.SUBGRAPH_INPUT)


def input_as_constant(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """An input is a constant of its value; another input is left."""
    inputs = [index for index in test.main.input_indexes if is_data(test.main.operands[index])]
    enough = len(test.main.input_indexes) > 1
    return _with_lifetime(chooser, test, inputs if enough else [], OperandLifeTime.CONSTANT_COPY)


def _with_lifetime(
    chooser: Chooser, test: TestModel, indexes: Sequence[int], lifetime: OperandLifeTime
) -> Sequence[OtherForm]:
    if not indexes:
        return ()
    index = chooser.pick(indexes)
    changed = with_operand(test.main, index, replace(test.main.operands[index], lifetime=lifetime))
    return (OtherForm(replace(test, main=relisted(changed, index, lifetime))),)


def constants_in_pool(_: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Constants that lie in the model lie in a pool of it."""
    copies = {
        index: replace(operand, lifetime=OperandLifeTime.CONSTANT_REFERENCE)
        for index, operand in enumerate(test.main.operands)
        if operand.lifetime == OperandLifeTime.CONSTANT_COPY and operand.data is not None and operand.data.size
    }
    return (OtherForm(replace(test, main=with_operands(test.main, copies))),) if copies else ()


def same(_: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """The test itself."""
    return (OtherForm(test),)


def other_inputs(_: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """The model itself, the elements of its inputs from the last to the first."""
    inputs = {index: test.main.operands[index] for index in test.main.input_indexes}
    turned = {
        index: replace(operand, data=operand.data[::-1].copy())
        for index, operand in inputs.items()
        if operand.data is not None
    }
    return (OtherForm(replace(test, main=with_operands(test.main, turned))),)
