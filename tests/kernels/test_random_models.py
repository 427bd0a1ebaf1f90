"""The kernels and the oracle on random models of one operation: two statements of each operation, one result.

That finds a kernel that is wrong for odd shapes, and a signature whose parameters do not mean what they should.
"""

import pytest

from nnvet.generators.random_graphs.catalogue import all_signatures
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.generate import single_operation
from nnvet.generators.random_graphs.golden import convert_to_float32_model
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.generators.random_graphs.signature import OperationSignature
from tests.on_kernels import assert_agree, both

SMALL = SizeLimits(8, 300)
SEEDS = 4


@pytest.mark.sampled(3)
@pytest.mark.parametrize("signature", all_signatures(), ids=lambda signature: signature.name)
def test_kernels_agree_with_the_oracle(signature: OperationSignature) -> None:
    """Integers, codes and truth values agree to the bit, floats within their rounding, in each type and in float32."""
    for kind in signature.types:
        for seed in range(SEEDS):
            chooser = SeededChooser(f"{signature.name}/{kind.name}/{seed}")
            test = single_operation(chooser, "values", signature, kind, chooser.pick(signature.ranks), SMALL)
            for form in filter(None, (test, convert_to_float32_model(test))):
                assert_agree(*both(form), form.main.outputs)
