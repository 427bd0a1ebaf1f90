"""Suite ``RandomModels``: random models that CTS does not have, judged by error bounds or by the criteria of the NNAPI.

``Bounds`` and ``Nnapi`` have models of mixed types and operations. The name of such a case has the options and the seed
of its model, ``RandomModels/Bounds/operations=1-5/17``, so :class:`RandomCase` can make the model from the name alone.
A run has a few hundred of them; a campaign (``nnvet random``) has any number. ``SingleOperationTest`` has models of one
operation that CTS does not test, made and judged like those of CTS
(:mod:`nnvet.conformance.suites.random_graphs.checks`). ``RandomGraphTest`` has graphs over all types, which are judged
by error bounds, because CTS has no criteria for all of their outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from nnvet.conformance.kit.bounded import contents_of, run_bounded
from nnvet.conformance.kit.checks import OUTPUT_RULES, ModelTest, check
from nnvet.conformance.kit.judging import bounded_tolerances
from nnvet.conformance.kit.outcome import CaseFailed, Outcome
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.random_graphs.checks import criteria_test, register, seeds
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.generate import declared
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.named import MIXED_TESTS, MixedTest, single_tests
from nnvet.generators.random_graphs.options import DEFAULT, options_of, text_of
from nnvet.generators.reducer.evaluation import complete
from nnvet.graphs.model import TestModel, operation_name
from nnvet.oracle.random_graphs import LARGE_GRAPH, SMALL_GRAPH, Criteria, criteria_of

SUITE: Final = "RandomModels"
BOUNDS: Final = "Bounds"
"""Name of the check that judges by error bounds."""
NNAPI: Final = "Nnapi"
"""Name of the check that judges by the criteria of CTS."""
_SERIES: Final = {DEFAULT: 10, "operations=1-3": 10, "operations=40-60": 1, "relaxed=1": 4}
"""Options of the cases in runs, each with the number of seeds in a usual run."""
_SEEDS: Final = 200
"""Seeds of each series in the full matrix."""
_SMALL: Final = 10
"""Most operations of a small graph in the criteria of the NNAPI."""


class RandomCase(NamedTuple):
    """A case: the options of a model as a text, and its seed."""

    options: str
    seed: int

    def make(self) -> TestModel:
        """Make the model."""
        name = f"{self.options}/{self.seed}"
        return random_model(SeededChooser(f"{SUITE}/{name}"), options_of(self.options), name)


def read_argument(text: str) -> RandomCase | None:
    """Return the case that an argument names; None if it names none."""
    options, _, seed = text.rpartition("/")
    try:
        is_canonical = text_of(options_of(options)) == options and str(int(seed)) == seed
    except ValueError:
        return None
    return RandomCase(options, int(seed)) if is_canonical else None


def _list_cases() -> Mapping[str, RandomCase]:
    """Return the cases of all series, by the arguments of the cases."""
    return {f"{options}/{seed}": RandomCase(options, seed) for options in _SERIES for seed in range(_SEEDS)}


def _run_bounded(subject: Subject, test: TestModel) -> Outcome:
    """Judge a model by bounds; the options in its name decide whether the driver gets all dimensions."""
    case = read_argument(test.name)
    return run_bounded(subject, test, declared(test, options_of(case.options)) if case else None)


def _run_any(subject: Subject, test: TestModel) -> None:
    """Run a model for the reducer, which needs no evidence of a pass."""
    _run_bounded(subject, test)


@check(
    SUITE,
    BOUNDS,
    rules=OUTPUT_RULES,
    parameters=_list_cases,
    reads=read_argument,
    usual=lambda case: case.seed < _SERIES[case.options] if case.options in _SERIES else True,
    model_test=ModelTest(lambda case: complete(case.make())[0], _run_any, bounded_tolerances),
)
def bounds(subject: Subject, case: RandomCase) -> Outcome:
    """Every element is within its error bound, errors do not drift, and a second execution gives the same bits."""
    test = case.make()
    try:
        return _run_bounded(subject, test)
    except CaseFailed as failed:
        # A pass has this evidence, too; reports count failures by it, and reduce the smallest first.
        evidence = {**failed.outcome.evidence, "covers": contents_of(test)}
        raise CaseFailed(replace(failed.outcome, evidence=evidence)) from failed


def _choose_criteria(test: TestModel) -> Criteria:
    """Return the criteria of CTS for a model: those of its operation, or of a small or large graph."""
    if len(test.main.operations) > 1:
        found = SMALL_GRAPH if len(test.main.operations) <= _SMALL else LARGE_GRAPH
    else:
        found = criteria_of(f"{operation_name(test.main.operations[0].type)}_V1_0")
    return found.relaxed if test.is_relaxed else found


NNAPI_TEST: Final = criteria_test(RandomCase.make, _choose_criteria)
"""Makes and judges models by the criteria; commands use it for campaigns without error bounds."""


@check(SUITE, NNAPI, rules=OUTPUT_RULES, reads=read_argument, parameters=dict, model_test=NNAPI_TEST)
def nnapi(subject: Subject, case: RandomCase) -> None:
    """Results are within the criteria of CTS's random graphs."""
    NNAPI_TEST.run(subject, NNAPI_TEST.test_of(case))


_USUAL_SEEDS: Final = 1
"""Seeds of each test in a usual run."""


def _run_mixed(subject: Subject, test: TestModel, mixed: MixedTest) -> Outcome:
    """Judge a model of a test by bounds; an open one is prepared with unknown dimensions."""
    return run_bounded(subject, test, mixed.declared(test) if mixed.is_open else None)


def _check_mixed(subject: Subject, seed: int, *, mixed: MixedTest) -> Outcome:
    """Check that the driver's results are within their bounds, and the same in two executions."""
    return _run_mixed(subject, mixed.make(seed), mixed)


def _run_open(subject: Subject, test: TestModel, *, mixed: MixedTest) -> None:
    """Run a model of a test for the reducer."""
    _run_mixed(subject, test, mixed)


def _complete_mixed(seed: int, *, mixed: MixedTest) -> TestModel:
    """Return the model of a seed with its expected outputs."""
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
        model_test=ModelTest(
            partial(_complete_mixed, mixed=_graph), partial(_run_open, mixed=_graph), bounded_tolerances
        ),
    )(partial(_check_mixed, mixed=_graph))
