"""Campaigns of random models find the planted numeric faults, each within a few models of options that reach it."""

import pytest

from nnvet.conformance.engine.catalogue import Batch, Series
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.session import Finished, Target, run_cases
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.random_graphs.options_text import text_of
from nnvet.hal.enums import OperandType, OperationType
from nnvet.reports.events import Verdict

MOST = 40
FOUND_BY = {
    "graph-in-place": GraphOptions(),
    "graph-broadcast": GraphOptions(),
    "graph-blocks": GraphOptions(
        operations=(1, 2), elements=5000, dimensions=(1, 100), only=(OperationType.EXP, OperationType.TANH)
    ),
    "graph-drift": GraphOptions(
        operations=(1, 2), types=(OperandType.TENSOR_FLOAT32,), only=(OperationType.PRELU, OperationType.NEG)
    ),
}
"""What finds each wrong driver: models of more than a thousand elements, or of few operations, where that matters."""


@pytest.mark.parametrize("bug", FOUND_BY)
def test_campaigns_find_numeric_faults(bug: str) -> None:
    """Some model fails, and the bundled driver passes it."""
    batch = Batch("RandomModels/Bounds", series=Series(text_of(FOUND_BY[bug]), 0, MOST))
    cases = {case.id: case for case in batch.cases(Selection())}
    events = run_cases(cases.values(), Target(f"zoo:{bug}", in_process=True))
    wrong = (event.case for event in events if isinstance(event, Finished) and event.outcome.verdict is Verdict.FAIL)
    found = next(wrong, None)
    assert found is not None
    again = run_cases([cases[found]], Target("reference", in_process=True))
    assert [one.outcome.verdict for one in again if isinstance(one, Finished)] == [Verdict.PASS]
