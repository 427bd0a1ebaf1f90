"""Generated tests from many threads at once. Source: docs/contract/cts-tests.md 1.1 (threaded build)."""

from __future__ import annotations

from functools import partial
from itertools import cycle, islice
from typing import Final
from zlib import crc32

from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.concurrent_calls import together
from nnvet.conformance.engine.config import Executor, TestConfig
from nnvet.conformance.engine.executing import run_test
from nnvet.conformance.engine.handmade import basic_config
from nnvet.conformance.engine.judging import expect, judge
from nnvet.conformance.engine.outcome import fail
from nnvet.conformance.engine.preparing import built_model, prepare_valid
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.model import TestModel, has_zero_sized_output
from nnvet.generators.specs import SpecCase
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import Model

SUITE: Final = "TestGenerated"
_THREADS: Final = 10
_ONE_OF: Final = 8
"""Threads take the time of many cases, so one spec of so many has to do, the one with a certain checksum."""
_CHOSEN: Final = 3


def _sampled(test: TestModel) -> bool:
    return not test.expect_failure and crc32(test.name.encode()) % _ONE_OF == _CHOSEN


@check(SUITE, "ThreadedSharedCompilation", rules=("execution/concurrent", "execution/output.value"), over=_sampled)
def shared_compilation(subject: Subject, spec: SpecCase) -> None:
    """Threads that share a prepared model, each with another executor, all get the expected values."""
    test = spec.build()
    configs = [TestConfig(executor) for executor in Executor if TestConfig(executor).level[0] <= subject.feature_level]
    if has_zero_sized_output(test):
        # Fenced executions do not take such outputs.
        configs = [config for config in configs if config.executor is not Executor.FENCED]
    with built_model(test, subject.feature_level) as model:
        prepared = prepare_valid(subject, model)
    calls = [partial(_execute, subject, test, prepared, config) for config in islice(cycle(configs), _THREADS)]
    together(calls, subject.timeout_s, "executions of one prepared model")


@check(SUITE, "ThreadedOwnCompilation", rules=("execution/concurrent", "execution/output.value"), over=_sampled)
def own_compilation(subject: Subject, spec: SpecCase) -> None:
    """Threads that each prepare the model, and execute what they have got, all get the expected values."""
    test = spec.build()
    with built_model(test, subject.feature_level) as model:
        # Whatever is wrong with one preparation alone is reported first.
        prepare_valid(subject, model)
        call = partial(_prepare_and_execute, subject, test, model)
        together([call] * _THREADS, subject.timeout_s, "preparations of one model")


def _prepare_and_execute(subject: Subject, test: TestModel, model: Model) -> None:
    try:
        prepared = subject.prepare(model)
    except HalError as error:
        reason = f"one of {_THREADS} preparations at the same time fails: {error}"
        raise fail("execution/concurrent", reason, status=error.status.name) from error
    _execute(subject, test, prepared, basic_config(subject))


def _execute(subject: Subject, test: TestModel, prepared: PreparedModel, config: TestConfig) -> None:
    for answer in run_test(prepared, test, config, subject.device, subject.timeout_s):
        expect(judge(test, config, answer))
