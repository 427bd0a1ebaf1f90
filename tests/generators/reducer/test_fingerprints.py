"""Fingerprints of reduced graphs: what they are equal for, and what sets them apart."""

from collections.abc import Sequence

import numpy as np

from nnvet.generators.reducer import fingerprint
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import TestModel
from nnvet.hal.types import OperandType
from tests.generators.reducer.planted import FLOAT, OTHER, WRONG, O, chain


def _diamond(order: Sequence[int], *, joined: bool = True) -> TestModel:
    """TANH and FLOOR of one value, or of two, added; the two in either order."""
    graph = GraphBuilder()
    value = graph.input(FLOAT, (2,), [0.5, 1.5])
    other = value if joined else graph.input(FLOAT, (2,), [0.5, 1.5])
    results = {kind: graph.temporary(FLOAT, (2,)) for kind in order}
    for kind in order:
        graph.operation(kind, (value if kind == O.TANH else other,), results[kind])
    none = graph.scalar(OperandType.INT32, 0)
    graph.operation(O.ADD, (results[O.TANH], results[O.FLOOR], none), graph.output(FLOAT, (2,), [0, 0]))
    return graph.finish("diamond")


def test_sizes_and_values_do_not_matter() -> None:
    """Graphs of one shape have one fingerprint."""
    one, other = chain(O.TANH, O.FLOOR), chain(O.TANH, O.FLOOR, dimensions=(7, 1, 2))
    assert fingerprint(WRONG, one) == fingerprint(WRONG, other)
    assert len(fingerprint(WRONG, one)) == 12
    assert int(fingerprint(WRONG, one), 16) >= 0


def test_the_order_of_independent_operations_does_not_matter() -> None:
    """Nor do the numbers of operands."""
    assert fingerprint(WRONG, _diamond((O.TANH, O.FLOOR))) == fingerprint(WRONG, _diamond((O.FLOOR, O.TANH)))


def test_operations_wiring_types_verdict_and_rule_matter() -> None:
    """Each of them alone makes another fingerprint."""
    half = chain(O.TANH, O.FLOOR)
    quantised = GraphBuilder()
    source = quantised.input(OperandType.TENSOR_FLOAT16, (2,), np.zeros(2))
    middle = quantised.operation(O.TANH, (source,), quantised.temporary(OperandType.TENSOR_FLOAT16, (2,)))
    quantised.operation(O.FLOOR, (middle,), quantised.output(OperandType.TENSOR_FLOAT16, (2,), np.zeros(2)))
    found = [
        fingerprint(WRONG, half),
        fingerprint(OTHER, half),
        fingerprint(WRONG, chain(O.FLOOR, O.TANH)),
        fingerprint(WRONG, chain(O.TANH)),
        fingerprint(WRONG, quantised.finish("half")),
        fingerprint(WRONG, _diamond((O.TANH, O.FLOOR))),
        fingerprint(WRONG, _diamond((O.TANH, O.FLOOR), joined=False)),
    ]
    assert len(set(found)) == len(found)
