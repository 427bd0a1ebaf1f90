"""The chapter of a page about stress tests: a row for each, with curves of the resources that its processes used.

:func:`build_stress` makes the rows for ``page.py`` from the evidence of the tests, which ``conformance/stress`` writes.
The processes of an ordinary run are shown by ``timeline.py``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from nnvet.reports.events import CaseFinished, Verdict
from nnvet.reports.evidence import SAMPLE_FIELDS, STRESS_LABEL, TIMELINE
from nnvet.reports.html.marks import size
from nnvet.reports.log import Log

WIDTH: Final = 320.0
"""Width of a plot in pixels."""
HEIGHT: Final = 64.0
"""Height of a plot in pixels."""
_CURVES: Final = (("cpu_percent", "Processor"), ("memory_bytes", "Memory"), ("threads", "Threads"))
"""Fields of the samples that are plotted, with the titles of their plots."""


@dataclass(frozen=True)
class UsageCurve:
    """Values of a role (driver, client or test) over the time of a test, as points of an SVG polyline."""

    role: str
    points: str


@dataclass(frozen=True)
class Plot:
    """Curves of one quantity, with its ``highest`` value as a text; ``seconds`` is the length of the time axis.

    ``phases`` are the positions at which phases of the test begin, with their names.
    """

    title: str
    highest: str
    seconds: float
    curves: tuple[UsageCurve, ...]
    phases: tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class StressRow:
    """A stress test; ``word`` says how it ended, ``done`` how often its unit of work was done.

    ``refused`` are counts of refusals by error, ``latency`` has percentiles in milliseconds by name, ``facts`` are
    other measurements, and ``log`` is the end of the driver's output if the test did not pass.
    """

    result: CaseFinished
    name: str
    word: str
    done: int | None
    refused: str
    latency: Mapping[str, float]
    facts: tuple[tuple[str, str], ...]
    plots: tuple[Plot, ...]
    log: str


def build_stress(log: Log) -> list[StressRow]:
    """Return a row for each stress test of the log, in the order in which they ran."""
    return [_build_row(result) for result in log.results.values() if STRESS_LABEL in result.labels]


_SHOWN: Final = frozenset(("phases", "done", "refused", "latency_ms", TIMELINE, "pid", "pids"))
"""Timings that the row shows in fields of their own, or that mean nothing after the test; they are no facts."""


def _build_row(result: CaseFinished) -> StressRow:
    timings = result.evidence.get("timings", {})
    facts = tuple(
        (key.replace("_", " "), _show_value(value, key)) for key, value in timings.items() if key not in _SHOWN
    )
    refused = ", ".join(f"{count:,} {name}" for name, count in timings.get("refused", {}).items())
    log = "" if result.verdict is Verdict.PASS else str(result.evidence.get("stderr_tail", ""))
    return StressRow(
        result,
        str(result.labels.get("check", result.case)),
        str(result.labels[STRESS_LABEL]),
        timings.get("done"),
        refused,
        timings.get("latency_ms", {}),
        facts,
        _draw_plots(timings),
        log,
    )


def _show_value(value: object, name: str = "") -> str:
    """Return a nested value as a text, with inner values in parentheses; values named ``…bytes`` get a unit."""
    if isinstance(value, Mapping):
        return ", ".join(f"{str(key).replace('_', ' ')} {_show_part(item, str(key))}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_show_part(item, name) for item in value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if name.endswith("bytes"):
        return f"-{size(int(-value))}" if value < 0 else size(int(value))
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def _show_part(value: object, name: str) -> str:
    text = _show_value(value, name)
    return f"({text})" if isinstance(value, Mapping | list | tuple) else text


def _draw_plots(timings: Mapping[str, Any]) -> tuple[Plot, ...]:
    timeline = timings.get(TIMELINE, {})
    rows = timeline.get("rows", ()) if timeline.get("fields") == list(SAMPLE_FIELDS) else ()
    if not rows:
        return ()
    end = max(1e-9, *(row[0] for row in rows))
    phases = tuple((WIDTH * min(start / end, 1.0), name) for name, start in timings.get("phases", ()))
    return tuple(_draw_plot(title, SAMPLE_FIELDS.index(field), rows, end, phases) for field, title in _CURVES)


def _draw_plot(
    title: str, column: int, rows: Sequence[Sequence[Any]], end: float, phases: tuple[tuple[float, str], ...]
) -> Plot:
    highest = max(1e-9, *(float(row[column]) for row in rows))
    by_role: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        by_role[row[1]].append(f"{WIDTH * row[0] / end:.1f},{HEIGHT * (1 - row[column] / highest):.1f}")
    text = {"Processor": f"{highest:.0f} %", "Memory": size(int(highest))}.get(title, f"{highest:g}")
    curves = tuple(UsageCurve(role, " ".join(points)) for role, points in sorted(by_role.items()))
    return Plot(title, text, end, curves, phases)
