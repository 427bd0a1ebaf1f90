"""Executions and checks in memory of every type: what a driver is given, and the verdicts on unusual drivers."""

import mmap
import re
from collections import Counter
from pathlib import Path

import pytest

from nnvet.adapters import create_device
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import checks
from nnvet.conformance.kit.executing import Executor, MemoryType, OutputType, TestConfig, arguments_for
from nnvet.conformance.kit.outcome import CaseFailed, Finished
from nnvet.graphs.builder import sum_of_two
from nnvet.graphs.hal_model import build_model
from nnvet.hal.types import (
    Ashmem,
    BufferToken,
    DataLocation,
    ExecutionConfig,
    HardwareBuffer,
    MappableFile,
    PrepareModelConfig,
)
from nnvet.reference_driver import create
from nnvet.reference_driver.device import ReferenceDevice
from nnvet.reports.events import Verdict

DRIVERS = Path(__file__).parents[1] / "drivers" / "lawful.py"
SPECS = Path(__file__).parent.parent / "zoo" / "specs"
PASSED, FAILED, UNSUPPORTED = Verdict.PASS, Verdict.FAIL, Verdict.UNSUPPORTED
PREPARE = PrepareModelConfig()
PLAIN = ExecutionConfig()

TEST = sum_of_two("sum", [1, 2, 3], [10, 20, 30], [11, 22, 33])
"""By hand."""


@pytest.mark.parametrize(
    ("config", "name", "level"),
    [
        (TestConfig(Executor.SYNC), "sync", 3),
        (TestConfig(Executor.ASYNC, memory=MemoryType.MMAP_FD), "async_mmap_fd", 1),
        (TestConfig(Executor.ASYNC, memory=MemoryType.BLOB_AHWB), "async_blob_ahwb", 3),
        (TestConfig(Executor.BURST, memory=MemoryType.DEVICE), "burst_device", 4),
        (
            TestConfig(Executor.SYNC, OutputType.INSUFFICIENT, measure=True, padded=True),
            "sync_insufficient_measured_padded",
            5,
        ),
        (TestConfig(Executor.REUSABLE, memory=MemoryType.DEVICE), "reusable_device", 8),
    ],
)
def test_names_and_levels(config: TestConfig, name: str, level: int) -> None:
    """A configuration is named after its parts, and needs the highest of their levels."""
    assert (config.name, config.level[0]) == (name, level)


@pytest.mark.parametrize("kind", [Ashmem, MappableFile, HardwareBuffer])
def test_shared_memory(kind: type) -> None:
    """Inputs and outputs lie in memory of the type, files at an offset, and outputs are read from there."""
    types = {Ashmem: MemoryType.ASHMEM, MappableFile: MemoryType.MMAP_FD, HardwareBuffer: MemoryType.BLOB_AHWB}
    device = create()
    prepared = device.compile(build_model(TEST), PREPARE)
    with arguments_for(TEST, TestConfig(Executor.SYNC, memory=types[kind]), device, prepared) as arguments:
        source, output = arguments.request.pools
        assert type(source) is type(output) is kind
        if isinstance(source, MappableFile) and isinstance(output, MappableFile):
            assert (source.prot, output.prot) == (mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE)
            assert source.offset == output.offset == mmap.PAGESIZE
        prepared.execute_synchronously(arguments.request, PLAIN, -1)
        assert [output.tolist() for output in arguments.output_arrays(TEST.main.outputs)] == [[11, 22, 33]]


def test_padded_arguments() -> None:
    """Arguments of 12 bytes begin at multiples of 64 and are followed by 52 bytes of padding.

    Source: docs/contract/vts-tests.md 7.4.
    """
    device = create()
    prepared = device.compile(build_model(TEST), PREPARE)
    with arguments_for(TEST, TestConfig(Executor.SYNC, padded=True), device, prepared) as arguments:
        request = arguments.request
        assert [argument.location for argument in (*request.inputs, *request.outputs)] == [
            DataLocation(0, 0, 12, 52),
            DataLocation(0, 64, 12, 52),
            DataLocation(1, 0, 12, 52),
        ]


def device_arguments(driver: str) -> list[int]:
    """Execute in device memory, as far as there is some; pools of the inputs and of the output."""
    device = create_device(f"python:{DRIVERS}:{driver}") if driver else create()
    assert isinstance(device, ReferenceDevice)
    prepared = device.compile(build_model(TEST), PREPARE)
    with arguments_for(TEST, TestConfig(Executor.SYNC, memory=MemoryType.DEVICE), device, prepared) as arguments:
        request = arguments.request
        prepared.execute_synchronously(request, PLAIN, -1)
        assert [output.tolist() for output in arguments.output_arrays(TEST.main.outputs)] == [[11, 22, 33]]
        tokens = [pool.token for pool in request.pools if isinstance(pool, BufferToken)]
        assert len(set(tokens)) == len(tokens) == len(request.pools) - 2
        return [argument.location.pool_index for argument in (*request.inputs, *request.outputs)]


def test_device_arguments() -> None:
    """Each argument has device memory of its own, behind the shared pools; what has none stays there."""
    assert device_arguments("") == [2, 3, 4]
    assert device_arguments("inputs_only") == [2, 3, 1]
    with pytest.raises(CaseFailed) as ended:
        device_arguments("no_device_memory")
    assert ended.value.outcome.verdict is UNSUPPORTED


def verdicts(driver: str, *globs: str) -> dict[str, Counter[tuple[Verdict, str]]]:
    """Return the number of ends of each check by verdict and rule."""
    cases = list(Catalogue([SPECS], with_checks=True).cases(Selection(globs, full=True)))
    counts: dict[str, Counter[tuple[Verdict, str]]] = {}
    for event in run_cases(cases, Target(f"python:{DRIVERS}:{driver}", in_process=True)):
        if isinstance(event, Finished):
            rule = event.outcome.rule if event.outcome.verdict is FAILED else ""
            counts.setdefault(event.case.rpartition("/")[0], Counter())[event.outcome.verdict, rule] += 1
    return counts


def test_a_driver_without_device_memory() -> None:
    """Refusing all allocations proves nothing: only what needs no device memory is judged.

    Source: docs/contract/vts-tests.md 6.1 and 6.2.
    """
    found = verdicts("no_device_memory", "MemoryDomain*")
    assert len(found) > 40
    apply = re.compile(r".*_(mmap_fd|blob_ahwb)")
    for check, counts in found.items():
        assert {verdict for verdict, _ in counts} == {PASSED if apply.fullmatch(check) else UNSUPPORTED}, check


def test_a_driver_like_the_sample_drivers() -> None:
    """Without device memory of unknown shape, the checks of such memory do not apply; all others are passed."""
    found = verdicts("known_shapes", "MemoryDomainCopyTest/*", "MemoryDomainExecutionTest/*_sync")
    left_out = {check.partition("/")[2] for check, counts in found.items() if {v for v, _ in counts} == {UNSUPPORTED}}
    assert left_out == {
        "CopyFrom_InvalidMemorySize_DynamicShape",
        "CopyFrom_InvalidDimensions_DynamicShape",
        "CopyTo_InvalidMemorySize_DynamicShape",
        "ShapeOfLastExecution",
    }
    assert {v for check, counts in found.items() if check.partition("/")[2] not in left_out for v, _ in counts} == {
        PASSED
    }


def test_all_of_vts_is_there() -> None:
    """Every test of docs/contract/vts-tests.md 6.2 to 6.4 has a check of its name, and each runs for all four types."""
    wanted = {
        "MemoryDomainAllocateTest": """
            EmptyRole NullptrPreparedModel InvalidPreparedModel InvalidModelIndex InvalidIOIndex InvalidProbability
            SameRoleSpecifiedTwice ConflictOperandType ConflictScale ConflictZeroPoint ConflictRankBetweenRoles
            ConflictDimensionsBetweenRoles ConflictRankBetweenRoleAndDesc ConflictDimensionsBetweenRoleAndDesc
            ConflictRankWithScalarRole""",
        "MemoryDomainCopyTest": """
            CopyFrom_InvalidMemorySize CopyFrom_InvalidMemorySize_DynamicShape CopyFrom_InvalidDimensions
            CopyFrom_InvalidDimensions_DynamicShape CopyTo_UninitializedMemory CopyTo_InvalidMemorySize
            CopyTo_InvalidMemorySize_DynamicShape""",
        "MemoryDomainExecutionTest": """
            InvalidToken InvalidPreparedModel InvalidIOIndex InvalidIOType UninitializedMemory
            SameRequestMultipleRoles InvalidDimensions""",
    }
    known = {(check.suite, check.name): list(check.cases()) for check in checks().values()}
    executors = {"MemoryDomainExecutionTest": len(Executor)}
    quantised_only, not_fenced = ("ConflictScale", "ConflictZeroPoint"), ("InvalidDimensions",)
    for suite, names in wanted.items():
        for name in names.split():
            types = 2 if name in quantised_only else 4
            configs = executors.get(suite, 1) - (name in not_fenced)
            assert len(known[suite, name]) == types * configs, name
