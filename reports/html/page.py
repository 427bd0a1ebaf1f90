"""The page: template, style and script put together with the views of one log."""

from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

import msgspec
from markupsafe import Markup

from nnvet.reports.accuracy import coverage_of
from nnvet.reports.events import DRIVER_FAULTS, MEANINGS, Verdict
from nnvet.reports.html import marks, stress
from nnvet.reports.html.cases import case_data, embedded, folded_verdicts
from nnvet.reports.html.coverage import CELL, error_shades, view_of
from nnvet.reports.html.curves import build_curves
from nnvet.reports.html.groups import build_sections
from nnvet.reports.html.histograms import HEIGHT, STRIP, WIDTH
from nnvet.reports.html.matrix import build_matrix
from nnvet.reports.html.overview import build_overview
from nnvet.reports.html.performance import KINDS, build_families
from nnvet.reports.html.small_graphs import WIDTH as GRAPH_WIDTH
from nnvet.reports.html.small_graphs import view_reductions
from nnvet.reports.judged import extent_of
from nnvet.reports.log import Log
from nnvet.reports.outcome import RunOutcome, judge
from nnvet.reports.values import json_safe

if TYPE_CHECKING:
    import jinja2

TEMPLATES: Final = Path(__file__).parents[1] / "templates"
SLOWEST: Final = 20
_AMISS: Final = (*DRIVER_FAULTS, Verdict.ERROR, Verdict.NOT_RUN)
OUTCOME_SIGNS: Final = {
    RunOutcome.CONFORMANT: "✓",
    RunOutcome.NOT_CONFORMANT: "✕",
    RunOutcome.INCOMPLETE: "?",
    RunOutcome.MEASURED: "·",
}


def render_page(log: Log) -> str:
    """The report of one log as one self-contained HTML page."""
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
            sections=build_sections(log),
            families=build_families(log.measurements),
            overview=build_overview(log.measurements),
            **view_of(coverage_of(log), log.space),
            reductions=view_reductions(log.reductions),
            curves=build_curves(log.fuzzing),
            stress=stress.build_stress(log),
            slowest=sorted(log.results.values(), key=lambda result: -result.duration_s)[:SLOWEST],
            data=Markup(embedded(case_data(log))),  # noqa: S704 - no "<" is left
        )
    )


@cache
def environment() -> "jinja2.Environment":
    """Templates of pages, with the filters and the style that they share."""
    import jinja2  # noqa: PLC0415 - workers, which make no page, load this module too

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "css": marks.css_class,
        "duration": marks.duration,
        "ms": marks.milliseconds,
        "size": marks.size,
        "place": marks.place,
        "shades": error_shades,
        "query": lambda wanted: urlencode({key: str(value) for key, value in wanted.items() if value}),
        "json": lambda value: msgspec.json.encode(json_safe(value)).decode(),
    }
    environment.globals |= {
        "Verdict": Verdict,
        "meanings": MEANINGS,
        "signs": marks.SIGNS,
        "outcome_signs": OUTCOME_SIGNS,
        "kinds": KINDS,
        "chart_width": WIDTH,
        "chart_height": HEIGHT,
        "strip_height": STRIP,
        "graph_width": GRAPH_WIDTH,
        "cell_size": CELL,
        "stress_width": stress.WIDTH,
        "stress_height": stress.HEIGHT,
        "style": Markup((TEMPLATES / "report.css").read_text(encoding="utf-8")),  # noqa: S704 - our own file
        "script": Markup((TEMPLATES / "report.js").read_text(encoding="utf-8")),  # noqa: S704 - our own file
    }
    return environment


def _parts(log: Log) -> list[tuple[bool, list[tuple[str, Counter[Verdict]]]]]:
    """Verdict counts by part of the suite: first of the parts that somebody has to look at, then of the others."""
    parts: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)
    for result in log.results.values():
        parts[result.suite][result.verdict] += 1
    found: dict[bool, list[tuple[str, Counter[Verdict]]]] = {False: [], True: []}
    for name, counts in sorted(parts.items()):
        found[not any(counts[verdict] for verdict in _AMISS)].append((name, counts))
    return [(is_well, rows) for is_well, rows in found.items() if rows]
