"""Named tests of RandomModels: random models that CTS does not have.

Models of one operation are made and judged like those of CTS. Graphs over all types are judged by error bounds, since
CTS has no criteria for all of their outputs.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from nnvet.conformance.kit.bounded import run_bounded
from nnvet.conformance.kit.checks import OUTPUT_RULES, ModelTest, check
from nnvet.conformance.kit.judging import bounded_tolerances
from nnvet.conformance.kit.outcome import Outcome
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.random_graphs.checks import register, seeds
from nnvet.conformance.suites.random_models import SUITE
from nnvet.generators.random_graphs.named import MIXED_TESTS, MixedTest, single_tests
from nnvet.generators.reducer.evaluation import complete
from nnvet.graphs.model import TestModel
from nnvet.oracle.random_graphs import criteria_of

_USUAL_SEEDS: Final = 1


def _run(subject: Subject, test: TestModel, mixed: MixedTest) -> Outcome:
    return run_bounded(subject, test, mixed.declared(test) if mixed.is_open else None)


def _mixed(subject: Subject, seed: int, *, mixed: MixedTest) -> Outcome:
    """Check that the driver's results are within their bounds, and the same in two executions."""
    return _run(subject, mixed.make(seed), mixed)


def _run_any(subject: Subject, test: TestModel, *, mixed: MixedTest) -> None:
    _run(subject, test, mixed)


def _completed(seed: int, *, mixed: MixedTest) -> TestModel:
    return complete(mixed.make(seed))[0]


for _single in single_tests(in_cts=False):
    register(
        SUITE,
        f"SingleOperationTest.{_single.operation}",
        _single,
        criteria_of(_single.operation),
        _USUAL_SEEDS,
    )
for _graph in MIXED_TESTS:
    check(
        SUITE,
        f"RandomGraphTest.{_graph.name}",
        rules=OUTPUT_RULES,
        level=_graph.level,
        parameters=seeds,
        usual=lambda seed: seed < _USUAL_SEEDS,
        model_test=ModelTest(partial(_completed, mixed=_graph), partial(_run_any, mixed=_graph), bounded_tolerances),
    )(partial(_mixed, mixed=_graph))
