"""Coverage over time as the geometry of small SVG charts."""

from collections.abc import Sequence
from dataclasses import dataclass

from nnvet.reports.events import FuzzingFinished
from nnvet.reports.html.histograms import HEIGHT, WIDTH


@dataclass(frozen=True)
class Curve:
    """A harness with its figures; ``points`` are those of the coverage's line, in units of a chart."""

    harness: str
    executions: int
    rate: float
    corpus: int
    findings: int
    first: int
    last: int
    points: str


def build_curves(fuzzing: Sequence[FuzzingFinished]) -> tuple[Curve, ...]:
    """A curve for each harness."""
    return tuple(map(_curve, fuzzing))


def _curve(event: FuzzingFinished) -> Curve:
    coverage = [reached for _, reached in event.curve] or [0]
    rate = event.executions / event.seconds if event.seconds else 0.0
    return Curve(
        event.harness,
        event.executions,
        rate,
        event.corpus,
        event.findings,
        coverage[0],
        coverage[-1],
        " ".join(_points(event)),
    )


def _points(event: FuzzingFinished) -> list[str]:
    """Corners of the line, which is flat wherever coverage has not grown."""
    highest = max((reached for _, reached in event.curve), default=0) or 1
    span = max(event.seconds, max((seconds for seconds, _ in event.curve), default=0.0)) or 1.0
    places: list[str] = []
    height = HEIGHT
    for seconds, reached in event.curve:
        x = WIDTH * seconds / span
        places.append(f"{x:.1f},{height:.1f}")
        height = HEIGHT - HEIGHT * reached / highest
        places.append(f"{x:.1f},{height:.1f}")
    return [*places, f"{WIDTH:.1f},{height:.1f}"]
