"""TestRemoveDefaultArguments: an optional argument with its default value changes nothing.

CTS lets the runtime strip such arguments and counts what arrives; here the driver gets both forms, for every
operation that has them (docs/contract/cts-tests.md 2.12).
"""

from __future__ import annotations

from typing import Final

from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.executing import execute
from nnvet.conformance.engine.handmade import basic_config
from nnvet.conformance.engine.judging import check_answer, precision_rules
from nnvet.conformance.engine.outcome import Outcome, fail, passed, unsupported
from nnvet.conformance.engine.preparing import built_model, packed_request, prepared_model, supported_operations
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.suites.default_arguments.longer_forms import longer_forms
from nnvet.conformance.suites.default_arguments.shortest_forms import shortest_forms
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.specs import SpecCase
from nnvet.hal.enums import FeatureLevel

SUITE: Final = "TestRemoveDefaultArguments"
_RULE: Final = "execution/default_arguments"


def _taken(test: TestModel) -> bool:
    if test.expect_failure or test.traits.is_lifetime_variant:
        return False
    return any(True for _ in longer_forms(test, FeatureLevel.FL8))


@check(SUITE, "Operation", rules=(_RULE,), level=3, parameters=lambda: dict(shortest_forms()))
def operation(subject: Subject, test: TestModel) -> Outcome:
    """The operations of CTS on tiny images, one case for each of their shortest forms."""
    if not any(any(output) for output in _outputs(subject, test)):
        raise fail("execution/output.value", "the output of an image of sines is all zeros")
    return _check_forms(subject, test)


@check(SUITE, "Generated", rules=(_RULE,), level=3, over=_taken)
def generated(subject: Subject, spec: SpecCase) -> Outcome:
    """The same for every spec with such an operation."""
    return _check_forms(subject, spec.build())


def _check_forms(subject: Subject, test: TestModel) -> Outcome:
    """Every longer form is supported where the test is, and gives the same bits."""
    answer = _supported(subject, test)
    expected = _outputs(subject, test)
    forms = list(longer_forms(test, subject.feature_level))
    if not forms:
        raise unsupported("all longer forms need a higher feature level", "model/level")
    for what, form in forms:
        other = _supported(subject, form)
        if other != answer:
            raise fail(_RULE, f"{what}: supported are {list(other)}, not {list(answer)}", form=what)
        if _outputs(subject, form) != expected:
            raise fail(_RULE, f"{what}: outputs differ", form=what)
    return passed(forms=[what for what, _ in forms])


def _supported(subject: Subject, test: TestModel) -> tuple[bool, ...]:
    with built_model(test, subject.feature_level) as model:
        return supported_operations(subject, model)


def _outputs(subject: Subject, test: TestModel) -> list[bytes]:
    config = basic_config(subject)
    with built_model(test, subject.feature_level) as model:
        prepared = prepared_model(subject, model)
    with packed_request(test) as packed:
        (answer,) = execute(prepared, packed.request, config, subject.timeout_s)
        if check_answer(answer, test, config):
            precision_rules(test, packed.output_arrays(test.main.outputs))
        return packed.output_bytes()
