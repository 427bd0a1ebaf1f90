"""Everything that the declarations know is in some random model, or there is a reason why not."""

from collections.abc import Iterator

import pytest

from nnvet.generators.random_graphs.catalogue import all_signatures
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.coverage import REASONS, items, items_of
from nnvet.generators.random_graphs.generate import single_operation
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.hal.enums import OperationType
from nnvet.hal.operations.catalogue import declarations

SMALL = SizeLimits(8, 300)
MOST_SEEDS = 24
EVERYTHING = {item for declaration in declarations().values() for item in items(declaration)}


def made(operation: OperationType) -> Iterator[set[str]]:
    """The items of one model of each form and type after the other, seed by seed."""
    forms = [signature for signature in all_signatures() if signature.operation == operation]
    for seed in range(MOST_SEEDS):
        for form in forms:
            for kind in form.types:
                chooser = SeededChooser(f"items/{form.name}/{kind.name}/{seed}")
                yield set(items_of(single_operation(chooser, "items", form, kind, form.ranks[-1], SMALL)))


@pytest.mark.parametrize("operation", declarations())
def test_every_item_is_made(operation: OperationType) -> None:
    """Types that go together, lists of operands, attributes and operands that may be missing, of each operation."""
    missing = set(items(declarations()[operation])) - REASONS.keys()
    for found in made(operation):
        assert found <= EVERYTHING - REASONS.keys()
        missing -= found
        if not missing:
            break
    assert missing == set()


def test_reasons_are_of_items() -> None:
    """Each stands for something that a declaration has."""
    assert REASONS.keys() <= EVERYTHING
    assert all(REASONS.values())
