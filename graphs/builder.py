"""The builder of test models: :class:`GraphBuilder` adds operands and operations one after the other.

Specs, random graphs and the hand-written models of suites are made with it; ``editor.py`` changes a finished
one. The module also has small models that many tests need: a sum, a product, a loop that counts and one that never
ends.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.graphs.model import TestModel, TestOperand, TestOperation, TestSubgraph, element_type
from nnvet.hal.types import FeatureLevel, OperandLifeTime, OperandType, OperationType, SymmPerChannelQuantParams


class GraphBuilder:
    """Builder of a subgraph. Every method that adds an operand returns its index.

    Inputs and outputs of the subgraph are the operands of these lifetimes, in the order in which they were added.
    """

    def __init__(self) -> None:
        """Start without operands; the first one gets index 0."""
        self._operands: list[TestOperand] = []
        self._operations: list[TestOperation] = []

    def add(self, operand: TestOperand) -> int:
        """Add any operand, and return its index."""
        self._operands.append(operand)
        return len(self._operands) - 1

    def input(self, kind: int, dimensions: tuple[int, ...], data: Any, scale: float = 0.0, zero_point: int = 0) -> int:
        """Add an input with the value for the test, None for an omitted one; return its index."""
        return self._add_with_value(OperandLifeTime.SUBGRAPH_INPUT, kind, dimensions, data, scale, zero_point)

    def input_by_channel(self, dimensions: tuple[int, ...], data: Any, scales: SymmPerChannelQuantParams) -> int:
        """Add an input of TENSOR_QUANT8_SYMM_PER_CHANNEL; return its index."""
        index = self.input(OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL, dimensions, data)
        self._operands[index] = replace(self._operands[index], channel_quant=scales)
        return index

    def constant(
        self, kind: int, dimensions: tuple[int, ...], data: Any, scale: float = 0.0, zero_point: int = 0
    ) -> int:
        """Add a constant that is copied into the model; return its index."""
        return self._add_with_value(OperandLifeTime.CONSTANT_COPY, kind, dimensions, data, scale, zero_point)

    def shared(self, kind: int, dimensions: tuple[int, ...], data: Any, scale: float = 0.0, zero_point: int = 0) -> int:
        """Add a constant in a pool of the model; return its index."""
        return self._add_with_value(OperandLifeTime.CONSTANT_REFERENCE, kind, dimensions, data, scale, zero_point)

    def scalar(self, kind: int, value: float) -> int:
        """Add a constant scalar of the type ``kind``; return its index."""
        return self.constant(kind, (), [value])

    def subgraph(self, index: int) -> int:
        """Add an operand that refers to the subgraph of that index; return the operand's index."""
        return self._add_with_value(OperandLifeTime.SUBGRAPH, OperandType.SUBGRAPH, (), [index], 0.0, 0)

    def temporary(self, kind: int, dimensions: tuple[int, ...], scale: float = 0.0, zero_point: int = 0) -> int:
        """Add an operand that one operation computes and others read; return its index."""
        return self.add(TestOperand(kind, dimensions, scale, zero_point))

    def output(
        self, kind: int, dimensions: tuple[int, ...], expected: Any, scale: float = 0.0, zero_point: int = 0
    ) -> int:
        """Add an output with its expected value; return its index."""
        return self._add_with_value(OperandLifeTime.SUBGRAPH_OUTPUT, kind, dimensions, expected, scale, zero_point)

    def operation(self, kind: int, inputs: tuple[int, ...], *outputs: int) -> int:
        """Append an operation; return the operand index of its first output, -1 without outputs."""
        self._operations.append(TestOperation(kind, inputs, outputs))
        return next(iter(outputs), -1)

    def finish_subgraph(self) -> TestSubgraph:
        """Return the subgraph, after all operations have been added."""
        return TestSubgraph(
            tuple(self._operands),
            tuple(self._operations),
            self._indexes(OperandLifeTime.SUBGRAPH_INPUT),
            self._indexes(OperandLifeTime.SUBGRAPH_OUTPUT),
        )

    def finish(
        self, name: str, level: FeatureLevel = FeatureLevel.FL1, referenced: tuple[TestSubgraph, ...] = ()
    ) -> TestModel:
        """Return the model with this main subgraph, once all operations have been added."""
        return TestModel(name, self.finish_subgraph(), referenced, min_supported_version=level)

    def _add_with_value(
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


_FLOATS: Final = OperandType.TENSOR_FLOAT32
"""Type of the tensors of the small models."""
_FLAG: Final = OperandType.TENSOR_BOOL8
"""Type of the results of comparisons."""
_ONE: Final = (1,)
"""Dimensions of a tensor of one element."""


def sum_of_two(name: str, a: Any, b: Any, expected: Any) -> TestModel:
    """Return ADD of two float32 inputs; the arguments are nested lists, which determine the dimensions."""
    return _make_binary(name, OperationType.ADD, a, b, expected)


def product_of_two(name: str, a: Any, b: Any, expected: Any) -> TestModel:
    """Return MUL of two float32 inputs; see :func:`sum_of_two`."""
    return _make_binary(name, OperationType.MUL, a, b, expected)


def _make_binary(name: str, operation: OperationType, a: Any, b: Any, expected: Any) -> TestModel:
    graph = GraphBuilder()
    inputs = tuple(graph.input(_FLOATS, np.shape(value), value) for value in (a, b))
    activation = graph.scalar(OperandType.INT32, 0)
    graph.operation(operation, (*inputs, activation), graph.output(_FLOATS, np.shape(expected), expected))
    return graph.finish(name)


def counting_loop(rounds: int) -> TestModel:
    """Return a loop that counts from 0 to ``rounds``, its second input; inputs and result are float32 of shape {1}."""
    return _make_loop("counting_loop", OperationType.LESS, rounds)


def endless_loop() -> TestModel:
    """Return a loop that counts until the driver ends it; the expected result cannot be reached."""
    # The counter is never negative.
    return _make_loop("endless_loop", OperationType.GREATER_EQUAL, 0)


def _make_loop(name: str, comparison: OperationType, limit: int) -> TestModel:
    graph = GraphBuilder()
    start, end = graph.input(_FLOATS, _ONE, [0]), graph.input(_FLOATS, _ONE, [limit])
    inputs = (graph.subgraph(0), graph.subgraph(1), start, end)
    graph.operation(OperationType.WHILE, inputs, graph.output(_FLOATS, _ONE, [limit]))
    return graph.finish(name, FeatureLevel.FL4, (_make_condition(comparison), _make_body()))


def _make_condition(comparison: OperationType) -> TestSubgraph:
    graph = GraphBuilder()
    inputs = graph.input(_FLOATS, _ONE, []), graph.input(_FLOATS, _ONE, [])
    graph.operation(comparison, inputs, graph.output(_FLAG, _ONE, []))
    return graph.finish_subgraph()


def _make_body() -> TestSubgraph:
    graph = GraphBuilder()
    counter, _ = graph.input(_FLOATS, _ONE, []), graph.input(_FLOATS, _ONE, [])
    step, activation = graph.constant(_FLOATS, _ONE, [1]), graph.scalar(OperandType.INT32, 0)
    graph.operation(OperationType.ADD, (counter, step, activation), graph.output(_FLOATS, _ONE, []))
    return graph.finish_subgraph()
