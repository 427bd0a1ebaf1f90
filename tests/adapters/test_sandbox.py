"""Services in namespaces of their own: what they cannot reach, and that everything else works as usual."""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

from nnvet.adapters import DriverCrash, SelectorError, open_driver
from nnvet.adapters.service import strays
from nnvet.adapters.service.sandbox import Confinement, Sandbox, code_inside
from nnvet.commands.main import app
from nnvet.transport.wire.failures import DriverBloat, DriverHang
from tests.adapters.conftest import PATIENCE_S, selector
from tests.adapters.test_descendants import LIMIT, dies
from tests.drivers.confined import PORT_VARIABLE

CONFINED = Path(__file__).parents[1] / "drivers" / "confined.py"
ROOT = CONFINED.parents[2]
BOX = Sandbox()


def refusal() -> str:
    """The reason for which there can be no sandbox here; empty: there can."""
    try:
        BOX.require()
    except SelectorError as error:
        return str(error)
    return ""


needs_bubblewrap = pytest.mark.skipif(bool(refusal()), reason=refusal() or "there is bubblewrap")


@pytest.fixture(scope="module", autouse=True)
def importable() -> Iterator[None]:
    """Let the drivers of these tests import their neighbours, in whatever process they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        yield


@pytest.fixture(scope="module")
def explored(importable: None) -> Iterator[dict[str, str]]:
    """Things that a driver in a sandbox was able to do, with one more device."""
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv(PORT_VARIABLE, str(server.getsockname()[1]))
        with open_driver(f"python:{CONFINED}:Explores", sandbox=Sandbox((unusual_device(),))) as driver:
            yield json.loads(driver.device.get_version_string())


def unusual_device() -> str:
    """A device that every machine has and no sandbox by itself."""
    found = (path for path in sorted(Path("/dev").iterdir()) if path.name in ("kmsg", "fuse", "hwrng", "console"))
    device = next((path for path in found if stat.S_ISCHR(path.stat().st_mode)), None)
    if device is None:
        pytest.skip("this machine has none of the devices that the test knows")
    return str(device)


@needs_bubblewrap
def test_the_walls(explored: dict[str, str]) -> None:
    """The system cannot be written to, there is no network, and nobody outside is seen or killed."""
    assert explored["beside its file"] == os.strerror(30)
    assert not (CONFINED.parent / "written.txt").exists()
    assert explored["network"] == os.strerror(111)
    # The first process of the namespace, and the service with what the search itself may start.
    assert int(explored["processes"]) <= 3
    assert explored["its parent"] == "None"
    assert int(explored["capabilities"], 16) == 0
    assert explored["run"] == "[]"


@needs_bubblewrap
def test_a_private_folder(explored: dict[str, str]) -> None:
    """It can be written to, and nobody else sees it, or has it when the driver is closed."""
    assert explored["temporary"] == "1"
    assert not Path("/tmp/written.txt").exists()


@needs_bubblewrap
def test_devices_by_name(explored: dict[str, str]) -> None:
    """The one that was named is there, none of the others."""
    usual = {"core", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout", "tty"}
    others = set(explored["devices"].split()) - usual - {"urandom", "zero", "console"}
    assert others - {Path(unusual_device()).name} == set()
    assert Path(unusual_device()).name in explored["devices"].split()


@pytest.mark.long
@needs_bubblewrap
def test_the_folder_outlives_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that a driver keeps for its next process are there for that, and gone with the driver."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with open_driver(f"python:{CONFINED}:Counts", sandbox=BOX) as driver:
        assert driver.device.get_version_string() == "1"
        assert len(list(tmp_path.iterdir())) == 1
        driver.restart()
        assert driver.device.get_version_string() == "2"
    assert list(tmp_path.iterdir()) == []


@needs_bubblewrap
def test_folders_of_the_dead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one who makes a sandbox removes them, and no other's: not those in use, nor what is elsewhere."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / "nnvet-sandbox-dead").mkdir()
    (tmp_path / "nnvet-sandbox-dead" / "file").touch()
    elsewhere.mkdir()
    (tmp_path / "nnvet-sandbox-link").symlink_to(elsewhere)
    first, second = Confinement(BOX, ""), Confinement(BOX, "")
    assert {path.name for path in tmp_path.iterdir() if path.is_dir() and not path.is_symlink()} == {
        *("elsewhere", first.folder.name, second.folder.name)
    }
    second.close()
    first.close()
    assert elsewhere.is_dir()
    assert not first.folder.exists()


@needs_bubblewrap
def test_a_crash() -> None:
    """The signal, and the place in the driver that it has met."""
    with open_driver(selector("Segfaults"), sandbox=BOX) as driver:
        with pytest.raises(DriverCrash) as crash:
            driver.device.get_type()
        evidence = crash.value.evidence
        assert (evidence.signal, evidence.exit_code) == ("SIGSEGV", -signal.SIGSEGV)
        assert "in get_type" in evidence.place
        if shutil.which("eu-stack") or shutil.which("gdb"):
            assert "(Python)" in evidence.native_stacks


@pytest.mark.long
@needs_bubblewrap
def test_a_hang() -> None:
    """It is found in time, with the driver's stacks; the process is then killed."""
    with open_driver(selector("NeverAnswers"), timeout_s=1.0, sandbox=BOX) as driver:
        with pytest.raises(DriverHang) as hang:
            driver.device.get_type()
        assert "in get_type" in hang.value.evidence.stderr_tail
        pidfd = os.pidfd_open(driver.pid or 0)
        driver.kill()
        assert dies(pidfd)


@pytest.mark.long
@needs_bubblewrap
def test_too_much_memory() -> None:
    """The limit is that of a service without a sandbox."""
    with open_driver(selector("Bloats"), memory_limit=LIMIT, sandbox=BOX) as driver, pytest.raises(DriverBloat):
        driver.device.get_type()


def sleepers(ancestor: int | None = None) -> list[psutil.Process]:
    """Return what :class:`tests.drivers.confined.LeavesASession` has left below a process, by default our own."""
    # The call that leaves it may return before it has become another program.
    end, found = time.monotonic() + PATIENCE_S, list[psutil.Process]()
    while not found and time.monotonic() < end:
        time.sleep(0.01)
        for process in psutil.Process(ancestor).children(recursive=True):
            # Those that have ended meanwhile do not say what they were.
            with suppress(psutil.Error):
                found += [process] if process.name() == "sleep" and "1017" in process.cmdline() else []
    return found


@needs_bubblewrap
def test_nothing_survives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that no mark and no control group would find end with the namespace."""
    monkeypatch.setattr(strays, "_MOUNTS", Path("/nowhere"))
    with open_driver(f"python:{CONFINED}:LeavesASession", sandbox=BOX) as driver:
        driver.device.get_version_string()
        left = [os.pidfd_open(process.pid) for process in sleepers()]
        assert len(left) == 1
        driver.kill()
        assert dies(left[0])


RUNNER = """
import sys, time
from nnvet.adapters import open_driver
from nnvet.adapters.service.sandbox import Sandbox
with open_driver(sys.argv[1], sandbox=Sandbox()) as driver:
    driver.device.get_version_string()
    print(driver.pid, flush=True)
    time.sleep(1000)
"""


@pytest.mark.long
@needs_bubblewrap
def test_the_end_of_who_started_it() -> None:
    """SIGKILL of the suite ends the service, and what it has left in sessions of their own."""
    command = [sys.executable, "-c", RUNNER, f"python:{CONFINED}:LeavesASession"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as runner:
        assert runner.stdout is not None
        ends = [int(runner.stdout.readline()), *(process.pid for process in sleepers(runner.pid))]
        ends = [os.pidfd_open(process) for process in ends]
        runner.kill()
    assert len(ends) == 2
    assert [dies(end) for end in ends] == [True, True]


@pytest.mark.long
@needs_bubblewrap
def test_whoever_is_killed_is_inside(tmp_path: Path) -> None:
    """A driver that kills all of its parents, and dies, is a CRASH; the run goes on to its end."""
    options = ("-d", f"python:{CONFINED}:KillsParents", "--only", "WireTest/CommonVersion", "--out", str(tmp_path))
    command = [sys.executable, "-m", "nnvet.commands", "run", "--sandbox", *options]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1, ended.stderr
    assert "CRASH" in (tmp_path / "run.jsonl").read_text()


@pytest.mark.long
@needs_bubblewrap
def test_a_program(tmp_path: Path) -> None:
    """One that ``exec:`` starts lies in a place that is hidden but for it, and its own exit code is known."""
    program = tmp_path / "service.py"
    program.write_text(
        "import os, sys\nfrom nnvet.adapters.service.main import main\n"
        "main(['--fd', os.environ['NNVET_SOCKET_FD'], 'reference'])\nsys.exit(7)\n"
    )
    with open_driver(f"exec:{sys.executable} {program}", sandbox=BOX) as driver:
        gone = driver.part()
        assert gone is not None
        assert gone.evidence.exit_code == 7


@needs_bubblewrap
@pytest.mark.parametrize(("script", "code"), [("exit 7", 7), ("kill -SEGV $$", -11), ("sleep 0.05; exit 5", 5)])
def test_a_program_that_ends_at_once(tmp_path: Path, script: str, code: int) -> None:
    """Its end is that of the driver, however soon it comes."""
    program = tmp_path / "program.sh"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    for _ in range(3):
        with pytest.raises(DriverCrash) as crash, open_driver(f"exec:{program}", sandbox=BOX):
            pass
        assert crash.value.evidence.exit_code == code


@needs_bubblewrap
def test_a_program_that_is_missing() -> None:
    """It is no crash of a driver."""
    reason = "no program that can be executed: /nowhere/service"
    with pytest.raises(SelectorError, match=reason), open_driver("exec:/nowhere/service", sandbox=BOX):
        pass


@needs_bubblewrap
def test_a_device_that_is_none() -> None:
    """Each has to be there, and a device."""
    for device, reason in (("/dev/nonesuch", "No such file"), ("/etc", "below /dev"), ("/dev/../etc", "below /dev")):
        with pytest.raises(SelectorError, match=reason):
            Sandbox((device,)).require()


def test_without_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The message names the package, and the exit code is that of what the user can mend."""
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(app, ["smoke", "-d", "reference", "--sandbox"])
    assert result.exit_code == 2
    assert "install the package bubblewrap" in result.output


def test_namespaces_that_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The words of bubblewrap say why, as in a container that may make none."""
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(SelectorError, match="No permissions to create a new namespace"):
        BOX.require()


@pytest.mark.parametrize(("driver", "in_process"), [("unix:/nowhere", False), ("reference", True)])
def test_drivers_that_nobody_starts(driver: str, in_process: bool) -> None:
    """A driver in the suite's process, or of somebody else, cannot be put into a sandbox."""
    reason = "--sandbox is for services that are started here"
    with pytest.raises(SelectorError, match=reason), open_driver(driver, in_process=in_process, sandbox=BOX):
        pass


@pytest.mark.parametrize(("outer", "inner"), [(0, 0), (7, 7), (128, 128), (139, -11), (192, -64), (193, 193), (-9, -9)])
def test_exit_codes(outer: int, inner: int) -> None:
    """A shell adds 128 to the number of a signal."""
    assert code_inside(outer) == inner
