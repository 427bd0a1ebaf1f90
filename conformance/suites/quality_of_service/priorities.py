"""Suite ``PriorityTest``: the effect of priorities, which the contract allows but does not demand.

A driver in which they have an effect passes. Otherwise the case is UNSUPPORTED, with the observation as the reason,
because this is a matter of quality, not of conformance. All executions wait for a fence (:func:`_launch_together`), so
that the driver has all of them when it signals; the one that should overtake the others is released last. Results of
models with other priorities are checked in :mod:`nnvet.conformance.suites.quality_of_service.preferences`.

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
"""First feature level (HAL 1.3) with priorities and fences."""
_RULE: Final = "execution/priority"
"""Rule that allows priorities to have no effect."""
_WAITING: Final = 12
"""Chains of priority LOW that one of priority HIGH should overtake."""
_LOOPING: Final = 8
"""Endless loops in flight."""
_STEPS: Final = 1000
"""Operations of a chain, so that an execution takes longer than its launch."""
_HEAD_START_S: Final = 0.03
"""Most seconds between the release of the others and that of the last execution."""
_LOOP_TIMEOUT_NS: Final = 150_000_000
"""Loop timeout on an idle machine, 0.15 s."""
_PATIENCE: Final = 20
"""Largest factor by which loops run longer on a busy machine."""
_ATTEMPTS: Final = 3
"""Attempts of a check, of which one has to pass."""
_MS_PER_S: Final = 1000
"""Milliseconds of a second, for poll."""


class _Work(NamedTuple):
    """A model to execute, with the priority of its preparation and the timeout of its loops."""

    test: TestModel
    priority: Priority
    loop_timeout_ns: int = NO_DEADLINE


def _chain_of(priority: Priority) -> _Work:
    """Return a chain of additions, to be prepared with a priority."""
    return _Work(chain(OperationType.ADD, OperandType.TENSOR_FLOAT32, _STEPS), priority)


def loop_of(priority: Priority) -> _Work:
    """Return an endless loop, whose timeout grows with the load, so that others have time to overtake it."""
    patience = min(_PATIENCE, max(1, int(load() / cores())))
    return _Work(endless_loop(), priority, patience * _LOOP_TIMEOUT_NS)


@check(_SUITE, "Overtakes", rules=(_RULE,), level=_LEVEL)
def overtakes(subject: Subject, _: None) -> Outcome:
    """An execution of priority HIGH ends before most of the LOW ones that were launched earlier."""

    def attempt() -> None:
        works = [*[_chain_of(Priority.LOW)] * _WAITING, _chain_of(Priority.HIGH)]
        with _launch_together(subject, works, subject.timeout_s) as results:
            before = _count_before_last(subject, results)
        if before > _WAITING // 2:
            raise unsupported(f"{before} of {_WAITING} LOW executions end before a HIGH one that came last", _RULE)

    return _try_repeatedly(attempt)


@check(_SUITE, "Interrupts", rules=(_RULE,), level=_LEVEL)
def interrupts(subject: Subject, _: None) -> Outcome:
    """An execution of priority HIGH ends, although endless LOW ones are running and waiting."""

    def attempt() -> None:
        high = _Work(small_sum(), Priority.HIGH)
        with _launch_together(subject, [*[loop_of(Priority.LOW)] * _LOOPING, high]) as results:
            before = _count_before_last(subject, results)
        if before:
            raise unsupported(f"{before} of {_LOOPING} LOW loops run into their timeout before a HIGH sum ends", _RULE)

    return _try_repeatedly(attempt)


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
        with (
            _launch_together(subject, [loop_of(Priority.HIGH)] * _LOOPING) as results,
            subject.another_client() as other,
        ):
            prepared = prepare_for(subject, other, test, PrepareModelConfig(priority=Priority.LOW))
            check_undisturbed(subject, prepared, test, "while another client has loops of priority HIGH")
            ended = len(_wait_for_any(_fences_of(results), 0))
        if ended > _LOOPING // 2:
            raise unsupported("a LOW execution waits until most HIGH ones of another client have ended", _RULE)

    return _try_repeatedly(attempt)


def _try_repeatedly(attempt: Callable[[], None]) -> Outcome:
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
def _launch_together(
    subject: Subject, works: Sequence[_Work], head_start_s: float = _HEAD_START_S
) -> Iterator[list[FencedExecutionResult]]:
    """Launch executions, and release them once the driver has all; wait for all of them at the end of the block.

    The last one is released when another one has ended, or after ``head_start_s`` seconds.

    :raises CaseFailed: the driver does not support the models, or blocks until fences have signalled.
    """
    (fence, source), (last_fence, last_source) = create_fence(), create_fence()
    with ExitStack() as stack:
        *launches, last = _make_launches(subject, stack, works)
        results = [_launch_waiting(subject, launch, fence) for launch in launches]
        results.append(_launch_waiting(subject, last, last_fence))
        fences = _fences_of(results)
        source.signal()
        _wait_for_any(fences, head_start_s)
        last_source.signal()
        yield results
        for result in results:
            await_fenced_end(result, subject.timeout_s)


def _make_launches(subject: Subject, stack: ExitStack, works: Sequence[_Work]) -> list[Launch]:
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


def _launch_waiting(subject: Subject, launch: Launch, fence: Handle) -> FencedExecutionResult:
    """Launch an execution that waits for a fence, and return the driver's answer.

    :raises CaseFailed: UNSUPPORTED if the driver blocks until the fence has signalled.
    """
    future = begin(lambda: launch([fence], NO_DEADLINE, NO_DEADLINE))
    if not has_returned(future):
        raise unsupported("executeFenced blocks until fences have signalled, so that executions cannot wait together")
    return result_of(future, subject.timeout_s, "execute_fenced")


def _count_before_last(subject: Subject, results: Sequence[FencedExecutionResult]) -> int:
    """Return the number of executions that end before the last one, or are observed to end together with it."""
    *others, last = _fences_of(results)
    waiting = list(others)
    while not _wait_for_any([last], 0):
        ready = _wait_for_some(subject, [*waiting, last])
        waiting = [fence for fence in waiting if fence not in ready]
    return len(_wait_for_any(others, 0))


def _fences_of(results: Sequence[FencedExecutionResult]) -> list[Handle]:
    """Return the fence of each execution.

    :raises CaseFailed: UNSUPPORTED if the driver returns none.
    """
    fences = [result.sync_fence for result in results if result.sync_fence is not None]
    if len(fences) != len(results):
        raise unsupported("executeFenced returns no fences, so that the order of executions cannot be seen")
    return fences


def _wait_for_any(fences: Sequence[Handle], timeout_s: float) -> list[Handle]:
    """Wait until some fences are not active any more, and return them; none if ``timeout_s`` seconds pass before."""
    poller = select.poll()
    for fence in fences:
        poller.register(fence.fd, select.POLLIN)
    ended = {fd for fd, _ in poller.poll(timeout_s * _MS_PER_S)}
    return [fence for fence in fences if fence.fd in ended]


def _wait_for_some(subject: Subject, fences: Sequence[Handle]) -> list[Handle]:
    """Wait until at least one fence is not active any more, and return those.

    :raises DriverHang: all stay active for too long.
    """
    limit = limit_of(subject.device, subject.timeout_s)
    if not limit.wait(lambda left_s: bool(_wait_for_any(fences, left_s or 0.0))):
        raise hang_of(subject.device, "fences of execute_fenced", limit)
    return _wait_for_any(fences, 0)
