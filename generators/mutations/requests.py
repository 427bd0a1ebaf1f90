"""Mutations of requests, of burst packets, and of a preparation's arguments.

A packet is a sequence of datums of :data:`nnvet.transport.burst.packets.DATUM_BYTES` bytes. Source:
docs/contract/vts-tests.md 2.2 (numbers 21 and 22), 3 (the first two of requests) and 4.1; docs/contract/hal.md 8.1, 8.2
(the rest) and 12.1.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from nnvet.hal import types as hal
from nnvet.hal.memory import memory_size
from nnvet.hal.operand_types import OPERAND_TYPES, fully_known
from nnvet.transport.burst.packets import DATUM_BYTES, RequestDatum

_TOKEN_LEVEL = 4
_EXACT_LENGTH_LEVEL = 5
"""First level that checks exact lengths; validators of HIDL levels only check that arguments lie within their pools."""


class RequestMutant(NamedTuple):
    """A mutated copy of a request, with a description of the change."""

    description: str
    request: hal.Request


RequestMutation = Callable[[hal.Request, hal.Model, int], Iterator[RequestMutant]]
"""Function that yields all mutants of one kind, for a request that is valid for a model at a feature level."""

Changes = Iterator[tuple[str, hal.RequestArgument]]
ArgumentChange = Callable[[hal.RequestArgument, hal.Operand, hal.Request], Changes]


def _removals(field: str, kind: str) -> RequestMutation:
    def mutate(request: hal.Request, _model: hal.Model, _level: int) -> Iterator[RequestMutant]:
        arguments = getattr(request, field)
        for position in range(len(arguments)):
            rest = arguments[:position] + arguments[position + 1 :]
            yield RequestMutant(f"{kind} {position} is removed", replace(request, **{field: rest}))

    return mutate


def _of_arguments(change: ArgumentChange, *, level: int = 1, inputs_only: bool = False) -> RequestMutation:
    """Return the mutation that changes one argument with a value at a time."""

    def mutate(request: hal.Request, model: hal.Model, driver_level: int) -> Iterator[RequestMutant]:
        main = model.main
        if driver_level < level:
            return
        for field, indexes in (("inputs", main.input_indexes), ("outputs", main.output_indexes)):
            arguments = getattr(request, field)
            for position, (argument, index) in enumerate(zip(arguments, indexes, strict=True)):
                if argument.has_no_value or (inputs_only and field == "outputs"):
                    continue
                for what, changed in change(argument, main.operands[index], request):
                    others = (*arguments[:position], changed, *arguments[position + 1 :])
                    yield RequestMutant(f"{field[:-1]} {position} {what}", replace(request, **{field: others}))

    return mutate


def _at(argument: hal.RequestArgument, **changes: int) -> hal.RequestArgument:
    return replace(argument, location=replace(argument.location, **changes))


def _pool_index(argument: hal.RequestArgument, _operand: hal.Operand, request: hal.Request) -> Changes:
    for value in (-1, len(request.pools)):
        yield f"lies in pool {value}", _at(argument, pool_index=value)


def _bounds(argument: hal.RequestArgument, _operand: hal.Operand, request: hal.Request) -> Changes:
    pool = request.pools[argument.location.pool_index]
    if isinstance(pool, hal.BufferToken):
        return
    size = memory_size(pool)
    yield f"begins at byte {size} of {size}", _at(argument, offset=size)
    yield "begins at byte -1", _at(argument, offset=-1)
    yield f"has {size + 1} bytes of {size}", _at(argument, offset=0, length=size + 1)
    yield f"begins at byte {2**32 - 1}", _at(argument, offset=2**32 - 1)


def _padding(argument: hal.RequestArgument, _operand: hal.Operand, request: hal.Request) -> Changes:
    pool = request.pools[argument.location.pool_index]
    if not isinstance(pool, hal.BufferToken):
        yield "is padded beyond its pool", _at(argument, padding=memory_size(pool))
        yield "has a negative padding", _at(argument, padding=-1)


def _length(argument: hal.RequestArgument, operand: hal.Operand, _request: hal.Request) -> Changes:
    yield "has no bytes", _at(argument, length=0)
    info = OPERAND_TYPES.get(operand.type)
    if info is not None and (fully_known(operand.dimensions) or not info.is_tensor):
        for length in sorted({argument.location.length - 1, argument.location.length + 1} - {0}):
            yield f"has {length} bytes", _at(argument, length=length)


def _dimensions(argument: hal.RequestArgument, operand: hal.Operand, _request: hal.Request) -> Changes:
    declared = operand.dimensions
    if not declared:
        return
    wrong = [(*declared, 1), (-1, *declared[1:])]
    if declared[0]:
        wrong.append((declared[0] + 1, *declared[1:]))
    for dimensions in wrong:
        yield f"has dimensions {dimensions}", replace(argument, dimensions=dimensions)


def _unknown_dimensions(argument: hal.RequestArgument, operand: hal.Operand, _request: hal.Request) -> Changes:
    info = OPERAND_TYPES.get(operand.type)
    if info is not None and info.is_tensor and operand.dimensions:
        dimensions = (0, *operand.dimensions[1:])
        yield f"has dimensions {dimensions}", replace(argument, dimensions=dimensions)


def _no_value(argument: hal.RequestArgument, operand: hal.Operand, _request: hal.Request) -> Changes:
    yield "has no value, but a location", replace(argument, has_no_value=True)
    if operand.dimensions:
        nowhere = hal.RequestArgument(has_no_value=True, location=hal.DataLocation(), dimensions=operand.dimensions)
        yield "has no value, but dimensions", nowhere


def mutate_pools(request: hal.Request, _model: hal.Model, level: int) -> Iterator[RequestMutant]:
    """Yield mutants with a pool that is no memory: a used one, or an additional unused one."""
    bad: list[tuple[str, hal.Ashmem | hal.BufferToken]] = [("without descriptor", hal.Ashmem(hal.Handle(-1), 1))]
    if level >= _TOKEN_LEVEL:
        bad += [(f"with token {value}", hal.BufferToken(value)) for value in (0, -1)]
    for what, one_more in bad:
        yield RequestMutant(f"one more pool {what}", replace(request, pools=(*request.pools, one_more)))
    for index, pool in enumerate(request.pools):
        if isinstance(pool, hal.Ashmem):
            for what, wrong in (
                ("without descriptor", hal.Ashmem(hal.Handle(-1), pool.size)),
                ("of size 0", hal.Ashmem(pool.handle, 0)),
            ):
                pools = (*request.pools[:index], wrong, *request.pools[index + 1 :])
                yield RequestMutant(f"pool {index} {what}", replace(request, pools=pools))


VTS_REQUEST_MUTATIONS: dict[str, RequestMutation] = {
    "removeInputTest": _removals("inputs", "input"),
    "removeOutputTest": _removals("outputs", "output"),
}

FURTHER_REQUEST_MUTATIONS: dict[str, RequestMutation] = {
    "mutateArgumentPool": _of_arguments(_pool_index),
    "mutateArgumentBounds": _of_arguments(_bounds),
    "mutateArgumentPadding": _of_arguments(_padding, level=_EXACT_LENGTH_LEVEL),
    "mutateArgumentLength": _of_arguments(_length, level=_EXACT_LENGTH_LEVEL),
    "mutateArgumentDimensions": _of_arguments(_dimensions),
    "mutateInputUnknownDimensions": _of_arguments(_unknown_dimensions, inputs_only=True),
    "mutateNoValue": _of_arguments(_no_value),
    "mutatePools": mutate_pools,
}


class PacketMutant(NamedTuple):
    """One change of a packet: ``added`` replace ``removed`` datums at ``place``. The packet is only made on demand."""

    description: str
    place: int
    removed: int = 0
    added: tuple[bytes, ...] = ()

    def of(self, datums: Sequence[bytes]) -> bytes:
        """Return the changed packet."""
        return b"".join((*datums[: self.place], *self.added, *datums[self.place + self.removed :]))


PacketMutation = Callable[[Sequence[bytes]], Iterator[PacketMutant]]
"""Function that yields all mutants of one kind of a valid packet; each mutant must be refused."""


def datums_of(packet: bytes) -> tuple[bytes, ...]:
    """Return the datums of a packet."""
    return tuple(packet[begin : begin + DATUM_BYTES] for begin in range(0, len(packet), DATUM_BYTES))


def datum(kind: RequestDatum, *words: int) -> bytes:
    """Return a request datum: discriminator, zeros, contents as unsigned words of 32 bits from byte 4 on, zeros."""
    return struct.pack(f"<B3x{len(words)}I", kind, *words).ljust(DATUM_BYTES, b"\0")


_INT32_MAX: Final = 2**31 - 1
_INFORMATION_OF_TEN_DIMENSIONS: Final = (0, 0, 0, 0, 10)
_DIMENSIONS: Final = (RequestDatum.INPUT_OPERAND_DIMENSION_VALUE, RequestDatum.OUTPUT_OPERAND_DIMENSION_VALUE)
_YES: Final = 1

BAD_DATUMS: Final[Mapping[RequestDatum, bytes]] = {
    kind: datum(kind, *words)
    for kind, words in {
        RequestDatum.PACKET_INFORMATION: (10, 10, 10, 10),
        RequestDatum.INPUT_OPERAND_INFORMATION: _INFORMATION_OF_TEN_DIMENSIONS,
        RequestDatum.INPUT_OPERAND_DIMENSION_VALUE: (0,),
        RequestDatum.OUTPUT_OPERAND_INFORMATION: _INFORMATION_OF_TEN_DIMENSIONS,
        RequestDatum.OUTPUT_OPERAND_DIMENSION_VALUE: (0,),
        RequestDatum.POOL_IDENTIFIER: (_INT32_MAX,),
        RequestDatum.MEASURE_TIMING: (_YES,),
    }.items()
}
"""Datums that VTS inserts and with which it replaces others."""


def _kind(content: bytes) -> RequestDatum:
    return RequestDatum(content[0])


def _remove(datums: Sequence[bytes]) -> Iterator[PacketMutant]:
    for place, content in enumerate(datums):
        yield PacketMutant(f"without datum {place}, {_kind(content).name}", place, 1)


def _add(datums: Sequence[bytes]) -> Iterator[PacketMutant]:
    for place in range(len(datums) + 1):
        for kind, bad in BAD_DATUMS.items():
            yield PacketMutant(f"{kind.name} inserted before datum {place}", place, 0, (bad,))


def _replace(datums: Sequence[bytes]) -> Iterator[PacketMutant]:
    for place, content in enumerate(datums):
        for kind, bad in BAD_DATUMS.items():
            # Another dimension value, even 0, can be valid.
            if bad != content and not (kind in _DIMENSIONS and kind == _kind(content)):
                yield PacketMutant(f"{kind.name} instead of datum {place}, {_kind(content).name}", place, 1, (bad,))


VTS_PACKET_MUTATIONS: Final[Mapping[str, PacketMutation]] = {
    "removeDatum": _remove,
    "addDatum": _add,
    "mutateDatum": _replace,
}
"""The sub-tests of validateBurstSerialization."""

_ABSURD: Final = (_INT32_MAX, 2**31, 2**32 - 1)
_ARGUMENT: Final = ("", "poolIndex", "offset", "length", "numberOfDimensions")
_NUMBERS: Final[Mapping[RequestDatum, tuple[str, ...]]] = {
    RequestDatum.PACKET_INFORMATION: (
        "packetSize",
        "numberOfInputOperands",
        "numberOfOutputOperands",
        "numberOfPools",
    ),
    RequestDatum.INPUT_OPERAND_INFORMATION: _ARGUMENT,
    RequestDatum.INPUT_OPERAND_DIMENSION_VALUE: ("dimension",),
    RequestDatum.OUTPUT_OPERAND_INFORMATION: _ARGUMENT,
    RequestDatum.OUTPUT_OPERAND_DIMENSION_VALUE: ("dimension",),
    RequestDatum.POOL_IDENTIFIER: ("slot",),
    RequestDatum.MEASURE_TIMING: (),
}
"""Words of each kind of datum that hold counts or indexes, not truth values or the measuring."""


def absurd_numbers(datums: Sequence[bytes]) -> Iterator[PacketMutant]:
    """Yield mutants with one number of a packet made far too large; read as a signed number it may be negative."""
    for place, content in enumerate(datums):
        for word, name in enumerate(_NUMBERS[_kind(content)]):
            for value in _ABSURD if name else ():
                begin = 4 * (word + 1)
                changed = content[:begin] + value.to_bytes(4, "little") + content[begin + 4 :]
                yield PacketMutant(f"{name} {value} in datum {place}, {_kind(content).name}", place, 1, (changed,))


class WrongConfig(NamedTuple):
    """A wrong configuration, a description of the error, and the rule that it breaks."""

    description: str
    config: hal.PrepareModelConfig
    rule: str


class _WrongValues(NamedTuple):
    name: str
    field: str
    values: tuple[int, ...]
    level: int


_WRONG_VALUES = (
    _WrongValues("mutateExecutionPreferenceTest", "preference", (-1, len(hal.ExecutionPreference)), level=2),
    _WrongValues("mutateExecutionPriorityTest", "priority", (-1, len(hal.Priority)), level=4),
    _WrongValues("mutateDeadline", "deadline", (hal.NO_DEADLINE - 1, -(2**63)), level=4),
)
"""Wrong configurations with the level that introduced their argument. The last one is not in VTS."""


def wrong_configs(level: int) -> Iterator[tuple[str, WrongConfig]]:
    """Yield the wrong configurations that concern a driver of ``level``, with the names of their mutations."""
    for wrong in _WRONG_VALUES:
        for value in wrong.values if level >= wrong.level else ():
            key = "deadline_ns" if wrong.field == "deadline" else wrong.field
            changed: dict[str, Any] = {key: value}
            what = f"{wrong.field} becomes {value}"
            yield wrong.name, WrongConfig(what, hal.PrepareModelConfig(**changed), f"prepare/{wrong.field}")
