"""The models of the checks of compilation caching: structure, and values by hand or by NumPy.

Source of the structure: docs/contract/vts-tests.md 5.3.
"""

import numpy as np
import pytest

from nnvet.conformance.suites.caching.networks import CHAIN_LENGTH, chain, small_mobilenet
from nnvet.graphs.hal_model import build_model
from nnvet.graphs.model import operation_name
from nnvet.hal.enums import FeatureLevel, OperandLifeTime, OperandType, OperationType
from nnvet.hal.validation import validate_model

TYPES = (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_QUANT8_ASYMM)
EXPECTED = {OperationType.ADD: 101, OperationType.MUL: 1}


@pytest.mark.parametrize("operand_type", TYPES)
@pytest.mark.parametrize("operation", EXPECTED)
def test_chains(operation: OperationType, operand_type: OperandType) -> None:
    """100 operations in a row on tensors of one element; real values give the result that the test expects."""
    test = chain(operation, operand_type)
    validate_model(build_model(test), FeatureLevel.FL1)
    main = test.main
    assert [step.type for step in main.operations] == [operation] * CHAIN_LENGTH
    assert all(
        step.inputs[0] == before.outputs[0] for before, step in zip(main.operations, main.operations[1:], strict=False)
    )
    values = [
        None if operand.data is None else operand.data.astype(np.float64) * (operand.scale or 1.0)
        for operand in main.operands
    ]
    real = values[main.input_indexes[0]]
    for step in main.operations:
        constant = values[step.inputs[1]]
        assert constant is not None
        assert real is not None
        assert constant.tolist() == [1.0]
        assert main.operands[step.inputs[1]].lifetime == OperandLifeTime.CONSTANT_COPY
        real = real + constant if operation is OperationType.ADD else real * constant
    assert real is not None
    assert real.tolist() == [EXPECTED[operation]]
    assert main.outputs[0].data is not None
    assert main.outputs[0].data.tolist() == [EXPECTED[operation]]


def test_chains_differ_in_operations_and_quantised_constants_only() -> None:
    """The two chains of a type have files of the same form, so that one can take the other's place."""
    for operand_type in TYPES:
        add, mul = (chain(operation, operand_type).main for operation in EXPECTED)
        assert [step.inputs for step in add.operations] == [step.inputs for step in mul.operations]
        assert [operand.dimensions for operand in add.operands] == [operand.dimensions for operand in mul.operands]


@pytest.mark.parametrize("operand_type", TYPES)
def test_the_small_mobilenet(operand_type: OperandType) -> None:
    """A valid model of level 1 with the layers of a MobileNet, and a picture that is not flat."""
    test = small_mobilenet(operand_type)
    validate_model(build_model(test), FeatureLevel.FL1)
    names = [operation_name(step.type) for step in test.main.operations]
    assert names == [
        "CONV_2D",
        *["DEPTHWISE_CONV_2D", "CONV_2D"] * 3,
        "AVERAGE_POOL_2D",
        "RESHAPE",
        "FULLY_CONNECTED",
        "SOFTMAX",
    ]
    picture = test.main.inputs[0]
    assert picture.data is not None
    assert picture.data.std() > 0.5
    assert test.main.outputs[0].dimensions == (1, 10)


def test_equal_networks() -> None:
    """The network is the same every time."""
    first, second = (build_model(small_mobilenet(TYPES[0])) for _ in range(2))
    assert first == second
