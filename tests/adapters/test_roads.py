"""Roads to agents: a program that behaves like adb, and a real sshd on this machine."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from nnvet.adapters import SelectorError, open_driver
from nnvet.hal.enums import DeviceType
from tests.adapters import fake_adb
from tests.adapters.agents import agent_program, service_of

PATIENCE_S = 30.0
SSHD = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
SSH_PLACES = ("PATH", "PYTHONPATH")


def script_of(folder: Path) -> Path:
    """A program that is the service of the bundled driver."""
    service = folder / "service"
    service.write_text("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in service_of("reference:minimal")) + "\n")
    service.chmod(0o755)
    return service


def is_agent(process: psutil.Process) -> bool:
    """Return True of an agent that serves its standard input; processes of other tests may be ending."""
    with suppress(psutil.Error):
        return process.name() == "nnvet-agent" and "--stdio" in process.cmdline()
    return False


@pytest.fixture
def phone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a device that adb reaches."""
    device = tmp_path / "device"
    device.mkdir()
    program = tmp_path / "adb"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -S {fake_adb.__file__} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("ADB_DEVICE", str(device))
    monkeypatch.setenv("NNVET_AGENT", str(agent_program()))
    return device


def test_adb_copies_once_starts_and_forwards(phone: Path, tmp_path: Path) -> None:
    """The agent and the service are there then; when the driver is gone neither a process nor a forwarded port is."""
    where = f"adb:{fake_adb.SERIAL}/./service,push={script_of(tmp_path)}"
    with open_driver(where, timeout_s=PATIENCE_S) as driver:
        assert driver.device.get_type() is DeviceType.CPU
        driver.restart()
        assert driver.device.get_type() is DeviceType.CPU
        running = [process for process in psutil.process_iter(["exe"]) if str(phone) in (process.info["exe"] or "")]
        assert running
    assert not psutil.wait_procs(running, timeout=PATIENCE_S)[1]
    assert not (phone / "forwarded").read_text()
    assert (phone / "calls").read_text().count(" push ") == 1
    (folder,) = phone.glob("nnvet-*")
    assert {path.name for path in folder.iterdir()} == {"nnvet-agent", "service"}


def test_adb_copies_what_has_changed(phone: Path, tmp_path: Path) -> None:
    """A new build of the service has a folder of its own, so that one that runs is not disturbed."""
    service = script_of(tmp_path)
    for _ in range(2):
        with open_driver(f"adb:/./service,push={service}", timeout_s=PATIENCE_S) as driver:
            assert driver.device.get_type() is DeviceType.CPU
        service.write_text(service.read_text() + "# built again\n")
        os.utime(service, (time.time() + 5,) * 2)
    assert len(list(phone.glob("nnvet-*"))) == 2


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("adb:NOBODY/./service", "device 'NOBODY' not found"),
        (f"adb:{fake_adb.SERIAL}/./service,push=/nowhere/file", "No such file"),
        ("adb:service", "write adb:"),
    ],
)
def test_adb_says_what_is_missing(phone: Path, where: str, said: str) -> None:
    """In its own words, as an error of the command."""
    with pytest.raises(SelectorError, match=said), open_driver(where, timeout_s=PATIENCE_S):
        pass


def test_without_an_agent_there_is_nothing_to_copy(phone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says how to get one."""
    monkeypatch.delenv("NNVET_AGENT")
    with pytest.raises(SelectorError, match="build nnvet-agent for the device"), open_driver("adb:/./service"):
        pass


def test_an_agent_for_another_processor_does_not_start(
    phone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message of the device's shell is passed on."""
    wrong = tmp_path / "nnvet-agent"
    wrong.write_bytes(b"\x7fELF of something else")
    monkeypatch.setenv("NNVET_AGENT", str(wrong))
    with pytest.raises(SelectorError, match="the agent does not start there"), open_driver("adb:/./service"):
        pass


@contextmanager
def serving(folder: Path) -> Iterator[int]:
    """A server of ssh for this user, on a port of this machine, with keys of its own."""
    assert SSHD is not None
    make_key = [shutil.which("ssh-keygen") or "", "-q", "-t", "ed25519", "-N", "", "-f"]
    for name in ("host", "user"):
        subprocess.run([*make_key, str(folder / name)], check=True)
    shutil.copy(folder / "user.pub", folder / "authorized")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    places = " ".join(f"{name}={os.environ[name]}" for name in SSH_PLACES if name in os.environ)
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\n"
        f"PidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nSetEnv {places}\n"
    )
    Path("/run/sshd").mkdir(exist_ok=True)
    command = [SSHD, "-D", "-e", "-f", str(folder / "sshd_config")]
    with (folder / "log").open("w") as log, subprocess.Popen(command, stderr=log) as server:
        try:
            until = time.monotonic() + PATIENCE_S
            while "Server listening" not in (folder / "log").read_text():
                assert time.monotonic() < until
                time.sleep(0.05)
            yield port
        finally:
            server.terminate()


@pytest.mark.skipif(SSHD is None or os.geteuid() != 0, reason="there is no sshd, or this user may not run it")
def test_ssh_serves_a_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over a real connection; a killed ssh is a lost link, after which the driver comes back, and nothing stays."""
    options = f"-i {tmp_path}/user -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
    wrapper = tmp_path / "ssh"
    wrapper.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F none {options} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("NNVET_AGENT", str(agent_program()))
    with serving(tmp_path) as port:
        with open_driver(f"ssh:127.0.0.1:{port}/{script_of(tmp_path)}", timeout_s=PATIENCE_S) as driver:
            assert driver.device.get_type() is DeviceType.CPU
            (client,) = (child for child in psutil.Process().children() if child.name() == "ssh")
            agents = list(filter(is_agent, psutil.process_iter()))
            assert agents
            client.send_signal(signal.SIGKILL)
            driver.restart()
            assert driver.device.get_type() is DeviceType.CPU
        assert not psutil.wait_procs(agents, timeout=PATIENCE_S)[1]
