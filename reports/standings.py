"""Accuracy of a driver beside the baseline: kept, worse than allowed, or not decided by the data."""

import math
from dataclasses import dataclass
from typing import Final

from nnvet.reports.events import Comparison, Measurement
from nnvet.reports.figures import FIGURES, figure_kind, figure_name, figures_of
from nnvet.reports.html.marks import DASH

STANDING_SIGNS: Final = {"kept": "✓", "worse": "✕", "undecided": "?", "none": ""}


@dataclass(frozen=True)
class Accuracy:
    """The figure that says most: its ``name``, the ``text`` of its value, and its ``difference`` from the baseline's.

    ``state`` is kept, worse, undecided or none, of all figures together; ``sign`` says the same.
    """

    name: str
    text: str
    difference: str
    state: str

    @property
    def sign(self) -> str:
        """Sign of the state where there are no colours."""
        return STANDING_SIGNS[self.state]


def standing(comparison: Comparison) -> str:
    """``kept`` if the whole confidence interval is within the margin, ``worse`` if none of it is, or ``undecided``.

    A margin below zero is that of a figure of which more is better.
    """
    side = -1.0 if comparison.margin < 0 else 1.0
    least, most = (
        sorted((comparison.low * side, comparison.high * side)) if not math.isnan(comparison.low) else (math.nan,) * 2
    )
    if most <= abs(comparison.margin):
        return "kept"
    return "worse" if least > abs(comparison.margin) else "undecided"


def is_amiss(item: Measurement) -> bool:
    """Return True if accuracy is outside its limits, by the evaluator's word or the figures."""
    values = figures_of(item)
    broken = (key not in values or not limit.holds(values[key]) for key, limit in item.limits.items())
    return bool(item.validation_errors) or any(broken)


def is_judged(item: Measurement) -> bool:
    """Return True if its accuracy was judged."""
    return bool(figures_of(item) or item.comparisons or item.validation_errors or item.limits)


def accuracy_state(item: Measurement) -> str:
    """``worse`` if a limit is broken or some figure is surely worse than allowed, ``undecided`` if one may be."""
    if not is_judged(item):
        return "none"
    states = {standing(comparison) for comparison in item.comparisons}
    if is_amiss(item) or "worse" in states:
        return "worse"
    return "undecided" if "undecided" in states else "kept"


def accuracy_of(item: Measurement | None, baseline: Measurement | None) -> Accuracy:
    """Accuracy in a few words: of the figures that are worse than allowed, or else of all, the first."""
    if item is None or not is_judged(item):
        return Accuracy("", DASH, "", "none")
    state = accuracy_state(item)
    if item.comparisons:
        one = min(item.comparisons, key=lambda comparison: (standing(comparison) != "worse", _rank(comparison.metric)))
        return _accuracy(one.metric, one.value, one.difference, state)
    values = figures_of(item)
    if not values:
        return Accuracy("", "missing", "", state)
    key = min(values, key=_rank)
    reference = figures_of(baseline).get(key, math.nan) if baseline else math.nan
    return _accuracy(key, values[key], values[key] - reference, state)


def _accuracy(key: str, value: float, difference: float, state: str) -> Accuracy:
    kind = figure_kind(key)
    shown = "" if math.isnan(difference) else kind.show_gap(difference)
    return Accuracy(figure_name(key), kind.show_briefly(value), shown, state)


def _rank(key: str) -> int:
    return FIGURES.index(figure_kind(key))
