"""Part of ``nnvet upgrade``: offer compilation caches of an old version of a driver to the new version.

:func:`older_caches` returns the task that logs a case for each network, after the cases of the usual run. The old
driver fills caches of small networks and ends; the new one is offered the files. It has to refuse them, so that clients
compile anew, or to compute what one of the versions computes. A single driver that can pretend to be another version is
checked by :mod:`nnvet.conformance.suites.caching.versions`. Source: docs/contract/hal.md 10.3.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Final

from nnvet.adapters.selector import SelectorError
from nnvet.conformance.engine.driver import DriverLostError, DriverUnderTest, open_subject, run_guarded
from nnvet.conformance.engine.runner import Extra, Plan, RunWatcher, target_options
from nnvet.conformance.engine.target import DEFAULT_TIMEOUT_S, Target
from nnvet.conformance.engine.waivers import Waivers
from nnvet.conformance.kit.checks import Case, CaseId, Check
from nnvet.conformance.kit.outcome import CaseFailed, Outcome, passed
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.caching.basic import LEVEL, TYPES
from nnvet.conformance.suites.caching.fixtures import WORKS, Cache, working_cache
from nnvet.conformance.suites.caching.networks import CachedNetwork, chain_network, small_network
from nnvet.conformance.suites.caching.versions import RULE, judge_older_cache
from nnvet.hal.enums import OperationType
from nnvet.reports.diff import OLDER_CACHE, Compiled, Offer
from nnvet.reports.events import DRIVER_FAULTS, Verdict
from nnvet.reports.log import EventLog

NetworkOf = Callable[[Subject], CachedNetwork]
"""Builds a network with the outputs that a driver computes; raises ``CaseFailed`` if it does not take it."""

_SUITE, _, _CHECK = OLDER_CACHE.partition("/")
NETWORKS: Final[Mapping[str, NetworkOf]] = {
    **{f"small_mobilenet/{name}": partial(small_network, operand_type=kind) for name, kind in TYPES.items()},
    **{
        f"add_chain/{name}": partial(chain_network, operation=OperationType.ADD, operand_type=kind)
        for name, kind in TYPES.items()
    },
}
"""The networks by the arguments of their cases."""
RENEWED: Final = (f"{OLDER_CACHE}/",)
"""Prefix of the cases that a resumed run repeats, because another old driver may be named now."""


@dataclass(frozen=True)
class _FilledCache:
    """A cache that the old driver has filled for a network, or the end of its attempt to fill one."""

    network_of: NetworkOf
    cache: Cache | None
    ended: Outcome


@dataclass(frozen=True)
class _Journal:
    """Logs the cases: ``replay`` is the command that repeats one, ``waivers`` the failures to forgive."""

    log: EventLog
    replay: str
    waivers: Waivers
    watcher: RunWatcher

    def keep(self, name: str, outcome: Outcome) -> Outcome:
        """Log the end of the case of a network; returns it as the waivers leave it."""
        case, labels = _make_case(name).id, {"suite": _SUITE, "check": _CHECK}
        outcome = self.waivers.judge(case, outcome, labels)
        judged_well = outcome.verdict in (Verdict.PASS, Verdict.UNSUPPORTED)
        evidence = outcome.evidence if judged_well else {**outcome.evidence, "replay": self.replay}
        self.log.case_finished(
            case,
            outcome.verdict,
            rule=outcome.rule,
            reason=outcome.reason,
            evidence=evidence,
            labels=labels,
            numbers=outcome.numbers,
            computed_by=outcome.computed_by,
        )
        self.watcher.finished(case, outcome.verdict)
        return outcome


def older_caches(old: Target, new: Plan, watcher: RunWatcher) -> Extra:
    """Return the task that offers caches of ``old`` to ``new``, and logs a case for each of :data:`NETWORKS`."""

    def offer(log: EventLog) -> bool:
        waivers = Waivers(new.waivers, log.so_far.started.driver)
        journal = _Journal(log, _make_replay(old, new.target), waivers, watcher)
        with ExitStack() as folders:
            outcomes = _offer_all(new.target, _fill_all(old, list(NETWORKS), folders), journal)
        return not any(outcome.verdict in DRIVER_FAULTS for outcome in outcomes)

    return offer


def _make_case(name: str) -> Case:
    """Return the case of a network by its name."""
    return Case(CaseId(_SUITE, _CHECK, name), OLDER_CACHE, needed_level=LEVEL)


def _make_replay(old: Target, new: Target) -> str:
    """Return the command that offers the caches again."""
    level = () if new.level is None else ("--level", str(new.level))
    options = (*target_options(new, DEFAULT_TIMEOUT_S), *level)
    # The caches follow any cases; these are few.
    return shlex.join(["nnvet", "upgrade", "-d", old.selector, "-d", new.selector, *options, "--only", "BasicTest/*"])


def _fill_all(old: Target, names: list[str], folders: ExitStack) -> dict[str, _FilledCache]:
    """Have the old driver fill a cache for each network, in folders that live as long as ``folders``."""
    left: dict[str, _FilledCache] = {}
    try:
        with open_subject(old) as subject:
            for name in names:
                left[name] = _fill(subject, name, folders)
    except (DriverLostError, SelectorError) as error:
        lost = Outcome(Verdict.NOT_RUN, reason=str(error))
        left |= {name: _FilledCache(NETWORKS[name], None, lost) for name in names if name not in left}
    return left


def _fill(subject: DriverUnderTest, name: str, folders: ExitStack) -> _FilledCache:
    """Have the old driver fill a cache for one network."""
    network_of, caches = NETWORKS[name], list[Cache]()

    def fill(subject: Subject, _: None) -> None:
        cache = folders.enter_context(working_cache(subject, network_of(subject)))
        cache.save()
        caches.append(cache)

    case = _make_case(name)
    check = Check(_SUITE, _CHECK, fill, level=LEVEL)
    outcome, died = run_guarded(subject, case.id, lambda: check.run(subject, case, None))
    if died:
        subject.revive()
    return _FilledCache(network_of, caches[0] if caches and outcome.verdict is Verdict.PASS else None, outcome)


def _offer_all(new: Target, left: Mapping[str, _FilledCache], journal: _Journal) -> list[Outcome]:
    """Offer the new driver each cache; what cannot be offered, because a driver is lost, is NOT_RUN."""
    outcomes: list[Outcome] = []
    try:
        with open_subject(new) as subject:
            for name, cache in left.items():
                journal.log.case_started(_make_case(name).id)
                outcome, died = _offer(subject, name, cache)
                outcomes.append(journal.keep(name, outcome))
                if died:
                    subject.revive()
    except (DriverLostError, SelectorError) as error:
        for name in list(left)[len(outcomes) :]:
            journal.log.case_started(_make_case(name).id)
            outcomes.append(journal.keep(name, Outcome(Verdict.NOT_RUN, reason=str(error))))
    return outcomes


def _offer(subject: DriverUnderTest, name: str, left: _FilledCache) -> tuple[Outcome, bool]:
    """Offer the new driver one cache; return the outcome, and True if the driver died of it."""
    case = _make_case(name)
    check = Check(_SUITE, _CHECK, _judge, rules=(*WORKS, RULE, "cache/fallback"), level=LEVEL)
    return run_guarded(subject, case.id, lambda: check.run(subject, case, left))


def _judge(subject: Subject, left: _FilledCache) -> Outcome:
    """Judge the new driver's reaction to a cache, and compare the bits that both versions compute.

    :raises CaseFailed: UNSUPPORTED if there are no files to offer, which is not the new driver's fault.
    """
    if left.cache is None:
        failed = left.ended.verdict in DRIVER_FAULTS
        verdict = Verdict.UNSUPPORTED if failed else left.ended.verdict
        reason = f"nothing to offer, the old driver: {left.ended.reason}"
        raise CaseFailed(Outcome(verdict, left.ended.rule, reason))
    network = left.network_of(subject)
    offer = Offer.TAKEN if judge_older_cache(left.cache, subject, network) else Offer.REFUSED
    if not network.expected:
        # The right results of chains are known, but no version's bits were kept.
        return passed(offer=offer)
    same = network.expected == left.cache.network.expected
    return passed(offer=offer, compiled=Compiled.SAME_BITS if same else Compiled.OTHER_BITS)
