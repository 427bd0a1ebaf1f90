"""Runs of a driver as a history keeps them."""

from collections.abc import Mapping

from nnvet.reports.events import Verdict
from nnvet.reports.history import KnownFault, ModelFigures, RunFacts
from nnvet.reports.outcome import RunOutcome


def facts(
    day: int,
    failing: str = "",
    *,
    waived: str = "",
    is_whole: bool = True,
    selector: str = "acme",
    selection: tuple[str, ...] = ("usual executors",),
    models: Mapping[str, float] | None = None,
) -> RunFacts:
    """A run of a day of November in which faults, each named by a letter, fail or are waived."""
    faults = {name: KnownFault(Verdict.FAIL, f"case/{name}", f"rule/{name}") for name in failing}
    faults |= {name: KnownFault(Verdict.WAIVED, f"case/{name}", f"rule/{name}") for name in waived}
    counts = {Verdict.PASS: 100 - len(faults), Verdict.FAIL: len(failing), Verdict.WAIVED: len(waived)}
    return RunFacts(
        history=1,
        time=f"2026-11-{day:02}T06:00:00+00:00",
        selector=selector,
        outcome=RunOutcome.NOT_CONFORMANT if failing else RunOutcome.CONFORMANT,
        counts={verdict: count for verdict, count in counts.items() if count},
        duration_s=60.0,
        suite_version="0.1.0",
        is_whole=is_whole,
        selection=selection,
        faults=faults,
        models={name: ModelFigures(median, {"top_1": 0.5}) for name, median in (models or {}).items()},
    )
