"""Numeric errors to plant: all kinds, from the modules that make them.

A fault finds the results of one operation wrongly, or None where it does not apply to that operation.
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
"""Every kind of planted error."""


def run_with(fault: Fault, model: Model, inputs: Sequence[Array | None], place: int) -> list[Array] | None:
    """Outputs of a model one of whose operations has the fault; None where it applies to none.

    ``place`` chooses among the operations to which it applies. None also where another operation cannot be computed
    from what the fault makes.
    """
    try:
        return _planted(fault, model, inputs, place)
    except (IndexError, KeyError, ValueError, ArithmeticError):
        return None


def _planted(fault: Fault, model: Model, inputs: Sequence[Array | None], place: int) -> list[Array] | None:
    applies: list[int] = []
    is_single = len(model.main.operations) == 1

    def note(number: int) -> bool:
        applies.append(number)
        return is_single

    outputs = _run(fault, model, inputs, note)
    if not applies:
        return None
    chosen = applies[place % len(applies)]
    return outputs if is_single else _run(fault, model, inputs, lambda number: number == chosen)


def _run(fault: Fault, model: Model, inputs: Sequence[Array | None], is_wanted: Any) -> list[Array]:
    """Ask for each call of an operation to which the fault applies whether it is to be wrong."""
    count = 0

    def compute(meaning: Meaning, call: Invocation) -> Any:
        nonlocal count
        count += 1
        wrong = fault.plant(meaning, call)
        return wrong if wrong is not None and is_wanted(count) else meaning.compute(call)

    with np.errstate(all="ignore"):
        return evaluate(model, inputs, compute)
