"""Runs that end early: which case a death is blamed on, when a run stops, what is kept, which run may write where."""

import json
import os
import select
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from msgspec import structs

from nnvet.conformance.engine import worker_process
from nnvet.conformance.engine.runner import Plan, RunWatcher, Stopper, StopRules, execute_plan
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.reports import log as logs
from nnvet.reports.events import DriverFacts, RunStarted, Verdict, decode, encode
from nnvet.reports.log import EventLog, Log, LogError, read_log

STARTS = Path(__file__).parents[1] / "drivers" / "misbehaving_starts.py"
PATIENCE_MS = 60_000
SPEC = """
for size in SIZES:
    a, b = Input("a", ("TENSOR_FLOAT32", [size])), Output("b", ("TENSOR_FLOAT32", [size]))
    model = Model(f"of_{size}").Operation("RELU", a).To(b)
    Example({a: [1.0] * size, b: [1.0] * size}, model=model).DisableLifeTimeVariation()
"""
SYNC = Selection(("GeneratedTest/sync/*",))
CASE = "GeneratedTest/sync/relu_of_{}"


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """A folder with a spec of three cases."""
    return folder_of(tmp_path, (1, 2, 3))


def folder_of(parent: Path, sizes: tuple[int, ...]) -> Path:
    """A folder with a spec of a case for each size."""
    folder = parent / "V1_0"
    folder.mkdir()
    (folder / "relu.mod.py").write_text(SPEC.replace("SIZES", repr(sizes)))
    return folder


def plan_for(specs: Path, driver: str = "reference", timeout_s: float = 20.0, **options: object) -> Plan:
    """A plan for the cases of a folder, into a folder beside it."""
    target = Target(driver, timeout_s=timeout_s)
    return Plan(target, specs.parent / "out", [specs], SYNC, checks=False, **options)  # type: ignore[arg-type]


def run(plan: Plan) -> tuple[int, Log]:
    """Exit code and log of a run."""
    log = execute_plan(plan, RunWatcher())
    assert log.finished is not None
    return log.finished.exit_code, read_log(plan.log)


def test_a_death_that_others_prepared_is_blamed_on_them(specs: Path) -> None:
    """The driver dies of a case because of the one before: the case is flaky, its neighbour is named."""
    code, log = run(plan_for(specs, "zoo:run-dies-later"))
    crash = log.results[CASE.format(3)]
    assert (code, crash.verdict, crash.evidence["alone"]) == (1, "CRASH", "PASS")
    assert (crash.evidence["culprit"], crash.evidence["suspects"]) == (
        CASE.format(2),
        [CASE.format(1), CASE.format(2)],
    )
    assert CASE.format(2) in crash.reason
    assert [log.results[CASE.format(size)].verdict for size in (1, 2)] == ["PASS", "PASS"]


def test_a_death_that_is_not_repeated_is_flaky(specs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is never a silent PASS: the case is CRASH and says that it is flaky."""
    monkeypatch.setenv("NNVET_TEST_MOOD", str(tmp_path / "mood"))
    code, log = run(plan_for(specs, f"python:{STARTS}:moody"))
    crash = log.results[CASE.format(3)]
    assert (code, crash.verdict, crash.evidence["culprit"]) == (1, "CRASH", "")
    assert "flaky: on a fresh driver it is PASS" in crash.reason


def test_a_death_of_its_own_is_reported_once(specs: Path) -> None:
    """A case that kills a fresh driver too is to blame itself; nobody is suspect."""
    _, log = run(plan_for(specs, "zoo:run-crash"))
    crash = log.results[CASE.format(2)]
    assert (crash.verdict, "suspects" in crash.evidence, "flaky" in crash.reason) == ("CRASH", False, False)
    assert Counter(result.verdict for result in log.results.values()) == {"PASS": 2, "CRASH": 1}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_hopeless_driver_is_given_up(tmp_path: Path, jobs: int) -> None:
    """After so many deaths in a row the run stops, says so, has its footer, and is not conformant."""
    plan = plan_for(
        folder_of(tmp_path, tuple(range(1, 8))), "zoo:run-exit-always", jobs=jobs, stop=StopRules(deaths_in_a_row=3)
    )
    code, log = run(plan)
    assert (code, Counter(result.verdict for result in log.results.values())) == (1, {"CRASH": 3})
    assert log.finished is not None
    assert "died or hung at 3 cases in a row" in log.finished.problems[0]


def test_a_run_stops_after_so_many_failures(tmp_path: Path) -> None:
    """``--max-failures``: the footer says that the run is incomplete because that was wanted."""
    plan = plan_for(folder_of(tmp_path, (1, 2, 3, 4)), "zoo:run-zeros", stop=StopRules(max_failures=2))
    code, log = run(plan)
    assert (code, Counter(result.verdict for result in log.results.values())) == (1, {"FAIL": 2})
    assert log.finished is not None
    assert log.finished.problems == ("stopped after 2 failures, as --max-failures asks",)


def test_a_run_stops_when_its_time_is_over(specs: Path) -> None:
    """``--budget``: what has passed is kept, and a run that is not complete is never 0."""
    code, log = run(plan_for(specs, stop=StopRules(budget_s=1e-9)))
    assert (code, Counter(result.verdict for result in log.results.values())) == (3, {"PASS": 1})
    assert log.finished is not None
    assert "--budget" in log.finished.problems[0]


def test_deaths_count_in_a_row() -> None:
    """A PASS in between begins the count anew; a case that says nothing of the driver does not."""
    stopper = Stopper(StopRules(deaths_in_a_row=3))
    for verdict in "CRASH", "HANG", "PASS", "CRASH", "UNSUPPORTED", "HANG":
        stopper.see(Verdict(verdict))
        assert not stopper.reason
    stopper.see(Verdict.CRASH)
    assert "3 cases in a row" in stopper.reason


def test_a_run_is_continued(specs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``--resume``: finished cases are kept as they are, the others run, and the log is that of one whole run."""
    run(plan_for(specs, stop=StopRules(budget_s=1e-9)))
    lines = plan_for(specs).log.read_text().splitlines()
    assert sum("case_finished" in line for line in lines) == 1
    started: list[str] = []
    monkeypatch.setattr(RunWatcher, "finished", lambda _, case, __: started.append(case))
    code, log = run(plan_for(specs, resume=True))
    assert (code, log.is_complete, len(log.results)) == (0, True, 3)
    assert started == [CASE.format(2), CASE.format(3)]
    # The process that ran it, and when, are those of another run.
    kept = structs.replace(decode(lines[2].encode()), process=0, began_s=0.0)
    assert encode(kept).decode() in plan_for(specs).log.read_text().splitlines()


def test_a_finished_run_is_continued_with_nothing(specs: Path) -> None:
    """Nothing runs again, and the outcome is that of before; without a log everything runs."""
    assert run(plan_for(specs, resume=True))[0] == 0
    code, log = run(plan_for(specs, resume=True))
    assert (code, len(log.results), log.is_complete) == (0, 3, True)


def test_a_run_of_another_driver_is_not_continued(specs: Path) -> None:
    """Nobody's results are taken for those of another."""
    run(plan_for(specs))
    before = plan_for(specs).log.read_bytes()
    with pytest.raises(LogError, match="another driver"):
        run(plan_for(specs, "zoo:run-zeros", resume=True))
    assert plan_for(specs).log.read_bytes() == before


def test_a_run_with_other_options_is_not_continued(specs: Path) -> None:
    """A run under another time limit, or over other specs, is not continued."""
    run(plan_for(specs))
    plan = plan_for(specs, resume=True)
    for other in (replace(plan, target=replace(plan.target, timeout_s=3.0)), replace(plan, specs=(specs.parent,))):
        with pytest.raises(LogError, match="another driver, suite, selection or options"):
            run(other)


def test_a_second_run_into_one_folder_is_refused(specs: Path) -> None:
    """It is refused at once, and the first run's log is not touched; afterwards the folder is free."""

    class Second(RunWatcher):
        def finished(self, case: str, verdict: Verdict) -> None:
            del case, verdict
            with pytest.raises(LogError, match="another run is writing here"):
                execute_plan(plan_for(specs), RunWatcher())

    assert execute_plan(plan_for(specs), Second()).counts[Verdict.PASS] == 3
    assert run(plan_for(specs))[0] == 0


def test_a_full_disk_is_one_message(specs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the file; what was written before stays readable, without half a line."""
    append = EventLog._append

    def full(log: EventLog, line: bytes) -> None:
        if b"case_finished" in line and CASE.format(2).encode() in line:
            log._file.write(line[:20])
            log._file = Full(log._file)  # type: ignore[assignment]
        append(log, line)

    monkeypatch.setattr(EventLog, "_append", full)
    plan = plan_for(specs)
    with pytest.raises(LogError, match=r"No space left on device.*--resume") as error:
        execute_plan(plan, RunWatcher())
    assert str(plan.log) in str(error.value)
    assert plan.log.read_bytes().endswith(b"}\n")
    assert list(read_log(plan.log).results) == [CASE.format(1)]
    monkeypatch.undo()
    assert run(plan_for(specs, resume=True))[0] == 0


class Full:
    """A file on a disk without space."""

    def __init__(self, file: object) -> None:
        """Stand for ``file``."""
        self._file = file

    def write(self, data: bytes) -> int:
        """There is no space."""
        del data
        raise OSError(28, os.strerror(28))

    def __getattr__(self, name: str) -> object:
        """All else as the file."""
        return getattr(self._file, name)


def test_a_log_that_cannot_be_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk without space is an error of the user that names the file; the log of an earlier run stays."""
    log = tmp_path / "run.jsonl"
    log.write_text("of before")
    monkeypatch.setattr(logs, "create_file", lambda _: os.open("/dev/full", os.O_RDWR))
    with pytest.raises(LogError, match=rf"{log}.*No space left"):
        EventLog.create(log, RunStarted("0", DriverFacts("x"), "2026"))
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("run.jsonl", "of before")]
    monkeypatch.undo()
    (tmp_path / "file").touch()
    with pytest.raises(LogError, match="choose another --out"):
        execute_plan(Plan(Target("reference"), tmp_path / "file"), RunWatcher())


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("end", "known"),
    [("import sys; sys.exit(0)", "SystemExit"), ("import os; os._exit(5)", "exited with status 5")],
    ids=["asking", "at once"],
)
def test_a_spec_that_ends_its_process(specs: Path, end: str, known: str) -> None:
    """It is ERROR on that file, with one process as with several; all other files run."""
    (specs / "alpha.mod.py").write_text(end)
    code, log = run(plan_for(specs))
    assert code == 4
    assert Counter(result.verdict for result in log.results.values()) == {"ERROR": 1, "PASS": 3}
    assert known in log.results["load/alpha.mod.py"].reason


def test_a_spec_that_comes_to_no_end(specs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ERROR on that file once its time is over."""
    (specs / "relu.mod.py").write_text("while True: pass")
    monkeypatch.setattr(worker_process, "LOADING_S", 0.5)
    code, log = run(plan_for(specs))
    assert (code, list(log.results)) == (4, ["load/relu.mod.py"])
    assert "loading took more than 0.5 s" in log.results["load/relu.mod.py"].reason


def test_a_program_that_never_speaks_obeys_the_timeout(specs: Path) -> None:
    """``exec:sleep`` hangs at its start after the timeout of calls, not after a minute; it is a verdict."""
    code, log = run(plan_for(specs, "exec:sleep 1000", timeout_s=0.3))
    hang = log.results["driver/start"]
    assert (code, hang.verdict, hang.evidence["waited_s"]) == (1, "HANG", 0.3)


@pytest.fixture
def endless(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """``nnvet run -n 2`` on a driver that hangs at one case, and has begun to."""
    specs = folder_of(tmp_path, (1, 2, 3, 4))
    command = [sys.executable, "-m", "nnvet.commands", "run", "-n", "2", "--timeout", "1000", "--specs", str(specs)]
    selection = ["--only", "GeneratedTest/sync/*", "--out", str(tmp_path / "out"), "-d", "zoo:run-stop"]
    with subprocess.Popen(command + selection, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        log = tmp_path / "out" / "run.jsonl"
        while not (log.exists() and f'"{CASE.format(2)}"' in log.read_text()):
            assert process.poll() is None
        yield process


@pytest.mark.parametrize(
    "number",
    [
        *(pytest.param(number, marks=pytest.mark.long) for number in (signal.SIGTERM, signal.SIGHUP)),
        signal.SIGINT,
        signal.SIGKILL,
    ],
)
def test_nothing_outlives_a_run(endless: subprocess.Popen[str], tmp_path: Path, number: signal.Signals) -> None:
    """However a run ends, its workers and services end with it; asked to end, it leaves log and reports."""
    family = [os.pidfd_open(child.pid) for child in psutil.Process(endless.pid).children(recursive=True)]
    assert len(family) >= 4
    endless.send_signal(number)
    assert endless.wait(60) == (-9 if number == signal.SIGKILL else 128 + number)
    for descriptor in family:
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        assert poller.poll(PATIENCE_MS)
        os.close(descriptor)
    log = read_log(tmp_path / "out" / "run.jsonl")
    assert not log.is_complete
    assert (tmp_path / "out" / "report.html").exists() is (number != signal.SIGKILL)
    assert all(json.loads(line)["event"] for line in log.path.read_text().splitlines())
