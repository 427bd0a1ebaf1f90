"""Messages between processes of a stress run; they are ours, so objects are pickled.

The coordinator hears :class:`Joined`, :class:`PhaseBegan`, :class:`Beat`, then :class:`Ended` of a test process. A test
hears :class:`Awake`, :class:`Beat` and then :class:`ClientReport` of a client.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from nnvet.conformance.engine.outcome import Outcome
from nnvet.conformance.engine.subject import Target
from nnvet.conformance.stress.options import StressOptions
from nnvet.generators.graphs.model import TestModel

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
