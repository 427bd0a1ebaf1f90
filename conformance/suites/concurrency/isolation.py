"""Suite ``IsolationTest``: one client of a driver can neither use the objects of another client nor disturb it.

The second client connects to the same service (:mod:`nnvet.conformance.kit.other_clients`). It does not know the first
one's objects, so it guesses their ids. Threads of one client are in
:mod:`nnvet.conformance.suites.concurrency.concurrency`. Source: docs/contract/hal.md 11.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

from nnvet.conformance.kit import other_clients
from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.concurrent_calls import begin, call_together, has_returned
from nnvet.conformance.kit.device_memory import allocate, read, write
from nnvet.conformance.kit.executing import Answer, Executor, TestConfig, answer_of
from nnvet.conformance.kit.fenced_runs import launcher, small_sum
from nnvet.conformance.kit.handmade import check_exactly, prepare_test
from nnvet.conformance.kit.judging import check_answer
from nnvet.conformance.kit.outcome import fail, unsupported
from nnvet.conformance.kit.preparing import open_request
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.concurrency.concurrency import driver_burst
from nnvet.graphs.builder import endless_loop
from nnvet.graphs.hal_model import create_pool
from nnvet.graphs.model import TestModel
from nnvet.hal import types as hal
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, Priority
from nnvet.hal.errors import HalError
from nnvet.hal.fences import create_fence
from nnvet.hal.interfaces import Buffer, Device, PreparedModel
from nnvet.hal.memory import close, mapped

_SUITE: Final = "IsolationTest"
_MEMORY_LEVEL: Final = 4
"""First feature level (HAL 1.3) with device memory."""
_FENCE_LEVEL: Final = 4
"""First feature level (HAL 1.3) with fences."""
_RUNS: Final = 10
"""Executions of each client beside the other one."""
_LOOPS: Final = 8
"""Loops that the dying client keeps in flight."""
_LOOP_TIMEOUT_NS: Final = 500_000_000
"""Duration of each of its loops, 0.5 s."""
_CONFIG: Final = hal.ExecutionConfig()
"""Configuration of the executions: no timing, no hints."""
_SECRET: Final = b"abcdefgh"
"""Content of device memory: eight bytes, the size of an input of the test."""


class _Kind(NamedTuple):
    """A kind of objects: the first level that has it, and functions that create and use an object."""

    level: int
    make: Callable[[PreparedModel, hal.Request], Any]
    use: Callable[[Any, hal.Request], hal.ExecutionResult]


_KINDS: Final = {
    "prepared_model": _Kind(
        3,
        lambda prepared, _: prepared,
        lambda model, request: model.execute_synchronously(request, _CONFIG, NO_DEADLINE),
    ),
    "burst": _Kind(
        3,
        lambda prepared, _: driver_burst(prepared),
        lambda burst, request: burst.execute_synchronously(request, [-1, -1], _CONFIG, NO_DEADLINE),
    ),
    "execution": _Kind(
        8,
        lambda prepared, request: prepared.create_reusable_execution(request, _CONFIG),
        lambda execution, _: execution.execute_synchronously(NO_DEADLINE),
    ),
}
"""Kinds of objects that a client may guess, by the arguments of the cases."""


@check(_SUITE, "Object", rules=("client/isolation", "client/interference"), parameters=lambda: _KINDS)
def guessed_object(subject: Subject, kind: _Kind) -> None:
    """An object of another client is refused, and the owner still has it, even if the other client releases it."""
    if subject.feature_level < kind.level:
        raise unsupported(f"begins at feature level {kind.level}", "model/level")
    test = small_sum()
    with other_clients.two_clients(subject, test) as (prepared, other), open_request(test) as packed:
        own = kind.make(prepared, packed.request)
        stolen = other_clients.forge_reference(other, own)
        _check_refused(lambda: kind.use(stolen, packed.request), "the object of another client")
        if any(any(data) for data in packed.output_bytes()):
            raise fail("client/isolation", "the object of another client has been executed")
        other_clients.session_of_client(other).release(stolen.id)
        other.get_feature_level()
        answer = answer_of(lambda: kind.use(own, packed.request))
        _check_usable(answer)
        check_answer(answer, test, TestConfig(Executor.SYNC))
        check_exactly(packed.output_arrays(test.main.outputs), test)


def _check_refused(call: Callable[[], object], what: str, status: ErrorStatus | None = None) -> None:
    """Check that a call of the other client fails, with a given status or any.

    :raises CaseFailed: the call succeeds, or fails with another status.
    """
    try:
        call()
    except HalError as error:
        if status not in (None, error.status):
            raise fail("client/isolation", f"{what} is refused with {error}", status=error.status.name) from error
        return
    raise fail("client/isolation", f"{what} is accepted")


def _check_usable(answer: Answer) -> None:
    """Check that the owner can still use an object that another client has named."""
    if answer.status is not ErrorStatus.NONE:
        what = f"{answer.status.name}: {answer.message}"
        raise fail("client/interference", f"after another client has named it, the object fails: {what}")


def _allocate_secret(device: Device, prepared: PreparedModel) -> tuple[Buffer, int]:
    """Allocate device memory for both inputs and the output of the test, with a secret as content."""
    memory = allocate(
        device, [prepared], inputs=[hal.BufferRole(0, 0), hal.BufferRole(0, 1)], outputs=[hal.BufferRole(0, 0)]
    )
    if memory is None:
        raise unsupported("the driver has no device memory", "allocate/supported")
    write(memory[0], _SECRET)
    return memory


@check(_SUITE, "Buffer", rules=("client/isolation",), level=_MEMORY_LEVEL)
def guessed_buffer(subject: Subject, _: None) -> None:
    """The buffer of another client can neither be read nor written."""
    with other_clients.two_clients(subject, small_sum()) as (prepared, other):
        buffer, _token = _allocate_secret(subject.device, prepared)
        stolen, memory = other_clients.forge_reference(other, buffer), create_pool(len(_SECRET), ())
        try:
            _check_refused(lambda: stolen.copy_to(memory), "a copy from the buffer of another client")
            with mapped(memory) as view:
                if any(view):
                    raise fail("client/isolation", "a refused copy has given something away")
            _check_refused(lambda: stolen.copy_from(memory, ()), "a copy into the buffer of another client")
        finally:
            close(memory)
        _check_kept(buffer)


@check(_SUITE, "Token", rules=("client/interference", "client/isolation", "buffer/role"), level=_MEMORY_LEVEL)
def guessed_token(subject: Subject, _: None) -> None:
    """The token of another client's buffer is INVALID_ARGUMENT, as input and as output of an equal model."""
    test = small_sum()
    with other_clients.two_clients(subject, test) as (prepared, other), open_request(test) as packed:
        buffer, token = _allocate_secret(subject.device, prepared)
        own = other_clients.prepare_for(subject, other, test)
        device_memory = hal.RequestArgument(location=hal.DataLocation(len(packed.request.pools), 0, 0))
        pools = (*packed.request.pools, hal.BufferToken(token))
        first, second = packed.request.inputs
        for request in (
            hal.Request((first, device_memory), packed.request.outputs, pools),
            hal.Request((first, second), (device_memory,), pools),
        ):
            call = partial(own.execute_synchronously, request, _CONFIG, NO_DEADLINE)
            _check_refused(call, "the token of another client", ErrorStatus.INVALID_ARGUMENT)
        _check_kept(buffer)
        own_request = hal.Request((first, device_memory), packed.request.outputs, pools)
        _check_usable(answer_of(lambda: prepared.execute_synchronously(own_request, _CONFIG, NO_DEADLINE)))


def _check_kept(buffer: Buffer) -> None:
    """Check that a buffer still holds the secret."""
    if read(buffer, len(_SECRET)) != _SECRET:
        raise fail("client/isolation", "another client has changed what a buffer holds")


@check(_SUITE, "Tokens", rules=("allocate/answer",), level=_MEMORY_LEVEL)
def tokens(subject: Subject, _: None) -> None:
    """Tokens of live buffers differ, whichever client they belong to."""
    with other_clients.two_clients(subject, small_sum()) as (prepared, other):
        own = other_clients.prepare_for(subject, other, small_sum())
        memories = [
            _allocate_secret(device, model)
            for device, model in ((subject.device, prepared), (other, own), (subject.device, prepared), (other, own))
        ]
        found = [token for _, token in memories]
    if len(set(found)) != len(found):
        raise fail("allocate/answer", f"the tokens of four live buffers of two clients are {found}")


@check(_SUITE, "RoleOfOther", rules=("client/isolation", "allocate/model"), level=_MEMORY_LEVEL)
def role_of_other(subject: Subject, _: None) -> None:
    """No device memory is allocated for the prepared model of another client."""
    with other_clients.two_clients(subject, small_sum()) as (prepared, other):
        stolen = other_clients.forge_reference(other, prepared)
        call = partial(other.allocate, hal.BufferDesc(), [stolen], [hal.BufferRole(0, 0)], [])
        _check_refused(call, "an allocation for the prepared model of another client")
        _allocate_secret(subject.device, prepared)


@check(_SUITE, "AtTheSameTime", rules=("client/interference",))
def at_the_same_time(subject: Subject, _: None) -> None:
    """Two clients that execute different models at the same time get their own results."""
    tests = [small_sum(float(number)) for number in range(4)]

    def run(prepared: PreparedModel, test: TestModel) -> None:
        for _ in range(_RUNS):
            other_clients.check_undisturbed(subject, prepared, test, "while another client executes")

    with other_clients.two_clients(subject, tests[0]) as (first, other):
        second, third = (
            other_clients.prepare_for(subject, other, tests[1]),
            other_clients.prepare_for(subject, other, tests[2]),
        )
        pairs = [(first, tests[0]), (second, tests[1]), (third, tests[2]), (first, tests[3])]
        call_together(
            [partial(run, prepared, test) for prepared, test in pairs], subject.timeout_s * _RUNS, "two clients"
        )


@check(_SUITE, "Death", rules=("client/interference",), level=_FENCE_LEVEL)
def death(subject: Subject, _: None) -> None:
    """A client that disappears in the middle of its calls disturbs no other: others execute before and after.

    Its loops have the priority HIGH, which only counts among its own tasks, and are launched again when they end.
    """
    test, loop = small_sum(), endless_loop()
    prepare_test(subject, loop)
    config = hal.ExecutionConfig(loop_timeout_duration_ns=_LOOP_TIMEOUT_NS)
    fence, source = create_fence()
    with (
        # The client's threads launch until its end, so the memory of requests has to outlive it.
        open_request(loop) as looping,
        open_request(test) as packed,
        other_clients.two_clients(subject, test) as (prepared, other),
    ):
        running = other_clients.prepare_for(subject, other, loop, hal.PrepareModelConfig(priority=Priority.HIGH))
        waiting = other_clients.prepare_for(subject, other, test)
        busy = other_clients.Looping(launcher(running, looping.request, config), _LOOPS, subject.timeout_s)
        # Calls of a driver that blocks do not return; they are in flight all the same.
        has_returned(begin(partial(launcher(waiting, packed.request), [fence], NO_DEADLINE, NO_DEADLINE)))
        if not busy.goes_on:
            raise unsupported("the driver refuses to execute loops of another client")
        call = partial(
            other_clients.check_undisturbed, subject, prepared, test, "while another client keeps the driver busy"
        )
        busy.check_served(call, "a client")
    other_clients.check_undisturbed(subject, prepared, test, "after another client has gone")
    with subject.another_client() as late:
        other_clients.check_undisturbed(
            subject, other_clients.prepare_for(subject, late, test), test, "as a client that came later"
        )
    source.signal()
