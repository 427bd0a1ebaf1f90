"""Operations one after the other: what one leaves, the next one finds."""

import numpy as np
import pytest

from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.hal_model import build_model
from nnvet.hal.enums import OperandType, OperationType
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.bounds.execution import estimate
from nnvet.oracle.bounds.precision import Estimate
from nnvet.oracle.execution import evaluate

CODES, NUMBERS, REAL = OperandType.TENSOR_QUANT8_ASYMM, OperandType.TENSOR_INT32, OperandType.TENSOR_FLOAT32


def test_hits_of_a_lookup_keep_their_scale() -> None:
    """Values and hits of HASHTABLE_LOOKUP have one type, but each their own scale and zero point."""
    graph = GraphBuilder()
    lookups, keys = graph.constant(NUMBERS, (3,), [7, 4, 5]), graph.constant(NUMBERS, (2,), [5, 7])
    values = graph.constant(CODES, (2, 1), [10, 20], 0.5, 4)
    found, hits = graph.temporary(CODES, (3, 1), 0.5, 4), graph.temporary(CODES, (3,), 1.0, 0)
    graph.operation(OperationType.HASHTABLE_LOOKUP, (lookups, keys, values), found, hits)
    for source, dimensions in ((found, (3, 1)), (hits, (3,))):
        graph.operation(OperationType.DEQUANTIZE, (source,), graph.output(REAL, dimensions, None))
    rows, truths = evaluate(build_model(graph.finish("hits")), [])
    # A row that is not found holds zero bytes, which stand for -2.
    assert rows.tolist() == [[8.0], [-2.0], [3.0]]
    assert truths.tolist() == [1.0, 0.0, 1.0]


def test_joined_codes_keep_their_ideal_values() -> None:
    """CONCATENATION of codes of its own scale moves what was computed before, which is between two codes."""
    graph = GraphBuilder()
    none = graph.scalar(OperandType.INT32, 0)
    first, second = (graph.constant(CODES, (1,), [code], 0.5, 0) for code in (3, 5))
    # 1.5 times 2.5 is 4.41 steps of 0.85: 4 in one rounding, and 5 by way of 4.5.
    product = graph.temporary(CODES, (1,), 0.85, 0)
    graph.operation(OperationType.MUL, (first, second, none), product)
    joined = graph.output(CODES, (2,), None, 0.85, 0)
    graph.operation(OperationType.CONCATENATION, (product, product, none), joined)
    model = build_model(graph.finish("joined"))
    (found,) = estimate(model, [])
    assert found.value.tolist() == pytest.approx([3.75 / 0.85, 3.75 / 0.85])
    assert evaluate(model, [])[0].tolist() == [5, 5]


def test_moved_errors_are_no_drift() -> None:
    """Errors that elements have in common stay within their bound, in whatever order they are summed up."""
    for count in range(10, 700, 30):
        value = np.linspace(0.1, 99.7, count)
        error = np.full(count, 0.7)
        common = np.random.default_rng(count).permutation(np.linspace(0.1, 0.3, count))
        found = Estimate(OperandType.TENSOR_FLOAT32, value, error, common, np.zeros(count))
        assert compare_estimate(value + common, found) is None
