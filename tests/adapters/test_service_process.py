"""Service processes: their environment, their end, what they leave behind, many clients, programs as services."""

import os
import select
import shlex
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from nnvet.adapters import DriverCrash, SelectorError, open_driver, prepare
from nnvet.adapters.drivers import SOCKET_VARIABLE, ProcessDriver
from nnvet.hal.memory import create_ashmem
from nnvet.hal.types import ExecutionConfig, Request
from tests.adapters.conftest import PATIENCE_S, OpenDriver, selector, serving
from tests.adapters.models import add_model, add_pool, add_request, result_of
from tests.transport.wire_sessions import open_descriptors

ROOT = Path(__file__).parent.parent.parent
LAUNCHER = """
import os, signal, sys, time
import psutil
from nnvet.adapters import open_driver
with open_driver(sys.argv[1]) as driver:
    print(driver.pid, driver.device.get_version_string(), flush=True)
    if sys.argv[2] == "stop":
        os.kill(driver.pid, signal.SIGSTOP)
        while psutil.Process(driver.pid).status() != psutil.STATUS_STOPPED:
            time.sleep(0.01)
    print("ready", flush=True)
    signal.pause()
"""
PROGRAM = f"""
import os, socket, sys
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.transport.wire.server import ServiceSession
print("hello from a program")
device = BaseDevice()
device.name = sys.argv[1]
ServiceSession(device, socket.socket(fileno=int(os.environ["{SOCKET_VARIABLE}"]))).run()
"""


def gone(pidfd: int) -> bool:
    """Return True if the process ends within the tests' patience."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    ended = bool(poller.poll(PATIENCE_S * 1000))
    os.close(pidfd)
    return ended


@pytest.mark.parametrize("state", ["run", "stop"])
@pytest.mark.parametrize("name", ["TellsPid", "LeavesChildren"])
def test_no_orphan_is_left(name: str, state: str) -> None:
    """When the suite is killed, its services die, even stopped ones, and so do processes that they have started."""
    launcher = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, selector(name), state], stdout=subprocess.PIPE, text=True
    )
    assert launcher.stdout is not None
    pids = [os.pidfd_open(int(word)) for word in launcher.stdout.readline().split()[: 1 + (name == "LeavesChildren")]]
    assert launcher.stdout.readline() == "ready\n"
    launcher.kill()
    launcher.wait()
    launcher.stdout.close()
    assert [gone(pidfd) for pidfd in pids] == [True] * len(pids)


def test_children_of_the_service_end_with_it(service: OpenDriver) -> None:
    """Children of a driver do not outlive it."""
    driver = service("LeavesChildren")
    child = os.pidfd_open(int(driver.device.get_version_string()))
    driver.close()
    assert gone(child)


def test_service_ends_when_the_client_hangs_up(service: OpenDriver) -> None:
    """A service whose client closes ends by itself, without being killed."""
    driver = service("WellBehaved")
    assert isinstance(driver, ProcessDriver)
    driver.session.close()
    assert driver._process.wait(PATIENCE_S)
    assert driver._process.evidence(dead=True).exit_code == 0


def test_service_computes_on_one_thread(service: OpenDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mathematical libraries in the service use one thread, unless the user has said otherwise."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    driver = service("WellBehaved")
    assert isinstance(driver, ProcessDriver)
    environment = Path(f"/proc/{driver.pid}/environ").read_bytes().split(b"\0")
    assert b"OMP_NUM_THREADS=1" in environment
    assert b"OPENBLAS_NUM_THREADS=3" in environment


def test_executions_leak_no_descriptors(service: OpenDriver) -> None:
    """Calls that pass three descriptors each leave none open, neither here nor in the service."""
    driver = service("TellsPid")
    prepared = prepare(driver.device, add_model())

    def in_service() -> int:
        return int(driver.device.get_version_string().split()[1])

    with add_pool(1, 2, 3, 4) as pool:
        extra = tuple(create_ashmem(8) for _ in range(2))
        one = add_request(pool)
        request = Request(one.inputs, one.outputs, (pool, *extra))
        prepared.execute_synchronously(request, ExecutionConfig(), -1)
        before = open_descriptors(), in_service()
        for _ in range(100):
            prepared.execute_synchronously(request, ExecutionConfig(), -1)
        # Those of the latest call may be open for a moment after its reply; a leak has at least a hundred.
        assert open_descriptors() - before[0] < 50
        assert in_service() - before[1] < 50
        for memory in extra:
            memory.handle.close()


def test_drivers_leak_no_descriptors() -> None:
    """Drivers that come and go, by closing, killing and restarting, leave no descriptors and no threads here."""

    def come_and_go() -> None:
        with open_driver(selector("WellBehaved")) as driver:
            driver.device.get_type()
            driver.kill()
            driver.restart()
            driver.device.get_type()

    come_and_go()
    before, threads = open_descriptors(), threading.active_count()
    come_and_go()
    assert open_descriptors() == before
    assert threading.active_count() <= threads


def test_executions_run_at_the_same_time(service: OpenDriver) -> None:
    """Four executions that wait for each other end only if all four are in the driver at once."""
    prepared = prepare(service("Meets").device, add_model())
    failures: list[BaseException] = []

    def run() -> None:
        try:
            with add_pool(1, 2, 3, 4) as pool:
                prepared.execute_synchronously(add_request(pool), ExecutionConfig(), -1)
        except Exception as error:  # noqa: BLE001 - shown below
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_clients_of_one_service_are_isolated(tmp_path: Path) -> None:
    """Several clients share a service; one that sends garbage or hangs up leaves the others their objects."""
    path = tmp_path / "driver.socket"
    with serving(path, "WellBehaved"), open_driver(f"unix:{path}") as one, open_driver(f"unix:{path}") as other:
        prepared = prepare(one.device, add_model())
        prepare(other.device, add_model())
        with socket.socket(socket.AF_UNIX) as vandal:
            vandal.connect(str(path))
            vandal.sendall(b"garbage " * 100)
        other.close()
        with add_pool(1, 2, 3, 4) as pool:
            prepared.execute_synchronously(add_request(pool), ExecutionConfig(), -1)
            assert result_of(pool) == (4.0, 6.0)
        other.restart()
        assert other.device.name == "well-behaved"
    assert not path.exists()


def test_death_of_a_shared_service_is_a_crash(tmp_path: Path) -> None:
    """A service that somebody else has started is a crash too when it dies, though its exit code is unknown."""
    path = tmp_path / "driver.socket"
    with serving(path, "Exits", exit_code=7) as process, open_driver(f"unix:{path}") as driver:
        with pytest.raises(DriverCrash) as crash:
            driver.device.get_type()
        assert crash.value.evidence.pid == process.pid
        assert not driver.alive


def test_abandoned_socket_is_replaced_and_a_used_one_is_not(tmp_path: Path) -> None:
    """A socket left by a killed service does not prevent a new one; a socket in use, or a file, does."""
    path = tmp_path / "driver.socket"
    with socket.socket(socket.AF_UNIX) as abandoned:
        abandoned.bind(str(path))
    with serving(path, "WellBehaved"):
        command = [
            sys.executable,
            "-P",
            "-m",
            "nnvet.adapters.service.main",
            "--socket",
            str(path),
            selector("WellBehaved"),
        ]
        second = subprocess.run(command, check=False, capture_output=True, text=True)
        assert (second.returncode, second.stderr) == (
            2,
            f"nnvet: cannot serve on {path}: Address already in use; choose another path\n",
        )


def test_program_as_a_service(tmp_path: Path) -> None:
    """``exec:`` starts any program that speaks the wire on the descriptor in its environment."""
    program = tmp_path / "my program.py"
    program.write_text(PROGRAM)
    command = shlex.join([sys.executable, str(program), "a name"])
    with open_driver(f"exec:{command}") as driver:
        assert driver.device.name == "a name"
        assert isinstance(driver, ProcessDriver)
        os.kill(driver.pid, signal.SIGTERM)
        with pytest.raises(DriverCrash) as crash:
            driver.device.get_type()
        assert crash.value.evidence.signal == "SIGTERM"


def test_program_that_ends_at_once_is_a_crash() -> None:
    """A program that does not speak the wire but ends is a crash with its last words."""
    with (
        pytest.raises(DriverCrash, match="last output: cannot open libfoo"),
        open_driver("exec:sh -c 'echo cannot open libfoo; exit 3'"),
    ):
        pass


def test_program_that_cannot_be_started() -> None:
    """A command that does not exist is the user's error."""
    with (
        pytest.raises(SelectorError, match=r"cannot start the service: .*'/no/such/program'"),
        open_driver("exec:/no/such/program -x"),
    ):
        pass
