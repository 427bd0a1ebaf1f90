"""The page of the changes from one run to another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nnvet.reports.diff import (
    SHOWN,
    ChangeGroup,
    Trend,
    UpgradeJudgement,
    differences,
    drift_between,
    group_changes,
    summarise_changes,
)
from nnvet.reports.events import Verdict
from nnvet.reports.files import replace_file
from nnvet.reports.fingerprint import key_of
from nnvet.reports.html.environment import environment
from nnvet.reports.log import Log, LogError
from nnvet.reports.outcome import judge

_OPEN: Final = (Trend.WORSE, Trend.BETTER)


@dataclass(frozen=True)
class ChangedCase:
    """One case, with what was wrong with it: after, or before if nothing is now."""

    case: str
    because: str
    fingerprint: str


@dataclass(frozen=True)
class GroupView:
    """Cases with one change; ``is_open``: they are laid out at once."""

    group: ChangeGroup
    cases: tuple[ChangedCase, ...]
    is_open: bool


def write_changes(before: Log, after: Log, path: Path, upgrade: UpgradeJudgement | None = None) -> None:
    """Write the page; ``upgrade`` puts the answer to whether one driver can replace the other on top.

    :raises LogError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, render_changes(before, after, upgrade))
    except OSError as error:
        raise LogError(f"{path}: cannot be written ({error.strerror or error})") from error


def render_changes(before: Log, after: Log, upgrade: UpgradeJudgement | None = None) -> str:
    """One self-contained page: the answer of an upgrade, counts by verdict, then the changes in groups."""
    groups = group_changes(before, after)
    logs = before, after
    return (
        environment()
        .get_template("diff.html.j2")
        .render(
            runs=[("before", before, judge(before)), ("after", after, judge(after))],
            shown=[verdict for verdict in Verdict if any(log.counts[verdict] for log in logs)],
            summary=summarise_changes(groups),
            is_worse=any(group.trend is Trend.WORSE for group in groups),
            groups=[GroupView(group, tuple(_cases(group, *logs)), group.trend in _OPEN) for group in groups],
            differences=differences(logs),
            drift=drift_between(before, after),
            drift_shown=SHOWN,
            upgrade=upgrade,
        )
    )


def _cases(group: ChangeGroup, before: Log, after: Log) -> Iterator[ChangedCase]:
    for case in group.shown:
        found = [log.results[case] for log in (after, before) if case in log.results]
        meant = next((result for result in found if result.rule or result.reason), found[0])
        yield ChangedCase(case, ": ".join(part for part in (meant.rule, meant.reason) if part), key_of(meant))
