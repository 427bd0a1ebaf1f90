"""Models of one operation from declarations: valid, complete, and agreeing with the validator's own matching."""

from itertools import islice

import pytest

from nnvet.generators.operation_models import all_forms, forms_of, model_of, takes
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.binding import bind
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Argument
from nnvet.hal.types import OperandType, OperationType
from nnvet.hal.validation import validate_model

T = OperandType
FLOAT, QUANT8, INT = T.TENSOR_FLOAT32, T.TENSOR_QUANT8_ASYMM, T.INT32


def test_every_form_is_valid() -> None:
    """The validator takes each of them; control flow has none, every other operation some."""
    names = set()
    for form in all_forms():
        validate_model(model_of(form))
        names.add(form.declaration.name)
    assert names == {op.name for op in OperationType} - {"IF", "WHILE", "OEM_OPERATION"}


@pytest.mark.parametrize(
    ("operation", "inputs", "outputs", "is_form"),
    [
        (OperationType.ADD, (FLOAT, FLOAT, INT), (FLOAT,), True),
        (OperationType.ADD, (FLOAT, QUANT8, INT), (FLOAT,), False),
        (OperationType.ADD, (FLOAT, FLOAT), (FLOAT,), False),
        (OperationType.SOFTMAX, (FLOAT, T.FLOAT32), (FLOAT,), True),
        (OperationType.SOFTMAX, (FLOAT, T.FLOAT32, INT), (FLOAT,), True),
        (OperationType.SOFTMAX, (T.TENSOR_FLOAT16, T.FLOAT32), (T.TENSOR_FLOAT16,), False),
        (OperationType.CONCATENATION, (QUANT8, INT), (QUANT8,), True),
        (OperationType.CONCATENATION, (QUANT8, QUANT8, QUANT8, QUANT8, INT), (QUANT8,), True),
        (OperationType.CONCATENATION, (INT,), (QUANT8,), False),
        (OperationType.SPLIT, (FLOAT, INT, INT), (FLOAT, FLOAT, FLOAT), True),
        (OperationType.SPLIT, (FLOAT, INT, INT), (FLOAT, QUANT8), False),
        (OperationType.TOPK_V2, (FLOAT, INT), (FLOAT, T.TENSOR_INT32), True),
        (OperationType.TOPK_V2, (FLOAT, INT), (FLOAT,), False),
        (OperationType.RANK, (T.TENSOR_BOOL8,), (INT,), True),
    ],
)
def test_forms_of_some_operations(
    operation: OperationType, inputs: tuple[int, ...], outputs: tuple[int, ...], is_form: bool
) -> None:
    """Lists of types that the operations' pages name, and some that they do not."""
    assert takes(declarations()[operation], inputs, outputs) == is_form


def test_what_is_taken_is_what_the_validator_binds() -> None:
    """Two implementations read the declarations: for every form with one other type they agree."""
    kinds = [kind for kind in OPERAND_TYPES if kind != T.SUBGRAPH]
    for number, form in enumerate(all_forms()):
        types = (*form.inputs, *form.outputs)
        count = len(form.inputs)
        retyped = [(*types[:i], kind, *types[i + 1 :]) for i in range(len(types)) for kind in kinds]
        for changed in islice(retyped, number % 5, None, 5):
            inputs, outputs = changed[:count], changed[count:]
            try:
                bind(form.declaration, [Argument(kind) for kind in inputs], [Argument(kind) for kind in outputs])
                binds = True
            except HalError:
                binds = False
            assert takes(form.declaration, inputs, outputs) == binds, (form.declaration.name, changed)


def test_forms_by_hand() -> None:
    """ADD has one list for each of five types, L2_POOL_2D lists of four lengths for each of two."""
    lengths = {
        op: [len(form.inputs) for form in forms_of(declarations()[op])]
        for op in (OperationType.ADD, OperationType.L2_POOL_2D)
    }
    assert lengths[OperationType.ADD] == [3] * 5
    assert sorted(lengths[OperationType.L2_POOL_2D]) == [7, 7, 8, 8, 10, 10, 11, 11]
