"""What a run says of the driver as a whole."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, Verdict
from nnvet.reports.log import Log


class Outcome(StrEnum):
    """The answer of a run."""

    CONFORMANT = "conformant"
    NOT_CONFORMANT = "not conformant"
    INCOMPLETE = "incomplete"
    MEASURED = "measured only"


EXIT_NOT_CONFORMANT: Final = 1
_JUDGED: Final = (0, EXIT_NOT_CONFORMANT)


@dataclass(frozen=True)
class Judgement:
    """The outcome and, in short sentences, what it rests on."""

    outcome: Outcome
    causes: tuple[str, ...]


def failed_cases(log: Log) -> list[CaseFinished]:
    """Cases that somebody has to look at, in the order of the log: faults of the driver and of the suite."""
    return [result for result in log.results.values() if result.verdict in (*DRIVER_FAULTS, Verdict.ERROR)]


def judge(log: Log) -> Judgement:
    """Judge a run: proven faults come before what is missing, and nothing missing may look like conformance."""
    faults = _faults(log)
    gaps = _gaps(log)
    counts = log.counts
    if faults:
        return Judgement(Outcome.NOT_CONFORMANT, faults + gaps)
    if not gaps and not log.results and log.measurements:
        return Judgement(Outcome.MEASURED, (f"{_number(len(log.measurements), 'measurement')}, no conformance case",))
    if not gaps and not counts[Verdict.PASS]:
        gaps = ("no case passed",)
    if gaps:
        return Judgement(Outcome.INCOMPLETE, gaps)
    others = sum(counts.values()) - counts[Verdict.PASS]
    rest = f"; {others:,} were not judged (unsupported or waived)" if others else ""
    return Judgement(Outcome.CONFORMANT, (f"every judged case passed: {counts[Verdict.PASS]:,}{rest}",))


def _faults(log: Log) -> tuple[str, ...]:
    counts = log.counts
    broken = tuple(f"{counts[verdict]:,} {verdict}" for verdict in DRIVER_FAULTS if counts[verdict])
    if broken:
        broken = (" · ".join(broken),)
    if log.finished is None or log.finished.exit_code not in _JUDGED:
        return broken
    faults = broken + log.finished.problems
    return faults or (("the run ended as not conformant",) if log.finished.exit_code else ())


def _gaps(log: Log) -> tuple[str, ...]:
    counts = log.counts
    checks = (
        (bool(log.unfinished), f"the run broke off during {', '.join(log.unfinished[:3])}"),
        (log.finished is None, f"the log has no footer: the run was cut off after {_progress(log)}"),
        (counts[Verdict.ERROR] > 0, f"the suite itself failed in {_number(counts[Verdict.ERROR], 'case')}"),
        (_is_short(log), f"the run ended after {_progress(log)}"),
        (counts[Verdict.NOT_RUN] > 0, f"{_number(counts[Verdict.NOT_RUN], 'case')} not run"),
    )
    gaps = tuple(text for holds, text in checks if holds)
    if log.finished is None or log.finished.exit_code in _JUDGED:
        return gaps
    return gaps + log.finished.problems or (f"the run ended with exit code {log.finished.exit_code}",)


def _is_short(log: Log) -> bool:
    """Whether a run that ended holds fewer cases than were planned."""
    return log.is_complete and len(log.results) < (log.started.planned or 0)


def _progress(log: Log) -> str:
    done = f"{len(log.results):,}"
    return f"{done} of {log.started.planned:,} cases" if log.started.planned else _number(len(log.results), "case")


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
