"""Graphs of a few operations as pictures: a box for each, inputs above it, a line for each that another one makes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.reports.events import LoggedReduction, ReducedOperation
from nnvet.reports.fingerprint import key_of
from nnvet.reports.log import Log

WIDTH: Final = 560
_ROW: Final = 17
_BOX: Final = 26
_GAP: Final = 30
_INDENT: Final = 22


@dataclass(frozen=True)
class Text:
    """Words at a place; ``kind`` is ``name`` of an operation, ``input`` or ``output``."""

    x: float
    y: float
    text: str
    kind: str


@dataclass(frozen=True)
class SmallGraph:
    """A picture in pixels: boxes (x, y, width, height), lines as SVG paths, and texts."""

    height: float
    boxes: tuple[tuple[float, float, float, float], ...]
    lines: tuple[str, ...]
    texts: tuple[Text, ...]


@dataclass(frozen=True)
class ReductionView:
    """A failure that was made small, with its picture; None: the graph is too large for one."""

    reduction: LoggedReduction
    picture: SmallGraph | None

    @property
    def alike(self) -> int:
        """Failures that it stands for, besides the first."""
        return len(self.reduction.cases) - 1 + self.reduction.folded


def view_reductions(reductions: tuple[LoggedReduction, ...]) -> tuple[ReductionView, ...]:
    """All of them, in the order of the log."""
    return tuple(
        ReductionView(reduction, draw(reduction.graph) if len(reduction.graph) <= _MOST else None)
        for reduction in reductions
    )


def reductions_by_fault(log: Log) -> Mapping[str, Sequence[LoggedReduction]]:
    """Return the reductions of failures by fingerprint; most have none."""
    found: defaultdict[str, list[LoggedReduction]] = defaultdict(list)
    for reduction in log.reductions:
        for fault in dict.fromkeys(key_of(log.results[case]) for case in reduction.cases if case in log.results):
            found[fault].append(reduction)
    return found


def operations_of(reduction: LoggedReduction) -> str:
    """The names of its operations, each once."""
    return ", ".join(dict.fromkeys(operation.name for operation in reduction.graph))


_MOST: Final = 8


def draw(graph: tuple[ReducedOperation, ...]) -> SmallGraph:
    """One operation below the other, in their order."""
    boxes: list[tuple[float, float, float, float]] = []
    lines: list[str] = []
    texts: list[Text] = []
    made_at: list[float] = []
    top = 6.0
    for operation in graph:
        fed = [source for _, source in operation.inputs if source >= 0]
        for text, source in operation.inputs:
            if source < 0:
                texts.append(Text(_INDENT + 12, top + 12, text, "input"))
                top += _ROW
        top += 4
        for lane, source in enumerate(dict.fromkeys(fed)):
            x = _INDENT - 8 - 5 * lane
            lines.append(f"M{_INDENT} {made_at[source]}H{x}V{top + _BOX / 2}H{_INDENT}")
        boxes.append((_INDENT, top, 12 + 7.4 * len(operation.name), _BOX))
        texts.append(Text(_INDENT + 7, top + 17, operation.name, "name"))
        made_at.append(top + _BOX / 2)
        top += _BOX
        for text in operation.outputs:
            texts.append(Text(_INDENT + 12, top + 14, text, "output"))
            top += _ROW
        top += _GAP / 2
    return SmallGraph(top, tuple(boxes), tuple(lines), tuple(texts))
