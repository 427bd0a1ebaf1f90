"""Finishing of clients' models: build the HAL model, ask devices what they support, and divide it between several.

:func:`finish` builds the model; :func:`choose_device` answers :mod:`nnvet.adapters.nnapi.exported.compilation`, which
prepares it. Several devices together are one driver made of drivers (:mod:`nnvet.adapters.split`, docs/partition.md).
Operations go to the device that claims the best performance; a client that lets the library choose also gets a fallback
if a device fails. The environment has switches for both.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import cache
from typing import Any, Final

from msgspec.structs import replace

from nnvet.adapters.nnapi.exported.calling import Functions, ObjectArray, bad_data, refusal
from nnvet.adapters.nnapi.exported.devices import ExportedDevice, names_of
from nnvet.adapters.nnapi.exported.memories import SharedMemory
from nnvet.adapters.nnapi.exported.model import ClientModel
from nnvet.adapters.split.assignment import ask
from nnvet.adapters.split.device import SplitDevice
from nnvet.adapters.split.plan import SplitOptions
from nnvet.hal.enums import DeviceType, FeatureLevel, OperandLifeTime
from nnvet.hal.errors import HalError
from nnvet.hal.types import DataLocation, Memory, Model, Operand, Operation, Subgraph
from nnvet.hal.validation import validate_model

PARTITION_VARIABLE: Final = "NNVET_PARTITION"
"""Environment variable for compilations that name no device: 0, 1 or 2, as :class:`Partitioning` has them."""
CPU_VARIABLE: Final = "NNVET_CPU_ONLY"
"""Environment variable; unless it is unset, empty or 0, the library has only its devices of type CPU."""
STRICT_VARIABLE: Final = "NNVET_STRICT_SLICING"
"""Environment variable; if set to anything but 0, a device that does not answer what it supports is an error."""


class Partitioning(IntEnum):
    """Handling of models for which the client has named no device."""

    NEVER = 0
    """The first device that supports the whole model gets it."""
    WITH_FALLBACK = 1
    """The model is divided; if a device fails, another one takes over."""
    WITHOUT_FALLBACK = 2
    """The model is divided, and a failure is returned to the client."""


def choose_partitioning(*, is_explicit: bool) -> Partitioning:
    """Return the handling of a compilation: no fallback if the client has named devices, else by the environment.

    An unknown value means the default.
    """
    if is_explicit:
        return Partitioning.WITHOUT_FALLBACK
    text = os.environ.get(PARTITION_VARIABLE, "")
    known = {str(int(mode)): mode for mode in Partitioning}
    return known.get(text, Partitioning.WITH_FALLBACK)


def _is_set(variable: str) -> bool:
    """Return True if an environment variable is neither unset nor empty nor 0."""
    return os.environ.get(variable, "0") not in ("", "0")


def select_visible(devices: Sequence[ExportedDevice]) -> tuple[ExportedDevice, ...]:
    """Return the devices that clients see: all, or those of type CPU if the environment says so."""
    if not _is_set(CPU_VARIABLE):
        return tuple(devices)
    return tuple(device for device in devices if device.driver.get_type() is DeviceType.CPU)


def supported_by(devices: tuple[ExportedDevice, ...], model: Model) -> tuple[bool, ...]:
    """Return one truth value for each operation: True if one of the devices supports it.

    Devices of older levels are only asked about the operations that their level has.

    :raises HalError: a device does not answer, and slicing is strict.
    """
    if len(devices) > 1:
        return (
            _join(devices, Partitioning.WITHOUT_FALLBACK, is_lenient=not _is_set(STRICT_VARIABLE))[1]
            .plan(model)
            .supported
        )
    drivers = [device.driver for device in devices]
    return ask(drivers, model, is_lenient=not _is_set(STRICT_VARIABLE)).supported[0]


def choose_device(
    devices: tuple[ExportedDevice, ...], model: Model, preference: int, mode: Partitioning
) -> ExportedDevice | None:
    """Return the device that prepares a model: one of them or all together; None if operations are left over.

    :raises HalError: a device does not answer, and slicing is strict.
    """
    is_lenient = not _is_set(STRICT_VARIABLE)
    if len(devices) == 1 or mode is Partitioning.NEVER:
        answers = ask([device.driver for device in devices], model, is_lenient=is_lenient)
        takers = answers.takers_of_all(range(len(model.main.operations)))
        return devices[takers[0]] if takers else None
    if not devices:
        return None
    joint, driver = _join(devices, mode, is_lenient=is_lenient)
    plan = driver.plan(model)
    if not all(plan.supported):
        return None
    steps = plan.steps(preference)
    # If one device takes the whole model, no driver made of drivers has to stand between.
    if len(steps) == 1 and steps[0].model is model and mode is Partitioning.WITHOUT_FALLBACK:
        return devices[steps[0].device]
    return joint


@cache
def _join(
    devices: tuple[ExportedDevice, ...], mode: Partitioning, *, is_lenient: bool
) -> tuple[ExportedDevice, SplitDevice]:
    """Return the driver that joins these devices, always the same one."""
    fallback = "partial" if mode is Partitioning.WITH_FALLBACK else "none"
    driver = SplitDevice([device.driver for device in devices], SplitOptions(fallback=fallback, is_lenient=is_lenient))
    return ExportedDevice(driver), driver


_ALIGNMENT: Final = 64
"""Alignment, in bytes, of constants among a model's values: that of a cache line."""
_WRITTEN: Final = (OperandLifeTime.TEMPORARY_VARIABLE, OperandLifeTime.SUBGRAPH_OUTPUT)
"""Lifetimes of operands that operations write."""


def finishing_functions(devices: tuple[ExportedDevice, ...]) -> Functions:
    """Return the functions that finish models for these devices."""
    newest = max((device.level for device in devices), default=FeatureLevel.FL1)
    return {
        "Model_finish": lambda model: finish(model, newest),
        "Model_getSupportedOperationsForDevices": _get_supported,
    }


def finish(model: ClientModel, newest: FeatureLevel) -> None:
    """Build the HAL model of a client's model, which cannot be changed afterwards, even if this fails.

    :raises RefusalError: BAD_STATE the second time, BAD_DATA if the model is invalid or needs a level above ``newest``.
    """
    model.check_open()
    model.is_closed = True
    for value in model.values.values():
        value.settle()
    model.order = _sort_operations(model)
    assembly = _Assembly(model)
    try:
        model.level = validate_model(assembly.model, newest)
    except HalError as error:
        raise refusal(error) from error
    model.finished = assembly.model


def take_devices(devices: ObjectArray, count: int) -> tuple[ExportedDevice, ...]:
    """Return the devices that a client has listed.

    :raises RefusalError: BAD_DATA for none, or the same one twice.
    """
    listed = tuple(devices.take(count))
    if not listed or len(set(listed)) != count:
        raise bad_data(f"{count} devices, of which {len(set(listed))} are different")
    return listed


def _get_supported(model: ClientModel, devices: ObjectArray, count: int, place: Any) -> None:
    listed = take_devices(devices, count)
    answers = supported_by(listed, model.check_finished())
    for added, answer in zip(model.order, answers, strict=True):
        place[added] = answer


def _sort_operations(model: ClientModel) -> tuple[int, ...]:
    """Return the positions of the operations, each one after those whose results it reads; otherwise the order is kept.

    :raises RefusalError: BAD_DATA for a cycle, an operand that is never written, or written twice.
    """
    writers = _find_writers(model)
    missing: list[set[int]] = []
    readers: dict[int, list[int]] = {}
    for position, operation in enumerate(model.operations):
        read = {index for index in operation.inputs if model.operands[index].lifetime in _WRITTEN}
        if never := sorted(read - writers.keys()):
            raise bad_data(f"operation {position} reads operand {never[0]}, which is never written")
        missing.append({writers[index] for index in read})
        for writer in missing[-1]:
            readers.setdefault(writer, []).append(position)
    # A heap, so that of all operations that could be next, the one that was added first comes first.
    ready = [position for position, waits in enumerate(missing) if not waits]
    order: list[int] = []
    while ready:
        order.append(heapq.heappop(ready))
        for reader in readers.get(order[-1], ()):
            missing[reader].discard(order[-1])
            if not missing[reader]:
                heapq.heappush(ready, reader)
    if len(order) != len(model.operations):
        raise bad_data("the operations depend on each other in a circle")
    return tuple(order)


def _find_writers(model: ClientModel) -> dict[int, int]:
    """Return the position of the operation that writes each operand; raises like :func:`_sort_operations`."""
    writers: dict[int, int] = {}
    for position, operation in enumerate(model.operations):
        for index in operation.outputs:
            if model.operands[index].lifetime not in _WRITTEN or index in writers:
                raise bad_data(f"operation {position} writes operand {index}, which has a value")
            writers[index] = position
    return writers


class _Assembly:
    """The HAL model of a client's model and of the models that it refers to, built by the constructor."""

    def __init__(self, model: ClientModel) -> None:
        self._values = bytearray()
        self._memories: list[SharedMemory] = []
        self._pools: list[Memory] = []
        self._known: dict[ClientModel, int] = {}
        self._referenced: list[Subgraph | None] = []
        main = self._build_subgraph(model)
        subgraphs = [subgraph for subgraph in self._referenced if subgraph is not None]
        self.model = Model(
            main,
            tuple(subgraphs),
            bytes(self._values),
            tuple(self._pools),
            model.is_relaxed,
            names_of(set(_list_codes((main, *subgraphs)))),
        )

    def _build_subgraph(self, model: ClientModel) -> Subgraph:
        operands = tuple(self._locate_value(model, index, operand) for index, operand in enumerate(model.operands))
        operations: list[Operation] = [model.operations[position] for position in model.order]
        return Subgraph(operands, tuple(operations), model.inputs, model.outputs)

    def _locate_value(self, model: ClientModel, index: int, operand: Operand) -> Operand:
        """Return an operand with the location of its value, which is added to the model."""
        value = model.values.get(index)
        if value is None or operand.lifetime == OperandLifeTime.NO_VALUE:
            return operand
        if value.model is not None:
            return replace(operand, location=DataLocation(offset=self._add_referenced(value.model)))
        if value.memory is not None:
            pool = self._add_pool(value.memory)
            return replace(operand, location=DataLocation(pool, value.offset, value.length))
        self._values += bytes(-len(self._values) % _ALIGNMENT)
        location = DataLocation(offset=len(self._values), length=len(value.copied))
        self._values += value.copied
        return replace(operand, location=location)

    def _add_referenced(self, model: ClientModel) -> int:
        """Return the index of a referenced model, which is the same for all references to that model."""
        if model not in self._known:
            self._known[model] = number = len(self._referenced)
            self._referenced.append(None)
            self._referenced[number] = self._build_subgraph(model)
        return self._known[model]

    def _add_pool(self, memory: SharedMemory) -> int:
        """Return the index of the pool that is a client's memory."""
        if memory not in self._memories:
            self._memories.append(memory)
            self._pools.append(memory.pool)
        return self._memories.index(memory)


def _list_codes(subgraphs: Iterable[Subgraph]) -> Iterable[int]:
    """Yield the types of all operands and operations."""
    for subgraph in subgraphs:
        yield from (operand.type for operand in subgraph.operands)
        yield from (operation.type for operation in subgraph.operations)
