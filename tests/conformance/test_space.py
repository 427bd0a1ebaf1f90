"""The space of campaigns: everything that the declarations allow occurs, or is listed with a reason."""

import pytest

from nnvet.conformance.engine.probing import ClaimedOperations, model_space
from nnvet.conformance.kit.bounded import contents_of
from nnvet.generators.random_graphs.catalogue import whole_pool
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.coverage import APART, REASONS
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import type_name
from nnvet.hal.operations.catalogue import declarations

WANTED = GraphOptions()
CLAIMED = {
    kind: frozenset(signature.operation for rank in WANTED.ranks for signature in whole_pool(kind, rank, WANTED.level))
    for kind in WANTED.types
}
SPACE = model_space(ClaimedOperations(CLAIMED, dict.fromkeys(CLAIMED, frozenset())), WANTED)


@pytest.mark.parametrize("kind", CLAIMED)
def test_each_operation_and_type_is_made(kind: OperandType) -> None:
    """A model of one operation and type is counted as one of that operation and type, and has no other operation."""
    for operation in sorted(CLAIMED[kind]):
        options = GraphOptions(operations=(1, 1), types=(kind,), only=(operation,))
        (found,) = contents_of(random_model(SeededChooser(f"space/{operation.name}"), options))
        name, made, rank, *_ = found.split(" ")
        assert (name, made) == (operation.name, type_name(kind))
        assert int(rank) in SPACE.kinds[name][made]


def test_all_declared_operations_and_types_may_be_made() -> None:
    """Each operation, with each first type of the rows of its declaration, or there is a reason."""
    for operation, declaration in declarations().items():
        types = {type_name(next(iter(row.types.values()))) for row in declaration.rows if row.types}
        missing = types - SPACE.kinds.get(declaration.name, {}).keys()
        if operation in APART:
            assert declaration.name not in SPACE.kinds
            continue
        assert declaration.name in SPACE.kinds
        assert all(f"{declaration.name} types T={kind}" in REASONS for kind in missing)


def test_operations_that_no_graph_has_are_in_the_report() -> None:
    """With a reason for each of their items, unless the campaign is about others."""
    name = OperationType.RANDOM_MULTINOMIAL.name
    assert SPACE.items[name]
    assert {SPACE.never[item] for item in SPACE.items[name]} == {APART[OperationType.RANDOM_MULTINOMIAL]}
    few = GraphOptions(only=(OperationType.ADD,))
    assert name not in model_space(ClaimedOperations(CLAIMED, dict.fromkeys(CLAIMED, frozenset())), few).items
