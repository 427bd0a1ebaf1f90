"""Calls for coming cases over a link: their number of round trips, and drivers that they must not put the blame on.

Round trips are counted by cause and not by time: a call that is sent after a reply was taken costs one more than the
call of that reply.
"""

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
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
from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.hal.types import Model, Operation, PrepareModelConfig
from nnvet.reports.events import Verdict
from nnvet.reports.evidence import LOST_LINKS
from tests.adapters.agents import TOKEN, listening, relay_to, service_of

COUNT = 2 * WINDOW + 6
BAD = WINDOW + 8
"""The size of the tensor with which the drivers below do something wrong."""
SPEC = f"""
for size in range(1, {COUNT + 1}):
    a, b = Input("a", ("TENSOR_FLOAT32", [size])), Output("b", ("TENSOR_FLOAT32", [size]))
    model = Model(f"of_{{size}}").Operation("RELU", a).To(b)
    Example({{a: [-1.5] * size, b: [0.0] * size}}, model=model).DisableLifeTimeVariation()
"""
SYNC = "GeneratedTest/sync/*"
PATIENCE_S = 60.0


class Relu(BasePreparedModel):
    """Computes."""

    def compute(self, inputs: Sequence[Array]) -> Sequence[Array]:
        """The maximum with 0."""
        return [inputs[0].clip(0)]


class Honest(BaseDevice):
    """Is right."""

    name = "honest"

    def supports(self, model: Model, operation: Operation) -> bool:
        """All that the tests send."""
        del model, operation
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """Prepare any model."""
        del config
        return Relu(model)


class SupportsNothing(BaseDevice):
    """Has no operations."""

    name = "nothing"


def is_bad(model: Model) -> bool:
    """Return True for the one model with which a driver fails."""
    return model.main.operands[0].dimensions == (BAD,)


class DiesOfOne(Honest):
    """Dies while it prepares one of the models."""

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """Die, or prepare."""
        if is_bad(model):
            sys.stderr.write("cannot stand this one\n")
            sys.stderr.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().compile(model, config)


class RaisesAtOne(Honest):
    """Raises an exception, which is no refusal, when it is asked about one of the models."""

    def supports(self, model: Model, operation: Operation) -> bool:
        """Raise, or answer."""
        if is_bad(model):
            raise KeyError("no such size")
        return super().supports(model, operation)


class ReportsOnce(Honest):
    """Prints what a sanitizer does about one of the models, and goes on; like a sanitizer, once for each process."""

    has_printed = False

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """Print, and prepare."""
        if is_bad(model) and not ReportsOnce.has_printed:
            ReportsOnce.has_printed = True
            sys.stderr.write("relu.cpp:7:5: runtime error: signed integer overflow: 2147483647 + 1\n")
            sys.stderr.flush()
        return super().compile(model, config)


class WrongAtOne(Honest):
    """Computes a wrong value with one of the models."""

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """Prepare a right or a wrong model."""
        return Wrong(model) if is_bad(model) else super().compile(model, config)


class Wrong(Relu):
    """Is wrong."""

    def compute(self, inputs: Sequence[Array]) -> Sequence[Array]:
        """One too much."""
        return [inputs[0].clip(0) + 1]


class DiesOfTwo(Honest):
    """Dies when it executes a model after it has prepared two others."""

    prepared = 0

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """Count the models that were prepared since the last execution."""
        DiesOfTwo.prepared += 1
        return Impatient(model)


class Impatient(Relu):
    """Dies if other models have been prepared in between."""

    def compute(self, inputs: Sequence[Array]) -> Sequence[Array]:
        """Die, or compute."""
        if DiesOfTwo.prepared > 1:
            os.kill(os.getpid(), signal.SIGKILL)
        DiesOfTwo.prepared = 0
        return super().compute(inputs)


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
    """The selector of a driver of this file, or of the bundled one, behind an agent."""
    selector = name if name.islower() else f"python:{__file__}:{name}"
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
    here = judged(run(f"python:{__file__}:{name}", SYNC, specs)[0])
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
        service = service_of(f"python:{__file__}:Honest")
        with listening(tmp_path, service) as agent, relay_to(agent, b"execute_synchronously") as relay:
            outcomes, _ = run(f"tcp:127.0.0.1:{relay.port}", SYNC, specs)
            assert not relay.fatal
    assert [outcome.verdict for outcome in outcomes.values()] == [Verdict.PASS] * COUNT
    assert sum(LOST_LINKS in outcome.evidence.get("timings", {}) for outcome in outcomes.values()) == 1
