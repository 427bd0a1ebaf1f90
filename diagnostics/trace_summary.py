"""Summary of a traced run: milliseconds by layer and phase as a table, and spans as a file for Chrome or Perfetto.

The self-time of a layer excludes the time of the next lower layer. If a span interrupts another one, the time of the
interrupting span is subtracted from the other. :mod:`nnvet.diagnostics.tracing` records the spans.

Source: docs/contract/sample-driver.md 10.3 to 10.5, without the parts on
Android's runtime. There are two differences: an initialisation belongs to the overall span around it, not to the whole
trace; and an interrupting span is subtracted from all spans between its old and its new place, not only from the
innermost.
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
        """The mark's layer."""
        return self.mark.bucket.layer

    @property
    def bucket(self) -> Bucket:
        """The bucket that the time counts for."""
        return Bucket(self.layer, self.phase)

    @property
    def time_ns(self) -> int:
        """The span's duration without interruptions."""
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


def tally(threads: list[Thread]) -> Tally:
    """Add up the spans of all threads. Spans that never ended are left out, but the spans inside them count.

    :raises TraceError: an end without a beginning.
    """
    total = Tally(Counter(), Counter())
    for thread in threads:
        nodes = _nodes(thread)
        total.unfinished += sum(node.end_ns < 0 for node in nodes)
        for node in nodes:
            # Outermost first, so that the spans around a span have their phase before it.
            while node.around is not None and node.around.end_ns < 0:
                node.around = node.around.around
            if node.end_ns >= 0:
                _place(node)
        for node in nodes:
            if node.end_ns >= 0 and not _is_detail(node):
                _count(node, total)
    return total


def _nodes(thread: Thread) -> list[Node]:
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


def _place(node: Node) -> None:
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


def _count(node: Node, total: Tally) -> None:
    _add(node.bucket, node, total)
    around = node.around
    if around is None or not _is_foreign(node, around):
        return
    if around.phase is TracePhase.EXECUTION and node.phase in EXECUTION_PARTS:
        return
    # The application has not stated its phase, but its call implies one.
    _add(Bucket(Layer.APPLICATION, node.phase), node, total)


def _add(bucket: Bucket, node: Node, total: Tally) -> None:
    total.times_ns[bucket] += node.time_ns
    total.spans[bucket] += 1
    execution = Bucket(bucket.layer, TracePhase.EXECUTION)
    if bucket.phase in EXECUTION_PARTS and all(outer.bucket != execution for outer in node.outwards()):
        total.times_ns[execution] += node.time_ns


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
    added = tally(recorded.threads)
    times = {layer: _row(layer, added.times_ns) for layer in ROWS}
    totals = {phase: max(_number(row[phase]) for row in times.values()) for phase in _SHOWN}
    counts = (added.spans[Bucket(layer, TracePhase.EXECUTION)] for layer in ROWS)
    return Summary(times, _self_times(times), totals, next(filter(None, counts), 0), added.unfinished)


def summary_table(summary: Summary, *, self_times: bool = True) -> Table:
    """Return the table, without layers that have no time. ``self_times`` False: times include the layers below."""
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
        # A lower layer that has recorded nothing leaves nothing to subtract.
        found[layer] = {phase: time - below[phase] if _number(time) else time for phase, time in row.items()}
        below |= {phase: time for phase, time in row.items() if _number(time)}
    return {layer: found[layer] for layer in ROWS}


def _cells(row: Row) -> list[str]:
    values = [column(row) for column in COLUMNS.values()]
    return ["n/a" if math.isnan(value) else f"{value:.2f}" for value in values]


def _number(time: float) -> float:
    """0 for NaN."""
    return 0.0 if math.isnan(time) else time


def chrome_trace(recorded: Recording, process: str = "nnvet") -> dict[str, Any]:
    """Return the recording in the JSON object form of Chrome's trace events; times are microseconds since it began.

    Threads of one name that follow each other share a track: drivers start a thread for almost everything.
    """
    tracks = _tracks(recorded.threads)
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


def _tracks(threads: list[Thread]) -> list[Thread]:
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
        if _depth(thread):
            # Spans after one that never ended would seem to be inside it.
            same.remove(track or thread)
    return tracks


def _depth(thread: Thread) -> int:
    """Return the number of spans that are still open."""
    begun = sum(event.mark is not None and event.mark.form is not Form.SWITCH for event in thread.events)
    return begun - sum(event.mark is None for event in thread.events)
