"""Descendants of a service end with it, with control groups and without."""

import os
import select
import signal
import subprocess
from pathlib import Path

import pytest

from nnvet.adapters.service import control_group
from nnvet.adapters.service.control_group import ControlGroup
from tests.adapters.conftest import PATIENCE_S, OpenDriver
from tests.adapters.misbehaving import orphan

LIMIT = 300 << 20


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
    made = control_group.make(None)
    if made is None:
        pytest.skip("this system lets us make no control groups (cgroup v2)")
    return made


@pytest.fixture
def without_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system without control groups."""
    monkeypatch.setattr(control_group, "_MOUNTS", Path("/nowhere"))


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


def test_an_ended_group_is_gone() -> None:
    """Its processes are known, and dead afterwards; its folder is removed."""
    group = own_group()
    with subprocess.Popen(["/bin/sleep", "1000"], start_new_session=True) as process:
        group.take(process.pid)
        assert group.members() == [process.pid]
        group.end()
        assert process.wait(PATIENCE_S) is not None
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
        made = control_group.make(None)
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
    assert group.taken() is None
    (folder / "memory.events").write_text("low 0\nhigh 0\nmax 12\noom 1\noom_kill 3\n")
    assert group.taken() == LIMIT
    (folder / "memory.peak").write_text(f"{LIMIT + 4096}\n")
    assert group.taken() == LIMIT + 4096
    group.end()


def test_no_limit_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a limit nothing is written, and no death is put down to memory."""
    folder = MadeOfFiles(monkeypatch, tmp_path).folder
    group = ControlGroup(folder, None)
    assert (folder / "memory.max").read_text() == ""
    (folder / "memory.events").write_text("oom_kill 1\n")
    assert group.taken() is None
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
    monkeypatch.setattr(control_group, "_MOUNTS", tmp_path / "mounts")
    monkeypatch.setattr(control_group, "_OWN", tmp_path / "own")
    assert [str(path.relative_to(tmp_path)) for path in control_group._parents()] == parents
