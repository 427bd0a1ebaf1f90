"""Suite of metamorphic relations: one check for each relation, with a case for each seed.

A relation changes the form of a model in a way that predicts its outputs, such as other batches or another order of
operations; :mod:`nnvet.generators.metamorphic` has the relations. Outputs of the new form are compared
(:class:`FormComparison`) with those that follow from the driver's own outputs of the original. Each of the two may be
off by its error bound (docs/oracle.md), so they may differ by the sum of both. Bounds are computed only where outputs
differ. Random models that are judged by expected values are in :mod:`nnvet.conformance.suites.random_models`.

A model is made from the name of its case, and only when the case runs. Source: docs/metamorphic.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, Final, TypeAlias

import numpy as np

from nnvet.conformance.kit.checks import ModelTest, check
from nnvet.conformance.kit.executing import Executor, TestConfig, basic_config, run_test
from nnvet.conformance.kit.handmade import prepare_test
from nnvet.conformance.kit.judging import expect, judge, note_crossed, wrong_values
from nnvet.conformance.kit.numbers import BOUND_RULE, is_right_as_declared
from nnvet.conformance.kit.outcome import CaseFailed, fail, unsupported
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.metamorphic.relation import Manner, OtherForm, Relation
from nnvet.generators.metamorphic.table import RELATIONS, SEEDS, SUITE, forms, made
from nnvet.generators.random_graphs.golden import estimates
from nnvet.generators.reducer.evaluation import NotReducibleError
from nnvet.graphs.model import Array, TestModel, describe_model, has_zero_sized_output
from nnvet.hal.enums import OperandType
from nnvet.hal.interfaces import PreparedModel
from nnvet.oracle.bounds.precision import Estimate
from nnvet.oracle.comparison import Mismatch

SOURCE: Final = "error bounds of both models"
"""Source of the usual tolerance, for the messages."""
CONTRACT: Final = "tolerances of the NNAPI, carried through both models"
"""Source of the tolerance that decides about conformance."""
_NOISE: Final = 2.0**-44
"""Relative error of the bounds, which are computed in float64: 2^-44 allows 512 roundings."""


class FormComparison:
    """Compares the outputs of forms of a model with the driver's outputs of the original."""

    def __init__(self, original: TestModel, outputs: Sequence[Array]) -> None:
        """Keep the original's ``outputs``, which are flat."""
        self._outputs = original.main.outputs
        self._values = [
            _reshape(output, operand.dimensions) for output, operand in zip(outputs, self._outputs, strict=True)
        ]
        self._original = original

    @cache  # noqa: B019 - a comparison lives as long as one case
    def _bounds(self, *, contract: bool, liberties: tuple[str, ...]) -> list[Estimate]:
        """Return values and errors of the original's outputs, computed once for each set of arguments."""
        return estimates(self._original, contract=contract, liberties=liberties)

    def first_mismatch(
        self, form: OtherForm, outputs: Sequence[Array], *, contract: bool = False, liberties: Sequence[str] = ()
    ) -> tuple[int, Mismatch] | None:
        """Return position and mismatch of the first wrong output of a form; None if all are right.

        With ``contract``, the contract's tolerances apply instead of the tight bounds, which allow the ``liberties``
        with the given ids.
        """
        operands = form.test.main.outputs
        for position, (wanted, got) in enumerate(zip(form.expected(self._values), outputs, strict=True)):
            if wanted is None or operands[position].is_ignored:
                continue
            wide, other = _to_float64(wanted), _to_float64(got.reshape(wanted.shape))
            if operands[position].type == OperandType.TENSOR_BOOL8:
                wide, other = wide != 0, other != 0
            is_equal = np.array_equal(wide, other, equal_nan=True)
            allowed = None if is_equal else self.allowed(form, position, contract=contract, liberties=liberties)
            wrong = None if allowed is None else _find_mismatch(wide, other, allowed, CONTRACT if contract else SOURCE)
            if wrong is not None:
                return position, wrong
        return None

    def allowed(self, form: OtherForm, position: int, *, contract: bool, liberties: Sequence[str] = ()) -> Array | None:
        """Return the largest allowed differences of an output's elements from those of the original; None: any."""
        bounds = self._bounds(contract=contract, liberties=tuple(liberties))
        values = form.expected([bound.value.astype(np.float64) for bound in bounds])[position]
        errors = form.expected([bound.error for bound in bounds])[position]
        if values is None or errors is None:
            return None
        # Results computed from the driver's own results have the same error as if one model computed both.
        own = errors if form.feeds else estimates(form.test, contract=contract, liberties=liberties)[position].error
        found: Array = (errors + own.reshape(errors.shape)) * (1 + _NOISE) + _NOISE * np.abs(values)
        return found


def _find_mismatch(wanted: Array, got: Array, allowed: Array, source: str) -> Mismatch | None:
    """Return the worst element that differs by more than the sum of both bounds; None if all agree."""
    with np.errstate(all="ignore"):
        difference = np.abs(wanted.astype(np.float64) - got.astype(np.float64))
    equal = (wanted == got) | (np.isnan(wanted) & np.isnan(got))
    wrong = ~(equal | (difference <= allowed) | np.isinf(allowed))
    if not wrong.any():
        return None
    excess = np.where(wrong, np.nan_to_num(difference - allowed, nan=np.inf), -np.inf)
    index = np.unravel_index(int(np.argmax(excess)), wrong.shape)
    place = tuple(int(coordinate) for coordinate in index)
    values = float(wanted[index]), float(got[index]), float(allowed[index])
    return Mismatch(int(wrong.sum()), int(wrong.size), place, *values, source)


def _reshape(values: Array, dimensions: tuple[int, ...]) -> Array:
    """Return flat values in the dimensions of their operand."""
    return values.reshape(dimensions)


def _to_float64(values: Array) -> Array:
    """Return values as float64, in which differences can be computed."""
    return values.astype(np.float64)


_USUAL_SEEDS: Final = 1
"""Seeds of each relation in a usual run."""

CheckRelation: TypeAlias = Callable[[Subject, Relation, TestModel, Sequence[OtherForm]], None]
"""Function that executes the original and its forms, and raises ``CaseFailed`` if the relation does not hold."""


def _list_seeds() -> Mapping[str, int]:
    """Return the seeds by the arguments of the cases."""
    return {str(seed): seed for seed in SEEDS}


def _register(relation: Relation) -> None:
    """Register the check of a relation."""
    check(
        SUITE,
        relation.name,
        rules=(relation.rule, BOUND_RULE),
        parameters=_list_seeds,
        usual=lambda seed: seed < _USUAL_SEEDS,
        model_test=ModelTest(
            lambda seed: made(relation, seed)[0],
            partial(_run, relation=relation),
            lambda test: [None] * len(test.main.outputs),
        ),
    )(partial(_check, relation=relation))


def _check(subject: Subject, seed: int, *, relation: Relation) -> None:
    """The relation holds for the model of a seed."""
    _CHECKS[relation.manner](subject, relation, *made(relation, seed))


def _run(subject: Subject, test: TestModel, *, relation: Relation) -> None:
    """Check that the relation holds for a test; UNSUPPORTED if that has no other form."""
    try:
        found = forms(relation, test)
    except NotReducibleError as error:
        raise unsupported(f"no other form: {error}") from error
    if not found:
        raise unsupported("no other form")
    _CHECKS[relation.manner](subject, relation, test, found)


def _check_forms(subject: Subject, relation: Relation, original: TestModel, found: Sequence[OtherForm]) -> None:
    """Check that the outputs of all forms follow from those of the original, within the error bounds of both."""
    config = basic_config(subject)
    ours = _execute(subject, prepare_test(subject, original, config), original, config)
    _expect_different_values(original, ours)
    comparison = FormComparison(original, ours)
    earlier: list[Sequence[Array]] = []
    for form in found:
        test = form.fed(earlier)
        earlier.append(_execute(subject, _prepare_form(subject, test, config), test, config))
        crossed = comparison.first_mismatch(form, earlier[-1])
        if crossed is not None:
            evidence: dict[str, Any] = {"graph": describe_model(original), "form": describe_model(test)}
            broken = comparison.first_mismatch(form, earlier[-1], contract=True)
            if broken is not None:
                raise wrong_values(broken[1], broken[0], relation.rule, crossed="tolerance", **evidence)
            if is_right_as_declared(partial(_is_kept, comparison, form, earlier[-1])):
                continue
            allowed = comparison.allowed(form, crossed[0], contract=True)
            note_crossed(
                crossed[1],
                crossed[0],
                math.inf if allowed is None else float(allowed[crossed[1].index]),
                **evidence,
            )


def _is_kept(comparison: FormComparison, form: OtherForm, outputs: Sequence[Array], liberties: Sequence[str]) -> bool:
    """Return True if the relation holds when the driver may take the liberties, deviations that it declares."""
    return comparison.first_mismatch(form, outputs, liberties=liberties) is None


def _prepare_form(subject: Subject, test: TestModel, config: TestConfig) -> PreparedModel:
    """Prepare another form of a model that the driver has prepared; a refusal says so."""
    try:
        return prepare_test(subject, test, config)
    except CaseFailed as failed:
        outcome = failed.outcome
        reason = f"the other form of a model that the driver takes: {outcome.reason}"
        raise CaseFailed(type(outcome)(outcome.verdict, outcome.rule, reason, outcome.evidence)) from None


def _check_executors(subject: Subject, relation: Relation, original: TestModel, _: Sequence[OtherForm]) -> None:
    """Check that all executors of the driver's level give the same bits."""
    configs = [
        config
        for config in map(TestConfig, Executor)
        if config.level[0] <= subject.feature_level
        and not (config.executor is Executor.FENCED and has_zero_sized_output(original))
    ]
    prepared = prepare_test(subject, original)
    results = [_execute(subject, prepared, original, config) for config in configs]
    _expect_different_values(original, results[0])
    for config, result in zip(configs, results, strict=True):
        _expect_same_bits(relation, original, results[0], result, f"executed {configs[0].name} and {config.name}")


def _check_repetition(subject: Subject, relation: Relation, original: TestModel, found: Sequence[OtherForm]) -> None:
    """Check that the same inputs give the same bits, whatever was executed in between."""
    config = basic_config(subject)
    prepared = prepare_test(subject, original, config)
    first = _execute(subject, prepared, original, config)
    _expect_different_values(original, first)
    for form in found:
        _execute(subject, prepared, form.test, config)
        again = _execute(subject, prepared, original, config)
        _expect_same_bits(relation, original, first, again, "executed again after other inputs")


_CHECKS: Final[Mapping[Manner, CheckRelation]] = {
    Manner.FORMS: _check_forms,
    Manner.EXECUTORS: _check_executors,
    Manner.REPETITION: _check_repetition,
}
"""Functions that check a relation, by its manner."""


def _execute(subject: Subject, prepared: PreparedModel, test: TestModel, config: TestConfig) -> Sequence[Array]:
    """Execute, and return the flat outputs; both runs of a reusable execution have to give the same bits.

    :raises CaseFailed: an execution fails.
    """
    answers = run_test(prepared, test, config, subject.device, subject.timeout_s)
    for answer in answers:
        expect(judge(test, config, answer, criteria=_accept_values))
    return answers[-1].outputs


def _accept_values(_: TestModel, __: Sequence[Array]) -> None:
    """Accept any values, because they are compared with those of other executions."""


def _expect_different_values(original: TestModel, outputs: Sequence[Array]) -> None:
    """Check that some output has several different values, as it must for these models.

    :raises CaseFailed: each output repeats one value, as with a driver that writes nothing.
    """
    # Compare bits: unwritten output may be NaN, which is unequal to itself.
    if all(output.tobytes() == output[:1].tobytes() * output.size for output in outputs):
        reason = "all elements of every output are equal, which no right driver gives"
        raise fail("execution/output.value", reason, graph=describe_model(original))


def _expect_same_bits(
    relation: Relation, original: TestModel, first: Sequence[Array], second: Sequence[Array], when: str
) -> None:
    """Check that two executions of the original give the same bits; ``when`` says how the second differs."""
    for position, (array, other) in enumerate(zip(first, second, strict=True)):
        if array.tobytes() == other.tobytes():
            continue
        differing = np.flatnonzero(array.view(np.uint8) != other.view(np.uint8)) // array.itemsize
        place = int(differing[0])
        reason = f"output {position} differs when {when}, first at element {place}: {array[place]} and {other[place]}"
        raise fail(relation.rule, reason, graph=describe_model(original))


for _relation in RELATIONS.values():
    _register(_relation)
