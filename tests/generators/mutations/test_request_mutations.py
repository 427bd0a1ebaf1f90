"""Mutations of requests and configurations: all of them invalid by the contract, each in its own way."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from nnvet.generators.mutations.operations import sample
from nnvet.generators.mutations.requests import (
    FURTHER_REQUEST_MUTATIONS,
    VTS_REQUEST_MUTATIONS,
    RequestMutation,
    wrong_configs,
)
from nnvet.graphs.builder import sum_of_two
from nnvet.graphs.hal_model import build_model, pack_request
from nnvet.hal.errors import HalError
from nnvet.hal.types import Model, Request
from nnvet.hal.validation import validate_request

ALL = {**VTS_REQUEST_MUTATIONS, **FURTHER_REQUEST_MUTATIONS}

RULES = {
    "removeInputTest": {"request/inputs.count"},
    "removeOutputTest": {"request/outputs.count"},
    "mutateArgumentPool": {"request/pool.index"},
    "mutateArgumentBounds": {"request/pool.bounds"},
    "mutateArgumentPadding": {"request/pool.bounds"},
    "mutateArgumentLength": {"request/length", "request/length.zero"},
    "mutateArgumentDimensions": {
        "request/dimensions.rank",
        "request/dimensions.value",
        "request/dimensions.overflow",
    },
    "mutateInputUnknownDimensions": {"request/dimensions.input"},
    "mutateNoValue": {"request/no_value"},
    "mutatePools": {"request/pool.valid", "request/pool.token"},
}


@contextmanager
def a_sum() -> Iterator[tuple[Model, Request]]:
    """[1, 2] + [3, 4], and its request with 16 bytes of inputs and more output bytes than needed."""
    test = sum_of_two("sum", [1, 2], [3, 4], [4, 6])
    packed = pack_request(test, alignment=64)
    yield build_model(test), packed.request
    packed.close()


@pytest.mark.parametrize(("name", "mutate"), ALL.items())
def test_every_mutant_breaks_a_rule_of_its_kind(name: str, mutate: RequestMutation) -> None:
    """The rules that mutants break first are those that the mutation is about, and all of these."""
    broken = set()
    with a_sum() as (model, request):
        validate_request(request, model)
        for mutant in mutate(request, model, 8):
            with pytest.raises(HalError) as error:
                validate_request(mutant.request, model)
            broken.add(error.value.rule)
    assert broken == RULES[name]


def test_what_vts_removes() -> None:
    """Each argument in turn."""
    with a_sum() as (model, request):
        first, second = (m.request.inputs for m in VTS_REQUEST_MUTATIONS["removeInputTest"](request, model, 1))
        assert (first, second) == ((request.inputs[1],), (request.inputs[0],))
        (only,) = VTS_REQUEST_MUTATIONS["removeOutputTest"](request, model, 1)
        assert only.request.outputs == ()


def test_what_early_levels_do_not_have() -> None:
    """Tokens come with level 4, paddings and exact lengths with level 5."""
    with a_sum() as (model, request):
        for name, level in (("mutateArgumentPadding", 5), ("mutateArgumentLength", 5)):
            assert not list(ALL[name](request, model, level - 1))
            assert list(ALL[name](request, model, level))
        assert not any("token" in m.description for m in ALL["mutatePools"](request, model, 3))


def test_configurations() -> None:
    """Values around those of the enumerations, from the level on that has the argument."""
    found = [(name, wrong.config.preference, wrong.config.priority) for name, wrong in wrong_configs(8)]
    assert found[:4] == [
        ("mutateExecutionPreferenceTest", -1, 1),
        ("mutateExecutionPreferenceTest", 3, 1),
        ("mutateExecutionPriorityTest", 1, -1),
        ("mutateExecutionPriorityTest", 1, 3),
    ]
    assert [wrong.config.deadline_ns for _, wrong in wrong_configs(8)][4:] == [-2, -(2**63)]
    assert [name for name, _ in wrong_configs(3)] == ["mutateExecutionPreferenceTest"] * 2
    assert not list(wrong_configs(1))


def test_samples_hold_some_of_every_kind_and_are_repeatable() -> None:
    """As many as the limit, kinds in turn; the same key gives the same ones, another key others."""
    with a_sum() as (model, request):
        mutants = {name: list(mutate(request, model, 8)) for name, mutate in ALL.items()}
        chosen = sample(mutants, 20, "a")
        assert len(chosen) == 20
        assert {name for name, _ in chosen} == set(ALL)
        assert chosen == sample(mutants, 20, "a")
        assert chosen != sample(mutants, 20, "b")
        everything = sample(mutants, 10**6, "a")
        assert len(everything) == sum(map(len, mutants.values()))
