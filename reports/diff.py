"""Comparison of two logs: first verdicts, then changes that verdicts do not show, in bits, bounds, claims and latency.

``nnvet diff`` calls :func:`diff_logs`; :func:`judge_upgrade` uses it to decide whether a new version of a driver can
replace the old one (``nnvet.conformance.upgrade``). :mod:`nnvet.reports.series` compares many runs by less data, and
``reports/html/diff.py`` draws a comparison.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import msgspec

from nnvet.reports import events, outcome
from nnvet.reports.log import Log
from nnvet.reports.pictures import PICTURE
from nnvet.reports.values import json_safe

MAY_DIFFER: Mapping[type, tuple[str, ...]] = {
    events.RunStarted: ("time", "options"),
    events.CaseFinished: ("duration_s", "process", "began_s"),
    events.Measurement: (
        "latency",
        "compilation",
        "first_inference_s",
        "harness_overhead_s",
        "latency_ratio",
        "energy_j",
        "waited",
        "conditions",
        "breaches",
        "cold",
        "sustained",
        "scenarios",
        "worker",
        "machine",
    ),
    events.FuzzingFinished: ("executions", "seconds", "corpus", "curve", "native_edges"),
    events.RunFinished: ("duration_s",),
}
"""Fields of times, and of how and where the driver was reached, in which equal runs may differ.

They may also differ in ``evidence["timings"]``, and in the case of a fault that has the ``evidence["picture"]``.
"""


CASES_SHOWN: Final = 20
"""Most cases that are named for each kind of change."""


class Trend(StrEnum):
    """Directions of a change, in the order in which changes are shown."""

    WORSE = "worse"
    BETTER = "better"
    OTHER = "changed"
    REMOVED = "only before"
    ADDED = "only after"


@dataclass(frozen=True)
class VerdictChange:
    """A case whose verdict has changed."""

    case: str
    before: events.Verdict
    after: events.Verdict

    @property
    def trend(self) -> Trend:
        """Return worse if the driver newly fails the case, and better if it failed before and passes now."""
        if self.after in events.DRIVER_FAULTS and self.before not in events.DRIVER_FAULTS:
            return Trend.WORSE
        return (
            Trend.BETTER if self.before in events.DRIVER_FAULTS and self.after is events.Verdict.PASS else Trend.OTHER
        )


@dataclass(frozen=True)
class ChangeGroup:
    """Cases that went from one verdict to another, sorted; None: the case is not in that log."""

    trend: Trend
    before: events.Verdict | None
    after: events.Verdict | None
    cases: tuple[str, ...]

    @property
    def shown(self) -> tuple[str, ...]:
        """Return the cases that are named."""
        return self.cases[:CASES_SHOWN]

    @property
    def rest(self) -> int:
        """Return the number of cases that are not named."""
        return len(self.cases) - len(self.shown)


@dataclass(frozen=True)
class LogDiff:
    """Changes from one log to another, sorted by case id; ``removed`` and ``added`` cases are in one log only."""

    changes: tuple[VerdictChange, ...]
    removed: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def regressions(self) -> tuple[VerdictChange, ...]:
        """Return the cases that the driver fails now and did not fail before."""
        return tuple(change for change in self.changes if change.trend is Trend.WORSE)

    @property
    def fixes(self) -> tuple[VerdictChange, ...]:
        """Return the cases that the driver failed before and passes now."""
        return tuple(change for change in self.changes if change.trend is Trend.BETTER)


def diff_logs(before: Log, after: Log) -> LogDiff:
    """Return the changes of verdicts between two logs, and the cases that only one of them has."""
    common = sorted(before.results.keys() & after.results.keys())
    pairs = ((case, before.results[case].verdict, after.results[case].verdict) for case in common)
    return LogDiff(
        changes=tuple(VerdictChange(case, old, new) for case, old, new in pairs if old is not new),
        removed=tuple(sorted(before.results.keys() - after.results.keys())),
        added=tuple(sorted(after.results.keys() - before.results.keys())),
    )


def group_changes(before: Log, after: Log) -> list[ChangeGroup]:
    """Return the changes between two logs by verdicts: changes for the worse first, then by number of cases."""
    found: defaultdict[tuple[Trend, events.Verdict | None, events.Verdict | None], list[str]] = defaultdict(list)
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
    """Return the reasons why runs are hard to compare, such as different machines; different drivers are no reason."""
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
    # NaN is unequal to itself, so compare texts.
    fields = json_safe(msgspec.to_builtins(event))
    for name in MAY_DIFFER[type(event)]:
        fields.pop(name, None)
    for name in ("timings", PICTURE):
        fields.get("evidence", {}).pop(name, None)
    fields.get("machine", {}).pop("load", None)
    if not fields.get("evidence", True):
        # A case with timings alone has no other evidence.
        del fields["evidence"]
    return fields


SHOWN: Final = 10
"""Most cases of each kind that are named."""


@dataclass(frozen=True)
class UsedUp:
    """A case whose error takes a larger share of a limit than before. ``limit`` is bound or tolerance."""

    case: str
    limit: str
    before: float
    after: float


@dataclass(frozen=True)
class ValueDrift:
    """Changes between two runs among cases with numbers that pass in both, which are ``compared``.

    ``bits`` are the cases whose outputs have other bits. ``used_up`` are those that use more of their bound (or of the
    tolerance, without a bound), the largest increase first. ``crossed`` are outside of the bound now and were inside.
    ``lost`` passed before and are UNSUPPORTED now. ``slower`` and ``faster`` are networks, of those ``measured`` in
    both runs, whose latency relative to the baseline has changed by more than the intervals of both runs.
    """

    compared: int
    bits: tuple[str, ...]
    used_up: tuple[UsedUp, ...]
    crossed: tuple[str, ...]
    lost: tuple[str, ...]
    measured: int = 0
    slower: tuple[str, ...] = ()
    faster: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the changes in words, each with some cases; empty if nothing has changed."""
        used = tuple(
            f"{change.case}: {change.before:.3g} -> {change.after:.3g} of its {change.limit}" for change in self.used_up
        )
        compared = f"of {self.compared:,} that pass in both"
        parts = (
            (f"bits changed: {len(self.bits):,} {_cases(self.bits)} {compared}", self.bits),
            (f"more of the bound or tolerance used: {len(used):,} {_cases(used)} {compared}", used),
            (f"outside of the error bound now: {len(self.crossed):,} {_cases(self.crossed)}", self.crossed),
            (f"claims lost: {len(self.lost):,} {_cases(self.lost)} (PASS before, UNSUPPORTED now)", self.lost),
            (f"slower: {len(self.slower):,} of {self.measured:,} networks measured in both", self.slower),
            (f"faster: {len(self.faster):,} of {self.measured:,} networks measured in both", self.faster),
        )
        return tuple((text, cases) for text, cases in parts if cases)


def drift_between(before: Log, after: Log) -> ValueDrift:
    """Return the drift from one run to another, with cases in the order of their ids."""
    common = sorted(before.results.keys() & after.results.keys())
    pairs = [(case, before.results[case], after.results[case]) for case in common]
    lost = tuple(
        case
        for case, old, new in pairs
        if old.verdict is events.Verdict.PASS and new.verdict is events.Verdict.UNSUPPORTED
    )
    both = [
        (case, old.numbers, new.numbers)
        for case, old, new in pairs
        if old.verdict is new.verdict is events.Verdict.PASS and old.numbers is not None and new.numbers is not None
    ]
    used = [found for case, old, new in both if (found := _used_up(case, old, new)) is not None]
    ratios = list(_ratios(before, after))
    return ValueDrift(
        compared=len(both),
        bits=tuple(case for case, old, new in both if old.digest != new.digest),
        used_up=tuple(sorted(used, key=lambda change: change.before - change.after)),
        crossed=tuple(case for case, old, new in both if new.quality and not old.quality),
        lost=lost,
        measured=len(ratios),
        slower=tuple(_latency(*pair) for pair in ratios if pair[2].low > pair[1].high),
        faster=tuple(_latency(*pair) for pair in ratios if pair[2].high < pair[1].low),
    )


def _ratios(before: Log, after: Log) -> Iterator[tuple[str, events.SpeedRatio, events.SpeedRatio]]:
    """Return networks with the ratios of both runs.

    Only ratios to the baseline are compared, because the machine as a whole may have been slower. Measurements under
    load are left out.
    """
    was = {measurement.model: measurement for measurement in before.measurements if not measurement.is_baseline}
    now = {measurement.model: measurement for measurement in after.measurements if not measurement.is_baseline}
    for model in sorted(was.keys() & now.keys()):
        old, new = was[model].latency_ratio, now[model].latency_ratio
        if old and new and not (was[model].is_under_load or now[model].is_under_load):
            yield model, old, new


def _latency(model: str, old: events.SpeedRatio, new: events.SpeedRatio) -> str:
    return f"{model}: {old.value:.3g} -> {new.value:.3g} times the baseline's latency"


def _used_up(case: str, old: events.Numbers, new: events.Numbers) -> UsedUp | None:
    """Return the increase of a limit's share; None if it did not increase, or has no share."""
    shares = (("bound", old.bound_used, new.bound_used), ("tolerance", old.tolerance_used, new.tolerance_used))
    for limit, was, now in shares:
        if was is not None and now is not None:
            return UsedUp(case, limit, was, now) if now > was else None
    return None


def _cases(found: tuple[str, ...]) -> str:
    return "case" if len(found) == 1 else "cases"


OLDER_CACHE: Final = "UpgradeTest/OlderCache"
"""Beginning of the ids of cases that offer a cache of the old driver to the new one."""
_NAMED: Final = 3
"""Most cases that a sentence about an upgrade names."""


class Offer(StrEnum):
    """Values of the evidence ``offer``: the new driver has prepared from the cache, or refused it."""

    TAKEN = "taken"
    REFUSED = "refused, then compiled anew"


class Compiled(StrEnum):
    """Values of the evidence ``compiled``: results of comparing both drivers' outputs without a cache."""

    SAME_BITS = "same bits"
    OTHER_BITS = "other bits"


class UpgradeAnswer(StrEnum):
    """Answers to the question of an upgrade.

    UNDECIDED if a run is incomplete or judged nothing, and so may hide a fault.
    """

    SAFE = "safe"
    UNSAFE = "not safe"
    UNDECIDED = "not decided"


EXIT_CODES: Final = {
    UpgradeAnswer.SAFE: outcome.EXIT_CONFORMANT,
    UpgradeAnswer.UNSAFE: outcome.EXIT_NOT_CONFORMANT,
    UpgradeAnswer.UNDECIDED: outcome.EXIT_SUITE_FAILED,
}
"""Exit code of ``nnvet diff`` for each answer about an upgrade, with the meanings that ``outcome`` gives them."""


@dataclass(frozen=True)
class OfferedCache:
    """A network whose cache was offered, as a row of a table."""

    network: str
    verdict: events.Verdict
    offer: str
    compiled: str


@dataclass(frozen=True)
class UpgradeJudgement:
    """The answer with its reasons, the harmless changes, and the caches that were offered.

    ``waivers``: the cases of the new driver that were forgiven, and entries that have expired or were not needed.
    """

    answer: UpgradeAnswer
    reasons: tuple[str, ...]
    changes: tuple[str, ...]
    caches: tuple[OfferedCache, ...]
    waivers: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """Return the answer as a sentence."""
        words = {
            UpgradeAnswer.SAFE: "safe to upgrade" + (", but results change" if self.changes else ": nothing got worse"),
            UpgradeAnswer.UNSAFE: "not safe to upgrade",
            UpgradeAnswer.UNDECIDED: "not decided whether it is safe to upgrade",
        }
        return words[self.answer]


def judge_upgrade(before: Log, after: Log) -> UpgradeJudgement:
    """Judge by the runs of both versions; a proven regression counts even if a run is incomplete."""
    drift = drift_between(before, after)
    lost = _named("claims are lost (PASS before, UNSUPPORTED now)", drift.lost)
    worse = (*_faults(before, after), *lost, *_unmet(after))
    open_ends = _gaps(before, after)
    answer = UpgradeAnswer.UNSAFE if worse else UpgradeAnswer.UNDECIDED if open_ends else UpgradeAnswer.SAFE
    caches = tuple(_row(result) for result in after.results.values() if result.case.startswith(f"{OLDER_CACHE}/"))
    changes = tuple(
        f"{text}: {len(cases):,}"
        for text, cases in (
            ("cases with other bits", drift.bits),
            ("cases that use more of their bound or tolerance", drift.used_up),
            ("cases outside of the error bound now", drift.crossed),
            # The runs may be hours apart, which no interval accounts for. So latency alone makes no upgrade unsafe.
            ("networks that are slower", drift.slower),
            ("older caches refused", tuple(cache.network for cache in caches if cache.offer == Offer.REFUSED)),
            (
                "networks with other bits",
                tuple(cache.network for cache in caches if cache.compiled == Compiled.OTHER_BITS),
            ),
        )
        if cases
    )
    return UpgradeJudgement(answer, (*worse, *open_ends), changes, caches, _waivers(after))


def _faults(before: Log, after: Log) -> tuple[str, ...]:
    """Return the cases that the new version fails and the old one did not fail, even if only the new one has them."""
    worse = [case for group in group_changes(before, after) if group.trend is Trend.WORSE for case in group.cases]
    added = [case for case in diff_logs(before, after).added if after.results[case].verdict in events.DRIVER_FAULTS]
    return _named("cases fail that did not fail before", (*worse, *added))


def _unmet(after: Log) -> tuple[str, ...]:
    """Return the profiles to which the new driver had to conform and does not; unknown for a run with gaps."""
    if after.finished is None or _gap("new", after):
        return ()
    unmet = outcome.unmet_profiles(after.finished.profiles, after.finished.wanted)
    return tuple(f"the new driver is {text}" for text in unmet.values())


def _waivers(after: Log) -> tuple[str, ...]:
    """Return all uses and problems of waivers in the run of the new driver, because none may be silent."""
    waived = [result.case for result in after.results.values() if result.verdict is events.Verdict.WAIVED]
    footer = after.finished
    return (*_named("cases are waived", waived), *(footer.problems if footer and not footer.cut_short else ()))


def _gaps(before: Log, after: Log) -> tuple[str, ...]:
    """Return the reasons why a regression may be hidden."""
    gaps = tuple(filter(None, (_gap("old", before), _gap("new", after))))
    missing = [case for case in diff_logs(before, after).removed if before.results[case].verdict is events.Verdict.PASS]
    return (*gaps, *_named("cases passed before and were not run now", missing))


def _gap(name: str, log: Log) -> str:
    """Return the reason why a run is incomplete, once; empty if it is complete."""
    judgement = outcome.judge(log)
    if judgement.outcome is outcome.RunOutcome.INCOMPLETE:
        return f"the run of the {name} driver is incomplete: {'; '.join(judgement.causes)}"
    # A run with a fault is "not conformant", even if it stopped early.
    was_cut = log.finished is None or log.finished.cut_short
    return f"the run of the {name} driver was cut off" if was_cut else ""


def _named(what: str, cases: Sequence[str]) -> tuple[str, ...]:
    rest = f" and {len(cases) - _NAMED:,} more" if len(cases) > _NAMED else ""
    return (f"{what}: {len(cases):,} ({', '.join(cases[:_NAMED])}{rest})",) if cases else ()


def _row(result: events.CaseFinished) -> OfferedCache:
    network = result.case.removeprefix(f"{OLDER_CACHE}/")
    offer = str(result.evidence.get("offer") or result.reason)
    return OfferedCache(network, result.verdict, offer, str(result.evidence.get("compiled", "")))
