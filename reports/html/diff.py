"""The page of the changes from one run to another; :mod:`nnvet.reports.diff` computes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
from markupsafe import Markup

from nnvet.reports import diff
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, Verdict
from nnvet.reports.files import replace_file
from nnvet.reports.fingerprint import fold, key_of
from nnvet.reports.html.cases import case_data, embedded, folded_verdicts
from nnvet.reports.html.environment import environment
from nnvet.reports.log import Log, LogError
from nnvet.reports.outcome import judge

_OPEN: Final = (diff.Trend.WORSE, diff.Trend.BETTER)
"""Changes that the page shows without a click."""


@dataclass(frozen=True)
class ChangedFault:
    """Cases with the same change and the same fault: the new one, or the old one if it is gone.

    The first describes it; ``filters`` selects its cases in the table.
    """

    fingerprint: str
    because: str
    cases: tuple[str, ...]
    shown: tuple[str, ...]
    filters: dict[str, str]

    @property
    def rest(self) -> int:
        """Return the number of cases that are not named."""
        return len(self.cases) - len(self.shown)


@dataclass(frozen=True)
class GroupView:
    """Cases with one change, by fault, the most frequent first; ``is_open``: they are shown without a click.

    ``hidden`` cases are of faults beyond those that are shown; ``filters`` selects all in the table.
    """

    group: diff.ChangeGroup
    faults: tuple[ChangedFault, ...]
    hidden: int
    is_open: bool
    filters: dict[str, str]


def write_changes(before: Log, after: Log, path: Path, upgrade: diff.UpgradeJudgement | None = None) -> None:
    """Write the page; ``upgrade`` puts the answer to whether one driver can replace the other on top.

    :raises LogError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, render_changes(before, after, upgrade))
    except OSError as error:
        raise LogError(f"{path}: cannot be written ({error.strerror or error})") from error


def render_changes(before: Log, after: Log, upgrade: diff.UpgradeJudgement | None = None) -> str:
    """Return a self-contained page: the answer of an upgrade, counts by verdict, then the changes in groups."""
    groups = diff.group_changes(before, after)
    logs = before, after
    changed = {case: _words(group) for group in groups for case in group.cases}
    results = [_now(case, *logs) for case in changed]
    return (
        environment()
        .get_template("diff.html.j2")
        .render(
            runs=[("before", before, judge(before)), ("after", after, judge(after))],
            shown=[verdict for verdict in Verdict if any(log.counts[verdict] for log in logs)],
            summary=diff.summarise_changes(groups),
            is_worse=any(group.trend is diff.Trend.WORSE for group in groups),
            answer=_answer(groups, *logs),
            groups=[_view(group, *logs) for group in groups],
            differences=diff.differences(logs),
            drift=diff.drift_between(before, after),
            drift_shown=diff.SHOWN,
            upgrade=upgrade,
            total=len(results),
            folded=folded_verdicts(Counter(result.verdict for result in results)),
            data=Markup(embedded(case_data(after, results, changed))),  # noqa: S704 - no "<" is left
        )
    )


def _view(group: diff.ChangeGroup, before: Log, after: Log) -> GroupView:
    """Return a view of a group with at most twenty cases, shared among its faults; each fault has at least one case."""
    faults = fold(_meant(case, before, after) for case in group.cases)
    each = max(1, diff.CASES_SHOWN // len(faults))
    shown = []
    for fault in faults[: diff.CASES_SHOWN]:
        cases = tuple(result.case for result in fault.results)
        because = ": ".join(part for part in (fault.example.rule, fault.example.reason) if part)
        filters = {"change": _words(group), "fingerprint": fault.fingerprint}
        shown.append(ChangedFault(fault.fingerprint, because, cases, cases[:each], filters))
    hidden = sum(fault.count for fault in faults[diff.CASES_SHOWN :])
    return GroupView(group, tuple(shown), hidden, group.trend in _OPEN, {"change": _words(group)})


def _words(group: diff.ChangeGroup) -> str:
    """Return a change in words, by which the table of cases is filtered."""
    verdicts = (verdict.replace("_", " ") for verdict in (group.before, group.after) if verdict)
    return f"{group.trend}: {' → '.join(verdicts)}"


def _now(case: str, before: Log, after: Log) -> CaseFinished:
    """Return the row of a case: the verdict that it has, or had last, and the fault that it has or had."""
    meant = _meant(case, before, after)
    last = after.results.get(case, meant)
    return msgspec.structs.replace(meant, verdict=last.verdict, duration_s=last.duration_s, fingerprint=key_of(meant))


def _meant(case: str, before: Log, after: Log) -> CaseFinished:
    """Return the result that describes the fault of a case: the later one, or the earlier one if it is mended."""
    found = [log.results[case] for log in (after, before) if case in log.results]
    return next((result for result in found if result.rule or result.reason), found[0])


def _answer(groups: Sequence[diff.ChangeGroup], before: Log, after: Log) -> str:
    """Return in one sentence whether the driver got worse."""
    worse, better = (
        [case for group in groups if group.trend is trend for case in group.cases]
        for trend in (diff.Trend.WORSE, diff.Trend.BETTER)
    )
    mended = f"{_cases(len(better))} that it failed it passes now" if better else ""
    fresh = [case for group in groups if group.before is None and group.after in DRIVER_FAULTS for case in group.cases]
    added = f"it fails {_cases(len(fresh))} that only the later run has" if fresh else ""
    if not worse:
        more = "; ".join(part for part in (added, mended) if part)
        return f"No case of both runs got worse{f': {more}' if more else ''}."
    faults = len(fold(_meant(case, before, after) for case in worse))
    kinds = f"{faults:,} {'fault' if faults == 1 else 'faults'}"
    text = f"The driver got worse: by {kinds} it fails {_cases(len(worse))} that it did not fail before"
    return f"{'; '.join(part for part in (text, added, mended) if part)}."


def _cases(count: int) -> str:
    return f"{count:,} {'case' if count == 1 else 'cases'}"
