"""A second client of the driver under test, and references to the first one's objects in its hands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from nnvet.adapters import prepare
from nnvet.adapters.calls import session_of
from nnvet.conformance.engine.executing import execute
from nnvet.conformance.engine.handmade import basic_config, check_exactly, prepare_test
from nnvet.conformance.engine.outcome import fail, unsupported
from nnvet.conformance.engine.preparing import built_model, packed_request
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.model import TestModel
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import PrepareModelConfig
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.proxies import Proxy

T = TypeVar("T")


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
        answer = execute(prepared, packed.request, basic_config(subject), subject.timeout_s)[0]
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
