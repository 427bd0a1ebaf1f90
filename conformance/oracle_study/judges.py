"""Judges of results: the error bounds of the oracle, and beside them the criteria of the NNAPI."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from nnvet.conformance.oracle_study.arithmetic import Array
from nnvet.conformance.oracle_study.models import StudyModel
from nnvet.conformance.suites.random_graphs.checks import first_wrong
from nnvet.conformance.suites.random_graphs.indices import undecided
from nnvet.generators.random_graphs.golden import with_golden_results
from nnvet.hal.types import Model
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.execution import estimate
from nnvet.oracle.random_graphs import CRITERIA, SMALL_GRAPH

Judge: TypeAlias = Callable[[Sequence[Array]], str]
"""Returns the fault in the outputs of a model; nothing if they are right."""


def by_bounds(model: Model, inputs: Sequence[Array | None], checked: Sequence[bool]) -> tuple[Judge, list[Estimate]]:
    """The error bounds; with the estimates of the outputs."""
    estimates = estimate(model, inputs)

    def judge(outputs: Sequence[Array]) -> str:
        for output, judged, is_checked in zip(outputs, estimates, checked, strict=True):
            if is_checked and output.size != judged.value.size and judged.undecided_share < 1:
                return "other dimensions"
            wrong = compare_estimate(output, judged) if is_checked else None
            if wrong is not None:
                return str(wrong)
        return ""

    return judge, estimates


def by_nnapi(sample: StudyModel) -> Judge | None:
    """The criteria of random graphs in NNAPI's tests; None where the expected results have no float32 form."""
    criteria = CRITERIA.get(sample.subject, SMALL_GRAPH)
    try:
        golden = with_golden_results(sample.test)
    except ValueError:
        return None
    open_to = undecided(golden, criteria)

    def judge(outputs: Sequence[Array]) -> str:
        for operand, output in zip(golden.main.outputs, outputs, strict=True):
            if not operand.is_ignored and operand.data is not None and output.size != operand.data.size:
                return "other dimensions"
        found = first_wrong(golden, outputs, criteria, open_to)
        return "" if found is None else str(found[1])

    return judge
