"""CApiTest: the exported library passes it, planted faults of a native library are found, a death ends one case."""

import random
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from nnvet.adapters.nnapi.exported.building import ExportError, export_drivers
from nnvet.conformance import check_driver
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.driver import DriverUnderTest, Finished, open_subject, run_cases, run_one
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import Case, checks
from nnvet.conformance.suites.c_api import orders
from nnvet.conformance.suites.c_api.checks import SUITE, table
from nnvet.conformance.suites.c_api.vocabulary import BASES, FLOATS, Base
from nnvet.fuzz.calls.library import LIBRARY, open_library
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.harness import NothingToFuzzError, OneInput
from nnvet.reports.events import Verdict
from tests.conformance.faulty_library import VARIABLE, build_around

PAGE = Path(__file__).parents[2] / "docs" / "contract" / "c-api.md"
LEAST_PASSED = 550
FAULTS = (
    ("_getDeviceCount:3>0", "_getDeviceCount/null_place", "c_api/null"),
    ("_getDevice:4>0", "_getDevice/index_beyond", "c_api/argument"),
    ("Model_create:3>0", "Model_create/null_place", "c_api/null"),
    ("Model_create:skip", "Model_create/accepted", "c_api/accepted"),
    ("Model_addOperand:4>0", "Model_addOperand/type_unknown", "c_api/argument"),
    ("Model_addOperand:0>4", "Model_addOperand/accepted", "c_api/accepted"),
    ("Model_addOperand:6>0", "Model_addOperand/after_finish", "c_api/state"),
    (
        "Model_setOperandSymmPerChannelQuantParams:4>0",
        "Model_setOperandSymmPerChannelQuantParams/scale_zero",
        "c_api/argument",
    ),
    ("Model_setOperandValue:4>0", "Model_setOperandValue/too_long", "c_api/argument"),
    ("Model_setOperandValue:3>4", "Model_setOperandValue/null_with_length", "c_api/null"),
    ("Model_setOperandValueFromMemory:4>0", "Model_setOperandValueFromMemory/end_beyond", "c_api/argument"),
    ("Model_setOperandValueFromModel:6>0", "Model_setOperandValueFromModel/unfinished_value", "c_api/state"),
    ("Model_addOperation:4>0", "Model_addOperation/input_beyond", "c_api/argument"),
    ("Model_identifyInputsAndOutputs:4>0", "Model_identifyInputsAndOutputs/input_twice", "c_api/argument"),
    (
        "Model_relaxComputationFloat32toFloat16:6>0",
        "Model_relaxComputationFloat32toFloat16/after_finish",
        "c_api/state",
    ),
    ("Model_finish:6>0", "Model_finish/twice", "c_api/state"),
    ("Model_finish:4>0", "Model_finish/cycle", "c_api/argument"),
    ("Model_finish:skip", "Compilation_createForDevices/accepted", "c_api/accepted"),
    (
        "Model_getSupportedOperationsForDevices:4>0",
        "Model_getSupportedOperationsForDevices/device_twice",
        "c_api/argument",
    ),
    ("Compilation_createForDevices:4>0", "Compilation_createForDevices/no_devices", "c_api/argument"),
    ("Compilation_createForDevices:6>0", "Compilation_createForDevices/unfinished_model", "c_api/state"),
    ("Compilation_setPreference:4>0", "Compilation_setPreference/next", "c_api/argument"),
    ("Compilation_setPriority:4>0", "Compilation_setPriority/priority_89", "c_api/argument"),
    ("Compilation_setTimeout:4>0", "Compilation_setTimeout/two_devices", "c_api/argument"),
    ("Compilation_setCaching:6>0", "Compilation_setCaching/after_finish", "c_api/state"),
    ("Compilation_finish:6>0", "Compilation_finish/twice", "c_api/state"),
    (
        "Compilation_getPreferredMemoryPaddingForInput:4>0",
        "Compilation_getPreferredMemoryPaddingForInput/index_beyond",
        "c_api/argument",
    ),
    (
        "Compilation_getPreferredMemoryAlignmentForOutput:6>0",
        "Compilation_getPreferredMemoryAlignmentForOutput/before_finish",
        "c_api/state",
    ),
    ("Execution_create:6>0", "Execution_create/unfinished_compilation", "c_api/state"),
    ("Execution_setInput:6>0", "Execution_setInput/twice", "c_api/state"),
    ("Execution_setInput:4>0", "Execution_setInput/index_negative", "c_api/argument"),
    ("Execution_setOutputFromMemory:4>0", "Execution_setOutputFromMemory/end_beyond", "c_api/argument"),
    ("Execution_enableInputAndOutputPadding:6>0", "Execution_enableInputAndOutputPadding/after_input", "c_api/state"),
    ("Execution_enableInputAndOutputPadding:skip", "Execution_enableInputAndOutputPadding/used", "c_api/accepted"),
    ("Execution_setReusable:skip", "UseAgain/compute_compute_reusable", "c_api/written"),
    ("Execution_setMeasureTiming:4>0", "Execution_setMeasureTiming/two_devices", "c_api/argument"),
    ("Execution_compute:6>0", "Execution_compute/after_compute", "c_api/state"),
    ("Execution_compute:skip", "SharedMemory/two_models", "c_api/written"),
    ("Execution_compute:4>0", "Execution_compute/nothing_set", "c_api/argument"),
    ("Execution_burstCompute:4>0", "Execution_burstCompute/other_compilation", "c_api/argument"),
    (
        "Execution_startComputeWithDependencies:3>0",
        "Execution_startComputeWithDependencies/null_dependency",
        "c_api/null",
    ),
    ("Execution_getOutputOperandRank:write:2:3", "Execution_getOutputOperandRank/value", "c_api/written"),
    ("Execution_getOutputOperandDimensions:write:2:7", "Execution_getOutputOperandDimensions/value", "c_api/written"),
    ("Execution_getDuration:write:2:0", "Execution_getDuration/no_duration", "c_api/state"),
    ("Execution_getDuration:4>0", "Execution_getDuration/code_beyond", "c_api/argument"),
    ("Event_wait:0>5", "Event_wait/twice", "c_api/accepted"),
    ("Event_getSyncFenceFd:write:1:9", "Event_getSyncFenceFd/without_fence", "c_api/argument"),
    ("MemoryDesc_addInputRole:4>0", "MemoryDesc_addInputRole/frequency_above", "c_api/argument"),
    ("MemoryDesc_finish:4>0", "MemoryDesc_finish/without_role", "c_api/argument"),
    ("Memory_copy:skip", "Memory_copy/content", "c_api/written"),
    ("Memory_copy:4>0", "Memory_copy/other_size", "c_api/argument"),
    ("Memory_createFromFd:5>0", "Memory_createFromFd/descriptor_negative", "c_api/argument"),
    ("Burst_create:6>0", "Burst_create/unfinished_compilation", "c_api/state"),
)
"""A fault, a case that finds it, the rule by which."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two drivers as a library."""
    if not shutil.which("cc"):
        pytest.skip("there is no compiler of C to build the library with")
    out = tmp_path_factory.mktemp("exported") / "libneuralnetworks.so"
    try:
        export_drivers(["reference", "reference:quant"], out)
    except ExportError as error:
        pytest.skip(f"the library cannot be built here: {error}")
    return out


@pytest.fixture(scope="module")
def faulty(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A native library around that."""
    return build_around(library, tmp_path_factory.mktemp("faulty"))


@pytest.fixture(scope="module")
def subject(faulty: Path) -> Iterator[DriverUnderTest]:
    """The native library in this process, without a fault yet."""
    with open_subject(Target(f"ndk:{faulty}", in_process=True)) as opened:
        yield opened


def case_of(name: str) -> Case:
    """A case of the suite."""
    check, _, argument = name.partition("/")
    return checks()[f"{SUITE}/{check}"].case_of(argument)


def all_cases() -> list[Case]:
    """Every case of the suite."""
    return [case for check in checks().values() if check.suite == SUITE for case in check.cases()]


def test_the_exported_library_passes(subject: DriverUnderTest) -> None:
    """Through the native library without a fault; only what support libraries alone have is not there."""
    ends = {case.id: run_one(subject, case)[0] for case in all_cases()}
    verdicts = [end.verdict for end in ends.values()]
    assert [f"{name}: {end.reason}" for name, end in ends.items() if end.verdict is Verdict.FAIL] == []
    assert set(verdicts) == {Verdict.PASS, Verdict.UNSUPPORTED}
    assert verdicts.count(Verdict.PASS) > LEAST_PASSED
    missing = {end.reason for end in ends.values() if end.verdict is Verdict.UNSUPPORTED}
    assert all("has no ANeuralNetworks" in reason for reason in missing)


@pytest.mark.long
def test_the_exported_support_library_passes(library: Path) -> None:
    """As a user runs it, in a process of its own."""
    checked = check_driver(f"sl:{library}", only=(f"{SUITE}/*",), timeout_s=60)
    assert list(checked.failures) == []


@pytest.mark.parametrize(("fault", "case", "rule"), FAULTS, ids=[fault for fault, *_ in FAULTS])
def test_planted_faults_are_found(
    subject: DriverUnderTest, monkeypatch: pytest.MonkeyPatch, fault: str, case: str, rule: str
) -> None:
    """Each by the rule that it breaks, with a sentence of the contract."""
    subject.shared.clear()
    monkeypatch.setenv(VARIABLE, fault)
    outcome, _ = run_one(subject, case_of(case))
    assert (outcome.verdict, outcome.rule) == (Verdict.FAIL, rule), outcome.reason
    assert outcome.evidence["cites"]


def test_a_death_is_one_of_a_case(faulty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that reads what a null pointer points to dies of that case, and the others run."""
    monkeypatch.setenv(VARIABLE, "Model_free:read:0")
    cases = [case_of(name) for name in ("Model_free/null", "Model_finish/twice")]
    ended = [event for event in run_cases(cases, Target(f"ndk:{faulty}", timeout_s=60)) if isinstance(event, Finished)]
    assert [end.outcome.verdict for end in ended] == [Verdict.CRASH, Verdict.PASS]
    assert "SIGSEGV" in ended[0].outcome.reason
    assert ended[0].outcome.evidence["call"] == "Model_free"


def fuzz_inputs() -> list[bytes]:
    """The usual order of calls, one with mistakes, and random ones."""
    usual, mistakes, *_ = (seed.data for seed in islice(LIBRARY.seeds(), 2))
    drawn = [random.Random(seed).randbytes(256) for seed in range(8)]
    return [usual, mistakes, *(usual + other for other in drawn), *drawn]


FUZZED = (
    ("Model_create:skip", "c_api/accepted"),
    ("Model_finish:6>0", "c_api/state"),
    ("Model_setOperandValue:4>0", "c_api/argument"),
    ("Compilation_createForDevices:6>0", "c_api/state"),
    ("Compilation_setPriority:4>0", "c_api/argument"),
    ("Compilation_finish:6>0", "c_api/state"),
    ("Execution_create:6>0", "c_api/state"),
    ("Execution_setInput:6>0", "c_api/state"),
    ("Execution_setOutput:4>0", "c_api/argument"),
    ("Execution_compute:6>0", "c_api/state"),
    ("Execution_compute:skip", "c_api/state"),
    ("Execution_getOutputOperandRank:write:2:3", "c_api/written"),
    ("Event_wait:0>5", "c_api/written"),
    ("Burst_create:6>0", "c_api/state"),
)
"""Faults, and the rule by which the harness ``library`` finds them."""


def test_fuzzed_calls_find_planted_faults_and_nothing_else(faulty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of the states says what each call answers: the exported library does, and each fault is found."""

    def rules(one_input: OneInput) -> Iterator[str]:
        for data in fuzz_inputs():
            try:
                one_input(data)
            except FuzzFinding as finding:
                yield f"{finding.rule}: {finding.message}"

    with open_library(Target(f"ndk:{faulty}", in_process=True)) as one_input:
        assert list(rules(one_input)) == []
        for fault, rule in FUZZED:
            monkeypatch.setenv(VARIABLE, fault)
            found = next(rules(one_input), "nothing")
            assert found.startswith(f"{rule}: "), (fault, found)


def test_calls_are_fuzzed_in_a_process_that_may_die(faulty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its death is a finding, and the next input runs in a new one."""
    mistakes = fuzz_inputs()[1]
    monkeypatch.setenv(VARIABLE, "Model_finish:read:0")
    with open_library(Target(f"ndk:{faulty}", timeout_s=60)) as one_input:
        for _ in range(2):
            with pytest.raises(FuzzFinding) as found:
                one_input(mistakes)
            assert found.value.kind is FindingKind.DEATH
    with pytest.raises(NothingToFuzzError), open_library(Target("reference")):
        pass


def test_other_drivers_have_no_c_api() -> None:
    """They are not asked, and the reason names them."""
    with open_subject(Target("reference", in_process=True)) as subject:
        outcome, _ = run_one(subject, case_of("Model_finish/twice"))
    assert outcome.verdict is Verdict.UNSUPPORTED
    assert outcome.reason.startswith("not applicable: 'reference'")


@pytest.mark.parametrize(
    ("driver", "only", "is_there"),
    [
        ("reference", (), False),
        ("unix:/run/driver", (), False),
        ("ndk:./library.so", (), True),
        ("sl:./library.so#device", (), True),
        ("reference", ("CApiTest/*",), True),
        ("", (), True),
    ],
)
def test_a_run_has_it_for_libraries(driver: str, only: tuple[str, ...], is_there: bool) -> None:
    """Others have it if it is asked for by name, and lists of everything have it."""
    batches = Catalogue(driver=driver).batches(Selection(only))
    assert any(batch.check.startswith(f"{SUITE}/") for batch in batches) is is_there


@pytest.mark.parametrize("base", BASES, ids=lambda base: base.type.name)
def test_every_wrong_result_cites_the_contract(base: Base) -> None:
    """Word for word, whatever it is called with; the names of cases do not depend on the model."""
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    sequences = [case.make(base) for cases in table().values() for case in cases.values()]
    sequences += [steps for group in orders.groups(base).values() for _, steps in group.values()]
    cited = {step.cites for steps in sequences for step in steps if not step.function.startswith(".") and step.codes}
    assert sorted(sentence for sentence in cited if not sentence or sentence not in page) == []
    names = {group: set(cases) for group, cases in orders.groups(FLOATS).items()}
    assert {group: set(cases) for group, cases in orders.groups(base).items()} == names
