"""Spans while somebody records and while nobody does, and the file for Perfetto.

Marks: docs/contract/sample-driver.md 10.1.
"""

import itertools
import json
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from nnvet.diagnostics import tracing
from nnvet.diagnostics.trace_summary import chrome_trace, write_chrome_trace
from nnvet.diagnostics.tracing import (
    Bucket,
    Event,
    Form,
    Layer,
    Mark,
    TracePhase,
    recording,
    span,
    switch,
)
from tests.diagnostics.trace_events import mark_of, recorded

EXECUTE = Bucket(Layer.DRIVER, TracePhase.EXECUTION)
RESULTS = Bucket(Layer.DRIVER, TracePhase.RESULTS)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that shows 0, 1, 2, … nanoseconds."""
    ticks = itertools.count()
    monkeypatch.setattr(tracing, "time", SimpleNamespace(monotonic_ns=lambda: next(ticks)))


@pytest.mark.parametrize(
    ("mark", "text"),
    [
        (Mark(EXECUTE, "run"), "[NN_LD_PE]run"),
        (Mark(Bucket(Layer.APPLICATION, TracePhase.OVERALL)), "[NN_LA_PO]"),
        (Mark(RESULTS, "x", Form.SWITCH), "[SW][NN_LD_PR]x"),
        (Mark(Bucket(Layer.RUNTIME, TracePhase.COMPILATION), "y", Form.SUBTRACT), "[SUB][NN_LR_PC]y"),
    ],
)
def test_text_of_marks(mark: Mark, text: str) -> None:
    """Prefix, layer, phase, detail."""
    assert str(mark) == text
    assert mark_of(text) == mark


def test_names_of_layers_and_phases() -> None:
    """Seven layers and thirteen phases, by their letters."""
    assert " ".join(Layer) == "LA LR LI LD LC LO LU"
    assert " ".join(TracePhase) == "PO PWU PBM PI PP PC PE PT PU PIO PTR PCO PR"


@pytest.mark.usefixtures("clock")
def test_spans_are_recorded_with_their_times() -> None:
    """The recording takes tick 0; then every beginning and end takes one."""
    with recording() as made, span(EXECUTE, "outer"):
        with span(RESULTS):
            pass
        switch(RESULTS, "next")
    (thread,) = made.threads
    assert (made.begin_ns, thread.number, thread.name) == (0, threading.get_native_id(), "MainThread")
    assert thread.events == [
        Event(1, Mark(EXECUTE, "outer")),
        Event(2, Mark(RESULTS)),
        Event(3, None),
        Event(4, Mark(RESULTS, "next", Form.SWITCH)),
        Event(5, None),
    ]


def test_spans_end_with_exceptions() -> None:
    """A span hides no exception, and ends with it."""
    with recording() as made, pytest.raises(KeyError), span(EXECUTE):
        raise KeyError
    assert [event.mark for event in made.threads[0].events] == [Mark(EXECUTE), None]


def test_nothing_is_made_while_nobody_records() -> None:
    """Every span is the same object that does nothing, exceptions pass, and a later recording knows nothing of it."""
    assert span(EXECUTE, "one") is span(RESULTS, "two")
    with span(EXECUTE), span(EXECUTE):
        switch(RESULTS)
    with pytest.raises(KeyError), span(EXECUTE):
        raise KeyError
    with recording() as made:
        pass
    assert made.threads == []


def test_spans_from_before_and_beyond_a_recording() -> None:
    """A span that began before is unknown; one that outlives the recording still ends there."""
    before = span(EXECUTE, "before")
    with before, recording() as made:
        inside = span(EXECUTE, "inside")
        inside.__enter__()
    inside.__exit__(None, None, None)
    with span(EXECUTE, "after"):
        pass
    assert [event.mark for event in made.threads[0].events] == [Mark(EXECUTE, "inside"), None]


def test_one_recording_at_a_time() -> None:
    """A second one is refused and does not disturb the first; afterwards there can be another."""
    with recording() as first:
        with pytest.raises(RuntimeError, match="already"), recording():
            pass
        with span(EXECUTE):
            pass
    with recording() as second:
        pass
    assert len(first.threads[0].events) == 2
    assert second.threads == []


def test_threads_keep_their_own_spans() -> None:
    """Spans of eight threads that begin and end at random moments are complete and nested on each."""
    start = threading.Barrier(8)

    def work(number: int) -> None:
        start.wait()
        for _ in range(100):
            with span(EXECUTE, str(number)), span(RESULTS, str(number)):
                pass

    threads = [threading.Thread(target=work, args=(number,), name=f"work {number}") for number in range(8)]
    with recording() as made:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(thread.name for thread in made.threads) == [f"work {number}" for number in range(8)]
    for traced in made.threads:
        number = traced.name.split()[1]
        pattern = [Mark(EXECUTE, number), Mark(RESULTS, number), None, None]
        assert [event.mark for event in traced.events] == pattern * 100
        times = [event.time_ns for event in traced.events]
        assert times == sorted(times)


HAND_MADE = (
    """1     [NN_LA_PE]run
    2     [NN_LI_PE]call "a"
    2.5   end
    3     [SW][NN_LA_PR]check
    4     end""",
    "1.5   [NN_LD_PE]serve\n2 end",
)


def test_chrome_trace_by_hand() -> None:
    """Begin and end events in microseconds, a name for the process and each thread; a switch is an end and a begin."""
    trace = chrome_trace(recorded(*HAND_MADE), "me")
    assert trace["displayTimeUnit"] == "ns"
    about, *events = trace["traceEvents"]
    assert (about["ph"], about["name"], about["args"]) == ("M", "process_name", {"name": "me"})
    assert {event["pid"] for event in events} == {about["pid"]}
    names = {event["tid"]: event["args"] for event in events if event["ph"] == "M"}
    assert names == {1: {"name": "worker"}, 2: {"name": "worker"}}
    shown = [(event["tid"], event["ph"], event["ts"], event.get("name")) for event in events if event["ph"] != "M"]
    assert shown == [
        (1, "B", 1000.0, "[NN_LA_PE]run"),
        (1, "B", 2000.0, '[NN_LI_PE]call "a"'),
        (1, "E", 2500.0, None),
        (1, "E", 3000.0, None),
        (1, "B", 3000.0, "[SW][NN_LA_PR]check"),
        (1, "E", 4000.0, None),
        (2, "B", 1500.0, "[NN_LD_PE]serve"),
        (2, "E", 2000.0, None),
    ]
    assert events[1]["cat"] == "application,execution"


def test_threads_that_follow_each_other_share_a_track() -> None:
    """The third begins when the first has ended; one that never ends keeps its track to itself."""
    never = "7 [NN_LD_PE]never"
    made = recorded(
        "1 [NN_LD_PE]a\n3 end", "2 [NN_LD_PE]b\n9 end", "3 [NN_LD_PE]c\n5 end", never, "8 [NN_LD_PE]d\n9 end"
    )
    events = [event for event in chrome_trace(made)["traceEvents"] if event["ph"] == "B"]
    assert {event["name"][-1]: event["tid"] for event in events} == {"a": 1, "b": 2, "c": 1, "r": 1, "d": 5}


def test_threads_of_other_names_do_not_share() -> None:
    """A track has one name."""
    made = recorded("1 [NN_LD_PE]a\n2 end", "3 [NN_LD_PE]b\n4 end")
    made.threads[1] = made.threads[1]._replace(name="other")
    events = [event for event in chrome_trace(made)["traceEvents"] if event["ph"] == "B"]
    assert [event["tid"] for event in events] == [1, 2]


def test_the_file_is_json(tmp_path: Path) -> None:
    """The file holds the object; details with any characters survive."""
    made = recorded("1 [NN_LD_PE]ü \\ </script>\n2 end")
    write_chrome_trace(made, tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text(encoding="utf-8")) == chrome_trace(made)
