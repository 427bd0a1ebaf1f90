"""Preparation of tests: build a model, check that it is valid, ask for support, and have the driver prepare it.

:func:`attempt` does all of this, and :func:`prepare_valid` for a model that has to be prepared.
:mod:`nnvet.conformance.kit.executing` executes the prepared model.

Models and requests that should be valid are validated before a driver sees them. An invalid one is a fault of the suite
or of the spec, and ends with ERROR, because a driver is right to refuse it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from nnvet.adapters.calls import PendingPreparation, begin_prepare, find_miscount, queue_questions, session_of
from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.conformance.kit import outcome
from nnvet.conformance.kit.subject import Subject
from nnvet.diagnostics.tracing import Bucket, Layer, TracePhase, span
from nnvet.graphs.hal_model import PackedRequest, build_model, close_pools, pack_request
from nnvet.graphs.model import TestModel, operation_name
from nnvet.hal import types as hal
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.levels import LAST_HIDL_LEVEL
from nnvet.hal.operand_types import type_info, type_name
from nnvet.hal.validation import required_level, validate_request
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.failures import Unintended

T = TypeVar("T")
Supported = Callable[[], tuple[bool, ...]]
"""Function that asks a driver which operations of a model it supports, or waits for its answer."""

_COUNT: Final = "prepare/supported.count"
"""Rule of an answer that has not one value for each operation."""
_PREPARE: Final = Bucket(Layer.APPLICATION, TracePhase.COMPILATION)
"""Bucket of the trace in which the time of preparations is counted."""


@contextmanager
def built_model(test: TestModel, level: int) -> Iterator[hal.Model]:
    """Build the model of a test in the form for a driver of ``level``, for as long as the block runs.

    :raises CaseFailed: UNSUPPORTED if it needs a higher level; ERROR if it is invalid, although the test does not have
        to fail.
    """
    model = build_model(test, counted=level <= LAST_HIDL_LEVEL)
    try:
        needed = _level_of(model, test)
        if needed > level:
            raise outcome.unsupported(f"the model needs feature level {needed}, the driver has {level}", "model/level")
        yield model
    finally:
        close_pools(model)


@contextmanager
def open_request(test: TestModel) -> Iterator[PackedRequest]:
    """Build the test's request, in plain shared memory, for as long as the block runs.

    :raises CaseFailed: ERROR if it is invalid, although the test does not have to fail.
    """
    packed = pack_request(test)
    try:
        check_request(test, packed.request)
        yield packed
    finally:
        packed.close()


def _level_of(model: hal.Model, test: TestModel) -> int:
    """Return the feature level that a test's model needs.

    :raises CaseFailed: ERROR if the model is invalid, although the test does not have to fail.
    """
    try:
        return required_level(model)
    except HalError as error:
        if not test.expect_failure:
            raise _blame_suite(f"the model {test.name!r}", error) from error
        # A test that must fail may have an invalid model.
        return 1


def check_model(model: hal.Model) -> None:
    """Check that a model is valid. The last model is remembered, and not checked a second time.

    :raises CaseFailed: ERROR, if it breaks a rule.
    """
    try:
        required_level(model)
    except HalError as error:
        raise _blame_suite("a model", error) from error


class _LastRequest:
    """Test and argument locations of the last valid request; the same request is often packed many times."""

    known: tuple[TestModel, tuple[hal.RequestArgument, ...], tuple[hal.RequestArgument, ...]] | None = None


def check_request(test: TestModel, request: hal.Request) -> None:
    """Check that a request fits a test, unless the test has to fail.

    :raises CaseFailed: ERROR, if it breaks a rule.
    """
    known, packed = _LastRequest.known, (test, request.inputs, request.outputs)
    if test.expect_failure or (known is not None and known[0] is test and known[1:] == packed[1:]):
        return
    main = test.main
    operands = tuple([hal.Operand(operand.type, operand.dimensions) for operand in (*main.inputs, *main.outputs)])
    places = tuple(range(len(operands)))
    count = len(main.inputs)
    declared = hal.Model(hal.Subgraph(operands, (), places[:count], places[count:]))
    try:
        validate_request(request, declared)
    except HalError as error:
        raise _blame_suite(f"the request for {test.name!r}", error) from error
    _LastRequest.known = packed


def _blame_suite(what: str, error: HalError) -> outcome.CaseFailed:
    """Return the outcome of a model or request that should be valid and is not, for which no driver can be blamed."""
    reason = f"{what}, which the suite takes for valid, is not, so that no driver is asked: {error}"
    return outcome.suite_fault(reason, broken_rule=error.rule)


@dataclass(frozen=True)
class Attempt:
    """Answers of a driver to two calls: the question whether it supports a model, and the request to prepare it.

    ``refusal`` is the outcome if a valid model was not prepared; ``error`` is the driver's error.
    """

    supported: tuple[bool, ...] = ()
    prepared: PreparedModel | None = None
    error: HalError | None = None
    refusal: outcome.Outcome | None = None

    @property
    def in_words(self) -> str:
        """Return the driver's answer in words, and its support."""
        says = "supported" if self.supported and all(self.supported) else "not supported"
        if self.prepared is None:
            return says if says == "not supported" else f"{says}, not prepared"
        return f"{says}, {'prepared' if says == 'supported' else 'but prepared'}"

    def required(self) -> PreparedModel:
        """Return the prepared model.

        :raises CaseFailed: there is none.
        """
        if self.prepared is None:
            assert self.refusal is not None  # noqa: S101 - attempt() gives one or the other
            raise outcome.CaseFailed(self.refusal)
        return self.prepared


def attempt(
    subject: Subject, model: hal.Model, config: hal.PrepareModelConfig | None = None, *, may_be_invalid: bool = False
) -> Attempt:
    """Ask for support, and prepare; every model of a case reaches the driver by this function.

    :raises CaseFailed: ERROR if the model is invalid, unless it may be.
    :raises DriverGone: the driver's process died, or gave no answer in time.
    """
    if not may_be_invalid:
        check_model(model)
    # Both calls are sent at once, so that a service need not wait for the suite between them.
    return _attempted(subject, model, begin_prepare(subject.device, model, config))


class _Begun:
    """Calls that are sent before their case runs; their errors count for the case that takes the answers."""

    def __init__(self, subject: Subject, send: Callable[[Session], T]) -> None:
        session = session_of(subject.device)
        assert session is not None  # noqa: S101 - nothing is begun on a driver of this process
        self._unintended = Unintended()
        before, session.unintended = session.unintended, self._unintended
        try:
            self._sent = send(session)
        finally:
            session.unintended = before

    def _taken(self, subject: Subject) -> Any:
        session = session_of(subject.device)
        assert session is not None  # noqa: S101 - see above
        self._unintended.join(session.unintended)
        return self._sent


class BegunAttempt(_Begun):
    """An :func:`attempt` that begins before its case runs. The caller keeps the model's pools open until it ends."""

    def __init__(self, subject: Subject, model: hal.Model, *, may_be_invalid: bool = False) -> None:
        """Send the calls to a driver in a service; raises like :func:`attempt`."""
        if not may_be_invalid:
            check_model(model)
        self.model = model
        super().__init__(subject, lambda session: begin_prepare(session.device, model, in_order=True))

    def finish(self, subject: Subject) -> Attempt:
        """Wait for the answers; raises like :func:`attempt`."""
        return _attempted(subject, self.model, self._taken(subject))


class BegunQuestions(_Begun):
    """Questions which operations of some models are supported, asked before their case runs."""

    def __init__(self, subject: Subject, models: Sequence[hal.Model]) -> None:
        """Send the questions; raises like :func:`nnvet.adapters.calls.queue_questions`."""
        super().__init__(subject, lambda session: queue_questions(session, models))

    def answers(self, subject: Subject) -> list[Supported]:
        """Return, for each model, a function that waits for the answer."""
        answers: list[Supported] = self._taken(subject)
        return answers


def _attempted(subject: Subject, model: hal.Model, pending: PendingPreparation) -> Attempt:
    try:
        with span(_PREPARE):
            supported = _answer_or_error(lambda: pending.supported(subject.timeout_s))
            # Wait in any case, because a death of the driver in this call belongs to this model.
            prepared = _answer_or_error(lambda: pending.result(subject.timeout_s))
    finally:
        pending.abandon()
    if isinstance(supported, HalError):
        return Attempt(error=supported, refusal=_judge_refusal(model, (), supported))
    if wrong := find_miscount(supported, model):
        return Attempt(supported, refusal=outcome.fail(_COUNT, wrong).outcome)
    if isinstance(prepared, HalError):
        return Attempt(supported, None, prepared, _judge_refusal(model, supported, prepared))
    return Attempt(supported, prepared)


def _answer_or_error(ask: Callable[[], T]) -> T | HalError:
    """Return the driver's answer, or the error with which it refuses."""
    try:
        return ask()
    except HalError as error:
        return error


def ask_supported(
    subject: Subject, model: hal.Model, ask: Supported | None = None, *, may_be_invalid: bool = False
) -> tuple[bool, ...]:
    """Return the driver's answer about its support of a valid model; ``ask`` waits for it if it was asked already.

    :raises CaseFailed: it refuses the model, or does not answer for each operation; ERROR like :func:`attempt`.
    """
    if not may_be_invalid:
        check_model(model)
    try:
        supported = subject.device.get_supported_operations(model) if ask is None else ask()
    except HalError as error:
        raise outcome.CaseFailed(_judge_refusal(model, (), error)) from error
    if wrong := find_miscount(supported, model):
        raise outcome.fail(_COUNT, wrong)
    return supported


def prepare_valid(
    subject: Subject, model: hal.Model, config: hal.PrepareModelConfig | None = None, *, may_be_invalid: bool = False
) -> PreparedModel:
    """Prepare a valid model.

    :raises CaseFailed: the driver refuses it, although it supports all operations; or does not support them; ERROR like
        :func:`attempt`.
    """
    return attempt(subject, model, config, may_be_invalid=may_be_invalid).required()


def _name_with_types(model: hal.Model, operation: hal.Operation) -> str:
    """Return the name of an operation with the types that decide on support: ``CONV_2D with TENSOR_FLOAT16``."""
    kinds = [model.main.operands[index].type for index in operation.inputs]
    tensors = list(dict.fromkeys(kind for kind in kinds if type_info(kind).is_tensor))
    # Biases, shapes and indices are 32-bit integers for all types of an operation.
    deciding = [kind for kind in tensors if kind != hal.OperandType.TENSOR_INT32] or tensors
    types = f" with {' and '.join(map(type_name, deciding))}" if deciding else ""
    return operation_name(operation.type) + types


def _judge_refusal(model: hal.Model, supported: tuple[bool, ...], error: HalError) -> outcome.Outcome:
    """Judge the refusal of a valid model after the driver's answer about its support, if there is one."""
    if error.rule == INEXPRESSIBLE:
        return outcome.unsupported(f"the adapter cannot pass on such a model: {error.message}", error.rule).outcome
    if supported and not all(supported):
        operations = zip(model.main.operations, supported, strict=True)
        names = {_name_with_types(model, operation) for operation, answer in operations if not answer}
        # The driver's own message follows the name of the call and a colon.
        _, _, why = error.message.partition(": ") if error.rule == outcome.UNSUPPORTED else ("", "", "")
        because = f": {why}" if why else ""
        return outcome.unsupported(f"the driver does not support {', '.join(sorted(names))}{because}").outcome
    rule, reason = (
        ("prepare/supported", "all operations are supported, but the model cannot be prepared")
        if supported
        else ("prepare/valid", "getSupportedOperations fails for a valid model")
    )
    return outcome.fail(rule, f"{reason}: {error}", status=error.status.name, driver_rule=error.rule).outcome
