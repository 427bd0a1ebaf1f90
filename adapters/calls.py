"""Synchronous forms of a driver's asynchronous calls: launch, wait for the notification, and judge it.

:func:`prepare` and :func:`execute` wait for a call; :func:`begin_prepare` and :func:`begin_questions` only send it.
They work alike on drivers in a service process and in this process. The toolkit of cases
(:mod:`nnvet.conformance.kit`), stress tests, the benchmark and drivers made of drivers use them; synchronous calls of a
device (:class:`nnvet.hal.interfaces.Device`) need no such help.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final, Generic, NoReturn, TypeVar

from nnvet.diagnostics.tracing import span
from nnvet.hal import types as hal
from nnvet.hal.calling import cause_of_failure
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.transport.wire.client import PendingCall, Session, patience
from nnvet.transport.wire.failures import DeathEvidence, DriverGone, DriverHang
from nnvet.transport.wire.limits import WaitLimit
from nnvet.transport.wire.methods import DEVICE_ID, IPC_BUCKETS, METHODS

_SUPPORTED: Final = "Device.get_supported_operations"
_PREPARE: Final = "Device.prepare_model"
_EXECUTE: Final = "PreparedModel.execute"
"""Names of methods in :data:`nnvet.transport.wire.methods.METHODS` and in messages."""

T = TypeVar("T", bound=tuple[Any, ...])
"""The arguments of a notification."""


class Recorder(Generic[T]):
    """A callback that keeps every notification; by the contract there is exactly one."""

    def __init__(self) -> None:
        """Start without notifications. ``cause`` is the driver's own error behind the last failure, if it gave one."""
        self.notifications: list[T] = []
        self.cause: HalError | None = None
        self._arrived = threading.Condition()

    def wait(self, timeout_s: float | None, count: int = 1) -> bool:
        """Wait for ``count`` notifications; return False if they do not come in time."""
        if len(self.notifications) >= count:
            # The notifications have come already, as mostly happens with a driver in this process.
            return True
        with self._arrived:
            return self._arrived.wait_for(lambda: len(self.notifications) >= count, timeout_s)

    def make_error(self, name: str) -> HalError:
        """Return the error for a notification of failure by the method ``name``."""
        text = f"{name} notified {self.notifications[0][0].name}"
        if self.cause is None:
            return HalError(self.notifications[0][0], text)
        return HalError(self.notifications[0][0], f"{text}: {self.cause.message}", self.cause.rule)

    def _record(self, notification: T) -> None:
        with self._arrived:
            self.cause = cause_of_failure()
            self.notifications.append(notification)
            self._arrived.notify_all()


class PreparedModelRecorder(Recorder[tuple[ErrorStatus, PreparedModel | None]]):
    """Callback of a preparation: status and model, the latter None unless the status is NONE."""

    def notify(self, status: ErrorStatus, prepared_model: PreparedModel | None) -> None:
        """Record the notification, and wake the threads that wait for it."""
        self._record((status, prepared_model))


class ExecutionRecorder(Recorder[tuple[ErrorStatus, tuple[hal.OutputShape, ...], hal.Timing]]):
    """Callback of an asynchronous execution: status, output shapes and timing."""

    def notify(self, status: ErrorStatus, output_shapes: tuple[hal.OutputShape, ...], timing: hal.Timing) -> None:
        """Record the notification, and wake the threads that wait for it."""
        self._record((status, output_shapes, timing))


def find_miscount(answers: Sequence[bool], model: hal.Model) -> str:
    """Return the fault if getSupportedOperations has not answered with one value for each operation; otherwise ""."""
    expected = len(model.main.operations)
    return "" if len(answers) == expected else f"{len(answers)} answers for {expected} operations"


def prepare(
    device: Device,
    model: hal.Model,
    config: hal.PrepareModelConfig | None = None,
    timeout_s: float | None = None,
    *,
    callback: PreparedModelRecorder | None = None,
) -> PreparedModel:
    """Prepare a model and wait for it. If ``timeout_s`` is None, the session's limit applies.

    :raises HalError: the error that the driver raises or notifies; GENERAL_FAILURE for a malformed notification.
    :raises DriverGone: the driver crashes, or does not notify in time.
    """
    config = config or hal.PrepareModelConfig()
    recorder = callback or PreparedModelRecorder()
    return _await_model(device, lambda: device.prepare_model(model, config, recorder), _PREPARE, timeout_s, recorder)


class PendingPreparation:
    """A running preparation: the device was asked which operations of a model it supports, and then to prepare it."""

    def __init__(
        self, device: Device, model: hal.Model, config: hal.PrepareModelConfig, *, in_order: bool = False
    ) -> None:
        """Send both calls at once to a device behind a wire; otherwise make each call when its result is needed.

        ``in_order``: the service serves later calls of this thread after these (:meth:`Session.queue`).
        """
        self._device = device
        self._recorder = PreparedModelRecorder()
        self._calls: tuple[PendingCall, ...] = ()
        self._supported: Callable[[], tuple[bool, ...]] = partial(device.get_supported_operations, model)
        self._prepare: Callable[[], None] = partial(device.prepare_model, model, config, self._recorder)
        session = session_of(device)
        if session is None:
            return
        try:
            send = session.queue if in_order else session.begin
            self._calls = send(
                (DEVICE_ID, METHODS[_SUPPORTED], (model,)),
                (DEVICE_ID, METHODS[_PREPARE], (model, config, self._recorder)),
            )
        except (HalError, DriverGone) as error:
            self._supported = self._prepare = partial(_raise, error)
        else:
            self._supported, self._prepare = (call.result for call in self._calls)

    def supported(self, timeout_s: float | None = None) -> tuple[bool, ...]:
        """Wait for the answer to getSupportedOperations and return it; ``timeout_s`` None is the session's limit.

        :raises HalError: as the driver answers.
        :raises DriverGone: if it crashes, or does not answer in time.
        """
        with patience(timeout_s):
            return self._supported()

    def result(self, timeout_s: float | None = None) -> PreparedModel:
        """Wait for the prepared model; call this method only once.

        ``timeout_s`` counts from now. The errors are those of :func:`prepare`.
        """
        return _await_model(self._device, self._prepare, _PREPARE, timeout_s, self._recorder)

    def abandon(self) -> None:
        """Give up waiting, and release what the driver prepares; harmless after :meth:`result`."""
        for call in self._calls:
            call.abandon()


def begin_prepare(
    device: Device, model: hal.Model, config: hal.PrepareModelConfig | None = None, *, in_order: bool = False
) -> PendingPreparation:
    """Send the question of what is supported and begin the preparation; do not wait for either answer.

    A service process works on both calls meanwhile. A device in this process does nothing, and raises no error, until
    the results are asked for. The caller has to end the preparation by :meth:`PendingPreparation.result` or
    :meth:`PendingPreparation.abandon`, and keep the model's pools open until then. With ``in_order`` a service gets to
    later calls of this thread only after these.
    """
    return PendingPreparation(device, model, config or hal.PrepareModelConfig(), in_order=in_order)


@contextmanager
def begin_questions(device: Device, models: Sequence[hal.Model]) -> Iterator[Sequence[Callable[[], tuple[bool, ...]]]]:
    """Ask which operations of each model are supported; yield, for each model, a function that waits for the answer.

    A service works on the questions one after the other, and gets the next one without waiting for the client. Answers
    that are not waited for within the block are given up. A device in this process is asked when an answer is wanted.

    :raises DriverGone: the service has died, or reads nothing for as long as a call may take.
    """
    answers = [partial(device.get_supported_operations, model) for model in models]
    session = session_of(device)
    calls: tuple[PendingCall, ...] = ()
    if session is not None:
        # A model that cannot be sent is the error of its own question, which is asked when its turn comes.
        with suppress(HalError):
            calls = session.begin(*[(DEVICE_ID, METHODS[_SUPPORTED], (model,)) for model in models])
    try:
        yield [call.result for call in calls] or answers
    finally:
        for call in calls:
            call.abandon()


def queue_questions(session: Session, models: Sequence[hal.Model]) -> list[Callable[[], tuple[bool, ...]]]:
    """Ask which operations of each model are supported, like :func:`begin_questions`; all answers have to be taken.

    The service gets to later calls of this thread only after these.

    :raises HalError: a model cannot be sent.
    :raises DriverGone: as :func:`begin_questions`.
    """
    return [call.result for call in session.queue(*[(DEVICE_ID, METHODS[_SUPPORTED], (model,)) for model in models])]


def prepare_from_cache(
    device: Device,
    model_cache: Sequence[hal.MappableFile],
    data_cache: Sequence[hal.MappableFile],
    token: bytes,
    deadline_ns: int = NO_DEADLINE,
    timeout_s: float | None = None,
    *,
    callback: PreparedModelRecorder | None = None,
) -> PreparedModel:
    """Prepare a model from cache files and wait for it; raises like :func:`prepare`."""
    recorder = callback or PreparedModelRecorder()
    return _await_model(
        device,
        lambda: device.prepare_model_from_cache(deadline_ns, model_cache, data_cache, token, recorder),
        "Device.prepare_model_from_cache",
        timeout_s,
        recorder,
    )


def execute(
    prepared_model: PreparedModel,
    request: hal.Request,
    config: hal.ExecutionConfig | None = None,
    deadline_ns: int = NO_DEADLINE,
    timeout_s: float | None = None,
    *,
    callback: ExecutionRecorder | None = None,
) -> hal.ExecutionResult:
    """Execute asynchronously and wait for the result; raises like :func:`prepare`."""
    callback, config = callback or ExecutionRecorder(), config or hal.ExecutionConfig()
    status, shapes, timing = execute_notified(prepared_model, request, config, deadline_ns, timeout_s, callback)
    if status not in (ErrorStatus.NONE, ErrorStatus.OUTPUT_INSUFFICIENT_SIZE):
        raise callback.make_error(_EXECUTE)
    return hal.ExecutionResult(status is ErrorStatus.NONE, shapes, timing)


def execute_notified(
    prepared_model: PreparedModel,
    request: hal.Request,
    config: hal.ExecutionConfig,
    deadline_ns: int,
    timeout_s: float | None,
    callback: ExecutionRecorder,
) -> tuple[ErrorStatus, tuple[hal.OutputShape, ...], hal.Timing]:
    """Execute asynchronously and wait for the notification, which may be that of an error.

    :raises HalError: the driver refuses the call itself.
    :raises DriverGone: no notification comes within ``timeout_s`` seconds, or the driver's process died.
    """
    return _await_outcome(
        prepared_model,
        lambda: prepared_model.execute(request, config, deadline_ns, callback),
        _EXECUTE,
        timeout_s,
        callback,
    )


def _await_model(
    device: Device, launch: Callable[[], None], name: str, timeout_s: float | None, recorder: PreparedModelRecorder
) -> PreparedModel:
    status, prepared_model = _await_outcome(device, launch, name, timeout_s, recorder)
    if (status is ErrorStatus.NONE) != (prepared_model is not None):
        raise failure(f"{name} notified {status.name} with {prepared_model!r}", "driver/notification")
    if prepared_model is None:
        raise recorder.make_error(name)
    return prepared_model


def _await_outcome(
    owner: object, launch: Callable[[], None], name: str, timeout_s: float | None, callback: Recorder[T]
) -> T:
    """Call ``launch``, wait for the first notification of ``callback``, and return it; ``owner`` gives the time limit.

    :raises HalError: as ``launch`` does.
    :raises DriverGone: no notification comes in time, or the driver's process died.
    """
    session = session_of(owner)
    if timeout_s is None and session is not None:
        timeout_s = session.timeout_s
    limit = limit_of(owner, timeout_s)
    with patience(timeout_s):
        launch()
    call = f"notification of {name}"
    with span(IPC_BUCKETS[name], call):
        notified = limit.wait(callback.wait)
    if not notified:
        raise hang_of(owner, call, limit)
    if session is not None and not session.alive and callback.notifications[0][0] is ErrorStatus.DEAD_OBJECT:
        raise session.crash(call)
    return callback.notifications[0]


def session_of(owner: object) -> Session | None:
    """Return the session of a device or object that lives in a service; None for one of this process."""
    session = getattr(owner, "session", None)
    return session if isinstance(session, Session) else None


def limit_of(owner: object, timeout_s: float | None) -> WaitLimit:
    """Return a limit that begins now for an answer of a device or object; it depends on the driver's activity."""
    session = session_of(owner)
    return WaitLimit(timeout_s) if session is None or timeout_s is None else session.limit(timeout_s)


def hang_of(owner: object, call: str, limit: WaitLimit) -> DriverGone:
    """Return the exception for a device or object that has not answered within a limit; a crash if it has died."""
    session = session_of(owner)
    if session is not None:
        return session.hang(call, limit)
    return DriverHang(f"{call}: nothing within {limit}", DeathEvidence(call, "in this process", waited_s=limit.seconds))


def _raise(error: Exception) -> NoReturn:
    raise error
