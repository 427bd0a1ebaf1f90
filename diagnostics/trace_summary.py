"""Summary of a traced run: milliseconds by layer and phase as a table, and spans as a file for Chrome or Perfetto.

``nnvet run --trace`` calls :func:`summarize`, :func:`summary_table` and :func:`write_chrome_trace`;
:mod:`nnvet.diagnostics.tracing` records the spans. The self-time of a layer excludes the time of the next lower layer.
If a span interrupts another one, the time of the interrupting span is subtracted from the other.

Source: docs/contract/sample-driver.md 10.3 to 10.5, without the parts on Android's runtime. There are two differences:
an initialisation belongs to the overall span around it, not to the whole trace; and an interrupting span is subtracted
from all spans between its old and its new place, not only from the innermost.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.table import Column, Table

from nnvet.diagnostics.tracing import Bucket, Form, Layer, Mark, Recording, Thread, TracePhase

EXECUTION_PARTS: Final = frozenset(
    (TracePhase.INPUTS_AND_OUTPUTS, TracePhase.TRANSFORMATION, TracePhase.COMPUTATION, TracePhase.RESULTS)
)
"""Phases that an execution consists of."""
PARTS: Final = {
    TracePhase.EXECUTION: EXECUTION_PARTS,
    TracePhase.WARM_UP: frozenset((TracePhase.EXECUTION,)),
    TracePhase.BENCHMARK: frozenset((TracePhase.EXECUTION,)),
    TracePhase.OVERALL: frozenset(
        (
            TracePhase.WARM_UP,
            TracePhase.BENCHMARK,
            TracePhase.INITIALIZATION,
            TracePhase.PREPARATION,
            TracePhase.COMPILATION,
            TracePhase.EXECUTION,
            TracePhase.TERMINATION,
        )
    ),
}
"""Phases that a phase consists of."""

_BENEATH_APPLICATION: Final = (Layer.RUNTIME, Layer.IPC)
"""Layers that the application calls."""


class TraceError(Exception):
    """Raised for impossible marks: an end without a beginning."""


@dataclass(eq=False, slots=True)
class Node:
    """A span, with the span around it (None: no span is around it)."""

    mark: Mark
    around: Node | None
    begin_ns: int
    end_ns: int = -1
    is_moved: bool = False
    interrupted_ns: int = 0
    """Time of spans inside this one that do not count as part of it."""
    phase: TracePhase = TracePhase.UNSPECIFIED

    @property
    def layer(self) -> Layer:
        """Return the mark's layer."""
        return self.mark.bucket.layer

    @property
    def bucket(self) -> Bucket:
        """Return the bucket that the time counts for."""
        return Bucket(self.layer, self.phase)

    @property
    def time_ns(self) -> int:
        """Return the span's duration without interruptions."""
        return self.end_ns - self.begin_ns - self.interrupted_ns

    def outwards(self) -> Iterator[Node]:
        """Yield the spans around it, innermost first."""
        node = self.around
        while node is not None:
            yield node
            node = node.around


@dataclass
class Tally:
    """Nanoseconds and numbers of spans by bucket, and how many spans never ended."""

    times_ns: Counter[Bucket]
    spans: Counter[Bucket]
    unfinished: int = 0


def add_up(threads: list[Thread]) -> Tally:
    """Add up the spans of all threads. Spans that never ended are left out, but the spans inside them count.

    :raises TraceError: an end without a beginning.
    """
    total = Tally(Counter(), Counter())
    for thread in threads:
        nodes = _build_nodes(thread)
        total.unfinished += sum(node.end_ns < 0 for node in nodes)
        for node in nodes:
            # Outermost first, so that the spans around a span have their phase before it.
            while node.around is not None and node.around.end_ns < 0:
                node.around = node.around.around
            if node.end_ns >= 0:
                _place_node(node)
        for node in nodes:
            if node.end_ns >= 0 and not _is_detail(node):
                _count_node(node, total)
    return total


def _build_nodes(thread: Thread) -> list[Node]:
    """Return the spans of a thread in the order of their beginnings.

    :raises TraceError: an end without a beginning.
    """
    nodes: list[Node] = []
    current: Node | None = None
    for time_ns, mark in list(thread.events):
        if mark is None or mark.form is Form.SWITCH:
            if current is None:
                raise TraceError(f"thread {thread.name}: {mark or 'a span'} ends something that never began")
            current.end_ns = time_ns
            current = current.around
        if mark is not None:
            current = Node(mark, current, time_ns)
            nodes.append(current)
    return nodes


def _place_node(node: Node) -> None:
    """Give a span its phase, and move it out of the spans that it only interrupts."""
    around, phase = node.around, node.mark.bucket.phase
    node.phase = around.phase if around is not None and phase is TracePhase.UNSPECIFIED else phase
    if around is None:
        return
    target: Node | None = around
    if node.mark.form is Form.SUBTRACT:
        like = (outer for outer in node.outwards() if outer.layer is node.layer and not _is_detail(outer))
        target = next(like, around).around
    elif node.phase is TracePhase.INITIALIZATION and around.phase is not TracePhase.INITIALIZATION:
        target = next((outer for outer in node.outwards() if outer.phase is TracePhase.OVERALL), None)
    elif _is_foreign(node, around) and around.phase is not TracePhase.OVERALL and not _is_execution(node.phase):
        target = around.around
    for outer in node.outwards():
        if outer is target:
            break
        outer.interrupted_ns += node.end_ns - node.begin_ns
        node.is_moved = True
    node.around = target


def _is_foreign(node: Node, around: Node) -> bool:
    """Return True if the application calls something that belongs to another phase than its own."""
    return node.layer in _BENEATH_APPLICATION and around.layer is Layer.APPLICATION and node.phase is not around.phase


def _is_execution(phase: TracePhase) -> bool:
    """Return True if a phase is an execution or a part of one."""
    return phase is TracePhase.EXECUTION or phase in EXECUTION_PARTS


def _is_detail(node: Node) -> bool:
    """Return True if the time already counts as part of the span around this one."""
    around = node.around
    return (
        around is not None
        and around.layer is node.layer
        and node.phase not in PARTS.get(around.phase, ())
        and not node.is_moved
    )


def _count_node(node: Node, total: Tally) -> None:
    """Add a span to its bucket, and to the application's if its call implies a phase."""
    _add_time(node.bucket, node, total)
    around = node.around
    if around is None or not _is_foreign(node, around):
        return
    if around.phase is TracePhase.EXECUTION and node.phase in EXECUTION_PARTS:
        return
    # The application has not stated its phase, but its call implies one.
    _add_time(Bucket(Layer.APPLICATION, node.phase), node, total)


def _add_time(bucket: Bucket, node: Node, total: Tally) -> None:
    """Add the time of a span to a bucket; parts of an execution also count as execution if none is around them."""
    total.times_ns[bucket] += node.time_ns
    total.spans[bucket] += 1
    execution = Bucket(bucket.layer, TracePhase.EXECUTION)
    if bucket.phase in EXECUTION_PARTS and all(outer.bucket != execution for outer in node.outwards()):
        total.times_ns[execution] += node.time_ns


Row = Mapping[TracePhase, float]
"""Milliseconds of a layer, by phase."""

ROWS: Final = {
    Layer.APPLICATION: "Application",
    Layer.RUNTIME: "Runtime",
    Layer.IPC: "IPC",
    Layer.DRIVER: "Driver",
    Layer.CPU: "CPU",
}
"""Layers from the top down, by their names in the table."""

_NS_PER_MS: Final = 1e6
"""Nanoseconds of a millisecond."""
_PHASES: Final = (
    TracePhase.INITIALIZATION,
    TracePhase.PREPARATION,
    TracePhase.COMPILATION,
    TracePhase.EXECUTION,
    TracePhase.TERMINATION,
)
"""Phases that make up the whole time of a run."""
_SHOWN: Final = (*_PHASES, *EXECUTION_PARTS, TracePhase.OVERALL)
"""Phases of a row."""


def _compute_time(row: Row) -> float:
    """Return the time of an execution without its inputs and results."""
    return row[TracePhase.EXECUTION] - _or_zero(row[TracePhase.INPUTS_AND_OUTPUTS]) - _or_zero(row[TracePhase.RESULTS])


def _time_of(phase: TracePhase) -> Callable[[Row], float]:
    """Return a function that returns the time of a phase from a row."""
    return lambda row: row[phase]


COLUMNS: Final[Mapping[str, Callable[[Row], float]]] = {
    "Initialization": _time_of(TracePhase.INITIALIZATION),
    "Preparation": _time_of(TracePhase.PREPARATION),
    "Compilation": _time_of(TracePhase.COMPILATION),
    "I/O": _time_of(TracePhase.INPUTS_AND_OUTPUTS),
    "Compute": _compute_time,
    "Results": _time_of(TracePhase.RESULTS),
    "Ex. total": _time_of(TracePhase.EXECUTION),
    "Termination": _time_of(TracePhase.TERMINATION),
    "Total": _time_of(TracePhase.OVERALL),
}
"""Columns of the table, each with the function that computes its number from a row."""


@dataclass(frozen=True)
class Summary:
    """Milliseconds by layer and phase; NaN where nothing was traced, so that 0 means a measured zero.

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
    added = add_up(recorded.threads)
    times = {layer: _make_row(layer, added.times_ns) for layer in ROWS}
    totals = {phase: max(_or_zero(row[phase]) for row in times.values()) for phase in _SHOWN}
    counts = (added.spans[Bucket(layer, TracePhase.EXECUTION)] for layer in ROWS)
    return Summary(times, _compute_self_times(times), totals, next(filter(None, counts), 0), added.unfinished)


def summary_table(summary: Summary, *, self_times: bool = True) -> Table:
    """Return the table, without layers that have no time. ``self_times`` False: times include the layers below."""
    title = f"{'Self-times' if self_times else 'Times'} in ms; executions: {summary.executions}"
    note = f"spans that never ended, and are not counted: {summary.unfinished}" if summary.unfinished else None
    table = Table("", *(Column(name, justify="right") for name in COLUMNS), box=None, title=title, caption=note)
    for layer, row in (summary.self_times if self_times else summary.times).items():
        if layer is Layer.APPLICATION or any(map(_or_zero, summary.times[layer].values())):
            table.add_row(ROWS[layer], *_format_cells(row))
    table.add_row("Total", *_format_cells(summary.totals))
    return table


def _make_row(layer: Layer, times_ns: Mapping[Bucket, int]) -> Row:
    """Return a layer's milliseconds by phase; NaN where nothing was recorded."""
    row = {phase: times_ns[Bucket(layer, phase)] / _NS_PER_MS for phase in _SHOWN}
    row[TracePhase.OVERALL] = row[TracePhase.OVERALL] or sum(row[phase] for phase in _PHASES)
    return {phase: math.nan if time == 0 and _may_lack(layer, phase) else time for phase, time in row.items()}


def _may_lack(layer: Layer, phase: TracePhase) -> bool:
    """Return True if no time means that nothing was recorded, not that it took none."""
    return layer is Layer.APPLICATION or (layer is Layer.DRIVER and phase in EXECUTION_PARTS)


def _compute_self_times(times: Mapping[Layer, Row]) -> dict[Layer, Row]:
    """Return the rows without the times of the layers below."""
    below = dict.fromkeys(_SHOWN, 0.0)
    found: dict[Layer, Row] = {}
    for layer in reversed(ROWS):
        row = times[layer]
        # A lower layer that has recorded nothing leaves nothing to subtract.
        found[layer] = {phase: time - below[phase] if _or_zero(time) else time for phase, time in row.items()}
        below |= {phase: time for phase, time in row.items() if _or_zero(time)}
    return {layer: found[layer] for layer in ROWS}


def _format_cells(row: Row) -> list[str]:
    """Return the numbers of a row as texts."""
    values = [column(row) for column in COLUMNS.values()]
    return ["n/a" if math.isnan(value) else f"{value:.2f}" for value in values]


def _or_zero(time: float) -> float:
    """Return a time, or 0 for NaN."""
    return 0.0 if math.isnan(time) else time


def chrome_trace(recorded: Recording, process: str = "nnvet") -> dict[str, Any]:
    """Return the recording in the JSON object form of Chrome's trace events; times are microseconds since it began.

    Threads of one name that follow each other share a track: drivers start a thread for almost everything.
    """
    tracks = _build_tracks(recorded.threads)
    pid = os.getpid()
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": pid, "tid": pid, "args": {"name": process}}
    ]
    for track in tracks:
        about = {"pid": pid, "tid": track.number}
        events.append({"ph": "M", "name": "thread_name", **about, "args": {"name": track.name}})
        for time_ns, mark in track.events:
            at = {"ts": (time_ns - recorded.begin_ns) / 1000, **about}
            if mark is None or mark.form is Form.SWITCH:
                events.append({"ph": "E", **at})
            if mark is not None:
                category = f"{mark.bucket.layer.name},{mark.bucket.phase.name}".lower()
                events.append({"ph": "B", "name": str(mark), "cat": category, **at})
    return {"traceEvents": events, "displayTimeUnit": "ns"}


def write_chrome_trace(recorded: Recording, path: Path) -> None:
    """Write :func:`chrome_trace` to a file that chrome://tracing and https://ui.perfetto.dev open.

    :raises OSError: the file cannot be written.
    """
    path.write_bytes(msgspec.json.encode(chrome_trace(recorded)))


def _build_tracks(threads: list[Thread]) -> list[Thread]:
    """Return the threads, with those of one name that follow each other joined."""
    tracks: list[Thread] = []
    free: dict[str, list[Thread]] = {}
    known = [thread._replace(events=list(thread.events)) for thread in threads if thread.events]
    for thread in sorted(known, key=lambda candidate: candidate.events[0].time_ns):
        same = free.setdefault(thread.name, [])
        track = next((earlier for earlier in same if earlier.events[-1].time_ns <= thread.events[0].time_ns), None)
        if track is None:
            tracks.append(thread)
            same.append(thread)
        else:
            track.events.extend(thread.events)
        if _count_open(thread):
            # Spans after one that never ended would seem to be inside it.
            same.remove(track or thread)
    return tracks


def _count_open(thread: Thread) -> int:
    """Return the number of spans that are still open."""
    begun = sum(event.mark is not None and event.mark.form is not Form.SWITCH for event in thread.events)
    return begun - sum(event.mark is None for event in thread.events)
