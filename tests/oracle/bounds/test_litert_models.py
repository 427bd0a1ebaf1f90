"""LiteRT, a runtime that knows nothing of this project, is within the bounds for every operator that it shares."""

from __future__ import annotations

import numpy as np
import pytest

from nnvet.formats.tflite.importer import import_model
from nnvet.hal.operand_types import type_info
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.bounds.execution import estimate
from tests.formats.case_forms import Case, build, random_input
from tests.formats.runtimes import run_on_litert
from tests.formats.test_operators import CASES


@pytest.mark.parametrize("case", CASES, ids=str)
def test_litert_is_not_blamed(case: Case) -> None:
    """Results of the first step, whose states are zero."""
    data, tensors = build(case)
    rng = np.random.default_rng(17)
    inputs = [random_input(tensor, rng) for tensor in tensors]
    (outputs,) = run_on_litert(data, [inputs])
    with import_model(data) as imported:
        operands = [imported.model.main.operands[index] for index in imported.model.main.input_indexes]
        arrays = [*inputs, *(np.asarray(state.zero) for state in imported.states)]
        shaped = [
            np.broadcast_to(array, operand.dimensions).astype(type_info(operand.type).dtype)
            if array.ndim == 0
            else array.reshape(operand.dimensions)
            for array, operand in zip(arrays, operands, strict=True)
        ]
        estimates = estimate(imported.model, shaped)
        for output, bounds in zip(outputs, estimates, strict=False):
            assert compare_estimate(np.asarray(output), bounds) is None
