"""Comparing two logs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
    Measurement: ("latency", "compilation"),
    FuzzingFinished: ("executions", "seconds", "corpus", "curve"),
    RunFinished: ("duration_s",),
}
"""Times, and how the driver was reached: runs that found the same differ in them, as in ``evidence["timings"]``."""


@dataclass(frozen=True)
class VerdictChange:
    """A case whose verdict is not what it was."""

    case: str
    before: Verdict
    after: Verdict


@dataclass(frozen=True)
class LogDiff:
    """What changed from one log to another, each part sorted by case id."""

    changes: tuple[VerdictChange, ...]
    removed: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def regressions(self) -> tuple[VerdictChange, ...]:
        """Cases that the driver fails now and did not fail before."""
        return tuple(
            change for change in self.changes if change.after in DRIVER_FAULTS and change.before not in DRIVER_FAULTS
        )

    @property
    def fixes(self) -> tuple[VerdictChange, ...]:
        """Cases that the driver failed before and passes now."""
        return tuple(
            change for change in self.changes if change.before in DRIVER_FAULTS and change.after is Verdict.PASS
        )


def diff_logs(before: Log, after: Log) -> LogDiff:
    """Verdict changes between two logs, and cases that are in one alone."""
    common = sorted(before.results.keys() & after.results.keys())
    pairs = ((case, before.results[case].verdict, after.results[case].verdict) for case in common)
    return LogDiff(
        changes=tuple(VerdictChange(case, old, new) for case, old, new in pairs if old is not new),
        removed=tuple(sorted(before.results.keys() - after.results.keys())),
        added=tuple(sorted(after.results.keys() - before.results.keys())),
    )


def equal_apart_from_timings(log_a: Log, log_b: Log) -> bool:
    """Whether two runs found the same; timings, options and the order of cases are left out."""
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
    return fields
