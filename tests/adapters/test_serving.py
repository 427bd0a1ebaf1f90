"""``nnvet serve``: who may connect, what is left behind, and what happens when the system lacks resources."""

import errno
import os
import socket
import stat
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from nnvet.adapters import SelectorError, open_driver
from nnvet.adapters.service import main as server
from nnvet.conformance.engine.runner import results_in
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.transport.wire.server import Load, ServiceLimits
from tests.adapters.conftest import serving

MODES = {"by default": ((), 0o000, 0o600), "with a narrow mask": (("--any-user",), 0o077, 0o666)}


@pytest.mark.parametrize(("options", "umask", "mode"), MODES.values(), ids=MODES.keys())
def test_who_may_connect_does_not_depend_on_the_mask(
    tmp_path: Path, options: tuple[str, ...], umask: int, mode: int
) -> None:
    """The socket is for its owner alone, or for everybody if that is wanted, whatever the mask of the shell."""
    path = tmp_path / "driver.socket"
    with serving(path, "WellBehaved", options=options, umask=umask):
        assert stat.S_IMODE(path.stat().st_mode) == mode
        with open_driver(f"unix:{path}") as driver:
            assert driver.device.name == "well-behaved"


def test_the_socket_is_private_before_it_can_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no moment at which another user could connect: the file has its mode when it appears."""
    seen = []
    chmod = Path.chmod

    def watching(path: Path, mode: int) -> None:
        seen.append(stat.S_IMODE(path.stat().st_mode))
        chmod(path, mode)

    monkeypatch.setattr(Path, "chmod", watching)
    before = os.umask(0)
    try:
        with server._listening(tmp_path / "driver.socket", 0o666):
            pass
    finally:
        os.umask(before)
    assert seen == [0o600]


def test_other_users_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection of another user gets an answer that says so; one's own and those of root are taken."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert server.refused_user(ours) is None
        monkeypatch.setattr(server.os, "geteuid", lambda: 12345)
        monkeypatch.setattr(server, "_ROOT", os.getuid())
        assert server.refused_user(ours) is None
        monkeypatch.setattr(server, "_ROOT", 54321)
        refusal = server.refused_user(ours)
    assert refusal is not None
    assert (refusal.rule, f"user {os.getuid()} may not" in refusal.message) == ("wire/access", True)


def serve_in_background(path: Path, load: Load | None = None) -> threading.Thread:
    """A service on a thread of this process, which ends when accepting fails for good."""
    ready = threading.Event()

    def run() -> None:
        with suppress(OSError):
            server.serve(BaseDevice(), path, ready.set, load=load)

    thread = threading.Thread(target=run)
    thread.start()
    ready.wait()
    return thread


class Accepting(socket.socket):
    """A listener to which what is in ``errors`` happens before each client."""

    errors: list[int]

    def accept(self) -> tuple[socket.socket, object]:
        """The next error, or client."""
        if self.errors:
            number = self.errors.pop()
            raise OSError(number, os.strerror(number))
        return super().accept()


@pytest.fixture
def accepting(monkeypatch: pytest.MonkeyPatch) -> type[Accepting]:
    """The class of listeners of services."""
    made: type[Accepting] = type("Made", (Accepting,), {"errors": []})
    monkeypatch.setattr(server.socket, "socket", made)
    monkeypatch.setattr(time, "sleep", lambda _: None)
    return made


def test_a_service_without_resources_goes_on(tmp_path: Path, accepting: type[Accepting]) -> None:
    """No descriptors, no memory, a client that has gone before it was accepted: the next one is served."""
    path = tmp_path / "driver.socket"
    thread = serve_in_background(path)
    accepting.errors += [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ECONNABORTED]
    for _ in range(2):
        with open_driver(f"unix:{path}") as driver:
            assert driver.device.name == "base"
    accepting.errors.append(errno.EBADF)
    with socket.socket(socket.AF_UNIX) as last:
        last.connect(str(path))
        thread.join()


def test_a_service_without_threads_goes_on(
    tmp_path: Path, accepting: type[Accepting], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client for whom there is no thread is hung up on, and the next one is served."""
    path = tmp_path / "driver.socket"
    thread = serve_in_background(path)

    def no_thread(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", no_thread)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
            assert client.recv(1) == b""
    with open_driver(f"unix:{path}") as driver:
        assert driver.device.name == "base"
    accepting.errors.append(errno.EBADF)
    with socket.socket(socket.AF_UNIX) as last:
        last.connect(str(path))
        thread.join()


def test_too_many_clients(tmp_path: Path, accepting: type[Accepting]) -> None:
    """A client too many is refused as by a driver that cannot be reached; when another has gone it is served."""
    path = tmp_path / "driver.socket"
    load = Load(ServiceLimits(clients=1))
    thread = serve_in_background(path, load)
    with open_driver(f"unix:{path}"), pytest.raises(SelectorError, match="1 clients"), open_driver(f"unix:{path}"):
        pass
    accepting.errors.append(errno.EBADF)
    with socket.socket(socket.AF_UNIX) as last:
        last.connect(str(path))
        thread.join()


def test_only_its_own_socket_is_removed(tmp_path: Path) -> None:
    """A service that ends leaves alone what has come to lie at its path meanwhile."""
    path = tmp_path / "driver.socket"
    with serving(path, "WellBehaved"):
        path.unlink()
        path.write_text("somebody else's")
    assert path.read_text() == "somebody else's"


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    """A path that leads nowhere is the user's error."""
    with pytest.raises(SelectorError, match="cannot serve on"):
        server.serve(BaseDevice(), tmp_path / "nowhere" / "driver.socket")


def test_a_folder_that_a_run_has_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service does not wait for the end of a run that writes its results beside the socket."""
    monkeypatch.setattr(server, "_PATIENCE_S", 0.01)
    path = tmp_path / "driver.sock"
    with results_in(tmp_path), pytest.raises(SelectorError, match=r"in use by another process; choose another path"):
        server.serve(BaseDevice(), path)
    assert not path.exists()
