"""Options of a stress run: its size, and the limits that a driver has to keep."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

LOG_PATTERN: Final = r"(?i)\b(fatal error|panic|assertion .*failed|segmentation fault|\w+Sanitizer)\b"
"""Output of a driver when something in it goes wrong that no call need show."""


@dataclass(frozen=True)
class StressOptions:
    """Sizes, seed and limits of a run.

    ``scale`` multiplies the seconds of load of every test and the number of models, ``threads`` and ``processes`` are
    those of parallel tests. ``max_degradation`` is by how much of itself the median latency may grow under the load of
    another thread that prepares models (1.0: twice as long), ``max_drift`` by how much over a long run.
    ``leaked_bytes``, ``leaked_objects``: growth by each cycle of work that counts as a leak, of memory, and of
    descriptors or threads. ``log_pattern`` is a regular expression; a line of the driver's output that it matches is a
    failure. ``split_with`` is the selector of another driver, which gets the second parts of models that are cut in
    two. ``slack_s`` is what a phase may take beside its load; None: a minute, and three calls that time out.
    """

    seed: int = 0
    scale: float = 1.0
    threads: int = 8
    processes: int = 4
    max_degradation: float = 4.0
    max_drift: float = 0.5
    leaked_bytes: float = 4096.0
    leaked_objects: float = 0.05
    log_pattern: str = LOG_PATTERN
    split_with: str = ""
    slack_s: float | None = None

    def check(self) -> None:
        """Refuse what cannot be.

        :raises ValueError: the pattern is no regular expression.
        """
        try:
            re.compile(self.log_pattern)
        except re.error as error:
            raise ValueError(f"the pattern {self.log_pattern!r} is no regular expression: {error}") from error

    def number(self, usual: int) -> int:
        """Return the number of objects that a test makes that makes so many at scale 1; at least one."""
        return max(round(usual * self.scale), 1)
