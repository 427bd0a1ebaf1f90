"""The page on the oracle has the rules as they are."""

from docs.oracle_tables import PAGE, oracle_page


def test_the_table_of_rules_is_fresh() -> None:
    """``make docs`` would change nothing."""
    assert oracle_page() == PAGE.read_text(encoding="utf-8")
