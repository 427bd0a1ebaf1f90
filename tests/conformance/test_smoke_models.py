"""Models of a first look: unlike each other in their attributes, and what the failing ones have in common."""

from itertools import islice

import pytest

from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.outcome import Finished, Outcome
from nnvet.conformance.smoke import RESULTS, Asked, advice_for, answers
from nnvet.conformance.smoke_models import SmokeModel, common_cause, is_decided, models_beside, smoke_models
from nnvet.hal.types import OperandType, OperationType
from nnvet.reports.contrast import contrasts_between
from nnvet.reports.events import CaseFinished, Verdict

Op, T = OperationType, OperandType


def test_the_first_models_have_what_can_be_wrong() -> None:
    """Of a pool padding SAME, another layout and an activation are among the first two; then come other operations."""
    claimed = {Op.ADD: [T.TENSOR_FLOAT32], Op.ABS: [T.TENSOR_FLOAT32], Op.AVERAGE_POOL_2D: [T.TENSOR_FLOAT32]}
    first, second, third = islice(smoke_models(claimed, 8), 3)
    assert (first.operation, second.operation, third.operation) == (Op.AVERAGE_POOL_2D, Op.AVERAGE_POOL_2D, Op.ADD)
    values = first.attributes.items() | second.attributes.items()
    assert {("padding", "SAME"), ("layout", "NCHW")} <= values
    assert any(name == "activation" and value != "NONE" for name, value in values)


def test_each_model_comes_once() -> None:
    """Thirty of each type; operations without attributes one after the other."""
    claimed = {Op.ABS: [T.TENSOR_FLOAT32, T.TENSOR_FLOAT16], Op.NEG: [T.TENSOR_FLOAT32]}
    models = list(smoke_models(claimed, 8))
    assert len({model.argument for model in models}) == len(models) == 90
    assert [model.about for model in models[:3]] == [
        "ABS of TENSOR_FLOAT32",
        "NEG of TENSOR_FLOAT32",
        "ABS of TENSOR_FLOAT16",
    ]


def test_models_lack_what_the_driver_refuses() -> None:
    """A driver without the optional layout gets a model of padding SAME among the first six; few have a layout."""

    def is_refused(model: SmokeModel) -> bool:
        return "layout" in model.attributes

    models = list(islice(smoke_models({Op.CONV_2D: [T.TENSOR_FLOAT32]}, 8, is_refused), 12))
    assert is_refused(models[0])
    assert sum(map(is_refused, models)) <= 3
    supported = [model for model in models[:6] if not is_refused(model)]
    assert any(model.attributes.get("padding") == "SAME" for model in supported)
    assert len({model.argument for model in models}) == len(models)


def test_one_refused_value_is_left_out() -> None:
    """A driver that takes no fused RELU6 still gets models; that value is hardly tried again."""

    def is_refused(model: SmokeModel) -> bool:
        return model.attributes.get("activation") == "RELU6"

    models = list(islice(smoke_models({Op.ADD: [T.TENSOR_FLOAT32]}, 8, is_refused), 12))
    assert any(map(is_refused, models))
    assert sum(map(is_refused, models)) <= 2
    assert {model.attributes["activation"] for model in models} == {"NONE", "RELU", "RELU1", "RELU6"}


def ended(case: str, verdict: Verdict) -> Finished:
    """The end of a case."""
    return Finished(case, Outcome(verdict), 0.0, {})


def test_a_refusal_of_what_was_claimed_has_advice_of_its_own() -> None:
    """Not that of wrong numbers."""
    refused = Finished("c/1", Outcome(Verdict.FAIL, rule="execution/status"), 0.0, {})
    wrong = Finished("c/1", Outcome(Verdict.FAIL, rule="execution/output.value"), 0.0, {})
    about = {"c/1": "ADD of TENSOR_FLOAT32"}
    assert "it claimed this model" in advice_for(Asked(RESULTS, [refused], about=about))
    assert "compare order of inputs" in advice_for(Asked(RESULTS, [wrong], about=about))


def test_where_all_fail_no_attribute_is_blamed() -> None:
    """Whatever they have."""
    (model,) = islice(smoke_models({Op.ADD: [T.TENSOR_FLOAT32]}, 8), 1)
    beside = {f"c/{number}": other for number, other in enumerate(islice(models_beside(model, 8), 8))}
    failed = [ended(case, Verdict.FAIL) for case in beside]
    assert common_cause(failed, beside) == "ADD: all 8 models of it fail, whatever their attributes"
    assert common_cause([], beside) == ""
    assert is_decided(failed)
    assert not is_decided(failed[:4])
    assert not is_decided([*failed, ended("other", Verdict.PASS)])


def test_chance_decides_on_random_cases() -> None:
    """Six failures of 33 cases lie by chance among the nine with SAME once in 13,000 times, among 13 of 20 in 22."""

    def results(verdict: Verdict, count: int, padding: str) -> list[CaseFinished]:
        labels = {"operations": ["CONV_2D"], "attributes": {"padding": padding}}
        return [CaseFinished(f"{verdict}/{padding}/{number}", verdict, labels=labels) for number in range(count)]

    failed = results(Verdict.FAIL, 6, "SAME")
    passed = [*results(Verdict.PASS, 3, "SAME"), *results(Verdict.PASS, 24, "VALID")]
    (contrast,) = contrasts_between(failed, passed, are_drawn=True)
    assert str(contrast) == "CONV_2D: all 6 failures have padding SAME; of 27 cases that pass 3 have it"
    assert contrasts_between(failed, passed) == []
    even = [*results(Verdict.PASS, 7, "SAME"), *results(Verdict.PASS, 7, "VALID")]
    assert contrasts_between(failed, even, are_drawn=True) == []


@pytest.mark.parametrize(
    ("driver", "operation", "cause"),
    [
        ("value-average-pool-same", "AVERAGE_POOL_2D", "padding SAME"),
        ("value-depthwise-same-stride", "DEPTHWISE_CONV_2D", "padding SAME and stride_width 2"),
    ],
)
def test_smoke_names_wrong_same_padding(driver: str, operation: str, cause: str) -> None:
    """Within the eight models that are tried whatever the time; others of the operation tell what it is."""
    target = Target(f"zoo:{driver}", in_process=True)
    found = next(answer for answer in answers(target, 0.0) if answer.question is RESULTS)
    assert {found.about[failed.case].partition(" ")[0] for failed in found.failed} == {operation}
    assert found.common.startswith(f"{operation}: all ")
    assert f" failures have {cause}; of " in found.common
