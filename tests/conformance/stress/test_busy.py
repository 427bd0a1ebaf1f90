"""Stress tests on a busy machine: faults that load could explain are confirmed, and no dead client is waited for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from nnvet.conformance.engine import again
from nnvet.conformance.kit.outcome import PASSED, Outcome
from nnvet.conformance.stress import clients, running
from nnvet.conformance.stress.clients import ClientProcess
from nnvet.reports.events import Verdict

HANG = Outcome(Verdict.HANG, "driver/hang", "no answer")
WRONG = Outcome(Verdict.FAIL, "execution/output.value", "wrong")


def ended(monkeypatch: pytest.MonkeyPatch, load: float, *ends: Outcome) -> tuple[Outcome, int]:
    """Return the outcome of a test whose runs end so, and their number."""
    left = list(ends)

    class Scripted:
        failed_test = None

        def __init__(self, _order: Any, _on_beat: Any) -> None:
            """Run nothing."""

        def run(self) -> Outcome:
            """The next end."""
            return left.pop(0)

    monkeypatch.setattr(running, "Watched", Scripted)
    monkeypatch.setattr(again, "load", lambda: load)
    monkeypatch.setattr(again, "cores", lambda: 2)
    order: Any = SimpleNamespace()
    outcome, _, _ = running.run_test(order)
    return outcome, len(ends) - len(left)


def test_a_hang_on_a_busy_machine_is_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second end counts, and says what the first was."""
    outcome, runs = ended(monkeypatch, 30.0, HANG, PASSED)
    assert (outcome.verdict, runs) == (Verdict.PASS, 2)
    assert outcome.evidence["timings"]["unconfirmed"]["verdict"] == "HANG"
    outcome, runs = ended(monkeypatch, 30.0, HANG, HANG)
    assert (outcome.verdict, runs) == (Verdict.HANG, 2)
    assert "confirmed" in outcome.evidence["timings"]


def test_nothing_else_is_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a hang on a quiet machine, nor a wrong value under load."""
    assert ended(monkeypatch, 1.0, HANG, PASSED) == (HANG, 1)
    assert ended(monkeypatch, 30.0, WRONG, PASSED) == (WRONG, 1)


class Leaving:
    """A client's process that takes so many seconds to leave."""

    def __init__(self, seconds: float) -> None:
        """Begin."""
        self.seconds = seconds

    def wait(self, timeout_s: float) -> bool:
        """No time passes here."""
        return self.seconds <= timeout_s

    def evidence(self, *, dead: bool) -> Any:
        """Of an end in order."""
        return SimpleNamespace(exit_code=0 if dead else None, state="running", as_dict=dict)

    def kill(self) -> None:
        """It is gone."""


def client(seconds: float, *, is_silent: bool) -> ClientProcess:
    """A client that has reported all, and has said so or not."""
    found = object.__new__(ClientProcess)
    found.process, found.is_silent, found.was_killed = Leaving(seconds), is_silent, False  # type: ignore[assignment]
    found.report = SimpleNamespace()  # type: ignore[assignment]
    return found


def test_a_client_that_has_said_all_may_take_its_time() -> None:
    """Its Python has to leave, for which it needs a processor; one that still speaks has hung."""
    assert clients._ENDING_S < 60 < clients._LEAVING_S
    assert client(60.0, is_silent=True).outcome() is None
    for slow in (client(60.0, is_silent=False), client(600.0, is_silent=True)):
        hang = slow.outcome()
        assert hang is not None
        assert hang.verdict is Verdict.HANG
