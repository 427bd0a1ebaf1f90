"""The one builder of test models: operand by operand, operation by operation."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace

from nnvet.generators.graphs.model import TestModel, TestOperand, TestOperation, TestSubgraph, element_type
from nnvet.hal.types import FeatureLevel, OperandLifeTime, OperandType, SymmPerChannelQuantParams


class GraphBuilder:
    """A subgraph in the making. Every method that adds an operand returns its index.

    Inputs and outputs of the subgraph are the operands of these lifetimes, in the order in which they were added.
    """

    def __init__(self) -> None:
        """No operand yet: the first one added has index 0."""
        self._operands: list[TestOperand] = []
        self._operations: list[TestOperation] = []

    def add(self, operand: TestOperand) -> int:
        """Add any operand; its index."""
        self._operands.append(operand)
        return len(self._operands) - 1

    def input(self, kind: int, dimensions: tuple[int, ...], data: Any, scale: float = 0.0, zero_point: int = 0) -> int:
        """An input with the value for the test; None: it is omitted."""
        return self._valued(OperandLifeTime.SUBGRAPH_INPUT, kind, dimensions, data, scale, zero_point)

    def input_by_channel(self, dimensions: tuple[int, ...], data: Any, scales: SymmPerChannelQuantParams) -> int:
        """An input of TENSOR_QUANT8_SYMM_PER_CHANNEL."""
        index = self.input(OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL, dimensions, data)
        self._operands[index] = replace(self._operands[index], channel_quant=scales)
        return index

    def constant(
        self, kind: int, dimensions: tuple[int, ...], data: Any, scale: float = 0.0, zero_point: int = 0
    ) -> int:
        """A constant that is part of the model."""
        return self._valued(OperandLifeTime.CONSTANT_COPY, kind, dimensions, data, scale, zero_point)

    def shared(self, kind: int, dimensions: tuple[int, ...], data: Any, scale: float = 0.0, zero_point: int = 0) -> int:
        """A constant in a pool of the model."""
        return self._valued(OperandLifeTime.CONSTANT_REFERENCE, kind, dimensions, data, scale, zero_point)

    def scalar(self, kind: int, value: float) -> int:
        """A constant scalar of the type ``kind``; its index."""
        return self.constant(kind, (), [value])

    def subgraph(self, index: int) -> int:
        """The referenced subgraph of that index, as an operand."""
        return self._valued(OperandLifeTime.SUBGRAPH, OperandType.SUBGRAPH, (), [index], 0.0, 0)

    def temporary(self, kind: int, dimensions: tuple[int, ...], scale: float = 0.0, zero_point: int = 0) -> int:
        """A value between operations; its index."""
        return self.add(TestOperand(kind, dimensions, scale, zero_point))

    def output(
        self, kind: int, dimensions: tuple[int, ...], expected: Any, scale: float = 0.0, zero_point: int = 0
    ) -> int:
        """An output with the value that it must have."""
        return self._valued(OperandLifeTime.SUBGRAPH_OUTPUT, kind, dimensions, expected, scale, zero_point)

    def operation(self, kind: int, inputs: tuple[int, ...], *outputs: int) -> int:
        """An operation, behind those that were added before; returns the index of its (first) output, -1 for none."""
        self._operations.append(TestOperation(kind, inputs, outputs))
        return next(iter(outputs), -1)

    def finish_subgraph(self) -> TestSubgraph:
        """The subgraph, once all operations are there."""
        return TestSubgraph(
            tuple(self._operands),
            tuple(self._operations),
            self._indexes(OperandLifeTime.SUBGRAPH_INPUT),
            self._indexes(OperandLifeTime.SUBGRAPH_OUTPUT),
        )

    def finish(
        self, name: str, level: FeatureLevel = FeatureLevel.FL1, referenced: tuple[TestSubgraph, ...] = ()
    ) -> TestModel:
        """The model whose main subgraph this is, once all operations are there."""
        return TestModel(name, self.finish_subgraph(), referenced, min_supported_version=level)

    def _valued(
        self,
        lifetime: OperandLifeTime,
        kind: int,
        dimensions: tuple[int, ...],
        data: Any,
        scale: float,
        zero_point: int,
    ) -> int:
        array = np.asarray(() if data is None else data, element_type(kind)).reshape(-1)
        return self.add(TestOperand(kind, dimensions, scale, zero_point, lifetime, data=array))

    def _indexes(self, lifetime: OperandLifeTime) -> tuple[int, ...]:
        return tuple(index for index, operand in enumerate(self._operands) if operand.lifetime == lifetime)
