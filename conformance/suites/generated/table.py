"""Table of the generated suites, :data:`SUITES`: spec cases of each suite, their form, and configurations of execution.

:mod:`nnvet.conformance.suites.generated.cases` turns the table into checks. Names are those of VTS and CTS
(docs/contract/vts-tests.md 7.1 and 7.3, docs/contract/cts-tests.md 1.1).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Final

from nnvet.conformance.kit.executing import Executor, MemoryType, OutputType, TestConfig
from nnvet.conformance.kit.judging import Expectation
from nnvet.graphs import model as graphs
from nnvet.graphs.editor import convert_quant8_asymm_operands_to_signed
from nnvet.hal.enums import OperandType
from nnvet.hal.errors import UNINTENDED
from nnvet.hal.operand_types import is_extension, type_info

_LOOP_TIMEOUT_NS = 1_000_000
"""Loop timeout of endless loops, 1 ms as in VTS."""
_SIGNED_LEVEL = type_info(OperandType.TENSOR_QUANT8_ASYMM_SIGNED).level
"""First feature level with signed 8-bit codes."""


_VALUES: Final = (
    "prepare/valid",
    "prepare/supported",
    "prepare/supported.count",
    "execution/status",
    "execution/timing",
    "execution/output.shapes",
    "execution/output.dimensions",
    "execution/output.insufficient",
    "execution/output.value",
)
"""Rules about the preparation and execution of a valid model."""
_UNINTENDED: Final = (*UNINTENDED, "driver/notification")
"""Rules about answers that are no decision of the driver."""
RULES: Final = {
    Expectation.VALUES: (
        *_VALUES,
        *_UNINTENDED,
        "prepare/coupling",
        "execution/coupling",
        "allocate/supported",
        "allocate/answer",
        "buffer/copy",
    ),
    Expectation.FAILURE: ("execution/expected_failure", *_UNINTENDED),
    Expectation.DEADLINE: ("prepare/valid", "prepare/supported", "execution/output.insufficient", *_UNINTENDED),
}
"""Rules that a generated case may find broken, by its expectation."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite of the table.

    ``takes`` decides by a model's outline whether a case belongs to the suite; with ``only_failures`` it must be a case
    that has to fail, else one that must not. ``twin`` makes another test that has to end alike. ``level`` is the first
    feature level that has the suite. ``usual`` selects the configurations of the usual run, without the full matrix.
    """

    name: str
    takes: Callable[[graphs.TestModel], bool]
    configs: tuple[TestConfig, ...]
    expected: Expectation = Expectation.VALUES
    twin: Callable[[graphs.TestModel], graphs.TestModel] | None = None
    level: int = 1
    only_failures: bool = False
    usual: Callable[[TestConfig], bool] = lambda _: True


_PLAIN = tuple(TestConfig(executor) for executor in Executor)
"""Every executor, without timing."""
_ONE_OFF = (Executor.SYNC, Executor.ASYNC, Executor.BURST, Executor.FENCED)
"""Executors other than REUSABLE."""
_MEASURED = tuple(TestConfig(executor, measure=True) for executor in Executor)
"""Every executor, with timing."""
_DYNAMIC = tuple(
    TestConfig(executor, output, measure)
    for output, measure, executor in product((OutputType.UNSPECIFIED, OutputType.INSUFFICIENT), (False, True), _ONE_OFF)
)
"""Outputs of unknown dimensions, in buffers that suffice and in buffers that do not."""
_PADDED = (TestConfig(Executor.SYNC, padded=True),)
"""Arguments with padding behind their value."""
_SHORT_PADDED = (TestConfig(Executor.SYNC, OutputType.INSUFFICIENT, padded=True),)
"""The same with a buffer that does not suffice."""
_MEMORY_TYPES = (
    TestConfig(Executor.SYNC, memory=MemoryType.MMAP_FD),
    *(
        TestConfig(executor, memory=memory)
        for memory, executor in product(
            (MemoryType.BLOB_AHWB, MemoryType.DEVICE), (Executor.SYNC, Executor.BURST, Executor.FENCED)
        )
    ),
    TestConfig(Executor.ASYNC, memory=MemoryType.DEVICE),
)
"""Types of memory other than the usual shared memory, with executors that VTS combines them with."""
_LOOPS = tuple(
    TestConfig(executor, measure=measure, loop_timeout_ns=_LOOP_TIMEOUT_NS)
    for measure, executor in product((False, True), (Executor.SYNC, Executor.ASYNC, Executor.FENCED))
)
"""Executors of endless loops."""
_USUAL_GENERAL = (TestConfig(Executor.SYNC), TestConfig(Executor.ASYNC))
"""Configurations of GeneratedTest in the usual run."""


def is_coupled(test: graphs.TestModel) -> bool:
    """Return True if a test has a signed twin, which a driver must treat in the same way."""
    return len(test.main.operations) == 1 and graphs.has_quant8_coupled_operands(test)


SUITES: tuple[Suite, ...] = (
    Suite("GeneratedTest", lambda _: True, (*_PLAIN, *_MEASURED, *_PADDED), usual=_USUAL_GENERAL.__contains__),
    Suite("MemoryDomainTest", lambda _: True, _MEMORY_TYPES, usual=lambda _: False),
    Suite(
        "DynamicOutputShapeTest",
        lambda test: not graphs.has_scalar_outputs(test),
        (*_DYNAMIC, *_SHORT_PADDED),
        usual=lambda config: config.executor is Executor.SYNC and not config.padded and not config.measure,
    ),
    Suite(
        "QuantizationCouplingTest",
        is_coupled,
        tuple(TestConfig(executor, measure=measure) for measure, executor in product((False, True), _ONE_OFF)),
        usual=(TestConfig(Executor.SYNC),).__contains__,
        twin=convert_quant8_asymm_operands_to_signed,
        level=_SIGNED_LEVEL,
    ),
    Suite(
        "GeneratedValidationTest",
        lambda test: not graphs.is_infinite_loop_timeout_test(test),
        (TestConfig(Executor.SYNC),),
        Expectation.FAILURE,
        only_failures=True,
    ),
    Suite(
        "InfiniteLoopTimeoutTest",
        graphs.is_infinite_loop_timeout_test,
        _LOOPS,
        Expectation.DEADLINE,
        only_failures=True,
    ),
)
"""All generated suites; their order is that of the cases."""


def _can_be_short(test: graphs.TestModel) -> bool:
    """Return True if output 0 has more than one byte, so that its buffer can lack one."""
    first = test.main.outputs[0]
    return type_info(first.type).size * math.prod(first.dimensions) > 1


def _leaves_open(config: TestConfig, test: graphs.TestModel) -> bool:
    """Return True if a driver may either refuse or accept a fenced execution with outputs of unknown size.

    Only the driver knows the sizes of an extension's operands (docs/contract/hal.md 8.1).
    """
    unknown = config.executor is Executor.FENCED and config.output is not OutputType.FULLY_SPECIFIED
    return unknown and all(is_extension(operand.type) for operand in test.main.outputs)


def takes(outline: graphs.TestModel, *, suite: Suite, config: TestConfig) -> bool:
    """Return True if a suite executes a spec's case by a configuration."""
    if suite.only_failures != outline.expect_failure or not suite.takes(outline):
        return False
    too_short = config.output is OutputType.INSUFFICIENT and not _can_be_short(outline)
    return not too_short and not _leaves_open(config, outline)
