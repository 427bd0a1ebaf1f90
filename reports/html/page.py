"""The page of a report, ``report.html``: :func:`render_page` puts all views of a log together.

:mod:`nnvet.reports.render` writes it beside the other files of a report. Small views are made here: the coverage of a
fuzzing job over time, the workers of a cluster that ran the cases, flaky cases, and the slowest cases. Each larger view
has a module of its own beside this one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from nnvet.reports.accuracy import coverage_of, position_counts, position_grades, quality_cases
from nnvet.reports.contrast import contrasts
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, FuzzingFinished, Verdict
from nnvet.reports.evidence import FLAKY, again_of, worker_of
from nnvet.reports.facts import places_in_words
from nnvet.reports.history import History
from nnvet.reports.html import stress
from nnvet.reports.html.answers import answer_of
from nnvet.reports.html.axes import HEIGHT, WIDTH
from nnvet.reports.html.cases import case_data, embedded, folded_verdicts
from nnvet.reports.html.environment import environment
from nnvet.reports.html.groups import build_sections, view_reductions
from nnvet.reports.html.history import view_series
from nnvet.reports.html.matrix import build_matrix, computed_by, view_of
from nnvet.reports.html.measuring import build_measuring
from nnvet.reports.html.overview import build_overview
from nnvet.reports.html.performance import build_families
from nnvet.reports.html.timeline import build_timeline
from nnvet.reports.log import Log
from nnvet.reports.outcome import extent_of, judge
from nnvet.reports.series import past_of


@dataclass(frozen=True)
class Curve:
    """A fuzzing harness with its figures; ``points`` are the corners of its line of coverage, in chart units.

    ``first`` and ``last`` are the coverage at the beginning and at the end: numbers of counters in instrumented code.
    """

    harness: str
    executions: int
    rate: float
    corpus: int
    findings: int
    first: int
    last: int
    points: str


def build_curves(fuzzing: Sequence[FuzzingFinished]) -> tuple[Curve, ...]:
    """Return the figures and the line of coverage of each fuzzing harness."""
    return tuple(map(_build_curve, fuzzing))


def _build_curve(event: FuzzingFinished) -> Curve:
    coverage = [reached for _, reached in event.curve] or [0]
    rate = event.executions / event.seconds if event.seconds else 0.0
    return Curve(
        event.harness,
        event.executions,
        rate,
        event.corpus,
        event.findings,
        coverage[0],
        coverage[-1],
        " ".join(_draw_coverage(event)),
    )


def _draw_coverage(event: FuzzingFinished) -> list[str]:
    """Return the corners of the line of coverage: steps, because coverage remains the same until an input raises it."""
    highest = max((reached for _, reached in event.curve), default=0) or 1
    span = max(event.seconds, max((seconds for seconds, _ in event.curve), default=0.0)) or 1.0
    places: list[str] = []
    height = HEIGHT
    for seconds, reached in event.curve:
        x = WIDTH * seconds / span
        places.append(f"{x:.1f},{height:.1f}")
        height = HEIGHT - HEIGHT * reached / highest
        places.append(f"{x:.1f},{height:.1f}")
    return [*places, f"{WIDTH:.1f},{height:.1f}"]


@dataclass(frozen=True)
class WorkerRow:
    """A worker of a cluster, with its numbers of cases and failures, and the seconds that its cases took."""

    name: str
    cases: int
    failures: int
    seconds: float


def workers_of(log: Log) -> list[WorkerRow]:
    """Return the workers by name; empty if one machine ran all cases."""
    cases: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    seconds: defaultdict[str, float] = defaultdict(float)
    for result in log.results.values():
        worker = worker_of(result)
        if worker:
            cases[worker] += 1
            failures[worker] += result.verdict in DRIVER_FAULTS
            seconds[worker] += result.duration_s
    return [WorkerRow(name, cases[name], failures[name], seconds[name]) for name in sorted(cases)]


def find_unsteady(log: Log) -> list[tuple[CaseFinished, str]]:
    """Return the flaky cases, each with a sentence on how it ended when it was run again, or on another worker."""
    marked = ((result, again_of(result)) for result in log.results.values())
    return [(result, words) for result, (mark, words) in marked if mark == FLAKY]


SLOWEST: Final = 20
"""Number of slow cases that the page lists."""
_AMISS: Final = (*DRIVER_FAULTS, Verdict.ERROR, Verdict.NOT_RUN)
"""Verdicts that need a reader's attention: parts of the suite with such cases are listed first."""


def render_page(log: Log, history: History | None = None) -> str:
    """Return the report of a log as a self-contained HTML page; with a history it also shows the earlier runs."""
    past, grades = past_of(log, history), position_grades(log)
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            log=log,
            run=log.started,
            judgement=judge(log),
            answer=answer_of(log),
            extent=extent_of(log),
            total=len(log.results),
            folded=folded_verdicts(log.counts),
            parts=_count_by_part(log),
            matrix=build_matrix(log.results.values()),
            computed=computed_by(log.results.values()),
            sections=build_sections(log),
            contrasts=contrasts(log),
            families=build_families(log.measurements),
            overview=build_overview(log.measurements),
            measuring=build_measuring(log.measurements),
            past=past,
            changes=past.changes(log) if past else {},
            moved=past.figure_changes(log) if past else {},
            trends=view_series(past.series, past.series.last.driver) if past else None,
            **view_of(coverage_of(log), log.space),
            reductions=view_reductions(log.reductions),
            quality=quality_cases(log),
            grades=grades,
            positions=position_counts(grades),
            curves=build_curves(log.fuzzing),
            stress=stress.build_stress(log),
            workers=workers_of(log),
            places=places_in_words(log.measurements),
            unsteady=find_unsteady(log),
            timeline=build_timeline(log),
            slowest=_find_slowest(log),
            data=Markup(embedded(case_data(log))),  # noqa: S704 - no "<" is left
        )
    )


def _find_slowest(log: Log) -> list[CaseFinished]:
    """Return the cases that took longest; cases whose time is not in the log do not count."""
    timed = [result for result in log.results.values() if result.duration_s]
    return sorted(timed, key=lambda result: -result.duration_s)[:SLOWEST]


def _count_by_part(log: Log) -> list[tuple[bool, list[tuple[str, Counter[Verdict]]]]]:
    """Return counts of verdicts by part of the suite, in two lists: parts with failures first, then the others.

    The flag of a list is True if its parts need no attention.
    """
    parts: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)
    for result in log.results.values():
        parts[result.suite][result.verdict] += 1
    found: dict[bool, list[tuple[str, Counter[Verdict]]]] = {False: [], True: []}
    for name, counts in sorted(parts.items()):
        found[not any(counts[verdict] for verdict in _AMISS)].append((name, counts))
    return [(is_well, rows) for is_well, rows in found.items() if rows]
