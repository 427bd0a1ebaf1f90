"""Contents of a test for the evidence: operations with type and rank, what feeds them, and their attributes."""

from __future__ import annotations

from nnvet.generators.graphs.model import TestModel, TestOperand, operation_name
from nnvet.generators.random_graphs.coverage import numbers_and_primary
from nnvet.hal.operand_types import type_name

NOTHING = "-"


def covered(test: TestModel) -> list[str]:
    """The operations of the main graph, each as ``OPERATION TYPE RANK FEEDERS ITEMS``.

    TYPE and RANK are those of its :func:`primary tensor <nnvet.generators.random_graphs.coverage.primary_tensor>`,
    FEEDERS the operations whose outputs it reads, ITEMS the numbers of what its declaration has alternatives for
    (:func:`nnvet.generators.random_graphs.coverage.items`). Both are joined by commas; ``-`` is none.
    """
    graph = test.main
    makers = {index: operation_name(operation.type) for operation in graph.operations for index in operation.outputs}
    found: dict[str, None] = {}
    for operation in graph.operations:
        feeders = dict.fromkeys(makers[index] for index in operation.inputs if index in makers)
        numbers, primary = numbers_and_primary(graph, operation)
        head = f"{operation_name(operation.type)} {_kind(primary)}"
        found[f"{head} {','.join(feeders) or NOTHING} {','.join(map(str, numbers)) or NOTHING}"] = None
    return list(found)


def _kind(tensor: TestOperand | None) -> str:
    return f"{NOTHING} 0" if tensor is None else f"{type_name(tensor.type)} {len(tensor.dimensions)}"
