"""Results of the bundled driver's kernels for a test model, compared with those of the oracle."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import Array, TestModel, TestOperand
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument
from nnvet.hal.types import Model
from nnvet.oracle.execution import evaluate
from nnvet.reference_driver.compiled import compile_model
from nnvet.reference_driver.executor import GraphExecution

LOOSE = {"float32": 1e-4, "float16": 2e-2}
"""Relative: kernels sum in float32; half floats of two that agree in float32 are one or two steps apart."""


def given(operand: TestOperand) -> Array | None:
    """An input in its shape; one without elements is omitted."""
    if operand.data is None or not operand.data.size:
        return None
    return operand.data.reshape(operand.dimensions)


def both(test: TestModel) -> tuple[list[Array], list[Array]]:
    """The outputs by the kernels, and those by the oracle.

    :raises KeyError: the model has an operation of an extension.
    """
    model = build_model(test)
    try:
        inputs = [given(operand) for operand in test.main.inputs]
        return _by_kernels(model, inputs), evaluate(model, inputs)
    finally:
        close_pools(model)


def _by_kernels(model: Model, inputs: list[Array | None]) -> list[Array]:
    compiled = compile_model(model)
    arguments = compiled.main.arguments
    values = [
        _with_value(arguments[index], array)
        for index, array in zip(compiled.main.source.input_indexes, inputs, strict=True)
    ]
    outputs = [arguments[index] for index in compiled.main.source.output_indexes]
    return [result.array for result in GraphExecution(compiled).run(values, outputs)]


def _with_value(argument: Argument, array: Array | None) -> Argument:
    return replace(argument, omitted=True) if array is None else replace(argument, value=array)


def assert_agree(results: list[Array], expected: list[Array], outputs: list[TestOperand]) -> None:
    """Integers, codes and truth values agree to the bit, floats within their rounding; ignored outputs in nothing."""
    for result, wanted, operand in zip(results, expected, outputs, strict=True):
        assert (result.shape, result.dtype) == (wanted.shape, wanted.dtype)
        if operand.is_ignored:
            continue
        if not type_info(operand.type).is_float:
            np.testing.assert_array_equal(result, wanted)
            continue
        loose, values = LOOSE[wanted.dtype.name], wanted.astype(np.float64)
        # Where large terms cancel, what is left is as exact as they are.
        largest = np.abs(values, where=np.isfinite(values), out=np.zeros(values.shape)).max(initial=0.0)
        np.testing.assert_allclose(result.astype(np.float64), values, rtol=loose, atol=loose * max(1.0, largest / 100))
