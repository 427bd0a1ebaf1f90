"""Checks of ``TestValidation`` about requests: wrong arguments, optional fences, bursts and memory freed in any order.

:data:`_ARGUMENTS` lists the wrong arguments by the names of CTS's tests; every executor has to refuse them. Models are
in :mod:`nnvet.conformance.suites.validation.models`. Source: docs/contract/cts-tests.md 4.3.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Final

from msgspec.structs import replace

from nnvet.conformance.kit import executing
from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.handmade import check_exactly, check_execution, prepare_test
from nnvet.conformance.kit.invalid_requests import REFUSED, check_every_executor, try_requests
from nnvet.conformance.kit.outcome import Outcome, fail, passed, unsupported
from nnvet.conformance.kit.preparing import open_request
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.validation.models import SUITE, sum_of_inputs
from nnvet.generators.mutations.requests import RequestMutant
from nnvet.graphs.hal_model import PackedRequest
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Burst
from nnvet.hal.memory import memory_size
from nnvet.hal.types import BufferToken, ExecutionConfig, Request, RequestArgument

_EXACT_LENGTH_LEVEL: Final = 5
"""First level that checks exact lengths: validators of HIDL levels only check that an argument lies within its pool."""
_BLOB: Final = executing.MemoryType.BLOB_AHWB
"""Type of hardware buffers that arguments may lie in."""

Arguments = Iterator[tuple[str, RequestArgument]]
"""Wrong forms of an argument, each with a description."""


@dataclasses.dataclass(frozen=True)
class InvalidArguments:
    """Wrong forms of the first input or output; ``level`` is the first feature level that refuses them."""

    side: str
    change: Callable[[RequestArgument, int], Arguments]
    memory: executing.MemoryType = executing.MemoryType.ASHMEM
    level: int = 1


def _change_place(argument: RequestArgument, size: int) -> Arguments:
    """Yield places outside of the memory, which has ``size`` bytes."""
    for offset, length in ((size + 1, 8), (size - 4, 8), (0, size + 4)):
        location = replace(argument.location, offset=offset, length=length)
        yield f"bytes {offset} to {offset + length} of {size}", replace(argument, location=location)


def _change_dimensions(argument: RequestArgument, _size: int) -> Arguments:
    """Yield dimensions that contradict those of the model, (2,)."""
    for dimensions in ((3,), (2, 1), (1, 2)):
        yield f"dimensions {dimensions}", replace(argument, dimensions=dimensions)


def _change_place_or_dimensions(argument: RequestArgument, size: int) -> Arguments:
    """Yield wrong places, then wrong dimensions."""
    yield from _change_place(argument, size)
    yield from _change_dimensions(argument, size)


def _change_length(argument: RequestArgument, _size: int) -> Arguments:
    """Yield lengths other than 8."""
    for length in (4, 20):
        yield f"{length} bytes", replace(argument, location=replace(argument.location, length=length))


def _replace_by_padding(argument: RequestArgument, _size: int) -> Arguments:
    """Yield an argument with too few bytes, which its padding does not replace."""
    location = replace(argument.location, length=3, padding=5)
    yield "3 bytes and 5 of padding", replace(argument, location=location)


_ARGUMENTS: Final = {
    "SetInput": InvalidArguments("inputs", _change_dimensions),
    "SetOutput": InvalidArguments("outputs", _change_dimensions),
    "SetInput/Length": InvalidArguments("inputs", _change_length, level=_EXACT_LENGTH_LEVEL),
    "SetOutput/Length": InvalidArguments("outputs", _change_length, level=_EXACT_LENGTH_LEVEL),
    "SetInputFromMemory": InvalidArguments("inputs", _change_place_or_dimensions, executing.MemoryType.MMAP_FD),
    "SetOutputFromMemory": InvalidArguments("outputs", _change_place_or_dimensions, executing.MemoryType.MMAP_FD),
    "SetInputFromAHardwareBufferBlob": InvalidArguments("inputs", _change_place_or_dimensions, _BLOB, 3),
    "SetOutputFromAHardwareBufferBlob": InvalidArguments("outputs", _change_place_or_dimensions, _BLOB, 3),
    "SetInputEnablePadding": InvalidArguments("inputs", _replace_by_padding, level=_EXACT_LENGTH_LEVEL),
    "SetOutputEnablePadding": InvalidArguments("outputs", _replace_by_padding, level=_EXACT_LENGTH_LEVEL),
    "SetInputFromMemoryEnablePadding": InvalidArguments(
        "inputs", _replace_by_padding, executing.MemoryType.MMAP_FD, _EXACT_LENGTH_LEVEL
    ),
    "SetOutputFromMemoryEnablePadding": InvalidArguments(
        "outputs", _replace_by_padding, executing.MemoryType.MMAP_FD, _EXACT_LENGTH_LEVEL
    ),
    "SetInputFromAHardwareBufferBlobEnablePadding": InvalidArguments(
        "inputs", _replace_by_padding, _BLOB, _EXACT_LENGTH_LEVEL
    ),
    "SetOutputFromAHardwareBufferBlobEnablePadding": InvalidArguments(
        "outputs", _replace_by_padding, _BLOB, _EXACT_LENGTH_LEVEL
    ),
}
"""Wrong arguments, by the names of CTS's tests."""


@check(SUITE, "Execution", rules=(*REFUSED, "execution/output.value"), parameters=lambda: _ARGUMENTS)
def wrong_arguments(subject: Subject, invalid: InvalidArguments) -> None:
    """Every executor refuses a wrong argument; afterwards the correct ones still work."""
    if subject.feature_level < invalid.level:
        raise unsupported(
            f"begins at feature level {invalid.level}, the driver has {subject.feature_level}", "model/level"
        )
    test, config = sum_of_inputs(), dataclasses.replace(executing.basic_config(subject), memory=invalid.memory)
    prepared = prepare_test(subject, test, config)
    with executing.arguments_for(test, config, subject.device, prepared) as arguments:
        check_every_executor(subject, prepared, test, arguments.request)
        try_requests(
            subject, prepared, ((invalid.side, mutant) for mutant in _make_mutants(arguments.request, invalid))
        )
    check_execution(subject, prepared, test, config)


def _make_mutants(request: Request, invalid: InvalidArguments) -> Iterator[RequestMutant]:
    """Yield requests with a wrong argument, and one with an argument too many."""
    first, *rest = getattr(request, invalid.side)
    pool = request.pools[first.location.pool_index]
    size = 0 if isinstance(pool, BufferToken) else memory_size(pool)
    for what, changed in invalid.change(first, size):
        arguments = {invalid.side: (changed, *rest)}
        yield RequestMutant(f"first of the {invalid.side}: {what}", replace(request, **arguments))
    twice = {invalid.side: (first, first, *rest)}
    yield RequestMutant(f"one of the {invalid.side} too many", replace(request, **twice))


@check(SUITE, "Execution/FencedExecution", rules=("execution/fence.state", "execution/fence.info"), level=4)
def optional_fence(subject: Subject, _: None) -> Outcome:
    """A driver that returns no fence has finished; one that returns a fence signals it."""
    test = sum_of_inputs()
    prepared = prepare_test(subject, test, executing.TestConfig(executing.Executor.FENCED))
    with open_request(test) as packed:
        try:
            result = prepared.execute_fenced(packed.request, (), ExecutionConfig(), NO_DEADLINE, NO_DEADLINE)
        except HalError as error:
            raise fail("execution/status", f"a fenced execution is refused: {error}") from error
        status = executing.await_fenced_end(result, subject.timeout_s).status
        if status is not ErrorStatus.NONE:
            raise fail("execution/status", f"a fenced execution ends with {status.name}", status=status.name)
        check_exactly(packed.output_arrays(test.main.outputs), test)
    return passed(fence="none" if result.sync_fence is None else "signalled")


def _release_memory_first(burst: list[Burst], packed: PackedRequest) -> None:
    """Release the memory that a burst has cached, then the burst."""
    _release_memory(burst[0], packed)
    burst.clear()


def _release_burst_first(burst: list[Burst], packed: PackedRequest) -> None:
    """Release a burst, then the memory that it has cached."""
    burst.clear()
    packed.close()


def _release_memory(burst: Burst, packed: PackedRequest) -> None:
    """Make a burst forget all its memory, and close it."""
    for token in range(len(packed.request.pools)):
        burst.release_memory_resource(token)
    packed.close()


_ORDERS: Final = {"FreeMemoryBeforeBurst": _release_memory_first, "FreeBurstBeforeMemory": _release_burst_first}
"""Functions that give up a burst and its memory, by the names of CTS's tests."""


@check(SUITE, "Burst", rules=("burst/tokens", "execution/output.value"), level=3, parameters=lambda: _ORDERS)
def free_in_any_order(subject: Subject, give_up: Callable[[list[Burst], PackedRequest], None]) -> None:
    """A burst and the memory that it has cached may be freed in any order, without disturbing other executions."""
    test = sum_of_inputs()
    prepared = prepare_test(subject, test, executing.TestConfig(executing.Executor.BURST))
    with open_request(test) as packed:
        try:
            burst = [prepared.configure_execution_burst()]
            tokens = tuple(range(len(packed.request.pools)))
            for _ in range(2):
                burst[0].execute_synchronously(packed.request, tokens, ExecutionConfig(), NO_DEADLINE)
                check_exactly(packed.output_arrays(test.main.outputs), test)
            give_up(burst, packed)
        except HalError as error:
            raise fail("execution/status", f"a burst fails: {error}", status=error.status.name) from error
    for executor in (executing.Executor.BURST, executing.Executor.SYNC):
        check_execution(subject, prepared, test, executing.TestConfig(executor))
