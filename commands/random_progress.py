"""Output of ``nnvet random`` while it runs and at its end."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Final

from rich.console import Console

from nnvet.commands.progress import RunProgress
from nnvet.conformance.engine.catalogue import Batch
from nnvet.conformance.engine.outcome import Outcome
from nnvet.reports.accuracy import Coverage
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, Verdict
from nnvet.reports.fingerprint import key_of
from nnvet.reports.log import Log

MOSTLY_VAGUE: Final = 0.25
"""Share of models that say little from which a campaign proves little: of the default ones it is two of a hundred, and
a fault that one model in twenty shows is still found in a hundred of which a quarter is lost."""


class RandomProgress(RunProgress):
    """The progress of a run, with models in a second, kinds of failures, undecided elements, and what is new."""

    def __init__(self, console: Console, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        """Draw on ``console``; ``seconds`` is the time that the campaign has, if that is its limit."""
        super().__init__(console, clock)
        self._seconds = seconds
        self._clock = clock
        self._begin = clock()
        self._kinds: Counter[tuple[str, ...]] = Counter()
        self._elements = self._undecided = 0
        self._seen: set[str] = set()
        self._new = 0

    def judged(self, case: str, outcome: Outcome) -> None:
        """Count what is known of a case."""
        if outcome.verdict in DRIVER_FAULTS:
            self._kinds[kind_of(CaseFinished(case, outcome.verdict, outcome.rule, evidence=outcome.evidence))] += 1
        if outcome.verdict is Verdict.PASS:
            self._elements += outcome.evidence.get("elements", 0)
            self._undecided += outcome.evidence.get("undecided", 0)
        # Operation, type and rank.
        found = {text.rsplit(" ", 2)[0] for text in outcome.evidence.get("covers", ())}
        self._new += len(found - self._seen)
        self._seen |= found

    def batch_ended(self, batch: Batch) -> None:
        """Move the bar; without a terminal print a line if one is due."""
        if self._seconds is None:
            self.advance(batch.size)
        else:
            self.show_share((self._clock() - self._begin) / self._seconds)
        self.say_how_far()

    def say_how_far(self) -> None:
        """As of any run; what is new counts from the last line on."""
        if self._pace.is_due():
            self.print_plain(self.note)
            self._new = 0

    @property
    def note(self) -> str:
        """Counts, and what they mean."""
        passed_s = max(self._clock() - self._begin, 1e-3)
        parts = [super().note, f"{self.total / passed_s:.0f} models/s"]
        if self._kinds:
            kinds = len(self._kinds)
            parts.append(f"{kinds} {'kind' if kinds == 1 else 'kinds'} of failures")
        if self._elements:
            parts.append(f"{100 * self._undecided / self._elements:.1f} % undecided")
        if self._seen:
            parts.append(f"{len(self._seen):,} operations by type and rank (+{self._new})")
        return "  ".join(parts)


def kind_of(result: CaseFinished) -> tuple[str, ...]:
    """Return the key that failures of one kind share before they are reduced."""
    return result.verdict, key_of(result), str(result.evidence.get("made_by", ""))


def coverage_lines(coverage: Coverage) -> list[str]:
    """Return a campaign's coverage in words, with a note that it proves little where too little was decided."""
    if not coverage.elements:
        return []
    share = 100 * coverage.undecided / coverage.elements
    kinds = f"{coverage.operations} operations in {coverage.combinations:,} combinations with type and rank"
    pairs = f"{coverage.pairs:,} pairs of which one feeds the other"
    lines = [f"{kinds}, {pairs}; {share:.1f} % of {coverage.elements:,} elements undecided"]
    if coverage.vague:
        many = f"{coverage.vague:,} of {coverage.cases:,} models"
        lines.append(f"{many} say little: more than half of their elements are undecided")
    if coverage.vague > MOSTLY_VAGUE * coverage.cases:
        lines.append(
            f"WARNING: {100 * coverage.vague / coverage.cases:.0f} % of the models that passed say little. "
            "This campaign proves little; take other --types or fewer --operations."
        )
    return lines


def reduction_lines(log: Log) -> list[str]:
    """The failures that were made small: what is left of each, how many end there, and what runs it again."""
    lines = []
    for reduction in log.reductions:
        names = " and ".join(dict.fromkeys(operation.name for operation in reduction.graph))
        alike = len(reduction.cases) - 1 + reduction.folded
        folded = f"; stands for {alike:,} more" if alike else ""
        before, after = reduction.operations, len(reduction.graph)
        reduced = f"{before} operations reduced to {after} in {reduction.executions} executions"
        lines += [
            f"{reduction.fingerprint} {reduction.verdict} {names}: {reduced}{folded}",
            f"  replay: {reduction.replay}",
        ]
    return lines
