"""The form of models at AIDL levels."""

from msgspec.structs import replace

from nnvet.hal.levels import without_consumers
from nnvet.hal.types import Model, Subgraph


def counted(subgraph: Subgraph, count: int) -> Subgraph:
    """Copy whose operands all have the same number of consumers."""
    return replace(
        subgraph, operands=tuple(replace(operand, number_of_consumers=count) for operand in subgraph.operands)
    )


def test_consumers_go_and_nothing_else(add_model: Model) -> None:
    """In the main subgraph and the referenced ones the numbers become None; the rest is as it was."""
    plain = replace(add_model, referenced=(add_model.main,))
    assert all(operand.number_of_consumers is None for operand in add_model.main.operands)
    with_counts = replace(plain, main=counted(plain.main, 1), referenced=(counted(add_model.main, 0),))
    assert with_counts != plain
    assert without_consumers(with_counts) == plain
