"""Output of a campaign: its progress, and whether it proves anything. Expected numbers: by hand."""

import io

import pytest
from rich.console import Console

from nnvet.commands.actions.random_models import RandomProgress, coverage_lines
from nnvet.conformance.kit.outcome import Outcome
from nnvet.reports.accuracy import Coverage
from nnvet.reports.events import Verdict

ADD, MUL = "ADD TENSOR_FLOAT32 2 - 0", "MUL TENSOR_FLOAT32 2 ADD 0"


def coverage(cases: int, vague: int) -> Coverage:
    """A campaign of so many models, of which some say little."""
    return Coverage(cases, cases, 1000, 30, vague, {"ADD": {"TENSOR_FLOAT32": {2: cases}}}, (), {"ADD": {"MUL": 1}}, {})


def test_progress() -> None:
    """Verdicts, kinds of failures, the share of undecided elements, and operations by type and rank that are new."""
    progress = RandomProgress(Console(file=io.StringIO()), None)
    passed = {"elements": 300, "undecided": 30, "covers": [ADD]}
    for case, outcome in {
        "a": Outcome(Verdict.PASS, evidence=passed),
        "b": Outcome(Verdict.PASS, evidence=passed | {"elements": 100, "undecided": 10, "covers": [ADD, MUL]}),
        "c": Outcome(Verdict.FAIL, "execution/output.value", evidence={"made_by": "ADD", "elements": 900}),
    }.items():
        progress.finished(case, outcome.verdict)
        progress.judged(case, outcome)
    for text in (
        "2 PASS",
        "1 FAIL",
        "models/s",
        "1 kind of failures",
        "10.0 % undecided",
        "2 operations by type and rank (+2)",
    ):
        assert text in progress.note


@pytest.mark.parametrize(("vague", "is_loud"), [(0, False), (25, False), (26, True)])
def test_campaigns_that_prove_little(vague: int, *, is_loud: bool) -> None:
    """A warning where more than a quarter of the models are mostly undecided; before, they are counted."""
    text = "\n".join(coverage_lines(coverage(100, vague)))
    assert "1 operations in 1 combinations with type and rank, 1 pairs" in text
    assert "3.0 % of 1,000 elements undecided" in text
    assert ("WARNING" in text) is is_loud
    assert (f"{vague} of 100 models say little" in text) is (vague > 0)
