"""Exported libraries with several devices, used by a C program: discovery, division of models, caches, fallback."""

from pathlib import Path

import pytest

from nnvet.adapters.nnapi.exported.building import ExportError, export_drivers
from nnvet.adapters.nnapi.exported.finishing import CPU_VARIABLE, PARTITION_VARIABLE, STRICT_VARIABLE
from nnvet.driver_kit.blob_cache import STATE_VARIABLE
from tests.adapters.test_exported import COMPILER, compiled, ran

DRIVERS = Path(__file__).parents[1] / "drivers" / "dividing_drivers.py"
OP_FAILED, BAD_DATA = 5, 4
RESULTS = "-1 -2, -1 -2, -1 -2, -1 -2"
"""By hand: -(1 + 3) + 3 and -(2 + 4) + 4, synchronously, in a burst, launched, and launched behind nothing."""


def exported(folder: Path, *selectors: str) -> Path:
    """A library of these drivers."""
    if COMPILER is None:
        pytest.skip("there is no compiler of C to build the library with")
    out = folder / "libneuralnetworks.so"
    try:
        export_drivers(selectors, out)
    except ExportError as error:
        pytest.skip(f"the library cannot be built here: {error}")
    return out


def lines(library: Path, folder: Path) -> list[str]:
    """The lines that the program prints when it runs on a library."""
    program = folder / "divided"
    if not program.exists():
        compiled("divided.c", folder, str(library), f"-Wl,-rpath,{library.parent}")
    return ran(program, folder).stdout.splitlines()


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))


def test_a_program_in_c_runs_on_two_devices(tmp_path: Path) -> None:
    """One device adds and one does all else; a model is divided whether they are named or not, and cached."""
    library = exported(tmp_path, "reference:minimal", f"python:{DRIVERS}:NeverAdding")
    assert lines(library, tmp_path) == [
        "device nnvet-reference-minimal",
        "it supports 0 1 1",
        "device never-adding",
        "it supports 1 0 0",
        "all supports 1 1 1",
        f"the first: finish returns {BAD_DATA}",
        f"named: {RESULTS}",
        f"from the cache: {RESULTS}",
        f"chosen: {RESULTS}",
        "in memory: -1 -2",
        "done",
    ]
    # One file of the joint device, for both compilations.
    assert len([path for path in tmp_path.iterdir() if len(path.name) == 65]) == 1


@pytest.mark.parametrize("failing", ["NeverExecuting", pytest.param("NeverPreparing", marks=pytest.mark.long)])
def test_the_switches_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    """As CTS's FailingDriverTest: another device takes over, unless the client or the environment will not have it."""
    library = exported(tmp_path, f"python:{DRIVERS}:{failing}", "reference")
    for mode in ("0", "1", "2"):
        monkeypatch.setenv(PARTITION_VARIABLE, mode)
        named, *_, chosen, last = lines(library, tmp_path)[6:]
        assert named.endswith(f"returns {OP_FAILED}"), mode
        assert last == "done"
        assert (chosen == "in memory: -1 -2") == (mode != "2"), chosen
        assert chosen.endswith(f"returns {OP_FAILED}") == (mode == "2"), chosen
    monkeypatch.setenv(CPU_VARIABLE, "1")
    assert lines(library, tmp_path) == [
        "device nnvet-reference",
        "it supports 1 1 1",
        f"chosen: {RESULTS}",
        "in memory: -1 -2",
        "done",
    ]


@pytest.mark.long
def test_strict_slicing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that does not say what it supports is not used, or an error, as the environment will have it."""
    library = exported(tmp_path, f"python:{DRIVERS}:NeverAnswering", "reference")
    assert f"chosen: {RESULTS}" in lines(library, tmp_path)
    monkeypatch.setenv(STRICT_VARIABLE, "1")
    refused = lines(library, tmp_path)
    assert refused[-1].endswith(f"getSupportedOperationsForDevices(model, devices, count, answers) returns {OP_FAILED}")
