"""Assignment of a device to each operation: ask every device what it supports, then choose among those that do.

Performance figures are ratios to the reference CPU: smaller is better, and of two equal ones the earlier device wins.
They are looked up as Android's runtime does it. :mod:`nnvet.adapters.split.steps` groups the operations into steps by
the assignment.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.adapters.calls import find_miscount
from nnvet.adapters.split.steps import INTERPRETER, SplitStep, step_of
from nnvet.hal.conversion import model_at, model_complies
from nnvet.hal.enums import ExecutionPreference, FeatureLevel, OperandType, OperationType
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Device
from nnvet.hal.operand_types import fully_known, is_tensor
from nnvet.hal.types import Capabilities, Model, Operand, Operation, PerformanceInfo, Subgraph
from nnvet.hal.validation.model import required_level

_CONTROL_FLOW: Final = (OperationType.IF, OperationType.WHILE)
"""Operations whose figure is that of the operations inside."""
_HALF: Final = 0.5
"""Weight of each branch of an IF: the model does not say which one runs."""
_SHAPES_LEVEL: Final = FeatureLevel.FL3
"""The first level whose devices report output shapes. Older ones get no operation with an output of unknown size."""
_SLOWEST: Final = PerformanceInfo(math.inf, math.inf)
"""Figure of a device that states none for a type: any other device is better."""


@dataclass(frozen=True)
class MemberAnswers:
    """The answers of all devices about one model: ``supported[device][operation]``.

    ``reasons`` has, for each device, the error that it answered with; empty if it answered.
    """

    supported: tuple[tuple[bool, ...], ...]
    reasons: tuple[str, ...]

    def takers(self, place: int) -> list[int]:
        """Return the devices that support an operation."""
        return [device for device, answers in enumerate(self.supported) if answers[place]]

    def takers_of_all(self, places: Sequence[int]) -> list[int]:
        """Return the devices that support all of these operations."""
        return [device for device, answers in enumerate(self.supported) if all(answers[place] for place in places)]

    def without(self, refused: Collection[tuple[int, int]]) -> MemberAnswers:
        """Return the answers without ``refused``: pairs of device and operation that fail in a step of their own."""
        rows = [
            tuple([answer and (device, place) not in refused for place, answer in enumerate(answers)])
            for device, answers in enumerate(self.supported)
        ]
        return MemberAnswers(tuple(rows), self.reasons)


def ask(devices: Sequence[Device], model: Model, *, is_lenient: bool) -> MemberAnswers:
    """Ask every device about a valid model. With ``is_lenient``, a device that answers with an error supports nothing.

    :raises HalError: a device answers with an error, and ``is_lenient`` is not set.
    """
    answers, reasons = [], []
    for device in devices:
        try:
            answers.append(_ask_one(device, model))
            reasons.append("")
        except HalError as error:
            if not is_lenient:
                raise
            answers.append((False,) * len(model.main.operations))
            reasons.append(str(error))
    return MemberAnswers(tuple(answers), tuple(reasons))


def _ask_one(device: Device, model: Model) -> tuple[bool, ...]:
    """Return one device's answer. A device of an older level is asked only about operations that this level has.

    :raises HalError: as the device raises; GENERAL_FAILURE if it gives too few or too many answers.
    """
    level, count = device.get_feature_level(), len(model.main.operations)
    places = [place for place in range(count) if level >= _SHAPES_LEVEL or _has_known_results(model, place)]
    if required_level(model) > level:
        places = [place for place in places if model_complies(step_of(model, 0, (place,)).model, level)]
    if not places:
        return (False,) * count
    asked = model if len(places) == count else step_of(model, 0, places).model
    answers = device.get_supported_operations(model_at(asked, level))
    if fault := find_miscount(answers, asked):
        raise failure(f"{device.name} gives {fault}", "driver/reply")
    supported = {place for place, answer in zip(places, answers, strict=True) if answer}
    return tuple([place in supported for place in range(count)])


def _has_known_results(model: Model, place: int) -> bool:
    """Return True if the model states the sizes of all outputs of an operation."""
    return all(has_known_size(model.main.operands[index]) for index in model.main.operations[place].outputs)


def refused_in_steps(
    devices: Sequence[Device], model: Model, steps: Sequence[SplitStep], *, is_lenient: bool
) -> Iterator[tuple[int, int]]:
    """Yield devices with operations that they take in the whole model, but not in their steps.

    A device that follows dimensions through a model knows less about a step if an operand that enters the step has
    unknown dimensions; the device is not asked about steps without such operands.

    :raises HalError: as :func:`ask`.
    """
    written = {index for step in steps for index in step.outputs}
    for step in steps:
        handed = [model.main.operands[index] for index in step.inputs if index in written]
        if step.device == INTERPRETER or all(map(has_known_size, handed)):
            continue
        (answers,) = ask([devices[step.device]], step.model, is_lenient=is_lenient).supported
        yield from ((step.device, place) for place, answer in zip(step.operations, answers, strict=True) if not answer)


Choice = Callable[[Model, int, Sequence[int], Sequence[float]], int]
"""Choose the device of one operation: (model, operation's index, devices that support it, their figures)."""


def by_figures(_model: Model, _place: int, takers: Sequence[int], figures: Sequence[float]) -> int:
    """Return the device with the smallest figure."""
    return takers[figures.index(min(figures))]


def the_first(_model: Model, _place: int, takers: Sequence[int], _figures: Sequence[float]) -> int:
    """Return the first device that supports the operation."""
    return takers[0]


@dataclass(frozen=True)
class DrawnDevices:
    """A pseudo-random device that depends on the seed, the operation's position and its type, and on nothing else."""

    seed: int

    def __call__(self, model: Model, place: int, takers: Sequence[int], _figures: Sequence[float]) -> int:
        """Return the device that is drawn for an operation."""
        text = f"{self.seed}/{place}/{int(model.main.operations[place].type)}"
        return takers[int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) % len(takers)]


@dataclass(frozen=True)
class GivenDevices:
    """A list of devices, repeated over the operations; figures decide where the listed device lacks the operation."""

    devices: tuple[int, ...]

    def __call__(self, model: Model, place: int, takers: Sequence[int], figures: Sequence[float]) -> int:
        """Return the listed device of an operation, or the best one that supports it."""
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
    """Return a device for each operation, and ``INTERPRETER`` for those that are ``interpreted``.

    :raises HalError: GENERAL_FAILURE if no device supports an operation.
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
    """Return the device's figure for an operation: power for LOW_POWER, execution time for any other preference.

    The type of the first input selects the figure. Control flow adds the figures of the operations inside; the two
    branches of an IF count half each.
    """
    is_power = preference == ExecutionPreference.LOW_POWER
    if operation.type in _CONTROL_FLOW:
        is_if = operation.type == OperationType.IF
        own = capabilities.if_performance if is_if else capabilities.while_performance
        positions, share = ((1, 2), _HALF) if is_if else ((0, 1), 1.0)
        inner = 0.0
        for position in positions:
            other = model.referenced[subgraph.operands[operation.inputs[position]].location.offset]
            inner += sum(figure_of(capabilities, preference, model, other, nested) for nested in other.operations)
        return _choose_figure(own, is_power=is_power) + share * inner
    first = subgraph.operands[operation.inputs[0]] if operation.inputs else None
    is_relaxed = model.relax_computation_float32_to_float16
    return _choose_figure(_find_performance(capabilities, first, is_relaxed=is_relaxed), is_power=is_power)


def _choose_figure(info: PerformanceInfo, *, is_power: bool) -> float:
    """Return the power or the execution time of a performance figure."""
    return info.power_usage if is_power else info.exec_time


def _find_performance(capabilities: Capabilities, first: Operand | None, *, is_relaxed: bool) -> PerformanceInfo:
    """Return the figures that a device states for the type of the first operand."""
    if first is None:
        return _SLOWEST
    if is_relaxed and first.type == OperandType.FLOAT32:
        return capabilities.relaxed_float32_to_float16_performance_scalar
    if is_relaxed and first.type == OperandType.TENSOR_FLOAT32:
        return capabilities.relaxed_float32_to_float16_performance_tensor
    listed = {int(entry.type): entry.info for entry in capabilities.operand_performance}
    return listed.get(first.type, _SLOWEST)


def has_known_size(operand: Operand) -> bool:
    """Return True if the model states how many elements an operand has."""
    return not is_tensor(operand.type) or fully_known(operand.dimensions)
