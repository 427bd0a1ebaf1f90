"""Campaigns of random models find wrong drivers with a numeric fault, without any option.

The long form, of all of them and with their reduction, is ``make random-zoo``.
"""

from itertools import islice

import pytest

from nnvet.conformance.engine.catalogue import Batch, Series
from nnvet.conformance.engine.driver import open_subject, run_cases
from nnvet.conformance.engine.probing import probe_claims
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.outcome import Finished
from nnvet.generators.random_graphs.options import GraphOptions, text_of
from nnvet.generators.random_graphs.schedule import vary
from nnvet.reports.events import Verdict
from tests.zoo.campaigns import NUMERIC, WITHIN_THE_CONTRACT

MOST = 150
QUICK = tuple(bug for bug in NUMERIC if bug.startswith("graph-"))
"""Faults of frequent operations, or of any that are large."""


@pytest.fixture(scope="module")
def models() -> Batch:
    """The first models of a campaign with the seed 0."""
    wanted = GraphOptions()
    with open_subject(Target("reference", in_process=True)) as subject:
        claimed = probe_claims(subject, wanted).claimed
    texts = tuple(map(text_of, islice(vary([wanted], claimed), MOST)))
    return Batch("RandomModels/Bounds", series=Series(texts, 0))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("bug", QUICK)
def test_campaigns_find_numeric_faults(bug: str, models: Batch) -> None:
    """Some model fails, and the bundled driver passes it."""
    cases = {case.id: case for case in models.cases(Selection())}
    events = run_cases(cases.values(), Target(f"zoo:{bug}", in_process=True, strict=bug in WITHIN_THE_CONTRACT))
    wrong = (event.case for event in events if isinstance(event, Finished) and event.outcome.verdict is Verdict.FAIL)
    found = next(wrong, None)
    assert found is not None
    again = run_cases([cases[found]], Target("reference", in_process=True))
    assert [event.outcome.verdict for event in again if isinstance(event, Finished)] == [Verdict.PASS]
