"""Mutations of requests.

Source: docs/contract/vts-tests.md 3 (the first two); docs/contract/hal.md 8.1 and 8.2 (the rest).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from nnvet.hal.dimensions import fully_known
from nnvet.hal.memory import Handle, memory_size
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.types import Ashmem, BufferToken, DataLocation, Model, Operand, Request, RequestArgument

_TOKEN_LEVEL = 4
_EXACT_LENGTH_LEVEL = 5
"""Validators of HIDL levels look only at whether an argument lies within its pool."""


class RequestMutant(NamedTuple):
    """A mutated copy of a request, with what was done to it."""

    description: str
    request: Request


RequestMutation = Callable[[Request, Model, int], Iterator[RequestMutant]]
"""All mutants of one kind of a request that is valid for a model at a feature level."""

Changes = Iterator[tuple[str, RequestArgument]]
ArgumentChange = Callable[[RequestArgument, Operand, Request], Changes]


def _removals(field: str, kind: str) -> RequestMutation:
    def mutate(request: Request, _model: Model, _level: int) -> Iterator[RequestMutant]:
        arguments = getattr(request, field)
        for position in range(len(arguments)):
            rest = arguments[:position] + arguments[position + 1 :]
            yield RequestMutant(f"{kind} {position} is removed", replace(request, **{field: rest}))

    return mutate


def _of_arguments(change: ArgumentChange, *, level: int = 1, inputs_only: bool = False) -> RequestMutation:
    """The mutation that changes one argument at a time, of all that have a value."""

    def mutate(request: Request, model: Model, driver_level: int) -> Iterator[RequestMutant]:
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


def _at(argument: RequestArgument, **changes: int) -> RequestArgument:
    return replace(argument, location=replace(argument.location, **changes))


def _pool_index(argument: RequestArgument, _operand: Operand, request: Request) -> Changes:
    for value in (-1, len(request.pools)):
        yield f"lies in pool {value}", _at(argument, pool_index=value)


def _bounds(argument: RequestArgument, _operand: Operand, request: Request) -> Changes:
    pool = request.pools[argument.location.pool_index]
    if isinstance(pool, BufferToken):
        return
    size = memory_size(pool)
    yield f"begins at byte {size} of {size}", _at(argument, offset=size)
    yield "begins at byte -1", _at(argument, offset=-1)
    yield f"has {size + 1} bytes of {size}", _at(argument, offset=0, length=size + 1)
    yield f"begins at byte {2**32 - 1}", _at(argument, offset=2**32 - 1)


def _padding(argument: RequestArgument, _operand: Operand, request: Request) -> Changes:
    pool = request.pools[argument.location.pool_index]
    if not isinstance(pool, BufferToken):
        yield "is padded beyond its pool", _at(argument, padding=memory_size(pool))
        yield "has a negative padding", _at(argument, padding=-1)


def _length(argument: RequestArgument, operand: Operand, _request: Request) -> Changes:
    yield "has no bytes", _at(argument, length=0)
    info = OPERAND_TYPES.get(operand.type)
    if info is not None and (fully_known(operand.dimensions) or not info.is_tensor):
        for length in sorted({argument.location.length - 1, argument.location.length + 1} - {0}):
            yield f"has {length} bytes", _at(argument, length=length)


def _dimensions(argument: RequestArgument, operand: Operand, _request: Request) -> Changes:
    declared = operand.dimensions
    if not declared:
        return
    wrong = [(*declared, 1), (-1, *declared[1:])]
    if declared[0]:
        wrong.append((declared[0] + 1, *declared[1:]))
    for dimensions in wrong:
        yield f"has dimensions {dimensions}", replace(argument, dimensions=dimensions)


def _unknown_dimensions(argument: RequestArgument, operand: Operand, _request: Request) -> Changes:
    info = OPERAND_TYPES.get(operand.type)
    if info is not None and info.is_tensor and operand.dimensions:
        dimensions = (0, *operand.dimensions[1:])
        yield f"has dimensions {dimensions}", replace(argument, dimensions=dimensions)


def _no_value(argument: RequestArgument, operand: Operand, _request: Request) -> Changes:
    yield "has no value, but a location", replace(argument, has_no_value=True)
    if operand.dimensions:
        nowhere = RequestArgument(has_no_value=True, location=DataLocation(), dimensions=operand.dimensions)
        yield "has no value, but dimensions", nowhere


def mutate_pools(request: Request, _model: Model, level: int) -> Iterator[RequestMutant]:
    """Pools that are no memory: the ones used, or one more that is not."""
    bad: list[tuple[str, Ashmem | BufferToken]] = [("without descriptor", Ashmem(Handle(-1), 1))]
    if level >= _TOKEN_LEVEL:
        bad += [(f"with token {value}", BufferToken(value)) for value in (0, -1)]
    for what, one_more in bad:
        yield RequestMutant(f"one more pool {what}", replace(request, pools=(*request.pools, one_more)))
    for index, pool in enumerate(request.pools):
        if isinstance(pool, Ashmem):
            for what, wrong in (
                ("without descriptor", Ashmem(Handle(-1), pool.size)),
                ("of size 0", Ashmem(pool.handle, 0)),
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
