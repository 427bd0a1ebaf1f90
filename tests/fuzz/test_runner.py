"""A job from its beginning to the report: driver, processes, findings, log. Without atheris the parts around it."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest
from msgspec.structs import replace

from nnvet.adapters.service.sandbox import Sandbox
from nnvet.fuzz.counters import driver_modules, is_within
from nnvet.fuzz.findings import (
    INPUT,
    ChildConfig,
    FindingKind,
    FuzzFinding,
    SavedFinding,
    for_harness,
    read_saved,
    save,
)
from nnvet.fuzz.harness import HARNESSES
from nnvet.fuzz.model.form import FuzzedModel, encode_model
from nnvet.fuzz.replaying import finding_in_process
from nnvet.fuzz.runner import FINDINGS, FuzzingJob, input_command, run_job
from nnvet.fuzz.slices import Status, status_of
from nnvet.hal.types import Operation, OperationType, Subgraph
from nnvet.reports.events import FuzzingFinished, Verdict
from nnvet.reports.html.page import build_curves, render_page
from nnvet.reports.log import read_log
from tests.adapters.test_sandbox import needs_bubblewrap

ROOT = Path(__file__).parent.parent.parent
FAULTY = """
from nnvet.reference_driver import create

def make():
    device = create()
    plain = device.get_supported_operations
    def faulty(model):
        if model.main.operations and model.main.operations[0].type == {operation}:
            {fault}
        return plain(model)
    device.get_supported_operations = faulty
    return device
"""


ELU = encode_model(FuzzedModel(Subgraph((), (Operation(OperationType.ELU, (), ()),), (), ())))
"""A model, not a valid one, that begins with the operation of the fault."""


def faulty_driver(folder: Path, fault: str) -> str:
    """Selector of the bundled driver that has a fault where a model begins with ELU."""
    file = folder / "faulty.py"
    file.write_text(FAULTY.format(fault=fault, operation=int(OperationType.ELU)))
    return f"python:{file}:make"


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("#2048\tpulse  cov: 2227 ft: 6379 corp: 417/689Kb lim: 16384 exec/s: 70 rss: 85Mb", Status(2048, 2227, 417)),
        ("#661\tINITED cov: 2178 ft: 5143 corp: 299/387Kb exec/s: 38 rss: 86Mb", Status(661, 2178, 299)),
        ("#2\tpulse  ft: 587 exec/s: 0 rss: 75Mb", Status(2, 0, 0)),
        ("INFO: Seed: 2686769442", None),
    ],
)
def test_lines_of_libfuzzer_are_read(line: str, status: Status | None) -> None:
    """The number of inputs, the coverage and the size of the corpus."""
    assert status_of(line) == status


@pytest.mark.parametrize(
    ("selector", "modules"),
    [
        ("reference:level_3", ("nnvet.reference_driver", "nnvet.driver_kit")),
        ("python:vendor.npu.driver:make", ("vendor",)),
        ("python:nnvet.driver_kit.base_device:BaseDevice", ("nnvet.driver_kit",)),
        ("python:some/where/npu.py:make", ("nnvet_driver_npu",)),
        ("exec:./service", ()),
    ],
)
def test_modules_of_drivers(selector: str, modules: tuple[str, ...]) -> None:
    """These modules of a driver guide the fuzzer by their coverage."""
    assert driver_modules(selector) == modules
    assert all(is_within(f"{name}.part", modules) and not is_within(f"{name}x", modules) for name in modules)


def test_the_shortest_input_of_a_finding_stays(tmp_path: Path) -> None:
    """A finding is one folder, however often it is found."""
    finding = FuzzFinding(FindingKind.WRONG, "execution/output.value", "wrong", {"graph": ["a"]}, "ADD")
    assert save(tmp_path, "model", "reference", finding, b"long input")
    assert not save(tmp_path, "model", "reference", finding, b"short")
    assert not save(tmp_path, "model", "reference", finding, b"longer again")
    ((known, folder),) = read_saved(tmp_path)
    assert (folder / INPUT).read_bytes() == b"short"
    assert (known.key, known.evidence) == (folder.name, {"graph": ["a"]})


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("raise KeyError('x')", FindingKind.EXCEPTION),
        ("__import__('os').abort()", FindingKind.DEATH),
        ("while True: pass", FindingKind.HANG),
    ],
)
def test_one_input_in_a_process_of_its_own(tmp_path: Path, fault: str, kind: FindingKind) -> None:
    """Exceptions, deaths and hangs are distinguished, with the place in the driver."""
    file = tmp_path / INPUT
    file.write_bytes(ELU)
    config = ChildConfig("model", faulty_driver(tmp_path, fault), True, 2.0, 3072, str(tmp_path))
    finding = finding_in_process(config, file)
    assert finding is not None
    assert finding.kind is kind
    assert "faulty" in f"{finding.place} {finding.message} {finding.evidence}"


@needs_bubblewrap
def test_a_driver_in_a_sandbox_changes_no_file(tmp_path: Path) -> None:
    """Its attempt is a finding whose command has the sandbox, too; without the sandbox there is a file."""
    file, escaped = tmp_path / INPUT, tmp_path / "escaped"
    file.write_bytes(ELU)
    selector = faulty_driver(tmp_path, f"open({str(escaped)!r}, 'w').close(); raise KeyError('written')")
    job = FuzzingJob([HARNESSES["model"]], selector, 1.0, 1, tmp_path / "corpus", tmp_path, sandbox=Sandbox())
    assert not job.config.in_process
    finding = finding_in_process(for_harness(job.config, "model", ()), file)
    assert finding is not None
    assert (finding.kind, escaped.exists()) == (FindingKind.EXCEPTION, False)
    assert "Read-only file system" in finding.message
    saved = SavedFinding("model", selector, finding.kind, finding.rule, finding.message, finding.place, {})
    assert " --sandbox --input " in input_command(job, saved, file)
    open_air = finding_in_process(for_harness(replace(job.config, sandbox=None), "model", ()), file)
    assert open_air is not None
    assert ("written" in open_air.message, escaped.exists()) == (True, True)


def test_curves_rise_to_the_top() -> None:
    """Coverage is drawn over time, from the bottom to the highest point, flat in between."""
    (curve,) = build_curves([FuzzingFinished("model", 100, 10.0, curve=((0.0, 50), (5.0, 100)))])
    assert curve.points == "0.0,96.0 0.0,48.0 160.0,48.0 160.0,0.0 320.0,0.0"
    assert (curve.rate, curve.first, curve.last) == (10.0, 50, 100)


@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not installed: pip install 'nnvet[fuzz]'")
def test_a_job_finds_a_planted_fault_and_reports_it(tmp_path: Path) -> None:
    """A fault that the seeds reach is found, written, logged and drawn, though the processes go on."""
    corpus = tmp_path / "corpus"
    (corpus / "model").mkdir(parents=True)
    # The shortest input comes first, however little time there is.
    (corpus / "model" / "elu").write_bytes(ELU)
    selector = faulty_driver(tmp_path, "raise KeyError('x')")
    log = read_log(run_job(FuzzingJob([HARNESSES["model"]], selector, 3.0, 1, corpus, tmp_path)))
    ((known, folder),) = read_saved(tmp_path / FINDINGS)
    assert (known.kind, known.rule) == (FindingKind.EXCEPTION, "driver/exception")
    (result,) = log.results.values()
    assert result.verdict is Verdict.FAIL
    assert str(folder / INPUT) in result.evidence["replay"]
    (fuzzed,) = log.fuzzing
    assert fuzzed.executions > 0
    assert fuzzed.curve
    assert "<polyline" in render_page(log)


def test_a_driver_with_nothing_to_fuzz_is_no_problem(tmp_path: Path) -> None:
    """A harness that has nothing to ask ends at once: UNSUPPORTED, with the reason, and neither PASS nor a fault."""
    pytest.importorskip("atheris", reason="fuzzing needs the fuzz extra")
    minimal = f"python:{ROOT / 'docs' / 'examples' / 'minimal_driver.py'}:AddDevice"
    job = FuzzingJob([HARNESSES["cache"]], minimal, 600.0, 1, tmp_path / "corpus", tmp_path / "out")
    log = read_log(run_job(job))
    result = log.results["Fuzz/cache"]
    assert (result.verdict, result.reason) == (Verdict.UNSUPPORTED, "the driver has no cache files of models")
    assert log.finished is not None
    assert (log.finished.exit_code, log.finished.problems) == (0, ())
    assert log.finished.duration_s >= max(event.seconds for event in log.fuzzing)
    assert log.fuzzing[0].seconds < 300
    assert (log.started.driver.name, log.started.machine.cores) == ("minimal", os.cpu_count())
