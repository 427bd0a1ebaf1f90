"""Another client waits: in vain, or in a queue that ends. Launches and calls are made by hand."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from nnvet.conformance.kit.other_clients import Looping
from nnvet.conformance.kit.outcome import CaseFailed
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import FencedExecutionResult
from nnvet.hal.types import Timing

COUNT = 3
SHORT_S = 0.3
LONG_S = 60.0


class Gate:
    """Executions of a driver that ends one for each permit; ``refused`` once it is to take no more."""

    def __init__(self) -> None:
        """No execution ends yet."""
        self.launched, self.permits = threading.Semaphore(0), threading.Semaphore(0)
        self.refused = threading.Event()

    def launch(self, *_: object) -> FencedExecutionResult:
        """Block until the execution may end."""
        self.launched.release()
        self.permits.acquire()
        if self.refused.is_set():
            raise HalError(ErrorStatus.DEAD_OBJECT, "the client has gone", "driver/dead")
        return FencedExecutionResult(self)

    def get_execution_info(self) -> tuple[ErrorStatus, Timing, Timing]:
        """Tell of an execution that has succeeded."""
        return ErrorStatus.NONE, Timing(), Timing()

    def looping(self, timeout_s: float) -> Looping:
        """Executions that are all under way."""
        made = Looping(self.launch, COUNT, timeout_s)
        for _ in range(COUNT):
            assert self.launched.acquire(timeout=LONG_S)
        return made

    def end_all(self) -> None:
        """Refuse all that is under way and all that comes."""
        self.refused.set()
        self.permits.release(COUNT)


@pytest.fixture
def gate() -> Iterator[Gate]:
    """A driver under way with loops, which end with the test."""
    made = Gate()
    yield made
    made.end_all()


def test_a_client_that_is_overtaken_again_and_again_is_starved(gate: Gate) -> None:
    """The other client's executions end and begin again, and this one's never does."""
    served = threading.Event()
    looping = gate.looping(SHORT_S)

    def wait() -> None:
        gate.permits.release(4 * COUNT)
        served.wait(LONG_S)

    with pytest.raises(CaseFailed) as failed:
        looping.check_served(wait, "a client")
    served.set()
    assert failed.value.outcome.rule == "client/interference"
    assert failed.value.outcome.evidence["overtakes"] >= 2 * COUNT


def test_a_queue_is_no_starving(gate: Gate) -> None:
    """Executions that came before may end first, however long that takes, and as many begin again and end, too."""
    looping = gate.looping(SHORT_S)
    calls: list[str] = []

    def wait() -> None:
        gate.permits.release(2 * COUNT)
        threading.Event().wait(4 * SHORT_S)
        calls.append("served")

    looping.check_served(wait, "a client")
    assert calls == ["served"]


def test_a_starved_machine_is_no_starved_client(gate: Gate) -> None:
    """However often others have overtaken it, a client that is served within the time limit has no complaint."""
    looping = gate.looping(LONG_S)

    def wait() -> None:
        gate.permits.release(9 * COUNT)
        threading.Event().wait(SHORT_S)

    looping.check_served(wait, "a client")
    assert looping.goes_on


def test_the_fault_of_the_call_is_passed_on(gate: Gate) -> None:
    """A call that fails is not starved: it says itself what is wrong."""

    def fail() -> None:
        raise HalError(ErrorStatus.GENERAL_FAILURE, "wrong", "execution/status")

    with pytest.raises(HalError, match="wrong"):
        gate.looping(LONG_S).check_served(fail, "a client")


def test_a_driver_that_refuses_all_is_not_busy(gate: Gate) -> None:
    """Loops end for good when the driver refuses them."""
    looping = gate.looping(LONG_S)
    assert looping.goes_on
    gate.end_all()
    for _ in range(600):
        if not looping.goes_on:
            return
        threading.Event().wait(0.1)
    pytest.fail("the loops go on after a refusal")
