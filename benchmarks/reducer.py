"""Measures to which size the reducer brings failing graphs, and how many executions it needs.

``python benchmarks/reducer.py [GRAPHS]`` makes random graphs of thirty operations and, for each, drivers with a fault
of two operations: the result of every operation of one kind is wrong where one of another kind feeds it. A failing
graph is reduced within 200 executions by the engine of ``nnvet reduce``, with the driver in this process. Faults that
no output shows are counted separately.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from nnvet.conformance.engine.driver import open_subject
from nnvet.conformance.engine.retesting import Retester, manner_of
from nnvet.conformance.engine.target import Target
from nnvet.generators.random_graphs.golden import with_golden_results
from nnvet.generators.random_graphs.named import GraphTest
from nnvet.generators.random_graphs.shapes import NARROW
from nnvet.generators.reducer import reduce
from nnvet.graphs.model import TestModel, operation_name
from nnvet.hal.enums import OperandType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.reference_driver.compiled import CompiledOperation
from nnvet.reference_driver.kernels.registry import Kernel
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice

_OPERATIONS = 30
_BUDGET = 200
_FAULTS = 5
"""Number of planted pairs of operations for each graph."""
_SMALL = 3
_KINDS = (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_FLOAT16, OperandType.TENSOR_INT32, OperandType.TENSOR_BOOL8)
_JUDGED_AS = "TestRandomGraph/RandomGraphTest.LargeGraph_TENSOR_FLOAT32_Rank4/0"


class FaultyPair(FullDevice):
    """Driver that computes an operation of kind ``second`` wrongly if its input comes from one of kind ``first``."""

    def __init__(self, first: int, second: int) -> None:
        """Keep the two kinds of operations."""
        super().__init__()
        self._pair = first, second

    def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
        """Exchange the kernels of a model."""
        prepared = super().build(model, config)
        first, second = self._pair
        fed = {index for operation in model.main.operations if operation.type == first for index in operation.outputs}
        for step in prepared.compiled.main.operations:
            is_second = isinstance(step, CompiledOperation) and step.operation.type == second
            if is_second and not fed.isdisjoint(step.operation.inputs):
                step.kernel = partial(_wrong, step.kernel)
        return prepared


def _wrong(kernel: Kernel, call: Call) -> object:
    """Return a wrong result: truth values inverted, codes mirrored, numbers times 1.5 plus 1."""
    results = kernel(call)
    first, *others = results if isinstance(results, tuple) else (results,)
    kind = call.outputs[0].type
    if kind == OperandType.TENSOR_BOOL8:
        first = 1 - first
    elif first.dtype.kind == "f":
        first = (first * 1.5 + 1).astype(first.dtype)
    else:
        first = np.invert(first)
    return (first, *others) if isinstance(results, tuple) else first


@dataclass(frozen=True)
class Measured:
    """Result for one fault: operations left, executions, and seconds; None: no output shows the fault."""

    name: str
    operations: int
    executions: int
    seconds: float


def pairs_of(test: TestModel) -> list[tuple[int, int]]:
    """Return a few pairs of kinds of operations of which one feeds the other, spread over the graph."""
    maker = {index: operation.type for operation in test.main.operations for index in operation.outputs}
    found = [(maker[i], operation.type) for operation in test.main.operations for i in operation.inputs if i in maker]
    distinct = list(dict.fromkeys(found))
    return distinct[:: max(1, len(distinct) // _FAULTS)][:_FAULTS]


def measure(test: TestModel, first: int, second: int) -> Measured | None:
    """Reduce a graph on a driver with a fault."""
    name = f"{operation_name(first)} feeds {operation_name(second)} in {test.name}"
    target = Target("planted", in_process=True, factory=lambda: FaultyPair(first, second))
    with open_subject(target) as subject:
        retester = Retester(subject, manner_of(_JUDGED_AS, subject.feature_level))
        identity = retester.fails(test)
        if identity is None:
            return None
        begin = time.perf_counter()
        found = reduce(test, retester.fails, identity, _BUDGET)
        seconds = time.perf_counter() - begin
    return Measured(name, len(found.test.main.operations), found.executions, seconds)


def graphs(count: int) -> Iterator[TestModel]:
    """Yield graphs of all primary types and ranks in turn."""
    for seed in range(count):
        kind, rank = _KINDS[seed % len(_KINDS)], 1 + (seed // len(_KINDS)) % 4
        yield with_golden_results(GraphTest("Thirty", _OPERATIONS, NARROW, kind, rank).make(seed))


def main(count: int) -> None:
    """Measure and print."""
    tried = [measure(test, *pair) for test in graphs(count) for pair in pairs_of(test)]
    found = [reduction for reduction in tried if reduction is not None]
    for reduction in found:
        if reduction.operations > _SMALL:
            print(f"{reduction.name}: {reduction.operations} operations after {reduction.executions} executions")
    small = sum(reduction.operations <= _SMALL for reduction in found)
    executions = [reduction.executions for reduction in found]
    print(f"{len(tried)} faults of two operations in {count} graphs of {_OPERATIONS}, {len(found)} of them seen")
    print(f"{100 * small / len(found):.1f} % reduced to {_SMALL} operations or fewer within {_BUDGET} executions")
    print(f"executions: median {statistics.median(executions):.0f}, most {max(executions)}")
    print(f"seconds: median {statistics.median(reduction.seconds for reduction in found):.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 80)
