"""Several clients of one service: sessions that begin by a call or by connecting, and end each by itself."""

import gc
import shlex
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from nnvet.adapters import open_driver, prepare
from nnvet.adapters.drivers import SOCKET_VARIABLE, Driver
from nnvet.adapters.service.main import serve
from nnvet.conformance.engine.driver import DriverUnderTest
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.outcome import CaseFailed
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.calling import Client, calling_client
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModelCallback
from nnvet.hal.memory import create_ashmem
from nnvet.hal.types import DeviceType, ExecutionConfig, Handle, Model, PrepareModelConfig
from nnvet.reports.events import Verdict
from nnvet.transport.wire.methods import METHODS, SERVICE_ID
from tests.adapters.models import add_model, add_pool, add_request, result_of
from tests.transport.wire_sessions import PATIENCE_S, open_descriptors, session_with

LONELY = f"""
import os, socket, sys
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.errors import invalid
from nnvet.transport.wire.server import ServiceSession
class Lonely(ServiceSession):
    def open_client(self, primary):
        raise invalid("there is no method 'Service.open_client'", "wire/method")
Lonely(BaseDevice(), socket.socket(fileno=int(os.environ["{SOCKET_VARIABLE}"]))).run()
"""


@pytest.fixture(params=["process", "in process", "socket"])
def driver(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Driver]:
    """The bundled driver, reached in every way that allows for several clients."""
    if request.param != "socket":
        with open_driver("reference", in_process=request.param == "in process", timeout_s=PATIENCE_S) as opened:
            yield opened
        return
    from nnvet.reference_driver import create  # noqa: PLC0415 - only here the device is made in the test itself

    listening, path = threading.Event(), tmp_path / "socket"
    threading.Thread(target=serve, args=(create(), path, listening.set), daemon=True).start()
    assert listening.wait(PATIENCE_S)
    with open_driver(f"unix:{path}", timeout_s=PATIENCE_S) as opened:
        yield opened


def test_another_client_works_and_goes(driver: Driver) -> None:
    """A second client prepares and executes; when it goes, the first goes on, and a third can come."""
    with add_pool(1, 2, 3, 4) as pool:
        usual = prepare(driver.device, add_model())
        for _ in range(2):
            with driver.another_client() as device:
                assert device is not driver.device
                prepared = prepare(device, add_model())
                for model in (prepared, usual):
                    model.execute_synchronously(add_request(pool), ExecutionConfig(), -1)
                    assert result_of(pool) == (4.0, 6.0)
        usual.execute_synchronously(add_request(pool), ExecutionConfig(), -1)
        assert driver.alive


def test_a_service_that_takes_one_client(tmp_path: Path) -> None:
    """If a service takes one client only, a check that wants a second is UNSUPPORTED."""
    program = tmp_path / "lonely.py"
    program.write_text(LONELY)
    command = shlex.join([sys.executable, str(program)])
    with open_driver(f"exec:{command}", timeout_s=PATIENCE_S) as driver:
        with pytest.raises(HalError) as refused, driver.another_client():
            pass
        assert refused.value.rule == "wire/method"
        subject = DriverUnderTest(Target(str(driver.selector)), driver)
        with pytest.raises(CaseFailed) as unsupported, subject.another_client():
            pass
        assert unsupported.value.outcome.verdict is Verdict.UNSUPPORTED
        assert driver.alive


@pytest.mark.parametrize("descriptor", ["none", "memory"])
def test_the_primary_has_to_be_a_socket(descriptor: str) -> None:
    """Anything else is an invalid argument, and is not kept."""
    with session_with(BaseDevice()) as session:
        memory = create_ashmem(8)
        session.device.get_type()
        # Garbage of other tests may have descriptors.
        gc.collect()
        before = open_descriptors()
        handle = Handle(-1) if descriptor == "none" else memory.handle
        with pytest.raises(HalError) as refused:
            session.call(SERVICE_ID, METHODS["Service.open_client"], (handle,))
        assert refused.value.rule == "wire/arguments"
        session.device.get_type()
        assert open_descriptors() <= before
        memory.handle.close()


class Asking(BaseDevice):
    """Remembers who calls."""

    def __init__(self) -> None:
        """Know nobody."""
        self.callers: list[Client] = []

    def get_type(self) -> DeviceType:
        """Remember the caller."""
        self.callers.append(calling_client())
        return DeviceType.CPU

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
        """Remember the caller."""
        self.callers.append(calling_client())
        super().prepare_model(model, config, callback)

    def supports(self, *_: object) -> bool:
        """Take everything."""
        return True

    def compile(self, *_: object) -> None:  # type: ignore[override]
        """Remember the caller, on the thread that was launched."""
        self.callers.append(calling_client())


def test_a_driver_knows_who_calls() -> None:
    """All calls of a client, on whatever lane, and what they launch, are one client's, which is gone at the end."""
    device = Asking()
    with session_with(device) as first:
        with session_with(device) as second:
            for session in (first, second):
                session.device.get_type()
                with pytest.raises(HalError):
                    prepare(session.device, add_model())
            together = threading.Barrier(2)

            def call() -> None:
                together.wait(PATIENCE_S)
                first.device.get_type()

            threads = [threading.Thread(target=call) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        one, other = device.callers[0], device.callers[3]
        assert device.callers == [one] * 3 + [other] * 3 + [one] * 2
        assert one is not other is not calling_client() is not one
        assert (one.has_gone, other.has_gone) == (False, True)
    assert one.has_gone
