"""``nnvet-library``: the program with which an agent serves a library of the NNAPI where there is no Python."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nnvet.adapters import open_driver
from nnvet.adapters.nnapi.exported.building import ExportError, export_drivers
from nnvet.conformance import check_driver
from nnvet.hal.enums import DeviceType
from tests.adapters.agents import ROOT, TOKEN, listening

CASES = (
    "GeneratedTest/*/add_float_one*",
    "GeneratedTest/sync/while*",
    "GeneratedTest/sync/conv2d_quant8_layout_dilation_per_channel_nhwc*",
    "DynamicOutputShapeTest/*/add_float_one*",
    "FenceTest/S*",
    "BasicTest/*",
)

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, built as docs/remote.md says."""
    cmake = shutil.which("cmake")
    if cmake is None:
        pytest.skip("there is no cmake")
    folder = tmp_path_factory.mktemp("program")
    subprocess.run([cmake, "-S", ROOT / "agent" / "library", "-B", folder, f"-DPYTHON={sys.executable}"], check=True)
    subprocess.run([cmake, "--build", folder], check=True)
    return folder / "nnvet-library"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled driver as a library with one device."""
    out = tmp_path_factory.mktemp("exported") / "libneuralnetworks.so"
    try:
        export_drivers(["reference"], out)
    except ExportError as error:
        pytest.skip(f"the library cannot be built here: {error}")
    return out


def verdicts(selector: str) -> dict[str, str]:
    """The verdicts of the cases on a driver."""
    results = check_driver(selector, only=CASES, timeout_s=120.0).log.results
    return {case: str(result.verdict) for case, result in results.items()}


def test_verdicts_are_those_of_the_adapter(
    tmp_path: Path, program: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Executors, control flow, channel scales, shapes that only an execution tells, and fences, over a link."""
    monkeypatch.setenv("NNVET_TOKEN", TOKEN)
    here = verdicts(f"ndk:{library}")
    with listening(tmp_path, (str(program), str(library))) as agent:
        there = verdicts(agent.selector)
    assert there == here
    assert list(here.values()).count("PASS") >= 20


def test_facts_are_those_of_the_library(program: Path, library: Path) -> None:
    """Name, type and level, as the adapter reads them."""
    facts = []
    for selector in (f"ndk:{library}", f"exec:{program} {library}"):
        with open_driver(selector, timeout_s=60.0) as driver:
            device = driver.device
            facts.append((device.name, device.get_version_string(), device.get_type(), device.get_feature_level()))
    assert facts[0] == facts[1]
    assert facts[0][2] in DeviceType


@pytest.mark.parametrize(("library_of", "said"), [("missing.so", "missing.so"), ("{}#nobody", "no device 'nobody'")])
def test_what_cannot_be_served_is_named(program: Path, library: Path, library_of: str, said: str) -> None:
    """A library or device that is not there: an error that says so, and no driver."""
    ended = subprocess.run(
        [program, library_of.format(library)], env={"NNVET_SOCKET_FD": "0"}, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, said in ended.stderr) == (2, True), ended.stderr
