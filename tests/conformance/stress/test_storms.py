"""Storms of random models time what the driver does, and nothing else."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from nnvet.conformance.engine.driver import open_subject
from nnvet.conformance.engine.target import Target
from nnvet.conformance.stress import loads
from nnvet.conformance.stress.suites import random_models
from nnvet.conformance.stress.threads import WorkTally
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.graphs.builder import sum_of_two

SECONDS = {(loads, "prepare_supported"): 2.0, (loads, "load_of"): 1000.0, (random_models, "run_test"): 0.5}


class Clock:
    """Time that passes by what is called."""

    def __init__(self) -> None:
        """It begins."""
        self.now = 0.0

    def taking(self, seconds: float, call: Callable[..., Any]) -> Callable[..., Any]:
        """The same call, which takes so long."""

        def called(*arguments: Any, **options: Any) -> Any:
            self.now += seconds
            return call(*arguments, **options)

        return called


@pytest.mark.parametrize(("executes", "expected"), [(False, [2.0]), (True, [0.5])], ids=["prepared", "executed"])
def test_latencies_are_those_of_the_driver(
    executes: bool, expected: Sequence[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of preparing, or of executing; estimates take longer than both, and are no part of either."""
    clock = Clock()
    for (module, name), seconds in SECONDS.items():
        monkeypatch.setattr(module, name, clock.taking(seconds, getattr(module, name)))
    test = sum_of_two("sum", [1.0, 2.0], [3.0, 4.0], [4.0, 6.0])
    monkeypatch.setattr(loads, "model_at", lambda *_: test)
    with open_subject(Target("reference", in_process=True)) as subject:
        run = SimpleNamespace(subject=subject, seed="0", tally=WorkTally(), facts={}, phase=lambda *_: nullcontext())
        random_models._storm(run, 0.0, GraphOptions(), executes=executes, clock=lambda: clock.now)  # type: ignore[arg-type] # all that a storm needs
    assert run.tally.report().latencies_s == tuple(expected)
    assert run.facts == {"models": 1, "unsupported": 0}
