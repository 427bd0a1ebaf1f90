"""Traces: spans with a layer and a phase, recorded on any thread.

Code that is traced uses :func:`span`: ``with span(_RUN, "detail"):`` with a constant ``_RUN = Bucket(Layer.DRIVER,
TracePhase.EXECUTION)``. Without a recording it costs about 0.15 us and leaves nothing behind. A command records with
:func:`recording`; :mod:`nnvet.diagnostics.trace_summary` writes spans to a file and adds them up. Messages without
times are logged by :mod:`nnvet.diagnostics.vlog`. Source: docs/contract/sample-driver.md 10.1.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum
from types import TracebackType
from typing import Final, NamedTuple


class Layer(StrEnum):
    """The layer that spends the time, by the abbreviation that marks have."""

    APPLICATION = "LA"
    RUNTIME = "LR"
    IPC = "LI"
    DRIVER = "LD"
    CPU = "LC"
    OTHER = "LO"
    UTILITY = "LU"


class TracePhase(StrEnum):
    """Phases. The last four are parts of EXECUTION; UNSPECIFIED stands for the phase of the span around."""

    OVERALL = "PO"
    WARM_UP = "PWU"
    BENCHMARK = "PBM"
    INITIALIZATION = "PI"
    PREPARATION = "PP"
    COMPILATION = "PC"
    EXECUTION = "PE"
    TERMINATION = "PT"
    UNSPECIFIED = "PU"
    INPUTS_AND_OUTPUTS = "PIO"
    TRANSFORMATION = "PTR"
    COMPUTATION = "PCO"
    RESULTS = "PR"


class Form(StrEnum):
    """The relation of a span to the span around it."""

    PLAIN = ""
    SWITCH = "[SW]"
    """Takes the place of the span that it is in, which ends."""
    SUBTRACT = "[SUB]"
    """Interrupts the spans around it: its time is not counted as part of theirs."""


class Bucket(NamedTuple):
    """Layer and phase; times are added up for each such pair."""

    layer: Layer
    phase: TracePhase


class Mark(NamedTuple):
    """Purpose of a span; ``str()`` is the mark's text, such as ``[NN_LD_PE]run``."""

    bucket: Bucket
    detail: str = ""
    form: Form = Form.PLAIN

    def __str__(self) -> str:
        """Return the mark as trace files have it: ``[NN_LD_PE]detail``."""
        return f"{self.form}[NN_{self.bucket.layer}_{self.bucket.phase}]{self.detail}"


class Event(NamedTuple):
    """Beginning of a span, or (without a mark) the end of the span begun last; times are on the steady clock."""

    time_ns: int
    mark: Mark | None


class Thread(NamedTuple):
    """The events of one thread, in order. The system reuses the numbers of threads that have ended."""

    number: int
    name: str
    events: list[Event]


class Recording:
    """All events that were traced between two moments."""

    def __init__(self) -> None:
        """Begin on the steady clock, without events."""
        self.begin_ns = time.monotonic_ns()
        self.threads: list[Thread] = []
        self._local = threading.local()

    def events_here(self) -> list[Event]:
        """Return the events of the thread that asks."""
        try:
            events: list[Event] = self._local.events
        except AttributeError:
            events = self._local.events = []
            self.threads.append(Thread(threading.get_native_id(), threading.current_thread().name, events))
        return events


class _Span:
    """Records a mark around a block."""

    __slots__ = ("_events", "_mark")

    def __init__(self, events: list[Event], mark: Mark) -> None:
        self._events = events
        self._mark = mark

    def __enter__(self) -> None:
        self._events.append(Event(time.monotonic_ns(), self._mark))

    def __exit__(self, *_: object) -> None:
        self._events.append(Event(time.monotonic_ns(), None))


class _NoSpan:
    """Span that records nothing, for times without a trace."""

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        pass


_NO_SPAN: Final = _NoSpan()
"""The span of all blocks while nothing is recorded."""
_recording: Recording | None = None
"""The recording in progress; None if there is none."""
_starting: Final = threading.Lock()
"""Lock that keeps two recordings from beginning at once."""


def span(bucket: Bucket, detail: str = "", form: Form = Form.PLAIN) -> AbstractContextManager[None]:
    """Trace the ``with`` block. ``detail`` should be cheap, since it is evaluated even without a recording."""
    # Read once: the recording may end at any moment.
    recorded = _recording
    return _NO_SPAN if recorded is None else _Span(recorded.events_here(), Mark(bucket, detail, form))


def switch(bucket: Bucket, detail: str = "") -> None:
    """End the innermost span of this thread and begin another one, which ends where the first would have ended."""
    recorded = _recording
    if recorded is not None:
        recorded.events_here().append(Event(time.monotonic_ns(), Mark(bucket, detail, Form.SWITCH)))


def is_recording() -> bool:
    """Return True if spans of this process are being recorded."""
    return _recording is not None


@contextmanager
def recording() -> Iterator[Recording]:
    """Record the spans of all threads that begin inside the block.

    :raises RuntimeError: a recording is in progress.
    """
    global _recording  # noqa: PLW0603 - the fastest place to look at
    with _starting:
        if _recording is not None:
            raise RuntimeError("spans are being recorded already")
        _recording = recorded = Recording()
    try:
        yield recorded
    finally:
        _recording = None
