"""The page on numeric positions has the limits as they are, and a section with a source for each position."""

import re

import pytest

from docs.position_tables import PAGE, positions_page
from nnvet.oracle.positions.grading import POSITIONS


def test_the_tables_of_limits_are_fresh() -> None:
    """``make docs`` would change nothing."""
    assert positions_page() == PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("position", POSITIONS)
def test_each_position_has_a_section_with_its_source(position: str) -> None:
    """The table links to it."""
    text = PAGE.read_text(encoding="utf-8")
    (section,) = (part for part in re.split(r"^## ", text, flags=re.MULTILINE) if f'<a id="{position}"></a>' in part)
    assert re.search(r"Source:\s", section)
