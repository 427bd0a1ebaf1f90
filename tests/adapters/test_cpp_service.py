"""The example service in C++ is built as its page says, and passes the suite."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from nnvet.adapters import open_driver, prepare
from nnvet.conformance import check_driver
from nnvet.hal.enums import NO_DEADLINE, DeviceType, ErrorStatus, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.fences import create_fence
from nnvet.hal.types import ExecutionConfig, Model
from nnvet.reports.events import Verdict
from tests.adapters.models import add_model, add_pool, add_request

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "cpp"
SPECS = ROOT / "conformance" / "specs"
COMPILER = os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, built once and not optimised."""
    make = shutil.which("make")
    if COMPILER is None or make is None:
        pytest.skip("there is no make or no compiler of C++ to build the service with")
    folder = tmp_path_factory.mktemp("service")
    settings = [f"BUILD={folder}", f"CXX={COMPILER}", "CXXFLAGS=-O0", f"PYTHON={sys.executable}"]
    subprocess.run([make, "-C", str(EXAMPLE), *settings], check=True, stdout=subprocess.DEVNULL)
    return folder / "service"


def check_found(service: Path, only: Sequence[str], specs: Sequence[Path] = ()) -> None:
    """Cases pass, and those that do not are of operations, types or features that the service does not claim."""
    results = check_driver(f"exec:{service}", only=only, specs=specs, checks=not specs).log.results
    found = Counter(result.verdict for result in results.values())
    assert found[Verdict.PASS] > 0
    assert set(found) <= {Verdict.PASS, Verdict.UNSUPPORTED}, found


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "only",
    [
        ("BasicTest/*", "WireTest/*"),
        ("TestTrivialModel/*", "FenceTest/[SICE]*", "MemoryTypeTest/Pools/*", "MemoryTypeTest/OpaqueHardwareBuffer/*"),
        ("OperationValidationTest/Types/MUL_*", "OperationValidationTest/Ranks/RELU", "TestOperandExtraParams/*"),
    ],
    ids=["protocol", "executing", "validating"],
)
def test_the_checks_find_nothing(service: Path, only: tuple[str, ...]) -> None:
    """Neither in its protocol, nor in what it computes, nor in what it says of wrong models."""
    check_found(service, only)


@pytest.mark.parametrize(
    ("spec", "only"),
    [
        ("V1_0/add_float.mod.py", ("GeneratedTest/sync/*", "GeneratedTest/async/*")),
        ("V1_3/add_invalid.mod.py", ("GeneratedValidationTest/*",)),
    ],
)
def test_the_specs_find_nothing(service: Path, spec: str, only: tuple[str, ...]) -> None:
    """ADD of floats, and models of ADD that have to fail."""
    check_found(service, only, [SPECS / spec])


def test_an_input_of_unknown_rank_may_fit(service: Path) -> None:
    """A CAST of it to declared dimensions is valid, if not supported."""
    only, specs = ["GeneratedTest/sync/ranks_unknown_cast_of_unknown_rank"], [SPECS / "V1_2" / "ranks_unknown.mod.py"]
    (result,) = check_driver(f"exec:{service}", only=only, specs=specs, checks=False).log.results.values()
    assert (result.verdict, result.rule) == (Verdict.UNSUPPORTED, "driver/operation.supported")


@pytest.mark.parametrize("operation", [OperationType.LOGISTIC, OperationType.CONV_2D, OperationType.IF, 200])
def test_models_of_what_is_not_computed_are_validated(service: Path, operation: int) -> None:
    """The operands of an ADD suit a DIV, which is no error; other operations take others, and 200 is none."""
    with open_driver(f"exec:{service}") as driver:
        assert driver.device.get_supported_operations(model_of(OperationType.DIV)) == (False,)
        with pytest.raises(HalError) as refused:
            driver.device.get_supported_operations(model_of(operation))
    assert refused.value.status is ErrorStatus.INVALID_ARGUMENT


def test_a_client_may_forget_a_fence(service: Path) -> None:
    """A fence that nobody waits for is signalled into the void: no SIGPIPE ends the service.

    The signal follows what the callback says, so that it can come after the next call, but hardly each time.
    """
    with open_driver(f"exec:{service}") as driver, add_pool(1, 2, 3, 4) as pool:
        prepared = prepare(driver.device, add_model())
        for _ in range(10):
            fence, source = create_fence()
            running = prepared.execute_fenced(add_request(pool), (fence,), ExecutionConfig(), NO_DEADLINE, NO_DEADLINE)
            assert running.sync_fence is not None
            running.sync_fence.close()
            source.signal()
            while running.callback.get_execution_info()[0] is ErrorStatus.GENERAL_FAILURE:
                pass
        assert driver.device.get_type() is DeviceType.CPU


def model_of(operation: int) -> Model:
    """The model of one ADD with another operation in its place."""
    model = add_model()
    (add,) = model.main.operations
    return replace(model, main=replace(model.main, operations=(replace(add, type=operation),)))
