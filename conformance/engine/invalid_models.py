"""Sends models and configurations that a driver must refuse, and judges how it does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from nnvet.adapters import INEXPRESSIBLE, sending
from nnvet.adapters.calls import PreparedModelRecorder
from nnvet.conformance.engine.notified import Ledger, check_passed_on, refusal_of
from nnvet.conformance.engine.outcome import CaseFailed, fail
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.mutations.configs import wrong_configs
from nnvet.generators.mutations.editing import Mutant
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.hal.validation import validate_model

REFUSED: Final = ("prepare/invalid", "prepare/notified_once", "prepare/notified_at_once")
"""Rules of how an invalid model is refused, whatever is wrong with it."""
STRUCTURE: Final = (
    "model/*",
    "[A-Z]*/types",
    "[A-Z]*/inputs.count",
    "[A-Z]*/outputs.count",
    "[A-Z]*.rank",
    "[A-Z]*/ranks",
)
"""Rules that mutations of models break (:mod:`nnvet.generators.mutations.catalogue`)."""


def try_mutants(subject: Subject, mutants: Iterable[tuple[str, Mutant]]) -> None:
    """Each mutant must be refused by getSupportedOperations, and by prepareModel in its call and notification.

    :raises CaseFailed: with the rule that the mutant breaks; UNSUPPORTED if an adapter can pass on none of them.
    :raises DriverGone: the driver's process died, or gave no answer in time.
    """
    ledger, evidence = Ledger(subject, "prepare"), {}
    passed_on = []
    for number, (mutation, mutant) in enumerate(mutants):
        evidence = {"mutation": mutation, "change": mutant.description}
        passed_on.append(try_question(subject, mutant, **evidence))
        try_preparation(subject, ledger, mutant.model, PrepareModelConfig(), mutant.description, **evidence)
        if not number:
            # Only what is looked at at once is known not to be late.
            ledger.settle()
    with sending(**evidence):
        ledger.settle()
    check_passed_on(passed_on)


def try_question(subject: Subject, mutant: Mutant, **evidence: str) -> bool:
    """A mutant must be refused by getSupportedOperations; whether the driver has seen it, not an adapter alone.

    :raises CaseFailed: with the rule that the mutant breaks.
    """
    with sending(**evidence):
        error = refusal_of(lambda: subject.device.get_supported_operations(mutant.model))
    if error is None or error.status is not ErrorStatus.INVALID_ARGUMENT:
        rule = broken_rule(mutant.model, subject.feature_level)
        raise _accepted("getSupportedOperations", mutant.description, error, rule, evidence)
    return error.rule != INEXPRESSIBLE


def try_configs(subject: Subject, model: Model) -> None:
    """Each wrong configuration must be refused by prepareModel; raises like :func:`try_mutants`."""
    ledger = Ledger(subject, "prepare")
    passed_on = [
        try_preparation(subject, ledger, model, config, what, rule, mutation=mutation, change=what)
        for mutation, (what, config, rule) in wrong_configs(subject.feature_level)
    ]
    ledger.settle()
    check_passed_on(passed_on)


def try_preparation(
    subject: Subject,
    ledger: Ledger,
    model: Model,
    config: PrepareModelConfig,
    what: str,
    rule: str = "",
    **evidence: str,
) -> bool:
    """A preparation must be refused; ``rule`` is the broken one, by default that of the model.

    Returns whether the driver has seen it, not an adapter alone.

    :raises CaseFailed: it is launched, or refused with another status than INVALID_ARGUMENT.
    """
    recorder = PreparedModelRecorder()
    with sending(**evidence):
        error = refusal_of(lambda: subject.device.prepare_model(model, config, recorder))
    if error is None or error.status is not ErrorStatus.INVALID_ARGUMENT:
        raise _accepted("prepareModel", what, error, rule or broken_rule(model, subject.feature_level), evidence)
    ledger.refused(recorder, error.status, f"prepareModel, {what}", **evidence)
    return error.rule != INEXPRESSIBLE


def broken_rule(model: Model, level: int) -> str:
    """The rule that an invalid model breaks first."""
    try:
        validate_model(model, level)  # type: ignore[arg-type]
    except HalError as error:
        return error.rule
    return "prepare/invalid"


def _accepted(method: str, what: str, error: HalError | None, rule: str, evidence: dict[str, str]) -> CaseFailed:
    answer = "success" if error is None else str(error)
    if error is not None:
        # The driver sees that something is wrong; what, is not at issue.
        rule = "prepare/invalid"
    return fail(rule, f"{method} answers {answer}, not INVALID_ARGUMENT: {what}", **evidence)
