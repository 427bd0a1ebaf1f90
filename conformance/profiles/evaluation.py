"""Holds the profiles against what a run has logged.

Nothing is held by a run with a fault or a gap, whatever it is in: what a driver claims it has to do right. The
must-pass cases are listed from the bundled corpus and the checks, so that a selection cannot leave out any.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cache
from typing import Final

from nnvet.conformance.engine.case import Case
from nnvet.conformance.engine.catalogue import Catalogue, labels_of
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.profiles.profile import ANY, Profile, profiles
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, Command, ProfileResult, Verdict
from nnvet.reports.history import WHOLE
from nnvet.reports.log import Log

COMPUTING: Final = "GeneratedTest"
"""The suite whose cases say that an operation computes: it executes the corpus and judges each value."""
BEYOND_LEVEL: Final = "model/level"
"""Rule of cases that the suite itself holds back: they need a higher level than the one tested."""
_NAMED: Final = 3


@dataclass(frozen=True)
class MustPass:
    """A case of the usual run; ``pairs`` are the operation and type that it is about, twice if any type will do."""

    id: str
    level: int
    pairs: tuple[tuple[str, str], ...]


def profile_results(log: Log, problems: Sequence[str] = (), *, cut_short: bool = False) -> tuple[ProfileResult, ...]:
    """All profiles held against a run; ``problems`` and ``cut_short`` are those of its footer, written or to come.

    None for logs of other commands than ``nnvet run``.
    """
    if log.started.command is not Command.RUN:
        return ()
    obstacle = _obstacle(log, problems, cut_short=cut_short)
    passed = frozenset(
        pair for result in log.results.values() if result.verdict is Verdict.PASS for pair in _pairs_of(result)
    )
    return tuple(_held_against(profile, log, passed, obstacle) for profile in profiles().values())


@cache
def must_pass() -> tuple[MustPass, ...]:
    """Every case of the usual run, of the bundled corpus and the checks."""
    return tuple(map(_listed, Catalogue().cases(Selection())))


def demanded_cases(profile: Profile) -> Iterator[tuple[MustPass, bool]]:
    """The cases that a profile is about, and whether it is one of its suites that has them."""
    wanted = _pattern(profile.suites)
    unwanted = _pattern(profile.without_suites)
    for case in must_pass():
        if case.level <= profile.level and not unwanted.match(case.id):
            of_suite = bool(wanted.match(case.id))
            if of_suite or not profile.pairs.isdisjoint(case.pairs):
                yield case, of_suite


def _obstacle(log: Log, problems: Sequence[str], *, cut_short: bool) -> str:
    """Why a run says nothing of any profile; empty: it does."""
    counts = log.counts
    checks = (
        (any(counts[verdict] for verdict in DRIVER_FAULTS), "the driver has faults"),
        (bool(problems), problems[0] if problems else ""),
        (bool(counts[Verdict.ERROR] or counts[Verdict.NOT_RUN]), "cases were not judged: ERROR or NOT_RUN"),
        (cut_short or bool(log.unfinished), "the run did not come to its end"),
        (log.started.shard != WHOLE, f"the run is shard {log.started.shard}: put the shards together"),
        ("--specs" in log.started.options, "the run is of other specs than the bundled ones"),
    )
    return next((text for holds, text in checks if holds), "")


def _held_against(profile: Profile, log: Log, passed: frozenset[tuple[str, str]], obstacle: str) -> ProfileResult:
    lacking = {name: [kind for kind in kinds if (name, kind) not in passed] for name, kinds in profile.types.items()}
    lacking = {name: kinds for name, kinds in lacking.items() if kinds}
    missing = [obstacle] if obstacle else []
    if lacking:
        named = [f"{name} ({', '.join(kinds[:_NAMED])})" for name, kinds in lacking.items()]
        missing.append(f"no PASS for {len(lacking)} of {len(profile.types)} operations: {_some(named)}")
    missing += [f"no PASS in {glob}" for glob in profile.suites if not _has_pass(log, glob)]
    cases = 0
    if not missing:
        missing, cases = _held_to_all(profile, log)
    done = len(profile.types) - len(lacking)
    return ProfileResult(profile.name, len(profile.types), done, cases, tuple(missing))


def _held_to_all(profile: Profile, log: Log) -> tuple[list[str], int]:
    """Return the must-pass cases that are missing, and the number that have passed."""
    tested = log.started.level or log.started.driver.feature_level or 1
    absent: list[str] = []
    unsupported: list[str] = []
    tally: defaultdict[tuple[str, str], Counter[Verdict]] = defaultdict(Counter)
    cases = 0
    for case, of_suite in demanded_cases(profile):
        result = log.results.get(case.id)
        if result is None:
            absent.append(case.id)
            continue
        if result.verdict is Verdict.UNSUPPORTED and result.rule == BEYOND_LEVEL and tested >= profile.level:
            continue
        cases += result.verdict is Verdict.PASS
        if of_suite and result.verdict is Verdict.UNSUPPORTED:
            unsupported.append(case.id)
        for pair in profile.pairs.intersection(case.pairs):
            tally[pair][result.verdict] += 1
    missing = [f"cases of it that were not run: {len(absent):,}, such as {_some(absent)}"] if absent else []
    if unsupported:
        missing.append(f"UNSUPPORTED cases of its suites: {len(unsupported):,}, such as {_some(unsupported)}")
    missing += _below_floor(profile, tally)
    return missing, cases


def _below_floor(profile: Profile, tally: Mapping[tuple[str, str], Counter[Verdict]]) -> list[str]:
    """Operations of which too few cases pass. A waived case fills its place, but is not the one that has to pass."""
    found = []
    for (name, kind), counts in sorted(tally.items()):
        fulfilled = counts[Verdict.PASS] + counts[Verdict.WAIVED]
        if not counts[Verdict.PASS] or fulfilled < profile.floor * counts.total():
            found.append(f"{name} ({kind}) {counts[Verdict.PASS]:,} of {counts.total():,}")
    return [f"too few cases pass, {profile.floor:.0%} are wanted: {_some(found)}"] if found else []


def _listed(case: Case) -> MustPass:
    pairs: tuple[tuple[str, str], ...] = ()
    if case.name.suite == COMPUTING:
        labels = labels_of(case)
        pairs = _pairs_of(CaseFinished(case.id, Verdict.PASS, labels=labels))
    return MustPass(case.id, int(case.needed_level or 1), pairs)


def _pairs_of(result: CaseFinished) -> tuple[tuple[str, str], ...]:
    """The operation that a case computes alone, with its type and with any; none for cases of several operations."""
    if result.suite != COMPUTING or len(result.operations) != 1:
        return ()
    return tuple((result.operations[0], kind) for kind in (*result.operand_types, ANY))


def _has_pass(log: Log, glob: str) -> bool:
    pattern = _pattern((glob,))
    return any(result.verdict is Verdict.PASS and pattern.match(result.case) for result in log.results.values())


def _pattern(globs: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern of any of the globs; of nothing, if there are none."""
    return re.compile("|".join(map(translate, globs)) or "(?!)")


def _some(names: Sequence[str]) -> str:
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest:,} more" if rest > 0 else "")
