"""Checks of the generated suites: :func:`run_case` runs the case of a spec by one configuration.

Source: docs/contract/vts-tests.md 7. :mod:`nnvet.conformance.suites.generated.table` lists the suites, and
:mod:`nnvet.conformance.kit.judging` judges.

One check compares a model of unsigned 8-bit codes with its signed twin: a driver has to prepare both or neither, and to
compute the same. VTS compares each with its own expected values (docs/contract/vts-tests.md 7.6), so that the two may
be off by one in opposite directions. Here their codes are compared with each other as well. They need not be equal,
since halves may be rounded up, away from zero or toward it, and the twins have different codes for zero.

Another check runs cases in many threads at once (docs/contract/cts-tests.md 1.1, threaded build).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from typing import Final
from zlib import crc32

import numpy as np

from nnvet.conformance.kit import judging
from nnvet.conformance.kit.checks import ModelTest, begun_ahead, check
from nnvet.conformance.kit.concurrent_calls import call_together
from nnvet.conformance.kit.executing import Executor, OutputType, TestConfig, basic_config, run_test
from nnvet.conformance.kit.outcome import PASSED, Outcome, fail
from nnvet.conformance.kit.preparing import Attempt, BegunAttempt, attempt, built_model, prepare_valid
from nnvet.conformance.kit.siblings import blame_acceptance, require_execution, require_sibling
from nnvet.conformance.kit.subject import Subject, require_level
from nnvet.conformance.suites.generated.table import RULES, SUITES, Suite, takes
from nnvet.generators.specs import SpecCase
from nnvet.graphs.editor import with_unknown_output_dimensions
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import TestModel, has_zero_sized_output
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import UNINTENDED, HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import Model, OperandType
from nnvet.oracle import compare, tolerance_for

SHIFT: Final = 128
"""Difference of codes and zero points between a model and its signed twin."""


_ADVICE: Final = (
    "say the same of TENSOR_QUANT8_ASYMM and TENSOR_QUANT8_ASYMM_SIGNED, operation by operation: their codes are 128 "
    "apart, so one kernel can serve both; or claim neither"
)
"""Advice of a failure: how a driver comes to treat the twins alike."""


def check_prepared_alike(answers: Mapping[str, str]) -> None:
    """Check that answers to a model and to its twin, by operand type, are the same words.

    :raises CaseFailed: they differ.
    """
    if len(set(answers.values())) > 1:
        described = ", ".join(f"{name}: {answer}" for name, answer in answers.items())
        raise fail("prepare/coupling", f"a model and its signed twin differ: {described}", advice=_ADVICE)


def check_twins(test: TestModel, results: Sequence[judging.Array], twin_results: Sequence[judging.Array]) -> None:
    """Compare the results of a test's twin with those of the test, as flat arrays; None where none are expected.

    The tolerance is that of expected values: codes may differ by one, after the shift.

    :raises CaseFailed: with the worst element of the first output that differs.
    """
    relaxed = judging.is_relaxed(test)
    for position, (result, twin) in enumerate(zip(results, twin_results, strict=True)):
        operand = test.main.outputs[position]
        tolerance = tolerance_for(operand.type, relaxed=relaxed, whole_network=test.traits.is_whole_network)
        if operand.is_ignored or tolerance is None:
            continue
        coupled = operand.type == OperandType.TENSOR_QUANT8_ASYMM
        expected = result.astype(np.int16) - SHIFT if coupled else result
        mismatch = compare(judging.in_shape(twin, operand), judging.in_shape(expected, operand), tolerance)
        if mismatch is not None:
            raise judging.wrong_values(mismatch, position, "execution/coupling")


_Key = tuple[str, str, str, bool]
"""Key of a preparation: file and name of the spec's case, the suite if it has twins, True for open outputs."""
_LONG: Final = 1 << 18
"""Bytes of constants from which a model is sent only in its turn: several of them would fill the memory of a device."""
_SHARED: Final = "preparation"
"""Key in the shared state under which the next case finds the last preparation."""


@dataclass(frozen=True)
class Preparation:
    """A test with the result of its preparation, and with that of its twin, if it has one."""

    key: _Key
    test: TestModel
    attempt: Attempt
    twin: Preparation | None = None


def run_case(subject: Subject, spec: SpecCase, *, suite: Suite, config: TestConfig) -> Outcome:
    """Prepare (or use the previous case's preparation), execute and judge.

    :raises CaseFailed: the driver is wrong, or does not support what the case needs.
    :raises DriverGone: the driver's process died, or gave no answer in time.
    :raises SpecError: the test cannot be built.
    """
    require_level(subject, *max(config.level, (suite.level, suite.name)))
    return _judge_preparation(subject, _prepare_or_reuse(subject, spec, suite, config), suite, config)


def _run(subject: Subject, test: TestModel, *, suite: Suite, config: TestConfig) -> None:
    """Run any test like :func:`run_case`; raises like it."""
    needed = (test.min_supported_version or 1, "all of the model")
    require_level(subject, *max(config.level, (suite.level, suite.name), needed))
    key = ("", "", "", config.output is not OutputType.FULLY_SPECIFIED)
    _judge_preparation(subject, _prepare_with_twin(subject, test, key, suite), suite, config)


def _make_model_test(suite: Suite, config: TestConfig) -> ModelTest | None:
    """Return the suite's model test; None if tests have to fail, because reduction could remove the cause."""
    if suite.expected is not judging.Expectation.VALUES:
        return None
    return ModelTest(lambda spec: spec.build(), partial(_run, suite=suite, config=config), judging.tolerances)


def _judge_preparation(subject: Subject, preparation: Preparation, suite: Suite, config: TestConfig) -> Outcome:
    """Execute a prepared test, and its twin if there is one; compare both, or check that the test fails as it must."""
    if suite.expected is judging.Expectation.FAILURE:
        return _check_failure(subject, preparation, config)
    twin = preparation.twin
    if twin is not None:
        check_prepared_alike({"unsigned": preparation.attempt.in_words, "signed": twin.attempt.in_words})
    results = _execute_and_judge(subject, preparation, suite, config)
    if twin is not None:
        check_twins(preparation.test, results, _execute_and_judge(subject, twin, suite, config))
    return PASSED


def _execute_and_judge(
    subject: Subject, preparation: Preparation, suite: Suite, config: TestConfig
) -> tuple[judging.Array, ...]:
    """Judge a prepared test, and return its outputs; empty if there must be none."""
    results: tuple[judging.Array, ...] = ()
    prepared = preparation.attempt.required()
    for answer in run_test(prepared, preparation.test, config, subject.device, subject.timeout_s):
        judging.expect(judging.judge(preparation.test, config, answer, suite.expected))
        results = answer.outputs
    if not results:
        # The execution has failed as expected. A driver that fails every execution would do so, too.
        require_execution(subject, config)
    return results


def _check_failure(subject: Subject, preparation: Preparation, config: TestConfig) -> Outcome:
    """Check that the driver refuses the model or the execution of a test that must fail, and not a valid sibling."""
    refused = preparation.attempt
    if refused.prepared is not None:
        answer = run_test(refused.prepared, preparation.test, config, subject.device, subject.timeout_s)[0]
        if answer.status is ErrorStatus.NONE:
            raise blame_acceptance(preparation.test, "preparation and execution succeed, one of them must fail")
        judging.expect(judging.judge(preparation.test, config, answer, judging.Expectation.FAILURE))
        require_execution(subject, config)
        return PASSED
    if refused.error is not None and refused.error.rule in UNINTENDED:
        return fail(refused.error.rule, f"the preparation fails, but not by decision: {refused.error}").outcome
    require_sibling(subject, preparation.test)
    return PASSED


def _key(spec: SpecCase, suite: Suite, config: TestConfig) -> _Key:
    unknown = config.output is not OutputType.FULLY_SPECIFIED
    return str(spec.path), spec.name, suite.name if suite.twin else "", unknown


def _prepare_or_reuse(subject: Subject, spec: SpecCase, suite: Suite, config: TestConfig) -> Preparation:
    """Return the preparation of the last case if it had the same model, or the one begun ahead; else prepare."""
    key = _key(spec, suite, config)
    kept = subject.shared.get(_SHARED)
    if isinstance(kept, Preparation) and kept.key == key:
        return kept
    subject.shared.pop(_SHARED, None)
    begun = begun_ahead(subject).pop(key, None)
    preparation = _prepare_with_twin(subject, spec.build(), key, suite) if begun is None else begun.finish(subject)
    subject.shared[_SHARED] = preparation
    return preparation


@dataclass(frozen=True)
class _Begun:
    """A preparation whose calls are on their way, and that of its twin."""

    key: _Key
    test: TestModel
    attempt: BegunAttempt
    twin: _Begun | None

    def finish(self, subject: Subject) -> Preparation:
        twin = None if self.twin is None else self.twin.finish(subject)
        try:
            return Preparation(self.key, self.test, self.attempt.finish(subject), twin)
        finally:
            close_pools(self.attempt.model)


def _announce(subject: Subject, spec: SpecCase, *, suite: Suite, config: TestConfig) -> None:
    """Begin the preparation of a case, unless an earlier case has the same, or its constants are long."""
    key, begun = _key(spec, suite, config), begun_ahead(subject)
    kept = subject.shared.get(_SHARED)
    is_known = key in begun or (isinstance(kept, Preparation) and kept.key == key)
    if is_known or subject.feature_level < max(config.level[0], suite.level):
        return
    test = spec.build()
    if sum(operand.data.nbytes for operand in test.main.operands if operand.data is not None) > _LONG:
        return
    twin = None
    if suite.twin is not None:
        twin_test = suite.twin(test)
        twin = _begun(subject, key, twin_test, twin_test)
    begun[key] = _begun(subject, key, test, with_unknown_output_dimensions(test) if key[-1] else test, twin)


def _begun(subject: Subject, key: _Key, test: TestModel, prepared: TestModel, twin: _Begun | None = None) -> _Begun:
    attempt = BegunAttempt(subject, build_model(prepared), may_be_invalid=test.expect_failure)
    return _Begun(key, test, attempt, twin)


def _prepare_with_twin(subject: Subject, test: TestModel, key: _Key, suite: Suite) -> Preparation:
    """Prepare a test, and its twin if the suite has one."""
    twin = None
    if suite.twin is not None:
        twin_test = suite.twin(test)
        twin = Preparation(key, twin_test, _attempt_test(subject, twin_test))
    tried = _attempt_test(subject, with_unknown_output_dimensions(test) if key[-1] else test)
    return Preparation(key, test, tried, twin)


def _attempt_test(subject: Subject, test: TestModel) -> Attempt:
    """Prepare a test's model, and return the driver's answer, which may be a refusal."""
    model = build_model(test)
    try:
        return attempt(subject, model, may_be_invalid=test.expect_failure)
    finally:
        close_pools(model)


for _suite in SUITES:
    for _config in _suite.configs:
        check(
            _suite.name,
            _config.name,
            rules=RULES[_suite.expected],
            over=partial(takes, suite=_suite, config=_config),
            usual=_suite.usual(_config),
            judges_operations=True,
            model_test=_make_model_test(_suite, _config),
            announce=partial(_announce, suite=_suite, config=_config),
        )(partial(run_case, suite=_suite, config=_config))


SUITE: Final = "TestGenerated"
_THREADS: Final = 10
"""Threads of a check, as in CTS."""
_ONE_OF: Final = 8
"""One of this many specs runs in threads, because that takes long; the checksum of its name chooses it."""
_CHOSEN: Final = 3
"""Remainder of the checksums of the chosen specs; any will do."""


def _is_sampled(test: TestModel) -> bool:
    """Return True for the specs, one of :data:`_ONE_OF`, that run in threads."""
    return not test.expect_failure and crc32(test.name.encode()) % _ONE_OF == _CHOSEN


@check(SUITE, "ThreadedSharedCompilation", rules=("execution/concurrent", "execution/output.value"), over=_is_sampled)
def shared_compilation(subject: Subject, spec: SpecCase) -> None:
    """Threads that share a prepared model, with different executors, all get the expected values."""
    test = spec.build()
    configs = [TestConfig(executor) for executor in Executor if TestConfig(executor).level[0] <= subject.feature_level]
    if has_zero_sized_output(test):
        # Fenced executions do not accept outputs of unknown size.
        configs = [config for config in configs if config.executor is not Executor.FENCED]
    with built_model(test, subject.feature_level) as model:
        prepared = prepare_valid(subject, model)
    calls = [partial(_execute, subject, test, prepared, config) for config in islice(cycle(configs), _THREADS)]
    call_together(calls, subject.timeout_s, "executions of one prepared model")


@check(SUITE, "ThreadedOwnCompilation", rules=("execution/concurrent", "execution/output.value"), over=_is_sampled)
def own_compilation(subject: Subject, spec: SpecCase) -> None:
    """Threads that each prepare and execute the model all get the expected values."""
    test = spec.build()
    with built_model(test, subject.feature_level) as model:
        # A single preparation first, so that an error that needs no threads is reported as such.
        prepare_valid(subject, model)
        call = partial(_prepare_and_execute, subject, test, model)
        call_together([call] * _THREADS, subject.timeout_s, "preparations of one model")


def _prepare_and_execute(subject: Subject, test: TestModel, model: Model) -> None:
    """Prepare the model, as other threads do at the same time, and execute it.

    :raises CaseFailed: the preparation fails, which has succeeded alone, or an output is wrong.
    """
    try:
        prepared = subject.prepare(model)
    except HalError as error:
        reason = f"one of {_THREADS} preparations at the same time fails: {error}"
        raise fail("execution/concurrent", reason, status=error.status.name) from error
    _execute(subject, test, prepared, basic_config(subject))


def _execute(subject: Subject, test: TestModel, prepared: PreparedModel, config: TestConfig) -> None:
    """Execute a test, and judge each answer."""
    for answer in run_test(prepared, test, config, subject.device, subject.timeout_s):
        judging.expect(judging.judge(test, config, answer))
