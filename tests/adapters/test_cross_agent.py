"""The agent for other processors: it is built with cross compilers, and runs under an emulator beside the example."""

import shutil
import subprocess
from pathlib import Path

import pytest

from nnvet.conformance import check_driver
from nnvet.reports.events import Verdict
from tests.adapters.agents import ROOT, TOKEN, listening

CROSS = {"aarch64": "aarch64-linux-gnu-g++", "armv7": "arm-linux-gnueabihf-g++", "riscv64": "riscv64-linux-gnu-g++"}
EMULATOR = shutil.which("qemu-aarch64")
EXAMPLE = ROOT / "docs" / "examples" / "cpp"
HEADER = ROOT / "docs" / "native" / "nnvet.h"
CASES = ("GeneratedTest/*/add_float_one*", "GeneratedTest/*/mul_float_one*", "FenceTest/S*")

pytestmark = pytest.mark.long


def built(folder: Path, processor: str) -> Path:
    """The agent for a processor, without need of any library there."""
    cmake = shutil.which("cmake")
    if cmake is None or shutil.which(CROSS[processor]) is None:
        pytest.skip(f"there is no cmake, or no {CROSS[processor]}")
    toolchain = (f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/agent/cross.cmake", f"-DPROCESSOR={processor}", "-DSTATIC=ON")
    subprocess.run([cmake, "-S", ROOT / "agent", "-B", folder, *toolchain], check=True)
    subprocess.run([cmake, "--build", folder], check=True)
    return folder / "nnvet-agent"


@pytest.mark.parametrize(("processor", "machine"), [("armv7", 40), ("riscv64", 243)])
def test_the_agent_is_built_for(tmp_path: Path, processor: str, machine: int) -> None:
    """The program's header names the processor (elf(5), e_machine)."""
    header = built(tmp_path, processor).read_bytes()[:20]
    assert (header[:4], int.from_bytes(header[18:], "little")) == (b"\x7fELF", machine)


@pytest.mark.skipif(EMULATOR is None or not HEADER.exists(), reason="there is no qemu-aarch64, or no generated header")
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
