"""A valid model of two operations, small enough to know all its mutants by hand."""

import numpy as np
import pytest

from nnvet.hal.types import (
    DataLocation,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Operation,
    OperationType,
    Subgraph,
)

INPUT, CONSTANT = OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.CONSTANT_COPY


@pytest.fixture
def model() -> Model:
    """2 = ADD(0, 1), 4 = MUL(2, 0): 0 is an input, 1 a constant, 3 the activation, 2 a temporary, 4 the output.

    Operand 1 has bytes 0 to 8 of the values, operand 3 the four after them. Consumers are counted as in HIDL.
    """
    tensor = OperandType.TENSOR_FLOAT32
    operands = (
        Operand(tensor, (2,), lifetime=INPUT, number_of_consumers=2),
        Operand(tensor, (2,), lifetime=CONSTANT, location=DataLocation(length=8), number_of_consumers=1),
        Operand(tensor, (2,), number_of_consumers=1),
        Operand(OperandType.INT32, lifetime=CONSTANT, location=DataLocation(offset=8, length=4), number_of_consumers=2),
        Operand(tensor, (2,), lifetime=OperandLifeTime.SUBGRAPH_OUTPUT, number_of_consumers=0),
    )
    operations = (Operation(OperationType.ADD, (0, 1, 3), (2,)), Operation(OperationType.MUL, (2, 0, 3), (4,)))
    values = np.array([10, 20], np.float32).tobytes() + np.int32(0).tobytes()
    return Model(Subgraph(operands, operations, (0,), (4,)), operand_values=values)
