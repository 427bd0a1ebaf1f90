"""Logs survive whatever ends a run, and nothing wrong is written or read."""

import os
import signal
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from nnvet.reports.events import Measurement, RunStarted, Verdict
from nnvet.reports.log import EventLog, LogError, read_log


def test_reading_gives_what_was_written(full_log: Path, started: RunStarted) -> None:
    """Header, cases, measurements and footer come back."""
    log = read_log(full_log)
    assert log.started == started
    assert log.is_complete
    assert {verdict: count for verdict, count in log.counts.items() if count != 1} == {
        Verdict.PASS: 3,
        Verdict.FAIL: 2,
    }
    assert [item.model for item in log.measurements] == ["mobilenet_v1", "mobilenet_v1", "asr_float"]
    assert log.results["spec/conv/1"].operations == ("CONV_2D",)
    assert log.results["spec/conv/1"].operand_types == ("TENSOR_FLOAT32",)
    assert log.results["other/crash"].evidence["stderr_tail"] == r"last \x1b[31mwords\x00 \udc80"
    assert log.finished is not None
    assert log.finished.exit_code == 1
    assert log.finished.problems == ("waivers.toml#7 has expired",)


def test_every_line_is_on_disk_at_once(tmp_path: Path, started: RunStarted) -> None:
    """A reader sees each event while the run goes on."""
    path = tmp_path / "deep" / "run.jsonl"
    with EventLog.create(path, started) as log:
        assert path.read_bytes().count(b"\n") == 1
        log.case_started("a")
        assert path.read_bytes().count(b"\n") == 2
        assert read_log(path).unfinished == ("a",)


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_leaving_by_an_exception_leaves_an_incomplete_log(
    tmp_path: Path, started: RunStarted, error: type[BaseException]
) -> None:
    """Whatever leaves the block, the log is readable, without a footer, and the exception goes on."""
    path = tmp_path / "run.jsonl"

    def run() -> None:
        with EventLog.create(path, started) as log:
            log.case_started("a")
            log.case_finished("a", Verdict.PASS)
            log.case_started("b")
            raise error

    with pytest.raises(error):
        run()
    log = read_log(path)
    assert not log.is_complete
    assert (list(log.results), log.unfinished) == (["a"], ("b",))


def test_a_killed_process_leaves_all_it_logged(tmp_path: Path) -> None:
    """SIGKILL in the middle of a case loses nothing that was logged."""
    path = tmp_path / "run.jsonl"
    program = (
        "import os, signal, sys\n"
        "from nnvet.reports.events import DriverFacts, RunStarted, Verdict\n"
        "from nnvet.reports.log import EventLog\n"
        "log = EventLog.create(sys.argv[1], RunStarted('0', DriverFacts('x'), '2025-01-01T00:00:00Z'))\n"
        "for index in range(100):\n"
        "    log.case_started(f'case/{index}')\n"
        "    log.case_finished(f'case/{index}', Verdict.PASS)\n"
        "log.case_started('case/100')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, path], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    log = read_log(path)
    assert len(log.results) == 100
    assert log.unfinished == ("case/100",)
    assert log.finished is None


def test_a_log_cut_anywhere_is_readable(full_log: Path, tmp_path: Path) -> None:
    """Cut within any line, all whole lines are read; only without a whole header there is no log."""
    data = full_log.read_bytes()
    ends = [index + 1 for index, byte in enumerate(data) if byte == ord("\n")]
    cut_log = tmp_path / "cut.jsonl"
    # Near the ends of lines every byte matters; in between, one cut in 37 will do.
    near = {end + offset for end in ends for offset in (-2, -1, 0, 1)}
    for cut in sorted(near | set(range(0, len(data), 37))):
        cut_log.write_bytes(data[:cut])
        if cut < ends[0] - 1:
            with pytest.raises(LogError, match="no events"):
                read_log(cut_log)
            continue
        log = read_log(cut_log)
        whole = [line for line, end in zip(data.splitlines(), ends, strict=True) if end - 1 <= cut]
        assert len(log.results) == sum(b'"event":"case_finished"' in line for line in whole)
        assert (log.finished is not None) == (len(whole) == len(ends))


REFUSED: dict[str, tuple[Callable[[EventLog], object], str]] = {
    "begins twice": (lambda log: log.case_started("open"), "'open' begins twice"),
    "begins after its end": (lambda log: log.case_started("done"), "'done' begins twice"),
    "ends twice": (lambda log: log.case_finished("done", Verdict.PASS), "'done' ends twice"),
    "ends without beginning": (lambda log: log.case_finished("new", Verdict.PASS), "without having begun"),
    "empty id": (lambda log: log.case_started(""), "cannot be printed"),
    "id with a line end": (lambda log: log.case_started("a\nb"), "cannot be printed"),
    "second measurement": (lambda log: log.measurement(Measurement("m", "LiteRT")), "measured twice"),
    "duration that is no number": (
        lambda log: log.case_finished("open", Verdict.PASS, duration_s=float("nan")),
        "duration_s",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_writer_refuses(name: str, tmp_path: Path, started: RunStarted) -> None:
    """A refused event leaves the log as it was."""
    act, message = REFUSED[name]
    path = tmp_path / "run.jsonl"
    with EventLog.create(path, started) as log:
        log.case_started("open")
        log.case_started("done")
        log.case_finished("done", Verdict.FAIL)
        log.measurement(Measurement("m", "LiteRT"))
        before = path.read_bytes()
        with pytest.raises(LogError, match=message):
            act(log)
        assert path.read_bytes() == before
        log.case_finished("open", Verdict.PASS)
        log.finish(1)
    assert read_log(path).is_complete


def test_nothing_is_logged_after_the_end(tmp_path: Path, started: RunStarted) -> None:
    """A finished log refuses further events with a clear error."""
    log = EventLog.create(tmp_path / "run.jsonl", started)
    log.finish(0)
    with pytest.raises(LogError, match="nothing may follow run_finished"):
        log.case_started("late")


def test_cases_that_never_began_can_be_logged_not_run(tmp_path: Path, started: RunStarted) -> None:
    """NOT_RUN needs no beginning, and its id is taken then."""
    path = tmp_path / "run.jsonl"
    with EventLog.create(path, started) as log:
        log.case_finished("a", Verdict.NOT_RUN, reason="time was up")
        with pytest.raises(LogError, match="begins twice"):
            log.case_started("a")
        assert log.counts == {Verdict.NOT_RUN: 1}


def test_threads_may_share_a_log(tmp_path: Path, started: RunStarted) -> None:
    """Lines of eight threads never mix."""
    path = tmp_path / "run.jsonl"

    def work(log: EventLog, thread: int) -> None:
        for index in range(50):
            log.case_started(f"{thread}/{index}")
            log.case_finished(f"{thread}/{index}", Verdict.PASS, reason="x" * 500)

    with EventLog.create(path, started) as log:
        threads = [threading.Thread(target=work, args=(log, number)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        footer = log.finish(0)
    assert footer.counts == {Verdict.PASS: 400}
    assert len(read_log(path).results) == 400


def test_a_forked_child_may_not_write(tmp_path: Path, started: RunStarted) -> None:
    """Only the process that began the log writes it."""
    path = tmp_path / "run.jsonl"
    with EventLog.create(path, started) as log:
        child = os.fork()
        if child == 0:
            try:
                log.case_started("from the child")
            except LogError as error:
                os._exit(7 if "only the process that began" in str(error) else 1)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert path.read_bytes().count(b"\n") == 1


BROKEN: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "not JSON": (lambda lines: [lines[0], b"{", *lines[1:]], r":2: not an event of a log"),
    "deeper than any reader": (
        lambda lines: [lines[0], b'{"a":' * 20_000 + b"1" + b"}" * 20_000, *lines[1:]],
        r":2: not an event",
    ),
    "not UTF-8": (lambda lines: [lines[0], b'{"event":"case_started","case":"\xff"}', *lines[1:]], r":2: not an event"),
    "unknown field": (lambda lines: [lines[0], b'{"event":"case_started","case":"a","x":1}'], r":2: .*field `x`"),
    "no header": (lambda lines: lines[1:], r":1: a log has one run_started"),
    "second header": (lambda lines: [*lines[:2], lines[0]], r":3: a log has one run_started"),
    "line after the footer": (lambda lines: [*lines, lines[1]], r"nothing may follow run_finished"),
    "lost line": (
        lambda lines: [line for line in lines if b"spec/conv/1" not in line],
        r"run_finished counts 3 PASS.* but the log holds 2 PASS",
    ),
    "repeated line": (lambda lines: [*lines[:3], lines[2], *lines[3:]], r":4: case .* begins twice"),
    "other version": (
        lambda lines: [lines[0].replace(b'"event":', b'"log_version":99,"event":'), *lines[1:]],
        r":1: log version 99",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_reader_names_the_line_that_is_wrong(name: str, full_log: Path) -> None:
    """One clear error with the file, the line and the fault."""
    change, message = BROKEN[name]
    full_log.write_bytes(b"\n".join(change(full_log.read_bytes().splitlines())) + b"\n")
    with pytest.raises(LogError, match=message):
        read_log(full_log)


def test_files_that_cannot_be_opened_give_a_clear_error(tmp_path: Path, started: RunStarted) -> None:
    """A missing log, and a folder in its place, are reported as such."""
    with pytest.raises(LogError, match="cannot read the log"):
        read_log(tmp_path / "none.jsonl")
    with pytest.raises(LogError, match="cannot write the log"):
        EventLog.create(tmp_path, started)


def test_a_new_log_takes_the_place_of_an_old_one(make_log: Callable[..., Path]) -> None:
    """Running again into the same folder starts afresh."""
    make_log({"a": Verdict.PASS, "b": Verdict.PASS})
    assert list(read_log(make_log({"c": Verdict.PASS})).results) == ["c"]


def test_a_case_that_has_ended_takes_little_memory(tmp_path: Path, started: RunStarted) -> None:
    """A run of random models goes on for days: what its cases ended with is in the file until somebody asks."""
    count = 500
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        tracemalloc.start()
        try:
            for number in range(count):
                # As it comes from a worker: nothing is shared with the case before.
                accuracy = {f"OPERATION_{number}_{index}": number + index / 7 for index in range(10)}
                log.case_started(f"RandomModels/Bounds/{number}")
                log.case_finished(
                    f"RandomModels/Bounds/{number}",
                    Verdict.PASS,
                    evidence={"elements": number, "accuracy": accuracy, "numbers": list(range(1000, 1050))},
                    labels={"operations": list(accuracy), "suite": "RandomModels"},
                )
            assert tracemalloc.get_traced_memory()[0] / count < 600
        finally:
            tracemalloc.stop()
        so_far = log.so_far
        assert so_far.results["RandomModels/Bounds/7"].evidence["accuracy"]["OPERATION_7_0"] == 7.0
        log.finish(0)
        assert log.so_far.results == so_far.results == read_log(log.path).results
