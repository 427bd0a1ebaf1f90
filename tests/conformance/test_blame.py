"""Blame for exceptions and crashes of drivers, with their place, and with nothing of other cases."""

import io
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from nnvet.adapters import NotSentError
from nnvet.adapters.calls import session_of
from nnvet.conformance import CheckedDriver, check_driver
from nnvet.conformance.engine import driver as driver_module
from nnvet.conformance.engine.driver import open_subject, run_one
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import Case, CaseId, Check
from nnvet.conformance.kit.subject import Subject
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.errors import invalid
from nnvet.hal.types import DeviceType
from nnvet.reports.console import print_summary
from nnvet.reports.events import Verdict
from nnvet.reports.html.page import render_page
from nnvet.reports.junit import render_junit
from nnvet.reports.markdown import render_markdown
from nnvet.transport.wire.framing import WireError

DRIVERS = Path(__file__).parents[1] / "drivers" / "blamed.py"
SPEC = """
for size in (1, 2, 3):
    a, b = Input("a", ("TENSOR_FLOAT32", [size])), Output("b", ("TENSOR_FLOAT32", [size]))
    model = Model(f"of_{size}").Operation("RELU", a).To(b)
    Example({a: [-1.5, 2.5, 3.0][-size:], b: [0.0, 2.5, 3.0][-size:]}, model=model).DisableLifeTimeVariation()
"""
FAILING_SPEC = SPEC.replace("DisableLifeTimeVariation()", "DisableLifeTimeVariation().ExpectFailure()")

WRONG_SPEC = """
a = Input("a", ("TENSOR_QUANT8_ASYMM", [2], 0.25, 0))
scaled = Output("scaled", ("TENSOR_QUANT8_ASYMM", [2], 0.5, 0))
Example({a: [1, 2], scaled: [1, 2]}, model=Model("scaled").Operation("RELU", a).To(scaled)).ExpectFailure()
tensor = Input("tensor", ("TENSOR_FLOAT32", [2, 2]))
axes = Input("axes", ("TENSOR_INT32", [1]))
summed = Output("summed", ("TENSOR_FLOAT32", [2]))
model = Model("summed").Operation("REDUCE_SUM", tensor, axes, False).To(summed)
Example({tensor: [1.0, 2.0, 3.0, 4.0], axes: [2], summed: [1.0, 2.0]}, model=model).ExpectFailure()
"""
"""A model whose output scale differs from the input scale, and a request with an axis that the tensor does not have."""


def place(mark: str) -> str:
    """``blamed.py:LINE`` of a mark."""
    lines = DRIVERS.read_text().splitlines()
    (line,) = [number for number, text in enumerate(lines, 1) if text.endswith(f"PLACE: {mark}")]
    return f"blamed.py:{line}"


def checked(name: str, folder: Path, *only: str, text: str = SPEC) -> CheckedDriver:
    """A driver in a process of its own against a small spec file."""
    spec = folder / "relu.mod.py"
    spec.write_text(text)
    return check_driver(f"python:{DRIVERS}:{name}", only=only, specs=[spec], checks=not only, full=bool(only))


@pytest.mark.parametrize(("name", "mark"), [("RaisesInCompile", "compilation"), ("Everything", "execution")])
def test_an_exception_is_not_the_failure_that_a_case_wants(name: str, mark: str, tmp_path: Path) -> None:
    """Raised by the compiler on its thread or by the execution: no decision of the driver, reported with its place."""
    result = checked(name, tmp_path, "GeneratedValidationTest/*", text=FAILING_SPEC).failures
    assert [failure.rule for failure in result] == ["driver/exception"] * 3
    assert all(place(mark) in failure.reason for failure in result)


@pytest.mark.parametrize(
    ("model", "rule"), [("scaled", "RELU/output.quantization"), ("summed", "REDUCE_SUM/axes.range")]
)
def test_an_accepted_test_names_the_rule_that_it_breaks(model: str, rule: str, tmp_path: Path) -> None:
    """Neither spec says what is wrong with it: the reason has the rule and its words, of the model or the execution."""
    (tmp_path / "wrong.mod.py").write_text(WRONG_SPEC)
    case = f"GeneratedValidationTest/sync/wrong_{model}"
    found = check_driver("zoo:accepts-everything", specs=[tmp_path], only=[case])
    (result,) = found.failures
    assert (result.verdict, result.rule) == (Verdict.FAIL, "execution/expected_failure")
    assert result.evidence["broken_rule"] == rule
    assert f"({rule})" in result.reason


def test_a_refusal_on_the_compiling_thread_keeps_its_words(tmp_path: Path) -> None:
    """A notification has a status alone; the suite is given message and rule all the same."""
    (failure, *_) = checked("RefusesInCompile", tmp_path, "GeneratedTest/sync/*").failures
    assert "no such weights [prepare/supported]" in failure.reason


class SpeaksOfTheWire(BaseDevice):
    """Refuses with a rule of the wire, as a service does that has lost an object."""

    def get_type(self) -> DeviceType:
        """Refuse."""
        raise invalid("there is no object 7", "wire/object")


def test_a_rule_of_the_wire_is_no_excuse() -> None:
    """Whoever answers that it does not know its own objects is wrong; it is no fault of the suite."""

    def body(subject: Subject, _: object) -> None:
        subject.device.get_type()

    case = Case(CaseId("Suite", "check"), "unit")
    with open_subject(Target("wire", in_process=True, factory=SpeaksOfTheWire)) as subject:
        outcome = Check("Suite", "check", body).run(subject, case, None)
    assert (outcome.verdict, outcome.rule) == (Verdict.FAIL, "execution/status")
    assert "there is no object 7 [wire/object]" in outcome.reason


def test_what_cannot_be_sent_is_the_fault_of_the_suite() -> None:
    """A check that calls the driver with what has no place on the wire ends as ERROR."""

    def body(subject: Subject, _: object) -> None:
        subject.device.prepare_model_from_cache(-1, (), (), object(), None)  # type: ignore[arg-type]

    case = Case(CaseId("Suite", "check"), "unit")
    with open_subject(Target("base", in_process=True, factory=BaseDevice)) as subject:
        with pytest.raises(NotSentError):
            Check("Suite", "check", body).run(subject, case, None)
        assert subject.device.name == "base"


def test_a_driver_that_is_lost_when_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """It belongs to the case during which it happened, although that has got all its answers."""

    def body(subject: Subject, _: object) -> None:
        session = session_of(subject.device)
        assert session is not None
        session.lose(WireError("this is no frame"))

    monkeypatch.setattr(driver_module, "check_of", lambda _: Check("Suite", "check", body))
    case = Case(CaseId("Suite", "check"), "unit")
    monkeypatch.setattr(driver_module, "argument_of", lambda _: None)
    with open_subject(Target("base", in_process=True, factory=BaseDevice)) as subject:
        outcome, died = run_one(subject, case)
    assert (outcome.verdict, outcome.rule, died) == (Verdict.CRASH, "driver/crash", True)
    assert "after the last call: the driver breaks the protocol: this is no frame" in outcome.reason


def test_an_exception_is_one_line_wherever_it_is_shown(tmp_path: Path) -> None:
    """File, line and function in console, Markdown, JUnit and page, with the driver's frames and what it printed."""
    found = checked("RaisesWhenAsked", tmp_path, "GeneratedTest/sync/*")
    assert len(found.failures) == 3
    where = f"ValueError: not that one ({place('question')} in supports)"
    for text in texts(found):
        assert where in text
    evidence = found.failures[0].evidence
    assert evidence["raised"] == f"ValueError at {place('question')} in supports"
    assert "looking at an operation" in evidence["stderr_tail"]
    frames = [line.strip() for line in evidence["stderr_tail"].splitlines() if line.strip().startswith("File ")]
    assert frames
    assert all("blamed.py" in frame for frame in frames)
    assert "raise ValueError" in texts(found)[0]


def test_one_fault_is_one_entry(tmp_path: Path) -> None:
    """An exception is the same fault whatever the operation, suite or rule that it broke."""
    text = SPEC + SPEC.replace("RELU", "FLOOR").replace("of_", "floor_of_").replace("0.0, 2.5, 3.0", "-2.0, 2.0, 3.0")
    found = checked("RaisesWhenAsked", tmp_path, "GeneratedTest/*sync*/*", text=text)
    assert (
        len(
            {failure.rule for failure in found.failures}
            | {op for failure in found.failures for op in failure.operations}
        )
        > 2
    )
    assert len({failure.fingerprint for failure in found.failures}) == 1
    assert f"{len(found.failures)} x FAIL" in texts(found)[0]


@pytest.mark.long
def test_a_crash_is_reported_by_signal_and_place(tmp_path: Path) -> None:
    """``SIGSEGV in driver.py:33`` everywhere; of a native service the signal."""
    for text in texts(checked("Segfaults", tmp_path, "GeneratedTest/sync/*")):
        assert f"SIGSEGV in {place('crash')} in supports" in text
    found = checked("DiesOfInvalidModels", tmp_path, "ValidationTest/*")
    for text in texts(found):
        assert "killed by SIGSEGV" in text


def test_a_crash_names_the_mutant_that_was_sent(tmp_path: Path) -> None:
    """The changed part of the model stands in the reason and in the evidence."""
    found = checked("DiesOfInvalidModels", tmp_path, "ValidationTest/*").failures
    assert found
    for crash in found:
        assert crash.verdict == "CRASH"
        assert crash.evidence["change"]
        assert f"sent: {crash.evidence['change']}" in crash.reason


def test_output_is_that_of_the_case(tmp_path: Path) -> None:
    """Earlier output of the driver is no evidence: one question of the mutant's case, not the start's greeting."""
    (first, *others) = checked("Chatty", tmp_path, "GeneratedTest/sync/*").failures
    assert others
    for crash in (first, *others):
        assert "Segmentation fault" in crash.evidence["stderr_tail"]
        assert "hello from long ago" not in crash.evidence["stderr_tail"]


def test_models_that_an_adapter_cannot_say_are_unsupported(tmp_path: Path) -> None:
    """A model without inputs: the case is labelled, and an adapter that has no words for it is not to blame."""
    text = """
b = Output("b", ("TENSOR_FLOAT32", [2]))
dims, value = Parameter("dims", ("TENSOR_INT32", [1]), [2]), Float32Scalar("value", 1.5)
Example({b: [1.5, 1.5]}, model=Model().Operation("FILL", dims, value).To(b)).DisableLifeTimeVariation()
"""
    found = checked("BehindAnApi", tmp_path, "GeneratedTest/sync/*", text=text).log.results
    (result,) = [result for case, result in found.items() if "inputs" not in case]
    assert result.verdict == "UNSUPPORTED"
    assert result.rule == "adapter/inexpressible"
    assert result.labels["traits"] == ["without inputs"]


def texts(found: CheckedDriver) -> list[str]:
    """Return the texts that people see of a run: console, summary, JUnit, page."""
    console = Console(file=io.StringIO(), width=4000)
    print_summary(found.log, (), console)
    assert isinstance(console.file, io.StringIO)
    page, junit = render_page(found.log), ET.fromstring(render_junit(found.log))  # noqa: S314 - our own
    messages = " ".join(element.get("message", "") for element in junit.iter())
    return [console.file.getvalue(), render_markdown(found.log), messages, page.replace("&#39;", "'")]
