"""Changes between two runs in what verdicts do not show: bits, shares of the bounds, claims, and latency."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from nnvet.reports.events import Numbers, SpeedRatio, Verdict
from nnvet.reports.log import Log

SHOWN: Final = 10
"""So many cases of each kind are named."""


@dataclass(frozen=True)
class UsedUp:
    """A case that uses more of a limit than before. ``limit`` is bound or tolerance."""

    case: str
    limit: str
    before: float
    after: float


@dataclass(frozen=True)
class ValueDrift:
    """Changes between two runs among cases with numbers that pass in both, which are ``compared``.

    ``bits`` are the cases whose outputs have other bits, ``used_up`` those that use more of their bound (or of the
    tolerance, where no bound was asked), the largest increase first; ``crossed`` those that are outside of the bound
    now and were inside. ``lost`` passed before and are UNSUPPORTED now. ``slower`` and ``faster`` are networks whose
    latency in relation to the baseline has changed beyond the intervals of both runs, of those ``measured`` in both.
    """

    compared: int
    bits: tuple[str, ...]
    used_up: tuple[UsedUp, ...]
    crossed: tuple[str, ...]
    lost: tuple[str, ...]
    measured: int = 0
    slower: tuple[str, ...] = ()
    faster: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Changes in words, each with the cases that are named; nothing where nothing did."""
        used = tuple(
            f"{change.case}: {change.before:.3g} -> {change.after:.3g} of its {change.limit}" for change in self.used_up
        )
        compared = f"of {self.compared:,} that pass in both"
        parts = (
            (f"bits changed: {len(self.bits):,} {_cases(self.bits)} {compared}", self.bits),
            (f"more of the bound or tolerance used: {len(used):,} {_cases(used)} {compared}", used),
            (f"outside of the error bound now: {len(self.crossed):,} {_cases(self.crossed)}", self.crossed),
            (f"claims lost: {len(self.lost):,} {_cases(self.lost)} (PASS before, UNSUPPORTED now)", self.lost),
            (f"slower: {len(self.slower):,} of {self.measured:,} networks measured in both", self.slower),
            (f"faster: {len(self.faster):,} of {self.measured:,} networks measured in both", self.faster),
        )
        return tuple((text, cases) for text, cases in parts if cases)


def drift_between(before: Log, after: Log) -> ValueDrift:
    """Drift from one run to another; cases are in the order of their ids."""
    common = sorted(before.results.keys() & after.results.keys())
    pairs = [(case, before.results[case], after.results[case]) for case in common]
    lost = tuple(case for case, old, new in pairs if old.verdict is Verdict.PASS and new.verdict is Verdict.UNSUPPORTED)
    both = [
        (case, old.numbers, new.numbers)
        for case, old, new in pairs
        if old.verdict is new.verdict is Verdict.PASS and old.numbers is not None and new.numbers is not None
    ]
    used = [found for case, old, new in both if (found := _used_up(case, old, new)) is not None]
    ratios = list(_ratios(before, after))
    return ValueDrift(
        compared=len(both),
        bits=tuple(case for case, old, new in both if old.digest != new.digest),
        used_up=tuple(sorted(used, key=lambda change: change.before - change.after)),
        crossed=tuple(case for case, old, new in both if new.quality and not old.quality),
        lost=lost,
        measured=len(ratios),
        slower=tuple(_latency(*pair) for pair in ratios if pair[2].low > pair[1].high),
        faster=tuple(_latency(*pair) for pair in ratios if pair[2].high < pair[1].low),
    )


def _ratios(before: Log, after: Log) -> Iterator[tuple[str, SpeedRatio, SpeedRatio]]:
    """Networks with the ratios of both runs.

    Ratios to the baseline alone are compared: the machine may have been slower as a whole. What was measured under
    load says nothing.
    """
    was = {measurement.model: measurement for measurement in before.measurements if not measurement.is_baseline}
    now = {measurement.model: measurement for measurement in after.measurements if not measurement.is_baseline}
    for model in sorted(was.keys() & now.keys()):
        old, new = was[model].latency_ratio, now[model].latency_ratio
        if old and new and not (was[model].is_under_load or now[model].is_under_load):
            yield model, old, new


def _latency(model: str, old: SpeedRatio, new: SpeedRatio) -> str:
    return f"{model}: {old.value:.3g} -> {new.value:.3g} times the baseline's latency"


def _used_up(case: str, old: Numbers, new: Numbers) -> UsedUp | None:
    """The increase of a limit's share; None where there is none, or no share."""
    shares = (("bound", old.bound_used, new.bound_used), ("tolerance", old.tolerance_used, new.tolerance_used))
    for limit, was, now in shares:
        if was is not None and now is not None:
            return UsedUp(case, limit, was, now) if now > was else None
    return None


def _cases(found: tuple[str, ...]) -> str:
    return "case" if len(found) == 1 else "cases"
