"""Results that evaluators score, and their scores: the parts that all evaluators of the benchmark share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from nnvet.formats.errors import DataError
from nnvet.models.datasets import Array, StepSequence
from nnvet.reports.events import Limit

BETTER_IF_LARGER: Final = frozenset({"map", "map_50", "miou", "pixel_accuracy", "psnr_db"})
"""Figures of which a limit is the smallest acceptable value; of all others it is the largest."""


@dataclass(frozen=True)
class StepResult:
    """Result of one step: indexes into the entry's sequences, and the outputs as flat arrays."""

    sequence: int
    step: int
    outputs: tuple[Array, ...]


@dataclass(frozen=True)
class Evaluation:
    """Figures by name, the limits of some of them, and one sentence for each limit that is broken.

    ``by_example`` are figures of single sequences, in order; ``labels`` are the classes of pictures.
    """

    values: dict[str, float]
    limits: dict[str, Limit] = field(default_factory=dict)
    errors: tuple[str, ...] = ()
    by_example: dict[str, tuple[float, ...]] = field(default_factory=dict)
    labels: tuple[int, ...] = ()


class Evaluator(Protocol):
    """Scores the results of one model."""

    def evaluate(self, sequences: Sequence[StepSequence], results: Sequence[StepResult]) -> Evaluation:
        """Score ``results``, which hold whole sequences in order.

        :raises DataError: the data lack something that the score needs.
        """


def judge_by_truth(
    values: dict[str, float], examples: dict[str, tuple[float, ...]], limits: Mapping[str, float]
) -> Evaluation:
    """Return figures, also of single sequences, with the limits from the model list.

    :raises DataError: a limit is for an unknown figure.
    """
    unknown = sorted(set(limits) - set(values))
    if unknown:
        raise DataError(f"limits of {', '.join(unknown)}: the evaluator has the figures {', '.join(values)}")
    bounds = {
        key: Limit(at_least=limit) if key in BETTER_IF_LARGER else Limit(at_most=limit) for key, limit in limits.items()
    }
    errors = tuple(
        f"{key} {'is below' if key in BETTER_IF_LARGER else 'exceeded'} its limit {limits[key]}: {values[key]:.9g}"
        for key, bound in bounds.items()
        if not bound.holds(values[key])
    )
    return Evaluation(values, bounds, errors, examples)


def jackknife(count: int, figure: Callable[[int | None], float]) -> tuple[float, ...]:
    """Return one value for each of ``count`` examples, whose mean is a figure of all of them together.

    These are Tukey's pseudo-values without their correction of bias, so that figures that are no means of examples can
    be compared example by example. ``figure`` gets the number of the example that is left out, or None. Examples
    without which there is no figure (NaN) count as if they changed nothing.
    """
    whole = figure(None)
    rests = [figure(left_out) for left_out in range(count)] if count > 1 else [whole]
    rests = [whole if math.isnan(rest) else rest for rest in rests]
    mean = math.fsum(rests) / count
    return tuple(whole + (count - 1) * (mean - rest) for rest in rests)
