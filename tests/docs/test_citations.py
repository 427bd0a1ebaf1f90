"""Citations are correct: they name pages and sections of docs/contract that exist, and nothing else.

A citation is a page and its sections: ``PAGE 2.1``, ``PAGE 3 and 4.2``, ``PAGE 2.3 to 2.7``, where PAGE is a path from
the top of the repository.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.docs.test_contract import anchors

ROOT = Path(__file__).parent.parent.parent
FOLDERS = (*(path.name for path in (ROOT / "src" / "nnvet").iterdir()), "tests", "docs", "benchmarks")
FILES = sorted(
    {
        path
        for folder in FOLDERS
        for ending in ("py", "md", "toml", "html")
        for path in (ROOT / folder).rglob(f"*.{ending}")
    }
    | set(ROOT.glob("*.md"))
    | set(ROOT.glob("*.toml"))
)

_SECTION = r"[A-Z]?\d+(?:\.\d+)*(?![\w-])"
CITATION = re.compile(rf"docs/(contract/[\w/-]+\.md)((?:(?:,? and | to |, | ){_SECTION})+)")
PAGE = re.compile(r"(?<!/)docs/[\w/-]+\.md")  # after a slash it is part of an address
PRIVATE = re.compile(
    "|".join(
        first + rest
        for first, rest in (
            (r"HAL", r" contract,? \d"),
            (r"\b(VTS|CTS)", r" catalogue"),
            (r"spec", r" format,"),
            (r"(?i:\bshe", r"ets?\b)"),
            (r"/wo", r"rk/"),
            (r"/tm", r"p/t"),
        )
    )
)
"""Names of documents that nobody has, and paths of one machine; in halves, so that this file does not match."""


def plain(text: str) -> str:
    """The text without line breaks, and without the signs of comments that follow them."""
    return re.sub(r"\s*\n\s*(?:# )?", " ", text)


def citations(text: str) -> Iterator[tuple[str, str]]:
    """The pages and sections that a text cites; of a range both ends."""
    for page, sections in CITATION.findall(plain(text)):
        for section in re.findall(_SECTION, sections):
            yield page, section


def test_citations_are_found() -> None:
    """Lists, ranges and line breaks are understood; numbers that are something else are not sections."""
    page = "docs/" + "contract/hal.md"
    assert list(citations(f"({page} 6.2, 10.4.1 and 12)")) == [
        ("contract/hal.md", section) for section in ("6.2", "10.4.1", "12")
    ]
    assert list(citations(f"# see {page}\n    # 2.3 to\n    # 2.7.")) == [
        ("contract/hal.md", "2.3"),
        ("contract/hal.md", "2.7"),
    ]
    assert list(citations(f"{page}: 128 bytes, {page} 8-bit")) == []


def faults(path: Path) -> list[str]:
    """Pages and sections that a file cites and that do not exist, and other documents that nobody has."""
    text = path.read_text(encoding="utf-8")
    missing = [page for page in PAGE.findall(text) if not (ROOT / page).is_file()]
    missing += [
        f"{page} {section}" for page, section in citations(text) if section not in anchors(ROOT / "docs" / page)
    ]
    return [
        f"{path.relative_to(ROOT)}: {fault}"
        for fault in (*missing, *(m.group() for m in PRIVATE.finditer(plain(text))))
    ]


@pytest.mark.parametrize("folder", sorted({path.relative_to(ROOT).parts[0] for path in FILES}))
def test_what_is_cited_exists(folder: str) -> None:
    """Pages exist, sections have their anchors, and no document is named that is neither here nor public."""
    files = [path for path in FILES if path.relative_to(ROOT).parts[0] == folder]
    assert [fault for path in files for fault in faults(path)] == []


def test_there_are_citations() -> None:
    """The search finds what there is: more than two hundred sections, on most of the pages."""
    found = [citation for path in FILES for citation in citations(path.read_text(encoding="utf-8"))]
    assert len(found) > 200
    assert {page for page, _ in found} >= {
        f"contract/{name}.md" for name in ("hal", "spec-format", "vts-tests", "cts-tests")
    }


MADE: Final = frozenset(
    (
        "my_npu.py",
        "NAME.mod.py",
        "V1_2/scaled_sum.mod.py",
        "RUNTIME/NAME/repro.py",
        ".mod.py",
        "failure_FINGERPRINT.mod.py",
    )
)
"""Files in Python that pages speak of and users make."""
MODULES: Final = (*FILES, *(ROOT / "tools").rglob("*.py"), *(ROOT / "training").rglob("*.py"))
PAGES: Final = sorted({*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_modules_that_a_page_names_exist(page: Path) -> None:
    """By path, also from a folder on, or by dotted name, which may end in something that the module defines."""
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./-]+\.py)`", text)) - MADE
    assert [name for name in sorted(named) if not any(str(path).endswith(f"/{name}") for path in MODULES)] == []
    packages = "|".join(path.name for path in (ROOT / "src" / "nnvet").iterdir())
    dotted = re.findall(rf"`(?:nnvet\.)?((?:{packages})(?:\.\w+)+)[`(]", text)
    assert [name for name in dotted if not name.endswith((".py", ".md")) and not is_defined(name.split("."))] == []


def is_defined(parts: list[str]) -> bool:
    """Return True if there is such a package or module, or a module with such a name in it."""
    for count in range(len(parts), 0, -1):
        base = ROOT.joinpath(*parts[:count])
        module = base.with_suffix(".py") if base.with_suffix(".py").exists() else base / "__init__.py"
        if module.exists() or base.is_dir():
            rest = parts[count:]
            return not rest or (
                module.exists() and re.search(rf"\b{rest[0]}\b", module.read_text(encoding="utf-8")) is not None
            )
    return False
