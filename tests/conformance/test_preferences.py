"""Models by every preference and priority: their names, and the code of the bundled driver that they reach."""

import pytest

from nnvet.conformance.engine.driver import open_subject
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.outcome import Outcome
from nnvet.conformance.suites.quality_of_service.preferences import KINDS, PreferenceCase, read_argument, results
from nnvet.hal.enums import ExecutionPreference, Priority
from nnvet.reference_driver.fused.program import Run
from nnvet.reports.events import Verdict

SEEDS = {ExecutionPreference.LOW_POWER: 5, ExecutionPreference.SUSTAINED_SPEED: 40}
FUSED = {"images", "dense", "cells"}
"""Kinds of models of which the bundled driver puts operations together."""


@pytest.mark.parametrize("text", ["LOW_POWER/images/3", "SUSTAINED_SPEED/cells/0", "LOW_POWER/any/100000"])
def test_an_argument_names_its_case(text: str) -> None:
    """Any seed can be asked for."""
    case = read_argument(text)
    assert case is not None
    assert case.name == case.make().name == text


@pytest.mark.parametrize(
    "text", ["", "LOW_POWER", "LOW_POWER/images", "LOW_POWER/images/03", "LOW_POWER/none/3", "FAST_SINGLE_ANSWER/any/3"]
)
def test_nothing_else_is_one(text: str) -> None:
    """A preference that all other suites have, another kind, a seed that is written otherwise."""
    assert read_argument(text) is None


def test_all_priorities_take_turns() -> None:
    """Drivers whose level has no priorities get the default one."""
    cases = [PreferenceCase(ExecutionPreference.LOW_POWER, "any", seed) for seed in range(3)]
    assert {case.config(4).priority for case in cases} == set(Priority)
    assert {case.config(3).priority for case in cases} == {Priority.MEDIUM}


def test_the_bundled_drivers_machine_code_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sustained speed comes to it with every kind of network; saving power does not."""
    pytest.importorskip("numba")
    done = []
    applies = Run.applies
    monkeypatch.setattr(Run, "applies", lambda run, *rest: done.append(run) or applies(run, *rest))
    reached = {}
    with open_subject(Target("reference", in_process=True)) as subject:
        for preference, seeds in SEEDS.items():
            for kind in KINDS:
                done.clear()
                for seed in range(seeds):
                    outcome = results(subject, PreferenceCase(preference, kind, seed))
                    assert isinstance(outcome, Outcome)
                    assert outcome.verdict is Verdict.PASS
                reached[preference, kind] = bool(done)
    assert {where for where, is_reached in reached.items() if is_reached} >= {
        (ExecutionPreference.SUSTAINED_SPEED, kind) for kind in FUSED
    }
    assert not any(reached[ExecutionPreference.LOW_POWER, kind] for kind in KINDS)
