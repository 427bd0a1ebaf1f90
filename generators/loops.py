"""Models with a WHILE loop: one that counts, and one that never ends."""

from __future__ import annotations

from typing import Final

from nnvet.generators.graph import Graph
from nnvet.generators.test_model import TestModel, TestSubgraph
from nnvet.hal.types import FeatureLevel, OperandType, OperationType

_COUNT: Final = OperandType.TENSOR_FLOAT32
_FLAG: Final = OperandType.TENSOR_BOOL8
_ONE: Final = (1,)


def counting_loop(rounds: int) -> TestModel:
    """Counts from 0 to ``rounds``, which is the second input; both inputs and the result are float32 of shape {1}."""
    return _loop("counting_loop", OperationType.LESS, rounds)


def endless_loop() -> TestModel:
    """Counts for as long as the driver lets it; the expected result cannot be reached."""
    # The counter is never negative.
    return _loop("endless_loop", OperationType.GREATER_EQUAL, 0)


def _loop(name: str, comparison: OperationType, limit: int) -> TestModel:
    graph = Graph()
    start, end = graph.input(_COUNT, _ONE, [0]), graph.input(_COUNT, _ONE, [limit])
    inputs = (graph.subgraph(0), graph.subgraph(1), start, end)
    graph.operation(OperationType.WHILE, inputs, graph.output(_COUNT, _ONE, [limit]))
    model = graph.finish(name, FeatureLevel.FL4)
    model.referenced = [_condition(comparison), _body()]
    return model


def _condition(comparison: OperationType) -> TestSubgraph:
    graph = Graph()
    inputs = graph.input(_COUNT, _ONE, []), graph.input(_COUNT, _ONE, [])
    graph.operation(comparison, inputs, graph.output(_FLAG, _ONE, []))
    return graph.finish("condition").main


def _body() -> TestSubgraph:
    graph = Graph()
    counter, _ = graph.input(_COUNT, _ONE, []), graph.input(_COUNT, _ONE, [])
    step, activation = graph.constant(_COUNT, _ONE, [1]), graph.scalar(OperandType.INT32, 0)
    graph.operation(OperationType.ADD, (counter, step, activation), graph.output(_COUNT, _ONE, []))
    return graph.finish("body").main
