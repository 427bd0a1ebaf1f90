"""The chart of all models of a benchmark: latency with its spread, speed and accuracy relative to the baseline.

:func:`build_overview` makes it for ``page.py``; ``answers.py`` and ``scoreboard.py`` use the totals of each driver.
``performance.py`` makes the tables with all figures below the chart.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Final

from nnvet.reports import figures
from nnvet.reports.events import Latency, Measurement
from nnvet.reports.figures import load_warning, speed
from nnvet.reports.html.axes import ChartAxis, axis_of
from nnvet.reports.html.marks import DASH, factor_text, milliseconds

SHAPES: Final = 6
"""Number of marks (shape and colour) for backends; further backends repeat them."""

LANES: Final = ((24, 6.0), (10**9, 4.5))
"""Height in pixels of the line of a backend, after the largest number of models for which it holds."""

_MARGIN: Final = 0.02
"""Margin at both ends of the axis, as a share of its length, so that marks are not cut."""


@dataclass(frozen=True)
class Backend:
    """A driver or baseline that ran models; ``shape`` is the number of its mark."""

    name: str
    shape: int
    is_baseline: bool


@dataclass(frozen=True)
class LatencyLane:
    """Latency of a backend on a model: positions of its quantiles in per cent of the axis, and ``y`` in pixels.

    ``is_under_load``: it was measured while other programs used the processor; such latencies mean little and are pale.
    """

    shape: int
    p10: float
    p50: float
    p90: float
    p99: float
    y: float
    is_under_load: bool


@dataclass(frozen=True)
class OverviewRow:
    """A model, with a ``summary`` of the latencies in words, and a speed and an accuracy for each driver.

    ``toy``: the network is too small to tell how fast a driver is. ``errors`` are the reasons for missing figures, each
    with True if the driver just does not support the model.
    """

    model: str
    family: str
    toy: bool
    lanes: tuple[LatencyLane, ...]
    summary: str
    speeds: tuple[str, ...]
    accuracies: tuple[figures.Accuracy, ...]
    errors: tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class Standing:
    """Totals of a backend over all models.

    ``speed`` is the geometric mean of its speeds relative to the baseline, ``speeds`` the slowest and the fastest.
    ``kept``, ``worse`` and ``undecided`` are numbers of models by the judgement of their accuracy.
    """

    backend: Backend
    models: int
    ran: int
    failed: int
    speed: str
    speeds: str
    kept: int
    worse: int
    undecided: int


@dataclass(frozen=True)
class Overview:
    """The chart of all models, with a row for each, and the totals of each backend.

    ``drivers`` are the backends that are no baseline, ``toys`` the number of toy models. ``height`` is that of a row in
    pixels; ``ticks`` are positions in per cent of the axis, with labels.
    """

    backends: tuple[Backend, ...]
    standings: tuple[Standing, ...]
    drivers: tuple[Backend, ...]
    baseline: str
    toys: int
    rows: tuple[OverviewRow, ...]
    ticks: tuple[tuple[float, str], ...]
    is_log: bool
    height: float
    is_dense: bool
    load_warning: str

    @property
    def has_families(self) -> bool:
        """Return True if some model belongs to a family with another name."""
        return any(row.family != row.model for row in self.rows)


def build_overview(measurements: Sequence[Measurement]) -> Overview | None:
    """Return the chart of all models; None if nothing was measured."""
    models = figures.by_model(measurements)
    if not models:
        return None
    names = sorted({(not item.is_baseline, item.backend) for item in measurements})
    backends = tuple(Backend(name, place % SHAPES, not own) for place, (own, name) in enumerate(names))
    drivers = [backend for backend in backends if not backend.is_baseline]
    known = [quantile for item in measurements for quantile in _list_quantiles(item.latency)]
    axis = axis_of(known, margin=_MARGIN) if known else ChartAxis(0.0, 0.0)
    lane = next(pixels for most, pixels in LANES if len(models) <= most)
    return Overview(
        backends=backends,
        standings=tuple(_add_up(backend, models) for backend in backends),
        drivers=tuple(drivers),
        baseline=next((backend.name for backend in backends if backend.is_baseline), ""),
        toys=sum(any(item.toy for item in model) for model in models),
        rows=tuple(_build_row(model, (backends, drivers), axis, lane) for model in models),
        ticks=tuple((100 * axis.share(tick), _label_tick(tick)) for tick in axis.ticks()) if known else (),
        is_log=axis.is_log,
        height=lane * (len(backends) + 1),
        is_dense=lane < LANES[0][1],
        load_warning=load_warning(measurements),
    )


def _label_tick(seconds: float) -> str:
    return f"{seconds * 1e3:,.6g} ms"


def _list_quantiles(latency: Latency | None) -> tuple[float, ...]:
    """Return the 10 %, 50 %, 90 % and 99 % quantiles; none without iterations.

    Old logs lack the first one; the smallest latency takes its place.
    """
    if latency is None or not latency.iterations:
        return ()
    lowest = latency.min_s if latency.p10_s is None else latency.p10_s
    return lowest, latency.p50_s, latency.p90_s, latency.p99_s


def _build_row(
    model: Sequence[Measurement], shown: tuple[Sequence[Backend], Sequence[Backend]], axis: ChartAxis, lane: float
) -> OverviewRow:
    """Return the row of a model: latencies of each backend, and speed and accuracy of each driver."""
    backends, drivers = shown
    by_backend = {item.backend: item for item in model}
    baseline = figures.baseline_of(model)
    lanes, words = [], []
    for place, backend in enumerate(backends):
        quantiles = _list_quantiles(by_backend[backend.name].latency) if backend.name in by_backend else ()
        if quantiles:
            p10, p50, p90, p99 = (100 * axis.share(value) for value in quantiles)
            is_under_load = by_backend[backend.name].is_under_load
            lanes.append(LatencyLane(backend.shape, p10, p50, p90, p99, lane * (place + 1), is_under_load))
            low, middle, _, high = map(milliseconds, quantiles)
            said = f"{backend.name}: median {middle}, 10 % below {low}, 99 % below {high}"
            words.append(f"{said} ({figures.UNDER_LOAD})" if is_under_load else said)
    found = [by_backend.get(driver.name) for driver in drivers]
    return OverviewRow(
        model=model[0].model,
        family=figures.family_of(model[0]),
        toy=any(item.toy for item in model),
        lanes=tuple(lanes),
        summary="; ".join(words),
        speeds=tuple(figures.speed_text(item, baseline) if item else DASH for item in found),
        accuracies=tuple(figures.accuracy_of(item, baseline) for item in found),
        errors=tuple((f"{item.backend}: {item.error}", item.unsupported) for item in model if item.error),
    )


def _add_up(backend: Backend, models: Iterable[Sequence[Measurement]]) -> Standing:
    """Return the totals of a backend; toys count for its speed only if there are no other models."""
    found = [(item, figures.baseline_of(model)) for model in models for item in model if item.backend == backend.name]
    real = [pair for pair in found if not pair[0].toy] or found
    speeds = [factor for item, baseline in real if (factor := speed(item, baseline)) is not None]
    states = [figures.accuracy_state(item) for item, _ in found if not backend.is_baseline]
    return Standing(
        backend=backend,
        models=len(found),
        ran=sum(not item.error for item, _ in found),
        failed=sum(figures.failed_to_run(item) for item, _ in found),
        speed=factor_text(geometric_mean(speeds)) if speeds else DASH,
        speeds=f"{factor_text(min(speeds))} to {factor_text(max(speeds))}" if len(speeds) > 1 else "",
        kept=states.count("kept"),
        worse=states.count("worse"),
        undecided=states.count("undecided"),
    )
