"""Descendants of a service end with it, with control groups and without."""

import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pytest

from nnvet.adapters import DriverCrash
from nnvet.adapters.drivers import ProcessDriver
from nnvet.adapters.service import strays
from nnvet.adapters.service.process import ServiceProcess
from nnvet.adapters.service.strays import MARK_VARIABLE, ControlGroup
from nnvet.conformance.kit.outcome import death_outcome
from nnvet.reports.events import Verdict
from tests.adapters.conftest import PATIENCE_S, OpenDriver
from tests.drivers.misbehaving import orphan
from tests.native.building import COMPILER, SOURCES

LIMIT = 300 << 20
NESTED = 1100
"""Processes in a chain: beyond the depth to which Python calls itself."""


def dies(pidfd: int) -> bool:
    """Return True if a process ends soon; closes the descriptor."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    try:
        return bool(poller.poll(PATIENCE_S * 1000))
    finally:
        os.close(pidfd)


def own_group() -> ControlGroup:
    """A control group of this system."""
    made = strays.make(None)
    if made is None:
        pytest.skip("this system lets us make no control groups (cgroup v2)")
    return made


@pytest.fixture
def without_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system without control groups."""
    monkeypatch.setattr(strays, "_MOUNTS", Path("/nowhere"))


@pytest.mark.usefixtures("without_groups")
def test_what_a_driver_has_disowned_ends_with_it(service: OpenDriver) -> None:
    """A process in a session of its own, whose parent has ended, is known by the mark in its environment."""
    driver = service("LeavesOrphans")
    left = os.pidfd_open(int(driver.device.get_version_string()))
    driver.close()
    assert dies(left)


def test_what_hides_its_environment_ends_too(service: OpenDriver) -> None:
    """A disowned program without any environment variable is still in the group."""
    own_group().end()
    driver = service("LeavesHiddenOrphans")
    left = os.pidfd_open(int(driver.device.get_version_string()))
    driver.close()
    assert dies(left)


def carriers(mark: str) -> list[int]:
    """Living processes that began with a mark."""
    wanted = f"{MARK_VARIABLE}={mark}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def dead_children() -> set[psutil.Process]:
    """Return our children that have ended and that nobody has waited for."""
    return {child for child in psutil.Process().children() if child.status() == psutil.STATUS_ZOMBIE}


@pytest.fixture(scope="module")
def forking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of many processes."""
    if COMPILER is None:
        pytest.skip("there is no compiler to build a program of many processes with")
    program = tmp_path_factory.mktemp("forking") / "forking"
    subprocess.run([COMPILER, "-O1", "-o", str(program), str(SOURCES / "forking.cc")], check=True)
    return program


@contextmanager
def running(program: Path, *words: str, memory_limit: int | None = None) -> Iterator[ServiceProcess]:
    """The program as a service, once it has said that it is ready."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = ServiceProcess((str(program), *words), theirs.fileno(), {}, memory_limit=memory_limit)
        try:
            end = time.monotonic() + PATIENCE_S
            while "ready" not in process.output.text() and time.monotonic() < end:
                process.output.heard.wait(0.1)
                process.output.heard.clear()
            assert "ready" in process.output.text()
            yield process
        finally:
            process.kill()


@pytest.mark.usefixtures("without_groups")
def test_a_chain_of_processes_is_watched_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """However deep it is, its memory is known and the death of the service noticed.

    It takes the kernel seconds to start so many, so the chain is made up.
    """
    own_children = strays.children
    nowhere = 1 << 30

    def nested(pid: int | str) -> Iterator[int]:
        if pid == process.pid:
            yield nowhere
        elif isinstance(pid, int) and nowhere <= pid < nowhere + NESTED:
            yield pid + 1
        else:
            yield from own_children(pid)

    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = ServiceProcess(("/bin/sleep", "1000"), theirs.fileno(), {}, memory_limit=LIMIT)
        monkeypatch.setattr(strays, "children", nested)
        assert len(set(process._descendants.members())) == NESTED + 2
        # In this time the memory has been weighed.
        assert not process.wait(0.5)
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait(PATIENCE_S), "nobody has noticed the death of the service"
        assert process.evidence(dead=True).signal == "SIGKILL"


@pytest.mark.parametrize("distance", ["near", "far"])
@pytest.mark.parametrize("groups", [False, True], ids=["mark", "group"])
def test_what_forks_and_exits_without_end_is_ended(
    forking: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, distance: str, *, groups: bool
) -> None:
    """A process that is another one at every look does not outlive its driver, nor do its dead keep their numbers."""
    if groups:
        own_group().end()
    else:
        monkeypatch.setattr(strays, "_MOUNTS", Path("/nowhere"))
    over = tmp_path / "over"
    # Agents of earlier tests may have left dead processes to us, their subreaper.
    before = dead_children()
    with running(forking, distance, str(over)) as process:
        mark = process._marked.mark
    for _ in range(20):
        assert carriers(mark) == []
    assert not over.exists(), "the program has ended by itself, which shows nothing; it needs more generations"
    assert dead_children() <= before


def test_a_process_that_cannot_be_watched_is_ended_and_nobody_is_blamed(
    service: OpenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the watching itself fails, the service ends, whoever waits for that goes on, and nobody is blamed."""
    driver = service("WellBehaved")
    assert isinstance(driver, ProcessDriver)

    def fails(_: object) -> NoReturn:
        raise RecursionError("too deep")

    monkeypatch.setattr(ServiceProcess, "_limit_memory", fails)
    assert driver._process.wait(PATIENCE_S)
    with pytest.raises(DriverCrash) as crash:
        driver.device.get_type()
    assert death_outcome(crash.value).verdict is Verdict.ERROR
    assert "RecursionError: too deep" in death_outcome(crash.value).reason
    monkeypatch.undo()
    driver.restart()
    assert driver.device.name == "well-behaved"


def test_an_ended_group_is_gone() -> None:
    """Its processes are known, and dead afterwards; its folder is removed."""
    group = own_group()
    with subprocess.Popen(["/bin/sleep", "1000"], start_new_session=True) as process:
        group.take(process.pid)
        assert group.members() == [process.pid]
        group.end()
        assert process.wait(PATIENCE_S) is not None
    assert not group.folder.exists()


def test_a_group_that_goes_while_it_is_looked_at_has_no_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """The activity of a driver is looked at on one thread while another removes the group of the one that has ended."""
    group = own_group()
    scandir = os.scandir

    def gone(folder: str | Path) -> Any:
        if Path(folder) == group.folder:
            raise FileNotFoundError(folder)
        return scandir(folder)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", gone)
        assert group.members() == []
    group.end()
    assert not group.folder.exists()


def test_groups_below_a_group_end_with_it() -> None:
    """A suite that was itself started as a service has made one; its processes count, and nothing stays."""
    group = own_group()
    inner = ControlGroup(group.folder / "nnvet-inner", None)
    with subprocess.Popen(["/bin/sleep", "1000"], start_new_session=True) as process:
        inner.take(process.pid)
        assert group.members() == [process.pid]
        group.end()
        assert process.wait(PATIENCE_S) is not None
    assert not group.folder.exists()
    inner.end()


def test_groups_of_dead_suites_are_swept() -> None:
    """Processes that a killed suite has left behind die when the next one begins; those of a living one do not."""
    own_group().end()
    reading, writing = os.pipe()
    suite = os.fork()
    if suite == 0:
        pid = orphan(signal.pause)
        made = strays.make(None)
        if made is not None:
            made.take(pid)
        os.write(writing, str(pid).encode())
        signal.pause()
    left = os.pidfd_open(int(os.read(reading, 16)))
    os.close(reading)
    os.close(writing)

    own_group().end()
    poller = select.poll()
    poller.register(left, select.POLLIN)
    assert not poller.poll(200), "the group of a living suite was swept"
    os.kill(suite, signal.SIGKILL)
    os.waitpid(suite, 0)
    own_group().end()
    assert dies(left)


class MadeOfFiles:
    """A folder of a control group with a memory controller, as the kernel would make it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        """Have files appear in each new folder."""
        self.folder = folder / "group"
        make_folder = Path.mkdir

        def made_by_the_kernel(path: Path) -> None:
            make_folder(path)
            for name in ("memory.max", "memory.swap.max", "memory.oom.group", "cgroup.procs"):
                (path / name).touch()

        monkeypatch.setattr(Path, "mkdir", made_by_the_kernel)


def test_the_kernel_limits_the_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The limit has no swap beside it and ends all processes; files stand in for the kernel's."""
    folder = MadeOfFiles(monkeypatch, tmp_path).folder
    group = ControlGroup(folder, LIMIT)
    assert (folder / "memory.max").read_text() == f"{LIMIT}\n"
    assert (folder / "memory.swap.max").read_text() == "0\n"
    assert (folder / "memory.oom.group").read_text() == "1\n"
    (folder / "memory.events").write_text("low 0\nhigh 0\nmax 12\noom 0\noom_kill 0\n")
    assert group.memory_at_kill() is None
    (folder / "memory.events").write_text("low 0\nhigh 0\nmax 12\noom 1\noom_kill 3\n")
    assert group.memory_at_kill() == LIMIT
    (folder / "memory.peak").write_text(f"{LIMIT + 4096}\n")
    assert group.memory_at_kill() == LIMIT + 4096
    group.end()


def test_no_limit_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a limit nothing is written, and no death is put down to memory."""
    folder = MadeOfFiles(monkeypatch, tmp_path).folder
    group = ControlGroup(folder, None)
    assert (folder / "memory.max").read_text() == ""
    (folder / "memory.events").write_text("oom_kill 1\n")
    assert group.memory_at_kill() is None
    group.end()


@pytest.mark.parametrize(
    ("own", "parents"),
    [
        ("/user.slice/session-1.scope", ["user.slice", "user.slice/session-1.scope"]),
        ("/user.slice/nnvet-17.1", ["user.slice/nnvet-17.1"]),
    ],
)
def test_where_groups_are_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, own: str, parents: list[str]) -> None:
    """Beside our own group, where memory can be limited; in it, if it is that of a service, which nobody may leave."""
    (tmp_path / "mounts").write_text(f"35 24 0:30 / {tmp_path} rw,nosuid shared:9 - cgroup2 cgroup2 rw\n")
    (tmp_path / "own").write_text(f"4:memory:/elsewhere\n0::{own}\n")
    monkeypatch.setattr(strays, "_MOUNTS", tmp_path / "mounts")
    monkeypatch.setattr(strays, "_OWN", tmp_path / "own")
    assert [str(path.relative_to(tmp_path)) for path in strays._list_parents()] == parents
