"""Comparing two logs."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import msgspec

from nnvet.reports.events import (
    DRIVER_FAULTS,
    CaseFinished,
    FuzzingFinished,
    Measurement,
    RunFinished,
    RunStarted,
    Verdict,
)
from nnvet.reports.log import Log
from nnvet.reports.values import json_safe

MAY_DIFFER: Mapping[type, tuple[str, ...]] = {
    RunStarted: ("time", "options"),
    CaseFinished: ("duration_s",),
    Measurement: (
        "latency",
        "compilation",
        "first_inference_s",
        "harness_overhead_s",
        "latency_ratio",
        "energy_j",
        "waited",
        "worker",
        "machine",
    ),
    FuzzingFinished: ("executions", "seconds", "corpus", "curve", "native_edges"),
    RunFinished: ("duration_s",),
}
"""Times, and how and where the driver was reached: runs that found the same differ in them.

So they do in ``evidence["timings"]``.
"""


CASES_SHOWN: Final = 20
"""Of each kind of change so many cases are named."""


class Trend(StrEnum):
    """Meanings of a change, in the order in which changes are shown."""

    WORSE = "worse"
    BETTER = "better"
    OTHER = "changed"
    REMOVED = "only before"
    ADDED = "only after"


@dataclass(frozen=True)
class VerdictChange:
    """A case whose verdict is not what it was."""

    case: str
    before: Verdict
    after: Verdict

    @property
    def trend(self) -> Trend:
        """Worse: the driver fails it now and did not before; better: it failed it before and passes now."""
        if self.after in DRIVER_FAULTS and self.before not in DRIVER_FAULTS:
            return Trend.WORSE
        return Trend.BETTER if self.before in DRIVER_FAULTS and self.after is Verdict.PASS else Trend.OTHER


@dataclass(frozen=True)
class ChangeGroup:
    """Cases that went from one verdict to another, sorted; None: the case is not in that log."""

    trend: Trend
    before: Verdict | None
    after: Verdict | None
    cases: tuple[str, ...]

    @property
    def shown(self) -> tuple[str, ...]:
        """The cases that are named."""
        return self.cases[:CASES_SHOWN]

    @property
    def rest(self) -> int:
        """Number of those that are not."""
        return len(self.cases) - len(self.shown)


@dataclass(frozen=True)
class LogDiff:
    """Changes from one log to another, each part sorted by case id."""

    changes: tuple[VerdictChange, ...]
    removed: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def regressions(self) -> tuple[VerdictChange, ...]:
        """Cases that the driver fails now and did not fail before."""
        return tuple(change for change in self.changes if change.trend is Trend.WORSE)

    @property
    def fixes(self) -> tuple[VerdictChange, ...]:
        """Cases that the driver failed before and passes now."""
        return tuple(change for change in self.changes if change.trend is Trend.BETTER)


def diff_logs(before: Log, after: Log) -> LogDiff:
    """Verdict changes between two logs, and cases that are in one alone."""
    common = sorted(before.results.keys() & after.results.keys())
    pairs = ((case, before.results[case].verdict, after.results[case].verdict) for case in common)
    return LogDiff(
        changes=tuple(VerdictChange(case, old, new) for case, old, new in pairs if old is not new),
        removed=tuple(sorted(before.results.keys() - after.results.keys())),
        added=tuple(sorted(after.results.keys() - before.results.keys())),
    )


def group_changes(before: Log, after: Log) -> list[ChangeGroup]:
    """Return the changes between two logs by verdicts: what is worse first, then by the number of cases."""
    found: defaultdict[tuple[Trend, Verdict | None, Verdict | None], list[str]] = defaultdict(list)
    diff = diff_logs(before, after)
    for change in diff.changes:
        found[change.trend, change.before, change.after].append(change.case)
    for case in diff.removed:
        found[Trend.REMOVED, before.results[case].verdict, None].append(case)
    for case in diff.added:
        found[Trend.ADDED, None, after.results[case].verdict].append(case)
    groups = [ChangeGroup(*kind, tuple(cases)) for kind, cases in found.items()]
    return sorted(groups, key=lambda group: (list(Trend).index(group.trend), -len(group.cases)))


def summarise_changes(groups: Sequence[ChangeGroup]) -> str:
    """Return one line with the numbers of cases that are worse, better and otherwise different."""
    totals = {trend: sum(len(group.cases) for group in groups if group.trend is trend) for trend in Trend}
    return ", ".join(
        f"{total:,} {trend}" for trend, total in totals.items() if total or trend in (Trend.WORSE, Trend.BETTER)
    )


def differences(logs: Sequence[Log]) -> list[str]:
    """Return the reasons why runs are hard to compare, besides their drivers."""
    runs = [log.started for log in logs]
    facts = {
        "versions of nnvet": {run.suite_version for run in runs},
        "selections": {" ".join(run.selection) for run in runs},
        "shards": {run.shard for run in runs},
        "processors": {run.machine.cpu for run in runs},
    }
    return [f"{name}: {', '.join(sorted(values))}" for name, values in facts.items() if len(values) > 1]


def equal_apart_from_timings(log_a: Log, log_b: Log) -> bool:
    """Return True if two runs found the same; timings, options and the order of cases are left out."""
    return _essence(log_a) == _essence(log_b)


def _essence(log: Log) -> dict[str, Any]:
    return {
        "started": _without_timings(log.started),
        "cases": {case: _without_timings(result) for case, result in log.results.items()},
        "unfinished": sorted(log.unfinished),
        "measurements": {(item.model, item.backend): _without_timings(item) for item in log.measurements},
        "finished": log.finished and _without_timings(log.finished),
    }


def _without_timings(event: msgspec.Struct) -> Any:
    # Texts in place of NaN, which is not equal to itself.
    fields = json_safe(msgspec.to_builtins(event))
    for name in MAY_DIFFER[type(event)]:
        fields.pop(name, None)
    fields.get("evidence", {}).pop("timings", None)
    fields.get("machine", {}).pop("load", None)
    if not fields.get("evidence", True):
        # As that of a case of which nothing but timings is known.
        del fields["evidence"]
    return fields
