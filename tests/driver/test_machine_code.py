"""Machine code that is made when a service starts: once on a machine, and only where it can be kept."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from nnvet.adapters import open_driver
from nnvet.adapters.service import main
from nnvet.reference_driver.device import ReferenceDevice
from nnvet.reference_driver.fused import program, stamp

pytest.importorskip("numba")

DRIVER = """
from nnvet.driver_kit.base_device import BaseDevice

class Late(BaseDevice):
    version = "not ready"

    def get_ready(self):
        self.version = "ready"
"""


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of the machine code, and places for notes of it, in which nothing is yet."""
    monkeypatch.setattr(stamp, "_places", lambda: iter([Path("/proc/nowhere/note"), tmp_path / "notes" / "note"]))
    monkeypatch.setattr(stamp, "_LOCKED", tmp_path)
    return tmp_path


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, cache: Path) -> list[str]:
    """A note for each time that the machine code was made; numba is not asked."""
    times: list[str] = []
    machine = SimpleNamespace(run=SimpleNamespace(stats=SimpleNamespace(cache_path=str(cache))))
    monkeypatch.setitem(sys.modules, program._MACHINE, machine)  # type: ignore[arg-type]

    def load() -> Callable[[], None]:
        times.append("made")
        (cache / "machine.run-1.py311.nbi").touch()
        return lambda: None

    monkeypatch.setattr(program, "load", load)
    return times


def test_it_is_made_once(made: list[str]) -> None:
    """The second start finds the note, and imports nothing."""
    program.make_ready()
    sys.modules[program._MACHINE] = None  # type: ignore[assignment]
    program.make_ready()
    assert made == ["made"]


def test_it_is_made_again_when_it_was_removed(made: list[str], cache: Path) -> None:
    """A note alone is not enough."""
    program.make_ready()
    for path in cache.glob("*.nbi"):
        path.unlink()
    program.make_ready()
    assert made == ["made", "made"]


@pytest.mark.parametrize("changed", ["checksum", "version", "python_version"])
def test_it_is_made_again_for_other_files_or_versions(
    monkeypatch: pytest.MonkeyPatch, made: list[str], changed: str
) -> None:
    """Numba would not take what there is."""
    program.make_ready()
    monkeypatch.setattr(stamp, changed, lambda *_: "another")
    program.make_ready()
    assert made == ["made", "made"]


def test_it_is_not_made_where_it_cannot_be_kept(monkeypatch: pytest.MonkeyPatch, made: list[str]) -> None:
    """Each start would take seconds."""
    machine = SimpleNamespace(run=SimpleNamespace(stats=SimpleNamespace(cache_path=None)))
    monkeypatch.setitem(sys.modules, program._MACHINE, machine)  # type: ignore[arg-type]
    program.make_ready()
    assert made == []


def test_it_is_made_by_one_of_several(made: list[str]) -> None:
    """A driver that starts meanwhile does not wait for it."""
    with stamp.lock_compilation() as is_ours:
        assert is_ours
        program.make_ready()
    assert made == []
    program.make_ready()
    assert made == ["made"]


def test_without_numba_nothing_is_done(monkeypatch: pytest.MonkeyPatch, made: list[str]) -> None:
    """Drivers without the extra start as before."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    program.make_ready()
    assert made == []


@pytest.mark.parametrize("failing", ["checksum", "_LOCKED"])
def test_files_that_cannot_be_read_keep_no_driver_from_starting(
    monkeypatch: pytest.MonkeyPatch, made: list[str], failing: str
) -> None:
    """The driver works without machine code, and makes it at the next start."""

    def unreadable() -> int:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(stamp, failing, Path("/proc/nowhere") if failing == "_LOCKED" else unreadable)
        program.make_ready()
    made.clear()
    program.make_ready()
    assert made == ["made"]


def test_what_cannot_be_noted_harms_nobody(monkeypatch: pytest.MonkeyPatch, made: list[str]) -> None:
    """It is looked for again at the next start."""
    monkeypatch.setattr(stamp, "_places", lambda: iter([Path("/proc/nowhere/note")]))
    program.make_ready()
    program.make_ready()
    assert made == ["made", "made"]


def test_the_bundled_driver_gets_ready_in_its_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not where a device is merely made."""
    calls: list[str] = []
    monkeypatch.setattr(ReferenceDevice, "get_ready", lambda _: calls.append("ready"))
    device = main._create_ready_device("reference")
    assert isinstance(device, ReferenceDevice)
    assert calls == ["ready"]


def test_a_driver_is_ready_before_the_first_call(tmp_path: Path) -> None:
    """As part of its start."""
    path = tmp_path / "late.py"
    path.write_text(DRIVER)
    with open_driver(f"python:{path}:Late") as driver:
        assert driver.device.get_version_string() == "ready"
