"""Clients that die, and the judgement of their ends."""

import random
import socket

import pytest

from nnvet.adapters import Driver, open_driver
from nnvet.conformance.kit.outcome import CaseFailed, fail
from nnvet.conformance.stress.clients import ClientProcess, attend, choose_deaths, end
from nnvet.conformance.stress.messages import ClientOrder
from nnvet.conformance.stress.threads import WorkTally
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.reports.events import Verdict

LEVEL, TIMEOUT_S = 8, 20.0


def order(role: str, duration_s: float) -> ClientOrder:
    """Return an order for a client with one thread."""
    return ClientOrder(role, "test/1", 1, duration_s, LEVEL, TIMEOUT_S)


@pytest.mark.parametrize(("share", "dying"), [(0.0, 0), (0.5, 3), (0.8, 5), (1.0, 6)])
def test_the_share_that_dies_is_exact(share: float, dying: int) -> None:
    """Of six clients just the share dies, whatever the seed, each at a time of its own in the middle of the work."""
    for seed in range(20):
        times = [death for death in choose_deaths(6, share, 8.0, random.Random(seed)) if death is not None]
        assert len(times) == dying
        assert len(set(times)) == dying
        assert all(2.0 <= time <= 6.0 for time in times)


def test_the_same_seed_kills_the_same() -> None:
    """The seed alone decides which clients die, and when."""
    assert choose_deaths(6, 0.5, 8.0, random.Random("a")) == choose_deaths(6, 0.5, 8.0, random.Random("a"))
    assert choose_deaths(6, 0.5, 8.0, random.Random("a")) != choose_deaths(6, 0.5, 8.0, random.Random("b"))


def test_clients_end_killed_and_unasked() -> None:
    """One that works to its end and one that is killed are right; one that dies of itself is not."""
    with open_driver("reference", timeout_s=TIMEOUT_S) as driver:
        clients = [
            ClientProcess(driver, order("sums", 0.5)),
            ClientProcess(driver, order("sums", 60.0), dies_at_s=0.1),
            ClientProcess(driver, order("no such role", 0.5)),
        ]
        try:
            ending = attend(clients, 60.0, TIMEOUT_S)
        finally:
            end(clients)
    assert ending.killed == 1
    assert ending.done_by_killed > 0
    assert [report.done > 0 for report in ending.reports] == [True]
    (fault,) = ending.faults
    assert fault.verdict is Verdict.CRASH
    assert fault.evidence["crashed"] == "client"
    assert "KeyError" in fault.evidence["stderr_tail"]


def test_a_client_is_connected_when_its_python_runs() -> None:
    """Nothing is asked of the service before: with a client that never starts there is no connection to give up."""
    with open_driver("reference", timeout_s=TIMEOUT_S) as driver:
        counting = CountingDriver(driver)
        client = ClientProcess(counting, order("sums", 0.2))  # type: ignore[arg-type] # all that a client needs
        try:
            assert not counting.connections
            assert client.receive()
            assert len(counting.connections) == 1
            assert client.began is None
            ending = attend([client], 60.0, TIMEOUT_S)
        finally:
            end([client])
    assert len(counting.connections) == 1
    assert [report.done > 0 for report in ending.reports] == [True]


class CountingDriver:
    """Opens connections to a driver, and counts them."""

    def __init__(self, driver: Driver) -> None:
        """None is open."""
        self._driver = driver
        self.connections: list[int] = []

    def connection_of_client(self) -> socket.socket:
        """One more."""
        connection = self._driver.connection_of_client()
        self.connections.append(connection.fileno())
        return connection


def test_a_driver_of_one_client_is_found_when_the_client_is_connected() -> None:
    """It is UNSUPPORTED, whichever client asks."""

    class Single:
        def connection_of_client(self) -> socket.socket:
            """Refuse, as a service without the method does."""
            raise HalError(ErrorStatus.INVALID_ARGUMENT, "no such method", "wire/method")

    client = ClientProcess(Single(), order("sums", 0.2))  # type: ignore[arg-type] # all that a client needs
    try:
        with pytest.raises(CaseFailed) as failed:
            attend([client], 60.0, TIMEOUT_S)
    finally:
        end([client])
    assert failed.value.outcome.verdict is Verdict.UNSUPPORTED


def test_failures_of_clients_are_merged() -> None:
    """Failures that another process has found are counted with those of this one."""
    other, tally = WorkTally(), WorkTally()
    other.fail(fail("execution/status", "wrong").outcome)
    other.add(3, [0.1, 0.2, 0.3])
    tally.merge(other.report())
    assert (tally.done, tally.failed, tally.failures[0].rule) == (3, 1, "execution/status")
    assert tally.evidence["latency_ms"]["p50"] == pytest.approx(200.0)
