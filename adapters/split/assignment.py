"""The device of each operation: what every device supports, and which of those that do is taken.

Figures of performance are ratios to the reference CPU, so smaller is better; of two that are equal the earlier device
wins. They are looked up as the runtime of Android looks them up.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.adapters.calls import miscounted
from nnvet.adapters.split.steps import INTERPRETER, step_of
from nnvet.hal.conversion import model_at, model_complies
from nnvet.hal.enums import ExecutionPreference, FeatureLevel, OperandType, OperationType
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Device
from nnvet.hal.operand_types import fully_known, is_tensor
from nnvet.hal.types import Capabilities, Model, Operand, Operation, PerformanceInfo, Subgraph
from nnvet.hal.validation.model import required_level

_CONTROL_FLOW: Final = (OperationType.IF, OperationType.WHILE)
_HALF: Final = 0.5
"""Share with which each branch of an IF counts."""
_SHAPES_LEVEL: Final = FeatureLevel.FL3
"""Devices below it report no shapes, so they compute nothing whose size only an execution tells."""
_SLOWEST: Final = PerformanceInfo(math.inf, math.inf)


@dataclass(frozen=True)
class MemberAnswers:
    """The answers of all devices about one model: for each device one for each operation; ``reasons`` say more.

    A reason is empty where an operation is supported.
    """

    supported: tuple[tuple[bool, ...], ...]
    reasons: tuple[str, ...]

    def takers(self, place: int) -> list[int]:
        """The devices that support an operation."""
        return [device for device, answers in enumerate(self.supported) if answers[place]]

    def takers_of_all(self, places: Sequence[int]) -> list[int]:
        """The devices that support all of these operations."""
        return [device for device, answers in enumerate(self.supported) if all(answers[place] for place in places)]


def ask(devices: Sequence[Device], model: Model, *, is_lenient: bool) -> MemberAnswers:
    """Ask every device about a valid model. ``is_lenient``: one whose answer is an error supports nothing.

    :raises HalError: a device fails to answer, and that is not to be forgiven.
    """
    answers, reasons = [], []
    for device in devices:
        try:
            answers.append(_answer(device, model))
            reasons.append("")
        except HalError as error:
            if not is_lenient:
                raise
            answers.append((False,) * len(model.main.operations))
            reasons.append(str(error))
    return MemberAnswers(tuple(answers), tuple(reasons))


def _answer(device: Device, model: Model) -> tuple[bool, ...]:
    """One device's answer; a device of an older interface is asked about what of the model that interface has.

    :raises HalError: as the device raises; GENERAL_FAILURE for an answer of another length.
    """
    level, count = device.get_feature_level(), len(model.main.operations)
    places = [place for place in range(count) if level >= _SHAPES_LEVEL or _has_known_results(model, place)]
    if required_level(model) > level:
        places = [place for place in places if model_complies(step_of(model, 0, (place,)).model, level)]
    if not places:
        return (False,) * count
    asked = model if len(places) == count else step_of(model, 0, places).model
    answers = device.get_supported_operations(model_at(asked, level))
    if fault := miscounted(answers, asked):
        raise failure(f"{device.name} gives {fault}", "driver/reply")
    supported = {place for place, answer in zip(places, answers, strict=True) if answer}
    return tuple([place in supported for place in range(count)])


def _has_known_results(model: Model, place: int) -> bool:
    """Return True if the model says the sizes of all that an operation writes."""
    return all(has_known_size(model.main.operands[index]) for index in model.main.operations[place].outputs)


Choice = Callable[[Model, int, Sequence[int], Sequence[float]], int]
"""The device for one operation, by its index, out of those that support it; ``figures`` are theirs, in that order."""


def by_figures(_model: Model, _place: int, takers: Sequence[int], figures: Sequence[float]) -> int:
    """The device with the smallest figure."""
    return takers[figures.index(min(figures))]


def the_first(_model: Model, _place: int, takers: Sequence[int], _figures: Sequence[float]) -> int:
    """The first device that supports it."""
    return takers[0]


@dataclass(frozen=True)
class DrawnDevices:
    """Any device, the same ones for the same seed: where operations stand decides, and of which type they are."""

    seed: int

    def __call__(self, model: Model, place: int, takers: Sequence[int], _figures: Sequence[float]) -> int:
        """The device that is drawn for an operation."""
        text = f"{self.seed}/{place}/{int(model.main.operations[place].type)}"
        return takers[int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) % len(takers)]


@dataclass(frozen=True)
class GivenDevices:
    """Devices for the first operations, and again for the next ones; where one does not support its, figures decide."""

    devices: tuple[int, ...]

    def __call__(self, model: Model, place: int, takers: Sequence[int], figures: Sequence[float]) -> int:
        """The device that is given for an operation."""
        wanted = self.devices[place % len(self.devices)]
        return wanted if wanted in takers else by_figures(model, place, takers, figures)


def assign(
    model: Model,
    answers: MemberAnswers,
    capabilities: Sequence[Capabilities],
    preference: int,
    choose: Choice,
    interpreted: Collection[int] = (),
) -> tuple[int, ...]:
    """A device for each operation but those that are ``interpreted``.

    :raises HalError: GENERAL_FAILURE if no device supports one.
    """
    chosen = []
    for place, operation in enumerate(model.main.operations):
        if place in interpreted:
            chosen.append(INTERPRETER)
            continue
        takers = answers.takers(place)
        if not takers:
            raise failure(f"no device supports operation {place}", "driver/operation.supported")
        figures = [figure_of(capabilities[device], preference, model, model.main, operation) for device in takers]
        chosen.append(choose(model, place, takers, figures))
    return tuple(chosen)


def figure_of(
    capabilities: Capabilities, preference: int, model: Model, subgraph: Subgraph, operation: Operation
) -> float:
    """The device's figure for an operation: power for LOW_POWER, execution time for every other preference.

    It is that of the first input's type; control flow adds those of the operations that it runs, branches by half.
    """
    is_power = preference == ExecutionPreference.LOW_POWER
    if operation.type in _CONTROL_FLOW:
        is_if = operation.type == OperationType.IF
        own = capabilities.if_performance if is_if else capabilities.while_performance
        positions, share = ((1, 2), _HALF) if is_if else ((0, 1), 1.0)
        inner = 0.0
        for position in positions:
            other = model.referenced[subgraph.operands[operation.inputs[position]].location.offset]
            inner += sum(figure_of(capabilities, preference, model, other, one) for one in other.operations)
        return _number(own, is_power=is_power) + share * inner
    first = subgraph.operands[operation.inputs[0]] if operation.inputs else None
    is_relaxed = model.relax_computation_float32_to_float16
    return _number(_performance(capabilities, first, is_relaxed=is_relaxed), is_power=is_power)


def _number(info: PerformanceInfo, *, is_power: bool) -> float:
    return info.power_usage if is_power else info.exec_time


def _performance(capabilities: Capabilities, first: Operand | None, *, is_relaxed: bool) -> PerformanceInfo:
    if first is None:
        return _SLOWEST
    if is_relaxed and first.type == OperandType.FLOAT32:
        return capabilities.relaxed_float32_to_float16_performance_scalar
    if is_relaxed and first.type == OperandType.TENSOR_FLOAT32:
        return capabilities.relaxed_float32_to_float16_performance_tensor
    listed = {int(entry.type): entry.info for entry in capabilities.operand_performance}
    return listed.get(first.type, _SLOWEST)


def has_known_size(operand: Operand) -> bool:
    """Return True if the model says how many elements an operand has."""
    return not is_tensor(operand.type) or fully_known(operand.dimensions)
