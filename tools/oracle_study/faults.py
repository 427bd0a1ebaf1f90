"""All planted errors, and the run of a model with one of them.

:data:`FAULTS` collects the errors of ``call_faults.py``, ``result_faults.py`` and ``sum_faults.py``; ``study.py``
plants them by :func:`run_with`. ``honest.py`` lists the correct drivers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from nnvet.hal.types import Model
from nnvet.oracle.arithmetic.sums import Array
from nnvet.oracle.execution import evaluate
from nnvet.oracle.operations.invocation import Invocation, Meaning
from tools.oracle_study import call_faults, result_faults, sum_faults
from tools.oracle_study.fault import Fault

FAULTS: Final[tuple[Fault, ...]] = (*call_faults.FAULTS, *result_faults.FAULTS, *sum_faults.FAULTS)
"""All planted errors."""


def run_with(fault: Fault, model: Model, inputs: Sequence[Array | None], place: int) -> list[Array] | None:
    """Return the outputs of a model with the error in one of its operations.

    ``place`` chooses among the operations to which the error applies. Return None if it applies to none, or if a later
    operation cannot be computed from the wrong results.
    """
    try:
        return _plant_in_one(fault, model, inputs, place)
    except (IndexError, KeyError, ValueError, ArithmeticError):
        return None


def _plant_in_one(fault: Fault, model: Model, inputs: Sequence[Array | None], place: int) -> list[Array] | None:
    applies: list[int] = []
    is_single = len(model.main.operations) == 1

    def note(number: int) -> bool:
        applies.append(number)
        return is_single

    outputs = _run_planted(fault, model, inputs, note)
    if not applies:
        return None
    chosen = applies[place % len(applies)]
    return outputs if is_single else _run_planted(fault, model, inputs, lambda number: number == chosen)


def _run_planted(fault: Fault, model: Model, inputs: Sequence[Array | None], is_wanted: Any) -> list[Array]:
    """Return the outputs of a model in which those calls are wrong for whose number ``is_wanted`` returns True.

    It is asked only for calls to which the error applies.
    """
    count = 0

    def compute(meaning: Meaning, call: Invocation) -> Any:
        nonlocal count
        count += 1
        wrong = fault.plant(meaning, call)
        return wrong if wrong is not None and is_wanted(count) else meaning.compute(call)

    with np.errstate(all="ignore"):
        return evaluate(model, inputs, compute)
