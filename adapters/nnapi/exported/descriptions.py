"""Descriptions of device memory in the exported C API, and the memory that is allocated for them.

A description collects the roles of a memory (inputs and outputs of compilations) and its dimensions. ``FUNCTIONS`` at
the end lists the C API's functions on descriptions, which :mod:`nnvet.adapters.nnapi.exported.serving` exports; memory
objects are in :mod:`nnvet.adapters.nnapi.exported.memories`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from nnvet.adapters.nnapi.exported import calling
from nnvet.adapters.nnapi.exported.compilation import ClientCompilation
from nnvet.adapters.nnapi.exported.memories import ClientMemory, DescribedMemory, DriverMemory, Role
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import create_ashmem
from nnvet.hal.operand_types import combine, is_extension, type_info
from nnvet.hal.types import BufferDesc, BufferRole, Operand
from nnvet.hal.validation.operands import byte_size


@dataclass(frozen=True)
class _Role:
    """A use that the client announces; ``frequency`` is how often, from 0 (excluded) to 1."""

    compilation: ClientCompilation
    is_input: bool
    index: int
    frequency: float


@dataclass(eq=False)
class ClientDescription:
    """A client's description of device memory.

    ``operand`` belongs to one of the roles; they agree on everything but dimensions. ``dimensions`` combine those of
    all roles and those that the client has set.
    """

    roles: list[_Role] = field(default_factory=list)
    operand: Operand | None = None
    dimensions: tuple[int, ...] = ()
    is_finished: bool = False

    def check_open(self) -> None:
        """Check that the description may still be changed; raises BAD_STATE if not."""
        if self.is_finished:
            raise calling.bad_state("the description has been finished")


def _add_role(
    description: ClientDescription, compilation: ClientCompilation, index: int, frequency: float, *, is_input: bool
) -> None:
    description.check_open()
    if compilation.prepared is None:
        raise calling.bad_data("the compilation is not finished")
    operand = compilation.operand(index, is_input=is_input)
    if not 0 < frequency <= 1:
        raise calling.bad_data(f"frequency {frequency}")
    if any(
        (role.compilation, role.is_input, role.index) == (compilation, is_input, index) for role in description.roles
    ):
        raise calling.bad_data("the role is there already")
    known = description.operand
    if known is not None and _list_attributes(known) != _list_attributes(operand):
        raise calling.bad_data(f"operand {operand} does not fit {known}")
    combined = combine(description.dimensions, operand.dimensions)
    if combined is None:
        raise calling.bad_data(f"dimensions {list(operand.dimensions)} do not fit {list(description.dimensions)}")
    description.operand, description.dimensions = operand, combined
    description.roles.append(_Role(compilation, is_input, index, frequency))


def _list_attributes(operand: Operand) -> tuple[object, ...]:
    """Return the attributes on which all roles of a memory must agree."""
    return operand.type, operand.scale, operand.zero_point, operand.extra_params


def _set_dimensions(description: ClientDescription, rank: int, dimensions: Any) -> None:
    description.check_open()
    if rank and not dimensions:
        raise calling.bad_data(f"{rank} dimensions that are null")
    combined = combine(description.dimensions, tuple(calling.FFI.unpack(dimensions, rank)) if rank else ())
    if combined is None:
        raise calling.bad_data(f"dimensions that do not fit {list(description.dimensions)}")
    description.dimensions = combined


def _finish(description: ClientDescription) -> None:
    description.check_open()
    if not description.roles:
        raise calling.bad_data("the description has no roles")
    description.is_finished = True


def _create_memory(description: ClientDescription) -> ClientMemory:
    """Let the driver allocate the memory, or fall back to shared memory.

    The fallback is allowed only if the client has not listed devices itself; otherwise it wants memory of that device.
    """
    operand, roles = description.operand, description.roles
    if not description.is_finished or operand is None:
        raise calling.bad_state("the description is not finished")
    devices = {id(role.compilation.device): role.compilation.device for role in roles}
    try:
        if len(devices) != 1:
            raise calling.op_failed("the roles are on several devices")
        return _allocate(description, operand)
    except (HalError, calling.RefusalError) as error:
        refused = calling.refusal(error) if isinstance(error, HalError) else error
        size = 0 if is_extension(operand.type) else byte_size(operand.type, description.dimensions)
        if not size or (type_info(operand.type).is_tensor and not description.dimensions):
            raise refused from error
        if any(role.compilation.is_explicit for role in roles):
            raise refused from error
        return DescribedMemory(create_ashmem(size), _list_uses(description))


def _allocate(description: ClientDescription, operand: Operand) -> DriverMemory:
    """Let the one driver of all roles allocate the memory.

    :raises HalError: the driver's error.
    """
    models: list[PreparedModel] = []
    sides: dict[bool, list[BufferRole]] = {True: [], False: []}
    for role in description.roles:
        device, prepared = role.compilation.check_finished()
        if prepared not in models:
            models.append(prepared)
        sides[role.is_input].append(BufferRole(models.index(prepared), role.index, role.frequency))
    described = BufferDesc(description.dimensions)
    buffer, token = device.driver.allocate(described, models, tuple(sides[True]), tuple(sides[False]))
    joint = Operand(
        operand.type, description.dimensions, operand.scale, operand.zero_point, extra_params=operand.extra_params
    )
    return DriverMemory(buffer, token, joint, _list_uses(description))


def _list_uses(description: ClientDescription) -> frozenset[Role]:
    return frozenset((role.compilation, role.is_input, role.index) for role in description.roles)


FUNCTIONS: Final[calling.Functions] = {
    "MemoryDesc_create": ClientDescription,
    "MemoryDesc_free": lambda _description: None,
    "MemoryDesc_addInputRole": lambda *arguments: _add_role(*arguments, is_input=True),
    "MemoryDesc_addOutputRole": lambda *arguments: _add_role(*arguments, is_input=False),
    "MemoryDesc_setDimensions": _set_dimensions,
    "MemoryDesc_finish": _finish,
    "Memory_createFromDesc": _create_memory,
}
