"""Checks of clients, fences, times and concurrency: no false alarms, and what needs a wrong service to be found."""

import itertools
from collections import ChainMap
from pathlib import Path
from typing import Any

import pytest

import nnvet.adapters.drivers
import nnvet.transport.wire.server
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.outcome import Finished
from nnvet.reports.events import Verdict
from nnvet.transport.wire.methods import DEVICE_ID
from nnvet.transport.wire.server import ServiceSession

SPECS = Path(__file__).parent.parent / "zoo" / "specs"
LAWFUL = Path(__file__).parents[1] / "drivers" / "lawful.py"
FREEDOMS = {
    "blocking": ("Fence", "ConcurrencyTest/InFlight*"),
    "serial": ("Concurrency", "Consistency", "Isolation", "Priority"),
    "queueing": ("Concurrency", "Isolation", "Priority"),
    "crowded": ("Concurrency", "Consistency", "Isolation", "Priority"),
    "timeless": ("Fence", "Timing", "LoopTimeout"),
    "microseconds": ("Fence", "Timing"),
}
"""Drivers of lawful.py, with the suites that their freedom concerns."""


def outcomes(selector: str, *suites: str) -> dict[str, Finished]:
    """Return the ends of the suites' cases, run in process."""
    globs = tuple(suite if "/" in suite else f"{suite}Test/*" for suite in suites)
    cases = list(Catalogue([SPECS], with_checks=True).cases(Selection(globs, full=True)))
    events = run_cases(cases, Target(selector, in_process=True, timeout_s=20))
    return {event.case: event for event in events if isinstance(event, Finished)}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long if name in ("blocking", "crowded", "queueing", "serial") else ())
        for name in FREEDOMS
    ],
)
def test_no_false_alarms(name: str) -> None:
    """A driver that uses its freedom passes everything; only what is a matter of quality may not be judged."""
    found = outcomes(f"python:{LAWFUL}:{name}", *FREEDOMS[name])
    wrong = {
        case: end.outcome.reason
        for case, end in found.items()
        if end.outcome.verdict is not Verdict.PASS
        and not (end.outcome.verdict is Verdict.UNSUPPORTED and case.startswith("PriorityTest/"))
    }
    assert not wrong


class SharedTable(ServiceSession):
    """A service in which all clients have one table of objects."""

    table: dict[int, object]
    numbers: Any

    def __init__(self, *arguments: Any) -> None:
        """Join the table."""
        super().__init__(*arguments)
        self._ids = self.numbers
        # The first map has the objects that a session adds and drops, the second the service and the device.
        self._objects: Any = ChainMap(self.table, self._objects)  # type: ignore[arg-type]

    def end(self) -> None:
        """Leave the table to the others."""
        self._objects = {}
        super().end()


def test_a_shared_table_of_objects_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that lets clients name each other's objects fails exactly the checks of guessed objects."""
    shared = type("Shared", (SharedTable,), {"table": {}, "numbers": itertools.count(DEVICE_ID + 1)})
    for module in (nnvet.adapters.drivers, nnvet.transport.wire.server):
        monkeypatch.setattr(module, "ServiceSession", shared)
    found = outcomes("reference", "Isolation")
    failed = {case for case, end in found.items() if end.outcome.verdict is not Verdict.PASS}
    assert failed == {
        "IsolationTest/Object/prepared_model",
        "IsolationTest/Object/burst",
        "IsolationTest/Object/execution",
        "IsolationTest/Buffer",
        "IsolationTest/RoleOfOther",
    }
    assert {found[case].outcome.rule for case in failed} == {"client/isolation"}
