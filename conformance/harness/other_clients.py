"""A second client of the driver under test, and references to the first one's objects in its hands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from adapters import prepare
from adapters.calls import session_of
from conformance.harness.executing import execute
from conformance.harness.handmade import check_exactly, prepare_test
from conformance.harness.outcome import fail, unsupported
from conformance.harness.preparing import built_model, packed_request
from conformance.harness.subject import Subject
from conformance.harness.ways import Executor, Way
from generators.test_model import TestModel
from hal.enums import ErrorStatus
from hal.errors import HalError
from hal.interfaces import Device, PreparedModel
from hal.types import PrepareModelConfig
from hal.wire.client import Session
from hal.wire.proxies import Proxy

T = TypeVar("T")


def best_way(subject: Subject) -> Way:
    """Synchronous executions, where there are any."""
    way = Way(Executor.SYNC)
    return way if subject.feature_level >= way.level[0] else Way(Executor.ASYNC)


@contextmanager
def two_clients(subject: Subject, test: TestModel) -> Iterator[tuple[PreparedModel, Device]]:
    """The prepared model of the usual client, and the device of another one, while the block runs.

    :raises CaseFailed: the model is not supported, or there can be one client only.
    """
    prepared = prepare_test(subject, test)
    with subject.another_client() as device:
        yield prepared, device


def prepared_for(
    subject: Subject, device: Device, test: TestModel, config: PrepareModelConfig | None = None
) -> PreparedModel:
    """The prepared model of a test, of another client of the driver.

    :raises CaseFailed: it cannot be prepared, although the usual client can.
    """
    with built_model(test, subject.feature_level) as model:
        try:
            return prepare(device, model, config, subject.timeout_s)
        except HalError as error:
            raise fail("client/interference", f"a second client cannot prepare the same model: {error}") from error


def check_undisturbed(subject: Subject, prepared: PreparedModel, test: TestModel, when: str) -> None:
    """Check that a client can still execute.

    :raises CaseFailed: it cannot.
    """
    with packed_request(test) as packed:
        answer = execute(prepared, packed.request, best_way(subject), subject.timeout_s)[0]
        if answer.status is not ErrorStatus.NONE:
            reason = f"{when}: {answer.status.name} {answer.message}".rstrip()
            raise fail("client/interference", reason, status=answer.status.name, driver_rule=answer.rule)
        check_exactly(packed.output_arrays(test.main.outputs), test, when)


def in_hands_of(device: Device, stolen: T) -> T:
    """An object of one client as another one would name it, if it could guess its id.

    :raises CaseFailed: objects have no ids here.
    """
    session, proxy = session_of(device), cast("Any", stolen)
    if session is None or not isinstance(proxy, Proxy):
        raise unsupported("the driver is not reached over the wire, so objects cannot be guessed")
    return cast("T", type(proxy)(session, proxy.id))


def session_of_client(device: Device) -> Session:
    """The session of a client; raises like :func:`in_hands_of`."""
    session = session_of(device)
    if session is None:
        raise unsupported("the driver is not reached over the wire")
    return session
