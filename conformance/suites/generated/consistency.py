"""Suite ``ConsistencyTest``: a request gives the same bits by every executor, alone, beside others, and after them.

The suite runs over the specs. Tolerances hide small differences between a driver's executors, but a client that changes
from one executor to another should see none. :mod:`nnvet.conformance.suites.generated.cases` compares with expected
values instead. Not in VTS.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Final

from msgspec.structs import replace

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.concurrent_calls import call_together
from nnvet.conformance.kit.executing import Executor, TestConfig, basic_config, execute
from nnvet.conformance.kit.judging import precision_rules
from nnvet.conformance.kit.outcome import Outcome, fail, passed
from nnvet.conformance.kit.preparing import built_model, open_request, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.specs import SpecCase
from nnvet.graphs.hal_model import PackedRequest
from nnvet.graphs.model import TestModel, has_zero_sized_output
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.interfaces import PreparedModel

_SUITE: Final = "ConsistencyTest"
_AT_ONCE: Final = 4
"""Executions at the same time."""


def _is_taken(test: TestModel) -> bool:
    """Return True for specs whose results are determined."""
    # Only GeneratedTest can tell random numbers from wrong ones.
    return not test.expect_failure and not test.expected_multinomial_distribution_tolerance


@check(_SUITE, "EveryExecutor", rules=("execution/executors",), over=_is_taken)
def every_executor(subject: Subject, spec: SpecCase) -> Outcome:
    """All executors of the driver's level give the same bits."""
    test = spec.build()
    configs = _list_configs(subject, test)
    with built_model(test, subject.feature_level) as model:
        prepared = prepare_valid(subject, model)
    results = [_execute_alone(subject, test, prepared, config) for config in configs]
    for config, result in zip(configs, results, strict=True):
        _compare(results[0], result, f"executed {configs[0].name} and {config.name}", "execution/executors")
    return passed(executors=[config.name for config in configs])


@check(_SUITE, "Parallel", rules=("execution/concurrent",), over=_is_taken)
def concurrent(subject: Subject, spec: SpecCase) -> None:
    """Concurrent executions give the same bits as a single one."""
    test = spec.build()
    config = basic_config(subject)
    with built_model(test, subject.feature_level) as model:
        prepared = prepare_valid(subject, model)
    alone = _execute_alone(subject, test, prepared, config)
    with ExitStack() as stack:
        packed = [stack.enter_context(open_request(test)) for _ in range(_AT_ONCE)]
        calls = [
            lambda request=request: _execute_checked(subject, test, prepared, request, config) for request in packed
        ]
        results = call_together(calls, subject.timeout_s, "executions at the same time")
    for result in results:
        _compare(alone, result, "executed alone and beside others", "execution/concurrent")


def _has_several_values(test: TestModel) -> bool:
    """Return True for tests whose inputs change if they are reversed."""
    return _is_taken(test) and any(math.prod(operand.dimensions) > 1 for operand in test.main.inputs)


@check(_SUITE, "AfterOtherInputs", rules=("execution/output.value",), over=_has_several_values)
def after_other_inputs(subject: Subject, spec: SpecCase) -> None:
    """Nothing computed from earlier inputs is reused, for instance prepared weights that are inputs."""
    test = spec.build()
    config = basic_config(subject)
    with built_model(test, subject.feature_level) as model:
        prepared = prepare_valid(subject, model)
    with open_request(_with_inputs_reversed(test)) as packed:
        # The result does not matter: these values may be illegal for the operation.
        execute(prepared, packed.request, config, subject.timeout_s)
    _execute_alone(subject, test, prepared, config)


def _with_inputs_reversed(test: TestModel) -> TestModel:
    """Return the test with the values of each input in reverse order, so that they stay in their range."""
    inputs = set(test.main.input_indexes)
    operands = tuple(
        replace(operand, data=operand.data[::-1].copy()) if index in inputs and operand.data is not None else operand
        for index, operand in enumerate(test.main.operands)
    )
    return replace(test, main=replace(test.main, operands=operands))


def _list_configs(subject: Subject, test: TestModel) -> list[TestConfig]:
    """Return one configuration for each executor of the driver's level; a fenced one cannot have an empty output."""
    fenced_too = not has_zero_sized_output(test)
    configs = [TestConfig(executor) for executor in Executor if fenced_too or executor is not Executor.FENCED]
    return [config for config in configs if config.level[0] <= subject.feature_level]


def _execute_alone(subject: Subject, test: TestModel, prepared: PreparedModel, config: TestConfig) -> list[bytes]:
    """Return the bytes of the outputs of a single execution."""
    with open_request(test) as packed:
        return _execute_checked(subject, test, prepared, packed, config)


def _execute_checked(
    subject: Subject, test: TestModel, prepared: PreparedModel, packed: PackedRequest, config: TestConfig
) -> list[bytes]:
    """Execute once, check that the outputs are right, and return their bytes: equal but wrong outputs prove nothing."""
    for answer in execute(prepared, packed.request, config, subject.timeout_s):
        if answer.status is not ErrorStatus.NONE:
            reason = f"{config.name}: {answer.status.name} {answer.message}".rstrip()
            raise fail("execution/status", reason, status=answer.status.name, driver_rule=answer.rule)
    precision_rules(test, packed.output_arrays(test.main.outputs))
    return packed.output_bytes()


def _compare(expected: Sequence[bytes], actual: Sequence[bytes], how: str, rule: str) -> None:
    """Check that two results are equal, byte by byte."""
    for position, (first, second) in enumerate(zip(expected, actual, strict=True)):
        if first != second:
            place = next(index for index, pair in enumerate(zip(first, second, strict=True)) if pair[0] != pair[1])
            raise fail(rule, f"output {position} {how} differs from byte {place} on")
