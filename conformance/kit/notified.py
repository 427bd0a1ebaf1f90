"""Checks that the driver notifies each callback exactly once, and in time.

A check enters the callbacks that it gives to the driver into a :class:`Ledger`, which compares them with the
notifications. The callbacks themselves are the recorders of :mod:`nnvet.adapters.calls`.

A driver that refuses a call has to notify before the call returns. :meth:`Ledger.settle` waits until everything that
was sent before has arrived, not for a fixed time, so the speed of the machine does not change the verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from nnvet.adapters.calls import Recorder, hang_of, limit_of, session_of
from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.conformance.kit.executing import Answer
from nnvet.conformance.kit.outcome import fail, unsupported
from nnvet.conformance.kit.subject import Subject
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.types import Timing
from nnvet.transport.wire.failures import DriverGone, NotSentError
from nnvet.transport.wire.limits import WaitLimit

T = TypeVar("T", bound=tuple[Any, ...])

_NOTHING: tuple[tuple[Any, ...], ...] = ((None,), ((), Timing()))
"""Arguments that may follow the status of a refusal: None for the prepared model; no shapes and no timing."""


class _Refused(NamedTuple):
    """A call that the driver has refused: its callback, the status raised, a description, and evidence."""

    recorder: Recorder[Any]
    status: ErrorStatus
    what: str
    evidence: dict[str, Any]


class Ledger:
    """List of the callbacks given to the driver; ``rule_prefix`` begins the rules about their notifications."""

    def __init__(self, subject: Subject, rule_prefix: str) -> None:
        """Begin with an empty list; waits last at most ``subject.timeout_s`` seconds."""
        self._subject = subject
        self._prefix = rule_prefix
        self._refused: list[_Refused] = []
        self._launched: list[tuple[Recorder[Any], str]] = []

    def outcome(self, recorder: Recorder[T], what: str) -> T:
        """Wait for the notification of a call that the driver has launched, and return its outcome.

        :raises DriverGone: it does not come, or the driver is dead.
        """
        self._launched.append((recorder, what))
        limit = limit_of(self._subject.device, self._subject.timeout_s)
        if not limit.wait(recorder.wait):
            raise hang_of_notification(self._subject, what, limit)
        session = session_of(self._subject.device)
        if session is not None and not session.alive:
            raise session.crash(what)
        return recorder.notifications[0]

    def answered(self, recorder: Recorder[Any], answer: Answer, what: str) -> None:
        """Note the answer of an execution, which the driver has launched and ended, or has refused to launch."""
        if answer.is_launched:
            self._launched.append((recorder, what))
        else:
            self.refused(recorder, answer.status, what)

    def refused(self, recorder: Recorder[Any], status: ErrorStatus, what: str, **evidence: Any) -> None:
        """Note that the driver has raised ``status``, which it should have notified before."""
        self._refused.append(_Refused(recorder, status, what, evidence))

    def settle(self) -> None:
        """Check all notifications that the driver has sent so far, and empty the list.

        :raises CaseFailed: one is missing, late, double or wrong.
        :raises DriverGone: one never comes, or the driver is dead.
        """
        session = session_of(self._subject.device)
        if session is not None:
            session.settle()
        launched, self._launched = self._launched, []
        for recorder, what in launched:
            self._check_once(recorder, what)
        refused, self._refused = self._refused, []
        for refusal in refused:
            if not refusal.recorder.notifications:
                self._blame_late(refusal)
            self._check_once(refusal.recorder, refusal.what, **refusal.evidence)
            status, *rest = refusal.recorder.notifications[0]
            if status != refusal.status or tuple(rest) not in _NOTHING:
                reason = f"{refusal.what}: raised {refusal.status.name}, notified {status.name} with {rest}"
                raise fail("driver/notification", reason, **refusal.evidence)

    def _check_once(self, recorder: Recorder[Any], what: str, **evidence: Any) -> None:
        """Check that a callback was notified no second time."""
        if len(recorder.notifications) > 1:
            notified = ", then ".join(status.name for status, *_ in recorder.notifications)
            raise fail(f"{self._prefix}/notified_once", f"{what}: notified {notified}", **evidence)

    def _blame_late(self, refusal: _Refused) -> None:
        """Raise the failure of a refusal whose notification came late or never."""
        limit = limit_of(self._subject.device, self._subject.timeout_s)
        if limit.wait(refusal.recorder.wait):
            reason = f"{refusal.what}: refused, but notified only after that"
            raise fail(f"{self._prefix}/notified_at_once", reason, **refusal.evidence)
        raise hang_of_notification(self._subject, refusal.what, limit)


def hang_of_notification(subject: Subject, what: str, limit: WaitLimit) -> DriverGone:
    """Return the error for a notification that has not come within a limit."""
    return hang_of(subject.device, f"notification: {what}", limit)


def check_passed_on(passed_on: Sequence[bool]) -> None:
    """Check that the driver itself has seen at least one of the calls; there is a flag for each call.

    :raises CaseFailed: UNSUPPORTED, if an adapter could not express any of them.
    """
    if passed_on and not any(passed_on):
        raise unsupported("the adapter cannot pass on what the driver ought to refuse", INEXPRESSIBLE)


def refusal_of(call: Callable[[], object]) -> HalError | None:
    """Return the error with which the driver answers a call; None if it succeeds.

    :raises NotSentError: the error is not the driver's: the call could not be sent.
    """
    try:
        call()
    except NotSentError:
        raise
    except HalError as error:
        return error
    return None
