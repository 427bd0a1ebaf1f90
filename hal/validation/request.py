"""Validation of requests against a valid model, and of the arguments of allocations.

Drivers call :func:`validate_request` for each execution, and :func:`check_allocation` for device memory. Models are
checked before, in :mod:`nnvet.hal.validation.model`. Source: docs/contract/hal.md 8 and 11.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from nnvet.hal.errors import HalError, errors_of, invalid
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import memory_size
from nnvet.hal.operand_types import OPERAND_TYPES, combine, fully_known, is_extension, type_info, type_name
from nnvet.hal.types import BufferDesc, BufferRole, BufferToken, DataLocation, Model, Operand, Request, RequestArgument
from nnvet.hal.validation.model import check_memory
from nnvet.hal.validation.operands import MAX_BYTES, byte_size


def validate_request(request: Request, model: Model, *, unspecified_outputs: bool = True) -> None:
    """Check a request for an execution; ``unspecified_outputs``: output dimensions may be unknown.

    :raises HalError: INVALID_ARGUMENT with the first broken rule.
    """
    validate_arguments(request, model, pool_sizes(request), unspecified_outputs=unspecified_outputs)


def pool_sizes(request: Request) -> tuple[int, ...]:
    """Check the pools of a request; return the bytes of each that arguments can use, 0 for device memory.

    :raises HalError: INVALID_ARGUMENT with the first broken rule.
    """
    return tuple([_check_pool(pool, f"pool {index}") for index, pool in enumerate(request.pools)])


def validate_arguments(
    request: Request, model: Model, sizes: Sequence[int], *, unspecified_outputs: bool = True
) -> None:
    """Check the arguments of a request whose pools have ``sizes``.

    :raises HalError: INVALID_ARGUMENT with the first broken rule.
    """
    main = model.main
    _check_counts(request, model)
    for position, (argument, index) in enumerate(zip(request.inputs, main.input_indexes, strict=True)):
        _check_argument(argument, main.operands[index], sizes, f"input {position}", unspecified=None)
    for position, (argument, index) in enumerate(zip(request.outputs, main.output_indexes, strict=True)):
        _check_argument(argument, main.operands[index], sizes, f"output {position}", unspecified=unspecified_outputs)


def broken_rules_of_request(request: Request, model: Model, *, unspecified_outputs: bool = True) -> Iterator[HalError]:
    """Return the errors of the rules that a request for a valid model breaks: the first of each pool and argument."""
    main = model.main
    pools = [partial(_check_pool, pool, f"pool {index}") for index, pool in enumerate(request.pools)]
    sizes = [0 if isinstance(pool, BufferToken) else memory_size(pool) for pool in request.pools]
    checks: list[Callable[[], object]] = [*pools, partial(_check_counts, request, model)]
    for kind, arguments, indexes, unspecified in (
        ("input", request.inputs, main.input_indexes, None),
        ("output", request.outputs, main.output_indexes, unspecified_outputs),
    ):
        # If there are too many or too few arguments, check only the arguments that have an operand.
        for position, (argument, index) in enumerate(zip(arguments, indexes, strict=False)):
            where = f"{kind} {position}"
            checks.append(
                partial(_check_argument, argument, main.operands[index], sizes, where, unspecified=unspecified)
            )
    return errors_of(checks)


def _check_counts(request: Request, model: Model) -> None:
    for kind, arguments, indexes in (
        ("input", request.inputs, model.main.input_indexes),
        ("output", request.outputs, model.main.output_indexes),
    ):
        if len(arguments) != len(indexes):
            raise invalid(f"{len(arguments)} {kind}s for a model with {len(indexes)}", f"request/{kind}s.count")


def _check_pool(pool: object, where: str) -> int:
    """Check a pool, and return the bytes that arguments can use in it."""
    if isinstance(pool, BufferToken):
        if pool.token <= 0:
            raise invalid(f"{where}: token {pool.token}", "request/pool.token")
        return 0
    check_memory(pool, where, "request/pool.valid")  # type: ignore[arg-type]
    return memory_size(pool)  # type: ignore[arg-type]


def _check_argument(
    argument: RequestArgument, operand: Operand, sizes: Sequence[int], where: str, *, unspecified: bool | None
) -> None:
    location = argument.location
    if argument.has_no_value:
        if location != DataLocation() or argument.dimensions:
            raise invalid(f"{where} has no value but a location or dimensions", "request/no_value")
        return
    if not 0 <= location.pool_index < len(sizes):
        raise invalid(f"{where} lies in pool {location.pool_index} of {len(sizes)}", "request/pool.index")
    size = sizes[location.pool_index]
    if min(location.offset, location.length, location.padding) < 0:
        raise invalid(f"{where} has a negative location", "request/pool.bounds")
    if location.offset + location.length + location.padding > size:
        raise invalid(
            f"{where}: bytes {location.offset} to {location.offset + location.length + location.padding} "
            f"of a pool of {size}",
            "request/pool.bounds",
        )
    if size > 0 and location.length == 0:
        raise invalid(f"{where} is empty", "request/length.zero")
    dimensions = _check_dimensions(argument, operand, where, unspecified=unspecified)
    _check_length(location.length, operand, dimensions, where)


def _check_dimensions(
    argument: RequestArgument, operand: Operand, where: str, *, unspecified: bool | None
) -> tuple[int, ...]:
    given, declared = argument.dimensions, operand.dimensions
    if any(not 0 <= dimension <= MAX_BYTES for dimension in given):
        raise invalid(f"{where}: dimensions {given} out of range", "request/dimensions.overflow")
    is_tensor = is_extension(operand.type) or OPERAND_TYPES[operand.type].is_tensor
    if given and declared and len(given) != len(declared):
        raise invalid(f"{where}: rank {len(given)}, the model says {len(declared)}", "request/dimensions.rank")
    combined = combine(declared, given)
    # A dimension that the model knows cannot be taken back (docs/contract/hal.md 8.1); inputs have a rule for that.
    is_taken_back = unspecified is not None and given and declared and combined != given
    if combined is None or is_taken_back:
        raise invalid(f"{where}: dimensions {given}, the model says {declared}", "request/dimensions.value")
    if is_extension(operand.type) or not is_tensor:
        return combined
    known = fully_known(combined) and 0 not in given
    if unspecified is None and not known:
        raise invalid(f"{where}: dimensions {combined} are not fully specified", "request/dimensions.input")
    if unspecified is False and not known:
        raise invalid(f"{where}: dimensions {combined} are not fully specified", "request/dimensions.output")
    return combined


def _check_length(length: int, operand: Operand, dimensions: tuple[int, ...], where: str) -> None:
    info = OPERAND_TYPES.get(operand.type)
    if info is None or length == 0:
        return
    if info.is_tensor and not fully_known(dimensions):
        return
    size = byte_size(operand.type, dimensions if info.is_tensor else ())
    if size > MAX_BYTES:
        raise invalid(f"{where}: dimensions {dimensions} are too large", "request/dimensions.overflow")
    if size and length != size:
        raise invalid(f"{where}: {length} bytes, type and dimensions need {size}", "request/length")


class Direction(Enum):
    """Kinds of roles: input or output."""

    INPUT = "input"
    OUTPUT = "output"


class Role(NamedTuple):
    """A use of device memory: one input or output of one prepared model."""

    prepared_model: PreparedModel
    direction: Direction
    io_index: int

    def __str__(self) -> str:
        """Return the text for messages: ``input 0``."""
        return f"{self.direction.value} {self.io_index}"


ModelOf = Callable[[PreparedModel], Model | None]
"""A function that returns the model of a prepared model; None for one that the driver has not made."""


def check_allocation(
    desc: BufferDesc,
    prepared_models: Sequence[PreparedModel | None],
    input_roles: Sequence[BufferRole],
    output_roles: Sequence[BufferRole],
    model_of: ModelOf,
) -> tuple[Operand, tuple[Role, ...]]:
    """Check the arguments; return the memory's use, as an operand with all known properties, and its roles.

    :raises HalError: INVALID_ARGUMENT with the first broken rule.
    """
    if not prepared_models or not (input_roles or output_roles):
        raise invalid("device memory needs a prepared model and a role", "allocate/roles")
    models = [_require_model(index, prepared, model_of) for index, prepared in enumerate(prepared_models)]
    roles: list[Role] = []
    operands: list[Operand] = []
    for direction, listed in ((Direction.INPUT, input_roles), (Direction.OUTPUT, output_roles)):
        for wanted in listed:
            role, operand = _resolve_role(wanted, models, direction)
            # The role of a prepared model that is listed twice has two names.
            if role in roles:
                raise invalid(f"{role} is named twice", "allocate/role.unique")
            roles.append(role)
            operands.append(operand)
    joint = operands[0]
    for role, operand in zip(roles, operands, strict=True):
        joint = _join_role(joint, operand, str(role))
    return _apply_description(joint, desc), tuple(roles)


def _require_model(index: int, prepared: PreparedModel | None, model_of: ModelOf) -> tuple[PreparedModel, Model]:
    """Return a prepared model with its model; refuse one that the driver has not made."""
    model = None if prepared is None else model_of(prepared)
    if prepared is None or model is None:
        raise invalid(f"prepared model {index} is none of this driver", "allocate/model")
    return prepared, model


def _resolve_role(
    wanted: BufferRole, models: Sequence[tuple[PreparedModel, Model]], direction: Direction
) -> tuple[Role, Operand]:
    """Return the role that a client describes, and the operand of the model that it concerns."""
    if not 0 <= wanted.model_index < len(models):
        raise invalid(f"model {wanted.model_index} of {len(models)}", "allocate/model_index")
    prepared, model = models[wanted.model_index]
    indexes = model.main.input_indexes if direction is Direction.INPUT else model.main.output_indexes
    role = Role(prepared, direction, wanted.io_index)
    if not 0 <= role.io_index < len(indexes):
        raise invalid(f"{role} of {len(indexes)}", "allocate/io_index")
    # "not above 0" rather than "at most 0", so that NaN fails too.
    if not 0 < wanted.probability <= 1:
        raise invalid(f"{role} has probability {wanted.probability}", "allocate/probability")
    return role, model.main.operands[indexes[role.io_index]]


def _join_role(joint: Operand, operand: Operand, where: str) -> Operand:
    """Return the operand on which the roles so far and one more role agree."""
    if operand.type != joint.type:
        raise invalid(f"{where} is {type_name(operand.type)}, not {type_name(joint.type)}", "allocate/type")
    if (operand.scale, operand.zero_point) != (joint.scale, joint.zero_point):
        raise invalid(f"{where} has another scale or zero point", "allocate/quantization")
    if operand.extra_params != joint.extra_params and not is_extension(operand.type):
        raise invalid(f"{where} has other extra parameters", "allocate/quantization")
    return _join_dimensions(joint, operand.dimensions, where)


def _apply_description(joint: Operand, desc: BufferDesc) -> Operand:
    """Return the operand on which the roles agree with the description."""
    if any(not 0 <= dimension <= MAX_BYTES for dimension in desc.dimensions):
        raise invalid(f"dimensions {list(desc.dimensions)} are out of range", "allocate/dimensions")
    if desc.dimensions and not type_info(joint.type).is_tensor:
        raise invalid(f"a scalar has no dimensions {list(desc.dimensions)}", "allocate/dimensions.scalar")
    return _join_dimensions(joint, desc.dimensions, "the description")


def _join_dimensions(joint: Operand, dimensions: Sequence[int], where: str) -> Operand:
    """Return the joint operand with dimensions that ``where`` adds; refuse a contradiction."""
    combined = combine(joint.dimensions, dimensions)
    if combined is None:
        message = f"{where} has dimensions {list(dimensions)}, roles before it {list(joint.dimensions)}"
        raise invalid(message, "allocate/dimensions")
    return replace(joint, dimensions=combined)
