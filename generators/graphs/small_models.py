"""Small models for any purpose: a sum, a product, a loop that counts and one that never ends."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.model import TestModel, TestSubgraph
from nnvet.hal.types import FeatureLevel, OperandType, OperationType

_FLOATS: Final = OperandType.TENSOR_FLOAT32
_FLAG: Final = OperandType.TENSOR_BOOL8
_ONE: Final = (1,)


def sum_of_two(name: str, a: Any, b: Any, expected: Any) -> TestModel:
    """ADD of two float32 inputs; arguments are nested lists, which tell the dimensions."""
    return _binary(name, OperationType.ADD, a, b, expected)


def product_of_two(name: str, a: Any, b: Any, expected: Any) -> TestModel:
    """MUL of two float32 inputs; see :func:`sum_of_two`."""
    return _binary(name, OperationType.MUL, a, b, expected)


def _binary(name: str, operation: OperationType, a: Any, b: Any, expected: Any) -> TestModel:
    graph = GraphBuilder()
    inputs = tuple(graph.input(_FLOATS, np.shape(value), value) for value in (a, b))
    activation = graph.scalar(OperandType.INT32, 0)
    graph.operation(operation, (*inputs, activation), graph.output(_FLOATS, np.shape(expected), expected))
    return graph.finish(name)


def counting_loop(rounds: int) -> TestModel:
    """Counts from 0 to ``rounds``, which is the second input; both inputs and the result are float32 of shape {1}."""
    return _loop("counting_loop", OperationType.LESS, rounds)


def endless_loop() -> TestModel:
    """Counts for as long as the driver lets it; the expected result cannot be reached."""
    # The counter is never negative.
    return _loop("endless_loop", OperationType.GREATER_EQUAL, 0)


def _loop(name: str, comparison: OperationType, limit: int) -> TestModel:
    graph = GraphBuilder()
    start, end = graph.input(_FLOATS, _ONE, [0]), graph.input(_FLOATS, _ONE, [limit])
    inputs = (graph.subgraph(0), graph.subgraph(1), start, end)
    graph.operation(OperationType.WHILE, inputs, graph.output(_FLOATS, _ONE, [limit]))
    return graph.finish(name, FeatureLevel.FL4, (_condition(comparison), _body()))


def _condition(comparison: OperationType) -> TestSubgraph:
    graph = GraphBuilder()
    inputs = graph.input(_FLOATS, _ONE, []), graph.input(_FLOATS, _ONE, [])
    graph.operation(comparison, inputs, graph.output(_FLAG, _ONE, []))
    return graph.finish_subgraph()


def _body() -> TestSubgraph:
    graph = GraphBuilder()
    counter, _ = graph.input(_FLOATS, _ONE, []), graph.input(_FLOATS, _ONE, [])
    step, activation = graph.constant(_FLOATS, _ONE, [1]), graph.scalar(OperandType.INT32, 0)
    graph.operation(OperationType.ADD, (counter, step, activation), graph.output(_FLOATS, _ONE, []))
    return graph.finish_subgraph()
