"""Agent and ``nnvet-library`` for other processors: built with cross compilers, they run drivers under an emulator."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nnvet.conformance import check_driver
from nnvet.reports.events import Verdict
from tests.adapters.agents import ROOT, TOKEN, listening

CROSS = {"aarch64": "aarch64-linux-gnu-g++", "armv7": "arm-linux-gnueabihf-g++", "riscv64": "riscv64-linux-gnu-g++"}
EMULATOR = shutil.which("qemu-aarch64")
SYSTEMS = (Path("/usr/aarch64-linux-gnu"), Path("/usr/aarch64-linux-gnu/sys-root"))
"""Folders in which distributions put the libraries for that processor."""
EXAMPLE = ROOT / "docs" / "examples" / "cpp"
HEADER = ROOT / "docs" / "native" / "nnvet.h"
CASES = ("GeneratedTest/*/add_float_one*", "GeneratedTest/*/mul_float_one*", "FenceTest/S*")

pytestmark = pytest.mark.long


def crossed(source: Path, folder: Path, processor: str, *settings: str) -> None:
    """Build a project for a processor."""
    cmake = shutil.which("cmake")
    if cmake is None or shutil.which(CROSS[processor]) is None:
        pytest.skip(f"there is no cmake, or no {CROSS[processor]}")
    toolchain = (f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/agent/cross.cmake", f"-DPROCESSOR={processor}")
    subprocess.run([cmake, "-S", source, "-B", folder, *toolchain, *settings], check=True)
    subprocess.run([cmake, "--build", folder], check=True)


def built(folder: Path, processor: str) -> Path:
    """The agent for a processor, without need of any library there."""
    crossed(ROOT / "agent", folder, processor, "-DSTATIC=ON")
    return folder / "nnvet-agent"


@pytest.mark.parametrize(("processor", "machine"), [("armv7", 40), ("riscv64", 243)])
def test_the_agent_is_built_for(tmp_path: Path, processor: str, machine: int) -> None:
    """The program's header names the processor (elf(5), e_machine)."""
    header = built(tmp_path, processor).read_bytes()[:20]
    assert (header[:4], int.from_bytes(header[18:], "little")) == (b"\x7fELF", machine)


EMULATED = pytest.mark.skipif(
    EMULATOR is None or not HEADER.exists(), reason="there is no qemu-aarch64, or no generated header"
)


@EMULATED
def test_a_run_passes_on_aarch64(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Agent and example service under the emulator: models of its operations on all executors, and fences."""
    agent = built(tmp_path / "agent", "aarch64")
    make = ("make", "-C", str(EXAMPLE), f"CXX={CROSS['aarch64']}", "CXXFLAGS=-O1 -static", f"BUILD={tmp_path}/service")
    subprocess.run(make, check=True)
    monkeypatch.setenv("NNVET_TOKEN", TOKEN)
    service = (str(EMULATOR), str(tmp_path / "service" / "service"))
    with listening(tmp_path, service, program=(str(EMULATOR), str(agent))) as listener:
        results = check_driver(listener.selector, only=CASES, timeout_s=120.0).log.results
    assert len(results) >= 10
    assert {result.verdict for result in results.values()} == {Verdict.PASS}


@EMULATED
@pytest.mark.timeout(3600)  # three programs are compiled, which takes a quarter of an hour on a very busy machine
def test_a_library_is_served_on_aarch64(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example as a library of the NNAPI, made by ``nnvet new-driver``, behind ``nnvet-library`` and the agent.

    It computes floats by every executor, and with it come the C library and the loader of the other processor.
    """
    agent = built(tmp_path / "agent", "aarch64")
    crossed(ROOT / "agent" / "library", tmp_path / "program", "aarch64", f"-DPYTHON={sys.executable}")
    command = (sys.executable, "-m", "nnvet.commands", "new-driver", "my-board", "--kind", "ndk")
    subprocess.run(command, cwd=tmp_path, check=True)
    crossed(tmp_path / "my-board", tmp_path / "board", "aarch64")
    (library,) = (tmp_path / "board").glob("*.so")
    monkeypatch.setenv("NNVET_TOKEN", TOKEN)
    system = next((place for place in SYSTEMS if place.exists()), None)
    if system is None:
        pytest.skip("there is no C library for aarch64")
    service = (str(EMULATOR), "-L", str(system), str(tmp_path / "program" / "nnvet-library"), str(library))
    with listening(tmp_path, service, program=(str(EMULATOR), str(agent))) as listener:
        results = check_driver(listener.selector, only=CASES, timeout_s=120.0).log.results
    assert len(results) >= 10
    assert {result.verdict for result in results.values()} == {Verdict.PASS}
