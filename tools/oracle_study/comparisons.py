"""Honest drivers judged by the error bounds: numbers of comparisons, needed liberties, and false alarms.

:func:`compare` judges all honest drivers on one model, for ``__main__.py``. A comparison is the outputs of one driver
for one model in which the driver computes something in its own arithmetic. The models come in numbered pieces
(:func:`make_piece_models`): equal seeds and numbers give equal models, so that a long run can be interrupted. Planted
errors are judged by ``study.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np

from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.golden import inputs_of
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.hal.types import Model
from nnvet.oracle.arithmetic.sums import Array
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.bounds.execution import estimate
from nnvet.oracle.bounds.precision import Estimate
from tools.oracle_study.driver import MIXED, HonestDriver
from tools.oracle_study.models import GRAPH, KINDS, StudyModel, make_models
from tools.oracle_study.nasty import make_nasty_models

Judge: TypeAlias = Callable[[Sequence[Array]], str]
"""Function that says what is wrong with the outputs of a model; empty if they are right."""


def make_bounds_judge(
    model: Model, inputs: Sequence[Array | None], checked: Sequence[bool], liberties: Sequence[str] = ()
) -> tuple[Judge, list[Estimate]]:
    """Return the judge that uses the error bounds of a model, and the estimates of the outputs that they come from."""
    estimates = estimate(model, inputs, liberties=liberties)

    def judge(outputs: Sequence[Array]) -> str:
        for output, judged, is_checked in zip(outputs, estimates, checked, strict=True):
            if is_checked and output.size != judged.value.size and judged.undecided_share < 1:
                return "other dimensions"
            wrong = compare_estimate(output, judged) if is_checked else None
            if wrong is not None:
                return str(wrong)
        return ""

    return judge, estimates


_GRAPHS: Final = 60
"""Number of graphs of mixed types in a piece; there are half as many relaxed ones."""
_OPERATIONS: Final = (2, 12)
"""Least and largest number of operations of such a graph."""
_PLAIN: Final = GraphOptions(operations=_OPERATIONS)
_RELAXED: Final = GraphOptions(operations=_OPERATIONS, relaxed=1.0)


@dataclass
class DriverCount:
    """Numbers of comparisons of one driver: of single operations, of graphs, and of those that needed its liberties."""

    singles: int = 0
    graphs: int = 0
    needed: int = 0

    @property
    def total(self) -> int:
        """All comparisons."""
        return self.singles + self.graphs


@dataclass
class Comparisons:
    """Counts by driver, and lines about false alarms.

    ``different`` counts, by kind of arithmetic, the outputs whose bits no earlier driver had for the same model: a
    measure of how much the drivers differ.
    """

    drivers: dict[str, DriverCount] = field(default_factory=dict)
    different: Counter[str] = field(default_factory=Counter)
    alarms: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        """All comparisons."""
        return sum(count.total for count in self.drivers.values())


def make_piece_models(seed: int, piece: int) -> Iterator[StudyModel]:
    """Yield models of all operations and kinds, the same with nasty numbers, and graphs of 2 to 12 operations."""
    for kind in KINDS:
        yield from make_models(seed + piece, kind)
    yield from make_nasty_models(seed, piece)
    yield from make_mixed_graphs(seed + piece)


def make_mixed_graphs(number: int) -> Iterator[StudyModel]:
    """Yield the graphs of mixed types, and the relaxed ones, of a numbered piece."""
    for place in range(_GRAPHS):
        for kind, options in ((MIXED, _PLAIN), ("relaxed", _RELAXED)) if place % 2 else ((MIXED, _PLAIN),):
            name = f"honest/{kind}/{number}/{place}"
            yield StudyModel(random_model(SeededChooser(name), options, name), kind, GRAPH)


def compare(sample: StudyModel, found: Comparisons, drivers: Sequence[HonestDriver]) -> None:
    """Judge the outputs of all honest drivers for a model, and add the comparisons to ``found``."""
    model, inputs = build_model(sample.test), inputs_of(sample.test)
    try:
        with np.errstate(all="ignore"):
            _compare_drivers(sample, model, inputs, found, drivers)
    finally:
        close_pools(model)


def _compare_drivers(
    sample: StudyModel,
    model: Model,
    inputs: list[Array | None],
    found: Comparisons,
    drivers: Sequence[HonestDriver],
) -> None:
    checked = [not operand.is_ignored for operand in sample.test.main.outputs]
    is_single = len(sample.test.main.operations) == 1
    judges: dict[tuple[str, ...], Judge] = {}
    verdicts: dict[tuple[bytes, tuple[str, ...]], str] = {}

    def verdict(outputs: Sequence[Array], liberties: tuple[str, ...]) -> str:
        key = b"".join(output.tobytes() for output in outputs), liberties
        if key not in verdicts:
            if liberties not in judges:
                judges[liberties] = make_bounds_judge(model, inputs, checked, liberties)[0]
            verdicts[key] = judges[liberties](outputs)
        return verdicts[key]

    for driver in drivers:
        outputs = driver.run(model, inputs) if sample.kind in driver.kinds else None
        if outputs is None:
            continue
        count = found.drivers.setdefault(driver.name, DriverCount())
        count.singles += is_single
        count.graphs += not is_single
        wrong = verdict(outputs, ())
        if wrong and driver.liberties:
            count.needed += 1
            wrong = verdict(outputs, driver.liberties)
        if wrong:
            found.alarms.append(f"{driver.name}, {sample.test.name}: {wrong}")
    found.different[sample.kind] += sum(1 for _, liberties in verdicts if not liberties)
