"""Recordings written down by hand: each line of a thread is a time in milliseconds and a mark's text, or ``end``."""

from __future__ import annotations

import re

from nnvet.diagnostics.tracing import Bucket, Event, Form, Layer, Mark, Recording, Thread, TracePhase

_MARK = re.compile(r"(\[SW\]|\[SUB\])?\[NN_(L\w)_(P\w+)\](.*)")


def mark_of(text: str) -> Mark:
    """A mark from its text."""
    found = _MARK.fullmatch(text)
    assert found is not None, text
    form, layer, phase, detail = found.groups()
    return Mark(Bucket(Layer(layer), TracePhase(phase)), detail, Form(form or ""))


def recorded(*threads: str) -> Recording:
    """A recording that began at 0, of threads numbered from 1 that are all called ``worker``."""
    recording = Recording()
    recording.begin_ns = 0
    for number, lines in enumerate(threads, start=1):
        events = []
        for line in lines.split("\n"):
            time_ms, text = line.split(maxsplit=1)
            events.append(Event(int(float(time_ms) * 1_000_000), None if text == "end" else mark_of(text)))
        recording.threads.append(Thread(number, "worker", events))
    return recording
