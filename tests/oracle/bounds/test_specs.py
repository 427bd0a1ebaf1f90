"""Expected values of specs lie within the bounds: a sample of the corpus, and files with edges of their own."""

from pathlib import Path

import numpy as np
import pytest

from nnvet.generators.specs import load_spec
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.bounds.execution import estimate
from nnvet.oracle.execution import evaluate
from tests.on_kernels import given

CORPUS = Path(__file__).parents[3] / "conformance" / "specs"
EDGES = ("zero_sized_detectors", "elu_float", "pad_v2_quant8_signed")
"""No regions at all, a negative alpha, a border that is a code."""
FILES = [path for path in sorted(CORPUS.rglob("*.mod.py")) if "extension_" not in path.name]
SAMPLE = [*FILES[::60], *(path for path in FILES if path.name.removesuffix(".mod.py") in EDGES)]


@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path.name)
def test_the_oracle_is_within_the_bounds(path: Path) -> None:
    """Results by the meaning of the operations, as the specs expect them, are not blamed, whatever their shape."""
    for case in load_spec(path):
        if case.expect_failure:
            continue
        test = case.build()
        model = build_model(test)
        try:
            inputs = [given(operand) for operand in test.main.inputs]
            results, bounds = evaluate(model, inputs), estimate(model, inputs)
        finally:
            close_pools(model)
        for operand, result, bound in zip(test.main.outputs, results, bounds, strict=True):
            assert result.shape == bound.value.shape
            assert not np.isnan(bound.error).any()
            assert operand.is_ignored or compare_estimate(result, bound) is None, case.name
