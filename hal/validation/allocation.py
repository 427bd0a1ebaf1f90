"""Validation of the arguments of an allocation of device memory (docs/contract/hal.md 11.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from msgspec.structs import replace

from nnvet.hal.dimensions import combine
from nnvet.hal.errors import invalid
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.operand_types import is_extension, type_info, type_name
from nnvet.hal.types import BufferDesc, BufferRole, Model, Operand
from nnvet.hal.validation.operands import MAX_BYTES


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
        """As messages say it: ``input 0``."""
        return f"{self.direction.value} {self.io_index}"


ModelOf = Callable[[PreparedModel], Model | None]
"""The model of a prepared model; None for one that the driver has not made."""


def check_allocation(
    desc: BufferDesc,
    prepared_models: Sequence[PreparedModel | None],
    input_roles: Sequence[BufferRole],
    output_roles: Sequence[BufferRole],
    model_of: ModelOf,
) -> tuple[Operand, tuple[Role, ...]]:
    """Check the arguments; returns what the memory is for, as an operand with all that is known, and its roles.

    :raises HalError: INVALID_ARGUMENT with the first broken rule.
    """
    if not prepared_models or not (input_roles or output_roles):
        raise invalid("device memory needs a prepared model and a role", "allocate/roles")
    models = [_known(index, prepared, model_of) for index, prepared in enumerate(prepared_models)]
    roles: list[Role] = []
    operands: list[Operand] = []
    for direction, listed in ((Direction.INPUT, input_roles), (Direction.OUTPUT, output_roles)):
        for wanted in listed:
            role, operand = _role(wanted, models, direction)
            # The role of a prepared model that is listed twice has two names.
            if role in roles:
                raise invalid(f"{role} is named twice", "allocate/role.unique")
            roles.append(role)
            operands.append(operand)
    joint = operands[0]
    for role, operand in zip(roles, operands, strict=True):
        joint = _agreed(joint, operand, str(role))
    return _described(joint, desc), tuple(roles)


def _known(index: int, prepared: PreparedModel | None, model_of: ModelOf) -> tuple[PreparedModel, Model]:
    model = None if prepared is None else model_of(prepared)
    if prepared is None or model is None:
        raise invalid(f"prepared model {index} is none of this driver", "allocate/model")
    return prepared, model


def _role(
    wanted: BufferRole, models: Sequence[tuple[PreparedModel, Model]], direction: Direction
) -> tuple[Role, Operand]:
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


def _agreed(joint: Operand, operand: Operand, where: str) -> Operand:
    """Return the operand on which the roles so far agree with one more."""
    if operand.type != joint.type:
        raise invalid(f"{where} is {type_name(operand.type)}, not {type_name(joint.type)}", "allocate/type")
    if (operand.scale, operand.zero_point) != (joint.scale, joint.zero_point):
        raise invalid(f"{where} has another scale or zero point", "allocate/quantization")
    if operand.extra_params != joint.extra_params and not is_extension(operand.type):
        raise invalid(f"{where} has other extra parameters", "allocate/quantization")
    return _with_dimensions(joint, operand.dimensions, where)


def _described(joint: Operand, desc: BufferDesc) -> Operand:
    """Return the operand on which the roles agree with the description."""
    if any(not 0 <= dimension <= MAX_BYTES for dimension in desc.dimensions):
        raise invalid(f"dimensions {list(desc.dimensions)} are out of range", "allocate/dimensions")
    if desc.dimensions and not type_info(joint.type).is_tensor:
        raise invalid(f"a scalar has no dimensions {list(desc.dimensions)}", "allocate/dimensions.scalar")
    return _with_dimensions(joint, desc.dimensions, "the description")


def _with_dimensions(joint: Operand, dimensions: Sequence[int], where: str) -> Operand:
    combined = combine(joint.dimensions, dimensions)
    if combined is None:
        message = f"{where} has dimensions {list(dimensions)}, roles before it {list(joint.dimensions)}"
        raise invalid(message, "allocate/dimensions")
    return replace(joint, dimensions=combined)
