"""Suite ``MemoryTypeTest``: pools in shared memory of every type, valid and invalid.

A driver must refuse invalid memory without an access that kills it; :data:`INVALID_MEMORIES` lists it, for ``copy.py``,
too. VTS uses other memory than ``ashmem`` only in its generated tests, and no invalid memory. Constants are in
:mod:`nnvet.conformance.suites.memory.constants`. Source: docs/contract/hal.md 8.2, 9 and 11.2.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from msgspec.structs import replace

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.executing import MemoryType, pool_makers, read_only
from nnvet.conformance.kit.judging import check_reached
from nnvet.conformance.kit.outcome import fail
from nnvet.conformance.kit.preparing import built_model, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.memory import request_runner
from nnvet.conformance.suites.memory.domain import closing
from nnvet.graphs.hal_model import create_pool
from nnvet.hal import types as hal
from nnvet.hal.errors import HalError
from nnvet.hal.memory import mapped

_INVALID: Final = (hal.ErrorStatus.INVALID_ARGUMENT,)
"""Statuses of memory whose description alone is wrong."""
_REFUSED: Final = (hal.ErrorStatus.INVALID_ARGUMENT, hal.ErrorStatus.GENERAL_FAILURE)
"""Statuses of memory that cannot be used as described."""
_READ_AND_WRITE: Final = mmap.PROT_READ | mmap.PROT_WRITE
"""Protection of usual memory."""
_RGBA: Final = 1
"""A format of hardware buffers other than BLOB: pixels, which have no addresses."""
_UNKNOWN_PROTECTION: Final = 0x100
"""A bit of the protection that has no meaning."""


@dataclass(frozen=True)
class InvalidMemory:
    """Invalid memory, made by ``make`` with a stated ``size``; its use ends with one of the ``statuses``.

    ``readable``: it can be read, but not written.
    """

    make: Callable[[int], hal.Memory]
    statuses: tuple[hal.ErrorStatus, ...] = _REFUSED
    readable: bool = False

    @property
    def is_described_wrongly(self) -> bool:
        """Return True if the description alone is wrong, whatever memory is behind it."""
        return self.statuses == _INVALID


def _round_up(size: int) -> int:
    """Return ``size`` bytes rounded up to pages, and one page more."""
    return -(-size // mmap.PAGESIZE) * mmap.PAGESIZE + mmap.PAGESIZE


def _make_file(size: int, protection: int = _READ_AND_WRITE, offset: int = 0) -> hal.MappableFile:
    """Return a file that is longer than its description, with any protection and offset."""
    return hal.MappableFile(create_pool(_round_up(size), ()).handle, size, protection, offset)


def _make_pipe(size: int) -> hal.Ashmem:
    """Return a pipe in place of shared memory."""
    ours, theirs = os.pipe()
    os.close(theirs)
    return hal.Ashmem(hal.Handle(ours), size)


def _make_short(size: int) -> hal.Ashmem:
    """Return memory of one byte, described as several pages, so that an access behind its end is fatal."""
    return replace(create_pool(1, ()), size=_round_up(size) + size)


INVALID_MEMORIES: Final = {
    "no_descriptor": InvalidMemory(lambda size: hal.Ashmem(hal.Handle(-1), size), _INVALID),
    "empty": InvalidMemory(lambda size: replace(create_pool(size, ()), size=0), _INVALID),
    "unknown_protection": InvalidMemory(lambda size: _make_file(size, _UNKNOWN_PROTECTION), _INVALID),
    "no_protection": InvalidMemory(lambda size: _make_file(size, 0)),
    "read_only_file": InvalidMemory(lambda size: _make_file(size, mmap.PROT_READ), readable=True),
    "read_only_descriptor": InvalidMemory(lambda size: read_only(create_pool(size, ())), readable=True),
    "offset_behind_end": InvalidMemory(lambda size: _make_file(size, offset=_round_up(size))),
    "offset_negative": InvalidMemory(lambda size: _make_file(size, offset=-mmap.PAGESIZE)),
    "too_short": InvalidMemory(_make_short),
    "too_large": InvalidMemory(lambda size: replace(create_pool(size, ()), size=2**62)),
    "pipe": InvalidMemory(_make_pipe),
    "opaque": InvalidMemory(lambda size: hal.HardwareBuffer(create_pool(size, ()).handle, size, format=_RGBA)),
}
"""Invalid memory, by the name of its error."""


_SUITE: Final = "MemoryTypeTest"
_SHARED: Final = {kind.value: kind for kind in MemoryType if kind is not MemoryType.DEVICE}
"""Types of shared memory, by the arguments of the cases."""
_PAIRS: Final = {f"{name}_to_{other}": (_SHARED[name], _SHARED[other]) for name, other in product(_SHARED, repeat=2)}
"""Types of the inputs' and of the output's memory."""
_OPAQUE_ALLOWED: Final = (hal.ErrorStatus.NONE, hal.ErrorStatus.INVALID_ARGUMENT, hal.ErrorStatus.GENERAL_FAILURE)
"""Statuses of an execution with a hardware buffer that is no BLOB."""

Use = Callable[[hal.Memory, Sequence[hal.Memory]], tuple[hal.Memory, ...]]
"""Functions that make the pools of a request from an invalid memory and two valid ones."""

_USES: Final[Mapping[str, Use]] = {
    "input": lambda memory, good: (memory, good[1]),
    "output": lambda memory, good: (good[0], memory),
    "unused": lambda memory, good: (*good, memory),
}
"""Uses of an invalid memory: for the inputs, for the output, and as a pool without any argument."""
_INVALID_USES: Final = {
    f"{name}_{use}": (use, memory)
    for (name, memory), use in product(INVALID_MEMORIES.items(), _USES)
    # Memory that can be read, but not written, is an error only for the output.
    if use == "output" or not memory.readable
}
"""Each invalid memory with its uses, by the arguments of the cases."""
_UNREADABLE: Final = {name: memory for name, memory in INVALID_MEMORIES.items() if not memory.readable}
"""Invalid memory that a driver cannot read constants from."""


@check(_SUITE, "Pools", rules=("memory/map", "execution/output.value"), parameters=lambda: _PAIRS)
def pools(subject: Subject, types: tuple[MemoryType, MemoryType]) -> None:
    """Read-only inputs can lie in memory of one type, and the output in memory of another."""
    summing = request_runner.adder(subject, *types)
    (make_input, _), (_, make_output) = (pool_makers(kind, read_only_inputs=True) for kind in types)
    with (
        closing(make_input(2 * request_runner.BYTES, request_runner.INPUTS)) as source,
        closing(make_output(request_runner.BYTES, ())) as output,
    ):
        summing.check((source, output))


@check(_SUITE, "SameMemory", rules=("memory/map", "execution/output.value"), parameters=lambda: _SHARED)
def same_memory(subject: Subject, memory_type: MemoryType) -> None:
    """Inputs and output can lie in one memory, which is one, two or three pools."""
    summing = request_runner.adder(subject, memory_type)
    _, make = pool_makers(memory_type)
    for indexes in ((0, 0, 0), (0, 0, 1), (0, 1, 2)):
        with closing(make(3 * request_runner.BYTES, request_runner.INPUTS)) as memory:
            places = [(index, argument * request_runner.BYTES) for argument, index in enumerate(indexes)]
            summing.check((memory,) * (max(indexes) + 1), places)


@check(_SUITE, "Windows", rules=("memory/map", "execution/output.value"))
def windows(subject: Subject, _: None) -> None:
    """Three pools can be three parts of one file; the bytes between them do not change."""
    summing, filler = request_runner.adder(subject), b"\xa5" * mmap.PAGESIZE
    stride = request_runner.BYTES + len(filler)
    gaps = [slice(start + request_runner.BYTES, start + stride) for start in range(0, 3 * stride, stride)]
    contents = ((0, request_runner.A), (stride, request_runner.B), *((gap.start, filler) for gap in gaps))
    with closing(create_pool(3 * stride, contents)) as memory:
        parts = [hal.MappableFile(memory.handle, request_runner.BYTES, offset=index * stride) for index in range(3)]
        summing.check(parts, [(index, 0) for index in range(3)])
        with mapped(memory, writable=False) as view:
            if any(view[gap] != filler for gap in gaps):
                raise fail("memory/map", "the driver has written outside of the part of the file that it was given")


@check(_SUITE, "UnusedPool", rules=("memory/map",), parameters=lambda: _SHARED)
def unused_pool(subject: Subject, memory_type: MemoryType) -> None:
    """Pools without any argument are ignored."""
    summing = request_runner.adder(subject, memory_type)
    make, _ = pool_makers(memory_type)
    with request_runner.good_pools() as good, closing(make(request_runner.BYTES, ())) as unused:
        summing.check((unused, *good, unused), [(index + 1, offset) for index, offset in request_runner.PLACES])


@check(_SUITE, "InvalidPool", rules=("request/pool.valid", "memory/map"), parameters=lambda: _INVALID_USES)
def invalid_pool(subject: Subject, parameter: tuple[str, InvalidMemory]) -> None:
    """Invalid memory is refused, or ignored if no argument lies in it; the next execution succeeds."""
    use, invalid = parameter
    summing, allowed = request_runner.adder(subject), invalid.statuses
    if use == "unused" and not invalid.is_described_wrongly:
        # A driver need not map an unused pool.
        allowed = (hal.ErrorStatus.NONE, *allowed)
    with request_runner.good_pools() as good:
        with closing(invalid.make(2 * request_runner.BYTES)) as memory:
            answer = summing.run(request_runner.request_of(_USES[use](memory, good)))
        if answer.status not in allowed:
            raise request_runner.unexpected("request/pool.valid", answer, allowed)
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
    summing = request_runner.adder(subject)
    with request_runner.good_pools() as good:
        with closing(INVALID_MEMORIES["opaque"].make(request_runner.BYTES)) as memory:
            answer = summing.run(_without_addresses(request_runner.request_of(use(memory, good)), memory))
        if answer.status not in _OPAQUE_ALLOWED:
            raise request_runner.unexpected("request/pool.valid", answer, _OPAQUE_ALLOWED)
        summing.check(good)


def _without_addresses(request: hal.Request, opaque: hal.Memory) -> hal.Request:
    """Return the request with all arguments in the same memory, naming only its pool."""

    def changed(argument: hal.RequestArgument) -> hal.RequestArgument:
        index = argument.location.pool_index
        return replace(argument, location=hal.DataLocation(index)) if request.pools[index] is opaque else argument

    return replace(request, inputs=tuple(map(changed, request.inputs)), outputs=tuple(map(changed, request.outputs)))


@check(_SUITE, "InvalidModelPool", rules=("model/pool.valid", "memory/map"), parameters=lambda: _UNREADABLE)
def invalid_model_pool(subject: Subject, invalid: InvalidMemory) -> None:
    """A model with constants in memory that cannot be read is not prepared."""
    with (
        built_model(request_runner.sum_with_constant(), subject.feature_level) as model,
        closing(invalid.make(request_runner.BYTES)) as memory,
    ):
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
