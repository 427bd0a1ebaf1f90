"""The table of docs/profiles.md, from the files of the profiles."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from nnvet.conformance.profiles.evaluation import profiles

_TABLE: Final = re.compile(r"(?<=<!-- profiles -->\n\n)\|.*?(?=\n\n|\Z)", re.DOTALL)
_HEAD: Final = "| profile | for | level | operations | suites | floor |\n|---|---|---|---|---|---|"


def profiles_page() -> str:
    """The page with a fresh table."""
    page = (Path(__file__).parent / "profiles.md").read_text(encoding="utf-8")
    rows = []
    for profile in profiles().values():
        kinds = sorted({kind for _, kind in profile.pairs})
        of = (
            "all"
            if profile.operations == "all"
            else f"{len(profile.types)}: {', '.join(kinds)}"
            if profile.types
            else "none"
        )
        suites = ", ".join(f"`{glob}`" for glob in profile.suites)
        suites += "".join(f" without `{glob}`" for glob in profile.without_suites)
        rows.append(
            f"| `{profile.name}` | {profile.title}. {profile.audience} | {profile.level} | {of} | {suites} "
            f"| {profile.floor:.0%} |"
        )
    return _TABLE.sub(lambda _: "\n".join((_HEAD, *rows)), page)
