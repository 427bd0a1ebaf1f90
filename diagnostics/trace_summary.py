"""A traced run as a table: milliseconds by layer and phase (docs/contract/sample-driver.md 10.5).

Self-times leave out what the next lower layer says it needed itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from rich.table import Column, Table

from nnvet.diagnostics.trace_tree import EXECUTION_PARTS, tally
from nnvet.diagnostics.tracing import Bucket, Layer, Recording, TracePhase

Row = Mapping[TracePhase, float]

ROWS: Final = {
    Layer.APPLICATION: "Application",
    Layer.RUNTIME: "Runtime",
    Layer.IPC: "IPC",
    Layer.DRIVER: "Driver",
    Layer.CPU: "CPU",
}
"""Layers from the top down, by their names in the table."""

_NS_PER_MS: Final = 1e6
_PHASES: Final = (
    TracePhase.INITIALIZATION,
    TracePhase.PREPARATION,
    TracePhase.COMPILATION,
    TracePhase.EXECUTION,
    TracePhase.TERMINATION,
)
_SHOWN: Final = (*_PHASES, *EXECUTION_PARTS, TracePhase.OVERALL)


def _compute(row: Row) -> float:
    return row[TracePhase.EXECUTION] - _number(row[TracePhase.INPUTS_AND_OUTPUTS]) - _number(row[TracePhase.RESULTS])


def _of(phase: TracePhase) -> Callable[[Row], float]:
    return lambda row: row[phase]


COLUMNS: Final[Mapping[str, Callable[[Row], float]]] = {
    "Initialization": _of(TracePhase.INITIALIZATION),
    "Preparation": _of(TracePhase.PREPARATION),
    "Compilation": _of(TracePhase.COMPILATION),
    "I/O": _of(TracePhase.INPUTS_AND_OUTPUTS),
    "Compute": _compute,
    "Results": _of(TracePhase.RESULTS),
    "Ex. total": _of(TracePhase.EXECUTION),
    "Termination": _of(TracePhase.TERMINATION),
    "Total": _of(TracePhase.OVERALL),
}


@dataclass(frozen=True)
class Summary:
    """Milliseconds by layer and phase; NaN where nothing was traced that could be 0.

    ``totals`` are the maxima over all layers. ``executions`` counts those of the topmost layer that has any,
    ``unfinished`` the spans that never ended and are left out.
    """

    times: Mapping[Layer, Row]
    self_times: Mapping[Layer, Row]
    totals: Row
    executions: int
    unfinished: int


def summarize(recorded: Recording) -> Summary:
    """Add up a recording.

    :raises TraceError: marks that cannot be.
    """
    added = tally(recorded.threads)
    times = {layer: _row(layer, added.times_ns) for layer in ROWS}
    totals = {phase: max(_number(row[phase]) for row in times.values()) for phase in _SHOWN}
    counts = (added.spans[Bucket(layer, TracePhase.EXECUTION)] for layer in ROWS)
    return Summary(times, _self_times(times), totals, next(filter(None, counts), 0), added.unfinished)


def summary_table(summary: Summary, *, self_times: bool = True) -> Table:
    """The table; layers without any time are left out. Without ``self_times`` it shows what each layer took in all."""
    title = f"{'Self-times' if self_times else 'Times'} in ms; executions: {summary.executions}"
    note = f"spans that never ended, and are not counted: {summary.unfinished}" if summary.unfinished else None
    table = Table("", *(Column(name, justify="right") for name in COLUMNS), box=None, title=title, caption=note)
    for layer, row in (summary.self_times if self_times else summary.times).items():
        if layer is Layer.APPLICATION or any(map(_number, summary.times[layer].values())):
            table.add_row(ROWS[layer], *_cells(row))
    table.add_row("Total", *_cells(summary.totals))
    return table


def _row(layer: Layer, times_ns: Mapping[Bucket, int]) -> Row:
    row = {phase: times_ns[Bucket(layer, phase)] / _NS_PER_MS for phase in _SHOWN}
    row[TracePhase.OVERALL] = row[TracePhase.OVERALL] or sum(row[phase] for phase in _PHASES)
    return {phase: math.nan if time == 0 and _may_lack(layer, phase) else time for phase, time in row.items()}


def _may_lack(layer: Layer, phase: TracePhase) -> bool:
    """Return True if no time means that nothing was recorded, not that it took none."""
    return layer is Layer.APPLICATION or (layer is Layer.DRIVER and phase in EXECUTION_PARTS)


def _self_times(times: Mapping[Layer, Row]) -> dict[Layer, Row]:
    below = dict.fromkeys(_SHOWN, 0.0)
    found: dict[Layer, Row] = {}
    for layer in reversed(ROWS):
        row = times[layer]
        # Where a layer has recorded nothing, nothing can be left out.
        found[layer] = {phase: time - below[phase] if _number(time) else time for phase, time in row.items()}
        below |= {phase: time for phase, time in row.items() if _number(time)}
    return {layer: found[layer] for layer in ROWS}


def _cells(row: Row) -> list[str]:
    values = [column(row) for column in COLUMNS.values()]
    return ["n/a" if math.isnan(value) else f"{value:.2f}" for value in values]


def _number(time: float) -> float:
    """0 for NaN."""
    return 0.0 if math.isnan(time) else time
