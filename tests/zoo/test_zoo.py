"""Every planted bug is found: exactly the cases that it is said to break do not pass."""

import fcntl
import pickle
import zlib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import pytest

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.selection import Selection, check_of
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import Case
from nnvet.conformance.kit.outcome import Finished, Outcome
from nnvet.reference_driver.zoo.registry import Bug, bugs
from nnvet.reports.events import DRIVER_FAULTS, Verdict

SPECS = Path(__file__).parent / "specs"
PATIENCE_S = 5.0
SHARE = 10
"""Of so many other checks one is run on a wrong driver, each time another one, as long as not all are asked for."""
MOST_OF_A_KIND = 2
LONG = (
    "accepts-everything",
    "burst-ends-by-zeros",
    "cache-crash-on-empty",
    "memory-size-believed",
    "times-last",
    "answers-nothing",
    "burst-trusts-counts",
    "cache-version-crash",
    "fence-at-once",
    "leaks-little",
    "priorities-inverted",
    "supports-nothing",
    "times-duration-ignored",
    "buffer-concurrent-blocks",
    "buffer-never-released",
    "clients-equal",
    "deadline-cache-waits",
    "keeps-mappings",
    "leaks-descriptors",
    "leaks-memory",
    "leaks-threads",
    "one-at-a-time",
    "refuses-requests",
    "requests-mixed-up",
)
"""Bugs that take long, most of it in cases that wait, or count what many rounds leave behind."""
REPEATS = 2
SLOW = (
    "Accuracy",
    "CompilationCachingSecurityTest",
    "CompilationCachingTest",
    "FenceTest",
    "LeakTest",
    "LoopTimeoutTest",
    "MemoryLeakTest",
    "Metamorphic",
    "PreferenceTest",
    "PriorityTest",
    "RandomModels",
    "TestRandomGraph",
)
"""Suites whose cases wait for something, or do the same thing many times."""
SAMPLED = ("Accuracy", "Metamorphic", "PreferenceTest", "RandomModels", "TestRandomGraph")
"""Suites of which the cases of usual runs are enough: they have thousands."""


class Baseline(NamedTuple):
    """Cases that the bundled driver passes, and those that it neither passes nor may leave out."""

    passed: list[Case]
    failed: dict[str, Outcome]


def outcomes(cases: list[Case], target: Target) -> dict[str, Outcome]:
    """Return the end of every case."""
    ended = {event.case: event.outcome for event in run_cases(cases, target) if isinstance(event, Finished)}
    assert len(ended) == len(cases)
    return ended


def not_passed(cases: list[Case], target: Target) -> dict[str, Outcome]:
    """Cases with a verdict other than PASS."""
    found = outcomes(cases, target)
    return {case: outcome for case, outcome in found.items() if outcome.verdict is not Verdict.PASS}


def undeclared(cases: list[Case], found: Mapping[str, Outcome]) -> set[tuple[str, str]]:
    """Checks with rules that they find broken without declaring that they may."""
    return {
        (check_of(case).id, found[case.id].rule)
        for case in cases
        if case.id in found and found[case.id].verdict is Verdict.FAIL
        if not any(fnmatchcase(found[case.id].rule, glob) for glob in check_of(case).finds)
    }


def broken_by(case: Case, bug: Bug) -> bool:
    """Return True if the bug must break the case."""
    return matches(case, bug.breaks) and not matches(case, bug.spares)


def matches(case: Case, globs: Iterable[str]) -> bool:
    """Return True if a glob takes the case."""
    return any(fnmatchcase(case.id, glob) for glob in globs)


def suite(text: str) -> str:
    """First part of a case id or glob."""
    return text.partition("/")[0]


def thinned(cases: list[Case], bug: Bug, *, all_checks: bool) -> list[Case]:
    """Return the cases that the bug must break, and one or two of other checks; slow suites only for their bugs."""
    kinds: dict[str, list[Case]] = {}
    own = {suite(glob) for glob in bug.breaks}
    for case in cases:
        if suite(case.id) in own or suite(case.id) not in SLOW:
            kinds.setdefault(case.id.rpartition("/")[0], []).append(case)
    if all_checks:
        kept = {case.id for kind in kinds.values() for case in kind[:: -(-len(kind) // MOST_OF_A_KIND)]}
    else:
        kept = {kind[0].id for name, kind in kinds.items() if not zlib.crc32(f"{bug.name} {name}".encode()) % SHARE}
    return [case for case in cases if case.id in kept or matches(case, bug.breaks)]


@pytest.fixture(scope="session")
def baseline(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Baseline:
    """All hand-written checks, and all cases of a few small specs, run on the bundled driver: by one worker for all."""
    if worker_id == "master":
        return run_baseline()
    kept = tmp_path_factory.getbasetemp().parent / "zoo-baseline.pickle"
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            kept.write_bytes(pickle.dumps(run_baseline()))
        found: Baseline = pickle.loads(kept.read_bytes())  # noqa: S301 - written above
        return found


def run_baseline() -> Baseline:
    """Ends of the cases on the bundled driver."""
    everything = Catalogue([SPECS]).cases(Selection(full=True))
    cases = [case for case in everything if case.usual or suite(case.id) not in SAMPLED]
    target = Target("reference", in_process=True, timeout_s=PATIENCE_S)
    left_out = not_passed(cases, target)
    left_out = not_passed([case for case in cases if case.id in left_out], target)
    failed = {case: why for case, why in left_out.items() if why.verdict is not Verdict.UNSUPPORTED}
    return Baseline([case for case in cases if case.id not in left_out], failed)


@pytest.mark.long
def test_the_bundled_driver_passes(baseline: Baseline) -> None:
    """The driver from which the wrong drivers start is right."""
    assert not baseline.failed


BUGS = [bug.name for bug in bugs().values() if bug.breaks_cases]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in LONG else name for name in BUGS]
)
def test_a_bug_breaks_exactly_what_it_must(name: str, baseline: Baseline) -> None:
    """A driver with one bug fails the cases meant for it, at least one, and passes a sample of the others."""
    breaks_exactly(name, baseline, all_checks=False)


@pytest.mark.long
@pytest.mark.parametrize("name", BUGS)
def test_a_bug_spares_all_other_checks(name: str, baseline: Baseline) -> None:
    """It passes cases of every other check."""
    breaks_exactly(name, baseline, all_checks=True)


def breaks_exactly(name: str, baseline: Baseline, *, all_checks: bool) -> None:
    """Check that the cases meant for a bug fail, at least one, and no others.

    What fails breaks the rules that the bug is said to break, and none that the failing check does not declare. Where
    threads race, there may be others besides.
    """
    bug = bugs()[name]
    cases = thinned(baseline.passed, bug, all_checks=all_checks)
    target = Target(f"zoo:{name}", in_process=not bug.service, timeout_s=PATIENCE_S, strict=bug.strict)
    found = not_passed(cases, target)
    expected = {case.id for case in cases if broken_by(case, bug)}
    assert expected, "no case matches what the bug is said to break"
    for _ in range(REPEATS):
        # Threads that are late on a busy machine may hide a bug, or look like one. What is certain stays so.
        doubtful = [case for case in cases if (case.id in found) != (case.id in expected)]
        again = not_passed(doubtful, target) if doubtful else {}
        found = {case: why for case, why in found.items() if case in expected} | again
    unexpected = {case: why for case, why in found.items() if case not in expected}
    assert not unexpected
    missed = expected - found.keys()
    assert not missed, "cases that should have found the bug"
    assert not undeclared(cases, found)
    rules = {outcome.rule for outcome in found.values() if outcome.verdict in DRIVER_FAULTS}
    assert {glob for glob in bug.rules if not any(fnmatchcase(rule, glob) for rule in rules)} == set()


def test_every_glob_of_a_bug_matches_something(baseline: Baseline) -> None:
    """No bug names cases that do not exist."""
    unmatched = {
        (bug.name, glob)
        for bug in bugs().values()
        for glob in (*bug.breaks, *bug.spares)
        if not any(matches(case, (glob,)) for case in baseline.passed)
    }
    assert not unmatched
