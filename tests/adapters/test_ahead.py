"""Calls for coming cases over a link: their number of round trips, and drivers that they must not put the blame on.

Round trips are counted by cause and not by time: a call that is sent after a reply was taken costs one more than the
call of that reply.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from nnvet.adapters.remote.carrier import LinkChannel
from nnvet.conformance.engine.ahead import WINDOW
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.driver import open_subject, run_batch
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.outcome import Finished, Outcome
from nnvet.reports.events import Verdict
from nnvet.reports.evidence import LOST_LINKS
from tests.adapters.agents import TOKEN, listening, relay_to, service_of
from tests.drivers import ahead_drivers
from tests.drivers.ahead_drivers import BAD

COUNT = 2 * WINDOW + 6
SPEC = f"""
for size in range(1, {COUNT + 1}):
    a, b = Input("a", ("TENSOR_FLOAT32", [size])), Output("b", ("TENSOR_FLOAT32", [size]))
    model = Model(f"of_{{size}}").Operation("RELU", a).To(b)
    Example({{a: [-1.5] * size, b: [0.0] * size}}, model=model).DisableLifeTimeVariation()
"""
SYNC = "GeneratedTest/sync/*"
PATIENCE_S = 60.0
DRIVERS = Path(ahead_drivers.__file__)


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """A spec file with a case for each size."""
    path = tmp_path / "sizes.mod.py"
    path.write_text(SPEC)
    return path


@contextmanager
def round_trips() -> Iterator[Callable[[], int]]:
    """Count the round trips of the calls in this process, by cause."""
    now = 0
    sent: dict[LinkChannel, deque[int]] = {}
    send, receive = LinkChannel.send, LinkChannel.receive

    def note_sent(channel: LinkChannel, *arguments: Any, **named: Any) -> None:
        send(channel, *arguments, **named)
        sent.setdefault(channel, deque()).append(now)

    def note_taken(channel: LinkChannel, *arguments: Any) -> Any:
        nonlocal now
        found = receive(channel, *arguments)
        if not channel._is_primary:
            now = max(now, sent[channel].popleft() + 1)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LinkChannel, "send", note_sent)
        patch.setattr(LinkChannel, "receive", note_taken)
        yield lambda: now


@contextmanager
def far(tmp_path: Path, name: str) -> Iterator[str]:
    """The selector of a driver of ``ahead_drivers.py``, or of the bundled one, behind an agent."""
    selector = name if name.islower() else f"python:{DRIVERS}:{name}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NNVET_TOKEN", TOKEN)
        with listening(tmp_path, service_of(selector)) as agent:
            yield agent.selector


def run(selector: str, only: str, specs: Path | None = None) -> tuple[dict[str, Outcome], int]:
    """Outcomes of cases, and of findings about the driver; and the round trips from the first case on."""
    selection = Selection((only,))
    batches = Catalogue([specs] if specs else [], with_checks=specs is None).batches(selection)
    outcomes: dict[str, Outcome] = {}
    with open_subject(Target(selector, timeout_s=PATIENCE_S)) as subject, round_trips() as count:
        for event in chain.from_iterable(run_batch(subject, batch, selection) for batch in batches):
            if isinstance(event, Finished):
                outcomes[event.case] = event.outcome
        return outcomes, count()


def test_unsupported_cases_share_round_trips(tmp_path: Path, specs: Path) -> None:
    """One for each window of cases: neither support nor preparation of the next ones waits for the present one."""
    with far(tmp_path, "SupportsNothing") as selector:
        outcomes, trips = run(selector, SYNC, specs)
    assert (trips, len(outcomes)) == (-(-COUNT // WINDOW), COUNT)


def test_an_executed_case_costs_one_round_trip(tmp_path: Path, specs: Path) -> None:
    """That of its execution; the first one has to be prepared before."""
    with far(tmp_path, "Honest") as selector:
        outcomes, trips = run(selector, SYNC, specs)
    assert (trips, len(outcomes)) == (COUNT + 1, COUNT)


def test_wrong_models_share_round_trips(tmp_path: Path) -> None:
    """All questions about valid and wrong models of the cases, and the preparations of their siblings, are together."""
    with far(tmp_path, "reference") as selector:
        outcomes, trips = run(selector, "OperationValidationTest/Types/ADD_*")
    assert 4 <= len(outcomes) <= WINDOW
    assert trips == 1


def judged(outcomes: dict[str, Outcome]) -> dict[str, tuple[Verdict, str, str]]:
    """Return verdict, rule and reason of each case."""
    return {case: (outcome.verdict, outcome.rule, outcome.reason) for case, outcome in outcomes.items()}


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("DiesOfOne", Verdict.CRASH),
        ("RaisesAtOne", Verdict.FAIL),
        ("ReportsOnce", Verdict.FAIL),
        ("WrongAtOne", Verdict.FAIL),
    ],
)
def test_the_case_at_fault_is_blamed_and_no_other(tmp_path: Path, specs: Path, name: str, verdict: Verdict) -> None:
    """Verdicts, rules and reasons are those of a local run, where each case has the driver to itself."""
    here = judged(run(f"python:{DRIVERS}:{name}", SYNC, specs)[0])
    with far(tmp_path, name) as selector:
        there = judged(run(selector, SYNC, specs)[0])
    assert there == here
    bad = {case: found for case, found in there.items() if found[0] is not Verdict.PASS}
    assert {(case.rpartition("/")[2], found[0]) for case, found in bad.items()} == {(f"sizes_of_{BAD}", verdict)}


def test_what_no_case_alone_shows_is_not_forgotten(tmp_path: Path, specs: Path) -> None:
    """A driver that dies only with several models prepared: all cases pass, and a finding about the driver says so."""
    with far(tmp_path, "DiesOfTwo") as selector:
        outcomes, _ = run(selector, SYNC, specs)
    found = outcomes.pop("driver/ahead")
    assert (found.verdict, found.rule) == (Verdict.CRASH, "driver/crash")
    assert "with calls for the next" in found.reason
    assert [outcome.verdict for outcome in outcomes.values()] == [Verdict.PASS] * COUNT


def test_a_link_lost_with_calls_ahead(tmp_path: Path, specs: Path) -> None:
    """The case is run again, with the reason in its evidence, and all pass."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NNVET_TOKEN", TOKEN)
        service = service_of(f"python:{DRIVERS}:Honest")
        with listening(tmp_path, service) as agent, relay_to(agent, b"execute_synchronously") as relay:
            outcomes, _ = run(f"tcp:127.0.0.1:{relay.port}", SYNC, specs)
            assert not relay.fatal
    assert [outcome.verdict for outcome in outcomes.values()] == [Verdict.PASS] * COUNT
    assert sum(LOST_LINKS in outcome.evidence.get("timings", {}) for outcome in outcomes.values()) == 1
