"""The page: template, style and script put together with the views of one log."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import msgspec
from markupsafe import Markup

from nnvet.reports.accuracy import coverage_of
from nnvet.reports.events import MEANINGS, CaseFinished, RunStarted, Verdict
from nnvet.reports.evidence import replay_of
from nnvet.reports.fingerprint import key_of
from nnvet.reports.html import marks, stress
from nnvet.reports.html.coverage import CELL, error_shades, view_of
from nnvet.reports.html.curves import build_curves
from nnvet.reports.html.groups import build_sections, show
from nnvet.reports.html.histograms import HEIGHT, WIDTH
from nnvet.reports.html.matrix import build_matrix, row_of
from nnvet.reports.html.performance import KINDS, build_families
from nnvet.reports.html.small_graphs import WIDTH as GRAPH_WIDTH
from nnvet.reports.html.small_graphs import operations_of, reductions_by_fault, view_reductions
from nnvet.reports.judged import extent_of
from nnvet.reports.log import Log
from nnvet.reports.outcome import RunOutcome, judge
from nnvet.reports.values import json_safe

if TYPE_CHECKING:
    import jinja2

TEMPLATES: Final = Path(__file__).parents[1] / "templates"
SLOWEST: Final = 20
DETAILED_CASES: Final = 3000
PASSED_CASES: Final = 3000
"""Passed cases up to which each has a row of its own in the table."""
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
            folds_passes=log.counts[Verdict.PASS] > PASSED_CASES,
            suites=_suites(log),
            matrix=build_matrix(log.results.values()),
            sections=build_sections(log),
            families=build_families(log.measurements),
            **view_of(coverage_of(log), log.space),
            reductions=view_reductions(log.reductions),
            curves=build_curves(log.fuzzing),
            stress=stress.build_stress(log),
            slowest=sorted(log.results.values(), key=lambda result: -result.duration_s)[:SLOWEST],
            data=_embed(_case_data(log)),
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
        "graph_width": GRAPH_WIDTH,
        "cell_size": CELL,
        "stress_width": stress.WIDTH,
        "stress_height": stress.HEIGHT,
        "style": Markup((TEMPLATES / "report.css").read_text(encoding="utf-8")),  # noqa: S704 - our own file
        "script": Markup((TEMPLATES / "report.js").read_text(encoding="utf-8")),  # noqa: S704 - our own file
    }
    return environment


def _suites(log: Log) -> list[tuple[str, Counter[Verdict]]]:
    """Verdict counts by part of the suite."""
    suites: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)
    for result in log.results.values():
        suites[result.suite][result.verdict] += 1
    return sorted(suites.items())


def _case_data(log: Log) -> dict[str, Any]:
    """The cases for the page's script: rows of numbers that point into a list of texts, evidence where there is any.

    The order of a row's parts is that of ``COLUMNS`` in the script.
    """
    texts: dict[str, int] = {}
    shown = itertools.count()
    small = {
        fault: "; ".join(f"{operations_of(one)}, in {one.folder}" for one in some)
        for fault, some in reductions_by_fault(log).items()
    }

    def number(text: object) -> int:
        return texts.setdefault(str(text), len(texts))

    def row(result: CaseFinished, name: str, duration_s: float, count: int) -> list[Any]:
        return [
            name,
            number(result.verdict),
            number(result.suite),
            number(row_of(result)),
            [number(kind) for kind in result.operand_types],
            number(result.rule),
            number(result.reason),
            number(key_of(result)),
            round(duration_s, 6),
            count,
            _details(result, log.started, shown, small),
        ]

    single, alike = _split(log)
    cases = [row(result, result.case, result.duration_s, 1) for result in single]
    for members in alike:
        total_s = sum(member.duration_s for member in members)
        cases.append(row(members[0], f"{members[0].case} and {len(members) - 1:,} alike", total_s, len(members)))
    return {"signs": marks.SIGNS, "texts": list(texts), "cases": cases}


def _split(log: Log) -> tuple[list[CaseFinished], list[list[CaseFinished]]]:
    """Results that get a row each, and passed ones in groups of which each gets one row.

    All that did not pass is listed; passed cases are, too, unless they are so many that the page would open slowly.
    """
    if log.counts[Verdict.PASS] <= PASSED_CASES:
        return list(log.results.values()), []
    single = [result for result in log.results.values() if result.verdict is not Verdict.PASS]
    alike: defaultdict[tuple[object, ...], list[CaseFinished]] = defaultdict(list)
    for result in log.results.values():
        if result.verdict is Verdict.PASS:
            key = (result.suite, result.labels.get("check"), row_of(result), result.operand_types)
            alike[tuple(map(str, key))].append(result)
    groups = list(alike.values())
    single += [group[0] for group in groups if len(group) == 1]
    return single, [group for group in groups if len(group) > 1]


def _details(result: CaseFinished, run: RunStarted, shown: Iterator[int], small: Mapping[str, str]) -> dict[str, str]:
    """What the table shows of a case on demand; failures beyond a limit are left to the log, for the page's size."""
    labels = {key: show(value) for key, value in result.labels.items() if key in ("check", "level")}
    if result.verdict is Verdict.PASS or next(shown) >= DETAILED_CASES:
        return labels
    evidence = {"replay": replay_of(run, result)} | result.evidence
    evidence.pop("covers", None)
    if key_of(result) in small:
        evidence["made small"] = small[key_of(result)]
    return labels | {key.replace("_", " "): show(value) for key, value in evidence.items()}


def _embed(data: dict[str, Any]) -> Markup:
    """JSON that cannot end the script element it stands in."""
    text = msgspec.json.encode(json_safe(data)).decode().replace("<", "\\u003c")
    return Markup(text)  # noqa: S704 - no "<" is left
