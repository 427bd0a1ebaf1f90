"""Placement of a model on several devices: the device of each operation, reasons for refusals, and costs of borders.

``nnvet partition`` prints a :class:`Placement`; :mod:`nnvet.adapters.split.advice` adds what could be improved.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from statistics import median
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from nnvet.adapters.calls import prepare
from nnvet.adapters.runtimes.device import RuntimeDevice
from nnvet.adapters.selector import SelectorError, create_device, parse_selector
from nnvet.adapters.split.assignment import has_known_size
from nnvet.adapters.split.device import SplitDevice
from nnvet.adapters.split.plan import SplitPlan
from nnvet.adapters.split.running import ALIGNMENT, CutModel, SplitRun, cut_model
from nnvet.adapters.split.steps import SplitStep, step_of
from nnvet.driver_kit.arrays import Array
from nnvet.hal import types as hal
from nnvet.hal.enums import NO_DEADLINE, ExecutionPreference, FeatureLevel
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import create_ashmem, mapped
from nnvet.hal.operand_types import type_info, type_name
from nnvet.hal.operations.catalogue import operation_name
from nnvet.hal.validation.operands import byte_size

_CAPACITY: Final = 1 << 20
"""Bytes that are reserved for an output of unknown size."""
_MS: Final = 1e3
"""Milliseconds in a second."""


class PlacedOperation(msgspec.Struct, frozen=True):
    """An operation with its device and step, and for other devices, by number, the reason why they refuse it."""

    index: int
    operation: str
    type: str
    device: int
    step: int
    refusals: dict[int, str]


class PlacedStep(msgspec.Struct, frozen=True):
    """A step: bytes that it reads from and writes for other steps, and its median time including the wire, if it ran.

    ``handing_milliseconds`` is the share that the driver does not spend: allocating memory, making requests, sizes.
    """

    index: int
    device: int
    operations: list[int]
    bytes_in: int
    bytes_out: int
    milliseconds: float | None = None
    handing_milliseconds: float | None = None


class PlacedBorder(msgspec.Struct, frozen=True):
    """An operand that one step writes and another one reads; ``bytes`` is None if only an execution tells the size."""

    operand: int
    writer: int
    reader: int
    dimensions: tuple[int, ...]
    bytes: int | None


class TriedAssignment(msgspec.Struct, frozen=True):
    """An assignment of devices to operations, with the median time of all its steps; None if a step failed."""

    name: str
    devices: list[int]
    steps: int
    milliseconds: float | None


class AvoidableBorders(msgspec.Struct, frozen=True):
    """Operations of one kind that a device refuses. If it took them, there would be ``steps`` fewer steps."""

    device: int
    operation: str
    type: str
    operations: list[int]
    steps: int


class Placement(msgspec.Struct, frozen=True):
    """A placed model. ``whole_milliseconds`` has the time of each device alone; None if it refuses an operation.

    ``error`` says why there are no times.
    """

    model: str
    drivers: list[str]
    runs: int
    operations: list[PlacedOperation]
    steps: list[PlacedStep]
    borders: list[PlacedBorder]
    milliseconds: float | None
    whole_milliseconds: list[float | None]
    error: str = ""
    changes: list[AvoidableBorders] = []
    assignments: list[TriedAssignment] = []
    """The assignments that were measured, the fastest first; empty if none was."""


class NowhereError(Exception):
    """Raised if no device takes some operations; ``placed`` lists them."""

    def __init__(self, placed: Sequence[PlacedOperation]) -> None:
        """Keep them."""
        super().__init__(placed)
        self.placed = placed


def place(device: SplitDevice, selectors: Sequence[str], model: hal.Model, name: str, runs: int) -> Placement:
    """Cut a valid model, and execute it ``runs`` times on random inputs.

    :raises HalError: a device fails to answer which operations it supports.
    :raises NowhereError: no device takes some operation.
    """
    plan = device.plan(model)
    refusals = _find_refusals(plan, device, selectors, model)
    left = [index for index, answer in enumerate(plan.supported) if not answer]
    if left:
        raise NowhereError([_describe_operation(model, index, -1, -1, refusals) for index in left])
    steps = plan.steps(ExecutionPreference.SUSTAINED_SPEED)
    cut = cut_model(model, steps, device.members.levels, device.members.element_bytes(model))
    places = {index: (step.device, number) for number, step in enumerate(steps) for index in step.operations}
    operations = [_describe_operation(model, index, *places[index], refusals) for index in range(len(places))]
    request = random_request(model)
    handing: list[list[float]] = [[] for _ in steps]
    times, sizes, error = measured(plan, cut, request, runs, handing)
    borders = _find_borders(cut, sizes)
    placed = [
        PlacedStep(
            number,
            step.device,
            list(step.operations),
            sum(border.bytes or 0 for border in borders if border.reader == number),
            sum({border.operand: border.bytes or 0 for border in borders if border.writer == number}.values()),
            median(times[number]) if times else None,
            median(handing[number]) if times else None,
        )
        for number, step in enumerate(steps)
    ]
    total = None if error else median(map(sum, zip(*times, strict=True)))
    wholes = [_measure_whole(device, plan, number, model, request, runs) for number in range(len(selectors))]
    return Placement(name, list(selectors), runs, operations, placed, borders, total, wholes, error)


def _describe_operation(
    model: hal.Model, index: int, device: int, step: int, refusals: Sequence[dict[int, str]]
) -> PlacedOperation:
    operation = model.main.operations[index]
    kind = type_name(model.main.operands[operation.inputs[0]].type) if operation.inputs else ""
    return PlacedOperation(index, operation_name(operation.type), kind, device, step, refusals[index])


def _find_refusals(
    plan: SplitPlan, device: SplitDevice, selectors: Sequence[str], model: hal.Model
) -> list[dict[int, str]]:
    """Return, for each operation, the devices that refuse it with their reasons."""
    found: list[dict[int, str]] = [{} for _ in model.main.operations]
    for number, (selector, answers) in enumerate(zip(selectors, plan.answers.supported, strict=True)):
        table = [] if all(answers) else _read_table_reasons(selector, model)
        for index, answer in enumerate(answers):
            if not answer:
                stated = table[index] if table else ""
                found[index][number] = stated or _ask_refusal(device, number, model, index)
    return found


def _read_table_reasons(selector: str, model: hal.Model) -> list[str]:
    """Return the reasons of a runtime that claims operations by a table; nothing has to be compiled to read them."""
    if not parse_selector(selector).kind.factory:
        return []
    with suppress(SelectorError, HalError):
        local = create_device(selector)
        if isinstance(local, RuntimeDevice) and local.accelerator is None:
            return local.plan(model).reasons
    return []


def _ask_refusal(device: SplitDevice, number: int, model: hal.Model, index: int) -> str:
    """Prepare the operation alone, and return the words with which the device refuses."""
    try:
        prepare(device.devices[number], step_of(model, number, (index,)).model, hal.PrepareModelConfig())
    except HalError as error:
        _, _, reason = error.message.partition(": ")
        return reason or "not supported; the driver does not say why"
    return "not supported, though alone it is prepared"


def random_request(model: hal.Model) -> hal.Request:
    """Return a request with random numbers in [-1, 1) for floats, random 8-bit codes, and zeros for everything else.

    An unknown dimension of an input is taken to be 1.
    """
    random = np.random.default_rng(0)
    inputs = [_draw_value(random, model.main.operands[index]) for index in model.main.input_indexes]
    outputs = [model.main.operands[index] for index in model.main.output_indexes]
    sizes = [
        byte_size(operand.type, operand.dimensions) if has_known_size(operand) else _CAPACITY for operand in outputs
    ]
    read, read_bytes = _place_side_by_side(0, [value.nbytes for value in inputs])
    written, written_bytes = _place_side_by_side(1, sizes)
    pools = create_ashmem(max(read_bytes, 1)), create_ashmem(max(written_bytes, 1))
    with mapped(pools[0]) as view:
        for location, value in zip(read, inputs, strict=True):
            view[location.offset : location.offset + location.length] = value.tobytes()
    arguments = [
        hal.RequestArgument(location=location, dimensions=value.shape)
        for location, value in zip(read, inputs, strict=True)
    ]
    return hal.Request(tuple(arguments), tuple(hal.RequestArgument(location=location) for location in written), pools)


def _draw_value(random: np.random.Generator, operand: hal.Operand) -> Array:
    info = type_info(operand.type)
    shape = (tuple([size or 1 for size in operand.dimensions]) or (1,)) if info.is_tensor else ()
    dtype = np.dtype(info.dtype)
    if info.is_float:
        return random.uniform(-1, 1, shape).astype(dtype)
    if info.is_quantized and dtype.itemsize == 1:
        return random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    return np.zeros(shape, dtype)


def _place_side_by_side(pool: int, sizes: Sequence[int]) -> tuple[list[hal.DataLocation], int]:
    locations, end = [], 0
    for size in sizes:
        locations.append(hal.DataLocation(pool, end, size))
        end += -(-size // ALIGNMENT) * ALIGNMENT
    return locations, end


class _TimedRun(SplitRun):
    """An execution that measures how long the drivers are called."""

    called_s = 0.0

    def _execute(self, step: SplitStep, prepared: PreparedModel, level: FeatureLevel) -> hal.ExecutionResult:
        started = time.perf_counter()
        try:
            return super()._execute(step, prepared, level)
        finally:
            self.called_s += time.perf_counter() - started


def measured(
    plan: SplitPlan, cut: CutModel, request: hal.Request, runs: int, handing: Sequence[list[float]] = ()
) -> tuple[list[list[float]], dict[int, int], str]:
    """Return milliseconds of each step in each run, bytes of operands at borders, and the error of a failed run.

    ``handing`` receives, for each step, the milliseconds that the driver did not spend.
    """
    config = replace(hal.PrepareModelConfig(), preference=ExecutionPreference.SUSTAINED_SPEED)
    workers = plan.workers(config)
    sizes: dict[int, int] = {}
    times: list[list[float]] = [[] for _ in cut.steps]
    number = 0
    try:
        prepared = [workers.prepare(step, "none")[1] for step in cut.steps]
        # The first run warms up and is not counted; it also finds the sizes that the model does not state.
        for turn in range(runs + 1):
            run = _TimedRun(cut, request, hal.ExecutionConfig(), NO_DEADLINE, sizes)
            for number, step in enumerate(cut.steps):
                run.called_s, started = 0.0, time.perf_counter()
                run.run_step(number, prepared[number], cut.level_of(step.device))
                if turn:
                    spent_s = time.perf_counter() - started
                    times[number].append(spent_s * _MS)
                    if handing:
                        handing[number].append((spent_s - run.called_s) * _MS)
    except HalError as error:
        return [], sizes, f"step {number}: {error}"
    return times, sizes, ""


def _measure_whole(
    device: SplitDevice, plan: SplitPlan, number: int, model: hal.Model, request: hal.Request, runs: int
) -> float | None:
    """Return the median time of one device that takes all operations; None if it refuses some, or fails."""
    if not all(plan.answers.supported[number]):
        return None
    everything = SplitStep(
        number, tuple(range(len(model.main.operations))), model, model.main.input_indexes, model.main.output_indexes
    )
    cut = cut_model(model, [everything], device.members.levels, device.members.element_bytes(model))
    times, _, error = measured(plan, cut, request, runs)
    return None if error else median(times[0])


def _find_borders(cut: CutModel, sizes: dict[int, int]) -> list[PlacedBorder]:
    """Return all operands that cross a border, once for each step that reads them."""
    writers = {index: number for number, step in enumerate(cut.steps) for index in step.outputs}
    operands = cut.model.main.operands
    found = []
    for reader, step in enumerate(cut.steps):
        for index in step.inputs:
            if index in writers:
                dimensions = operands[index].dimensions
                size = cut.size(index, dimensions) if has_known_size(operands[index]) else sizes.get(index)
                found.append(PlacedBorder(index, writers[index], reader, dimensions, size))
    return found
