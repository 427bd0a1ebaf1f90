"""Sentences about a benchmark for terminals and Markdown summaries: load patterns, long runs, broken run rules.

``console.py`` and ``markdown.py`` print them below the table of latencies (``figures.py``); the page of a report shows
the same by ``html/measuring.py``.
"""

from collections.abc import Iterator, Sequence

from nnvet.reports.conditions import Breach, ScenarioRun
from nnvet.reports.events import OUR_BACKEND, Measurement
from nnvet.reports.html.marks import milliseconds


def rule_lines(measurements: Sequence[Measurement]) -> list[str]:
    """Return a line for each run rule that is broken: how many figures, an example, and what to do."""
    found: dict[str, list[tuple[Measurement, Breach]]] = {}
    for item in measurements:
        for breach in item.breaches:
            found.setdefault(breach.rule, []).append((item, breach))
    return [_describe_rule(rule, pairs) for rule, pairs in found.items()]


def _describe_rule(rule: str, pairs: Sequence[tuple[Measurement, Breach]]) -> str:
    item, breach = pairs[0]
    count = len({(item.model, item.backend, breach.figure) for item, breach in pairs})
    subject = f"{count} figure{'s are' if count > 1 else ' is'} not valid by {rule}"
    example = f"{breach.figure} of {item.model} on {item.backend.removeprefix(OUR_BACKEND)}: {breach.reason}"
    return f"{subject}, such as {example}. {breach.advice[:1].upper()}{breach.advice[1:]}"


def scenario_lines(measurements: Sequence[Measurement]) -> list[str]:
    """Return a line for each load pattern, sustained run and cold start."""
    return [line for item in measurements for line in _describe_runs(item)]


def _describe_runs(item: Measurement) -> Iterator[str]:
    name = f"{item.model} on {item.backend.removeprefix(OUR_BACKEND)}"
    for run in item.scenarios:
        word = "valid" if run.is_valid else f"invalid ({'; '.join(run.reasons) or 'LoadGen gives no reason'})"
        bound = f" within {milliseconds(run.target_latency_s)}" if run.target_latency_s else ""
        yield f"{name}, {run.scenario}{bound}: {scenario_figure(run)}, {word} by LoadGen"
    if item.sustained:
        ends = f"{item.sustained.low:+.1%} to {item.sustained.high:+.1%}"
        word = "throttled" if item.sustained.is_throttled else "no throttling shown"
        change = f"latency {item.sustained.slope:+.1%} ({ends})"
        yield f"{name}, {item.sustained.seconds:.0f} s at full rate: {change}, {word}"
    if item.cold:
        first, later = milliseconds(item.cold.first_s), milliseconds(item.cold.later_s)
        yield f"{name}, cold: preparation {milliseconds(item.cold.prepare_s)}, first inference {first}, later {later}"


def scenario_figure(run: ScenarioRun) -> str:
    """Return the figure that MLPerf reports for a load pattern: a throughput, or a percentile of latency."""
    if run.scenario in ("server", "offline"):
        return f"{run.qps:,.4g} samples/s"
    return f"{milliseconds(run.latency_s)} at {run.percentile:g} %"
