"""The table of docs/profiles.md, from the files of the profiles."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from nnvet.conformance.profiles.evaluation import Profile, profiles

_TABLE: Final = re.compile(r"(?<=<!-- profiles -->\n\n)\|.*?(?=\n\n|\Z)", re.DOTALL)
_HEAD: Final = "| profile | for | level | operations | suites | floor |\n|---|---|---|---|---|---|"


def _purpose(profile: Profile) -> str:
    """Title and audience; of the profiles of levels the title, since the page describes the audience of all once."""
    return f"{profile.title}." if profile.operations == "all" else f"{profile.title}. {profile.audience}"


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
            f"| `{profile.name}` | {_purpose(profile)} | {profile.level} | {of} | {suites} | {profile.floor:.0%} |"
        )
    return _TABLE.sub(lambda _: "\n".join((_HEAD, *rows)), page)
