"""Suite ``TestRandomGraph``: random models of one operation, and random graphs, judged by the criteria of CTS.

:func:`register` makes a check of each named test of :mod:`nnvet.generators.random_graphs.named`; the oracle gives the
expected outputs. :mod:`nnvet.conformance.suites.random_models` registers further tests. A model is made from the name
of its case, and only when the case runs. Source: docs/contract/cts-tests.md 2.22 and docs/contract/random-graphs.md 7.

Some indices in random graphs are undecided: if two computed values are nearly equal, the index of either is right
(:func:`find_undecided`). ARGMAX and ARGMIN of computed values are judged by the value at the index.
HEATMAP_MAX_KEYPOINT of computed values is not judged, because the keypoint jumps with the index. Values that depend on
an undecided index are not compared, either. The indices of TOPK_V2 are never compared, and no operation reads them. The
same holds for whole numbers that FLOOR or CAST cuts from computed values: if rounding in another order may have moved a
value across a whole number, both numbers are right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Protocol

import numpy as np
from msgspec.structs import replace

from nnvet.conformance.kit.checks import OUTPUT_RULES, ModelTest, check
from nnvet.conformance.kit.executing import basic_config, run_test
from nnvet.conformance.kit.handmade import prepare_test
from nnvet.conformance.kit.judging import Array, expect, judge, note_share, precision_rules, wrong_values
from nnvet.conformance.kit.outcome import fail
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.random_graphs.golden import compute_outputs, with_golden_results
from nnvet.generators.random_graphs.named import GRAPH_TESTS, SEEDS, single_tests
from nnvet.graphs.editor import with_operands
from nnvet.graphs.model import TestModel, TestOperation, describe_model
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import OperandLifeTime
from nnvet.oracle import Tolerance, random_graphs
from nnvet.oracle.comparison import Mismatch, examine
from nnvet.oracle.random_graphs import Criteria, CriteriaLimits, near_extreme, near_whole

_INDICES: Final = {OperationType.ARGMAX: True, OperationType.ARGMIN: False}
"""Operations whose output 0 is the index of an extreme of input 0 along axis input 1; True for the largest."""
_EXACT: Final = CriteriaLimits(0.0, 0.0, 0.0)
"""Limits of values that are computed without rounding."""
_CUTS: Final = (OperationType.FLOOR, OperationType.CAST)
"""Operations that cut whole numbers from their input."""
_KEYPOINTS: Final = 1
"""Index of the output of HEATMAP_MAX_KEYPOINT that depends on the index of the largest element."""


@dataclass(frozen=True)
class Undecided:
    """Operands with undecided values, by their number in the model.

    ``choices``: indices of computed values, with the right ones and their axis. ``cuts``: whole numbers cut from
    computed values, with those that may differ by one. ``dependent``: operands that follow from an undecided one.
    """

    choices: Mapping[int, tuple[Array, int]] = field(default_factory=dict)
    cuts: Mapping[int, Array] = field(default_factory=dict)
    dependent: frozenset[int] = frozenset()


def find_undecided(golden: TestModel, criteria: Criteria) -> Undecided:
    """Return the undecided operands of a graph with expected outputs, within the criteria."""
    made = {index for operation in golden.main.operations for index in operation.outputs}
    asked = [
        operation
        for operation in golden.main.operations
        if operation.type in (*_INDICES, *_CUTS, OperationType.HEATMAP_MAX_KEYPOINT) and operation.inputs[0] in made
    ]
    if not asked:
        return Undecided()
    values = _compute_temporaries(golden, tuple({operation.inputs[0]: None for operation in asked}))
    choices: dict[int, tuple[Array, int]] = {}
    cuts: dict[int, Array] = {}
    dependent: set[int] = set()
    open_ones: set[int] = set()
    for operation in golden.main.operations:
        if not (dependent | open_ones).isdisjoint(operation.inputs):
            dependent.update(operation.outputs)
        elif operation in asked and operation.type in _CUTS:
            cuts[operation.outputs[0]] = near = near_whole(values[operation.inputs[0]])
            if np.any(near):
                open_ones.add(operation.outputs[0])
        elif operation in asked and operation.type not in _INDICES:
            dependent.add(operation.outputs[_KEYPOINTS])
        elif operation in asked:
            right, axis = _find_choices(golden, operation, values[operation.inputs[0]], criteria)
            choices[operation.outputs[0]] = right, axis
            if np.any(right.sum(axis=axis) > 1):
                open_ones.add(operation.outputs[0])
    return Undecided(choices, cuts, frozenset(dependent))


def _find_choices(golden: TestModel, operation: TestOperation, values: Array, criteria: Criteria) -> tuple[Array, int]:
    """Return the elements that may count as the extreme one along the axis, as a mask of the input, and the axis."""
    axis = golden.main.operands[operation.inputs[1]].data
    assert axis is not None  # noqa: S101 - the generator makes it a constant
    kind = golden.main.operands[operation.inputs[0]].type
    is_largest = _INDICES[OperationType(operation.type)]
    # Whole numbers are computed exactly, so only equal ones leave the index undecided.
    is_rounded = type_info(kind).is_float or type_info(kind).is_quantized
    limits = criteria.of(kind) if is_rounded else _EXACT
    return near_extreme(values, int(axis[0]), limits, is_largest=is_largest), int(axis[0])


def _compute_temporaries(golden: TestModel, wanted: tuple[int, ...]) -> dict[int, Array]:
    """Return values of temporaries, by computing the model with these as further outputs."""
    main = golden.main
    shown = {index: replace(main.operands[index], lifetime=OperandLifeTime.SUBGRAPH_OUTPUT) for index in wanted}
    further = tuple(index for index in wanted if index not in main.output_indexes)
    outputs = (*main.output_indexes, *further)
    model = replace(golden, main=replace(with_operands(main, shown), output_indexes=outputs))
    with np.errstate(all="ignore"):
        results = dict(zip(outputs, compute_outputs(model), strict=True))
    return {index: results[index] for index in wanted}


SUITE: Final = "TestRandomGraph"
_USUAL_SEEDS: Final = 2
"""Seeds of each test in a usual run."""
_GRAPH_CRITERIA: Final = {"Small": random_graphs.SMALL_GRAPH, "Large": random_graphs.LARGE_GRAPH}
"""Criteria of graphs, by the size in the name of the test."""


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
        model_test=_make_model_test(test, criteria),
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
    """Execute a prepared model, and judge its outputs by the criteria."""
    config = basic_config(subject)
    for answer in run_test(prepared, golden, config, subject.device, subject.timeout_s):
        expect(judge(golden, config, answer, criteria=partial(_compare, criteria)))


def _make_model_test(test: RandomTest, criteria: random_graphs.Criteria) -> ModelTest:
    """Return the functions that run and reduce any failing model of a test."""
    return ModelTest(
        lambda seed: with_golden_results(test.make(seed)),
        partial(_run, criteria=criteria),
        partial(_list_tolerances, criteria=criteria),
    )


def criteria_test(
    make: Callable[[Any], TestModel], criteria_for: Callable[[TestModel], random_graphs.Criteria]
) -> ModelTest:
    """Return the model test with criteria that follow from the test; ``make`` makes a test without expected outputs."""
    return ModelTest(
        lambda argument: with_golden_results(make(argument)),
        lambda subject, golden: _run(subject, golden, criteria=criteria_for(golden)),
        lambda golden: _list_tolerances(golden, criteria=criteria_for(golden)),
    )


def _list_tolerances(golden: TestModel, *, criteria: random_graphs.Criteria) -> list[Tolerance | None]:
    """Return the limits of single elements; None for truth values, whose wrong ones are counted."""
    limits = [
        None if output.type == OperandType.TENSOR_BOOL8 else criteria.of(output.type) for output in golden.main.outputs
    ]
    source = f"random graphs, {criteria.name} criteria"
    return [None if limit is None else Tolerance(limit.absolute, limit.relative, source) for limit in limits]


def _compare(criteria: random_graphs.Criteria, golden: TestModel, results: Sequence[Array]) -> None:
    """Check that outputs are within the criteria, apart from undecided ones."""
    if golden.expected_multinomial_distribution_tolerance:
        precision_rules(golden, results)
        return
    open_to = find_undecided(golden, criteria)
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
    tolerances = _list_tolerances(golden, criteria=criteria)
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
