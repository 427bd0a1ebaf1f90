"""What the site has beside the pages in ``docs/``: pages of other folders, the menu of operations, rules in the search.

mkdocs calls the functions ``on_…``.
"""

from __future__ import annotations

import json
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
}
"""Pages outside of ``docs/`` and their places on the site."""

_LINK: Final = re.compile(r"(\]\()([^)\s#]+)(?=[)#])")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put every operation of the contract into the menu."""
    (operations,) = (entry["Operations"] for entry in config.nav or [] if "Operations" in entry)
    pages = (name for name in sorted(declared()) if "::" not in name)
    operations.extend({name: f"contract/operations/{name}.md"} for name in pages)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are elsewhere in the repository, with links as they are on the site."""
    for source, place in ELSEWHERE.items():
        content = _relinked((ROOT / source).read_text(encoding="utf-8"), Path(source).parent)
        files.append(File.generated(config, place, content=content))
    return files


def _relinked(text: str, folder: Path) -> str:
    """A page of a folder of the repository, with links to pages as they are from the top of the site."""

    def link(found: re.Match[str]) -> str:
        path = found[2]
        if "://" in path:
            return found[0]
        place = (ROOT / folder / path).resolve().relative_to(ROOT).as_posix()
        return found[1] + ELSEWHERE.get(place, place.removeprefix("docs/"))

    return _LINK.sub(link, text)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links to pages that are elsewhere in the repository, and lists, as mkdocs wants them."""
    del config, files
    above = "../" * page.file.src_uri.count("/")
    for source, place in ELSEWHERE.items():
        markdown = markdown.replace(f"]({above}../{source}", f"]({above}{place}")
    return for_python_markdown(markdown)


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
    """Where the site states a rule: ``contract/operations/CONV_2D.html#CONV_2D/bias.scale``."""
    return site_path(section_of(rule_id))


def _entry(rule_id: str) -> dict[str, Any]:
    return {"location": address_of(rule_id), "title": rule_id, "text": all_rules()[rule_id].sentence}
