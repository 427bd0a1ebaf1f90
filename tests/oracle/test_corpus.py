"""The oracle and the spec corpus: what each spec expects is what the operations mean."""

from pathlib import Path

import pytest

from nnvet.conformance.engine.judging import precision_rules
from nnvet.generators.graphs.hal_model import build_model, close_pools
from nnvet.generators.graphs.model import Array, TestModel, TestOperand
from nnvet.generators.specs import load_spec
from nnvet.oracle.execution import evaluate

CORPUS = Path(__file__).parents[2] / "conformance" / "specs"
FILES = {str(path.relative_to(CORPUS)): path for path in sorted(CORPUS.rglob("*.mod.py"))}
EXTENSION = "V1_2/extension_add_fixed64.mod.py"
"""What the operations of extensions mean is not the contract's business."""


@pytest.mark.parametrize("name", [name for name in FILES if "/extension_" not in name])
def test_specs_expect_what_operations_mean(name: str) -> None:
    """Every output has the expected shape and type and, within the precision of the NNAPI, the expected values."""
    for case in load_spec(FILES[name]):
        if case.expect_failure:
            continue
        test = case.build()
        outputs = _outputs(test)
        precision_rules(test, [output.reshape(-1) for output in outputs])
        for output, operand in zip(outputs, test.main.outputs, strict=True):
            assert output.shape == operand.dimensions, case.name
            assert operand.data is None or output.dtype == operand.data.dtype, case.name


def test_operations_of_extensions_have_no_meaning() -> None:
    """They are distinguished from all others."""
    case, *_ = load_spec(FILES[EXTENSION])
    with pytest.raises(KeyError):
        _outputs(case.build())


def _outputs(test: TestModel) -> list[Array]:
    model = build_model(test)
    try:
        return evaluate(model, [_given(operand) for operand in test.main.inputs])
    finally:
        close_pools(model)


def _given(operand: TestOperand) -> Array | None:
    """An input in its shape; one without elements is omitted."""
    if operand.data is None or not operand.data.size:
        return None
    return operand.data.reshape(operand.dimensions)
