"""Runs that are judged by error bounds: each element by its own bound, and all together for a systematic drift.

Suites of random models and of accuracy call :func:`run_bounded`. It needs no expected values, because the oracle
computes the bounds from the model and its inputs (:mod:`nnvet.oracle.bounds`). It executes each test twice, and both
executions have to give equal results. The evidence describes the model: operations with type and rank, the operations
that feed them, and their attributes. :mod:`nnvet.conformance.kit.judging` compares the outputs with the bounds; tests
with expected values are run by :mod:`nnvet.conformance.kit.handmade` and by the generated suites.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.conformance.kit.checks import ModelTest
from nnvet.conformance.kit.executing import OutputType, basic_config, require, run_test
from nnvet.conformance.kit.judging import Array, bounded_tolerances, check_bounds, expect, judge, makers
from nnvet.conformance.kit.outcome import Outcome, fail, passed
from nnvet.conformance.kit.preparing import built_model, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.random_graphs.coverage import numbers_and_primary
from nnvet.generators.random_graphs.golden import estimates
from nnvet.generators.reducer.evaluation import complete
from nnvet.graphs.editor import with_operands
from nnvet.graphs.model import TestModel, TestOperand, describe_model, element_type, operation_name
from nnvet.hal.operand_types import type_name
from nnvet.hal.types import PrepareModelConfig
from nnvet.oracle.bounds.compare import error_in_bounds
from nnvet.oracle.bounds.precision import Estimate

NOTHING = "-"
"""Text in the evidence for an empty list."""


def contents_of(test: TestModel) -> list[str]:
    """Return the operations of the main graph, each as ``OPERATION TYPE RANK FEEDERS ITEMS``.

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
        head = f"{operation_name(operation.type)} {_describe_tensor(primary)}"
        found[f"{head} {','.join(feeders) or NOTHING} {','.join(map(str, numbers)) or NOTHING}"] = None
    return list(found)


def _describe_tensor(tensor: TestOperand | None) -> str:
    """Return type and rank of a tensor; an operation without one has the rank 0."""
    return f"{NOTHING} 0" if tensor is None else f"{type_name(tensor.type)} {len(tensor.dimensions)}"


_TIMES: Final = 2
"""Number of executions: a driver has to give the same results for the same inputs, bit for bit."""


def run_bounded(
    subject: Subject,
    test: TestModel,
    declared: TestModel | None = None,
    preparation: PrepareModelConfig | None = None,
) -> Outcome:
    """Execute a test twice, and judge both results by error bounds.

    ``declared`` is a form of the model with unknown dimensions: the driver prepares it instead, and the request states
    the dimensions. ``preparation`` replaces the usual arguments of the preparation.

    The evidence has ``elements`` and ``undecided``, their numbers; ``accuracy``, by the operation that makes an output
    the largest error in units of the bound; and ``covers``, the operations of the test
    (:func:`nnvet.conformance.kit.bounded.contents_of`).

    :raises CaseFailed: the driver does not support the test, or its results are wrong.
    """
    test = with_outputs(test)
    config = basic_config(subject)
    if declared is not None:
        config = dataclasses.replace(config, output=OutputType.UNSPECIFIED, dimensions=True)
    require(subject, config)
    with ExitStack() as stack:
        model = stack.enter_context(built_model(test, subject.feature_level))
        offered = model if declared is None else stack.enter_context(built_model(declared, subject.feature_level))
        prepared = prepare_valid(subject, offered, preparation)
        first, second = run_test(prepared, test, config, subject.device, subject.timeout_s, times=_TIMES)
        # The bounds take long to compute, so they wait until the driver has accepted the model.
        found = estimates(test, model)
    expect(judge(test, config, first, criteria=lambda golden, results: check_bounds(golden, results, found)))
    expect(judge(test, config, second, criteria=lambda golden, again: _check_same(golden, first.outputs, again)))
    return passed(**_make_evidence(test, first.outputs, found))


def run_bounded_test(subject: Subject, test: TestModel) -> None:
    """Run any test like :func:`run_bounded`."""
    run_bounded(subject, test)


def bounded_manner(make: Callable[[Any], TestModel]) -> ModelTest:
    """Return the model test of a check that judges by error bounds; ``make`` makes the test of an argument."""
    return ModelTest(lambda argument: complete(make(argument))[0], run_bounded_test, bounded_tolerances)


def _has_values(data: Array | None) -> bool:
    """Return True if an output has expected values."""
    return data is not None and data.size > 0


def with_outputs(test: TestModel) -> TestModel:
    """Return the test with zeros for outputs without data: of the right size, and their values are never read."""
    empty = {
        index: replace(output, data=np.zeros(output.dimensions, element_type(output.type)).reshape(-1))
        for index, output in zip(test.main.output_indexes, test.main.outputs, strict=True)
        if not _has_values(output.data)
    }
    return replace(test, main=with_operands(test.main, empty)) if empty else test


def _check_same(test: TestModel, results: Sequence[Array], again: Sequence[Array]) -> None:
    """Compare the results of two executions bit for bit.

    :raises CaseFailed: they differ.
    """
    for position, (first, second) in enumerate(zip(results, again, strict=True)):
        if first.tobytes() != second.tobytes():
            reason = f"output {position}: the same inputs give other results when they are executed again"
            raise fail("execution/output.value", reason, graph=describe_model(test))


def _make_evidence(test: TestModel, results: Sequence[Array], estimates: Sequence[Estimate]) -> dict[str, Any]:
    """Return the evidence of :func:`run_bounded`; ignored outputs count as undecided."""
    by_output = makers(test)
    accuracy: dict[str, float] = {}
    elements = undecided = 0
    outputs = zip(test.main.output_indexes, test.main.outputs, results, estimates, strict=True)
    for index, operand, result, bounds in outputs:
        elements += result.size
        undecided += result.size if operand.is_ignored else round(bounds.undecided_share * result.size)
        if not operand.is_ignored and not bounds.is_exact:
            name = by_output.get(index, "")
            accuracy[name] = max(accuracy.get(name, 0.0), round(error_in_bounds(result, bounds), 4))
    return {"elements": elements, "undecided": undecided, "accuracy": accuracy, "covers": contents_of(test)}
