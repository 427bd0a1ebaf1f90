"""A driver that does not offer what a test needs is UNSUPPORTED each time, whatever becomes of clients."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nnvet.conformance.engine.target import DEFAULT_TIMEOUT_S, Target
from nnvet.conformance.kit.outcome import CaseFailed, fail, unsupported
from nnvet.conformance.stress.catalogue import SUITE
from nnvet.conformance.stress.coordinator import Watched
from nnvet.conformance.stress.messages import StressOptions, TestOrder
from nnvet.conformance.stress.run import StressRun
from nnvet.conformance.stress.threads import WorkTally
from nnvet.hal.rules import all_rules
from nnvet.reports.events import Verdict
from nnvet.reports.evidence import TIMELINE

ROOT = Path(__file__).parents[3]
MINIMAL = f"python:{ROOT}/docs/examples/minimal_driver.py:AddDevice"
EMPTY = "python:nnvet.driver_kit.base_device:BaseDevice"
FORGETFUL = f"python:{ROOT}/tests/drivers/caching_drivers.py:never_stores"


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("selector", "test", "rule"),
    [
        (MINIMAL, "CacheStorm", "cache/unsupported"),
        (EMPTY, "MultiProcessInference/80", "driver/operation.supported"),
        (EMPTY, "DriverRestart", "driver/operation.supported"),
        (EMPTY, "ManyPreparedModels", "driver/operation.supported"),
        (FORGETFUL, "CacheStorm", "cache/retrieval"),
    ],
    ids=["does not cache", "supports no model", "is not killed", "holds no model", "stores nothing"],
)
def test_it_is_known_before_a_client_starts(selector: str, test: str, rule: str) -> None:
    """The test asks for itself; how fast clients are decides nothing."""
    order = TestOrder(f"{SUITE}/{test}", Target(selector, timeout_s=DEFAULT_TIMEOUT_S), StressOptions(scale=0.05))
    outcome = Watched(order, lambda _phase, _done: None).run()
    assert (outcome.verdict, outcome.rule) == (Verdict.UNSUPPORTED, rule), outcome.reason
    assert "client" not in {row[1] for row in outcome.evidence["timings"][TIMELINE]["rows"]}


def settled(*found: CaseFailed) -> str:
    """The rule by which a test ends whose clients have found this, in this order."""
    tally = WorkTally()
    for failure in found:
        tally.fail(failure.outcome)
    run: Any = SimpleNamespace(tally=tally)
    with pytest.raises(CaseFailed) as failed:
        StressRun.settle(run)
    return failed.value.outcome.rule


def test_what_is_wrong_counts_more_than_what_is_missing() -> None:
    """Whichever client reports first."""
    wrong, missing = fail("execution/status", "wrong"), unsupported("missing", "cache/unsupported")
    assert settled(wrong, missing) == settled(missing, wrong) == "execution/status"
    assert settled(missing) == "cache/unsupported"


def test_a_failure_has_the_sentence_of_its_own_rule() -> None:
    """Evidence that comes from elsewhere, such as from the death of a connection, brings that of another rule."""
    death = {"sentence": all_rules()["driver/crash"].sentence, "exit_code": 3}
    evidence = fail("client/interference", "a client has lost its connection", **death).outcome.evidence
    assert evidence == {"sentence": all_rules()["client/interference"].sentence, "exit_code": 3}
    # A rule of the driver's own has no sentence here; what is known stays.
    assert fail("driver/of_its_own", "", sentence="s").outcome.evidence == {"sentence": "s"}
