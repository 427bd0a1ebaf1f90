"""``docs/drivers.md`` has a section for every kind of driver: how it is written, what it needs, a command."""

import re

import pytest

from nnvet.adapters.selector import KINDS, Kind
from tests.docs.pages import ROOT, commands_in

PAGE = (ROOT / "docs" / "drivers.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", PAGE, re.MULTILINE))


def section(kind: Kind) -> str:
    """The text below the one heading that names the kind as a word."""
    (found,) = [text for title, text in SECTIONS.items() if kind.name in re.findall(r"\w+", title)]
    return found


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_has_its_section(kind: Kind) -> None:
    """With the syntax as `nnvet drivers` prints it, the extra that it needs, and a run of such a driver."""
    text = section(kind)
    for syntax in kind.syntax.split(" or "):
        assert f"`{syntax}`" in text
    assert not kind.extra or f"the extra `{kind.extra}`" in re.sub(r"\s+", " ", text.replace("The", "the"))
    beginning = f"nnvet run -d {kind.name}"
    assert any(re.match(rf"{beginning}[:\b]|{beginning}$", command) for command in commands_in(text))
