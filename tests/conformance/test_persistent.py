"""A success after a PERSISTENT error of the same call is a fault; of another call, or after other errors, it is not."""

from contextlib import suppress
from typing import Any

import pytest

from nnvet.adapters import begin_prepare, create_device, open_device, prepare
from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import checks
from nnvet.conformance.kit.outcome import Finished
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.graphs.builder import sum_of_two
from nnvet.graphs.hal_model import build_model
from nnvet.hal.enums import ErrorStatus, Priority
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModelCallback
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.reports.events import Verdict

MODEL = build_model(sum_of_two("sum", [1], [2], [3]))
OTHER = build_model(sum_of_two("other", [1, 2], [2, 3], [3, 5]))
PLAIN = PrepareModelConfig()
LATE, LATER = PrepareModelConfig(deadline_ns=2**62), PrepareModelConfig(deadline_ns=2**62 + 1)
P, T, N = ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT, ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, ErrorStatus.NONE


class Scripted(BaseDevice):
    """Answers preparations with given statuses, in order."""

    def __init__(self, statuses: list[ErrorStatus]) -> None:
        """``statuses`` are used up."""
        self._statuses = statuses
        self._right = create_device("reference")

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
        """Answer the next status."""
        status = self._statuses.pop(0)
        if status is ErrorStatus.NONE:
            self._right.prepare_model(model, config, callback)
        else:
            callback.notify(status, None)


def faults(statuses: list[ErrorStatus], calls: list[tuple[Model, PrepareModelConfig]]) -> int:
    """Return the number of contradictions that are reported while these models are prepared."""
    with open_device(lambda: Scripted(list(statuses)), "scripted") as driver:
        for model, config in calls:
            with suppress(HalError):
                prepare(driver.device, model, config)
        assert {error.rule for error in driver.unintended.errors} <= {"driver/persistent"}
        found = len(driver.unintended.errors)
        driver.forget()
        assert not driver.unintended.errors
    return found


@pytest.mark.parametrize(
    ("statuses", "calls", "expected"),
    [
        ([P, N], [(MODEL, PLAIN)] * 2, 1),
        ([P, T, N], [(MODEL, PLAIN)] * 3, 1),
        ([P, P, P], [(MODEL, PLAIN)] * 3, 0),
        ([T, N], [(MODEL, PLAIN)] * 2, 0),
        ([N, P], [(MODEL, PLAIN)] * 2, 0),
        ([P, N], [(MODEL, PLAIN), (OTHER, PLAIN)], 0),
        ([P, N], [(MODEL, PLAIN), (MODEL, PrepareModelConfig(priority=Priority.HIGH))], 0),
        (
            [P, N],
            [(MODEL, LATE), (MODEL, LATER)],
            0,
        ),
    ],
)
def test_same_calls(statuses: list[ErrorStatus], calls: list[Any], expected: int) -> None:
    """Model, priority and deadline tell calls apart."""
    assert faults(statuses, calls) == expected


def test_calls_sent_ahead_and_what_is_forgotten() -> None:
    """A preparation that is sent ahead is watched too; after a new case has begun, what failed before is forgotten."""
    with open_device(lambda: Scripted([P, N, P, N]), "scripted") as driver:
        for _ in range(2):
            pending = begin_prepare(driver.device, MODEL)
            with suppress(HalError):
                pending.result()
        assert len(driver.unintended.errors) == 1
        with pytest.raises(HalError):
            prepare(driver.device, MODEL)
        driver.forget()
        prepare(driver.device, MODEL)
        assert not driver.unintended.errors


@pytest.mark.parametrize(
    ("driver", "failing"),
    [
        ("reference", set()),
        ("zoo:persistent-preparation", {"prepareModel"}),
        ("zoo:persistent-execution", {"executeSynchronously", "execute"}),
    ],
)
def test_planted_drivers(driver: str, failing: set[str]) -> None:
    """The cases that repeat a call fail with the rule, and no others; one that proves nothing does not pass."""
    cases = list(checks()["PersistentTest/AfterLongPastDeadline"].cases())
    ended = [case for case in run_cases(cases, Target(driver, in_process=True)) if isinstance(case, Finished)]
    found = {finished.case.split("/")[-1]: finished.outcome for finished in ended}
    assert {name for name, outcome in found.items() if outcome.verdict is Verdict.FAIL} == failing
    assert {outcome.rule for outcome in found.values() if outcome.verdict is Verdict.FAIL} <= {"driver/persistent"}
    assert {name for name, outcome in found.items() if outcome.verdict is Verdict.PASS} == found.keys() - failing
