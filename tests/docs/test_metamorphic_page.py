"""The page on metamorphic relations has the relations as they are."""

from docs.metamorphic_tables import PAGE, metamorphic_page


def test_the_table_of_relations_is_fresh() -> None:
    """``make docs`` would change nothing."""
    assert metamorphic_page() == PAGE.read_text(encoding="utf-8")
