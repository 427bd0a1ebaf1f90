"""Suggestions for a misspelt name: those that look like it."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

NAMED: Final = 3
"""Maximal number of suggestions."""
_SIMILAR: Final = 0.5


def nearest_names(text: str, known: Iterable[str], count: int = NAMED) -> list[str]:
    """Return the known names that are spelt most like a text, the nearest first; none if none is much like it."""
    return get_close_matches(text, list(known), count, _SIMILAR)
