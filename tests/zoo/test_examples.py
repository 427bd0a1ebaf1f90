"""Drivers of the zoo that break many cases: the registry is right about those that it names."""

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.selection import BUNDLED_SPECS, Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import Case
from nnvet.conformance.kit.outcome import Finished
from nnvet.reference_driver.zoo.registry import bugs
from nnvet.reports.events import Verdict

EXAMPLES = {name: bug.example for name, bug in bugs().items() if bug.example}
RUNS = {name: bug.ends for name, bug in bugs().items() if bug.ends}
EXTENDED = BUNDLED_SPECS / "V1_2" / "extension_add_fixed64.mod.py"
SPEC = """
for size in (1, 2, 3, 4):
    a, b = Input("a", ("TENSOR_FLOAT32", [size])), Output("b", ("TENSOR_FLOAT32", [size]))
    model = Model(f"of_{size}").Operation("RELU", a).To(b)
    Example({a: [2.5, 3.0, -1.5, 0.5][:size], b: [2.5, 3.0, 0.0, 0.5][:size]}, model=model).DisableLifeTimeVariation()
"""


def ends_of(cases: list[Case], target: Target) -> list[tuple[Verdict, str]]:
    """Verdicts and rules of the cases, in their order."""
    ended = {event.case: event.outcome for event in run_cases(cases, target) if isinstance(event, Finished)}
    return [(ended[case.id].verdict, ended[case.id].rule) for case in cases]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_cases_that_are_named_fail(name: str) -> None:
    """All of them do, by the rule that is named."""
    glob, rule = EXAMPLES[name]
    cases = list(Catalogue([EXTENDED]).cases(Selection((glob,), full=True)))
    found = ends_of(cases, Target(f"zoo:{name}", in_process=True, timeout_s=20.0))
    assert found
    assert {verdict for verdict, _ in found} == {Verdict.FAIL}
    assert [broken for _, broken in found if not fnmatchcase(broken, rule)] == []


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", RUNS)
def test_runs_of_any_suite_end_as_is_said(name: str, tmp_path: Path) -> None:
    """Four cases in one process have the verdicts that are named, in this order."""
    (tmp_path / "relu.mod.py").write_text(SPEC)
    cases = list(Catalogue([tmp_path], with_checks=False).cases(Selection(("GeneratedTest/sync/*",))))
    target = Target(f"zoo:{name}", timeout_s=1.0 if "HANG" in RUNS[name] else 20.0, memory_limit=300 << 20)
    assert tuple(verdict.value for verdict, _ in ends_of(cases, target)) == RUNS[name]
