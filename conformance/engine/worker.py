"""Runs cases on a driver of its own and tells what happens, event by event; one per process."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from nnvet.adapters import Driver, DriverCrash, DriverGone, SelectorError, open_driver, prepare
from nnvet.adapters.service.memory import DEFAULT_LIMIT
from nnvet.conformance.engine.case import Case
from nnvet.conformance.engine.outcome import Outcome, unsupported
from nnvet.conformance.engine.subject import Subject
from nnvet.diagnostics.tracing import Bucket, Layer, Phase, span
from nnvet.generators.specs import SpecError
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.rules import all_rules
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.reports.events import Verdict

_STARTS_TRIED = 3
_CASE = Bucket(Layer.APPLICATION, Phase.UNSPECIFIED)
_PREPARE = Bucket(Layer.APPLICATION, Phase.COMPILATION)
_START = Bucket(Layer.APPLICATION, Phase.INITIALIZATION)


@dataclass(frozen=True)
class Target:
    """Which driver to test and how to reach it. ``timeout_s`` bounds every answer of the driver.

    ``memory_limit`` are the bytes that its process may have; None: all.
    """

    selector: str
    in_process: bool = False
    timeout_s: float = 20.0
    level: int | None = None
    memory_limit: int | None = DEFAULT_LIMIT

    def open(self) -> AbstractContextManager[Driver]:
        """The driver, for as long as the block runs; raises like :func:`adapters.open_driver`."""
        return open_driver(
            self.selector, in_process=self.in_process, timeout_s=self.timeout_s, memory_limit=self.memory_limit
        )


@dataclass(frozen=True)
class Started:
    """A case begins."""

    case: str


@dataclass(frozen=True)
class Finished:
    """A case ended."""

    case: str
    outcome: Outcome
    duration_s: float
    labels: dict[str, Any] = field(default_factory=dict)


class OpenSubject:
    """The driver under test while a worker runs; see :class:`nnvet.conformance.engine.subject.Subject`."""

    def __init__(self, target: Target, driver: Driver) -> None:
        """Test ``driver`` under the level that the target names, or its own."""
        self._driver = driver
        self._target = target
        self.timeout_s = target.timeout_s
        self.in_process = target.in_process
        self.feature_level = min(int(driver.device.get_feature_level()), target.level or 2**31)
        self.shared: dict[Any, Any] = {}

    @property
    def device(self) -> Device:
        """The device as it is now; another one after a restart."""
        return self._driver.device

    def prepare(self, model: Model, config: PrepareModelConfig | None = None) -> PreparedModel:
        """Prepare and wait for the notification."""
        with span(_PREPARE):
            return prepare(self._driver.device, model, config or PrepareModelConfig(), self.timeout_s)

    @property
    def process_id(self) -> int | None:
        """Process that the driver lives in; None if that is our own."""
        return self._driver.pid

    @contextmanager
    def another_client(self) -> Iterator[Device]:
        """The device as a second client sees it; UNSUPPORTED if the service takes only one."""
        with ExitStack() as stack:
            try:
                device = stack.enter_context(self._driver.another_client())
            except HalError as error:
                raise unsupported(f"the driver's service takes one client only: {error}") from error
            yield device

    def restart(self) -> None:
        """Start the driver anew and forget what belonged to the old one."""
        self.shared.clear()
        self._driver.restart()


def run_cases(cases: Iterable[Case], target: Target) -> Iterator[Started | Finished]:
    """Run all cases in order; a driver that dies is started anew and the run goes on.

    :raises SelectorError: the driver cannot be reached at all.
    """
    with ExitStack() as stack:
        with span(_START, "start the driver"):
            driver = stack.enter_context(target.open())
        subject = OpenSubject(target, driver)
        gone = ""
        for case in cases:
            if gone:
                yield Finished(case.id, Outcome(Verdict.NOT_RUN, reason=gone), 0.0, case.labels(subject))
                continue
            yield Started(case.id)
            begin = time.monotonic()
            outcome, died = run_one(subject, case)
            duration = time.monotonic() - begin
            yield Finished(case.id, outcome, duration, case.labels(subject))
            if died:
                gone = _restart(subject)


def run_one(subject: Subject, case: Case) -> tuple[Outcome, bool]:
    """Outcome of a case, and whether the driver died of it."""
    try:
        with span(_CASE, case.id):
            return case.run(subject), False
    except DriverGone as death:
        return death_outcome(death), True
    except SpecError as error:
        return Outcome(Verdict.ERROR, reason=str(error)), False
    except Exception as error:  # noqa: BLE001 - a fault of the suite ends one case, not the run
        last = traceback.extract_tb(error.__traceback__)[-1]
        reason = f"{type(error).__name__}: {error} ({last.filename}:{last.lineno})"
        return Outcome(Verdict.ERROR, reason=reason), False


def death_outcome(death: DriverGone) -> Outcome:
    """CRASH or HANG, with what is known of the process."""
    verdict = Verdict.CRASH if isinstance(death, DriverCrash) else Verdict.HANG
    evidence = {"sentence": all_rules()[death.rule].sentence, **death.evidence.as_dict()}
    return Outcome(verdict, death.rule, death.message, evidence)


def _restart(subject: Subject) -> str:
    """Start the driver again; returns why it cannot be, or nothing."""
    for _ in range(_STARTS_TRIED):
        try:
            subject.restart()
        except (SelectorError, DriverGone) as error:
            reason = f"the driver died and cannot be started again: {error}"
        else:
            return ""
    return reason
