"""``nnvet export-driver``: drivers as a library of the NNAPI's C API, seen by a C program and by the suite."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nnvet.adapters import open_driver, prepare
from nnvet.adapters.drivers import Driver
from nnvet.adapters.nnapi.exported import building
from nnvet.adapters.nnapi.exported.building import ExportError, export_drivers
from nnvet.adapters.nnapi.header import make_header
from nnvet.commands.options import CommandError
from nnvet.commands.utilities import write_library
from nnvet.hal.enums import NO_DEADLINE
from nnvet.hal.types import ExecutionConfig, NumberOfCacheFiles
from tests.adapters.models import add_model, add_pool, add_request, result_of

COMPILER = os.environ.get("CC") or shutil.which("cc")
NATIVE = Path(__file__).parents[1] / "native"
PATIENCE_S = 60.0
LEAK_BYTES = 1 << 20
"""Bytes that a second round of the same work may leave: 40 models, and 800 executions with memory of their own."""
MISTAKES = (
    "null 3, scale 4, index 4, freed 4, device 4, unfinished 6, result 0, empty 4, closed 6, uncompiled 6, "
    "preference 4, priority 4, nobody 4, twice 6, short 4, unset 4"
)
"""Result codes: docs/contract/c-api.md 1.4, by the numbers of its 1.1."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled driver and a wrong one as a library, built once."""
    if COMPILER is None:
        pytest.skip("there is no compiler of C to build the library with")
    out = tmp_path_factory.mktemp("exported") / "libneuralnetworks.so"
    try:
        export_drivers(["reference", "reference:quant"], out)
    except ExportError as error:
        pytest.skip(f"the library cannot be built here: {error}")
    return out


@pytest.fixture(scope="module", params=["ndk", "sl"])
def driver(request: pytest.FixtureRequest, library: Path) -> Iterator[Driver]:
    """The library's first device, as either kind, in a process of its own."""
    with open_driver(f"{request.param}:{library}", timeout_s=PATIENCE_S) as opened:
        yield opened


def compiled(source: str, folder: Path, *options: str) -> Path:
    """A program of ``tests/native``."""
    (folder / "NeuralNetworks.h").write_text(make_header(), encoding="utf-8")
    program = folder / Path(source).stem
    flags = ["-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{folder}", "-o", str(program)]
    subprocess.run([str(COMPILER), *flags, str(NATIVE / source), *options], check=True)
    return program


def ran(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """A program that has ended, started without the paths of this interpreter."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S, env=clean)


def test_a_program_in_c_runs_on_it(library: Path, tmp_path: Path) -> None:
    """ADD and CONV_2D in every form of execution, and the result codes of mistakes; Python is started by the library.

    By hand: 1 + 3 and 2 + 4. The image 1 to 9, in rows of 3, under the filter [[1, 2], [3, 4]] with bias 0.5:
    1*1 + 2*2 + 3*4 + 4*5 + 0.5 = 37.5, and one step further right every product grows by its weight, together 10, one
    row down by 3 times that.
    """
    program = compiled("client.c", tmp_path, str(library), f"-Wl,-rpath,{library.parent}")
    ended = ran(program)
    assert ended.stdout.splitlines() == [
        "2 devices, nnvet-reference, level 1000008",
        "add: 4 6",
        "rank 1, dimension 2, again 6",
        "add by event: 4 6",
        "rank 1, dimension 2, again 6",
        "convolution: 37.5 47.5 67.5 77.5",
        "supported 1, measured 1",
        "convolution in a burst: 37.5 47.5 67.5 77.5",
        "convolution behind a fence: 37.5 47.5 67.5 77.5",
        MISTAKES,
        "done",
    ]
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_loader_calls_from_many_threads(library: Path, tmp_path: Path) -> None:
    """A program loads it by the one symbol of support libraries, for itself: all results are right, nothing leaks."""
    ended = ran(compiled("loader.c", tmp_path, "-ldl"), library)
    answer, leaked = ended.stdout.splitlines()
    assert (answer, ended.returncode, ended.stderr) == ("nnvet-reference: 0 wrong, 0 more descriptors", 0, "")
    assert int(leaked) < LEAK_BYTES


def test_the_device_is_the_driver(driver: Driver) -> None:
    """The library's answers are those of the driver itself."""
    device = driver.device
    with open_driver("reference") as opened:
        own = opened.device
        assert device.name == own.name
        assert device.get_version_string() == own.get_version_string()
        assert (device.get_type(), device.get_feature_level()) == (own.get_type(), own.get_feature_level())
        if driver.selector.kind.name == "sl":
            assert device.get_number_of_cache_files_needed() == own.get_number_of_cache_files_needed()
            assert device.get_capabilities() == own.get_capabilities()
            assert device.get_supported_extensions() == own.get_supported_extensions()
        else:
            assert device.get_number_of_cache_files_needed() == NumberOfCacheFiles()


def test_models_are_computed(driver: Driver) -> None:
    """1 + 3 and 2 + 4, in memory of the caller's."""
    assert driver.device.get_supported_operations(add_model()) == (True,)
    prepared = prepare(driver.device, add_model())
    with add_pool(1, 2, 3, 4) as pool:
        prepared.execute_synchronously(add_request(pool), ExecutionConfig(), NO_DEADLINE)
        assert result_of(pool) == (4.0, 6.0)


def test_every_driver_is_a_device(library: Path) -> None:
    """The second device supports codes of 8 bits alone."""
    with open_driver(f"ndk:{library}#nnvet-reference-quant", timeout_s=PATIENCE_S) as opened:
        assert opened.device.get_supported_operations(add_model()) == (False,)


def test_cases_of_the_suite_pass(library: Path, tmp_path: Path) -> None:
    """The round trip: the suite runs a sample of its cases on the library, and none fails."""
    only = [
        "GeneratedTest/sync/conv_2d_*",
        "GeneratedTest/*/if_*",
        "GeneratedTest/*/while_*",
        "MemoryDomain*Test/*",
        "BurstTest/*",
    ]
    command = [sys.executable, "-m", "nnvet.commands", "run", "-d", f"ndk:{library}", "--out", str(tmp_path / "out")]
    for glob in only:
        command += ["--only", glob]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_what_cannot_be_exported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A driver that is none, a machine without a compiler or with one that fails, a folder that is not there."""
    out = tmp_path / "library.so"
    with pytest.raises(CommandError, match="there is no kind 'nonsense'"):
        write_library(["nonsense"], out)
    with pytest.raises(ExportError, match="always in a process of its own"):
        export_drivers(["exec:true"], out)
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(CommandError, match="there is no C compiler"):
        write_library(["reference"], out)
    monkeypatch.setenv("CC", "false")
    with pytest.raises(ExportError, match=r"the compiler fails|no shared library|Python\.h"):
        export_drivers(["reference"], out)
    monkeypatch.setattr(building.sysconfig, "get_config_var", lambda _name: "")
    with pytest.raises(ExportError, match=r"no shared library of Python|Python\.h"):
        export_drivers(["reference"], out)


def test_a_library_goes_where_it_can_be_written(library: Path, tmp_path: Path) -> None:
    """The file that cannot be written is named."""
    del library
    with pytest.raises(ExportError, match=r"missing/library\.so cannot be written: No such file"):
        export_drivers(["reference"], tmp_path / "missing" / "library.so")
