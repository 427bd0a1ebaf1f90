"""MemoryTypeTest: pools in shared memory of every type, valid and not. Source: docs/contract/hal.md 8.2, 9 and 11.2.

VTS uses other memory than ``ashmem`` only in its generated tests, and none that a driver has to refuse.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Final

from msgspec.structs import replace

from nnvet.conformance.engine.arguments import pool_makers
from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.config import MemoryType
from nnvet.conformance.engine.judging import check_reached
from nnvet.conformance.engine.outcome import fail
from nnvet.conformance.engine.preparing import built_model, prepare_valid
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.suites.memory.device_copies import closing
from nnvet.conformance.suites.memory.invalid import INVALID_MEMORIES, InvalidMemory
from nnvet.conformance.suites.memory.requests import (
    BYTES,
    INPUTS,
    PLACES,
    A,
    B,
    adder,
    good_pools,
    request_of,
    sum_with_constant,
    unexpected,
)
from nnvet.generators.graphs.hal_model import create_pool
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.memory import MappableFile, Memory, mapped
from nnvet.hal.types import DataLocation, Request, RequestArgument

_SUITE: Final = "MemoryTypeTest"
_SHARED: Final = {kind.value: kind for kind in MemoryType if kind is not MemoryType.DEVICE}
_PAIRS: Final = {f"{name}_to_{other}": (_SHARED[name], _SHARED[other]) for name, other in product(_SHARED, repeat=2)}
_OPAQUE_ALLOWED: Final = (ErrorStatus.NONE, ErrorStatus.INVALID_ARGUMENT, ErrorStatus.GENERAL_FAILURE)

Use = Callable[[Memory, Sequence[Memory]], tuple[Memory, ...]]
"""Pools of a request, from one memory and from two good ones."""

_USES: Final[Mapping[str, Use]] = {
    "input": lambda memory, good: (memory, good[1]),
    "output": lambda memory, good: (good[0], memory),
    "unused": lambda memory, good: (*good, memory),
}
_INVALID_USES: Final = {
    f"{name}_{use}": (use, memory)
    for (name, memory), use in product(INVALID_MEMORIES.items(), _USES)
    # What can be read, just not written, is harmless elsewhere.
    if use == "output" or not memory.readable
}
_UNREADABLE: Final = {name: memory for name, memory in INVALID_MEMORIES.items() if not memory.readable}


@check(_SUITE, "Pools", rules=("memory/map", "execution/output.value"), parameters=lambda: _PAIRS)
def pools(subject: Subject, types: tuple[MemoryType, MemoryType]) -> None:
    """Inputs that can only be read lie in memory of one type, the output in memory of another."""
    summing = adder(subject, *types)
    (make_input, _), (_, make_output) = (pool_makers(kind, read_only_inputs=True) for kind in types)
    with closing(make_input(2 * BYTES, INPUTS)) as source, closing(make_output(BYTES, ())) as output:
        summing.check((source, output))


@check(_SUITE, "SameMemory", rules=("memory/map", "execution/output.value"), parameters=lambda: _SHARED)
def same_memory(subject: Subject, memory_type: MemoryType) -> None:
    """Inputs and output lie in one memory, which is one pool, or two, or three."""
    summing = adder(subject, memory_type)
    _, make = pool_makers(memory_type)
    for indexes in ((0, 0, 0), (0, 0, 1), (0, 1, 2)):
        with closing(make(3 * BYTES, INPUTS)) as memory:
            places = [(index, argument * BYTES) for argument, index in enumerate(indexes)]
            summing.check((memory,) * (max(indexes) + 1), places)


@check(_SUITE, "Windows", rules=("memory/map", "execution/output.value"))
def windows(subject: Subject, _: None) -> None:
    """Three pools are three parts of one file; what lies between them stays as it was."""
    summing, filler = adder(subject), b"\xa5" * mmap.PAGESIZE
    stride = BYTES + len(filler)
    gaps = [slice(start + BYTES, start + stride) for start in range(0, 3 * stride, stride)]
    contents = ((0, A), (stride, B), *((gap.start, filler) for gap in gaps))
    with closing(create_pool(3 * stride, contents)) as memory:
        parts = [MappableFile(memory.handle, BYTES, offset=index * stride) for index in range(3)]
        summing.check(parts, [(index, 0) for index in range(3)])
        with mapped(memory, writable=False) as view:
            if any(view[gap] != filler for gap in gaps):
                raise fail("memory/map", "the driver has written outside of the part of the file that it was given")


@check(_SUITE, "UnusedPool", rules=("memory/map",), parameters=lambda: _SHARED)
def unused_pool(subject: Subject, memory_type: MemoryType) -> None:
    """Pools in which no argument lies do no harm."""
    summing = adder(subject, memory_type)
    make, _ = pool_makers(memory_type)
    with good_pools() as good, closing(make(BYTES, ())) as unused:
        summing.check((unused, *good, unused), [(index + 1, offset) for index, offset in PLACES])


@check(_SUITE, "InvalidPool", rules=("request/pool.valid", "memory/map"), parameters=lambda: _INVALID_USES)
def invalid_pool(subject: Subject, parameter: tuple[str, InvalidMemory]) -> None:
    """Memory that cannot be used is refused, or ignored where nothing lies in it; the next execution succeeds."""
    use, invalid = parameter
    summing, allowed = adder(subject), invalid.statuses
    if use == "unused" and not invalid.is_described_wrongly:
        # A driver need not map what nobody uses.
        allowed = (ErrorStatus.NONE, *allowed)
    with good_pools() as good:
        with closing(invalid.make(2 * BYTES)) as memory:
            answer = summing.run(request_of(_USES[use](memory, good)))
        if answer.status not in allowed:
            raise unexpected("request/pool.valid", answer, allowed)
        summing.check(good)


@check(
    _SUITE,
    "OpaqueHardwareBuffer",
    rules=(
        "memory/map",
        "request/pool.valid",
    ),
    level=3,
    parameters=lambda: _USES,
)
def opaque_hardware_buffer(subject: Subject, use: Use) -> None:
    """A hardware buffer that is no BLOB may be refused or accepted; arguments there have no addresses."""
    summing = adder(subject)
    with good_pools() as good:
        with closing(INVALID_MEMORIES["opaque"].make(BYTES)) as memory:
            answer = summing.run(_without_addresses(request_of(use(memory, good)), memory))
        if answer.status not in _OPAQUE_ALLOWED:
            raise unexpected("request/pool.valid", answer, _OPAQUE_ALLOWED)
        summing.check(good)


def _without_addresses(request: Request, opaque: Memory) -> Request:
    """The request with arguments in one memory that name only its pool."""

    def changed(argument: RequestArgument) -> RequestArgument:
        index = argument.location.pool_index
        return replace(argument, location=DataLocation(index)) if request.pools[index] is opaque else argument

    return replace(request, inputs=tuple(map(changed, request.inputs)), outputs=tuple(map(changed, request.outputs)))


@check(_SUITE, "InvalidModelPool", rules=("model/pool.valid", "memory/map"), parameters=lambda: _UNREADABLE)
def invalid_model_pool(subject: Subject, invalid: InvalidMemory) -> None:
    """A model with constants in memory that cannot be read is not prepared."""
    with built_model(sum_with_constant(), subject.feature_level) as model, closing(invalid.make(BYTES)) as memory:
        prepare_valid(subject, model)
        try:
            subject.prepare(replace(model, pools=(memory,)))
        except HalError as error:
            check_reached(error)
            if error.status in invalid.statuses:
                return
            expected = " or ".join(status.name for status in invalid.statuses)
            reason = f"the preparation fails with {error}, expected {expected}"
            raise fail("model/pool.valid", reason, status=error.status.name, driver_rule=error.rule) from error
    raise fail("model/pool.valid", "the model is prepared")
