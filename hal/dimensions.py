"""Dimensions that are partly known: empty or 0 means unknown."""

from __future__ import annotations

from collections.abc import Sequence


def combine(known: Sequence[int], given: Sequence[int]) -> tuple[int, ...] | None:
    """Dimensions from two partly known sources; None if they contradict each other."""
    if not known or not given:
        return tuple(known or given)
    if len(known) != len(given) or any(a != b and 0 not in (a, b) for a, b in zip(known, given, strict=True)):
        return None
    return tuple(a or b for a, b in zip(known, given, strict=True))


def fully_known(dimensions: Sequence[int]) -> bool:
    """Return True if the rank and every dimension of a tensor are known."""
    return bool(dimensions) and 0 not in dimensions
