"""Commands on pages print the output that the pages show."""

from pathlib import Path

import pytest

from docs.shown import DOCS, alike, pages, with_output

LONGEST = ("what-now.md", "first-failure.md")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.long] if page.name in LONGEST else [], id=str(page.relative_to(DOCS)))
        for page in pages()
    ],
)
def test_output_on_pages_is_real(page: Path) -> None:
    """``make docs`` would change nothing."""
    text = page.read_text(encoding="utf-8")
    assert with_output(text) == text


def test_the_page_on_verdicts_shows_each() -> None:
    """Each has a section, in which a command ends in it."""
    sections = (DOCS / "what-now.md").read_text(encoding="utf-8").split("\n## ")
    for verdict in ("FAIL", "CRASH", "HANG", "UNSUPPORTED", "ERROR", "NOT_RUN", "WAIVED"):
        (section,) = (section for section in sections if section.startswith(f"{verdict}\n"))
        assert "<!-- shown -->" in section
        assert f"{verdict} " in section.partition("```console")[2] or f"  {verdict}\n" in section


PRINTED = """\
87 % of the work: 3 PASS
place: add
  File "/home/me/nnvet/docs/examples/a.py", line 3, in add
    x = y
        ^
  File "/usr/lib/python3.11/threading.py", line 982 in run
  File "/home/me/nnvet/src/nnvet/x.py", line 1 in y

timings:
  pid: 42
"""


def test_output_is_alike_everywhere() -> None:
    """Without progress, process ids, marks below lines, and frames outside of the documentation."""
    assert alike(PRINTED) == 'place: add\n  File "docs/examples/a.py", line 3, in add\n    x = y\n  …\n'
