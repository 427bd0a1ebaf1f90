"""Invalid requests, models and configurations: send them to a driver, and judge how it refuses them.

Checks of validation call :func:`try_requests`, in the first half, which sends requests by every executor, or
:func:`try_mutants`, in the second half, for models and configurations of preparations. A refusal is right if its status
is INVALID_ARGUMENT, and if a callback is notified exactly once. An adapter may be unable to pass a wrong argument on
(rule ``INEXPRESSIBLE``); such a refusal does not count for the driver. :mod:`nnvet.generators.mutations` makes what is
invalid, :mod:`nnvet.conformance.kit.siblings` checks that the driver accepts what is valid.

Source: docs/contract/vts-tests.md 3 and 4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Final

from nnvet.adapters.calls import ExecutionRecorder, PreparedModelRecorder, begin_questions
from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.conformance.kit.executing import EXECUTOR_LEVELS, Executor, TestConfig, execute
from nnvet.conformance.kit.judging import check_answer
from nnvet.conformance.kit.notified import Ledger, check_passed_on, refusal_of
from nnvet.conformance.kit.outcome import CaseFailed, fail
from nnvet.conformance.kit.preparing import Supported
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.mutations.editing import Mutant
from nnvet.generators.mutations.requests import RequestMutant, wrong_configs
from nnvet.graphs.model import TestModel
from nnvet.hal import types as hal
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Burst, PreparedModel
from nnvet.hal.validation import validate_model
from nnvet.transport.wire.failures import sending

REFUSED: Final = ("execution/invalid", "execution/notified_once", "execution/notified_at_once")
"""Rules about the refusal of any invalid request."""
_NOT_CACHED = -1
"""Token of memory that a burst must not cache, by the contract."""
_CONFIG = hal.ExecutionConfig()
"""Configuration of executions: no timing, no hints."""


def try_requests(subject: Subject, prepared: PreparedModel, mutants: Iterable[tuple[str, RequestMutant]]) -> None:
    """Check that every executor of the driver's level refuses each request, with and without timing.

    :raises CaseFailed: an executor accepts a request, or its refusal breaks the contract. UNSUPPORTED if the adapter
        could not pass any of the requests on.
    :raises DriverGone: the driver's process died, or gave no answer in time.
    """
    ledger = Ledger(subject, "execution")
    executors = _Executors(prepared, ledger, subject.feature_level)
    passed_on = []
    for number, (mutation, (what, request)) in enumerate(mutants):
        config = hal.ExecutionConfig(measure_timing=number % 2 == 1)
        for executor, run in executors.table.items():
            evidence = {"mutation": mutation, "change": what, "executor": executor.value}
            call = partial(run, request, config, what)
            passed_on.append(_check_refused(call, "execution/invalid", what, **evidence))
    ledger.settle()
    check_passed_on(passed_on)


def check_every_executor(subject: Subject, prepared: PreparedModel, test: TestModel, request: hal.Request) -> None:
    """Positive control: check that every executor accepts the valid request from which the invalid ones are made.

    :raises CaseFailed: an executor refuses it, so that its other refusals prove nothing.
    """
    for executor, level in EXECUTOR_LEVELS.items():
        config = TestConfig(executor)
        for answer in execute(prepared, request, config, subject.timeout_s) if level <= subject.feature_level else ():
            check_answer(answer, test, config)


class _Executors:
    """The executors of a level for requests that must be refused, with one burst for all of them."""

    def __init__(self, prepared: PreparedModel, ledger: Ledger, level: int) -> None:
        self._prepared = prepared
        self._ledger = ledger
        self._opened: Burst | None = None
        table: dict[Executor, Callable[[hal.Request, hal.ExecutionConfig, str], object]] = {
            Executor.ASYNC: self._execute_asynchronously,
            Executor.SYNC: lambda request, config, _: prepared.execute_synchronously(request, config, hal.NO_DEADLINE),
            Executor.BURST: self._execute_by_burst,
            Executor.FENCED: self._execute_fenced,
            Executor.REUSABLE: self._execute_reusable,
        }
        self.table = {executor: run for executor, run in table.items() if EXECUTOR_LEVELS[executor] <= level}

    def _execute_asynchronously(self, request: hal.Request, config: hal.ExecutionConfig, what: str) -> None:
        """Launch an execution, and enter its refusal into the ledger."""
        recorder = ExecutionRecorder()
        try:
            self._prepared.execute(request, config, hal.NO_DEADLINE, recorder)
        except HalError as error:
            self._ledger.refused(recorder, error.status, f"execute, {what}", change=what)
            raise

    def _execute_by_burst(self, request: hal.Request, config: hal.ExecutionConfig, _what: str) -> object:
        """Execute on the burst, which the first call opens."""
        if self._opened is None:
            self._opened = self._prepared.configure_execution_burst()
        tokens = [_NOT_CACHED] * len(request.pools)
        return self._opened.execute_synchronously(request, tokens, config, hal.NO_DEADLINE)

    def _execute_fenced(self, request: hal.Request, config: hal.ExecutionConfig, _what: str) -> object:
        """Launch a fenced execution, without timing."""
        del config
        return self._prepared.execute_fenced(request, (), _CONFIG, hal.NO_DEADLINE, hal.NO_DEADLINE)

    def _execute_reusable(self, request: hal.Request, config: hal.ExecutionConfig, what: str) -> object:
        """Create a reusable execution, and check that both ways to start it are refused."""
        # A driver may validate the request only when it runs.
        execution = self._prepared.create_reusable_execution(request, config)
        _check_refused(
            lambda: execution.execute_fenced((), hal.NO_DEADLINE, hal.NO_DEADLINE),
            "execution/invalid",
            what,
            change=what,
            executor="reusable, fenced",
        )
        return execution.execute_synchronously(hal.NO_DEADLINE)


def try_bad_fence(prepared: PreparedModel, request: hal.Request) -> None:
    """Check that a fence without a descriptor in the wait list is refused (VTS: validateExecuteFenced).

    :raises CaseFailed: it is accepted.
    """
    _check_refused(
        lambda: prepared.execute_fenced(request, (hal.Handle(-1),), _CONFIG, hal.NO_DEADLINE, hal.NO_DEADLINE),
        "execution/fence",
        "a fence to wait for has no descriptor",
    )


def try_burst_tokens(prepared: PreparedModel, request: hal.Request) -> None:
    """Check that a burst refuses wrong memory identifiers (VTS: validateBurst of the AIDL levels).

    :raises CaseFailed: one is accepted.
    """
    burst = prepared.configure_execution_burst()
    right = [_NOT_CACHED if isinstance(pool, hal.BufferToken) else index for index, pool in enumerate(request.pools)]
    wrong: dict[str, Sequence[int]] = {
        f"token {index} is -2": [*right[:index], -2, *right[index + 1 :]] for index in range(len(right))
    }
    if right:
        wrong["a token is missing"] = [_NOT_CACHED] * (len(right) - 1)
    wrong["there is a token too many"] = [_NOT_CACHED] * (len(right) + 1)
    passed_on = [
        _check_refused(
            partial(burst.execute_synchronously, request, tokens, _CONFIG, hal.NO_DEADLINE), "burst/tokens", what
        )
        for what, tokens in wrong.items()
    ]
    release = partial(burst.release_memory_resource, -2)
    check_passed_on([*passed_on, _check_refused(release, "burst/tokens", "token -2 is released")])


def _check_refused(call: Callable[[], object], rule: str, what: str, **evidence: str) -> bool:
    """Check that a call is refused; return True if the driver itself has seen it, False if only the adapter has."""
    with sending(**{"change": what, **evidence}):
        error = refusal_of(call)
    if error is None or error.status is not hal.ErrorStatus.INVALID_ARGUMENT:
        answer = "success" if error is None else str(error)
        by = f"{evidence['executor']} execution" if "executor" in evidence else "the driver"
        raise fail(rule, f"{by} answers {answer}, not INVALID_ARGUMENT: {what}", **evidence)
    return error.rule != INEXPRESSIBLE


REFUSED_MODELS: Final = ("prepare/invalid", "prepare/notified_once", "prepare/notified_at_once")
"""Rules about the refusal of any invalid model."""
STRUCTURE: Final = (
    "model/*",
    "[A-Z]*/types",
    "[A-Z]*/inputs.count",
    "[A-Z]*/outputs.count",
    "[A-Z]*.rank",
    "[A-Z]*/ranks",
)
"""Rules that mutations of models break (:mod:`nnvet.generators.mutations.operations`)."""


def try_mutants(subject: Subject, mutants: Iterable[tuple[str, Mutant]]) -> None:
    """Check that getSupportedOperations and prepareModel (by its result and its notification) refuse each mutant.

    :raises CaseFailed: with the rule that the mutant breaks; UNSUPPORTED if the adapter could not pass any mutant on.
    :raises DriverGone: the driver's process died, or gave no answer in time.
    """
    ledger, evidence = Ledger(subject, "prepare"), {}
    passed_on = []
    for number, (mutation, mutant) in enumerate(mutants):
        evidence = {"mutation": mutation, "change": mutant.description}
        passed_on.append(try_question(subject, mutant, **evidence))
        try_preparation(subject, ledger, mutant.model, hal.PrepareModelConfig(), mutant.description, **evidence)
        if not number:
            # Settle right after the first mutant: a late notification is only noticed if it is awaited at once.
            ledger.settle()
    with sending(**evidence):
        ledger.settle()
    check_passed_on(passed_on)


def try_question(subject: Subject, mutant: Mutant, **evidence: str) -> bool:
    """Check that getSupportedOperations refuses a mutant; return True if the driver has seen it, not only the adapter.

    :raises CaseFailed: with the rule that the mutant breaks.
    """
    return _check_question(subject, mutant, partial(subject.device.get_supported_operations, mutant.model), evidence)


def try_questions(
    subject: Subject, mutants: Sequence[tuple[str, Mutant]], answers: Sequence[Supported] = ()
) -> list[bool]:
    """Check mutants like :func:`try_question`, each with its step; all are sent at once, since no answer decides more.

    ``answers`` wait for the answers if the driver was asked already.

    :raises CaseFailed: with the rule that the first accepted mutant breaks.
    """
    if answers:
        return _check_answers(subject, mutants, answers)
    with ExitStack() as stack:
        with sending(step=", or ".join(dict.fromkeys(step for step, _ in mutants))):
            answers = stack.enter_context(begin_questions(subject.device, [mutant.model for _, mutant in mutants]))
        return _check_answers(subject, mutants, answers)


def _check_answers(subject: Subject, mutants: Sequence[tuple[str, Mutant]], answers: Sequence[Supported]) -> list[bool]:
    return [
        _check_question(subject, mutant, answer, {"step": step})
        for (step, mutant), answer in zip(mutants, answers, strict=True)
    ]


def _check_question(subject: Subject, mutant: Mutant, ask: Callable[[], object], evidence: dict[str, str]) -> bool:
    """Check the answer to one question, like :func:`try_question`."""
    with sending(**evidence):
        error = refusal_of(ask)
    if error is None or error.status is not hal.ErrorStatus.INVALID_ARGUMENT:
        rule = broken_rule(mutant.model, subject.feature_level)
        raise _blame_acceptance("getSupportedOperations", mutant.description, error, rule, evidence)
    return error.rule != INEXPRESSIBLE


def try_configs(subject: Subject, model: hal.Model) -> None:
    """Check that prepareModel refuses each wrong configuration; raises like :func:`try_mutants`."""
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
    model: hal.Model,
    config: hal.PrepareModelConfig,
    what: str,
    rule: str = "",
    **evidence: str,
) -> bool:
    """Check that a preparation is refused; ``rule`` is the broken one, by default the rule that the model breaks.

    Returns True if the driver has seen the call, not only the adapter.

    :raises CaseFailed: it is launched, or refused with another status than INVALID_ARGUMENT.
    """
    recorder = PreparedModelRecorder()
    with sending(**evidence):
        error = refusal_of(lambda: subject.device.prepare_model(model, config, recorder))
    if error is None or error.status is not hal.ErrorStatus.INVALID_ARGUMENT:
        raise _blame_acceptance(
            "prepareModel", what, error, rule or broken_rule(model, subject.feature_level), evidence
        )
    ledger.refused(recorder, error.status, f"prepareModel, {what}", **evidence)
    return error.rule != INEXPRESSIBLE


def broken_rule(model: hal.Model, level: int) -> str:
    """Return the first rule that an invalid model breaks."""
    try:
        validate_model(model, level)  # type: ignore[arg-type]
    except HalError as error:
        return error.rule
    return "prepare/invalid"


def _blame_acceptance(
    method: str, what: str, error: HalError | None, rule: str, evidence: dict[str, str]
) -> CaseFailed:
    """Return the failure of a driver that accepts an invalid model, or refuses it with a wrong status."""
    answer = "success" if error is None else str(error)
    if error is not None:
        # The driver has noticed the error, so it breaks the rule about refusals, not the one that the model breaks.
        rule = "prepare/invalid"
    return fail(rule, f"{method} answers {answer}, not INVALID_ARGUMENT: {what}", **evidence)
