"""Rules and operations lead to pages of the specification; that the pages have them is in tests/docs."""

import pytest

from nnvet.hal.specification import page_of, section_of


@pytest.mark.parametrize(
    ("subject", "page"),
    [
        ("CONV_2D/bias.scale", "operations/CONV_2D.md"),
        ("CONV_2D", "operations/CONV_2D.md"),
        ("com.example.wide::WIDEN/input.rank", "operations/extensions.md"),
        ("model/operand.scale", "hal.md"),
        ("operation 0x7fff", "hal.md"),
        ("", "hal.md"),
    ],
)
def test_subjects_have_pages(subject: str, page: str) -> None:
    """Operations have pages of their own, those of extensions share one; all else is on the page of the interface."""
    assert page_of(subject) == f"docs/contract/{page}"


def test_a_rule_is_its_anchor() -> None:
    """Page and anchor, as in a link."""
    assert section_of("ADD/broadcast") == "docs/contract/operations/ADD.md#ADD/broadcast"
