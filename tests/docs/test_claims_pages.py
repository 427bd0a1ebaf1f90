"""The pages on runtimes have the tables as they are."""

from docs.claims_tables import LITERT_PAGE, litert_page


def test_the_page_on_litert_is_fresh() -> None:
    """``make docs`` would change nothing."""
    assert litert_page() == LITERT_PAGE.read_text(encoding="utf-8")
