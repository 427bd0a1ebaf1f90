"""Messages between the processes of a stress run, and the options of the run.

All processes are the suite's own, so messages are pickled objects. The coordinator
(:mod:`nnvet.conformance.stress.coordinator`) sends a :class:`TestOrder` to a test's process, and receives
:class:`Joined`, :class:`PhaseBegan`, :class:`Beat` and then :class:`Ended`. A test
(:mod:`nnvet.conformance.stress.clients`) receives :class:`Awake` from a client, sends it a :class:`ClientOrder`, and
receives :class:`Beat` and then :class:`ClientReport`. Drivers get none of these messages; theirs are in
:mod:`nnvet.transport.wire`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.outcome import Outcome
from nnvet.graphs.model import TestModel

LOG_PATTERN: Final = r"(?i)\b(fatal error|panic|assertion .*failed|segmentation fault|\w+Sanitizer)\b"
"""Pattern of a driver's output that reveals a fault even if no call fails."""


@dataclass(frozen=True)
class StressOptions:
    """Sizes, seed and limits of a run.

    ``scale`` multiplies the seconds of load of every test and the number of models. ``threads`` and ``processes`` are
    the numbers used by parallel tests. ``max_degradation`` is the part of itself by which the median latency may grow
    while another thread prepares models (1.0: twice as long), ``max_drift`` the part by which it may grow over a long
    run.

    ``leaked_bytes`` (memory) and ``leaked_objects`` (descriptors or threads) are the growth per cycle of work that
    counts as a leak. ``log_pattern`` is a regular expression; a line of the driver's output that it matches is a
    failure. ``split_with`` is the selector of another driver, which gets the second parts of models that are cut in
    two. ``slack_s`` is the time that a phase may take beyond its load; None stands for a minute and three calls that
    time out.
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
        """Refuse options that make no sense.

        :raises ValueError: the pattern is no regular expression.
        """
        try:
            re.compile(self.log_pattern)
        except re.error as error:
            raise ValueError(f"the pattern {self.log_pattern!r} is no regular expression: {error}") from error

    def number(self, usual: int) -> int:
        """Return the number of objects that a test makes at this scale, from its number at scale 1; at least one."""
        return max(round(usual * self.scale), 1)


BEAT_S: Final = 0.25
"""Seconds between two beats: messages that show that a process lives, and how much work it has done."""


START: Final = "start"
"""The phase of a test in which its driver starts."""


@dataclass(frozen=True)
class TestOrder:
    """Message that tells a test process which test to run, and on which driver."""

    __test__ = False

    test: str
    target: Target
    options: StressOptions


@dataclass(frozen=True)
class ClientOrder:
    """Message that tells a client process to do the work ``role`` on ``threads`` threads for ``duration_s`` seconds.

    ``seed`` decides on the models. ``level`` is the feature level to keep to, ``timeout_s`` the time that the driver
    may take for a call, and ``folder`` is shared by all clients of the test. ``driver`` is the id of the driver's
    process, if it is known.
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
    """A process has joined the test, as ``driver`` or as ``client``."""

    role: str
    pid: int


@dataclass(frozen=True)
class Awake:
    """A client's Python has started, so the client needs its connection to the driver and its order."""


@dataclass(frozen=True)
class PhaseBegan:
    """A phase of the test begins; ``limit_s`` are the seconds that it may take."""

    name: str
    limit_s: float


@dataclass(frozen=True)
class Beat:
    """The process lives, and has done ``done`` units of work until now."""

    done: int


@dataclass(frozen=True)
class Dump:
    """The coordinator asks for the state of driver and clients, because the test seems to hang."""


@dataclass(frozen=True)
class Dumped:
    """State of each process, with the stacks of its threads if they can be obtained."""

    states: dict[str, str]


@dataclass(frozen=True)
class Ended:
    """The test has ended: its outcome, with counts as evidence, and the first model that was executed wrongly."""

    outcome: Outcome
    failed_test: TestModel | None = None


@dataclass(frozen=True)
class ClientReport:
    """Report of a client: units of work, their latencies in seconds, faults, and allowed errors by status.

    ``gone`` is the outcome if the client lost the driver; ``failed_test`` is the first model that was executed wrongly.
    """

    done: int
    latencies_s: tuple[float, ...]
    failures: tuple[Outcome, ...] = ()
    gone: Outcome | None = None
    errors: dict[str, int] = field(default_factory=dict)
    failed_test: TestModel | None = None


ToCoordinator = Joined | PhaseBegan | Beat | Dumped | Ended
"""Messages of a test's process."""
FromClient = Awake | Beat | ClientReport
"""Messages of a client process."""
