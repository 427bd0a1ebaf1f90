"""Parts of the site beside the pages in ``docs/``: files of other folders, menu of operations, rules in the search.

mkdocs calls the functions ``on_…``.
"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from docs.commonmark import for_python_markdown
from docs.operation_tables import declared
from nnvet.hal.rules import all_rules
from nnvet.hal.specification import section_of
from nnvet.reports.addresses import site_path

ROOT: Final = Path(__file__).parent.parent
ELSEWHERE: Final = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "benchmarks/README.md": "benchmarks.md",
    "models/bundled/zoo/README.md": "bundled-models.md",
    "models/bundled/zoo/speech.md": "bundled-speech.md",
    "models/bundled/zoo/scenes.md": "bundled-scenes.md",
    "models/bundled/zoo/language.md": "bundled-language.md",
}
"""Pages outside of ``docs/`` that are in the menu, and their places on the site."""
REPOSITORY: Final = "repository"
"""The folder of the site with all other files outside of ``docs/`` that pages link to."""

_LINK: Final = re.compile(r"(?<=\]\()(?![a-z]+:)([^)\s#]+)(?=[)#])")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put every operation of the contract into the menu."""
    (operations,) = (entry["Operations"] for entry in config.nav or [] if "Operations" in entry)
    pages = (name for name in sorted(declared()) if "::" not in name)
    operations.extend({name: f"contract/operations/{name}.md"} for name in pages)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is elsewhere in the repository and pages lead to, from those pages on."""
    found = {f"docs/{file.src_uri}" for file in files.documentation_pages()} | set(ELSEWHERE)
    new = found
    while new:
        linked = {target for source in new for target in _targets(source)}
        new = {target for target in linked - found if (ROOT / target).is_file() and not target.startswith("docs/")}
        found |= new
    for source in sorted(found):
        if not source.startswith("docs/"):
            files.append(File.generated(config, place_of(source), content=(ROOT / source).read_bytes()))
    return files


def _targets(source: str) -> set[str]:
    """Return the link targets of a page, by path in the repository."""
    text = (ROOT / source).read_text(encoding="utf-8") if source.endswith(".md") else ""
    return {_resolved(source, link) for link in _LINK.findall(text)}


def _resolved(source: str, link: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link))


def place_of(source: str) -> str:
    """Return the site's place for a file of the repository."""
    if source.startswith("docs/"):
        return source.removeprefix("docs/")
    return ELSEWHERE.get(source, f"{REPOSITORY}/{source}")


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links as they are on the site, and lists as mkdocs wants them."""
    del config, files
    place = page.file.src_uri
    sources = {there: source for source, there in ELSEWHERE.items()}
    source = sources.get(place) or (
        place.removeprefix(f"{REPOSITORY}/") if place.startswith(f"{REPOSITORY}/") else f"docs/{place}"
    )

    def link(found: re.Match[str]) -> str:
        target = place_of(_resolved(source, found[1]))
        return posixpath.relpath(target, posixpath.dirname(place) or ".")

    return for_python_markdown(_LINK.sub(link, markdown))


def on_post_build(config: MkDocsConfig) -> None:
    """Let the search find rules, and leave its index as a program, too: pages opened as files may not read others."""
    folder = Path(config.site_dir) / "search"
    path = folder / "search_index.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    index["docs"].extend(map(_entry, all_rules()))
    text = json.dumps(index, ensure_ascii=False)
    path.write_text(text, encoding="utf-8")
    (folder / "search_index.js").write_text(f"var __index = {text}", encoding="utf-8")


def address_of(rule_id: str) -> str:
    """Return the site's address of a rule: ``contract/operations/CONV_2D.html#CONV_2D/bias.scale``."""
    return site_path(section_of(rule_id))


def _entry(rule_id: str) -> dict[str, Any]:
    return {"location": address_of(rule_id), "title": rule_id, "text": all_rules()[rule_id].sentence}
