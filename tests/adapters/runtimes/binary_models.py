"""Models of one operation on two tensors, prepared by a kind of driver and computed in this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from nnvet.adapters import create_device, prepare
from nnvet.driver_kit.base_device import BasePreparedModel
from nnvet.hal.enums import OperandLifeTime, OperandType, OperationType
from nnvet.hal.types import DataLocation, Model, Operand, Operation, Subgraph

FLOATS, INTEGERS = OperandType.TENSOR_FLOAT32, OperandType.TENSOR_INT32
INPUT, OUTPUT = OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT


def binary(
    operation: OperationType,
    kind: OperandType = FLOATS,
    lifetime: int = OperandLifeTime.CONSTANT_COPY,
    scales: tuple[float, float, float] = (0.0, 0.0, 0.0),
    activation: int = 0,
) -> Model:
    """Two vectors of unknown length, and an activation code, which is a constant or a third input."""
    is_constant = lifetime == OperandLifeTime.CONSTANT_COPY
    first, second, result = (Operand(kind, (0,), scale=scale, lifetime=INPUT) for scale in scales)
    code = Operand(OperandType.INT32, lifetime=lifetime, location=DataLocation(0, 0, 4 * is_constant))
    operands = (first, second, code, replace(result, lifetime=OUTPUT))
    main = Subgraph(operands, (Operation(operation, (0, 1, 2), (3,)),), (0, 1) if is_constant else (0, 1, 2), (3,))
    return Model(main, operand_values=activation.to_bytes(4, "little") if is_constant else b"")


def pair(operation: OperationType, kind: OperandType = FLOATS) -> Model:
    """An operation on two vectors of two numbers, by default floats, and nothing else."""
    operand = Operand(kind, (2,), lifetime=INPUT)
    operands = (operand, operand, replace(operand, lifetime=OUTPUT))
    return Model(Subgraph(operands, (Operation(operation, (0, 1), (2,)),), (0, 1), (2,)))


def prepared(selector: str, model: Model) -> BasePreparedModel:
    """The model in the runtime of a selector."""
    made = prepare(create_device(selector), model)
    assert isinstance(made, BasePreparedModel)
    return made


def computed(model: BasePreparedModel, *inputs: Sequence[float], dtype: str = "float32") -> list[Any]:
    """The output of a model for vectors."""
    (result,) = model.compute([np.array(elements, dtype) for elements in inputs])
    values: list[Any] = result.tolist()
    return values
