"""The site that ``make docs`` builds: all links lead somewhere, nothing comes from the network, the search finds."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest

from docs.command_pages import commands_page
from docs.commonmark import for_python_markdown
from docs.rule_tables import rules_page
from docs.site_hooks import address_of
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.rules import all_rules
from tests.docs.pages import ROOT
from tests.reports.test_browser import CHROMIUM, document

pytest.importorskip("mkdocs", reason="needs the docs extra")

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}
"""Elements and attributes by which a page loads something by itself."""


class Parsed(HTMLParser):
    """The ids of a page, the targets of its links, and what it loads."""

    def __init__(self, page: Path) -> None:
        """Read the page."""
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the element is for."""
        named = {name: value or "" for name, value in attrs}
        self.ids |= {named[name] for name in ("id", "name") if name in named}
        if tag == "a" and "href" in named:
            self.links.add(named["href"])
        if tag in LOADED and LOADED[tag] in named and named.get("rel") != "canonical":
            self.loaded.add(named[LOADED[tag]])


class Site:
    """The site as it was built."""

    def __init__(self, folder: Path) -> None:
        """Remember the folder."""
        self.folder = folder

    @cached_property
    def pages(self) -> dict[Path, Parsed]:
        """Every page by its path."""
        return {path: Parsed(path) for path in self.folder.rglob("*.html")}

    @cached_property
    def search(self) -> dict[str, str]:
        """Titles that the search knows, by address."""
        index = json.loads((self.folder / "search" / "search_index.json").read_text(encoding="utf-8"))
        return {entry["location"]: entry["title"] for entry in index["docs"]}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site, built strictly: a page without a place in the menu, a dead link or anchor ends this."""
    folder = tmp_path_factory.mktemp("site")
    path = os.pathsep.join((str(ROOT), str(ROOT / "src")))
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": path, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return Site(folder)


def test_links_and_anchors_exist(site: Site) -> None:
    """Of all pages, those of the menu and of docstrings included."""
    links = {
        (path, urlsplit(link))
        for path, page in site.pages.items()
        if path.name != "404.html"  # its links begin at the top of wherever the site is served
        for link in page.links
    }
    dead = []
    for path, link in links:
        target = (path.parent / unquote(link.path)).resolve() if link.path else path
        known = site.pages[target].ids if target in site.pages else set()
        leads = target.is_file() and (not link.fragment or unquote(link.fragment) in known)
        if not link.scheme and not leads:
            dead.append(f"{path.relative_to(site.folder)}: {link.geturl()}")
    assert sorted(dead) == []


def test_nothing_is_loaded_from_the_network(site: Site) -> None:
    """Pages load what is beside them, and so do their styles; there is nothing that the theme draws by others."""
    loaded = {address for page in site.pages.values() for address in page.loaded}
    assert len(loaded) > 5
    assert [
        address for address in loaded if urlsplit(address).scheme not in ("", "data") or address.startswith("//")
    ] == []
    for styles in site.folder.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*['\"]?(https?:)?//", styles.read_text(encoding="utf-8")), styles
    for path in site.pages:
        assert 'class="mermaid"' not in path.read_text(encoding="utf-8"), (
            "the theme draws these with a script of others"
        )


def test_every_rule_has_an_address(site: Site) -> None:
    """It is an anchor of the page that states it, and the search leads there."""
    for rule in all_rules():
        page, _, anchor = address_of(rule).partition("#")
        assert anchor in site.pages[site.folder / page].ids
        assert site.search[address_of(rule)] == rule


def test_every_operation_has_a_page(site: Site) -> None:
    """Named after it, and found by the search."""
    for name in (declaration.name for declaration in declarations().values()):
        place = f"contract/operations/{name}.html"
        assert site.folder / place in site.pages
        assert site.search[place] == name


def test_docstrings_have_no_roles(site: Site) -> None:
    """Pages on the Python API show names, not the marks of another tool; several interfaces are on them."""
    text = "".join(path.read_text(encoding="utf-8") for path in (site.folder / "reference" / "api").glob("*.html"))
    assert not re.search(r":(class|meth|func|data|mod|attr|exc):", text)
    for name in ("hal.interfaces.Device", "driver_kit.base_device.BaseDevice", "conformance.check_driver"):
        assert f'id="nnvet.{name}"' in text


def test_generators_are_no_part_of_it(site: Site) -> None:
    """Programs on the site are examples, reproducers of findings, or what pages outside of ``docs/`` lead to."""
    programs = {path.relative_to(site.folder).parts[0] for path in site.folder.rglob("*.py")}
    assert programs <= {"examples", "findings", "repository"}


@pytest.mark.sampled(2)
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: the search is not tested")
@pytest.mark.parametrize("wanted", ["CONV_2D/bias.length", "model/pool.valid"])
def test_the_search_finds(site: Site, wanted: str) -> None:
    """In a page that is opened as a file, a rule comes first, and its link leads to its row."""
    assert CHROMIUM is not None
    dom = document(site.folder / "index.html", f"?q={quote(wanted, safe='')}", 1200, wait_ms=20_000)
    found = re.findall(r'<a href="([^"]*)" class="md-search-result__link"', dom)
    assert any(urlsplit(address).fragment == wanted for address in found[:3]), found


@pytest.mark.parametrize(("page", "text"), [("commands.md", commands_page()), ("rules.md", rules_page())])
def test_reference_pages_are_current(page: str, text: str) -> None:
    """``make docs`` would change nothing."""
    assert (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8") == text


LISTS = """Text:
- one
  goes on
  1. inner
     goes on
  2. last

  of one
- two
after it.

Not in it: x[0][1], `x[0][1]`.

```
- code
x[0][1]
```
"""


def test_lists_for_python_markdown() -> None:
    """Nested lists and their text stand at multiples of four columns, code is left alone."""
    assert for_python_markdown(LISTS) == (
        "Text:\n\n- one\n    goes on\n    1. inner\n        goes on\n    2. last\n\n    of one\n- two\n    after it.\n"
        "\nNot in it: x[0]\\[1], `x[0][1]`.\n\n```\n- code\nx[0][1]\n```\n"
    )
