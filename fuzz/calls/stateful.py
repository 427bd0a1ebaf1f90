"""The same steps for Hypothesis, which makes a failing sequence short: ``api_machine(target).TestCase`` is a test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from nnvet.fuzz.calls.machine import STEPS, ApiMachine, ApiStep
from nnvet.fuzz.target import FuzzedDriver


def api_machine(open_fuzzed: Callable[[], FuzzedDriver]) -> type[RuleBasedStateMachine]:
    """A state machine whose every run begins with a driver and no objects; its steps are :data:`STEPS`."""

    def begin(self: Any) -> None:
        RuleBasedStateMachine.__init__(self)
        self.machine = ApiMachine(open_fuzzed())

    steps = {step.act.__name__: _step(step) for step in STEPS}
    return type("ApiStateMachine", (RuleBasedStateMachine,), {"__init__": begin, **steps})


def _step(action: ApiStep) -> object:
    def step(self: Any, data: Any) -> None:
        action.act(self.machine, lambda count: data.draw(strategies.integers(0, count - 1)))

    step.__name__ = action.act.__name__
    possible = precondition(lambda self: action.is_possible(self.machine))
    return possible(rule(data=strategies.data())(step))
