"""TestRandomGraph: random models of one operation, and random graphs, against the oracle.

Source: docs/contract/cts-tests.md 2.22 and docs/contract/random-graphs.md 7. A model is made from the name of its case,
and only when the case runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol

import numpy as np

from nnvet.conformance.kit.checks import OUTPUT_RULES, ModelTest, check
from nnvet.conformance.kit.executing import basic_config, run_test
from nnvet.conformance.kit.handmade import prepare_test
from nnvet.conformance.kit.judging import Array, expect, judge, note_share, precision_rules, wrong_values
from nnvet.conformance.kit.outcome import fail
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.random_graphs.indices import Undecided, undecided
from nnvet.generators.random_graphs.golden import with_golden_results
from nnvet.generators.random_graphs.named import GRAPH_TESTS, SEEDS, single_tests
from nnvet.graphs.model import TestModel, describe_model
from nnvet.hal.enums import OperandType
from nnvet.hal.interfaces import PreparedModel
from nnvet.oracle import Tolerance, random_graphs
from nnvet.oracle.comparison import Mismatch, examine

SUITE: Final = "TestRandomGraph"
_USUAL_SEEDS: Final = 2
_GRAPH_CRITERIA: Final = {"Small": random_graphs.SMALL_GRAPH, "Large": random_graphs.LARGE_GRAPH}


def seeds() -> Mapping[str, int]:
    """Return the seeds of the models of a test."""
    return {str(seed): seed for seed in SEEDS}


class RandomTest(Protocol):
    """A named test: a model for each seed."""

    @property
    def level(self) -> int:
        """Return the lowest feature level at which some of its models can run."""

    def make(self, seed: int) -> TestModel:
        """Make the model of a seed, without expected outputs."""


def register(
    suite: str, name: str, test: RandomTest, criteria: random_graphs.Criteria, usual: int = _USUAL_SEEDS
) -> None:
    """Register a check for a test; a usual run takes its first ``usual`` seeds."""
    check(
        suite,
        name,
        rules=OUTPUT_RULES,
        level=test.level,
        parameters=seeds,
        usual=lambda seed: seed < usual,
        model_test=_model_test(test, criteria),
    )(partial(_check, test=test, criteria=criteria))


def _check(subject: Subject, seed: int, *, test: RandomTest, criteria: random_graphs.Criteria) -> None:
    """The driver's results are within the criteria."""
    model = test.make(seed)
    # Expected outputs take long to compute, so the driver has to accept the model first.
    prepared = prepare_test(subject, model, basic_config(subject))
    _execute(subject, prepared, with_golden_results(model), criteria)


def _run(subject: Subject, golden: TestModel, *, criteria: random_graphs.Criteria) -> None:
    """Run any test, and judge it by the criteria."""
    _execute(subject, prepare_test(subject, golden, basic_config(subject)), golden, criteria)


def _execute(subject: Subject, prepared: PreparedModel, golden: TestModel, criteria: random_graphs.Criteria) -> None:
    config = basic_config(subject)
    for answer in run_test(prepared, golden, config, subject.device, subject.timeout_s):
        expect(judge(golden, config, answer, criteria=partial(_compare, criteria)))


def _model_test(test: RandomTest, criteria: random_graphs.Criteria) -> ModelTest:
    return ModelTest(
        lambda seed: with_golden_results(test.make(seed)),
        partial(_run, criteria=criteria),
        partial(_tolerances, criteria=criteria),
    )


def criteria_test(
    make: Callable[[Any], TestModel], criteria_for: Callable[[TestModel], random_graphs.Criteria]
) -> ModelTest:
    """Return the model test with criteria that follow from the test; ``make`` makes a test without expected outputs."""
    return ModelTest(
        lambda argument: with_golden_results(make(argument)),
        lambda subject, golden: _run(subject, golden, criteria=criteria_for(golden)),
        lambda golden: _tolerances(golden, criteria=criteria_for(golden)),
    )


def _tolerances(golden: TestModel, *, criteria: random_graphs.Criteria) -> list[Tolerance | None]:
    """Return the limits of single elements; None for truth values, whose wrong ones are counted."""
    limits = [
        None if output.type == OperandType.TENSOR_BOOL8 else criteria.of(output.type) for output in golden.main.outputs
    ]
    source = f"random graphs, {criteria.name} criteria"
    return [None if limit is None else Tolerance(limit.absolute, limit.relative, source) for limit in limits]


def _compare(criteria: random_graphs.Criteria, golden: TestModel, results: Sequence[Array]) -> None:
    if golden.expected_multinomial_distribution_tolerance:
        precision_rules(golden, results)
        return
    open_to = undecided(golden, criteria)
    found = first_wrong(golden, results, criteria, open_to)
    if found is None:
        _note_shares(criteria, golden, results, open_to)
        return
    position, wrong = found
    if isinstance(wrong, Mismatch):
        raise wrong_values(wrong, position, graph=describe_model(golden))
    raise fail("execution/output.value", f"output {position}: {wrong}", graph=describe_model(golden))


def _note_shares(
    criteria: random_graphs.Criteria, golden: TestModel, results: Sequence[Array], open_to: Undecided
) -> None:
    """Note the shares of the criteria that right outputs use, except undecided and very large elements."""
    tolerances = _tolerances(golden, criteria=criteria)
    for index, result, tolerance in zip(golden.main.output_indexes, results, tolerances, strict=True):
        operand = golden.main.operands[index]
        left_open = index in open_to.dependent or index in open_to.cuts or index in open_to.choices
        if tolerance is None or operand.is_ignored or operand.data is None or left_open:
            continue
        share = examine(result, operand.data, tolerance)
        if not isinstance(share, Mismatch):
            note_share(share, tolerance)


def first_wrong(
    golden: TestModel, results: Sequence[Array], criteria: random_graphs.Criteria, open_to: Undecided
) -> tuple[int, Mismatch | random_graphs.Drift] | None:
    """Return position and error of the first output that breaks the criteria; None: all are right."""
    for position, (index, result) in enumerate(zip(golden.main.output_indexes, results, strict=True)):
        operand = golden.main.operands[index]
        if operand.is_ignored or operand.data is None or index in open_to.dependent:
            continue
        shape = operand.dimensions or operand.data.shape
        actual, expected = result.reshape(shape), operand.data.reshape(shape)
        if index in open_to.cuts:
            either = open_to.cuts[index].reshape(shape) & (np.abs(actual.astype(np.float64) - expected) <= 1)
            actual = np.where(either, expected, actual)
        wrong = (
            random_graphs.compare_indices(actual, expected, *open_to.choices[index])
            if index in open_to.choices
            else random_graphs.compare_output(actual, expected, OperandType(operand.type), criteria)
        )
        if wrong is not None:
            return position, wrong
    return None


for _single in single_tests():
    register(SUITE, f"SingleOperationTest.{_single.operation}", _single, random_graphs.criteria_of(_single.operation))
for _graph in GRAPH_TESTS:
    register(SUITE, f"RandomGraphTest.{_graph.name}", _graph, _GRAPH_CRITERIA[_graph.size])
