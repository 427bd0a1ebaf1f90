"""Whole runs against good and bad drivers in service processes: verdicts, restarts, log and reports."""

import json
from collections import Counter
from pathlib import Path

import pytest

from nnvet.adapters import SelectorError
from nnvet.conformance.engine.runner import Plan, RunWatcher, execute_plan
from nnvet.conformance.engine.selection import Selection, SelectionError
from nnvet.conformance.engine.target import Target
from nnvet.reports.diff import equal_apart_from_timings
from nnvet.reports.events import Verdict
from nnvet.reports.log import Log, read_log
from nnvet.reports.render import render

STARTS = Path(__file__).parents[1] / "drivers" / "misbehaving_starts.py"

# RELU by hand. The model with two elements is the one that bad drivers stumble over.
SPEC = """
for size in (1, 2, 3):
    a, b = Input("a", ("TENSOR_FLOAT32", [size])), Output("b", ("TENSOR_FLOAT32", [size]))
    model = Model(f"of_{size}").Operation("RELU", a).To(b)
    Example({a: [-1.5, 2.5, 3.0][-size:], b: [0.0, 2.5, 3.0][-size:]}, model=model).DisableLifeTimeVariation()
"""
SYNC = Selection(("GeneratedTest/sync/*",))


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """A folder with the spec above."""
    folder = tmp_path / "V1_0"
    folder.mkdir()
    (folder / "relu.mod.py").write_text(SPEC)
    return folder


def run(specs: Path, selector: str, selection: Selection = SYNC, **options: object) -> tuple[int, Log]:
    """Exit code and log of a run."""
    named = {name: options.pop(name) for name in ("timeout_s", "in_process", "memory_limit") if name in options}
    target = Target(selector, **named)  # type: ignore[arg-type]
    plan = Plan(target, specs.parent / "out", [specs], selection, **options)  # type: ignore[arg-type]
    log = execute_plan(plan, RunWatcher())
    assert log == read_log(plan.out / "run.jsonl")
    assert log.finished is not None
    return log.finished.exit_code, log


ALL_BUT_RANDOM_GRAPHS = ("[!AMRT]*", "An*", "Mem*", "Res*", "T[!e]*", "Test[!R]*", "TestRe*")
"""There are eighteen thousand of them, with those of Accuracy and Metamorphic."""


def verdicts(log: Log) -> list[str]:
    """Verdicts in the order of cases: 1, 2 and 3 elements."""
    return [result.verdict.value for result in log.results.values()]


@pytest.mark.long
def test_the_bundled_driver_passes(specs: Path) -> None:
    """All suites pass but that of libraries, which it is not; the exit code is 0, and all reports are written."""
    code, log = run(specs, "reference", Selection(ALL_BUT_RANDOM_GRAPHS, full=True))
    assert code == 0
    assert set(verdicts(log)) == {"PASS", "UNSUPPORTED"}
    assert {case.suite for case in log.results.values() if case.verdict is not Verdict.PASS} == {"CApiTest"}
    paths = render(log, specs.parent / "out")
    assert all(path.stat().st_size > 0 for path in (paths.html, paths.junit, paths.markdown))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("name", "expected", "rule"),
    [
        ("run-crash", ["PASS", "CRASH", "PASS"], "driver/crash"),
        ("run-exit", ["PASS", "CRASH", "PASS"], "driver/crash"),
        ("run-exception", ["PASS", "FAIL", "PASS"], "execution/status"),
        ("run-timing", ["PASS", "FAIL", "PASS"], "execution/timing"),
        ("run-zeros", ["PASS", "FAIL", "FAIL"], "execution/output.value"),
        ("run-claims", ["FAIL", "FAIL", "FAIL"], "prepare/supported"),
        ("supports-nothing", ["UNSUPPORTED"] * 3, "driver/operation.supported"),
    ],
)
def test_bad_drivers(specs: Path, name: str, expected: list[str], rule: str) -> None:
    """A driver that is wrong in one way gets the verdict and rule for it, in the cases concerned only."""
    # The output of [-1.5] is 0.0, so a driver of zeros is right there.
    if name == "run-zeros":
        (specs / "relu.mod.py").write_text(
            SPEC.replace("[-1.5, 2.5, 3.0][-size:]", "[2.5, 3.0, -1.5][-size:]").replace(
                "[0.0, 2.5, 3.0][-size:]", "[2.5, 3.0, 0.0][-size:]"
            )
        )
    code, log = run(specs, f"zoo:{name}")
    assert verdicts(log) == expected
    assert {result.rule for result in log.results.values() if result.verdict.value != "PASS"} == {rule}
    # Nothing failed, but nothing passed either: that is no conformance.
    assert code == (3 if "UNSUPPORTED" in expected else 1)


@pytest.mark.long
def test_logs_of_crashes_are_equal(specs: Path) -> None:
    """A driver that crashes in the same way twice leaves the same log twice, last words included."""
    logs = [run(specs, "zoo:run-crash")[1] for _ in range(2)]
    assert equal_apart_from_timings(*logs)
    crash = next(result for result in logs[0].results.values() if result.verdict.value == "CRASH")
    assert "Segmentation fault" in crash.evidence["stderr_tail"]


@pytest.mark.long
def test_a_driver_that_takes_all_memory(specs: Path) -> None:
    """It is CRASH for the case, with the limit in bytes and in the replay command, and the run goes on."""
    logs = [run(specs, "zoo:run-hoard", memory_limit=300 << 20)[1] for _ in range(2)]
    assert verdicts(logs[0]) == ["PASS", "CRASH", "PASS"]
    (crash,) = (result for result in logs[0].results.values() if result.verdict.value == "CRASH")
    assert crash.rule == "driver/memory"
    assert crash.evidence["memory_limit"] == 314572800
    assert crash.evidence["timings"]["memory"] > 314572800
    assert "--memory-limit 300" in crash.evidence["replay"]
    assert equal_apart_from_timings(*logs)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["run-stop", "run-mute"])
def test_a_silent_driver_hangs(specs: Path, name: str) -> None:
    """A driver that does not answer is HANG for the case, with what it was asked; the run goes on."""
    log = run(specs, f"zoo:{name}", timeout_s=1.0)[1]
    assert verdicts(log) == (["PASS", "HANG", "PASS"] if name == "run-stop" else ["HANG"] * 3)
    hang = next(result for result in log.results.values() if result.verdict.value == "HANG")
    assert hang.evidence["call"]
    assert "nnvet replay" in hang.evidence["replay"]


def test_missing_output_shapes_fail_where_sizes_were_unknown(specs: Path) -> None:
    """Leaving out output shapes is legal for known sizes and a broken rule for unknown ones."""
    selector = "zoo:run-no-shapes"
    known = Selection(("GeneratedTest/sync/relu_of_2",))
    unknown = Selection(("DynamicOutputShapeTest/sync_unspecified/relu_of_2",))
    assert verdicts(run(specs, selector, known)[1]) == ["PASS"]
    log = run(specs, selector, unknown)[1]
    assert [result.rule for result in log.results.values()] == ["execution/output.shapes"]


def test_failures_say_which_element_and_why(specs: Path) -> None:
    """A wrong value comes with index, expected, actual, tolerance and its source."""
    log = run(specs, "zoo:run-zeros", Selection(("GeneratedTest/sync/relu_of_3",)))[1]
    worst = next(iter(log.results.values())).evidence["worst"]
    assert (worst["index"], worst["expected"], worst["actual"]) == ([2], 3.0, 0.0)
    assert "5 * 2^-23" in worst["tolerance_source"]


def test_same_log_in_service_in_process_and_in_several_workers(specs: Path) -> None:
    """The way to reach the driver and the number of processes change nothing but timings."""
    logs = [
        run(specs, "reference", Selection(("*/*/relu_*",), full=True))[1],
        run(specs, "reference", Selection(("*/*/relu_*",), full=True), in_process=True)[1],
        run(specs, "reference", Selection(("*/*/relu_*",), full=True), jobs=2)[1],
    ]
    assert equal_apart_from_timings(logs[0], logs[1])
    assert equal_apart_from_timings(logs[0], logs[2])


def test_a_wrong_spec_is_one_error_and_the_others_run(specs: Path) -> None:
    """A spec file that raises is ERROR with its line, exit code 4, and the other files run."""
    (specs / "broken.mod.py").write_text("\n\nraise ValueError('no such thing')\n")
    code, log = run(specs, "reference")
    assert code == 4
    assert Counter(verdicts(log)) == {"ERROR": 1, "PASS": 3}
    error = log.results["load/broken.mod.py"]
    assert "broken.mod.py:3" in error.reason
    assert "no such thing" in error.reason


def test_an_unknown_driver_is_an_error_of_the_user(specs: Path) -> None:
    """A selector that leads nowhere is reported before anything is written."""
    with pytest.raises(SelectorError, match="nothing"):
        run(specs, "nothing:at-all")
    assert not (specs.parent / "out" / "run.jsonl").exists()


def test_nothing_selected_is_an_error_of_the_user(specs: Path) -> None:
    """A selection of nothing is reported, and no log is left that looks like a run."""
    with pytest.raises(SelectionError, match="no case is selected"):
        run(specs, "reference", Selection(("GeneratedTest/sync/relu_of_4",)))
    assert not (specs.parent / "out" / "run.jsonl").exists()


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_driver_that_dies_at_its_start(specs: Path, jobs: int) -> None:
    """It is CRASH with its last words, no case is listed as not run, and the exit code says not conformant."""
    code, log = run(specs, f"python:{STARTS}:stillborn", jobs=jobs)
    assert code == 1
    crash = log.results["driver/start"]
    assert (crash.verdict, crash.rule) == ("CRASH", "driver/crash")
    assert "Segmentation fault" in crash.evidence["stderr_tail"]
    assert Counter(verdicts(log)) == {"CRASH": jobs}
    assert log.is_complete
    assert log.finished is not None
    assert log.finished.problems == ("the driver does not start: no case was run",)


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_driver_that_dies_describing_itself(specs: Path, jobs: int) -> None:
    """The query of which the driver dies is CRASH, the rest of the description is in the log, and the cases run."""
    code, log = run(specs, "zoo:run-dies-of-version", jobs=jobs)
    assert code == 1
    assert log.results["driver/describe/version"].verdict.value == "CRASH"
    assert log.started.driver.name == "nnvet-reference"
    assert log.started.driver.version == ""
    assert Counter(verdicts(log)) == {"CRASH": 1, "PASS": 3}


def test_a_driver_that_refuses_to_describe_itself(specs: Path) -> None:
    """An error in place of a version is FAIL with the error, and the cases run."""
    code, log = run(specs, "zoo:run-no-version")
    assert code == 1
    finding = log.results["driver/describe/version"]
    assert finding.verdict.value == "FAIL"
    assert "nobody's business" in finding.reason
    assert Counter(verdicts(log)) == {"FAIL": 1, "PASS": 3}


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_driver_that_cannot_be_started_again(
    specs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    """The case that it died of is CRASH, so is the restart; what could not run is NOT_RUN, nothing is missing."""
    monkeypatch.setenv("NNVET_TEST_LIVES", str(tmp_path / "lives"))
    (tmp_path / "lives").mkdir()
    (tmp_path / "lives" / "1").touch()
    code, log = run(specs, f"python:{STARTS}:mortal", jobs=jobs)
    assert code == 1
    assert log.results["GeneratedTest/sync/relu_of_2"].verdict.value == "CRASH"
    assert log.results["driver/restart"].verdict.value == "CRASH"
    assert log.results["GeneratedTest/sync/relu_of_3"].verdict.value == "NOT_RUN"
    assert log.is_complete


def test_starts_that_fail_are_reported(specs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver that starts when that is tried again runs all cases; each death is in the log, with its process."""
    monkeypatch.setenv("NNVET_TEST_STARTS", str(tmp_path / "starts"))
    (tmp_path / "starts").mkdir()
    code, log = run(specs, f"python:{STARTS}:unsteady")
    assert code == 1
    deaths = {case: result for case, result in log.results.items() if result.verdict.value == "CRASH"}
    assert set(deaths) == {"driver/start", "driver/restart", "GeneratedTest/sync/relu_of_2"}
    assert Counter(verdicts(log)) == {"CRASH": 3, "PASS": 2}
    known = [death.evidence["timings"] for death in deaths.values()]
    assert len({pid for timings in known for pid in timings.get("pids", [timings["pid"]])}) == 4


MURDEROUS = """
import os, sys
from pathlib import Path

times = Path(__file__).with_name("times") if "__file__" in dir() else None
a, b = Input("a", ("TENSOR_FLOAT32", [1])), Output("b", ("TENSOR_FLOAT32", [1]))
Model().Operation("RELU", a).To(b)
Example({a: [1.0], b: [1.0]}).DisableLifeTimeVariation()
os._exit(7)
"""


def test_a_spec_that_ends_its_process(specs: Path) -> None:
    """A file that kills whoever loads it is ERROR with what is known, and all other files run."""
    (specs / "alpha.mod.py").write_text(MURDEROUS)
    (specs / "zulu.mod.py").write_text(SPEC.replace("of_", "as_"))
    code, log = run(specs, "reference", jobs=2)
    assert code == 4
    assert Counter(verdicts(log)) == {"ERROR": 1, "PASS": 6}
    assert "exited with status 7" in log.results["load/alpha.mod.py"].reason


def test_two_files_that_make_one_name(specs: Path) -> None:
    """The second test of a name is ERROR, which names it, rather than lost."""
    (specs / "relu_of.mod.py").write_text(SPEC.replace("of_{size}", "{size}"))
    code, log = run(specs, "reference")
    assert code == 3
    assert Counter(verdicts(log)) == {"ERROR": 3, "PASS": 3}
    assert "two spec files" in log.results["GeneratedTest/sync/relu_of_1#2"].reason


def test_the_log_is_json_lines_with_header_and_footer(specs: Path) -> None:
    """Every line is an object with an event; cases begin before they end."""
    run(specs, "reference")
    lines = [json.loads(line) for line in (specs.parent / "out" / "run.jsonl").read_text().splitlines()]
    events = [line["event"] for line in lines]
    assert events[0] == "run_started"
    assert events[1:-1] == ["case_started", "case_finished"] * 3
    assert events[-1] == "run_finished"
    assert lines[-1]["counts"] == {"PASS": 3}
