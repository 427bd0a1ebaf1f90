"""Suite ``LeakTest``: a driver releases descriptors, threads and memory, whatever a client has done.

Most checks do rounds of work on large tensors (:func:`_measure_rounds`): a few to warm up, then blocks of many. The
resources of the driver's process are measured before and after each block. A resource that grows with every round
leaks; one that grows in less than every third round counts as noise.

The Soak checks repeat one small inference, or one preparation, for about a second, and find leaks of kilobytes.
:mod:`nnvet.conformance.kit.growth` measures for both, and for stress tests.

Source: docs/contract/hal.md 11.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Final

import numpy as np

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.concurrent_calls import begin, has_returned
from nnvet.conformance.kit.device_memory import allocate, read, write
from nnvet.conformance.kit.executing import EXECUTORS, Executor, TestConfig, await_fenced_end, basic_config, execute
from nnvet.conformance.kit.fenced_runs import launcher, small_sum
from nnvet.conformance.kit.growth import Footprint, Growth, measure_footprint, measure_growth, settle_growth
from nnvet.conformance.kit.handmade import check_execution, prepare_test
from nnvet.conformance.kit.other_clients import check_undisturbed, prepare_for
from nnvet.conformance.kit.outcome import CaseFailed, Outcome, fail, passed, unsupported
from nnvet.conformance.kit.preparing import open_request
from nnvet.conformance.kit.subject import Subject
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import TestModel
from nnvet.hal.errors import HalError
from nnvet.hal.fences import create_fence
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import NO_DEADLINE, BufferRole, ErrorStatus, OperandType, OperationType, Request
from nnvet.reports.events import Verdict

_SUITE: Final = "LeakTest"
_RULE: Final = "client/leak"
"""Rule of a driver that does not release something."""
_WARM_UP: Final = 8
"""Rounds before the first measurement, in which a driver fills its pools and caches."""
_ROUNDS: Final = 24
"""Rounds between two measurements."""
_BLOCKS: Final = 3
"""Number of blocks of rounds: garbage that is collected from time to time does not grow in each of them."""
_ELEMENTS: Final = 2**17
"""Elements of each tensor of the other checks: half a megabyte of floats."""
_BYTES: Final = 4 * _ELEMENTS
"""Size of each tensor of the test."""
_MIB: Final = 2**20
"""Bytes of a mebibyte."""
_DEVICE_MEMORY_LEVEL: Final = 4
"""First feature level (HAL 1.3) with device memory."""
_FENCE_LEVEL: Final = 4
"""First feature level (HAL 1.3) with fences."""


def large_sum() -> TestModel:
    """Return a sum of a large input and a large constant."""
    graph, kind = GraphBuilder(), OperandType.TENSOR_FLOAT32
    ones, twos = np.ones(_ELEMENTS), np.full(_ELEMENTS, 2.0)
    inputs = graph.input(kind, (_ELEMENTS,), ones), graph.constant(kind, (_ELEMENTS,), ones)
    output = graph.output(kind, (_ELEMENTS,), twos)
    graph.operation(OperationType.ADD, (*inputs, graph.scalar(OperandType.INT32, 0)), output)
    return graph.finish("large_sum")


def _measure_rounds(subject: Subject, work: Callable[[], None]) -> Outcome:
    """Repeat the work, compare the driver's resources before and after, and return the outcome.

    :raises CaseFailed: a resource grows in every block of rounds.
    """
    _repeat_work(work, _WARM_UP)
    allowed = Footprint(_ROUNDS // 3, _ROUNDS // 3, _ROUNDS // 3 * _BYTES)
    for _ in range(_BLOCKS):
        before = measure_footprint(subject)
        _repeat_work(work, _ROUNDS)
        growth = settle_growth(subject, before, allowed)
        found = {
            "descriptors": growth.descriptors,
            "threads": growth.threads,
            "memory_mib": growth.memory_bytes // _MIB,
        }
        if all(grown <= most for grown, most in zip(growth, allowed, strict=True)):
            return passed(rounds=_ROUNDS, **found)
    grown = ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in found.items())
    raise fail(_RULE, f"with each {_ROUNDS} rounds of the same work the driver holds more, at last {grown}", **found)


def _repeat_work(work: Callable[[], None], times: int) -> None:
    """Do the work a number of times."""
    for _ in range(times):
        work()


@check(_SUITE, "Preparations", rules=(_RULE,))
def preparations(subject: Subject, _: None) -> Outcome:
    """Preparing, executing and releasing models leaves nothing behind."""
    test, config = large_sum(), basic_config(subject)
    return _measure_rounds(subject, lambda: check_execution(subject, prepare_test(subject, test), test, config))


@check(_SUITE, "Executions", rules=(_RULE,), parameters=lambda: EXECUTORS)
def executions(subject: Subject, executor: Executor) -> Outcome:
    """Executions with their own memory, bursts and reusable executions of one prepared model leave nothing behind."""
    test, config = large_sum(), TestConfig(executor)
    prepared = prepare_test(subject, test, config)
    return _measure_rounds(subject, lambda: check_execution(subject, prepared, test, config))


@check(_SUITE, "Fences", rules=(_RULE, "execution/fence"), level=_FENCE_LEVEL)
def fences(subject: Subject, _: None) -> Outcome:
    """Executions after a fence that signals, and after one that goes into its error state, leave nothing behind."""
    test = small_sum()
    prepared = prepare_test(subject, test, TestConfig(Executor.FENCED))
    return _measure_rounds(subject, partial(_wait_and_fail, subject, prepared, test))


def _wait_and_fail(subject: Subject, prepared: PreparedModel, test: TestModel) -> None:
    """Execute after a fence that has signalled, then after one in its error state, which has to fail."""
    with open_request(test) as packed:
        launch = launcher(prepared, packed.request)
        for end in ("signal", "fail"):
            fence, source = create_fence()
            # The fence signals before the call, so that it makes no difference whether the driver blocks.
            getattr(source, end)()
            try:
                status = await_fenced_end(launch([fence], NO_DEADLINE, NO_DEADLINE), subject.timeout_s).status
            except HalError as error:
                status = error.status
            if (status is ErrorStatus.NONE) != (end == "signal"):
                raise fail("execution/fence", f"behind a fence of which the source does {end}: {status.name}")


@check(_SUITE, "Failures", rules=(_RULE, "execution/invalid"))
def failures(subject: Subject, _: None) -> Outcome:
    """Refused executions leave nothing behind."""
    test, config = large_sum(), basic_config(subject)
    prepared = prepare_test(subject, test)
    check_execution(subject, prepared, test, config)

    def work() -> None:
        with open_request(test) as packed:
            request = Request((), packed.request.outputs, packed.request.pools)
            for answer in execute(prepared, request, config, subject.timeout_s):
                if answer.status is ErrorStatus.NONE:
                    raise fail("execution/invalid", "a request without inputs is executed")

    return _measure_rounds(subject, work)


@check(
    _SUITE,
    "DeviceMemory",
    rules=(
        "buffer/content",
        _RULE,
    ),
    level=_DEVICE_MEMORY_LEVEL,
)
def device_memory(subject: Subject, _: None) -> Outcome:
    """Device memory that is allocated, filled, read and released leaves nothing behind."""
    test = large_sum()
    prepared, data = prepare_test(subject, test), np.ones(_ELEMENTS, np.float32).tobytes()

    def work() -> None:
        memory = allocate(subject.device, [prepared], inputs=[BufferRole(0, 0)])
        if memory is None:
            raise unsupported("the driver has no device memory", "allocate/supported")
        write(memory[0], data)
        if read(memory[0], len(data)) != data:
            raise fail("buffer/content", "device memory does not hold what was copied into it")

    return _measure_rounds(subject, work)


@check(
    _SUITE,
    "Clients",
    rules=(
        "client/interference",
        _RULE,
    ),
    level=_FENCE_LEVEL,
)
def clients(subject: Subject, _: None) -> Outcome:
    """Clients that launch an execution after a fence that never signals, and disconnect, leave nothing behind."""
    test = large_sum()
    prepare_test(subject, test, TestConfig(Executor.FENCED))
    fence, _source = create_fence()

    def work() -> None:
        with subject.another_client() as device, open_request(test) as packed:
            prepared = prepare_for(subject, device, test)
            check_undisturbed(subject, prepared, test, "as one of many clients")
            has_returned(begin(partial(launcher(prepared, packed.request), [fence], NO_DEADLINE, NO_DEADLINE)))

    return _measure_rounds(subject, work)


_SOAK_ELEMENTS: Final = 64
"""Elements of the small model."""
_KINDS: Final = {
    OperandType.TENSOR_FLOAT32: 0.0,
    OperandType.TENSOR_QUANT8_ASYMM: 0.5,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 0.5,
    OperandType.TENSOR_FLOAT16: 0.0,
    OperandType.TENSOR_INT32: 0.0,
}
"""Types of the model, each with a scale larger than its square, as MUL demands; the first supported one is used."""


def _build_models() -> Iterator[TestModel]:
    """Yield ADD, MUL and RELU in a row, for each type; with the constants 1 and 2 rounding makes no difference."""
    for operation, value in ((OperationType.ADD, 4.0), (OperationType.MUL, 3.0), (OperationType.RELU, 3.0)):
        for kind, scale in _KINDS.items():
            if (operation, kind) == (OperationType.RELU, OperandType.TENSOR_INT32):
                # RELU does not exist for integers.
                continue
            graph, shape = GraphBuilder(), (1, _SOAK_ELEMENTS)
            inputs: tuple[int, ...] = (graph.input(kind, shape, np.full(shape, 3.0), scale),)
            if operation != OperationType.RELU:
                ones = graph.constant(kind, shape, np.ones(shape), scale)
                inputs = (*inputs, ones, graph.scalar(OperandType.INT32, 0))
            graph.operation(operation, inputs, graph.output(kind, shape, np.full(shape, value), scale))
            yield graph.finish(f"{OperationType(operation).name.lower()}_{OperandType(kind).name.lower()}")


def _prepare_first(subject: Subject) -> tuple[TestModel, PreparedModel]:
    """Return the first model that the driver supports, prepared.

    :raises CaseFailed: it supports none of them, or its answers are wrong.
    """
    for test in _build_models():
        try:
            return test, prepare_test(subject, test, basic_config(subject))
        except CaseFailed as failed:
            if failed.outcome.verdict is not Verdict.UNSUPPORTED:
                raise
    raise unsupported("the driver supports none of the models: ADD, MUL and RELU of float and 8-bit types")


def _make_executions(subject: Subject, stack: ExitStack) -> Callable[[], None]:
    """Return a function that executes the small model once."""
    test, prepared = _prepare_first(subject)
    config = basic_config(subject)
    check_execution(subject, prepared, test, config)
    packed = stack.enter_context(open_request(test))

    def cycle() -> None:
        for answer in execute(prepared, packed.request, config, subject.timeout_s):
            if answer.status is not ErrorStatus.NONE:
                reason = f"what was executed before ends with {answer.status.name}: {answer.message}"
                raise fail("execution/repeated", reason)

    return cycle


def _make_preparations(subject: Subject, _: ExitStack) -> Callable[[], None]:
    """Return a function that prepares the small model, and releases it at once."""
    test, prepared = _prepare_first(subject)
    check_execution(subject, prepared, test, basic_config(subject))
    return lambda: void(prepare_test(subject, test))


def void(_: object) -> None:
    """Take an object, and drop it at once."""


_CYCLES: Final = {"executions": _make_executions, "preparations": _make_preparations}
"""Functions that prepare what is repeated, and return the function to repeat."""


@check(
    "LeakTest",
    "Soak",
    rules=(_RULE, "execution/repeated"),
    parameters=lambda: _CYCLES,
)
def soak(subject: Subject, cycle_of: Callable[[Subject, ExitStack], Callable[[], None]]) -> Outcome:
    """Repeated executions or preparations of a small model leave no memory, descriptors or threads behind."""
    with ExitStack() as stack:
        growth = measure_growth(subject, cycle_of(subject, stack))
    if not growth.leaks:
        return passed().with_timings(growth.evidence)
    failed = fail(_RULE, _describe_growth(growth), what=", ".join(growth.leaks)).outcome
    raise CaseFailed(failed.with_timings(growth.evidence))


def _describe_growth(growth: Growth) -> str:
    """Return the reason of a failure: how much of each resource a cycle leaves behind."""
    grown = " and ".join(f"{growth.per_cycle[name].value:,.0f} {_UNITS[name]}" for name in growth.leaks)
    return f"with each of {growth.cycles:,} cycles of the same work the driver holds {grown} more"


_UNITS: Final = {"descriptors": "descriptors", "threads": "threads", "memory_bytes": "bytes of memory"}
"""Units of the resources, by the fields of :class:`nnvet.conformance.kit.growth.Footprint`."""
