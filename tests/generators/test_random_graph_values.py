"""What models of one operation compute on the bundled driver: what plain loops compute from the same inputs.

That finds a signature whose parameters do not mean what they should, and a kernel that is wrong for odd shapes.
"""

import numpy as np
import pytest

from nnvet.generators.random_graphs.catalogue import all_signatures
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.float32_golden import convert_to_float32_model
from nnvet.generators.random_graphs.generate import single_operation
from nnvet.generators.random_graphs.golden import computed
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.hal.enums import OperandType
from tests.generators.naive_operations import NAIVE, expected_outputs, inputs_of

SMALL = SizeLimits(8, 300)
SEEDS = 4


def test_every_operation_has_a_naive_form() -> None:
    """Nothing is left out below."""
    assert {one.operation for one in all_signatures()} == NAIVE.keys()


@pytest.mark.parametrize("signature", all_signatures(), ids=lambda one: one.name)
def test_values(signature: OperationSignature) -> None:
    """Results in float32, or in the type itself where nothing is rounded, agree with those of plain loops."""
    for kind in signature.types:
        for seed in range(SEEDS):
            chooser = SeededChooser(f"{signature.name}/{kind.name}/{seed}")
            test = single_operation(chooser, "values", signature, kind, chooser.pick(signature.ranks), SMALL)
            form = convert_to_float32_model(test) or test
            expected = expected_outputs(inputs_of(form, explicit="explicit" in signature.variant))
            for result, wanted, operand in zip(computed(form), expected, form.main.outputs, strict=True):
                assert result.shape == wanted.dims
                if operand.is_ignored:
                    continue
                values = np.array(wanted.values, np.float64).reshape(wanted.dims)
                with np.errstate(over="ignore"):
                    values = values.astype(result.dtype)
                loose = 1e-4 if operand.type == OperandType.TENSOR_FLOAT32 else 0.0
                # Where large terms cancel, what is left is as exact as they are.
                largest = np.abs(values, where=np.isfinite(values), out=np.zeros(values.shape)).max()
                np.testing.assert_allclose(result, values, rtol=loose, atol=loose * max(1.0, largest / 100))
