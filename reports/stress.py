"""Stress tests in an event log: the names of their verdicts, and the keys of their samples."""

from __future__ import annotations

from typing import Final

from nnvet.reports.events import Verdict

STRESS_VERDICTS: Final = {
    Verdict.PASS: "SUCCESS",
    Verdict.FAIL: "FAILURE",
    Verdict.HANG: "HANG",
    Verdict.CRASH: "CRASH",
}
"""Verdicts of crash tests in the words of MLTS; all other verdicts keep their names."""

LABEL: Final = "stress"
"""Label of a case that is a stress test; its value is the word for the verdict."""
TIMELINE: Final = "timeline"
"""Key of the samples in the evidence's ``timings``: ``fields``, and ``rows`` of them."""
FIELDS: Final = ("time_s", "role", "cpu_percent", "memory_bytes", "descriptors", "threads", "processes")
"""Fields of a sample, in this order: sums over the processes of a role."""


def stress_verdict(verdict: Verdict) -> str:
    """Return the word for a verdict of a stress test."""
    return STRESS_VERDICTS.get(verdict, verdict.value)
