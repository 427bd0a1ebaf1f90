"""Metamorphic relations: they hold for right drivers, and reveal wrong ones."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.conformance.suites.metamorphic import FormComparison
from nnvet.generators.metamorphic.relation import Manner, OtherForm
from nnvet.generators.metamorphic.table import RELATIONS, SEEDS, forms, made
from nnvet.generators.random_graphs.golden import estimates
from nnvet.generators.reducer.search import content_digest
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.editor import with_operands
from nnvet.graphs.model import Array, TestModel
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import type_info
from nnvet.hal.rules import all_rules
from nnvet.oracle.execution import Compute, by_meaning
from tests.oracle.bounds.honest import DRIVERS, executed

RELATED = [relation.name for relation in RELATIONS.values() if relation.manner is Manner.FORMS]
"""Relations between different models."""
SAMPLE = SEEDS[:3]


@cache
def case(name: str, seed: int) -> tuple[TestModel, Sequence[OtherForm]]:
    """The models of a relation and a seed."""
    return made(RELATIONS[name], seed)


def results(found: Sequence[OtherForm], compute: Compute) -> list[list[Array]]:
    """The outputs of all forms by a driver, fed with its own results."""
    outputs: list[list[Array]] = []
    for form in found:
        main = form.test.main
        fed = {
            main.input_indexes[place]: replace(
                main.operands[main.input_indexes[place]], data=outputs[number][output].reshape(-1)
            )
            for place, (number, output) in form.feeds.items()
        }
        outputs.append(executed(replace(form.test, main=with_operands(main, fed)), compute))
    return outputs


def mismatches(name: str, seed: int, first: Compute, second: Compute) -> list[object]:
    """Return the faults if one driver computes the original and another one its forms."""
    original, found = case(name, seed)
    comparison = FormComparison(original, executed(original, first))
    pairs = zip(found, results(found, second), strict=True)
    wrong = [comparison.first_mismatch(form, outputs) for form, outputs in pairs]
    return [mismatch for mismatch in wrong if mismatch is not None]


def test_there_are_enough() -> None:
    """More than ten; each has a rule of the contract, and no rule is without a relation."""
    assert len(RELATIONS) == 29
    rules = {relation.rule for relation in RELATIONS.values()}
    assert rules <= all_rules().keys()
    assert {rule for rule in all_rules() if rule.startswith("relation/")} <= rules


def test_a_name_gives_one_model() -> None:
    """The models of a relation and a seed are the same each time, and forms follow from the original alone."""
    for name in RELATED[:3]:
        original, found = case(name, 0)
        again, others = made(RELATIONS[name], 0)
        assert content_digest(original) == content_digest(again)
        assert [content_digest(form.test) for form in found] == [content_digest(other.test) for other in others]
        assert [content_digest(form.test) for form in forms(RELATIONS[name], original)] == [
            content_digest(form.test) for form in found
        ]


@pytest.mark.parametrize("name", RELATED)
def test_forms_are_other_models_of_the_same_meaning(name: str) -> None:
    """No form is the original; without any rounding the outputs correspond."""
    for seed in SAMPLE:
        original, found = case(name, seed)
        assert found
        ideal = [estimate.value for estimate in estimates(original)]
        for form in found:
            assert content_digest(form.test) != content_digest(original)
            if form.feeds:
                continue
            for wanted, bound in zip(form.expected(ideal), estimates(form.test), strict=True):
                if wanted is not None:
                    decided = np.isfinite(bound.error)
                    got = bound.value.reshape(wanted.shape)[decided.reshape(wanted.shape)]
                    np.testing.assert_allclose(got, wanted[decided.reshape(wanted.shape)], rtol=1e-12, atol=1e-12)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", RELATED)
@pytest.mark.parametrize("second", DRIVERS)
def test_no_honest_driver_is_blamed(name: str, second: str) -> None:
    """Whatever the arithmetic of the original and that of the other forms is."""
    for seed in SAMPLE:
        assert mismatches(name, seed, by_meaning, DRIVERS[second]) == []
        assert mismatches(name, seed, DRIVERS[second], by_meaning) == []


@pytest.mark.parametrize("name", RELATED)
def test_wrong_elements_are_found(name: str) -> None:
    """A fifth of the range too much in half of the elements of every output of the forms is noticed, for every seed."""
    for seed in SAMPLE:
        original, found = case(name, seed)
        comparison = FormComparison(original, executed(original, by_meaning))
        outputs = [[_off(array) for array in made_by] for made_by in results(found, by_meaning)]
        wrong = [comparison.first_mismatch(*pair) for pair in zip(found, outputs, strict=True)]
        assert any(wrong), (name, seed)


@pytest.mark.parametrize(
    ("units", "keeps", "keeps_as_declared"), [(4, True, True), (9, False, True), (13, False, False)]
)
def test_declared_liberties_widen_the_bounds_of_both(units: int, keeps: bool, keeps_as_declared: bool) -> None:
    """Of e^1 each model may be 3.2 units off, 6.2 with OpenCL's functions: two may be 6.4 or 12.4 apart.

    The source of the figures is in ``test_declared_liberties_widen_the_bound``.
    """
    graph = GraphBuilder()
    argument = graph.input(OperandType.TENSOR_FLOAT32, (1,), [1.0])
    graph.operation(OperationType.EXP, (argument,), graph.output(OperandType.TENSOR_FLOAT32, (1,), [np.e]))
    test = graph.finish("exponential")
    first, second = (np.array([np.float32(np.e) + number * 2.0**-22], np.float32) for number in (0, units))
    comparison, form = FormComparison(test, [first]), OtherForm(test)
    assert (comparison.first_mismatch(form, [second]) is None) is keeps
    declared = comparison.first_mismatch(form, [second], liberties=("opencl-functions",))
    assert (declared is None) is keeps_as_declared


def _off(values: Array) -> Array:
    """The values with every other element, and the last, off by a fifth of their range; truth values are inverted."""
    flat = values.reshape(-1).copy()
    if values.dtype == np.dtype(type_info(OperandType.TENSOR_BOOL8).dtype):
        return 1 - flat
    finite = flat[np.isfinite(flat)].astype(np.float64)
    step = max(1.0, float(np.ptp(finite)) / 5) if finite.size else 1.0
    flat[-1::-2] = (flat[-1::-2] + step).astype(values.dtype)
    return flat


def test_activations_do_something() -> None:
    """The value before the explicit activation is not what comes behind it."""
    for seed in SAMPLE:
        original, (form,) = case("ExplicitActivation", seed)
        shown = form.test.main.operations[0].outputs[0]
        assert shown != form.test.main.output_indexes[0]
        before = replace(form.test, main=replace(form.test.main, output_indexes=(shown,)))
        assert not np.array_equal(executed(before, by_meaning)[0].reshape(-1), original.main.outputs[0].data)
