"""Expected outputs of random models, from the oracle, in this process.

A single operation is computed in float32 wherever it has such a form, so that quantised and float16 results of a
driver are held against real numbers; a graph is computed as it is. Source: docs/contract/spec-format.md 13.
"""

from __future__ import annotations

import numpy as np

from nnvet.generators.graphs.forms import with_expected_outputs
from nnvet.generators.graphs.hal_model import build_model, operand_data
from nnvet.generators.graphs.model import Array, TestModel, TestOperand
from nnvet.generators.random_graphs.float32_golden import (
    convert_to_float32_model,
    set_expected_outputs_from_float32_results,
)
from nnvet.oracle.execution import evaluate


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
    """What the oracle makes of a model's inputs, output by output. All constants are copies."""
    return evaluate(build_model(test), [_shaped(operand) for operand in test.main.inputs])


def _shaped(operand: TestOperand) -> Array:
    return operand_data(operand).reshape(operand.dimensions)
