"""The table of docs/profiles.md, from the files of the profiles."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from nnvet.conformance.profiles.profile import profiles

_TABLE: Final = re.compile(r"(?<=<!-- profiles -->\n\n)\|.*?(?=\n\n|\Z)", re.DOTALL)
_HEAD: Final = "| profile | for | level | operations | suites | floor |\n|---|---|---|---|---|---|"


def profiles_page() -> str:
    """The page with a fresh table."""
    page = (Path(__file__).parent / "profiles.md").read_text(encoding="utf-8")
    rows = []
    for one in profiles().values():
        kinds = sorted({kind for _, kind in one.pairs})
        of = "all" if one.operations == "all" else f"{len(one.types)}: {', '.join(kinds)}" if one.types else "none"
        suites = ", ".join(f"`{glob}`" for glob in one.suites)
        suites += "".join(f" without `{glob}`" for glob in one.without_suites)
        rows.append(f"| `{one.name}` | {one.title}. {one.audience} | {one.level} | {of} | {suites} | {one.floor:.0%} |")
    return _TABLE.sub(lambda _: "\n".join((_HEAD, *rows)), page)
