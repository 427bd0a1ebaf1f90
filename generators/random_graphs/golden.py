"""Expected outputs of random models, from the kernels of the bundled driver, in this process.

A single operation is computed in float32 wherever it has such a form, so that quantised and float16 results of a
driver are held against real numbers; a graph is computed as it is. Source: docs/contract/spec-format.md 13.
"""

from __future__ import annotations

from dataclasses import replace as changed

import numpy as np

from nnvet.generators.graphs.forms import with_expected_outputs
from nnvet.generators.graphs.hal_model import build_model, operand_data
from nnvet.generators.graphs.model import Array, TestModel, TestOperand
from nnvet.generators.random_graphs.float32_golden import (
    convert_to_float32_model,
    set_expected_outputs_from_float32_results,
)
from nnvet.hal.operations.declaration import Argument
from nnvet.reference_driver.compiled import compile_model
from nnvet.reference_driver.executor import GraphExecution


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
    """What the bundled kernels make of a model's inputs, output by output.

    :raises HalError: the model cannot be executed.
    """
    compiled = compile_model(build_model(test))
    main = test.main
    inputs = [_with_value(compiled.main.arguments[index], main.operands[index]) for index in main.input_indexes]
    outputs = [compiled.main.arguments[index] for index in main.output_indexes]
    return [result.array for result in GraphExecution(compiled).run(inputs, outputs)]


def _with_value(argument: Argument, operand: TestOperand) -> Argument:
    return changed(argument, value=operand_data(operand).reshape(operand.dimensions))
