"""The page: the views of one log, put together."""

from collections import Counter, defaultdict
from typing import Final

from markupsafe import Markup

from nnvet.reports.accuracy import coverage_of
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, Verdict
from nnvet.reports.history import History
from nnvet.reports.html import stress
from nnvet.reports.html.cases import case_data, embedded, folded_verdicts
from nnvet.reports.html.coverage import view_of
from nnvet.reports.html.curves import build_curves
from nnvet.reports.html.environment import environment
from nnvet.reports.html.groups import build_sections
from nnvet.reports.html.history import view_series
from nnvet.reports.html.matrix import build_matrix, computed_by
from nnvet.reports.html.overview import build_overview
from nnvet.reports.html.performance import build_families
from nnvet.reports.html.small_graphs import view_reductions
from nnvet.reports.html.workers import disputed, workers_of
from nnvet.reports.judged import extent_of
from nnvet.reports.log import Log
from nnvet.reports.outcome import judge
from nnvet.reports.past import past_of
from nnvet.reports.places import places_in_words
from nnvet.reports.positions import position_counts, position_grades
from nnvet.reports.quality import quality_cases

SLOWEST: Final = 20
_AMISS: Final = (*DRIVER_FAULTS, Verdict.ERROR, Verdict.NOT_RUN)


def render_page(log: Log, history: History | None = None) -> str:
    """The report of one log as one self-contained HTML page, beside the earlier runs of a history if there is one."""
    past, grades = past_of(log, history), position_grades(log)
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            log=log,
            run=log.started,
            judgement=judge(log),
            extent=extent_of(log),
            total=len(log.results),
            folded=folded_verdicts(log),
            parts=_parts(log),
            matrix=build_matrix(log.results.values()),
            computed=computed_by(log.results.values()),
            sections=build_sections(log),
            families=build_families(log.measurements),
            overview=build_overview(log.measurements),
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
            disputed=disputed(log),
            slowest=_slowest(log),
            data=Markup(embedded(case_data(log))),  # noqa: S704 - no "<" is left
        )
    )


def _slowest(log: Log) -> list[CaseFinished]:
    """The cases that took longest, of those whose time was taken."""
    timed = [result for result in log.results.values() if result.duration_s]
    return sorted(timed, key=lambda result: -result.duration_s)[:SLOWEST]


def _parts(log: Log) -> list[tuple[bool, list[tuple[str, Counter[Verdict]]]]]:
    """Verdict counts by part of the suite: first of the parts that somebody has to look at, then of the others."""
    parts: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)
    for result in log.results.values():
        parts[result.suite][result.verdict] += 1
    found: dict[bool, list[tuple[str, Counter[Verdict]]]] = {False: [], True: []}
    for name, counts in sorted(parts.items()):
        found[not any(counts[verdict] for verdict in _AMISS)].append((name, counts))
    return [(is_well, rows) for is_well, rows in found.items() if rows]
