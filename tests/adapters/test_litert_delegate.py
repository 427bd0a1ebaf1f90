"""``litert:delegate=LIB.so,option=value`` with a delegate in C (``tests/native/delegate.c``), built for the tests."""

from __future__ import annotations

import html
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from nnvet.adapters import SelectorError, create_device, prepare
from nnvet.adapters.runtimes.device import RuntimePrepared
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.selection import Selection, check_of
from nnvet.hal.enums import OperandLifeTime, OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.types import Model, Operand, Operation, Subgraph
from nnvet.reports.events import CaseFinished, Verdict
from nnvet.reports.log import read_log
from tests.adapters.runtimes.binary_models import binary, pair
from tests.commands.test_utilities import nnvet, words
from tests.native.building import SOURCES

pytest.importorskip("ai_edge_litert.interpreter", reason="needs the litert extra")
COMPILER = os.environ.get("CC") or shutil.which("gcc") or shutil.which("clang")
CASE = "GeneratedTest/sync/mean_float_inner_axes_kept"
pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a compiler of C")


def compiled(source: Path, library: Path) -> Path:
    """A shared library of one file."""
    options = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    subprocess.run([str(COMPILER), *options, "-o", str(library), str(source)], check=True)
    return library


@pytest.fixture(scope="module")
def delegate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library."""
    return compiled(SOURCES / "delegate.c", tmp_path_factory.mktemp("delegate") / "libdelegate.so")


def test_a_delegate_gets_its_options_and_every_model(delegate: Path, tmp_path: Path) -> None:
    """It is asked about each model, and is named in the report; what the adapter takes itself does not reach it."""
    record = tmp_path / "record"
    selector = f"litert:delegate={delegate},log={record},precision=low,threads=1,fallback=cpu"
    run = nnvet("run", "-d", selector, "--only", CASE, "--out", tmp_path)
    assert run.exit_code == 0, run.output
    assert read_log(tmp_path / "run.jsonl").started.driver.name == "litert-libdelegate.so"
    options, _, prepared = record.read_text().partition("precision=low\n")
    assert options == f"log={record}\n"
    assert set(prepared.splitlines()) == {"prepared"}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("speed=3", "no such option: speed"),
        ("log=/no/such/folder/file", "no such option: log"),
        ("speed", "form option"),
    ],
)
def test_options_that_it_refuses(delegate: Path, tmp_path: Path, options: str, says: str) -> None:
    """The delegate's own words are in the message; exit code 2."""
    run = nnvet("run", "-d", f"litert:delegate={delegate},{options}", "--only", CASE, "--out", tmp_path)
    assert (run.exit_code, says in words(run), "Traceback" in run.output) == (2, True, False), run.output


def test_libraries_that_are_no_delegates(tmp_path: Path) -> None:
    """The message says which file, and what is missing; exit code 2."""
    source = tmp_path / "other.c"
    source.write_text("int other(void) { return 1; }\n")
    other = compiled(source, tmp_path / "other.so")
    text = tmp_path / "text.so"
    text.write_text("no library" * 100)
    for library, says in ((other, "lacks tflite_plugin_create_delegate"), (text, "invalid ELF header")):
        run = nnvet("run", "-d", f"litert:delegate={library}", "--only", CASE, "--out", tmp_path / "out")
        said = words(run)
        assert (run.exit_code, says in said, str(library) in said, "Traceback" in said) == (2, True, True, False), said


def test_a_delegate_that_dies_as_it_is_made(delegate: Path, tmp_path: Path) -> None:
    """The driver does not start: that is a CRASH."""
    run = nnvet("run", "-d", f"litert:delegate={delegate},crash=create", "--only", CASE, "--out", tmp_path)
    assert run.exit_code == 1, run.output
    (start,) = read_log(tmp_path / "run.jsonl").results.values()
    assert (start.case, start.verdict, start.evidence["signal"]) == ("driver/start", Verdict.CRASH, "SIGABRT")


def test_a_delegate_that_dies_of_a_model(delegate: Path, tmp_path: Path) -> None:
    """The case is a CRASH, the run goes on to what needs no model, and the report has what is left of the model."""
    only = ["--only", CASE, "--only", "BasicTest/GetCapabilitiesTest", "--reduce"]
    run = nnvet("run", "-d", f"litert:delegate={delegate},crash=prepare", *only, "--out", tmp_path)
    assert run.exit_code == 1, run.output
    log = read_log(tmp_path / "run.jsonl")
    verdicts = {case: result.verdict for case, result in log.results.items()}
    assert verdicts == {CASE: Verdict.CRASH, "BasicTest/GetCapabilitiesTest": Verdict.PASS}
    (small,) = log.reductions
    assert (small.verdict, small.cases, [operation.name for operation in small.graph]) == (
        Verdict.CRASH,
        (CASE,),
        ["MEAN"],
    )


REDUCED = ("BasicTest/*", "AnswerTest/*", "TestTrivialModel/*", "TestValidation/*", "FencedComputeTest/*", "*/relu*1")
"""Suites with cases that need no operation, and such that do."""


def ended(selector: str, tmp_path: Path, *only: str) -> dict[str, CaseFinished]:
    """Return the ends of cases by id."""
    run = nnvet("run", "-d", selector, "-n", "1", *(f"--only={glob}" for glob in only), "--out", tmp_path)
    assert "Traceback" not in run.output
    return dict(read_log(tmp_path / "run.jsonl").results)


@pytest.mark.long
def test_a_delegate_that_takes_nothing_passes_nothing_that_needs_an_operation(delegate: Path, tmp_path: Path) -> None:
    """LiteRT's own kernels would be right; the reason is in every case of a model that they could compute."""
    selection = Selection(REDUCED)
    needs = {case.id: check_of(case).needs_operation for case in Catalogue().cases(selection)}
    found = ended(f"litert:delegate={delegate}", tmp_path, *REDUCED)
    assert found.keys() == needs.keys()
    assert {result.verdict for result in found.values()} == {Verdict.PASS, Verdict.UNSUPPORTED}
    assert not [case for case, result in found.items() if result.verdict is Verdict.PASS and needs[case]]
    reason = "the driver does not support RELU with TENSOR_FLOAT32: the delegate libdelegate.so takes 0 of 1 nodes"
    assert found["GeneratedTest/sync/relu_float_rank1"].reason.startswith(reason)


@pytest.mark.long
def test_smoke_says_that_a_delegate_takes_nothing(delegate: Path) -> None:
    """It fails, with what the driver says and advice."""
    run = nnvet("smoke", "-d", f"litert:delegate={delegate}")
    assert run.exit_code == 1
    assert "the driver says: the delegate libdelegate.so takes 0 of 1 nodes" in words(run)
    assert "what to do: the accelerator takes nothing" in words(run)


def test_a_delegate_that_takes_every_second_node(delegate: Path, tmp_path: Path) -> None:
    """A RELU of 16 bits lies between two casts, which the adapter adds: only there is the second node the operation."""
    names = ("relu_float_rank1", "relu_float16_rank1_float16")
    selector = f"litert:delegate={delegate},takes=second"
    found = ended(selector, tmp_path, *(f"GeneratedTest/*/{name}" for name in names))
    wide, narrow = ([result for case, result in found.items() if case.endswith(f"/{name}")] for name in names)
    assert {result.verdict for result in wide} == {Verdict.UNSUPPORTED}
    by = "the delegate libdelegate.so, beside it LiteRT's CPU kernels: CAST"
    assert {(result.verdict, result.computed_by) for result in narrow} == {(Verdict.PASS, by)}


def test_every_operation_has_its_own_answer(delegate: Path) -> None:
    """Of two operations the second is the delegate's."""
    device = create_device(f"litert:delegate={delegate},takes=second")
    assert device.get_supported_operations(chain(OperationType.ABS)) == (False, True)


def test_a_delegate_that_has_the_cpu_compute_what_it_takes_is_believed(delegate: Path, tmp_path: Path) -> None:
    """Nobody sees it from outside: docs/litert.md says so. What it fails to prepare is not supported."""
    found = ended(f"litert:delegate={delegate},takes=all", tmp_path, "GeneratedTest/sync/relu_float_rank1", CASE)
    relu = found["GeneratedTest/sync/relu_float_rank1"]
    assert (relu.verdict, relu.computed_by) == (Verdict.PASS, "the delegate libdelegate.so")
    assert (found[CASE].verdict, found[CASE].computed_by) == (Verdict.UNSUPPORTED, "")
    assert "the delegate libdelegate.so does not take it: LiteRT: " in found[CASE].reason


def test_a_model_is_compiled_once_for_the_question_and_the_preparation(delegate: Path, tmp_path: Path) -> None:
    """Both calls have a copy of the model of their own; a second preparation has a program of its own."""
    record = tmp_path / "record"
    device = create_device(f"litert:delegate={delegate},takes=all,log={record}")
    assert device.get_supported_operations(pair(OperationType.MAXIMUM)) == (True,)
    first = prepare(device, pair(OperationType.MAXIMUM))
    assert record.read_text().count("prepared") == 1
    second = prepare(device, pair(OperationType.MAXIMUM))
    assert record.read_text().count("prepared") == 2
    assert isinstance(first, RuntimePrepared)
    assert isinstance(second, RuntimePrepared)
    assert {*first.programs}.isdisjoint(second.programs)
    assert device.get_supported_operations(pair(OperationType.MINIMUM)) == (True,)
    assert record.read_text().count("prepared") == 3


def test_shapes_that_are_not_declared_cannot_be_asked_about(delegate: Path) -> None:
    """Nobody knows what a delegate would take of them."""
    device = create_device(f"litert:delegate={delegate},takes=all")
    assert device.get_supported_operations(binary(OperationType.ADD)) == (False,)
    with pytest.raises(HalError, match="only about inputs whose shapes are declared"):
        prepare(device, binary(OperationType.ADD))


def test_with_a_fallback_the_report_says_who_may_have_computed(delegate: Path, tmp_path: Path) -> None:
    """In the terminal, in the page and in the log; CPU kernels then count as the driver's."""
    run = nnvet("run", "-d", f"litert:delegate={delegate},fallback=cpu", "--only", CASE, "--out", tmp_path)
    assert run.exit_code == 0, run.output
    says = "CPU kernels may have done the driver's work in 1 case:"
    assert says in words(run)
    page = (tmp_path / "report.html").read_text()
    assert says in html.unescape(page.partition("</header>")[0])
    assert "the delegate libdelegate.so or CPU kernels" in page
    (case,) = read_log(tmp_path / "run.jsonl").results.values()
    assert (case.verdict, case.computed_by) == (Verdict.PASS, "the delegate libdelegate.so or CPU kernels")


def test_xnnpack_cannot_stand_beside_a_delegate(delegate: Path) -> None:
    """Its partitions look like those of the delegate."""
    with pytest.raises(SelectorError, match="kernels is 'xnnpack'; choose builtin, reference"):
        create_device(f"litert:delegate={delegate},kernels=xnnpack")
    create_device(f"litert:delegate={delegate},kernels=xnnpack,fallback=cpu")


def chain(first: OperationType) -> Model:
    """An operation on a vector, and a FLOOR of its result."""
    operand = Operand(OperandType.TENSOR_FLOAT32, (2,), lifetime=OperandLifeTime.SUBGRAPH_INPUT)
    between = replace(operand, lifetime=OperandLifeTime.TEMPORARY_VARIABLE)
    operands = (operand, between, replace(operand, lifetime=OperandLifeTime.SUBGRAPH_OUTPUT))
    operations = (Operation(first, (0,), (1,)), Operation(OperationType.FLOOR, (1,), (2,)))
    return Model(Subgraph(operands, operations, (0,), (2,)))
