"""The kinds ``ndk`` and ``sl`` on the native test library: executors, inexpressible requests, planted faults."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from nnvet.adapters import INEXPRESSIBLE, SelectorError, create_device, execute, open_driver, prepare
from nnvet.adapters.drivers import Driver
from nnvet.adapters.nnapi import declarations
from nnvet.adapters.nnapi.declarations import STATUSES, ResultCode, feature_level
from nnvet.adapters.nnapi.header import make_header
from nnvet.adapters.nnapi.library import parse_declarations
from nnvet.conformance import check_driver
from nnvet.hal.enums import NO_DEADLINE, NO_TIMING, ErrorStatus, FeatureLevel, FenceState
from nnvet.hal.errors import HalError
from nnvet.hal.fences import create_fence, wait_for_fence
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import create_ashmem, mapped
from nnvet.hal.types import (
    BufferDesc,
    BufferRole,
    BufferToken,
    DataLocation,
    ExecutionConfig,
    ExecutionResult,
    Handle,
    HardwareBuffer,
    MappableFile,
    NumberOfCacheFiles,
    OutputShape,
    PerformanceInfo,
    PrepareModelConfig,
    Request,
    RequestArgument,
)
from nnvet.reports.events import Verdict
from nnvet.transport.wire.failures import DriverBloat, DriverCrash, DriverHang
from tests.adapters.models import PAIR_BYTES, add_model, add_pool, add_request, result_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "contract" / "c-api.md").read_text(encoding="utf-8")
MEASURED = ExecutionConfig(measure_timing=True)
PATIENCE_S = 60.0


@pytest.fixture(scope="module", params=["ndk", "sl"])
def driver(request: pytest.FixtureRequest, library: Path) -> Iterator[Driver]:
    """The library's right device, as either kind, in a process of its own."""
    with open_driver(f"{request.param}:{library}", timeout_s=PATIENCE_S) as opened:
        yield opened


@contextmanager
def faulty(library: Path, fault: str, *, timeout_s: float = PATIENCE_S) -> Iterator[PreparedModel]:
    """A prepared model of the device with a planted fault, in a process that may have 256 MiB of memory."""
    selector = f"ndk:{library}#nnvet-{fault}"
    with open_driver(selector, timeout_s=timeout_s, start_timeout_s=PATIENCE_S, memory_limit=256 << 20) as opened:
        yield prepare(opened.device, add_model(), timeout_s=PATIENCE_S)


def run(prepared: PreparedModel, request: Request, config: ExecutionConfig = MEASURED) -> ExecutionResult:
    """A synchronous execution."""
    return prepared.execute_synchronously(request, config, NO_DEADLINE)


@pytest.mark.sampled(2)
def test_a_device_says_what_it_is(driver: Driver) -> None:
    """Name, type, level and version are the library's; a support library speaks of performance and cache files, too."""
    device = driver.device
    assert (device.name, device.get_version_string(), device.get_type().name) == ("nnvet-native", "1.0", "CPU")
    assert device.get_feature_level() is FeatureLevel.FL8
    is_sl = driver.selector.kind.name == "sl"
    assert device.get_number_of_cache_files_needed() == NumberOfCacheFiles(1 if is_sl else 0, 0)
    info = device.get_capabilities().if_performance
    assert (info.exec_time, info.power_usage) == ((0.5, 2.0) if is_sl else (1.0, 1.0))
    listed = device.get_capabilities().operand_performance
    assert len(listed) == 15
    assert is_sl or {entry.info for entry in listed} == {PerformanceInfo(1.0, 1.0)}


def test_every_executor_adds(driver: Driver) -> None:
    """1 + 3 and 2 + 4, by every executor, measured; the answers are complete."""
    prepared = prepare(driver.device, add_model(), PrepareModelConfig(deadline_ns=2**62))
    for name in ("sync", "async", "burst", "reusable", "fenced"):
        with add_pool(1, 2, 3, 4) as pool:
            request = add_request(pool)
            if name == "sync":
                result = run(prepared, request)
            elif name == "async":
                result = execute(prepared, request, MEASURED)
            elif name == "burst":
                burst = prepared.configure_execution_burst()
                result = burst.execute_synchronously(request, (7,), MEASURED, NO_DEADLINE)
            elif name == "reusable":
                reusable = prepared.create_reusable_execution(request, MEASURED)
                assert [reusable.execute_synchronously(NO_DEADLINE).output_sufficient_size for _ in range(2)] == [
                    True
                ] * 2
                result = reusable.execute_synchronously(2**62)
            else:
                ended = prepared.execute_fenced(request, (), MEASURED, NO_DEADLINE, NO_DEADLINE)
                assert ended.sync_fence is not None
                assert wait_for_fence(ended.sync_fence) is FenceState.SIGNALED
                status, launched, fenced = ended.callback.get_execution_info()
                assert status is ErrorStatus.NONE
                assert NO_TIMING not in (launched.time_in_driver_ns, fenced.time_in_driver_ns)
                result = ExecutionResult(True, (OutputShape((2,)),), launched)
            assert (name, result.output_shapes) == (name, (OutputShape((2,)),))
            assert 0 <= result.timing.time_on_device_ns <= result.timing.time_in_driver_ns
            assert (name, result_of(pool)) == (name, (4.0, 6.0))


def test_an_execution_waits_for_its_fences_and_blocks_nobody(driver: Driver) -> None:
    """Behind a fence that has not signalled nothing is computed, and other calls are answered meanwhile."""
    prepared = prepare(driver.device, add_model())
    fence, source = create_fence()
    with add_pool(1, 2, 3, 4) as pool:
        ended = prepared.execute_fenced(add_request(pool), (fence,), ExecutionConfig(), NO_DEADLINE, NO_DEADLINE)
        with pytest.raises(HalError, match="GENERAL_FAILURE: the execution has not ended"):
            ended.callback.get_execution_info()
        assert result_of(pool) == (0.0, 0.0)
        assert driver.device.name == "nnvet-native"
        source.signal()
        assert ended.sync_fence is not None
        assert wait_for_fence(ended.sync_fence) is FenceState.SIGNALED
        assert result_of(pool) == (4.0, 6.0)


def test_what_is_too_small_is_reported_with_the_shape(driver: Driver) -> None:
    """An output of unknown size gets its shape, also when the buffer is too small for it."""
    prepared = prepare(driver.device, add_model((0,)))
    with add_pool(1, 2, 3, 4) as pool:
        result = run(prepared, add_request(pool, PAIR_BYTES // 2))
        assert result == ExecutionResult(False, (OutputShape((2,), is_sufficient=False),))


def test_device_memory_holds_an_output(driver: Driver) -> None:
    """Written by an execution, it is copied out; before it has content that fails."""
    prepared = prepare(driver.device, add_model())
    buffer, token = driver.device.allocate(BufferDesc(), (prepared,), (), (BufferRole(0, 0),))
    copy = create_ashmem(PAIR_BYTES)
    with pytest.raises(HalError, match="GENERAL_FAILURE"):
        buffer.copy_to(copy)
    with add_pool(1, 2, 3, 4) as pool:
        request = add_request(pool)
        output = RequestArgument(location=DataLocation(pool_index=1))
        run(prepared, replace(request, outputs=(output,), pools=(pool, BufferToken(token))))
    buffer.copy_to(copy)
    with mapped(copy) as view:
        assert bytes(view) == bytes.fromhex("00008040 0000c040")
    with pytest.raises(HalError, match=r"INVALID_ARGUMENT.*buffer/copy\.size"):
        buffer.copy_to(create_ashmem(PAIR_BYTES + 1))


def test_a_copy_that_cannot_be_said_leaves_no_content(driver: Driver) -> None:
    """Dimensions of a copy do not reach the library, nor does memory that is none; the copy has failed all the same."""
    prepared = prepare(driver.device, add_model())
    buffer, _ = driver.device.allocate(BufferDesc(), (prepared,), (BufferRole(0, 0),), ())
    with add_pool(1, 2, 3, 4) as pool:
        source = MappableFile(pool.handle, PAIR_BYTES)
        for wrong, dimensions in ((source, (1,)), (replace(source, prot=0x80), ())):
            buffer.copy_from(source, ())
            buffer.copy_to(create_ashmem(PAIR_BYTES))
            with pytest.raises(HalError, match="INVALID_ARGUMENT"):
                buffer.copy_from(wrong, dimensions)
            with pytest.raises(HalError, match="GENERAL_FAILURE"):
                buffer.copy_to(create_ashmem(PAIR_BYTES))


def test_a_support_library_saves_into_cache_files(driver: Driver, tmp_path: Path) -> None:
    """The token lands in the file that the client gave; the C API of a runtime has no such files."""
    path = tmp_path / "cache"
    with path.open("w+b") as file:
        cache = MappableFile(Handle(file.fileno()), 1, 3)
        prepare(driver.device, add_model(), PrepareModelConfig(model_cache=(cache,), cache_token=b"t" * 32))
    assert path.read_bytes() == (b"t" * 32 if driver.selector.kind.name == "sl" else b"")


def test_the_library_is_the_one_to_refuse(driver: Driver) -> None:
    """A wrong model reaches it; what the C API cannot say is refused with a rule of its own."""
    wrong = replace(add_model(), main=replace(add_model().main, output_indexes=(3, 3)))
    with pytest.raises(
        HalError, match="INVALID_ARGUMENT: ANeuralNetworksModel_identifyInputsAndOutputs returns BAD_DATA"
    ):
        driver.device.get_supported_operations(wrong)
    unsaid = replace(add_model(), operand_values=b"")
    with pytest.raises(HalError, match="constants are pointers") as refused:
        driver.device.get_supported_operations(unsaid)
    assert refused.value.rule == INEXPRESSIBLE
    prepared = prepare(driver.device, add_model())
    with add_pool(1, 2, 3, 4) as pool:
        request = replace(add_request(pool), pools=(HardwareBuffer(pool.handle, pool.size),))
        with pytest.raises(HalError, match="no AHardwareBuffer"):
            run(prepared, request)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("fault", "death"), [("segfault", DriverCrash), ("loop", DriverHang), ("leak", DriverBloat)])
def test_deaths_are_verdicts(library: Path, fault: str, death: type[Exception]) -> None:
    """A crash, a loop without end and too much memory inside the library end one call, with the reason."""
    with (
        faulty(library, fault, timeout_s=1.0 if fault == "loop" else PATIENCE_S) as prepared,
        add_pool(1, 2, 3, 4) as pool,
    ):
        with pytest.raises(death) as died:
            run(prepared, add_request(pool))
        if fault == "segfault":
            assert died.value.evidence.signal == "SIGSEGV"


def test_wrong_answers_come_through(library: Path) -> None:
    """A wrong value and a wrong status are the library's: its last byte is another one, OP_FAILED is a failure."""
    with faulty(library, "wrong") as prepared, add_pool(1, 2, 3, 4) as pool:
        run(prepared, add_request(pool))
        assert result_of(pool)[0] == 4.0
        assert result_of(pool)[1] != 6.0
    message = "GENERAL_FAILURE: the execution returns OP_FAILED"
    with faulty(library, "status") as prepared, add_pool(1, 2, 3, 4) as pool, pytest.raises(HalError, match=message):
        run(prepared, add_request(pool))


def test_mistakes_in_selectors_are_explained(library: Path, tmp_path: Path) -> None:
    """No such file, no such device, and libraries of another kind."""
    text = tmp_path / "text.so"
    text.write_text("no library")
    ctypes = next(Path("/usr/lib").rglob("libm.so.6"))
    for selector, message in {
        "ndk:no_such_library.so": "the library cannot be loaded: .*no_such_library",
        f"ndk:{text}": "the library cannot be loaded",
        f"ndk:{library}#npu": "has no device 'npu'; its devices: nnvet-native, nnvet-segfault",
        f"ndk:{ctypes}": "exports no function of the NNAPI's C API",
        f"sl:{ctypes}": "is no support library: it does not export ANeuralNetworks_getSLDriverImpl",
    }.items():
        with pytest.raises(SelectorError, match=message):
            create_device(selector)


def test_the_structure_is_that_of_the_page() -> None:
    """Order and number of the support library's functions are those of docs/contract/c-api.md 2.3."""
    rows = re.findall(r"^\| (\d+)(?: \(FL8\))? \| ([\w`( …)]+) \|", PAGE, re.MULTILINE)
    fields = [name for name, _ in parse_declarations().typeof("NnApiSLDriverImpl").fields]
    for number, name in rows:
        assert fields[1 + int(number)].endswith(name.split()[0]), (number, name)
    # Those that tell of compilations and executions stand in two rows, with one description each.
    assert {int(number) for number, _ in rows} == {*range(78), 103, 104, 105}
    assert parse_declarations().sizeof("NnApiSLDriverImpl") == 8 + 106 * parse_declarations().sizeof("void*")


def test_results_are_those_of_the_page() -> None:
    """Names and numbers of results, and of levels, are those of docs/contract/c-api.md; each has a status."""
    listed = re.search(r"Result codes: (.*?)\.", PAGE, re.DOTALL)
    assert listed is not None
    pairs = [entry.split() for entry in " ".join(listed[1].split()).split(", ")]
    assert {name: int(number) for name, number in pairs} == {code.name: int(code) for code in ResultCode}
    assert STATUSES[ResultCode.BAD_DATA] is ErrorStatus.INVALID_ARGUMENT
    assert [feature_level(number) for number in (27, 31, 1000006, 1000008, 1000009)] == [1, 5, 6, 8, 8]


def test_the_header_has_every_function() -> None:
    """All that a library may export stands in the header, once."""
    text = make_header()
    for name in declarations.names().values():
        if not name.startswith("SL_"):
            assert len(re.findall(rf"\b{name}\(", text)) == 1, name
    assert "ANEURALNETWORKS_TENSOR_FLOAT32 = 3," in text
    assert "ANEURALNETWORKS_REVERSE = 105," in text


def test_cases_that_cannot_be_said_are_unsupported(library: Path) -> None:
    """Neither a failure of the library nor, where it ought to refuse, a pass; what reaches it is judged."""
    only = ("MemoryTypeTest/Pools/ashmem_to_*", "MemoryTypeTest/InvalidPool/*_input")
    results = check_driver(f"ndk:{library}", only=only).log.results
    found = {result.case.rpartition("/")[2]: (result.verdict, result.rule) for result in results.values()}
    assert found["ashmem_to_ashmem"] == (Verdict.PASS, "")
    assert found["ashmem_to_blob_ahwb"] == (Verdict.UNSUPPORTED, INEXPRESSIBLE)
    assert found["pipe_input"] == (Verdict.PASS, "")
    assert found["no_descriptor_input"] == (Verdict.UNSUPPORTED, INEXPRESSIBLE)


@pytest.mark.parametrize("kind", [pytest.param("ndk", marks=pytest.mark.long), "sl"])
def test_the_library_is_conformant(library: Path, kind: str) -> None:
    """Rules of single operations, pictures, fences, and clients that leave work behind."""
    only = ["OperationValidationTest/Ranks/*", "OperationValidationTest/Agreement/*", "TestGpuNnapi/*", "FenceTest/*"]
    only += ["LeakTest/Clients"] if kind == "ndk" else ["GeneratedValidationTest/sync/add_invalid_*"]
    checked = check_driver(f"{kind}:{library}", only=only)
    assert checked.faultless, checked
    counts = checked.log.counts
    assert counts[Verdict.PASS] >= 20
    assert checked.log.results["TestGpuNnapi/Float32"].rule == INEXPRESSIBLE


@pytest.mark.long
def test_an_extension_that_no_device_has_cannot_be_said(library: Path) -> None:
    """The library answers BAD_DATA to its types, right or wrong: neither a pass nor a failure."""
    only = ("GeneratedTest/sync/extension_control_flow_then", "ExtensionTest/UnknownExtension/*")
    results = check_driver(f"ndk:{library}", only=only).log.results
    assert results["GeneratedTest/sync/extension_control_flow_then"].rule == INEXPRESSIBLE
    found = {result.case.rpartition("/")[2]: result.verdict for result in results.values()}
    # An unknown operation on tensors that the library knows can be said.
    assert found["operation_on_unknown_type"] is Verdict.UNSUPPORTED
    assert Verdict.FAIL not in found.values()


def test_a_priority_of_the_other_interface_is_not_passed_on(driver: Driver) -> None:
    """100 is none of the HAL's, and MEDIUM of the C API's; other wrong numbers are the library's to refuse."""
    for priority, rule in ((100, INEXPRESSIBLE), (3, "")):
        with pytest.raises(HalError, match="INVALID_ARGUMENT") as refused:
            prepare(driver.device, add_model(), PrepareModelConfig(priority=priority))  # type: ignore[arg-type]
        assert refused.value.rule == rule


def test_padding_that_would_hide_a_wrong_length_is_not_passed_on(driver: Driver) -> None:
    """An argument of the C API has one length: half of the data beside as much padding would be all of it."""
    prepared = prepare(driver.device, add_model())
    with add_pool(1, 2, 3, 4) as pool:
        request = add_request(pool)
        first = request.inputs[0]
        half = PAIR_BYTES // 2
        short = replace(first, location=replace(first.location, length=half, padding=half))
        with pytest.raises(HalError, match="padding") as refused:
            run(prepared, replace(request, inputs=(short, *request.inputs[1:])))
        assert refused.value.rule == INEXPRESSIBLE
        padded = replace(first, location=replace(first.location, padding=half))
        run(prepared, replace(request, inputs=(padded, *request.inputs[1:])))
        assert result_of(pool) == (4.0, 6.0)
