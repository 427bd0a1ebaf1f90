"""Honest drivers on many models: the error bounds must blame none of them.

A comparison is one driver's outputs of one model. Pieces are numbered: equal numbers have equal models, so that a long
run can be cut into pieces and taken up again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from nnvet.conformance.oracle_study.honest import HONEST, MIXED, HonestDriver
from nnvet.conformance.oracle_study.judges import by_bounds
from nnvet.conformance.oracle_study.models import GRAPH, KINDS, StudyModel, models_of
from nnvet.generators.graphs.hal_model import build_model, close_pools
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.golden import inputs_of
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.options import GraphOptions

_GRAPHS: Final = 60
"""Graphs of mixed types in a piece; and half as many relaxed ones."""
_OPERATIONS: Final = (2, 12)
_PLAIN: Final = GraphOptions(operations=_OPERATIONS)
_RELAXED: Final = GraphOptions(operations=_OPERATIONS, relaxed=1.0)


@dataclass
class Comparisons:
    """Number of comparisons by kind of models: of one operation, and of several.

    ``different`` counts outputs whose bits no driver before has had for the model.
    """

    singles: Counter[str] = field(default_factory=Counter)
    graphs: Counter[str] = field(default_factory=Counter)
    different: Counter[str] = field(default_factory=Counter)
    alarms: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        """All comparisons."""
        return self.singles.total() + self.graphs.total()


def models_of_piece(piece: int) -> Iterator[StudyModel]:
    """Models of every operation and kind, then graphs of 2 to 12 operations of mixed types."""
    for kind in KINDS:
        yield from models_of(piece, kind)
    yield from mixed_graphs(piece)


def mixed_graphs(piece: int) -> Iterator[StudyModel]:
    """The graphs of mixed types of a piece."""
    for number in range(_GRAPHS):
        for kind, options in ((MIXED, _PLAIN), ("relaxed", _RELAXED)) if number % 2 else ((MIXED, _PLAIN),):
            name = f"honest/{kind}/{piece}/{number}"
            yield StudyModel(random_model(SeededChooser(name), options, name), kind, GRAPH)


def compare(sample: StudyModel, found: Comparisons, further: Sequence[HonestDriver] = ()) -> None:
    """Add what the honest drivers make of a model; ``further`` ones beside those of the study."""
    model, inputs = build_model(sample.test), inputs_of(sample.test)
    checked = [not operand.is_ignored for operand in sample.test.main.outputs]
    counts = found.singles if len(sample.test.main.operations) == 1 else found.graphs
    verdicts: dict[bytes, str] = {}
    try:
        with np.errstate(all="ignore"):
            judge, _ = by_bounds(model, inputs, checked)
            for driver in (*HONEST, *further):
                outputs = driver.run(model, inputs) if sample.kind in driver.kinds else None
                if outputs is None:
                    continue
                bits = b"".join(output.tobytes() for output in outputs)
                if bits not in verdicts:
                    verdicts[bits] = judge(outputs)
                counts[sample.kind] += 1
                if verdicts[bits]:
                    found.alarms.append(f"{driver.name}, {sample.test.name}: {verdicts[bits]}")
    finally:
        close_pools(model)
    found.different[sample.kind] += len(verdicts)
