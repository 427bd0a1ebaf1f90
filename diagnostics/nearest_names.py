"""Suggestions for a misspelt name of a command, driver, profile or case.

Messages of commands, the zoo and profiles use :func:`nearest_names`; ids of cases, which have parts, are looked up by
:mod:`nnvet.conformance.engine.nearest`.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

NAMED: Final = 3
"""Maximal number of suggestions."""
_SIMILAR: Final = 0.5
"""Least similarity of a suggestion, from 0 to 1, as :mod:`difflib` measures it."""


def nearest_names(text: str, known: Iterable[str], count: int = NAMED) -> list[str]:
    """Return known names that are spelt most like a text, the nearest first; an empty list if no name is similar."""
    return get_close_matches(text, list(known), count, _SIMILAR)
