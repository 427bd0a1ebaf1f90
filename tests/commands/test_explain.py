"""``nnvet explain``: every id and word that the suite prints is explained; for others the nearest is named."""

import pytest

from nnvet.commands.explain import explain_text
from nnvet.commands.options import CommandError
from nnvet.commands.pages import headings, slug, table_rows


@pytest.mark.parametrize(
    ("thing", "says"),
    [
        ("RELU", "max(0, x)"),
        ("docs/contract/operations/RELU.md", "max(0, x)"),
        ("RELU/input.rank", "nnvet run -d DRIVER --op RELU"),
        ("docs/contract/operations/RELU.md#RELU/input.rank", "nnvet run -d DRIVER --op RELU"),
        ("PASS", "the driver kept the contract"),
        ("FAIL", "a rule of the contract is broken"),
        ("SUCCESS", "all that was done was right"),
        ("subject", "the driver under test as a case sees it"),
        ("docs/waivers.md", "# Known failures"),
        ("waivers", "# Known failures"),
        ("contract", "specification"),
        ("docs/fuzzing.md, 'Native libraries'", "-fsanitize-coverage=trace-pc"),
        ("fuzzing.md#native-libraries", "-fsanitize-coverage=trace-pc"),
        ("GeneratedTest/sync/relu_of_2", "nnvet replay 'GeneratedTest/sync/relu_of_2' -d DRIVER"),
        ("GeneratedTest/sync", "nnvet run --only 'GeneratedTest/sync*' -d DRIVER"),
        ("BasicTest", "nnvet run --suite BasicTest -d DRIVER"),
    ],
)
def test_what_is_known(thing: str, says: str) -> None:
    """Rules, operations, verdicts, terms, pages, parts of pages, cases, checks and suites."""
    assert says in explain_text(thing)


def test_part_of_a_page_ends_with_it() -> None:
    """The part below the next heading is not shown."""
    assert explain_text("FAIL").count("\n## ") == 1
    assert "## CRASH" not in explain_text("FAIL")


@pytest.mark.parametrize(("thing", "near"), [("RELU/input.rnk", "RELU/input.rank"), ("waivrs.md", "docs/waivers.md")])
def test_the_nearest_is_named(thing: str, near: str) -> None:
    """A misspelt name is an error of the user, with what may be meant."""
    with pytest.raises(CommandError, match=f"nothing is known of '{thing}'; the nearest are .*{near}"):
        explain_text(thing)


def test_parts_are_named() -> None:
    """A page without the part that is asked for names those that it has."""
    with pytest.raises(CommandError, match=r"has no such part; it has docs/waivers\.md#known-failures"):
        explain_text("docs/waivers.md#nothing")


def test_headings_and_rows_are_those_of_the_pages() -> None:
    """Anchors are those that GitHub makes; no comment of a block of code is a heading, no markup in a cell."""
    assert (slug("What `nnvet explain` shows"), slug("NOT_RUN")) == ("what-nnvet-explain-shows", "not_run")
    assert not [title for title, _ in headings() if not title]
    assert not [row for row in table_rows() if "`" in "".join(row.cells) or len(row.cells) > len(row.columns)]
