"""Verdict of a run on the driver as a whole: the faults found, and the profiles to which the driver is conformant.

A driver is never simply conformant, only conformant to a profile (docs/profiles.md). A verdict also has an extent: a
verdict about 14 operations says nothing about the others. :func:`judge` judges a log, :func:`exit_code_of` follows from
the same outcome.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from nnvet.hal.enums import FeatureLevel
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Formal, OperationDeclaration, TypeRow
from nnvet.reports.events import DRIVER_FAULTS, OR_CPU, CaseFinished, ProfileResult, RunFinished, RunStarted, Verdict
from nnvet.reports.evidence import SPEC
from nnvet.reports.html.matrix import SEVERAL, row_of
from nnvet.reports.log import Log
from nnvet.reports.mined import MinedRates, mined_rates


class RunOutcome(StrEnum):
    """Outcomes of a run; a CONFORMANT one has no fault and fulfils a profile, which is named beside it."""

    CONFORMANT = "conformant"
    NO_FAULT = "no fault found"
    NOT_CONFORMANT = "not conformant"
    INCOMPLETE = "incomplete"
    MEASURED = "measured only"


EXIT_CONFORMANT, EXIT_NOT_CONFORMANT, EXIT_USAGE, EXIT_SUITE_FAILED, EXIT_SPEC = range(5)
EXIT_CODES: Final = {
    RunOutcome.CONFORMANT: EXIT_CONFORMANT,
    RunOutcome.NO_FAULT: EXIT_CONFORMANT,
    RunOutcome.MEASURED: EXIT_CONFORMANT,
    RunOutcome.NOT_CONFORMANT: EXIT_NOT_CONFORMANT,
    RunOutcome.INCOMPLETE: EXIT_SUITE_FAILED,
}
"""Exit code for each outcome of a run."""
_JUDGED: Final = (EXIT_CONFORMANT, EXIT_NOT_CONFORMANT)
"""Exit codes of runs that ended with a verdict on the driver."""
_WORST_LAST: Final = (EXIT_CONFORMANT, EXIT_SPEC, EXIT_SUITE_FAILED, EXIT_NOT_CONFORMANT)
"""Exit codes of several runs, the worst last: a proven fault is worse than an incomplete run."""

_RETRIEVAL: Final = "cache/retrieval"
"""Rule of cases in which a driver does not prepare from cache files that it has written."""
REASONS_NAMED: Final = 5
"""Most reasons that are named for cases that were not run."""
WAIVED_NAMED: Final = 3
"""Most waived cases that are named beside the verdict; the report has all."""
_OF_A_LEVEL: Final = "nnapi-"
"""Prefix of the names of profiles of feature levels; each includes the profiles of lower levels."""


@dataclass(frozen=True)
class Judgement:
    """The outcome with its causes in short sentences, the full verdict, and a short verdict for tables."""

    outcome: RunOutcome
    causes: tuple[str, ...]
    headline: str
    brief: str


def failed_cases(log: Log) -> list[CaseFinished]:
    """Return the cases that need attention, in the order of the log: faults of the driver and of the suite."""
    return [result for result in log.results.values() if result.verdict in (*DRIVER_FAULTS, Verdict.ERROR)]


def outcome_of(
    counts: Mapping[Verdict, int], *, measured: bool = False, faults: bool = False, gaps: bool = False
) -> RunOutcome:
    """Return the outcome of a run, from the number of cases by verdict and three further facts.

    ``measured``: something was benchmarked; ``faults``: something besides cases failed; ``gaps``: a part of the run is
    missing. A proven fault is worse than a gap, and a run with a gap must not look conformant.
    """
    if faults or any(counts.get(verdict) for verdict in DRIVER_FAULTS):
        return RunOutcome.NOT_CONFORMANT
    if gaps or counts.get(Verdict.ERROR) or counts.get(Verdict.NOT_RUN):
        return RunOutcome.INCOMPLETE
    if not any(counts.values()) and measured:
        return RunOutcome.MEASURED
    return RunOutcome.NO_FAULT if counts.get(Verdict.PASS) else RunOutcome.INCOMPLETE


def judge(log: Log) -> Judgement:
    """Judge a run by its log, with the causes in the order of their weight."""
    faults, gaps, counts = _faults(log), _gaps(log), log.counts
    unmet = {} if log.finished is None else unmet_profiles(log.finished.profiles, log.finished.wanted)
    is_unmet = bool(unmet) and not gaps
    outcome = outcome_of(counts, measured=bool(log.measurements), faults=bool(faults) or is_unmet, gaps=bool(gaps))
    if outcome is RunOutcome.MEASURED:
        causes = (f"{_number(len(log.measurements), 'measurement')}, no conformance case",)
        return Judgement(outcome, causes, outcome, outcome)
    if outcome is not RunOutcome.NO_FAULT:
        headline = f"{outcome} to {_listed(list(unmet))}" if is_unmet and not faults else str(outcome)
        return Judgement(outcome, (*faults, *gaps, *unmet.values()) or ("no case passed",), headline, headline)
    return _without_fault(log)


def unmet_profiles(results: Sequence[ProfileResult], wanted: Sequence[str]) -> dict[str, str]:
    """Return the wanted profiles that a run does not conform to, each with the reasons."""
    found = {result.profile: result.missing for result in results}
    reasons = {name: found.get(name, ("it was not judged",)) for name in wanted}
    return {name: f"not conformant to {name}: {'; '.join(missing)}" for name, missing in reasons.items() if missing}


def _without_fault(log: Log) -> Judgement:
    counts, held = log.counts, fulfilled_profiles(log.finished)
    others = sum(counts.values()) - counts[Verdict.PASS]
    rest = f"; {others:,} were not judged (unsupported or waived)" if others else ""
    causes = (f"every judged case passed: {counts[Verdict.PASS]:,}{rest}",)
    cases = _number(counts[Verdict.PASS], "case")
    if held:
        brief = f"{RunOutcome.CONFORMANT} to {_listed(held)}"
        return Judgement(RunOutcome.CONFORMANT, causes, f"{brief}{_waived(log)} ({cases} judged)", brief)
    headline = f"{RunOutcome.NO_FAULT} in {cases}{_waived(log)}{_nearest(log.finished)}"
    return Judgement(RunOutcome.NO_FAULT, causes, headline, RunOutcome.NO_FAULT)


def fulfilled_profiles(finished: RunFinished | None) -> list[str]:
    """Return the profiles to which a run conforms; of levels only the highest, which includes the others."""
    held = [profile.profile for profile in (() if finished is None else finished.profiles) if profile.is_held]
    levels = [name for name in held if name.startswith(_OF_A_LEVEL)]
    return [*levels[-1:], *(name for name in held if name not in levels)]


def _nearest(finished: RunFinished | None) -> str:
    """Return, after a comma, the profile of which most is done; empty if the run was compared with none."""
    known = [profile for profile in (() if finished is None else finished.profiles) if profile.operations]
    if not known:
        return ""
    near = max(known, key=lambda profile: (profile.done / profile.operations, profile.operations))
    if not near.done:
        return ", conformant to no profile"
    of_all = f", conformant to no profile: {near.done} of {near.operations} operations of {near.profile}"
    return of_all if near.done < near.operations else f"{of_all}, but {near.missing[0]}"


def _waived(log: Log) -> str:
    """Return the names of waived cases, because nothing may be forgiven silently."""
    names = [result.case for result in log.results.values() if result.verdict is Verdict.WAIVED]
    rest = f" and {len(names) - WAIVED_NAMED:,} more" if len(names) > WAIVED_NAMED else ""
    return f" with {_number(len(names), 'waived case')}: {', '.join(names[:WAIVED_NAMED])}{rest}" if names else ""


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _faults(log: Log) -> tuple[str, ...]:
    counts = log.counts
    broken = tuple(f"{counts[verdict]:,} {verdict}" for verdict in DRIVER_FAULTS if counts[verdict])
    if broken:
        broken = (" · ".join(broken),)
    if log.finished is None or log.finished.exit_code not in _JUDGED:
        return broken
    faults = broken + log.finished.problems
    ended_so = log.finished.exit_code and not unmet_profiles(log.finished.profiles, log.finished.wanted)
    return faults or (("the run ended as not conformant",) if ended_so else ())


def exit_code_of(outcome: RunOutcome, log: Log, *, cut_short: bool = False, unmet: bool = False) -> int:
    """Return the exit code of a run; a run that is incomplete only because of wrong specs has its own.

    ``unmet``: the run does not conform to a profile that was required. That is unknown for a run that was
    ``cut_short``, or in which the suite failed.
    """
    errors, not_run = log.counts[Verdict.ERROR], log.counts[Verdict.NOT_RUN]
    if unmet and not (cut_short or errors or not_run):
        return EXIT_NOT_CONFORMANT
    if outcome is RunOutcome.INCOMPLETE and not cut_short and errors and errors == _spec_errors(log):
        return EXIT_SUITE_FAILED if not_run else EXIT_SPEC
    return EXIT_CODES[outcome]


def worst_exit_code(codes: Iterable[int]) -> int:
    """Return the exit code of several runs that have come to their ends, one for each driver."""
    return max(codes, key=_WORST_LAST.index)


def _spec_errors(log: Log) -> int:
    return sum(SPEC in result.evidence for result in log.results.values() if result.verdict is Verdict.ERROR)


def _gaps(log: Log) -> tuple[str, ...]:
    counts = log.counts
    spec_errors = _spec_errors(log)
    own_errors = counts[Verdict.ERROR] - spec_errors
    checks = (
        (bool(log.unfinished), f"the run broke off during {', '.join(log.unfinished[:3])}"),
        (log.finished is None, f"the log has no footer: the run was cut off after {_progress(log)}"),
        (spec_errors > 0, f"{_number(spec_errors, 'spec error')}"),
        (own_errors > 0, f"the suite itself failed in {_number(own_errors, 'case')}"),
        (_is_short(log), f"the run ended after {_progress(log)}"),
    )
    gaps = tuple(text for holds, text in checks if holds) + _not_run(log)
    if log.finished is None or log.finished.exit_code in _JUDGED:
        return gaps
    if log.finished.exit_code == EXIT_SUITE_FAILED and not (log.counts[Verdict.PASS] or log.finished.problems):
        gaps = gaps or ("no case passed",)
    # A problem may be the reason why cases were not run.
    problems = tuple(problem for problem in log.finished.problems if not any(gap.endswith(problem) for gap in gaps))
    return gaps + problems or (f"the run ended with exit code {log.finished.exit_code}",)


def _not_run(log: Log) -> tuple[str, ...]:
    """Return the numbers of cases that were not run, by their reasons."""
    reasons = Counter(result.reason for result in log.results.values() if result.verdict is Verdict.NOT_RUN)
    named = [
        f"{_number(count, 'case')} not run" + (f": {reason}" if reason else "")
        for reason, count in reasons.most_common(REASONS_NAMED)
    ]
    rest = sum(reasons.values()) - sum(count for _, count in reasons.most_common(REASONS_NAMED))
    return (*named, f"{_number(rest, 'case')} not run for other reasons") if rest else tuple(named)


def _is_short(log: Log) -> bool:
    """Return True if a run that ended holds fewer cases than were planned."""
    return log.is_complete and len(log.results) < (log.started.planned or 0)


def _progress(log: Log) -> str:
    done = f"{len(log.results):,}"
    return f"{done} of {log.started.planned:,} cases" if log.started.planned else _number(len(log.results), "case")


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


_JUDGED_PARTS: Final = (Verdict.PASS, *DRIVER_FAULTS)
"""Verdicts of cases that count as tested."""


@dataclass(frozen=True)
class Extent:
    """The extent of a run's judgement: ``operations`` at the run's level, some ``right``, some ``faulty``.

    ``complete`` operations were judged in all types of the level. Cases of several operations judge none of them.
    ``operations`` is 0 for runs without a case of a single operation, such as campaigns of random graphs. In ``or_cpu``
    cases, CPU kernels may have computed instead of the driver's accelerator. ``idle_cache`` is the number of cases that
    offered cache files to a driver that never used them.
    """

    operations: int
    right: int
    faulty: int
    complete: int
    cases: int
    others: tuple[tuple[Verdict, int], ...]
    mined: MinedRates | None = None
    or_cpu: int = 0
    idle_cache: int = 0

    @property
    def unjudged(self) -> int:
        """Return the operations without a verdict: not claimed, not selected or not run."""
        return self.operations - self.right - self.faulty

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return sentences about CPU kernels, an idle cache, operations, mined fragments, and cases."""
        if self.or_cpu:
            cases = f"{self.or_cpu:,} {'case' if self.or_cpu == 1 else 'cases'}"
            return (
                f"CPU kernels may have done the driver's work in {cases}: it may fall back on them",
                *replace(self, or_cpu=0).sentences,
            )
        if self.idle_cache:
            said = f"{self.idle_cache:,} cases say so"
            idle = f"the driver asks for files of a cache, and prepares nothing from them: {said}"
            return idle, *replace(self, idle_cache=0).sentences
        of_cases = f"{self.cases:,} {'case' if self.cases == 1 else 'cases'} judged"
        if self.others:
            named = ", ".join(f"{verdict.lower().replace('_', ' ')}: {count:,}" for verdict, count in self.others)
            of_cases += f", {sum(count for _, count in self.others):,} not ({named})"
        sentences = (of_cases,) if self.mined is None else (self.mined.sentence, of_cases)
        if not self.operations:
            return sentences
        judged = self.right + self.faulty
        return f"{judged} of {self.operations} operations judged, {self.complete} in all their types", *sentences


def extent_of(log: Log) -> Extent:
    """Return the extent of a run's judgement."""
    counts, verdicts = log.counts, _verdicts_by_type(log)
    known = {
        declaration.name: declaration
        for declaration in declarations().values()
        if declaration.level <= _level_of(log.started)
    }
    faulty = {name for name in known if _has(verdicts[name], DRIVER_FAULTS)}
    right = {name for name in known if _has(verdicts[name], (Verdict.PASS,))} - faulty
    complete = [name for name in faulty | right if _is_complete(known[name], verdicts[name], _level_of(log.started))]
    return Extent(
        operations=len(known) if any(verdicts.values()) else 0,
        right=len(right),
        faulty=len(faulty),
        complete=len(complete),
        cases=sum(counts[verdict] for verdict in _JUDGED_PARTS),
        others=tuple(
            (verdict, counts[verdict]) for verdict in Verdict if verdict not in _JUDGED_PARTS and counts[verdict]
        ),
        mined=mined_rates(log),
        or_cpu=sum(result.computed_by.endswith(OR_CPU) for result in log.results.values()),
        idle_cache=_idle_cache(log),
    )


def _idle_cache(log: Log) -> int:
    """Return the number of refused retrievals; 0 if any case of the same checks passed.

    A driver may refuse cache files with UNSUPPORTED. But if it refuses all of them, its cache is useless.
    """
    refused = [
        result.case.rpartition("/")[0]
        for result in log.results.values()
        if result.verdict is Verdict.UNSUPPORTED and result.rule == _RETRIEVAL
    ]
    checks = set(refused)
    works = any(
        result.verdict is Verdict.PASS and result.case.rpartition("/")[0] in checks for result in log.results.values()
    )
    return 0 if works else len(refused)


def kinds_of(declaration: OperationDeclaration, level: int) -> frozenset[str]:
    """Return the names of types that cases of an operation are counted under: those of its first tensor input.

    Return nothing if the declaration leaves the types of inputs open, like that of WHILE.
    """
    found = (_first_tensor(declaration, row) for row in declaration.rows if row.level <= level)
    return frozenset(name for name in found if name)


def _first_tensor(declaration: OperationDeclaration, row: TypeRow) -> str:
    formals: tuple[Formal, ...] = declaration.signatures[0].inputs
    # A name that the row lacks stands for any type.
    types = [row.types.get(formal.type) if isinstance(formal.type, str) else formal.type for formal in formals]
    known = [kind for kind in types if kind in OPERAND_TYPES and OPERAND_TYPES[kind].is_tensor]
    return known[0].name if known else ""


def _verdicts_by_type(log: Log) -> defaultdict[str, dict[str, set[Verdict]]]:
    """Return verdicts of the cases of each single operation, by operand type; without a type the name is empty."""
    found: defaultdict[str, dict[str, set[Verdict]]] = defaultdict(dict)
    for result in log.results.values():
        if (operation := row_of(result)) and operation != SEVERAL:
            for kind in result.operand_types or ("",):
                found[operation].setdefault(kind, set()).add(result.verdict)
    return found


def _has(by_type: dict[str, set[Verdict]], wanted: tuple[Verdict, ...]) -> bool:
    return any(not found.isdisjoint(wanted) for found in by_type.values())


def _is_complete(declaration: OperationDeclaration, by_type: dict[str, set[Verdict]], level: int) -> bool:
    judged = {kind for kind, found in by_type.items() if not found.isdisjoint(_JUDGED_PARTS)}
    return kinds_of(declaration, level) <= judged


def _level_of(run: RunStarted) -> int:
    """Return the run's level, else the driver's, else the highest."""
    levels = (run.level, run.driver.feature_level)
    return next((level for level in levels if level is not None), int(max(FeatureLevel)))
