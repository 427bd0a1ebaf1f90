"""Drivers that misbehave in named ways: each gets its verdict, with evidence, and the client goes on."""

import os
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nnvet.adapters import execute, prepare, prepare_from_cache
from nnvet.adapters.calls import ExecutionRecorder, PreparedModelRecorder, session_of
from nnvet.adapters.drivers import Driver, ProcessDriver
from nnvet.adapters.service.belongings import STACKS_SIGNAL
from nnvet.hal.errors import HalError
from nnvet.hal.types import DeviceType, ErrorStatus, PrepareModelConfig
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.failures import DriverCrash, DriverHang
from tests.adapters.conftest import PATIENCE_S, OpenDriver, wait_until_stopped
from tests.adapters.models import add_model, add_pool, add_request, result_of

SHORT_S = 0.2


class Killer(ExecutionRecorder):
    """Kills a process as soon as the client begins to wait for the notification."""

    def __init__(self, pid: int) -> None:
        """Choose the process."""
        super().__init__()
        self._pid = pid

    def wait(self, timeout_s: float | None, count: int = 1) -> bool:
        """Kill, then wait."""
        os.kill(self._pid, signal.SIGKILL)
        return super().wait(timeout_s, count)


def session(driver: Driver) -> Session:
    """The session, for what tests look at inside."""
    return driver.session


def test_good_driver_adds(anywhere: OpenDriver) -> None:
    """A driver without faults prepares and executes; the sums 1+3 and 2+4 are by hand."""
    device = anywhere("WellBehaved").device
    prepared = prepare(device, add_model())
    with add_pool(1, 2, 3, 4) as pool:
        assert execute(prepared, add_request(pool)).output_sufficient_size
        assert result_of(pool) == (4.0, 6.0)


def test_exit_in_a_call_is_a_crash(service: OpenDriver) -> None:
    """A driver that ends its process is a crash with exit code and last output."""
    driver = service("Exits")
    with pytest.raises(DriverCrash) as crash:
        driver.device.get_type()
    evidence = crash.value.evidence
    assert (evidence.call, evidence.exit_code, evidence.signal) == ("Device.get_type", 7, None)
    assert evidence.stderr_tail == "about to exit\n"
    assert "exited with status 7; last output: about to exit" in str(crash.value)
    assert not driver.alive


def test_exit_before_the_notification_wakes_the_waiter(service: OpenDriver) -> None:
    """A driver that dies between launch and notification is a crash of the waiting call, at once."""
    with pytest.raises(DriverCrash) as crash:
        prepare(service("Exits").device, add_model())
    assert crash.value.evidence.exit_code == 9
    assert "prepare_model" in crash.value.evidence.call


def test_addresses_are_left_out(service: OpenDriver) -> None:
    """A driver's output is the same in every run, apart from addresses; codes of the contract stay."""
    with pytest.raises(DriverCrash) as crash:
        service("PrintsAddresses").device.get_type()
    assert crash.value.evidence.stderr_tail == "<object object at 0x…> failed in operation 0x6e760001\n"


def test_signals_are_named(service: OpenDriver) -> None:
    """A segmentation fault is reported by name and place, with the stack where it happened."""
    with pytest.raises(DriverCrash) as crash:
        service("Segfaults").device.get_type()
    assert crash.value.evidence.signal == "SIGSEGV"
    assert re.search(r"Device.get_type: SIGSEGV in misbehaving.py:\d+ in get_type", str(crash.value))
    assert "misbehaving.py" in crash.value.evidence.stderr_tail
    assert crash.value.evidence.stderr_tail.count("most recent call first") == 1


def test_kill_from_outside_is_seen_at_once(service: OpenDriver) -> None:
    """A killed service is a crash although every call might take half a minute."""
    driver = service("WellBehaved")
    assert isinstance(driver, ProcessDriver)
    os.kill(driver.pid, signal.SIGKILL)
    with pytest.raises(DriverCrash) as crash:
        driver.device.get_type()
    assert crash.value.evidence.signal == "SIGKILL"


def test_stopped_process_is_a_hang(service: OpenDriver) -> None:
    """A driver that stops its process is a hang at the time-out, and evidence says that it is stopped."""
    driver = service("Stops", timeout_s=SHORT_S)
    assert isinstance(driver, ProcessDriver)
    with pytest.raises(DriverHang):
        driver.device.get_type()
    # Later calls wait for nothing either; by now, on however slow a machine, it is stopped.
    wait_until_stopped(driver.pid)
    with pytest.raises(DriverHang) as hang:
        driver.device.get_feature_level()
    evidence = hang.value.evidence
    assert (evidence.call, evidence.state, evidence.waited_s) == ("Device.get_feature_level", "stopped", SHORT_S)
    assert driver.alive


def test_hang_comes_with_stacks(service: OpenDriver) -> None:
    """Evidence of a hang shows where the driver is; other calls are still answered."""
    driver = service("NeverAnswers", timeout_s=SHORT_S)
    with pytest.raises(DriverHang):
        driver.device.get_type()
    session(driver).timeout_s = PATIENCE_S
    assert driver.device.get_version_string() == "1.0"
    session(driver).timeout_s = SHORT_S
    with pytest.raises(DriverHang) as hang:
        driver.device.get_type()
    assert "in get_type" in hang.value.evidence.stderr_tail


def test_a_hang_that_keeps_the_interpreter_comes_with_stacks(service: OpenDriver) -> None:
    """Native code that lets no Python run is seen all the same."""
    driver = service("KeepsTheInterpreter", timeout_s=SHORT_S)
    with pytest.raises(DriverHang) as hang:
        driver.device.get_type()
    assert "in get_type" in hang.value.evidence.stderr_tail


def test_looking_at_stacks_harms_nobody(service: OpenDriver) -> None:
    """A driver whose threads are busy survives as often as its stacks are looked at; they are seen."""
    driver = service("Busy")
    assert isinstance(driver, ProcessDriver)
    for _ in range(1500):
        os.kill(driver.pid, STACKS_SIGNAL)
        # Not all at once: those that come together count as one.
        assert not driver._process.wait(0.001)
    assert "in spin" in driver._process.evidence(dead=False).stderr_tail


def test_who_is_taken_for_dead_is_not_asked(service: OpenDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that is lost without a death is no reason to interrupt the process."""
    monkeypatch.setattr("nnvet.adapters.service.process._DEATH_S", 0.0)
    driver = service("WellBehaved")
    assert isinstance(driver, ProcessDriver)
    assert "stack" not in driver._process.evidence(dead=True).stderr_tail
    assert "stack" in driver._process.evidence(dead=False).stderr_tail


def test_closing_a_session_is_no_death(service: OpenDriver) -> None:
    """A call that waits when its own client hangs up ends at once; the process is left in peace."""
    driver = service("NeverAnswers")
    assert isinstance(driver, ProcessDriver)
    with driver.another_client() as device, ThreadPoolExecutor() as pool:
        waiting = pool.submit(device.get_type)
        assert driver.device.get_version_string() == "1.0"
        session_of(device).close()  # type: ignore[union-attr] # it has one
        with pytest.raises(DriverCrash, match="closed by the client"):
            waiting.result()
    assert driver.output == ""


def test_missing_notification_is_a_hang(anywhere: OpenDriver) -> None:
    """A driver that forgets to notify a preparation is a hang of the waiting call."""
    device = anywhere("NeverNotifies").device
    with pytest.raises(DriverHang, match=r"Device\.prepare_model: no"):
        prepare(device, add_model(), timeout_s=SHORT_S)
    with pytest.raises(DriverHang, match="prepare_model_from_cache"):
        prepare_from_cache(device, (), (), bytes(32), timeout_s=SHORT_S)


def test_missing_execution_notification_is_a_hang(anywhere: OpenDriver) -> None:
    """A driver that forgets to notify an execution is a hang of the waiting call."""
    prepared = prepare(anywhere("ForgetsExecutions").device, add_model())
    with add_pool(1, 2, 3, 4) as pool, pytest.raises(DriverHang, match=r"PreparedModel\.execute: no"):
        execute(prepared, add_request(pool), timeout_s=SHORT_S)


def test_death_while_a_notification_is_awaited(service: OpenDriver) -> None:
    """A service that is killed while the client waits for a notification is a crash, not a hang."""
    driver = service("ForgetsExecutions")
    assert isinstance(driver, ProcessDriver)
    prepared = prepare(driver.device, add_model())

    with add_pool(1, 2, 3, 4) as pool, pytest.raises(DriverCrash) as crash:
        execute(prepared, add_request(pool), callback=Killer(driver.pid))
    assert crash.value.evidence.signal == "SIGKILL"


def test_second_notification_is_recorded(anywhere: OpenDriver) -> None:
    """A driver that notifies twice gives what it notified first; the callback has both."""
    driver = anywhere("NotifiesTwice")
    callback = PreparedModelRecorder()
    prepared = prepare(driver.device, add_model(), callback=callback)
    session(driver).settle()
    assert [status for status, _ in callback.notifications] == [ErrorStatus.NONE, ErrorStatus.GENERAL_FAILURE]
    assert callback.notifications[0][1] is prepared


def test_nonsense_notification_is_a_failure(anywhere: OpenDriver) -> None:
    """Notifications of wrong types wake the waiter with GENERAL_FAILURE and are kept as faults."""
    driver = anywhere("NotifiesNonsense")
    with pytest.raises(HalError) as wrong_type:
        prepare(driver.device, add_model())
    with pytest.raises(HalError) as cannot_be_sent:
        prepare_from_cache(driver.device, (), (), bytes(32))
    assert wrong_type.value.status is cannot_be_sent.value.status is ErrorStatus.GENERAL_FAILURE
    assert len(session(driver).faults) == 1


def test_success_without_model_is_a_failure(anywhere: OpenDriver) -> None:
    """NONE without a prepared model breaks the contract."""
    with pytest.raises(HalError) as failure:
        prepare(anywhere("NotifiesSuccessWithoutModel").device, add_model())
    assert failure.value.rule == "driver/notification"


def test_late_answer_disturbs_nobody(service: OpenDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer to a call that was given up is not taken for the answer to another."""
    fifo = tmp_path / "late"
    os.mkfifo(fifo)
    monkeypatch.setenv("LATE_FIFO", str(fifo))
    driver = service("AnswersLate", timeout_s=SHORT_S)
    with pytest.raises(DriverHang):
        driver.device.get_type()
    session(driver).timeout_s = PATIENCE_S
    with fifo.open("wb"):
        assert driver.device.name == "well-behaved"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("get_type", "KeyError: 'type'"),
        ("get_version_string", "SystemExit: good bye"),
        ("get_capabilities", "UnprintableError: <exception str() failed>"),
    ],
)
def test_odd_exceptions_are_general_failures(anywhere: OpenDriver, call: str, text: str) -> None:
    """Whatever a driver raises is GENERAL_FAILURE with rule driver/exception and its text; the service lives."""
    driver = anywhere("Raises")
    with pytest.raises(HalError) as failure:
        getattr(driver.device, call)()
    assert (failure.value.status, failure.value.rule) == (ErrorStatus.GENERAL_FAILURE, "driver/exception")
    assert text in failure.value.message
    assert driver.device.name == "well-behaved"


def test_exception_in_a_preparation_is_notified(anywhere: OpenDriver) -> None:
    """An exception on the driver's own thread ends the preparation with GENERAL_FAILURE."""
    with pytest.raises(HalError) as failure:
        prepare(anywhere("Raises").device, add_model())
    assert failure.value.status is ErrorStatus.GENERAL_FAILURE


def test_wrong_types_are_refused(anywhere: OpenDriver) -> None:
    """Answers of wrong types are failures with rule driver/reply; other calls work."""
    device = anywhere("AnswersWrongTypes").device
    for call in (
        device.get_type,
        device.get_version_string,
        device.get_capabilities,
        lambda: device.get_supported_operations(add_model()),
    ):
        with pytest.raises(HalError) as failure:
            call()
        assert (failure.value.status, failure.value.rule) == (ErrorStatus.GENERAL_FAILURE, "driver/reply")
    assert device.get_feature_level() == 8


def test_restart_after_a_crash(service: OpenDriver) -> None:
    """A restarted driver works; what belonged to the dead one is dead."""
    driver = service("Exits")
    old = driver.device
    with pytest.raises(DriverCrash):
        old.get_type()
    driver.restart()
    assert driver.device.name == "well-behaved"
    with pytest.raises(DriverCrash):
        old.get_feature_level()


def test_restart_after_a_hang(service: OpenDriver) -> None:
    """A stopped driver can be replaced, and its process is gone."""
    driver = service("Stops", timeout_s=SHORT_S)
    assert isinstance(driver, ProcessDriver)
    with pytest.raises(DriverHang):
        driver.device.get_type()
    stopped = os.pidfd_open(driver.pid)
    session(driver).timeout_s = PATIENCE_S
    driver.restart()
    with pytest.raises(ProcessLookupError):
        signal.pidfd_send_signal(stopped, signal.SIGCONT)
    os.close(stopped)
    assert driver.device.get_feature_level() == 8


def test_restart_in_this_process(anywhere: OpenDriver) -> None:
    """A restart makes a fresh driver everywhere."""
    driver = anywhere("WellBehaved")
    driver.restart()
    assert driver.device.get_type() is DeviceType.CPU


def test_failed_preparation_is_the_drivers_status(anywhere: OpenDriver) -> None:
    """An invalid argument is raised with status and rule, and also notified."""
    callback = PreparedModelRecorder()
    driver = anywhere("WellBehaved")
    with pytest.raises(HalError) as failure:
        prepare(driver.device, add_model(), PrepareModelConfig(priority=9), callback=callback)
    assert failure.value.rule == "prepare/priority"
    session(driver).settle()
    assert callback.notifications == [(ErrorStatus.INVALID_ARGUMENT, None)]
