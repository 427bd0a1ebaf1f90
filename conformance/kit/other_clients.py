"""A second client of the driver under test, for checks that clients do not disturb or reach each other.

:func:`two_clients` opens both clients, :class:`Looping` keeps the driver busy for one of them, and
:func:`forge_reference` lets one client name an object of the other, like an attacker who guesses the object's id. The
suites of concurrency and bursts use them; clients in processes of their own are in
:mod:`nnvet.conformance.stress.clients`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from typing import Any, Final, TypeVar, cast

from nnvet.adapters.calls import prepare, session_of
from nnvet.conformance.kit.concurrent_calls import begin
from nnvet.conformance.kit.executing import await_fenced_end, basic_config, execute
from nnvet.conformance.kit.fenced_runs import Launch
from nnvet.conformance.kit.handmade import check_exactly, prepare_test
from nnvet.conformance.kit.outcome import fail, unsupported
from nnvet.conformance.kit.preparing import built_model, open_request
from nnvet.conformance.kit.subject import Subject
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import PrepareModelConfig
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.proxies import Proxy

T = TypeVar("T")

_OVERTAKES: Final = 2
"""Number of later executions that prove that a client is not served, as a multiple of the executions in flight.

All of them must have been launched after the client's call and end before it. In a common queue of all clients only
earlier executions could end first.
"""
_STEP_S: Final = 0.1
"""Seconds between two looks at the executions."""


class Looping:
    """Executions of one client, each of which is launched again when it ends, so that the driver is always busy.

    A driver that executes in the order of requests serves another client as soon as the executions that came before it
    have ended. A driver that serves only the first client never does so, however fast it is. So executions are counted,
    in addition to the seconds of a time limit, which depend on the machine.
    """

    def __init__(self, launch: Launch, count: int, timeout_s: float) -> None:
        """Launch ``count`` executions, which go on until the driver refuses one, such as after the client's end."""
        self._launch = launch
        self._timeout_s = timeout_s
        self._begun: list[float] = []
        """Launch times of the executions that have ended, in the order of their ends."""
        self._loops = [begin(self._repeat) for _ in range(count)]

    def _repeat(self) -> None:
        """Launch and await executions until the driver refuses one."""
        while True:
            now = time.monotonic()
            await_fenced_end(self._launch((), NO_DEADLINE, NO_DEADLINE), self._timeout_s)
            self._begun.append(now)

    @property
    def goes_on(self) -> bool:
        """Return True as long as the driver still executes some of the executions."""
        return not all(loop.done() for loop in self._loops)

    def check_served(self, call: Callable[[], None], who: str) -> None:
        """Check that ``call``, by another client, returns; raises what it raises.

        :raises CaseFailed: it has waited for the time limit, and enough later executions have ended before it.
        """
        asked = time.monotonic()
        future = begin(call)
        while not wait([future], _STEP_S).done:
            overtakes = sum(began > asked for began in self._begun)
            if time.monotonic() - asked >= self._timeout_s and overtakes >= _OVERTAKES * len(self._loops):
                reason = f"{who} waits in vain: executions of another client that were launched later have ended"
                raise fail("client/interference", reason, overtakes=overtakes, waited_s=self._timeout_s)
        future.result()


@contextmanager
def two_clients(subject: Subject, test: TestModel) -> Iterator[tuple[PreparedModel, Device]]:
    """Open the prepared model of the usual client, and the device of another one, for as long as the block runs.

    :raises CaseFailed: the model is not supported, or there can be one client only.
    """
    prepared = prepare_test(subject, test)
    with subject.another_client() as device:
        yield prepared, device


def prepare_for(
    subject: Subject, device: Device, test: TestModel, config: PrepareModelConfig | None = None
) -> PreparedModel:
    """Prepare the model of a test as another client of the driver.

    :raises CaseFailed: it cannot be prepared, although the usual client can.
    """
    with built_model(test, subject.feature_level) as model:
        try:
            return prepare(device, model, config, subject.timeout_s)
        except HalError as error:
            raise fail("client/interference", f"a second client cannot prepare the same model: {error}") from error


def check_undisturbed(subject: Subject, prepared: PreparedModel, test: TestModel, when: str) -> None:
    """Check that a client can still execute.

    :raises CaseFailed: its execution fails.
    """
    with open_request(test) as packed:
        answer = execute(prepared, packed.request, basic_config(subject), subject.timeout_s)[0]
        if answer.status is not ErrorStatus.NONE:
            reason = f"{when}: {answer.status.name} {answer.message}".rstrip()
            raise fail("client/interference", reason, status=answer.status.name, driver_rule=answer.rule)
        check_exactly(packed.output_arrays(test.main.outputs), test, when)


def forge_reference(device: Device, stolen: T) -> T:
    """Return an object of one client in the form in which another client would name it after guessing its id.

    :raises CaseFailed: objects of this driver have no ids.
    """
    session, proxy = session_of(device), cast("Any", stolen)
    if session is None or not isinstance(proxy, Proxy):
        raise unsupported("the driver is not reached over the wire, so objects cannot be guessed")
    return cast("T", type(proxy)(session, proxy.id))


def session_of_client(device: Device) -> Session:
    """Return the session of a client; raises like :func:`forge_reference`."""
    session = session_of(device)
    if session is None:
        raise unsupported("the driver is not reached over the wire")
    return session
