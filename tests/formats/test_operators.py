"""Every operator that can be converted computes the same on the reference driver as on LiteRT.

Expected values come from LiteRT (``ai_edge_litert``), run on the very file that is converted.
"""

from __future__ import annotations

import numpy as np
import pytest

from nnvet.formats.tflite.importer import FUNCTIONS, import_model
from tests.formats import (
    cases_convolution,
    cases_detection,
    cases_elementwise,
    cases_movement,
    cases_recurrent,
    cases_reduction,
)
from tests.formats.case_forms import Case, build, random_input
from tests.formats.runtimes import run_on_driver, run_on_litert

CASES = [
    case
    for module in (
        cases_convolution,
        cases_detection,
        cases_elementwise,
        cases_movement,
        cases_recurrent,
        cases_reduction,
    )
    for case in module.CASES
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_computes_as_litert(case: Case) -> None:
    """Three steps in a row (states go on) give LiteRT's outputs: floats within rounding, 8-bit codes within one."""
    data, inputs = build(case)
    rng = np.random.default_rng(7)
    steps = [[random_input(tensor, rng) for tensor in inputs] for _ in range(3)]
    for expected, actual in zip(run_on_litert(data, steps), run_on_driver(data, steps), strict=True):
        for left, right in zip(expected, actual, strict=True):
            assert left.shape in (right.shape, ())
            if left.dtype.kind == "f":
                np.testing.assert_allclose(right.reshape(left.shape), left, rtol=2e-6, atol=2e-6)
            else:
                allowed = case.codes if left.dtype.itemsize == 1 else 0
                assert np.abs(right.reshape(left.shape).astype(int) - left.astype(int)).max() <= allowed


@pytest.mark.parametrize("case", CASES, ids=str)
def test_nothing_is_left_over(case: Case) -> None:
    """Every operand of a converted model is an end of the model or used by an operation."""
    with import_model(build(case)[0]) as imported:
        main = imported.model.main
        used = {index for operation in main.operations for index in (*operation.inputs, *operation.outputs)}
        assert used | {*main.input_indexes, *main.output_indexes} == {*range(len(main.operands))}


def test_all_operators_are_covered() -> None:
    """Every operator that can be converted has a case here."""
    assert {case.operator for case in CASES} == set(FUNCTIONS)
