"""Operations of a fragment: connected groups that nothing outside stands between. Expected ones are by hand."""

from __future__ import annotations

from collections.abc import Sequence

from nnvet.generators.mining.collection import Dependencies, Group
from nnvet.graphs.model import TestOperand, TestOperation, TestSubgraph
from nnvet.hal.enums import OperandType, OperationType


def groups(*reads: Sequence[int], most: int = 3) -> list[Group]:
    """Groups of a graph whose operation i writes operand i + 1 and reads the operands given; operand 0 is the input."""
    operations = tuple(
        TestOperation(OperationType.ADD, tuple(inputs), (position + 1,)) for position, inputs in enumerate(reads)
    )
    operands = (TestOperand(OperandType.TENSOR_FLOAT32, (1,)),) * (len(reads) + 1)
    return list(Dependencies(TestSubgraph(operands, operations, (0,), (len(reads),))).groups(most))


def test_a_chain_is_cut_into_its_parts() -> None:
    """Neighbours only; a group ends where the model does."""
    chain = groups([0], [1], [2], [3])
    assert chain == [(0,), (1,), (2,), (3,), (0, 1), (1, 2), (2, 3), (0, 1, 2), (1, 2, 3)]
    assert groups([0], [1], [2], most=1) == [(0,), (1,), (2,)]


def test_what_stands_between_is_not_left_out() -> None:
    """Of a residual connection 0 and 2 are neighbours, but 1 has to be executed after the one and before the other."""
    assert groups([0], [1], [1, 2]) == [(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)]


def test_branches_that_meet() -> None:
    """Of a diamond (0 to 1 and 2, these to 3) three operations can stand alone if both branches are on one side."""
    found = groups([0], [1], [1], [2, 3])
    assert [cut for cut in found if len(cut) == 2] == [(0, 1), (0, 2), (1, 3), (2, 3)]
    assert [cut for cut in found if len(cut) == 3] == [(0, 1, 2), (1, 2, 3)]


def test_operations_that_share_an_input_only_are_not_connected() -> None:
    """Nothing goes from one to the other."""
    assert groups([0], [0]) == [(0,), (1,)]
