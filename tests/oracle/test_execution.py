"""Operations one after the other: what one leaves, the next one finds."""

from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.hal_model import build_model
from nnvet.hal.enums import OperandType, OperationType
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
