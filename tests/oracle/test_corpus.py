"""Three statements of the operations held against one another: each spec, the oracle and the kernels."""

from pathlib import Path

import pytest

from nnvet.conformance.kit.judging import precision_rules
from nnvet.generators.specs import load_spec
from nnvet.graphs.hal_model import build_model
from nnvet.oracle.execution import evaluate
from tests.on_kernels import assert_agree, both, given

CORPUS = Path(__file__).parents[2] / "conformance" / "specs"
FILES = {str(path.relative_to(CORPUS)): path for path in sorted(CORPUS.rglob("*.mod.py"))}
EXTENSION = "V1_2/extension_add_fixed64.mod.py"
"""Spec with operations of an extension: their meaning is not the contract's business."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", [name for name in FILES if "/extension_" not in name])
def test_specs_expect_what_operations_mean(name: str) -> None:
    """Every output of the oracle has the expected shape and, by the rules for specs, values; and so do the kernels'.

    Kernels and oracle agree more closely than the rules ask: codes to the bit.
    """
    for case in load_spec(FILES[name]):
        if case.expect_failure:
            continue
        test = case.build()
        results, outputs = both(test)
        precision_rules(test, [output.reshape(-1) for output in outputs])
        assert [output.shape for output in outputs] == [operand.dimensions for operand in test.main.outputs], case.name
        assert_agree(results, outputs, test.main.outputs)


def test_operations_of_extensions_have_no_meaning() -> None:
    """They are distinguished from all others."""
    case, *_ = load_spec(FILES[EXTENSION])
    test = case.build()
    with pytest.raises(KeyError):
        evaluate(build_model(test), [given(operand) for operand in test.main.inputs])
