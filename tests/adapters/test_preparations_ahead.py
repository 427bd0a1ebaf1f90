"""Preparations that begin before they are needed: results, errors and verdicts stay the same."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from nnvet.adapters import begin_prepare, prepare
from nnvet.adapters.calls import begin_questions
from nnvet.adapters.drivers import ProcessDriver
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import ErrorStatus, ExecutionConfig, Model, PrepareModelConfig
from nnvet.transport.wire.failures import DriverCrash, DriverHang
from tests.adapters.conftest import PATIENCE_S, OpenDriver
from tests.adapters.models import add_model, add_pool, add_request, result_of
from tests.drivers.misbehaving import WellBehaved
from tests.transport.wire_sessions import session_with

SHORT_S = 0.2


class Gated(WellBehaved):
    """Answers what it supports once ``gate`` is open."""

    def __init__(self) -> None:
        """Start with the gate closed."""
        self.gate = threading.Event()

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """Wait for the gate."""
        assert self.gate.wait(PATIENCE_S)
        return super().get_supported_operations(model)


class SupportsNothing(BaseDevice):
    """A device without operations."""


def check_sum(prepared: PreparedModel) -> None:
    """The sums 1+3 and 2+4 are by hand."""
    with add_pool(1, 2, 3, 4) as pool:
        prepared.execute_synchronously(add_request(pool), ExecutionConfig(), -1)
        assert result_of(pool) == (4.0, 6.0)


def over_the_wire(check: Callable[[Device], None], device: BaseDevice) -> None:
    """Check a device behind a session."""
    with session_with(device) as session:
        check(session.device)


def directly(check: Callable[[Device], None], device: BaseDevice) -> None:
    """Check a device as it is."""
    check(device)


PLACES = pytest.mark.parametrize("place", [over_the_wire, directly])


@PLACES
def test_a_preparation_that_was_begun(place: Any) -> None:
    """It says what is supported, as often as it is asked, and gives a model that works."""

    def check(device: Device) -> None:
        pending = begin_prepare(device, add_model())
        assert pending.supported() == pending.supported() == (True,)
        check_sum(pending.result())
        pending.abandon()
        check_sum(begin_prepare(device, add_model()).result())

    place(check, WellBehaved())


@PLACES
def test_what_is_not_supported(place: Any) -> None:
    """A model that is not supported is reported as such, and not prepared."""

    def check(device: Device) -> None:
        pending = begin_prepare(device, add_model())
        assert pending.supported() == (False,)
        with pytest.raises(HalError) as refused:
            pending.result()
        assert refused.value.status is ErrorStatus.INVALID_ARGUMENT

    place(check, SupportsNothing())


@PLACES
def test_refusals_come_with_the_results(place: Any) -> None:
    """A bad configuration does not concern the question what is supported; a bad model concerns both."""

    def check(device: Device) -> None:
        pending = begin_prepare(device, add_model(), PrepareModelConfig(priority=9))
        assert pending.supported() == (True,)
        with pytest.raises(HalError) as refused:
            pending.result()
        assert refused.value.rule == "prepare/priority"
        pending = begin_prepare(device, Model(add_model().main))
        for ask in (pending.supported, pending.result):
            with pytest.raises(HalError) as refused:
                ask()
            assert refused.value.rule == "model/operand.location.values"

    place(check, WellBehaved())


def test_what_cannot_be_sent_is_reported_when_asked() -> None:
    """An argument that has no place on the wire is refused by the results, not by beginning."""
    with session_with(WellBehaved()) as session:
        pending = begin_prepare(session.device, object())  # type: ignore[arg-type]
        for ask in (pending.supported, pending.result):
            with pytest.raises(HalError) as refused:
                ask()
            assert refused.value.rule == "wire/arguments"
        pending.abandon()


def test_beginning_waits_for_nothing() -> None:
    """The client goes on, and calls others, while the service works."""
    device = Gated()
    with session_with(device) as session:
        pending = [begin_prepare(session.device, add_model()) for _ in range(3)]
        assert session.device.name == "well-behaved"
        device.gate.set()
        for preparation in reversed(pending):
            check_sum(preparation.result())
            assert preparation.supported() == (True,)


@PLACES
def test_questions_at_once_have_their_own_answers(place: Any) -> None:
    """In the order of the models: a refusal, or a model that cannot be sent, concerns no other question."""

    def check(device: Device) -> None:
        bad = Model(add_model().main)
        with begin_questions(device, [add_model(), bad, add_model()]) as (first, refused, last):
            assert last() == first() == (True,)
            with pytest.raises(HalError) as error:
                refused()
            assert error.value.rule == "model/operand.location.values"

    place(check, WellBehaved())
    with (
        session_with(WellBehaved()) as session,
        begin_questions(session.device, [add_model(), object()]) as (sent, unsent),  # type: ignore[list-item]
    ):
        assert sent() == (True,)
        with pytest.raises(HalError) as error:
            unsent()
        assert error.value.rule == "wire/arguments"


def test_questions_at_once_wait_for_nothing() -> None:
    """All are sent before the first is answered; those that nobody waits for are given up, and the driver goes on."""
    device = Gated()
    with session_with(device) as session:
        with begin_questions(session.device, [add_model()] * 40) as answers:
            assert session.device.name == "well-behaved"
            device.gate.set()
            assert answers[20]() == (True,)
        device.gate.clear()
        with begin_questions(session.device, [add_model()] * 2):
            pass
        device.gate.set()
        check_sum(prepare(session.device, add_model()))


def test_a_driver_that_hangs_before() -> None:
    """A question that is not answered is a hang, and so is the preparation behind it, in the name of the question."""
    device = Gated()
    with session_with(device) as session:
        pending = begin_prepare(session.device, add_model())
        for ask in (pending.supported, pending.result):
            with pytest.raises(DriverHang) as hang:
                ask(SHORT_S)
            assert (hang.value.evidence.call, hang.value.evidence.waited_s) == (
                "Device.get_supported_operations",
                SHORT_S,
            )
        device.gate.set()
        check_sum(prepare(session.device, add_model()))


def test_an_abandoned_preparation_is_released() -> None:
    """Nobody waits for what was abandoned, and the driver goes on."""
    device = Gated()
    with session_with(device) as session:
        begin_prepare(session.device, add_model()).abandon()
        device.gate.set()
        check_sum(prepare(session.device, add_model()))


def test_a_missing_notification_is_a_hang(anywhere: OpenDriver) -> None:
    """A preparation that is launched and never notified is a hang of the preparation."""
    pending = begin_prepare(anywhere("NeverNotifies").device, add_model())
    assert pending.supported() == (True,)
    with pytest.raises(DriverHang, match=r"notification of Device\.prepare_model"):
        pending.result(1.0)


def test_a_death_in_a_preparation_ahead(service: OpenDriver) -> None:
    """A driver that dies while it prepares ahead is a crash of that preparation, with its exit code."""
    driver = service("Exits")
    pending = begin_prepare(driver.device, add_model())
    assert isinstance(driver, ProcessDriver)
    with pytest.raises(DriverCrash) as crash:
        pending.result()
    assert crash.value.evidence.exit_code == 9
    assert "prepare_model" in crash.value.evidence.call
    late = begin_prepare(driver.device, add_model())
    with pytest.raises(DriverCrash):
        late.result()
    driver.restart()
    assert driver.device.name == "well-behaved"
