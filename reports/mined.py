"""Pass rates of tests mined from models: of fragments, and weighted by how often each occurs in the models."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from nnvet.reports.events import DRIVER_FAULTS, Verdict
from nnvet.reports.log import Log

FRAGMENT: Final = "fragment"
OCCURRENCES: Final = "occurrences"
"""Labels of cases of mined specs: the fragment's name, and how often it occurs in the models."""


@dataclass(frozen=True)
class Share:
    """``passed`` of ``total``, be it fragments or occurrences; ``declined`` ones the driver does not support."""

    passed: int
    declined: int
    total: int

    @property
    def text(self) -> str:
        """Both numbers and the share of what passed."""
        return f"{self.passed:,} of {self.total:,} ({_percent(self.passed, self.total)})"


@dataclass(frozen=True)
class MinedRates:
    """Fragments, each counting once, and each as often as it occurs. One passes if a case does and none is a fault."""

    plain: Share
    weighted: Share

    @property
    def sentence(self) -> str:
        """Both rates."""
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
