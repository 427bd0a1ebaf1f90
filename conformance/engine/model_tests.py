"""Manner in which a check runs a test model: any other model can be run and judged in its manner.

That is what a failing test needs to be run again from a file, or with a smaller model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.model import TestModel
from nnvet.oracle import Tolerance

OUTPUT_RULES: Final = ("execution/output.value", "execution/output.bound", "execution/status", "prepare/supported")
"""Rules that a check may find broken which runs a model and looks at its outputs."""


@dataclass(frozen=True)
class ModelTest:
    """``test_of`` makes the test of an argument of the check, with expected outputs; ``run`` runs and judges any test.

    ``run`` raises ``CaseFailed`` if the driver is not right. ``tolerances`` are those of the single elements of each
    output; None: such an output is not compared element by element.
    """

    test_of: Callable[[Any], TestModel]
    run: Callable[[Subject, TestModel], None]
    tolerances: Callable[[TestModel], list[Tolerance | None]]
