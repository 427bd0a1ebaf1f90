"""The kernels and the oracle on random models of one operation: two statements of each operation, one result.

That finds a kernel that is wrong for odd shapes, and a signature whose parameters do not mean what they should.
"""

from dataclasses import replace

import numpy as np
import pytest

from nnvet.generators.graphs.hal_model import build_model, operand_data
from nnvet.generators.graphs.model import Array, TestModel, TestOperand
from nnvet.generators.random_graphs.catalogue import all_signatures
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.float32_golden import convert_to_float32_model
from nnvet.generators.random_graphs.generate import single_operation
from nnvet.generators.random_graphs.golden import computed
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.hal.operand_types import type_info
from nnvet.reference_driver.compiled import compile_model
from nnvet.reference_driver.executor import GraphExecution

SMALL = SizeLimits(8, 300)
SEEDS = 4
LOOSE = {"float32": 1e-4, "float16": 2e-2}
"""Relative: kernels sum in float32; half floats of two that agree in float32 are one or two steps apart."""


@pytest.mark.parametrize("signature", all_signatures(), ids=lambda one: one.name)
def test_kernels_agree_with_the_oracle(signature: OperationSignature) -> None:
    """Integers, codes and truth values agree to the bit, floats within their rounding, in each type and in float32."""
    for kind in signature.types:
        for seed in range(SEEDS):
            chooser = SeededChooser(f"{signature.name}/{kind.name}/{seed}")
            test = single_operation(chooser, "values", signature, kind, chooser.pick(signature.ranks), SMALL)
            for form in filter(None, (test, convert_to_float32_model(test))):
                for result, expected, operand in zip(_of_kernels(form), computed(form), form.main.outputs, strict=True):
                    _assert_agree(result, expected, operand)


def _of_kernels(test: TestModel) -> list[Array]:
    compiled = compile_model(build_model(test))
    inputs = [
        replace(compiled.main.arguments[index], value=operand_data(operand).reshape(operand.dimensions))
        for index, operand in zip(test.main.input_indexes, test.main.inputs, strict=True)
    ]
    outputs = [compiled.main.arguments[index] for index in test.main.output_indexes]
    return [result.array for result in GraphExecution(compiled).run(inputs, outputs)]


def _assert_agree(result: Array, expected: Array, operand: TestOperand) -> None:
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    if operand.is_ignored:
        return
    if not type_info(operand.type).is_float:
        np.testing.assert_array_equal(result, expected)
        return
    loose, values = LOOSE[expected.dtype.name], expected.astype(np.float64)
    # Where large terms cancel, what is left is as exact as they are.
    largest = np.abs(values, where=np.isfinite(values), out=np.zeros(values.shape)).max()
    np.testing.assert_allclose(result.astype(np.float64), values, rtol=loose, atol=loose * max(1.0, largest / 100))
