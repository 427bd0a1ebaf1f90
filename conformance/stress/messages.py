"""Messages between the processes of a stress run, and the options of the run.

All processes are the suite's own, so messages are pickled objects. The coordinator receives :class:`Joined`,
:class:`PhaseBegan`, :class:`Beat` and then :class:`Ended` from a test process. A test receives :class:`Awake`,
:class:`Beat` and then :class:`ClientReport` from a client.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from nnvet.conformance.engine.outcome import Outcome
from nnvet.conformance.engine.target import Target
from nnvet.generators.graphs.model import TestModel

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


BEAT_S: Final = 0.25
"""Time between a process's signs of life, which say how far it has come."""


START: Final = "start"
"""The phase of a test in which its driver starts."""


@dataclass(frozen=True)
class TestOrder:
    """Order to a test process."""

    __test__ = False

    test: str
    target: Target
    options: StressOptions


@dataclass(frozen=True)
class ClientOrder:
    """Order to a client process: ``threads`` times the work ``role`` for ``duration_s``, from ``seed`` on.

    ``level`` is the feature level to keep to, ``timeout_s`` how long the driver may take for a call, ``folder`` one
    that all clients of the test share. ``driver`` is the driver's process, as far as that is known.
    """

    role: str
    seed: str
    threads: int
    duration_s: float
    level: int
    timeout_s: float
    folder: str = ""
    driver: int | None = None


@dataclass(frozen=True)
class Joined:
    """A process takes part now: as ``driver``, or as ``client``."""

    role: str
    pid: int


@dataclass(frozen=True)
class Awake:
    """A client's Python has started: it wants its connection to the driver, and its order."""


@dataclass(frozen=True)
class PhaseBegan:
    """A phase of the test begins, which may take so many seconds."""

    name: str
    limit_s: float


@dataclass(frozen=True)
class Beat:
    """The process lives, and has done so many units of work until now."""

    done: int


@dataclass(frozen=True)
class Dump:
    """The coordinator asks for what is known of driver and clients: the test seems to hang."""


@dataclass(frozen=True)
class Dumped:
    """Per process its state, with the stacks of its threads if they can be had."""

    states: dict[str, str]


@dataclass(frozen=True)
class Ended:
    """The test has ended, with an outcome whose evidence holds what was counted; and the model that was wrong."""

    outcome: Outcome
    failed_test: TestModel | None = None


@dataclass(frozen=True)
class ClientReport:
    """Report of a client: units of work, their latencies in seconds, faults, and errors that are allowed.

    ``gone`` says how it lost the driver, if it did; ``failed_test`` is the first model that was executed wrongly.
    """

    done: int
    latencies_s: tuple[float, ...]
    failures: tuple[Outcome, ...] = ()
    gone: Outcome | None = None
    errors: dict[str, int] = field(default_factory=dict)
    failed_test: TestModel | None = None


ToCoordinator = Joined | PhaseBegan | Beat | Dumped | Ended
FromClient = Awake | Beat | ClientReport
