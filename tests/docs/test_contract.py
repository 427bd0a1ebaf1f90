"""The specification in docs/contract: its tables are current, its rules and links lead where they say."""

import re
from functools import cache
from pathlib import Path

import pytest

from docs.contract_tables import CONTRACT, pages, refreshed
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.rules import GENERAL_RULES, ContractRule, all_rules
from nnvet.hal.specification import section_of

ROOT = CONTRACT.parent.parent
PUBLISHED = sorted({*ROOT.glob("*.md"), *CONTRACT.parent.rglob("*.md")} - set(pages()))
"""The pages beside the specification, as a Git host shows them; test_site.py looks at those of the site."""

_ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
_LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]+))?\)")


@cache
def anchors(page: Path) -> list[str]:
    """The anchors of a page that are written out, and those that its headings have by themselves."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return [
        *_ANCHOR.findall(text),
        *(re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings),
    ]


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(CONTRACT)))
def test_generated_parts_are_current(page: Path) -> None:
    """The text between markers is the one that the code gives; regenerate with ``make docs``."""
    text = page.read_text(encoding="utf-8")
    assert refreshed(text) == text


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(CONTRACT)))
def test_anchors_are_unique(page: Path) -> None:
    """No two places of a page have one anchor."""
    found = _ANCHOR.findall(page.read_text(encoding="utf-8"))
    assert sorted(found) == sorted(set(found))


@pytest.mark.parametrize("page", [*PUBLISHED, *pages()], ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Links between pages name files that exist, and anchors that these have."""
    for target, anchor in _LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), f"{target}#{anchor}"


@pytest.mark.parametrize("rule", GENERAL_RULES, ids=lambda rule: rule.id)
def test_every_general_rule_has_its_place(rule: ContractRule) -> None:
    """A general rule leads to an anchor, in the section that its declaration names."""
    page, _, anchor = section_of(rule.id).partition("#")
    text = (ROOT / page).read_text(encoding="utf-8")
    begin = text.index(f'<a id="{rule.section}"></a>')
    place = text.index(f'<a id="{anchor}"></a>', begin)
    numbers = re.findall(r'^#+ <a id="([\d.]+)"></a>', text[:place], re.MULTILINE)
    assert numbers[-1] == rule.section


def test_every_rule_has_an_anchor() -> None:
    """Rules of operations, extensions' ones included, and general ones lead to anchors that are written out."""
    written = {page: set(_ANCHOR.findall(page.read_text(encoding="utf-8"))) for page in pages()}
    for rule in all_rules():
        page, _, anchor = section_of(rule).partition("#")
        assert anchor in written[CONTRACT.parent.parent / page], rule


@pytest.mark.parametrize("name", [declaration.name for declaration in declarations().values()])
def test_every_operation_has_its_page(name: str) -> None:
    """The page of an operation has the sections that all pages have, each with something in it."""
    page = (CONTRACT / "operations" / f"{name}.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## ([^\n]+)\n\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    assert list(sections)[:6] == ["Signatures", "Levels", "Operands", "Checks", "Rules", "Semantics"]
    assert set(list(sections)[6:]) <= {"Deviations"}
    assert all(text.strip() for text in sections.values())
    assert f"<!-- generated: signatures {name} -->" in sections["Signatures"]
    assert f"<!-- generated: rules {name} -->" in sections["Rules"]
