"""Blame when a driver dies of a changed test, and identity of failures."""

from collections.abc import Callable
from typing import Any, cast

import pytest

from nnvet.adapters import DriverCrash
from nnvet.conformance.engine.driver import DriverUnderTest
from nnvet.conformance.engine.retesting import Retester, identity_of, manner_of
from nnvet.conformance.kit.checks import ModelTest
from nnvet.conformance.kit.outcome import Outcome, fail
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.reducer import Identity
from nnvet.graphs.model import TestModel, TestSubgraph
from nnvet.reports.events import Verdict
from nnvet.transport.wire.failures import DeathEvidence

TEST = TestModel("empty", TestSubgraph((), (), (), ()))


class Session:
    """A driver that is started again and again, and counts what it was asked since."""

    def __init__(self) -> None:
        """Freshly started, once."""
        self.starts, self.calls = 1, 0
        self.shared: dict[Any, Any] = {"left over": 1}
        self.lost: list[int] = []
        self.unintended: list[Any] = []
        self.strict = False
        self.liberties: tuple[str, ...] = ()
        self.computed_by = ""
        self.in_process = True

    def begin_case(self) -> None:
        """Count a test."""
        self.calls += 1

    def end_case(self) -> None:
        """Nothing was lost."""

    def output(self) -> str:
        """Nothing was printed."""
        return ""

    def revive(self) -> None:
        """Start anew."""
        self.starts += 1
        self.calls = 0


def retester(session: Session, run: Callable[[], None]) -> Retester:
    """Runs every test with a function; nothing of an earlier one is left then."""

    def ran(subject: Subject, test: TestModel) -> None:
        assert not subject.shared
        assert test is TEST
        run()

    manner = ModelTest(lambda _: TEST, ran, lambda _: [])
    return Retester(cast("DriverUnderTest", session), manner)


def dies() -> None:
    """The driver's process ends."""
    raise DriverCrash("the process died", DeathEvidence(call="prepare", state="exited", signal="SIGSEGV"))


def test_a_death_by_the_test_itself_is_a_crash_each_time() -> None:
    """On a fresh driver it is believed at once, and the driver is there again for the next test."""
    session = Session()
    tests = retester(session, dies)
    assert [tests.outcome(TEST).verdict for _ in range(3)] == [Verdict.CRASH] * 3
    assert session.starts == 4
    assert tests.fails(TEST) == Identity(Verdict.CRASH, "driver/crash", "SIGSEGV")


def test_a_death_after_others_is_not_the_doing_of_the_test() -> None:
    """A driver that dies of whatever comes third is started anew, and the test passes."""
    session = Session()
    tests = retester(session, lambda: dies() if session.calls == 3 else None)
    assert [tests.outcome(TEST).verdict for _ in range(6)] == [Verdict.PASS] * 6
    assert session.starts > 1


def test_a_death_after_others_that_comes_again_is() -> None:
    """It is tried on a fresh driver first."""
    session = Session()
    deadly = iter([False, True, True, False])
    tests = retester(session, lambda: dies() if next(deadly) else None)
    assert [tests.outcome(TEST).verdict for _ in range(3)] == [Verdict.PASS, Verdict.CRASH, Verdict.PASS]
    assert session.starts == 3


def worst(expected: float, actual: float, bound: float) -> dict[str, float]:
    """The evidence of an element."""
    return {"expected": expected, "actual": actual, "difference": abs(expected - actual), "bound": bound}


@pytest.mark.parametrize(
    ("outcome", "identity"),
    [
        (Outcome(Verdict.PASS), None),
        (Outcome(Verdict.UNSUPPORTED, "model/level"), None),
        (Outcome(Verdict.ERROR, "", "the suite's own fault"), None),
        (fail("execution/output.value", "wrong", worst={}).outcome, Identity(Verdict.FAIL, "execution/output.value")),
        (
            fail("execution/status", "wrong", driver_rule="ADD/types", raised="ValueError at a.py:1 in b").outcome,
            Identity(Verdict.FAIL, "execution/status", "ADD/types"),
        ),
        (
            fail("driver/exception", "wrong", driver_rule="", raised="ValueError at a.py:1 in b").outcome,
            Identity(Verdict.FAIL, "driver/exception", "ValueError at a.py:1 in b"),
        ),
        (
            fail("execution/output.bound", "wrong", worst=worst(2.0, 2.5, 0.1)).outcome,
            Identity(Verdict.FAIL, "execution/output.bound"),
        ),
        (
            fail("execution/output.bound", "wrong", worst=worst(2.0, 2.05, 0.1)).outcome,
            Identity(Verdict.FAIL, "execution/output.bound", "all elements together"),
        ),
        (
            fail("execution/output.bound", "wrong", worst=worst(2.0, float("nan"), 0.1)).outcome,
            Identity(Verdict.FAIL, "execution/output.bound", "not a finite number"),
        ),
        (Outcome(Verdict.HANG, "driver/hang", "", {"place": "a.py:9 in wait"}), Identity(Verdict.HANG, "driver/hang")),
    ],
)
def test_identities(outcome: Outcome, identity: Identity | None) -> None:
    """Verdict and rule, the place in the driver, except where that changes, and how values are wrong."""
    assert identity_of(outcome) == identity


def test_manners() -> None:
    """Of a case its check's; of what is no case that of specs, which the level has an executor for."""
    graph = "TestRandomGraph/RandomGraphTest.SmallGraph_TENSOR_INT32_Rank1"
    assert manner_of(f"{graph}/7", 8) is manner_of(f"{graph}/8", 1)
    assert manner_of("", 8) is manner_of("GeneratedTest/sync/add", 8) is manner_of("no/such/check", 3)
    assert manner_of("", 1) is manner_of("GeneratedTest/async/add", 8)
    assert manner_of("", 1) is not manner_of("", 8)
