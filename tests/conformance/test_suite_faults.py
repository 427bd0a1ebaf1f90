"""Errors of the suite itself: it made a model or request that should be valid and is not.

Such a case ends with the verdict ERROR, and the driver never sees the model or request.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from nnvet.conformance.engine.driver import DriverUnderTest, open_subject
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import checks
from nnvet.conformance.kit.executing import Executor, TestConfig, run_test
from nnvet.conformance.kit.handmade import check_test, prepare_test
from nnvet.conformance.kit.outcome import CaseFailed
from nnvet.conformance.kit.preparing import ask_supported, built_model, open_request, prepare_valid
from nnvet.conformance.stress import loads
from nnvet.conformance.suites import random_models as random_checks
from nnvet.conformance.suites.random_models import RandomCase
from nnvet.fuzz import differential
from nnvet.fuzz.findings import FuzzFinding
from nnvet.fuzz.target import open_fuzzed
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.graphs.builder import GraphBuilder, sum_of_two
from nnvet.graphs.editor import with_operands
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.interfaces import Device
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Model, PrepareModelConfig, Request
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice
from nnvet.reports.events import Verdict

SYNC = TestConfig(Executor.SYNC)
RULE = "REVERSE/quantization"


def invalid(name: str = "upside-down/17") -> TestModel:
    """Return a model that is invalid: the output of REVERSE has another zero point than its input."""
    graph, kind = GraphBuilder(), OperandType.TENSOR_QUANT8_ASYMM_SIGNED
    inputs = graph.input(kind, (2,), [1, 2], 0.25, 3), graph.constant(OperandType.TENSOR_INT32, (1,), [0])
    graph.operation(OperationType.REVERSE, inputs, graph.output(kind, (2,), [2, 1], 0.25, 4))
    return graph.finish(name)


class RecordedCalls:
    """Record of the calls of a driver that carry a model or a request."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.calls: list[str] = []

    def device(self) -> Device:
        """Return a driver that supports everything and records its calls."""
        calls = self.calls

        class Prepared(ReferencePreparedModel):
            def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
                """Record the call."""
                calls.append("execute")
                return super().run(request, config, deadline_ns)

        class Counting(FullDevice):
            prepared_model = Prepared

            def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
                """Record the call."""
                calls.append("support")
                return super().get_supported_operations(model)

            def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
                """Record the call."""
                calls.append("prepare")
                return super().build(model, config)

        return Counting()


@pytest.fixture
def asked() -> RecordedCalls:
    """Record of the calls that the driver of ``subject`` gets."""
    return RecordedCalls()


@pytest.fixture
def subject(asked: RecordedCalls) -> Iterator[DriverUnderTest]:
    """Driver under test, in this process."""
    with open_subject(Target("counting", factory=asked.device)) as subject:
        yield subject


def fault(run: Callable[[], Any]) -> str:
    """Check that a function ends in an ERROR, and return its reason."""
    with pytest.raises(CaseFailed) as failed:
        run()
    assert failed.value.outcome.verdict is Verdict.ERROR
    return failed.value.outcome.reason


def test_a_valid_test_reaches_the_driver(subject: DriverUnderTest, asked: RecordedCalls) -> None:
    """The record has every call, so that an empty record in the other tests means something."""
    check_test(subject, sum_of_two("sum", [1, 2], [3, 4], [4, 6]), SYNC)
    assert set(asked.calls) == {"support", "prepare", "execute"}


def test_an_invalid_model_reaches_no_driver(subject: DriverUnderTest, asked: RecordedCalls) -> None:
    """The error names the model and the rule, at each place where the suite hands a model to the driver."""
    reason = fault(lambda: check_test(subject, invalid(), SYNC))
    assert "upside-down/17" in reason
    assert RULE in reason
    must_fail = replace(invalid(), expect_failure=True)
    with built_model(must_fail, subject.feature_level) as model:
        assert RULE in fault(lambda: prepare_valid(subject, model))
        assert RULE in fault(lambda: ask_supported(subject, model))
        assert not asked.calls
        # A test that expects a failure sends its invalid model on purpose.
        with pytest.raises(CaseFailed) as failed:
            prepare_valid(subject, model, may_be_invalid=True)
    assert failed.value.outcome.verdict is Verdict.FAIL
    assert asked.calls


@pytest.mark.parametrize("level", [4, 8])
def test_an_invalid_model_is_noticed_at_every_level(level: int) -> None:
    """An invalid model is noticed when the level has to be found out, and when no model can need a higher one."""

    def build() -> None:
        with built_model(invalid(), level):
            pass

    assert RULE in fault(build)


def test_an_invalid_request_reaches_no_driver(subject: DriverUnderTest, asked: RecordedCalls) -> None:
    """A request whose input is one number short is an error, even after a valid request of the same test."""
    test = sum_of_two("sum", [1, 2], [3, 4], [4, 6])
    prepared = prepare_test(subject, test)
    with open_request(test):
        pass
    first = test.main.inputs[0]
    assert first.data is not None
    shorter = {test.main.input_indexes[0]: replace(first, data=first.data[:1])}
    short = replace(test, main=with_operands(test.main, shorter))
    asked.calls.clear()

    def pack() -> None:
        with open_request(short):
            pass

    assert "request/length" in fault(pack)
    assert "request/length" in fault(lambda: run_test(prepared, short, SYNC, subject.device, 5.0))
    assert not asked.calls


def test_a_random_case_is_an_error(
    subject: DriverUnderTest, asked: RecordedCalls, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the generator of RandomModels makes an invalid model, the error names the case, which contains the seed."""
    monkeypatch.setattr(random_checks, "random_model", lambda _chooser, _options, name: invalid(name))
    case = RandomCase("operations=1-3", 5)
    assert "operations=1-3/5" in fault(lambda: checks()["RandomModels/Bounds"].body(subject, case))
    assert not asked.calls


def test_a_storm_is_an_error(subject: DriverUnderTest, asked: RecordedCalls, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a stress test makes an invalid model, the error names the seed from which it can be made again."""
    monkeypatch.setattr(loads, "random_model", lambda _chooser, _options, name: invalid(name))
    test = loads.model_at("0-Storm", 1555, GraphOptions())
    assert "stress/0-Storm/1555" in fault(lambda: loads.is_supported(subject, test))
    assert "stress/0-Storm/1555" in fault(lambda: loads.prepare_load(subject, loads.StressLoad(test, ())))
    assert not asked.calls


def test_a_fuzzed_model_is_no_finding_about_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """An invalid model of the fuzzer gives a finding without a rule, which the log records as ERROR."""
    with open_fuzzed(Target("reference", in_process=True)) as target:
        harness = differential.DifferentialInput(target)
        harness(b"")
        monkeypatch.setattr(differential, "graph_of", lambda _data: invalid())
        monkeypatch.setattr(target, "ask", lambda _call: pytest.fail("the driver is asked"))
        with pytest.raises(FuzzFinding) as found:
            harness(b"")
    assert not found.value.rule
    assert RULE in found.value.message
