"""Worker processes: another one runs the cases of a dead one, and every case runs exactly once."""

import os
import signal
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from itertools import count
from pathlib import Path

import psutil
import pytest

from nnvet.conformance.engine import worker_process
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.driver import Turns
from nnvet.conformance.engine.pool import run_in_workers
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.engine.work import Assignment, BatchEnded, Ready, SharedAssignment, WorkQueue
from nnvet.conformance.engine.worker_process import CaseSlot, WorkerError
from nnvet.conformance.kit.outcome import Finished, Started
from nnvet.reports.events import Verdict

SPEC = """
for size in (1, 2, 3):
    a, b = Input("a", ("TENSOR_FLOAT32", [size])), Output("b", ("TENSOR_FLOAT32", [size]))
    model = Model(f"of_{size}").Operation("RELU", a).To(b)
    Example({a: [-1.5, 2.5, 3.0][-size:], b: [0.0, 2.5, 3.0][-size:]}, model=model).DisableLifeTimeVariation()
"""
FATAL = """
import os

class Fatal(list):
    def __iter__(self):
        os._exit(9)
"""
KILLER = """
import os
import signal

from nnvet.driver_kit.base_device import BaseDevice

# Once the worker is dead, the parent is whoever adopts the driver: the process of the tests.
WORKER = os.getppid()


class Killer(BaseDevice):
    def get_supported_operations(self, model):
        if model.main.operands[0].dimensions == (2,):
            os.kill(WORKER, signal.SIGKILL)
        return super().get_supported_operations(model)
"""
UNSTEADY = """
import os, sys
with open(os.environ["NNVET_TEST_STARTS"], "r+") as file:
    said = file.read()
    file.write(".")
if "*" in said or len(said) in (1, 3):
    os._exit(9)
os.execv(sys.executable, [sys.executable, "-P", "-m", "nnvet.conformance.engine.worker", sys.argv[1]])
"""
"""A worker that dies at its start if a file says so, or it is the second or the fourth."""
FIRST_STOPS = """
import os, signal, sys
try:
    os.rename(os.environ["NNVET_TEST_STARTS"], os.environ["NNVET_TEST_STARTS"] + ".seen")
    os.kill(os.getpid(), signal.SIGSTOP)
except FileNotFoundError:
    os.execv(sys.executable, [sys.executable, "-P", "-m", "nnvet.conformance.engine.worker", sys.argv[1]])
"""
"""A worker that stops itself if it is the first to find a file."""
SYNC = Selection(("GeneratedTest/sync/*",))


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """Four spec files of three cases each."""
    for name in ("alpha", "beta", "gamma", "delta"):
        (tmp_path / f"{name}.mod.py").write_text(SPEC)
    return tmp_path


def workers() -> list[psutil.Process]:
    """The worker processes of this process, oldest first."""
    found = []
    for child in psutil.Process().children():
        # One that has just been killed has no command line any more.
        with suppress(psutil.Error):
            if "nnvet.conformance.engine.worker" in child.cmdline():
                found.append((child.create_time(), child.pid, child))
    return [child for *_, child in sorted(found, key=lambda entry: entry[:2])]


def test_every_case_runs_once(specs: Path) -> None:
    """Two workers share the batches; each case begins and ends once, each batch ends once, nobody is left."""
    batches = Catalogue([specs], with_checks=False).batches(SYNC)
    said, most = [], 0
    for event in run_in_workers(lambda: batches, Assignment(Target("reference"), SYNC), 2):
        said.append(event)
        most = max(most, len(workers()))
    assert most == 2
    ended = Counter(event.case for event in said if isinstance(event, Finished))
    assert (len(ended), set(ended.values())) == (12, {1})
    assert sum(isinstance(event, Started) for event in said) == 12
    assert Counter(event.batch for event in said if isinstance(event, BatchEnded)) == Counter(batches)
    # On a busy machine one may have done everything before the other is ready.
    assert sum(isinstance(event, Ready) for event in said) in (1, 2)
    assert workers() == []


def test_what_a_killed_worker_owed_is_run_by_another(specs: Path) -> None:
    """A worker that is killed in the middle of a batch costs nothing: every case ends once, with PASS."""
    batches = Catalogue([specs], with_checks=False).batches(SYNC)
    events = run_in_workers(lambda: batches, Assignment(Target("reference"), SYNC), 2)
    ended: Counter[str] = Counter()
    # One alone: two that die before they have begun the same batch are its fault.
    is_killed = False
    with closing(events):
        for event in events:
            if isinstance(event, Finished):
                assert event.outcome.verdict is Verdict.PASS, event
                ended[event.case] += 1
                if not is_killed and (alive := workers()):
                    is_killed = True
                    os.kill(alive[0].pid, signal.SIGKILL)
    assert is_killed
    assert len(ended) == 12
    assert set(ended.values()) == {1}


def test_what_a_stopped_worker_owed_is_run_by_another(specs: Path) -> None:
    """A worker that is stopped in the middle of a batch is killed once it has been silent for some time."""
    batches = Catalogue([specs], with_checks=False).batches(SYNC)
    events = run_in_workers(lambda: batches, Assignment(Target("reference", timeout_s=6.0), SYNC), 1)
    verdicts = []
    for event in events:
        if isinstance(event, Finished):
            verdicts.append((event.case, event.outcome.verdict))
            if len(verdicts) == 2:
                os.kill(workers()[0].pid, signal.SIGSTOP)
    assert len(dict(verdicts)) == len(verdicts) == 12
    assert {verdict for _, verdict in verdicts} == {Verdict.PASS}
    assert workers() == []


@pytest.mark.long
def test_deaths_of_workers_that_start_count_in_a_row(
    specs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second and the fourth worker die as they start, and the run goes on; two in a row end it."""
    (tmp_path / "starts").write_text("")
    monkeypatch.setenv("NNVET_TEST_STARTS", str(tmp_path / "starts"))
    monkeypatch.setattr(worker_process, "_COMMAND", (sys.executable, "-P", "-c", UNSTEADY))
    batches = Catalogue([specs], with_checks=False).batches(SYNC)
    assignment = Assignment(Target("reference"), SYNC)
    ended, kills, armed = [], 2, False
    for event in run_in_workers(lambda: batches, assignment, 1):
        armed |= isinstance(event, Ready)
        if isinstance(event, Finished):
            ended.append(event.case)
            if armed and kills:
                workers()[0].kill()
                kills, armed = kills - 1, False
    assert (tmp_path / "starts").read_text() == "." * 5
    assert len(set(ended)) == len(ended) == 12
    (tmp_path / "starts").write_text("*")
    with pytest.raises(WorkerError, match="exited with status 9"):
        list(run_in_workers(lambda: batches, assignment, 1))


def test_a_worker_that_reads_nothing(specs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that dies, or is stopped, before it has read what is sent to it is a death like others."""
    assignment = Assignment(Target("reference"), SYNC, frozenset(f"case {number}" for number in range(100_000)))
    monkeypatch.setattr(worker_process, "_STARTING_S", 1.0)
    batches = Catalogue([specs], with_checks=False).batches(SYNC)
    for program in ("pass", "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"):
        monkeypatch.setattr(worker_process, "_COMMAND", (sys.executable, "-S", "-c", program))
        with pytest.raises(WorkerError, match="the suite's worker process"):
            list(run_in_workers(lambda: batches, assignment, 1))


def test_a_worker_that_cannot_start_says_why_in_one_line(specs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As without threads to be had: no traceback, because nobody can do anything about the place in the suite."""
    program = "def start():\n    raise RuntimeError('no new thread')\nstart()"
    monkeypatch.setattr(worker_process, "_COMMAND", (sys.executable, "-S", "-c", program))
    batches = Catalogue([specs], with_checks=False).batches(SYNC)
    with pytest.raises(WorkerError) as ended:
        list(run_in_workers(lambda: batches, Assignment(Target("reference"), SYNC), 1))
    assert str(ended.value) == "the suite's worker process exited with status 1: RuntimeError: no new thread"


def test_a_worker_that_is_stopped_as_it_starts(specs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for it: the other one does all the work, however much there is to be read first."""
    (tmp_path / "starts").touch()
    monkeypatch.setenv("NNVET_TEST_STARTS", str(tmp_path / "starts"))
    monkeypatch.setattr(worker_process, "_COMMAND", (sys.executable, "-P", "-c", FIRST_STOPS))
    monkeypatch.setattr(worker_process, "_STARTING_S", 1000.0)
    batches = Catalogue([specs], with_checks=False).batches(SYNC)
    done = frozenset(f"case {number}" for number in range(100_000))
    begin = time.monotonic()
    said = list(run_in_workers(lambda: batches, Assignment(Target("reference"), SYNC, done), 2))
    assert len({event.case for event in said if isinstance(event, Finished)}) == 12
    assert time.monotonic() - begin < 500
    assert workers() == []


def test_a_case_that_kills_its_worker_twice_is_an_error(specs: Path) -> None:
    """It is not tried for ever, and its neighbours run."""
    # The suite's process dies as it builds the data of the case, not as it lists it.
    data = "Fatal([2.5, 3.0]) if size == 2 else [3.0] * size"
    (specs / "fatal.mod.py").write_text(FATAL + SPEC.replace("[-1.5, 2.5, 3.0][-size:]", data))
    batches = Catalogue([specs], with_checks=False).batches(SYNC)
    said = list(run_in_workers(lambda: batches, Assignment(Target("reference"), SYNC), 2))
    errors = [event for event in said if isinstance(event, Finished) and event.outcome.verdict is Verdict.ERROR]
    assert errors
    assert all("exited with status 9" in error.outcome.reason for error in errors)
    assert all(error.case.startswith(("load/fatal", "GeneratedTest/sync/fatal_of_2")) for error in errors)
    passed = [event for event in said if isinstance(event, Finished) and event.outcome.verdict is Verdict.PASS]
    assert len({event.case for event in passed}) == len(passed) >= 12


@pytest.mark.long
def test_a_driver_that_kills_its_worker_twice_has_crashed(specs: Path) -> None:
    """No fault of the suite's, nor an end of the run: the neighbours of the case run."""
    (specs / "killer.py").write_text(KILLER)
    batches = Catalogue([specs], with_checks=False).batches(SYNC)
    said = list(run_in_workers(lambda: batches, Assignment(Target(f"python:{specs / 'killer.py'}:Killer"), SYNC), 2))
    ended = {event.case: event.outcome for event in said if isinstance(event, Finished)}
    killed = {case: outcome for case, outcome in ended.items() if "of_2" in case}
    assert len(ended) == 12
    assert len(killed) == 4
    for outcome in killed.values():
        assert (outcome.verdict, outcome.rule) == (Verdict.CRASH, "driver/crash")
        assert "SIGKILL" in outcome.reason
    assert {ended[case].verdict for case in ended.keys() - killed.keys()} == {Verdict.UNSUPPORTED}


def test_memory_that_workers_share_cannot_be_cut_or_rewritten() -> None:
    """A driver that reaches their descriptors can neither kill by shortening it nor say what is unpickled."""
    slot = CaseSlot()
    with pytest.raises(PermissionError):
        os.ftruncate(slot.handle.fd, 0)
    same = CaseSlot(os.dup(slot.handle.fd))
    same.case = "Suite/Check/1"
    assert slot.case == "Suite/Check/1"
    assignment = Assignment(Target("reference"), SYNC)
    shared = SharedAssignment.of(assignment)
    with pytest.raises(PermissionError):
        os.ftruncate(shared.handle.fd, 0)
    with pytest.raises(PermissionError):
        os.pwrite(shared.handle.fd, b"cos", 0)
    assert shared.read() == assignment
    # The locks of turns are on it, too.
    turns = Turns(shared.handle)
    with turns.beside_others(), turns.alone():
        pass


def test_work_is_made_when_it_is_wanted() -> None:
    """An endless campaign begins; what a lost worker owes comes before the rest, and the rest in its order."""
    queue = WorkQueue(count())
    assert [queue.take(), queue.take(), queue.take()] == [0, 1, 2]
    queue.put_back(1)
    assert [queue.take(), queue.take()] == [1, 3]
    short = WorkQueue(iter("ab"))
    assert list(short) == ["a", "b"]
    assert not short
    with pytest.raises(IndexError, match="no work is left"):
        short.take()
