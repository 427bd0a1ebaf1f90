"""The answer for two versions of a driver: whether the new one can replace the old one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from nnvet.reports.diff import Trend, diff_logs, group_changes
from nnvet.reports.drift import drift_between
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, Verdict
from nnvet.reports.log import Log
from nnvet.reports.outcome import (
    EXIT_CONFORMANT,
    EXIT_NOT_CONFORMANT,
    EXIT_SUITE_FAILED,
    RunOutcome,
    judge,
    unmet_profiles,
)

OLDER_CACHE: Final = "UpgradeTest/OlderCache"
"""The beginning of the ids of cases in which the new driver is offered a cache of the old one."""
_NAMED: Final = 3


class Offer(StrEnum):
    """The evidence ``offer`` of a case: the new driver has prepared from the cache, or refused it."""

    TAKEN = "taken"
    REFUSED = "refused, then compiled anew"


class Compiled(StrEnum):
    """The evidence ``compiled`` of a case: outputs of the network, compiled by both without a cache, are compared."""

    SAME_BITS = "same bits"
    OTHER_BITS = "other bits"


class UpgradeAnswer(StrEnum):
    """The answer; UNDECIDED where a run is incomplete or judged nothing, so that something may be hidden."""

    SAFE = "safe"
    UNSAFE = "not safe"
    UNDECIDED = "not decided"


EXIT_CODES: Final = {
    UpgradeAnswer.SAFE: EXIT_CONFORMANT,
    UpgradeAnswer.UNSAFE: EXIT_NOT_CONFORMANT,
    UpgradeAnswer.UNDECIDED: EXIT_SUITE_FAILED,
}


@dataclass(frozen=True)
class OfferedCache:
    """A network whose cache was offered, in the words of a table's row."""

    network: str
    verdict: Verdict
    offer: str
    compiled: str


@dataclass(frozen=True)
class UpgradeJudgement:
    """The answer, what it rests on, what changes although it is safe, and the caches that were offered.

    ``waivers``: the cases of the new driver that were forgiven, and entries that have expired or were not needed.
    """

    answer: UpgradeAnswer
    reasons: tuple[str, ...]
    changes: tuple[str, ...]
    caches: tuple[OfferedCache, ...]
    waivers: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """The answer as a sentence."""
        words = {
            UpgradeAnswer.SAFE: "safe to upgrade" + (", but results change" if self.changes else ": nothing got worse"),
            UpgradeAnswer.UNSAFE: "not safe to upgrade",
            UpgradeAnswer.UNDECIDED: "not decided whether it is safe to upgrade",
        }
        return words[self.answer]


def judge_upgrade(before: Log, after: Log) -> UpgradeJudgement:
    """Judge by the runs of both versions. A proven regression comes before what is incomplete."""
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
            # Runs are hours apart, and no interval knows of that: latency alone makes nothing unsafe.
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
    """Cases that the new version fails and the old one did not, those that only the new one has among them."""
    worse = [case for group in group_changes(before, after) if group.trend is Trend.WORSE for case in group.cases]
    added = [case for case in diff_logs(before, after).added if after.results[case].verdict in DRIVER_FAULTS]
    return _named("cases fail that did not fail before", (*worse, *added))


def _unmet(after: Log) -> tuple[str, ...]:
    """The profiles that the new driver had to be conformant to and is not; of a run with gaps nobody knows that."""
    if after.finished is None or _gap("new", after):
        return ()
    unmet = unmet_profiles(after.finished.profiles, after.finished.wanted)
    return tuple(f"the new driver is {text}" for text in unmet.values())


def _waivers(after: Log) -> tuple[str, ...]:
    """Everything that waivers have to do with the run of the new driver: nothing is forgiven silently."""
    waived = [result.case for result in after.results.values() if result.verdict is Verdict.WAIVED]
    footer = after.finished
    return (*_named("cases are waived", waived), *(footer.problems if footer and not footer.cut_short else ()))


def _gaps(before: Log, after: Log) -> tuple[str, ...]:
    """Why nobody knows whether something got worse."""
    gaps = tuple(filter(None, (_gap("old", before), _gap("new", after))))
    missing = [case for case in diff_logs(before, after).removed if before.results[case].verdict is Verdict.PASS]
    return (*gaps, *_named("cases passed before and were not run now", missing))


def _gap(name: str, log: Log) -> str:
    """Return the reason why a run is incomplete, once; empty if it is complete."""
    judgement = judge(log)
    if judgement.outcome is RunOutcome.INCOMPLETE:
        return f"the run of the {name} driver is incomplete: {'; '.join(judgement.causes)}"
    # A fault makes a run "not conformant", even if it broke off.
    was_cut = log.finished is None or log.finished.cut_short
    return f"the run of the {name} driver was cut off" if was_cut else ""


def _named(what: str, cases: Sequence[str]) -> tuple[str, ...]:
    rest = f" and {len(cases) - _NAMED:,} more" if len(cases) > _NAMED else ""
    return (f"{what}: {len(cases):,} ({', '.join(cases[:_NAMED])}{rest})",) if cases else ()


def _row(result: CaseFinished) -> OfferedCache:
    network = result.case.removeprefix(f"{OLDER_CACHE}/")
    offer = str(result.evidence.get("offer") or result.reason)
    return OfferedCache(network, result.verdict, offer, str(result.evidence.get("compiled", "")))
