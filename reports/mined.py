"""Pass rates of tests that ``nnvet mine`` cut from models: of fragments, plain and weighted by their occurrences.

:mod:`nnvet.reports.outcome` shows the rates beside a verdict; ``conformance/engine/selection.py`` gives the cases the
labels from which they are counted.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from nnvet.reports.events import DRIVER_FAULTS, Verdict
from nnvet.reports.log import Log

FRAGMENT: Final = "fragment"
"""Label of a case that names the fragment it was cut from."""
OCCURRENCES: Final = "occurrences"
"""Labels of cases of mined specs: the fragment's name, and its number of occurrences in the models."""


@dataclass(frozen=True)
class Share:
    """A share: ``passed`` of ``total`` fragments or occurrences; the driver does not support ``declined`` ones."""

    passed: int
    declined: int
    total: int

    @property
    def text(self) -> str:
        """Return both numbers and the percentage."""
        return f"{self.passed:,} of {self.total:,} ({_percent(self.passed, self.total)})"


@dataclass(frozen=True)
class MinedRates:
    """Shares of fragments and of occurrences. A fragment passes if one of its cases passes and none is a fault."""

    plain: Share
    weighted: Share

    @property
    def sentence(self) -> str:
        """Return both rates in words."""
        text = f"mined fragments that pass: {self.plain.text}; weighted by occurrence: {self.weighted.text}"
        if not self.plain.declined:
            return text
        share = _percent(self.weighted.declined, self.weighted.total)
        return f"{text}; not supported: {self.plain.declined:,}, which is {share} of the occurrences"


def mined_rates(log: Log) -> MinedRates | None:
    """Return the rates of a run; None: it has no cases of mined specs."""
    verdicts: defaultdict[str, set[Verdict]] = defaultdict(set)
    weights: dict[str, int] = {}
    for result in log.results.values():
        name, count = result.labels.get(FRAGMENT), result.labels.get(OCCURRENCES)
        if isinstance(name, str) and isinstance(count, int):
            verdicts[name].add(result.verdict)
            weights[name] = count
    if not weights:
        return None
    passed = [name for name, found in verdicts.items() if Verdict.PASS in found and found.isdisjoint(DRIVER_FAULTS)]
    declined = [name for name, found in verdicts.items() if found == {Verdict.UNSUPPORTED}]
    return MinedRates(
        Share(len(passed), len(declined), len(weights)),
        Share(*(sum(weights[name] for name in names) for names in (passed, declined, weights))),
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.1f} %"
