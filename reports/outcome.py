"""What a run says of the driver as a whole."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, Verdict
from nnvet.reports.evidence import SPEC
from nnvet.reports.log import Log


class RunOutcome(StrEnum):
    """The answer of a run."""

    CONFORMANT = "conformant"
    NOT_CONFORMANT = "not conformant"
    INCOMPLETE = "incomplete"
    MEASURED = "measured only"


EXIT_CONFORMANT, EXIT_NOT_CONFORMANT, EXIT_USAGE, EXIT_SUITE_FAILED, EXIT_SPEC = range(5)
EXIT_CODES: Final = {
    RunOutcome.CONFORMANT: EXIT_CONFORMANT,
    RunOutcome.MEASURED: EXIT_CONFORMANT,
    RunOutcome.NOT_CONFORMANT: EXIT_NOT_CONFORMANT,
    RunOutcome.INCOMPLETE: EXIT_SUITE_FAILED,
}
_JUDGED: Final = (EXIT_CONFORMANT, EXIT_NOT_CONFORMANT)
_WORST_LAST: Final = (EXIT_CONFORMANT, EXIT_SPEC, EXIT_SUITE_FAILED, EXIT_NOT_CONFORMANT)
"""Exit codes of several runs: a proven fault of a driver comes before what could not be judged."""

REASONS_NAMED: Final = 5
"""Of cases that were not run so many different reasons are named."""


@dataclass(frozen=True)
class Judgement:
    """The outcome and, in short sentences, what it rests on."""

    outcome: RunOutcome
    causes: tuple[str, ...]


def failed_cases(log: Log) -> list[CaseFinished]:
    """Cases that somebody has to look at, in the order of the log: faults of the driver and of the suite."""
    return [result for result in log.results.values() if result.verdict in (*DRIVER_FAULTS, Verdict.ERROR)]


def outcome_of(
    counts: Mapping[Verdict, int], *, measured: bool = False, faults: bool = False, gaps: bool = False
) -> RunOutcome:
    """The one judgement of a run, from the number of cases by verdict and three facts besides.

    ``measured``: something was benchmarked; ``faults``: something failed that is no case; ``gaps``: something that
    belongs to the run is missing. Proven faults come before what is missing, and nothing missing may look like
    conformance.
    """
    if faults or any(counts.get(verdict) for verdict in DRIVER_FAULTS):
        return RunOutcome.NOT_CONFORMANT
    if gaps or counts.get(Verdict.ERROR) or counts.get(Verdict.NOT_RUN):
        return RunOutcome.INCOMPLETE
    if not any(counts.values()) and measured:
        return RunOutcome.MEASURED
    return RunOutcome.CONFORMANT if counts.get(Verdict.PASS) else RunOutcome.INCOMPLETE


def judge(log: Log) -> Judgement:
    """Judge a run from its log, with the causes in the order of their weight."""
    faults, gaps, counts = _faults(log), _gaps(log), log.counts
    outcome = outcome_of(counts, measured=bool(log.measurements), faults=bool(faults), gaps=bool(gaps))
    if outcome is RunOutcome.MEASURED:
        return Judgement(outcome, (f"{_number(len(log.measurements), 'measurement')}, no conformance case",))
    if outcome is not RunOutcome.CONFORMANT:
        return Judgement(outcome, faults + gaps or ("no case passed",))
    others = sum(counts.values()) - counts[Verdict.PASS]
    rest = f"; {others:,} were not judged (unsupported or waived)" if others else ""
    return Judgement(outcome, (f"every judged case passed: {counts[Verdict.PASS]:,}{rest}",))


def _faults(log: Log) -> tuple[str, ...]:
    counts = log.counts
    broken = tuple(f"{counts[verdict]:,} {verdict}" for verdict in DRIVER_FAULTS if counts[verdict])
    if broken:
        broken = (" · ".join(broken),)
    if log.finished is None or log.finished.exit_code not in _JUDGED:
        return broken
    faults = broken + log.finished.problems
    return faults or (("the run ended as not conformant",) if log.finished.exit_code else ())


def exit_code_of(outcome: RunOutcome, log: Log) -> int:
    """The exit code of a run that has come to its end: one that nothing but wrong specs left incomplete has its own."""
    errors = log.counts[Verdict.ERROR]
    if outcome is RunOutcome.INCOMPLETE and errors and errors == _spec_errors(log):
        return EXIT_SUITE_FAILED if log.counts[Verdict.NOT_RUN] else EXIT_SPEC
    return EXIT_CODES[outcome]


def worst_exit_code(codes: Iterable[int]) -> int:
    """The exit code of several runs that have come to their ends, one for each driver."""
    return max(codes, key=_WORST_LAST.index)


def _spec_errors(log: Log) -> int:
    return sum(SPEC in one.evidence for one in log.results.values() if one.verdict is Verdict.ERROR)


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
    return gaps + log.finished.problems or (f"the run ended with exit code {log.finished.exit_code}",)


def _not_run(log: Log) -> tuple[str, ...]:
    """How many cases were not run, by their reasons."""
    reasons = Counter(one.reason for one in log.results.values() if one.verdict is Verdict.NOT_RUN)
    named = [
        f"{_number(count, 'case')} not run" + (f": {reason}" if reason else "")
        for reason, count in reasons.most_common(REASONS_NAMED)
    ]
    rest = sum(reasons.values()) - sum(count for _, count in reasons.most_common(REASONS_NAMED))
    return (*named, f"{_number(rest, 'case')} not run for other reasons") if rest else tuple(named)


def _is_short(log: Log) -> bool:
    """Whether a run that ended holds fewer cases than were planned."""
    return log.is_complete and len(log.results) < (log.started.planned or 0)


def _progress(log: Log) -> str:
    done = f"{len(log.results):,}"
    return f"{done} of {log.started.planned:,} cases" if log.started.planned else _number(len(log.results), "case")


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
