"""Recorded spans as a file for Chrome's trace viewer and Perfetto."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from nnvet.diagnostics.tracing import Form, Recording, Thread


def chrome_trace(recorded: Recording, process: str = "nnvet") -> dict[str, Any]:
    """The recording in the JSON object form of Chrome's trace events; times are microseconds since it began.

    Threads of one name that follow each other share a track: drivers start a thread for almost everything.
    """
    tracks = _tracks(recorded.threads)
    pid = os.getpid()
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": pid, "tid": pid, "args": {"name": process}}
    ]
    for track in tracks:
        about = {"pid": pid, "tid": track.number}
        events.append({"ph": "M", "name": "thread_name", **about, "args": {"name": track.name}})
        for time_ns, mark in track.events:
            at = {"ts": (time_ns - recorded.begin_ns) / 1000, **about}
            if mark is None or mark.form is Form.SWITCH:
                events.append({"ph": "E", **at})
            if mark is not None:
                category = f"{mark.bucket.layer.name},{mark.bucket.phase.name}".lower()
                events.append({"ph": "B", "name": str(mark), "cat": category, **at})
    return {"traceEvents": events, "displayTimeUnit": "ns"}


def write_chrome_trace(recorded: Recording, path: Path) -> None:
    """Write :func:`chrome_trace` to a file that chrome://tracing and https://ui.perfetto.dev open.

    :raises OSError: the file cannot be written.
    """
    path.write_bytes(msgspec.json.encode(chrome_trace(recorded)))


def _tracks(threads: list[Thread]) -> list[Thread]:
    tracks: list[Thread] = []
    free: dict[str, list[Thread]] = {}
    known = [thread._replace(events=list(thread.events)) for thread in threads if thread.events]
    for thread in sorted(known, key=lambda candidate: candidate.events[0].time_ns):
        same = free.setdefault(thread.name, [])
        track = next((earlier for earlier in same if earlier.events[-1].time_ns <= thread.events[0].time_ns), None)
        if track is None:
            tracks.append(thread)
            same.append(thread)
        else:
            track.events.extend(thread.events)
        if _depth(thread):
            # What follows a span that never ended would seem to be inside it.
            same.remove(track or thread)
    return tracks


def _depth(thread: Thread) -> int:
    """Return the number of spans that are still open."""
    begun = sum(event.mark is not None and event.mark.form is not Form.SWITCH for event in thread.events)
    return begun - sum(event.mark is None for event in thread.events)
