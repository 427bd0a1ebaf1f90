"""Drivers of tests/drivers/misbehaving.py, in a service process or in this one."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path

import psutil
import pytest

from nnvet.adapters.drivers import Driver, open_driver
from tests.native.building import LIBRARY, built_in

MISBEHAVING = Path(__file__).parents[1] / "drivers" / "misbehaving.py"
PATIENCE_S = 30.0

SERVICE = (sys.executable, "-P", "-m", "nnvet.adapters.service.main")


@pytest.fixture(scope="session")
def native_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the native test library, built once for all tests."""
    return built_in(tmp_path_factory.mktemp("native"))


@pytest.fixture(scope="session")
def library(native_folder: Path) -> Path:
    """The native test library."""
    return native_folder / LIBRARY


OpenDriver = Callable[..., Driver]


def selector(name: str) -> str:
    """Selector of one of the misbehaving drivers."""
    return f"python:{MISBEHAVING}:{name}"


@pytest.fixture
def service() -> Iterator[OpenDriver]:
    """Opens misbehaving drivers, each in a process of its own, by name."""
    with ExitStack() as stack:
        yield lambda name, timeout_s=PATIENCE_S: stack.enter_context(open_driver(selector(name), timeout_s=timeout_s))


@pytest.fixture(params=[False, True], ids=["service", "in-process"])
def anywhere(request: pytest.FixtureRequest) -> Iterator[OpenDriver]:
    """Opens misbehaving drivers by name, once in a process of their own and once in this one."""
    with ExitStack() as stack:
        open_one: Callable[..., AbstractContextManager[Driver]] = partial(open_driver, in_process=request.param)
        yield lambda name, timeout_s=PATIENCE_S: stack.enter_context(open_one(selector(name), timeout_s=timeout_s))


@contextmanager
def serving(
    path: Path, name: str, exit_code: int = 0, *, options: Sequence[str] = (), umask: int = -1
) -> Iterator[subprocess.Popen[str]]:
    """A service that listens on ``path``; with another ``exit_code`` than 0 it ends by itself."""
    command = (*SERVICE, "--socket", str(path), *options, selector(name))
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, umask=umask) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield process
        except BaseException:
            # Otherwise leaving the block would wait for the service for ever.
            process.kill()
            raise
        if exit_code == 0:
            process.terminate()
        assert process.wait(PATIENCE_S) == exit_code


def wait_until_stopped(pid: int) -> None:
    """Wait until a process stands still. It leaves the event of waitid(2) to the code that watches the service."""
    deadline = time.monotonic() + PATIENCE_S
    while psutil.Process(pid).status() != psutil.STATUS_STOPPED:
        assert time.monotonic() < deadline, f"process {pid} does not stop"
        time.sleep(0.01)
