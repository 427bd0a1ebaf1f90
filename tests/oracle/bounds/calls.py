"""Estimates of one operation, from a model that has nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.hal_model import build_model
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import Model
from nnvet.oracle.bounds.execution import estimate
from nnvet.oracle.bounds.precision import Estimate

Operand = tuple[OperandType, Any, float, int]
"""Type, array or number, scale, zero point."""


def floats(values: Any, kind: OperandType = OperandType.TENSOR_FLOAT32) -> Operand:
    """A tensor of floats."""
    return kind, np.asarray(values, type_info(kind).dtype), 0.0, 0


def codes(values: Any, scale: float, zero_point: int, kind: OperandType = OperandType.TENSOR_QUANT8_ASYMM) -> Operand:
    """A tensor of codes."""
    return kind, np.asarray(values, type_info(kind).dtype), scale, zero_point


def integers(values: Any) -> Operand:
    """A tensor of TENSOR_INT32."""
    return OperandType.TENSOR_INT32, np.asarray(values, np.int32), 0.0, 0


def number(value: float, kind: OperandType = OperandType.INT32) -> Operand:
    """A scalar."""
    return kind, np.asarray(value, type_info(kind).dtype), 0.0, 0


def single(
    operation: OperationType, inputs: list[Operand], outputs: list[Operand], *, relaxed: bool = False
) -> tuple[Model, list[Any]]:
    """A model of one operation, whose tensors are its inputs, and their arrays; ``outputs`` have types alone."""
    graph = GraphBuilder()
    positions, arrays = [], []
    for kind, array, scale, zero_point in inputs:
        if type_info(kind).is_tensor:
            positions.append(graph.input(kind, array.shape, array, scale, zero_point))
            arrays.append(array)
        else:
            positions.append(graph.scalar(kind, array.item()))
    results = [graph.output(kind, (), None, scale, zero_point) for kind, _, scale, zero_point in outputs]
    graph.operation(operation, tuple(positions), *results)
    model = build_model(TestModel("single", graph.finish_subgraph(), is_relaxed=relaxed))
    return model, arrays


def estimated(
    operation: OperationType, inputs: list[Operand], *outputs: Operand, relaxed: bool = False
) -> list[Estimate]:
    """Estimates of an operation's outputs; of one output like the first input, if none is given."""
    kind, _, scale, zero_point = inputs[0]
    model, arrays = single(operation, inputs, list(outputs) or [(kind, None, scale, zero_point)], relaxed=relaxed)
    return estimate(model, arrays)
