"""Operations whose outputs take over the input's quantisation refuse model outputs that declare another (1.1)."""

import pytest

from nnvet.hal.enums import ErrorStatus, OperationType
from nnvet.hal.enums import OperandType as T
from nnvet.hal.errors import HalError
from nnvet.hal.operations.declaration import Argument
from tests.single import output, run_single, tensor

CODES = tensor(T.TENSOR_QUANT8_ASYMM, [[1, 2], [3, 4]], 0.5, 3)
OTHER = output(T.TENSOR_QUANT8_ASYMM, 0.25, 3)


def ints(*values: int) -> Argument:
    """A TENSOR_INT32."""
    return tensor(T.TENSOR_INT32, values)


CALLS = [
    (OperationType.RESHAPE, [CODES, ints(4)]),
    (OperationType.SQUEEZE, [tensor(T.TENSOR_QUANT8_ASYMM, [[1, 2]], 0.5, 3), ints(0)]),
    (OperationType.TRANSPOSE, [CODES, ints(1, 0)]),
    (OperationType.EXPAND_DIMS, [CODES, tensor(T.INT32, 0)]),
]


@pytest.mark.parametrize(("operation", "inputs"), CALLS, ids=[call[0].name for call in CALLS])
def test_other_quantization_is_refused(operation: OperationType, inputs: list[Argument]) -> None:
    """An output scale other than the input's fails the execution."""
    with pytest.raises(HalError) as caught:
        run_single(operation, inputs, [OTHER])
    assert caught.value.rule == f"{operation.name}/output.quantization"
    assert caught.value.status == ErrorStatus.GENERAL_FAILURE
