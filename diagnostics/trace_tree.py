"""Traced time of each span, once spans have been taken out of those that they interrupt.

Source: docs/contract/sample-driver.md 10.3 to 10.5, as far as it is about marks and not about Android's runtime. Two
things differ: an initialisation belongs to the overall span that it is in, not to the whole trace; and what interrupts
a span is taken out of all spans between its old and its new place, not only out of the innermost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from nnvet.diagnostics.tracing import Bucket, Form, Layer, Mark, Thread, TracePhase

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
    """Marks that cannot be: an end without a beginning."""


@dataclass(eq=False, slots=True)
class Node:
    """A span, with the span around it; None is the thread itself."""

    mark: Mark
    around: Node | None
    begin_ns: int
    end_ns: int = -1
    is_moved: bool = False
    interrupted_ns: int = 0
    """Time of other spans that do not count as part of this one."""
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
        """The spans around it, innermost first."""
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
    """Add up the spans of all threads. What never ended is left out, not what happened inside.

    :raises TraceError: an end without a beginning.
    """
    total = Tally(Counter(), Counter())
    for thread in threads:
        nodes = _nodes(thread)
        total.unfinished += sum(node.end_ns < 0 for node in nodes)
        for node in nodes:
            # Outermost first, so that whatever is around has been dealt with.
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
    """Return True if the application calls something of another phase than the one that it is in."""
    return node.layer in _BENEATH_APPLICATION and around.layer is Layer.APPLICATION and node.phase is not around.phase


def _is_execution(phase: TracePhase) -> bool:
    return phase is TracePhase.EXECUTION or phase in EXECUTION_PARTS


def _is_detail(node: Node) -> bool:
    """Return True if the span around it has counted it already."""
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
    # The application has not said what it is doing, but its call tells.
    _add(Bucket(Layer.APPLICATION, node.phase), node, total)


def _add(bucket: Bucket, node: Node, total: Tally) -> None:
    total.times_ns[bucket] += node.time_ns
    total.spans[bucket] += 1
    execution = Bucket(bucket.layer, TracePhase.EXECUTION)
    if bucket.phase in EXECUTION_PARTS and all(outer.bucket != execution for outer in node.outwards()):
        total.times_ns[execution] += node.time_ns
