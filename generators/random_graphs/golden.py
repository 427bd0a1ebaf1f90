"""Expected outputs of random models and the error bounds of outputs, from the oracle, in this process.

A single operation is computed in float32 wherever it has such a form, so that quantised and float16 results of a
driver are held against real numbers; a graph is computed as it is. Source: docs/contract/spec-format.md 13.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from nnvet.generators.graphs.forms import with_expected_outputs
from nnvet.generators.graphs.hal_model import build_model, close_pools, operand_data
from nnvet.generators.graphs.model import Array, TestModel, TestOperand
from nnvet.generators.random_graphs.float32_golden import (
    convert_to_float32_model,
    set_expected_outputs_from_float32_results,
)
from nnvet.hal.types import Model
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.execution import estimate, only_call
from nnvet.oracle.execution import evaluate
from nnvet.oracle.positions.catalogue import GRADED
from nnvet.oracle.positions.grading import position_shares as grade


@np.errstate(all="ignore")
def with_golden_results(test: TestModel) -> TestModel:
    """The test with expected outputs.

    :raises ValueError: an expected value that is compared is no number, which is a fault of the generator.
    """
    converted = convert_to_float32_model(test)
    if converted is None:
        golden = with_expected_outputs(test, [result.reshape(-1) for result in computed(test)])
    else:
        golden = set_expected_outputs_from_float32_results(test, computed(converted))
    for position, output in enumerate(golden.main.outputs):
        if not output.is_ignored and np.isnan(operand_data(output)).any():
            raise ValueError(f"{test.name}: expected output {position} holds what is no number")
    return golden


def computed(test: TestModel) -> list[Array]:
    """Return the oracle's results for a model's inputs, output by output. All constants are copies."""
    return evaluate(build_model(test), inputs_of(test))


def estimates(
    test: TestModel, model: Model | None = None, *, contract: bool = False, liberties: Collection[str] = ()
) -> list[Estimate]:
    """Return ideal values and bounds of the outputs of a test; ``model``: its HAL model, if built.

    With ``contract`` they may be off by what the contract allows, else by what honest drivers are, who may take the
    ``liberties`` of these ids (:mod:`nnvet.oracle.bounds.liberties`).
    """
    if model is not None:
        return estimate(model, inputs_of(test), contract=contract, liberties=liberties)
    built = build_model(test)
    try:
        return estimate(built, inputs_of(test), contract=contract, liberties=liberties)
    finally:
        close_pools(built)


def position_shares(test: TestModel, found: Estimate, actual: Array) -> dict[str, float | None]:
    """Shares of the limits of stated positions that a driver's first output uses; empty for all but single operations.

    None stands for a position that says nothing of the operation.

    ``found`` is the estimate of that output (:mod:`nnvet.oracle.positions.grading`).
    """
    if len(test.main.operations) != 1 or not GRADED.intersection(operation.type for operation in test.main.operations):
        return {}
    built = build_model(test)
    try:
        with only_call(built, inputs_of(test)) as call:
            return {} if call is None else grade(call, found.value, actual)
    finally:
        close_pools(built)


def inputs_of(test: TestModel) -> list[Array | None]:
    """The inputs of a test in their shapes, None where one is omitted."""
    return [_shaped(operand) for operand in test.main.inputs]


def _shaped(operand: TestOperand) -> Array | None:
    """The value of an input; None where it is omitted."""
    data = operand_data(operand)
    return None if not data.size and 0 not in operand.dimensions else data.reshape(operand.dimensions)
