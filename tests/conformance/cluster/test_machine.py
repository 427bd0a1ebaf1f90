"""Locks between processes: a measurement has its machine to itself, whichever comes first."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from nnvet.conformance.cluster import machine
from nnvet.conformance.cluster.machine import NotWantedError, lock_id, machine_shared, machine_to_itself

_MOMENT_S = 0.3


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Locks of a test's own: each opens the files anew, which is what tells holders apart."""
    monkeypatch.setattr(machine, "LOCKS", tmp_path)
    return tmp_path


class Holder:
    """Enters a block in a thread of its own, and stays until it is asked to leave."""

    def __init__(self, block: AbstractContextManager[None]) -> None:
        """Ask to enter."""
        self.inside, self._leave = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._hold, args=(block,), daemon=True)
        self._thread.start()

    def _hold(self, block: AbstractContextManager[None]) -> None:
        with block:
            self.inside.set()
            self._leave.wait()

    def leave(self) -> None:
        """Go, and be gone."""
        self._leave.set()
        self._thread.join()


@pytest.fixture
def holders() -> Iterator[list[Holder]]:
    """Those that leave at last."""
    made: list[Holder] = []
    yield made
    for holder in made:
        holder._leave.set()


def test_one_measurement_at_a_time(holders: list[Holder]) -> None:
    """The second enters as the first leaves."""
    holders += [first := Holder(machine_to_itself())]
    assert first.inside.wait(5.0)
    holders += [second := Holder(machine_to_itself())]
    assert not second.inside.wait(_MOMENT_S)
    first.leave()
    assert second.inside.wait(5.0)


def test_cases_run_side_by_side_and_measurements_wait_for_them(holders: list[Holder]) -> None:
    """A measurement that waits lets nobody else in, or it would wait for ever."""
    holders += [one := Holder(machine_shared()), two := Holder(machine_shared())]
    assert one.inside.wait(5.0)
    assert two.inside.wait(5.0)
    holders += [alone := Holder(machine_to_itself())]
    assert not alone.inside.wait(_MOMENT_S)
    holders += [late := Holder(machine_shared())]
    assert not late.inside.wait(_MOMENT_S)
    one.leave()
    two.leave()
    assert alone.inside.wait(5.0)
    assert not late.inside.wait(_MOMENT_S)
    alone.leave()
    assert late.inside.wait(5.0)


def test_who_is_not_wanted_any_more_stops_waiting(holders: list[Holder]) -> None:
    """A run that has ended leaves nobody at the door."""
    holders += [first := Holder(machine_to_itself())]
    assert first.inside.wait(5.0)
    with pytest.raises(NotWantedError), machine_shared(lambda: False):
        pass
    with pytest.raises(NotWantedError), machine_to_itself(lambda: False):
        pass


def test_a_machine_that_cannot_be_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases run there all the same; measurements do not, for who else runs there is not known."""
    monkeypatch.setattr(machine, "LOCKS", tmp_path / "none")
    with machine_shared():
        pass
    with pytest.raises(OSError, match="none"), machine_to_itself():
        pass
    with pytest.raises(OSError, match="none"):
        lock_id()


def test_a_link_in_place_of_a_lock_is_not_followed(locks: Path) -> None:
    """In a folder that all may write to, somebody may have put one there."""
    (locks / "nnvet-machine.lock").symlink_to(locks / "elsewhere")
    with pytest.raises(OSError, match=r"nnvet-machine\.lock"):
        lock_id()
    assert not (locks / "elsewhere").exists()


@pytest.mark.parametrize("name", ["nnvet-machine.lock", "nnvet-machine.door"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_file_is_no_lock(locks: Path, name: str, make: Callable[[Path], None]) -> None:
    """Nobody waits for a pipe that another user has put there: cases run, measurements say what is in the way."""
    make(locks / name)
    with machine_shared():
        pass
    with pytest.raises(OSError, match=f"it is no file.*{name}"), machine_to_itself():
        pass


def test_nobody_waits_without_end_or_word(
    holders: list[Holder], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Of a lock that another process never gives back, the holder is named; then cases run, measurements do not."""
    monkeypatch.setattr(machine, "SAID_AFTER_S", 0.0)
    monkeypatch.setattr(machine, "PATIENCE_S", 0.2)
    holders += [first := Holder(machine_to_itself())]
    assert first.inside.wait(5.0)
    with pytest.raises(OSError, match=rf"held for 0 s by process {os.getpid()} .*; end that"), machine_to_itself():
        pass
    with machine_shared():
        pass
    assert f"waiting for the machine's lock, which is held by process {os.getpid()} " in caplog.text
