"""Data of tasks that need a machine to themselves, such as a stress test or the benchmark of a model.

:mod:`nnvet.conformance.cluster.solo_run` distributes :class:`SoloTask`, and returns a :class:`SoloResult` for each;
:mod:`nnvet.conformance.cluster.solo_process` runs one on a worker. Data of usual runs, in which cases share a machine,
are in :mod:`nnvet.conformance.cluster.chunk`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nnvet.conformance.cluster.chunk import Fate
from nnvet.conformance.engine.work import Ready
from nnvet.reports.events import Machine


@dataclass(frozen=True)
class Described:
    """A worker's equipment for a run: its drivers, and facts that must be ``alike`` on all workers, by name.

    ``notes`` are for the user.
    """

    drivers: tuple[Ready, ...]
    alike: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


Describe = Callable[[], Described]
"""Function that describes a worker. It is sent there by pickle, so it has to be a module's function or a partial.

:raises UnfitError: the worker cannot take part.
:raises SelectorError: it has no such driver.
:raises DriverLostError: a driver does not start.
"""


@dataclass(frozen=True)
class Introduction:
    """A worker's description of itself. ``machine`` and ``lock`` are the same only for workers that share a machine.

    Workers of one machine with different locks, as in containers, do not know of the work that other commands send.
    """

    worker: str
    machine: str
    lock: str
    facts: Machine
    described: Described


@dataclass(frozen=True)
class SoloTask:
    """A module's function with its arguments, called in a new process on the worker; messages call it ``name``."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class LastMessage:
    """Last message of a task's process: its answer or an error; ``unfit`` means that there is no driver."""

    value: Any = None
    error: str = ""
    unfit: bool = False


@dataclass(frozen=True)
class SoloAnswer:
    """End of an attempt at a task on a worker: DONE with the function's ``value``, or the reason why not.

    ``facts`` describe the machine when the task began, ``evidence`` describes the death of the task's process.
    """

    fate: Fate
    worker: str
    reason: str = ""
    value: Any = None
    facts: Machine | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SoloResult:
    """The final result of a task: its answer, or if that is None, the ``reason``.

    ``deaths`` describe the workers that died while they ran it.
    """

    number: int
    answer: SoloAnswer | None
    reason: str = ""
    deaths: tuple[Mapping[str, Any], ...] = ()
