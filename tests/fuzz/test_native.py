"""The example driver in C: its planted heap overflow is found, with the report of the sanitizer."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from nnvet.adapters import prepare
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.target import DriverChoice, open_target
from nnvet.generators.graphs.hal_model import build_model, close_pools
from nnvet.generators.graphs.hal_request import pack_request
from nnvet.generators.graphs.small_models import sum_of_two
from nnvet.hal.enums import NO_DEADLINE
from nnvet.hal.types import ExecutionConfig, ExecutionResult

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "native"
COMPILER = shutil.which("gcc")


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DriverChoice:
    """The example, built with AddressSanitizer, in a service whose runtime is loaded first."""
    if COMPILER is None:
        pytest.skip("there is no gcc to build the example with")
    library = tmp_path / "libsums.so"
    command = [COMPILER, "-g", "-O1", "-fPIC", "-shared", "-fsanitize=address", "-o", library, EXAMPLE / "sums.c"]
    subprocess.run(command, check=True)
    where = subprocess.run([COMPILER, "-print-file-name=libasan.so"], check=True, capture_output=True, text=True)
    monkeypatch.setenv("SUMS_LIBRARY", str(library))
    monkeypatch.setenv("LD_PRELOAD", os.path.realpath(where.stdout.strip()))
    monkeypatch.setenv("ASAN_OPTIONS", "detect_leaks=0")
    return DriverChoice(f"python:{EXAMPLE / 'native_driver.py'}:NativeDevice", in_process=False, timeout_s=30)


@pytest.mark.parametrize("count", [64, 65])
def test_the_overflow_is_found_with_its_report(driver: DriverChoice, count: int) -> None:
    """As many numbers as the scratch memory holds are added; one more is a finding of the sanitizer."""
    test = sum_of_two("sums", [1.0] * count, [2.0] * count, [3.0] * count)
    model, request = build_model(test), pack_request(test).request
    with open_target(driver) as target:
        prepared = prepare(target.device, model)

        def execute() -> object:
            return target.ask(lambda: prepared.execute_synchronously(request, ExecutionConfig(), NO_DEADLINE))

        if count == 64:
            assert isinstance(execute(), ExecutionResult)
        else:
            with pytest.raises(FuzzFinding) as caught:
                execute()
            assert caught.value.kind is FindingKind.SANITIZER
            assert "heap-buffer-overflow" in caught.value.evidence["report"]
            assert "sums_add" in caught.value.place
    close_pools(request)
