"""Models by every preference and priority: their names, and the code of the bundled driver that they reach."""

from typing import Any

import pytest

from nnvet.conformance.engine.driver import open_subject
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import checks
from nnvet.conformance.kit.outcome import Outcome
from nnvet.conformance.kit.preparing import built_model
from nnvet.conformance.suites.quality_of_service.preferences import NETWORKS, PreferenceCase, read_argument, results
from nnvet.generators.random_graphs.golden import estimates, tells
from nnvet.generators.specs import dump_spec
from nnvet.hal.enums import ExecutionPreference, FeatureLevel, Priority
from nnvet.hal.validation.model import validate_model
from nnvet.reference_driver.fused import table
from nnvet.reference_driver.fused.program import Run
from nnvet.reports.events import Verdict


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


def test_every_step_of_the_bundled_drivers_machine_code_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Usual networks for sustained speed come to all of them; models that are to save power come to none."""
    pytest.importorskip("numba")
    steps: dict[ExecutionPreference, set[int]] = {preference: set() for preference in ExecutionPreference}
    parts: set[int] = set()
    execute = Run.execute

    def noted(run: Run, *rest: Any) -> int:
        parts.add(len(run.tables))
        steps[preference].update(int(row[table.KIND]) for rows in run.tables for row in rows)
        return execute(run, *rest)

    monkeypatch.setattr(Run, "execute", noted)
    check = checks()["PreferenceTest/Results"]
    with open_subject(Target("reference", in_process=True)) as subject:
        for case in check.cases():
            if case.usual and any(f"/{kind}/" in case.name.argument for kind in NETWORKS):
                asked = read_argument(case.name.argument)
                assert asked is not None
                preference = asked.preference
                outcome = results(subject, asked)
                assert isinstance(outcome, Outcome)
                assert outcome.verdict is Verdict.PASS
    assert steps[ExecutionPreference.SUSTAINED_SPEED] == {*range(table.PAD, table.LSTM_GATES + 1)}
    assert not steps[ExecutionPreference.LOW_POWER]
    # One network needs so many products that the clock is looked at between them.
    assert max(parts) > 1


@pytest.mark.parametrize("kind", NETWORKS)
def test_networks_are_valid_at_their_level(kind: str) -> None:
    """None needs a higher one, equal numbers give equal networks, and an output tells whether each was computed."""
    for number in range(40):
        case = PreferenceCase(ExecutionPreference.SUSTAINED_SPEED, kind, number)
        test = case.make()
        assert dump_spec(test) == dump_spec(case.make())
        with built_model(test, max(FeatureLevel)) as model:
            assert validate_model(model) <= test.min_supported_version
        assert any(map(tells, estimates(test)))
