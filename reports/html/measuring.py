"""Parts of a benchmark's page about how its figures were measured: run rules, load patterns, full rate, cold start.

:func:`build_measuring` makes all of them for ``page.py``, from what :mod:`nnvet.reports.conditions` defines. The
figures themselves, latency and accuracy, are shown by ``overview.py`` and ``performance.py``; the lines about the same
parts on terminals are made by ``reports/bench_lines.py``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.reports.bench_lines import scenario_figure
from nnvet.reports.conditions import Breach, ColdStart, Conditions, ScenarioRun, Sustained
from nnvet.reports.events import Measurement
from nnvet.reports.html.axes import HEIGHT, WIDTH, ChartAxis, axis_of
from nnvet.reports.html.marks import DASH, duration, factor_text, milliseconds

SLOW_FIRST: Final = 2.0
"""Ratio of the first execution to later ones above which the first is slow; caches of processors explain less."""
LEAST_LOSS_S: Final = 1e-3
"""Seconds that a slow first execution takes longer at least: less is noise of a short execution."""


@dataclass(frozen=True)
class RuleRow:
    """A measurement with its conditions as texts, in the order of :data:`CONDITION_HEADS`, and the rules it breaks."""

    measurement: Measurement
    conditions: tuple[str, ...]
    breaches: tuple[Breach, ...]

    @property
    def invalid(self) -> tuple[str, ...]:
        """Return the figures that break a rule."""
        return tuple(dict.fromkeys(breach.figure for breach in self.breaches))


# The template environment hands these titles to the table of run rules.
CONDITION_HEADS: Final = (
    "Other work before",
    "during",
    "Waited",
    "Clock",
    "Temperature",
    "Measured",
    "Outliers",
    "Median's interval",
    "Driver's CPU",
    "Suite's CPU",
)
"""Titles of the columns of conditions."""


@dataclass(frozen=True)
class ChartLine:
    """A line of a chart: corners in chart units, and the number of its colour."""

    name: str
    shape: int
    points: str


@dataclass(frozen=True)
class LineChart:
    """A chart of lines in chart units.

    ``across`` and ``up`` are positions and labels along both axes, ``bounds`` the heights of dashed horizontal lines.
    """

    title: str
    summary: str
    lines: tuple[ChartLine, ...]
    across: tuple[tuple[float, str], ...]
    up: tuple[tuple[float, str], ...]
    bounds: tuple[float, ...] = ()


@dataclass(frozen=True)
class ScenarioRow:
    """A load pattern of MLPerf on a driver; ``figure`` is the one that MLPerf reports for the pattern."""

    measurement: Measurement
    run: ScenarioRun
    figure: str
    median: str
    tail: str
    length: str
    accuracy: str


@dataclass(frozen=True)
class ColdRow:
    """The cold start of a driver on a model, with sentences that judge it; True marks a sentence without blame."""

    measurement: Measurement
    cold: ColdStart
    judgements: tuple[tuple[bool, str], ...]


@dataclass(frozen=True)
class Measuring:
    """All parts of the page about how figures were measured; a part is empty if no measurement has it."""

    rules: tuple[RuleRow, ...]
    scenarios: tuple[ScenarioRow, ...]
    charts: tuple[LineChart, ...]
    sustained: tuple[tuple[Measurement, Sustained, LineChart], ...]
    cold: tuple[ColdRow, ...]

    @property
    def invalid(self) -> int:
        """Return the number of measurements that break a rule."""
        return sum(bool(row.breaches) for row in self.rules)

    @property
    def advice(self) -> tuple[tuple[str, str], ...]:
        """Return the rules that are broken, each with what to do about it."""
        found = {breach.rule: breach.advice for row in self.rules for breach in row.breaches}
        return tuple(found.items())


def build_measuring(measurements: Iterable[Measurement]) -> Measuring:
    """Return the parts of a page about these measurements."""
    items = list(measurements)
    runs = [(item, run) for item in items for run in item.scenarios]
    return Measuring(
        rules=tuple(RuleRow(item, _describe_conditions(item), item.breaches) for item in items if item.conditions),
        scenarios=tuple(_build_scenario(item, run) for item, run in runs),
        charts=tuple(chart for item in items if item.scenarios for chart in _draw_charts(item)),
        sustained=tuple(
            (item, item.sustained, _draw_over_time(item, item.sustained)) for item in items if item.sustained
        ),
        cold=tuple(ColdRow(item, item.cold, judge_cold(item.cold)) for item in items if item.cold),
    )


def _describe_conditions(item: Measurement) -> tuple[str, ...]:
    """Return the conditions of a measurement as texts, in the order of :data:`CONDITION_HEADS`."""
    found = item.conditions or Conditions()
    clock = found.clock_hz and f"{found.clock_hz[0] / 1e9:.2f} to {found.clock_hz[1] / 1e9:.2f} GHz"
    latency = item.latency
    interval = found.median_s and " to ".join(map(milliseconds, found.median_s))
    return (
        _show_processors(found.others_before, found.processors),
        _show_processors(found.others_during, found.processors),
        DASH if item.waited is None else f"{item.waited:.0%}",
        clock or DASH,
        DASH if found.temperature_c is None else f"{found.temperature_c:.0f} °C",
        f"{latency.iterations:,} in {duration(latency.total_s)}" if latency else DASH,
        f"{found.outliers:.1%}",
        interval or DASH,
        DASH if found.driver_cpu_s is None else milliseconds(found.driver_cpu_s),
        DASH if found.suite_cpu_s is None else milliseconds(found.suite_cpu_s),
    )


def _show_processors(used: float | None, there: int) -> str:
    return DASH if used is None else f"{used:.1f} of {there}"


def _build_scenario(item: Measurement, run: ScenarioRun) -> ScenarioRow:
    accuracy = next(iter(run.accuracy.items()), None)
    return ScenarioRow(
        item,
        run,
        scenario_figure(run),
        milliseconds(run.percentiles_s.get("50", 0.0)),
        milliseconds(run.percentiles_s.get("99", 0.0)),
        f"{run.queries:,} in {duration(run.duration_s)}",
        f"{accuracy[0].replace('_', ' ')} {accuracy[1]:.4g}" if accuracy else DASH,
    )


def _draw_charts(item: Measurement) -> Iterable[LineChart]:
    """Yield a chart of percentiles for all patterns with latencies, and one of rates for each search of a rate."""
    bound = [run for run in item.scenarios if run.scenario != "offline" and run.percentiles_s]
    if bound:
        yield _draw_percentiles(item, bound)
    for run in item.scenarios:
        if run.probes:
            yield _draw_rates(item, run)


def _draw_percentiles(item: Measurement, runs: Sequence[ScenarioRun]) -> LineChart:
    names = list(runs[0].percentiles_s)
    targets = [run.target_latency_s for run in runs if run.target_latency_s]
    axis = axis_of([*(value for run in runs for value in run.percentiles_s.values()), *targets], margin=0.03)
    step = WIDTH / (len(names) - 1)
    lines = tuple(
        ChartLine(
            run.scenario,
            place,
            _join_points([(step * i, axis.share(run.percentiles_s[name])) for i, name in enumerate(names)]),
        )
        for place, run in enumerate(runs)
    )
    said = "; ".join(f"{run.scenario} {milliseconds(run.percentiles_s['50'])} at 50 %" for run in runs)
    return LineChart(
        f"{item.model} on {item.backend}: latency by percentile",
        said,
        lines,
        tuple((step * place, f"{name} %") for place, name in enumerate(names)),
        _label_axis(axis),
        tuple(HEIGHT * (1 - axis.share(target)) for target in targets),
    )


def _draw_rates(item: Measurement, run: ScenarioRun) -> LineChart:
    """Draw the latency at each rate of queries that was tried, with the target latency as a dashed line."""
    probes = sorted(run.probes, key=lambda probe: probe.target_qps)
    target = run.target_latency_s or 0.0
    rates = axis_of([probe.target_qps for probe in probes], margin=0.03)
    axis = axis_of([target, *(probe.latency_s for probe in probes)], margin=0.03)
    points = [(WIDTH * rates.share(probe.target_qps), axis.share(probe.latency_s)) for probe in probes]
    held = [probe.target_qps for probe in probes if probe.holds]
    said = f"{max(held):,.4g} queries a second held" if held else "no rate held"
    return LineChart(
        f"{item.model} on {item.backend}: 99th percentile of latency by rate",
        f"{said}; dashed: the target of {milliseconds(target)}",
        (ChartLine("server", 0, _join_points(points)),),
        tuple((WIDTH * rates.share(tick), f"{tick:,.4g}/s") for tick in rates.ticks(4)),
        _label_axis(axis),
        (HEIGHT * (1 - axis.share(target)),),
    )


def _draw_over_time(item: Measurement, sustained: Sustained) -> LineChart:
    axis = axis_of((0.0, *sustained.medians_s))
    step = WIDTH / max(len(sustained.medians_s) - 1, 1)
    points = _join_points([(step * place, axis.share(value)) for place, value in enumerate(sustained.medians_s)])
    change = f"{sustained.slope:+.1%} (99 % interval {sustained.low:+.1%} to {sustained.high:+.1%})"
    return LineChart(
        f"{item.model} on {item.backend}",
        f"{sustained.inferences:,} inferences in {duration(sustained.seconds)}; change of latency {change}",
        (ChartLine(item.backend, 0, points),),
        ((0.0, "0 s"), (WIDTH, duration(sustained.seconds))),
        _label_axis(axis),
    )


def _label_axis(axis: ChartAxis) -> tuple[tuple[float, str], ...]:
    return tuple((HEIGHT * (1 - axis.share(tick)), milliseconds(tick)) for tick in axis.ticks(4))


def _join_points(places: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{HEIGHT * (1 - share):.1f}" for x, share in places)


def judge_cold(cold: ColdStart) -> tuple[tuple[bool, str], ...]:
    """Return sentences that judge a cold start, each with True if it finds nothing to blame.

    Preparation makes a model ready for execution, and may leave only work that needs the request
    (docs/contract/hal.md 10.2), so that the first execution should be as fast as later ones; a cache is there to save
    time (10.3).
    """
    found = [_judge_first(cold.first_s, cold.later_s, "first execution")]
    if cold.from_cache:
        prepare_s, first_s, later_s = cold.from_cache
        found.append(_judge_first(first_s, later_s, "first execution from the cache"))
        ratio = prepare_s / cold.prepare_s if cold.prepare_s else 0.0
        found.append((ratio < 1, f"preparation from the cache takes {factor_text(ratio)} the time of one without"))
    return tuple(found)


def _judge_first(first_s: float, later_s: float, name: str) -> tuple[bool, str]:
    is_slow = first_s > SLOW_FIRST * later_s and first_s - later_s > LEAST_LOSS_S
    factor = factor_text(first_s / later_s) if later_s else DASH
    return (
        not is_slow,
        f"{name} takes {factor} the time of later ones{': work that belongs to the preparation' * is_slow}",
    )
