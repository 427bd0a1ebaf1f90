"""PriorityTest checks the effect of priorities, which the contract allows but does not demand.

A driver in which they have an effect passes. Otherwise the case is UNSUPPORTED, with the observation as the reason,
because this is a matter of quality, not of conformance. All executions wait for a fence, so that the driver has all of
them when it signals; the one that should overtake the others is released last.

Source: docs/contract/hal.md 10.2.
"""

from __future__ import annotations

import select
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final, NamedTuple

from nnvet.adapters.calls import hang_of, limit_of
from nnvet.conformance.engine.again import cores, load
from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.concurrent_calls import begin, has_returned, result_of
from nnvet.conformance.kit.executing import await_fenced_end
from nnvet.conformance.kit.fenced_runs import Launch, launcher, small_sum
from nnvet.conformance.kit.other_clients import check_undisturbed, prepare_for
from nnvet.conformance.kit.outcome import CaseFailed, Outcome, passed, unsupported
from nnvet.conformance.kit.preparing import built_model, open_request, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.caching.networks import chain
from nnvet.graphs.builder import endless_loop
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import NO_DEADLINE, Priority
from nnvet.hal.fences import create_fence
from nnvet.hal.interfaces import FencedExecutionResult
from nnvet.hal.types import ExecutionConfig, Handle, OperandType, OperationType, PrepareModelConfig

_SUITE: Final = "PriorityTest"
_LEVEL: Final = 4
_RULE: Final = "execution/priority"
_WAITING: Final = 12
_LOOPING: Final = 8
_STEPS: Final = 1000
_HEAD_START_S: Final = 0.03
_LOOP_TIMEOUT_NS: Final = 150_000_000
_PATIENCE: Final = 20
"""Largest factor by which loops run longer on a busy machine."""
_ATTEMPTS: Final = 3
_MS_PER_S: Final = 1000


class _Work(NamedTuple):
    """A model to execute, with the priority of its preparation and the timeout of its loops."""

    test: TestModel
    priority: Priority
    loop_timeout_ns: int = NO_DEADLINE


def _chain(priority: Priority) -> _Work:
    return _Work(chain(OperationType.ADD, OperandType.TENSOR_FLOAT32, _STEPS), priority)


def loop_of(priority: Priority) -> _Work:
    """Return an endless loop, whose timeout grows with the load, so that others have time to overtake it."""
    patience = min(_PATIENCE, max(1, int(load() / cores())))
    return _Work(endless_loop(), priority, patience * _LOOP_TIMEOUT_NS)


@check(_SUITE, "Overtakes", rules=(_RULE,), level=_LEVEL)
def overtakes(subject: Subject, _: None) -> Outcome:
    """An execution of priority HIGH ends before most of the LOW ones that were launched earlier."""

    def attempt() -> None:
        works = [*[_chain(Priority.LOW)] * _WAITING, _chain(Priority.HIGH)]
        with _gathered(subject, works, subject.timeout_s) as results:
            before = _ended_before_last(subject, results)
        if before > _WAITING // 2:
            raise unsupported(f"{before} of {_WAITING} LOW executions end before a HIGH one that came last", _RULE)

    return _best_of(attempt)


@check(_SUITE, "Interrupts", rules=(_RULE,), level=_LEVEL)
def interrupts(subject: Subject, _: None) -> Outcome:
    """An execution of priority HIGH ends, although endless LOW ones are running and waiting."""

    def attempt() -> None:
        high = _Work(small_sum(), Priority.HIGH)
        with _gathered(subject, [*[loop_of(Priority.LOW)] * _LOOPING, high]) as results:
            before = _ended_before_last(subject, results)
        if before:
            raise unsupported(f"{before} of {_LOOPING} LOW loops run into their timeout before a HIGH sum ends", _RULE)

    return _best_of(attempt)


@check(
    _SUITE,
    "OtherClient",
    rules=(
        "execution/fence.state",
        _RULE,
    ),
    level=_LEVEL,
)
def other_client(subject: Subject, _: None) -> Outcome:
    """An execution of priority LOW ends, although another client has endless HIGH ones."""
    test = small_sum()

    def attempt() -> None:
        with _gathered(subject, [loop_of(Priority.HIGH)] * _LOOPING) as results, subject.another_client() as other:
            prepared = prepare_for(subject, other, test, PrepareModelConfig(priority=Priority.LOW))
            check_undisturbed(subject, prepared, test, "while another client has loops of priority HIGH")
            ended = len(_ready(_fences(results), 0))
        if ended > _LOOPING // 2:
            raise unsupported("a LOW execution waits until most HIGH ones of another client have ended", _RULE)

    return _best_of(attempt)


def _best_of(attempt: Callable[[], None]) -> Outcome:
    """Pass if one of several attempts passes: on a busy machine an attempt may fail by chance."""
    for number in range(1, _ATTEMPTS + 1):
        try:
            attempt()
        except CaseFailed:
            if number == _ATTEMPTS:
                raise
        else:
            break
    return passed(attempts=number)


@contextmanager
def _gathered(
    subject: Subject, works: Sequence[_Work], head_start_s: float = _HEAD_START_S
) -> Iterator[list[FencedExecutionResult]]:
    """Launch executions, and release them once the driver has all; wait for all of them at the end of the block.

    The last one is released when another one has ended, or after ``head_start_s`` seconds.

    :raises CaseFailed: the driver does not support the models, or blocks until fences have signalled.
    """
    (fence, source), (last_fence, last_source) = create_fence(), create_fence()
    with ExitStack() as stack:
        *launches, last = _launches(subject, stack, works)
        results = [_launched(subject, launch, fence) for launch in launches]
        results.append(_launched(subject, last, last_fence))
        fences = _fences(results)
        source.signal()
        _ready(fences, head_start_s)
        last_source.signal()
        yield results
        for result in results:
            await_fenced_end(result, subject.timeout_s)


def _launches(subject: Subject, stack: ExitStack, works: Sequence[_Work]) -> list[Launch]:
    """Return functions that launch executions; equal pieces of work share a prepared model."""
    models = {}
    launches = []
    for work in works:
        key = work.test.name, work.priority
        if key not in models:
            with built_model(work.test, subject.feature_level) as model:
                models[key] = prepare_valid(subject, model, PrepareModelConfig(priority=work.priority))
        packed = stack.enter_context(open_request(work.test))
        config = ExecutionConfig(loop_timeout_duration_ns=work.loop_timeout_ns)
        launches.append(launcher(models[key], packed.request, config))
    return launches


def _launched(subject: Subject, launch: Launch, fence: Handle) -> FencedExecutionResult:
    future = begin(lambda: launch([fence], NO_DEADLINE, NO_DEADLINE))
    if not has_returned(future):
        raise unsupported("executeFenced blocks until fences have signalled, so that executions cannot wait together")
    return result_of(future, subject.timeout_s, "execute_fenced")


def _ended_before_last(subject: Subject, results: Sequence[FencedExecutionResult]) -> int:
    """Return the number of executions that end before the last one, or are observed to end together with it."""
    *others, last = _fences(results)
    waiting = list(others)
    while not _ready([last], 0):
        ready = _some_ready(subject, [*waiting, last])
        waiting = [fence for fence in waiting if fence not in ready]
    return len(_ready(others, 0))


def _fences(results: Sequence[FencedExecutionResult]) -> list[Handle]:
    fences = [result.sync_fence for result in results if result.sync_fence is not None]
    if len(fences) != len(results):
        raise unsupported("executeFenced returns no fences, so that the order of executions cannot be seen")
    return fences


def _ready(fences: Sequence[Handle], timeout_s: float) -> list[Handle]:
    """Wait until some fences are not active any more, and return them."""
    poller = select.poll()
    for fence in fences:
        poller.register(fence.fd, select.POLLIN)
    ended = {fd for fd, _ in poller.poll(timeout_s * _MS_PER_S)}
    return [fence for fence in fences if fence.fd in ended]


def _some_ready(subject: Subject, fences: Sequence[Handle]) -> list[Handle]:
    """Wait until at least one fence is not active any more, and return those.

    :raises DriverHang: all stay active for too long.
    """
    limit = limit_of(subject.device, subject.timeout_s)
    if not limit.wait(lambda left_s: bool(_ready(fences, left_s or 0.0))):
        raise hang_of(subject.device, "fences of execute_fenced", limit)
    return _ready(fences, 0)
