"""``docs/next.md`` follows from the declarations."""

from docs.next_tables import PAGE, next_page


def test_the_tables_of_operations_are_fresh() -> None:
    """``python -m docs.generate`` has been run."""
    assert PAGE.read_text(encoding="utf-8") == next_page()
