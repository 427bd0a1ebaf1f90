"""Graphs for tests of the reducer, and failures that are planted in them: predicates that say which models fail."""

from collections.abc import Callable

import numpy as np

from nnvet.generators.reducer import Identity
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import TestModel
from nnvet.hal.types import OperandType, OperationType
from nnvet.reports.events import Verdict

O = OperationType  # noqa: E741 - as in tables of operations
FLOAT = OperandType.TENSOR_FLOAT32
WRONG = Identity(Verdict.FAIL, "execution/output.value")
OTHER = Identity(Verdict.CRASH, "driver/crash")


def chain(*kinds: OperationType, dimensions: tuple[int, ...] = (2, 3)) -> TestModel:
    """Return a chain of operations with one input each, whose input is numbers from -1 to 1."""
    graph = GraphBuilder()
    last = graph.input(FLOAT, dimensions, np.linspace(-1, 1, int(np.prod(dimensions))))
    for kind in kinds[:-1]:
        last = graph.operation(kind, (last,), graph.temporary(FLOAT, dimensions))
    graph.operation(kinds[-1], (last,), graph.output(FLOAT, dimensions, np.zeros(int(np.prod(dimensions)))))
    return graph.finish("chain")


def kinds_of(test: TestModel) -> list[int]:
    """Return the types of the operations of the main subgraph, in order."""
    return [operation.type for operation in test.main.operations]


def feeds(test: TestModel, first: int, second: int) -> bool:
    """Return True if an operation of type ``second`` reads the output of one of type ``first``."""
    maker = {index: operation.type for operation in test.main.operations for index in operation.outputs}
    return any(
        maker.get(index) == first
        for operation in test.main.operations
        if operation.type == second
        for index in operation.inputs
    )


class Counting:
    """Judge that records the models that it was asked about; ``judge`` gives the identity of the failure."""

    def __init__(self, judge: Callable[[TestModel], Identity | None]) -> None:
        """Nothing was asked yet."""
        self.judge = judge
        self.asked: list[TestModel] = []

    def __call__(self, test: TestModel) -> Identity | None:
        """Return the failure."""
        self.asked.append(test)
        return self.judge(test)
