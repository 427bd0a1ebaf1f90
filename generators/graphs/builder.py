"""A builder of small test models that are written by hand, operand by operand."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnvet.generators.graphs.model import TestModel, TestOperand, TestOperation, TestSubgraph, consumers, element_type
from nnvet.hal.types import FeatureLevel, OperandLifeTime, OperandType, OperationType


class GraphBuilder:
    """A model in the making. Every method that adds an operand returns its index."""

    def __init__(self) -> None:
        """Begin without operands."""
        self._operands: list[TestOperand] = []
        self._operations: list[TestOperation] = []

    def input(self, kind: int, dimensions: tuple[int, ...], data: Any, scale: float = 0.0, zero_point: int = 0) -> int:
        """An input with the value for the test; None: it is omitted."""
        return self._add(OperandLifeTime.SUBGRAPH_INPUT, kind, dimensions, data, scale, zero_point)

    def constant(
        self, kind: int, dimensions: tuple[int, ...], data: Any, scale: float = 0.0, zero_point: int = 0
    ) -> int:
        """A constant that is part of the model."""
        return self._add(OperandLifeTime.CONSTANT_COPY, kind, dimensions, data, scale, zero_point)

    def shared(self, kind: int, dimensions: tuple[int, ...], data: Any, scale: float = 0.0, zero_point: int = 0) -> int:
        """A constant in a pool of the model."""
        return self._add(OperandLifeTime.CONSTANT_REFERENCE, kind, dimensions, data, scale, zero_point)

    def scalar(self, kind: int, value: float) -> int:
        """A constant scalar."""
        return self.constant(kind, (), [value])

    def subgraph(self, index: int) -> int:
        """The referenced subgraph of that index, as an operand."""
        return self._add(OperandLifeTime.SUBGRAPH, OperandType.SUBGRAPH, (), [index], 0.0, 0)

    def temporary(self, kind: int, dimensions: tuple[int, ...], scale: float = 0.0, zero_point: int = 0) -> int:
        """A temporary."""
        return self._add(OperandLifeTime.TEMPORARY_VARIABLE, kind, dimensions, None, scale, zero_point)

    def output(
        self, kind: int, dimensions: tuple[int, ...], expected: Any, scale: float = 0.0, zero_point: int = 0
    ) -> int:
        """An output with the value that it must have."""
        return self._add(OperandLifeTime.SUBGRAPH_OUTPUT, kind, dimensions, expected, scale, zero_point)

    def operation(self, kind: OperationType, inputs: tuple[int, ...], output: int, *more: int) -> int:
        """An operation, behind those that were added before; returns the index of its (first) output."""
        self._operations.append(TestOperation(kind, inputs, (output, *more)))
        return output

    def finish(self, name: str, level: FeatureLevel = FeatureLevel.FL1) -> TestModel:
        """The model, once all operations are there; inputs and outputs in the order in which they were added."""
        for operand, count in zip(self._operands, consumers(self._operations, len(self._operands)), strict=True):
            operand.number_of_consumers = count
        main = TestSubgraph(
            self._operands,
            self._operations,
            self._indexes(OperandLifeTime.SUBGRAPH_INPUT),
            self._indexes(OperandLifeTime.SUBGRAPH_OUTPUT),
        )
        return TestModel(name, main, min_supported_version=level)

    def _add(
        self,
        lifetime: OperandLifeTime,
        kind: int,
        dimensions: tuple[int, ...],
        data: Any,
        scale: float,
        zero_point: int,
    ) -> int:
        has_data = lifetime is not OperandLifeTime.TEMPORARY_VARIABLE
        values = () if data is None else data
        array = np.asarray(values, element_type(kind)).reshape(-1) if has_data else None
        self._operands.append(
            TestOperand(kind, dimensions, scale=scale, zero_point=zero_point, lifetime=lifetime, data=array)
        )
        return len(self._operands) - 1

    def _indexes(self, lifetime: OperandLifeTime) -> tuple[int, ...]:
        return tuple(index for index, operand in enumerate(self._operands) if operand.lifetime == lifetime)
