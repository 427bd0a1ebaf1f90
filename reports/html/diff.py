"""The page of the changes from one run to another, for the commands ``diff`` and ``upgrade``.

:func:`write_changes` writes the page. :mod:`nnvet.reports.diff` computes the changes and shows them on terminals; the
runs of a longer time are shown by :mod:`nnvet.reports.html.history`.
"""

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
"""Changes whose cases the page shows without a click: those that concern readers most."""


@dataclass(frozen=True)
class ChangedFault:
    """Cases with the same change of verdict and the same fault.

    The fault is that of the later run, or of the earlier run if it is mended. ``because`` is the rule and reason of its
    first case, ``shown`` are the cases that are named, and ``filters`` selects all its cases in the table.
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
    """Cases with the same change of verdict, by fault, the most frequent fault first.

    ``hidden`` counts the cases of faults that are left out. ``is_open``: the group is shown without a click.
    ``filters`` selects all cases of the group in the table.
    """

    group: diff.ChangeGroup
    faults: tuple[ChangedFault, ...]
    hidden: int
    is_open: bool
    filters: dict[str, str]


def write_changes(before: Log, after: Log, path: Path, upgrade: diff.UpgradeJudgement | None = None) -> None:
    """Write the page of the changes; with ``upgrade``, its top says whether the new driver can replace the old one.

    :raises LogError: the page cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, render_changes(before, after, upgrade))
    except OSError as error:
        raise LogError(f"{path}: cannot be written ({error.strerror or error})") from error


def render_changes(before: Log, after: Log, upgrade: diff.UpgradeJudgement | None = None) -> str:
    """Return a self-contained page: the answer, counts by verdict, the changes in groups, and the table of cases."""
    groups = diff.group_changes(before, after)
    logs = before, after
    changed = {case: _describe_change(group) for group in groups for case in group.cases}
    results = [_choose_row(case, *logs) for case in changed]
    return (
        environment()
        .get_template("diff.html.j2")
        .render(
            runs=[("before", before, judge(before)), ("after", after, judge(after))],
            shown=[verdict for verdict in Verdict if any(log.counts[verdict] for log in logs)],
            summary=diff.summarise_changes(groups),
            is_worse=any(group.trend is diff.Trend.WORSE for group in groups),
            answer=_answer_worse(groups, *logs),
            groups=[_view_group(group, *logs) for group in groups],
            differences=diff.differences(logs),
            drift=diff.drift_between(before, after),
            drift_shown=diff.SHOWN,
            upgrade=upgrade,
            total=len(results),
            folded=folded_verdicts(Counter(result.verdict for result in results)),
            data=Markup(embedded(case_data(after, results, changed))),  # noqa: S704 - no "<" is left
        )
    )


def _view_group(group: diff.ChangeGroup, before: Log, after: Log) -> GroupView:
    """Return the view of a group; its faults share the cases that are named, with at least one for each fault."""
    faults = fold(_choose_result(case, before, after) for case in group.cases)
    each = max(1, diff.CASES_SHOWN // len(faults))
    shown = []
    for fault in faults[: diff.CASES_SHOWN]:
        cases = tuple(result.case for result in fault.results)
        because = ": ".join(part for part in (fault.example.rule, fault.example.reason) if part)
        filters = {"change": _describe_change(group), "fingerprint": fault.fingerprint}
        shown.append(ChangedFault(fault.fingerprint, because, cases, cases[:each], filters))
    hidden = sum(fault.count for fault in faults[diff.CASES_SHOWN :])
    return GroupView(group, tuple(shown), hidden, group.trend in _OPEN, {"change": _describe_change(group)})


def _describe_change(group: diff.ChangeGroup) -> str:
    """Return a change in words, such as ``worse: PASS → FAIL``; the table of cases is filtered by these words."""
    verdicts = (verdict.replace("_", " ") for verdict in (group.before, group.after) if verdict)
    return f"{group.trend}: {' → '.join(verdicts)}"


def _choose_row(case: str, before: Log, after: Log) -> CaseFinished:
    """Return what the table shows for a case: its last verdict and duration, with the fault that came or went."""
    meant = _choose_result(case, before, after)
    last = after.results.get(case, meant)
    return msgspec.structs.replace(meant, verdict=last.verdict, duration_s=last.duration_s, fingerprint=key_of(meant))


def _choose_result(case: str, before: Log, after: Log) -> CaseFinished:
    """Return the result that describes the fault of a case: the later one, or the earlier one if it is mended."""
    found = [log.results[case] for log in (after, before) if case in log.results]
    return next((result for result in found if result.rule or result.reason), found[0])


def _answer_worse(groups: Sequence[diff.ChangeGroup], before: Log, after: Log) -> str:
    """Say in one sentence whether the driver got worse."""
    worse, better = (
        [case for group in groups if group.trend is trend for case in group.cases]
        for trend in (diff.Trend.WORSE, diff.Trend.BETTER)
    )
    mended = f"it now passes {_count_cases(len(better))} that it failed before" if better else ""
    fresh = [case for group in groups if group.before is None and group.after in DRIVER_FAULTS for case in group.cases]
    added = f"it fails {_count_cases(len(fresh))} that only the later run has" if fresh else ""
    if not worse:
        more = "; ".join(part for part in (added, mended) if part)
        return f"No case of both runs got worse{f': {more}' if more else ''}."
    faults = len(fold(_choose_result(case, before, after) for case in worse))
    kinds = f"{faults:,} {'fault' if faults == 1 else 'faults'}"
    text = f"The driver got worse: because of {kinds} it fails {_count_cases(len(worse))} that it did not fail before"
    return f"{'; '.join(part for part in (text, added, mended) if part)}."


def _count_cases(count: int) -> str:
    return f"{count:,} {'case' if count == 1 else 'cases'}"
