"""Makes the device of the kind ``split``: options of the selector, a device over devices.

It supports what one of its devices supports. A preparation cuts the model into steps, each of which one device
prepares. Nothing is cached, and there is no device memory: both belong to one device alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from nnvet.adapters.selector import SelectorError, create_device, known_kinds, parse_options, take_choice
from nnvet.adapters.split.assignment import (
    Choice,
    DrawnDevices,
    GivenDevices,
    MemberAnswers,
    ask,
    assign,
    by_figures,
    the_first,
)
from nnvet.adapters.split.faults import FAULTS, RIGHT, BorderFault
from nnvet.adapters.split.prepared import FALLBACKS, SplitPreparedModel, StepDevices
from nnvet.adapters.split.running import cut_model
from nnvet.adapters.split.steps import SplitStep, split_steps
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.enums import DeviceType, ErrorStatus
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import (
    Capabilities,
    Extension,
    Model,
    OperandPerformance,
    OperandType,
    PerformanceInfo,
    PrepareModelConfig,
)

_LATE: Final = (ErrorStatus.MISSED_DEADLINE_TRANSIENT, ErrorStatus.MISSED_DEADLINE_PERSISTENT)
_SYNTAX: Final = "split:[assign=…,fallback=…;]SELECTOR+SELECTOR"
_PREFIX_BITS: Final = 16
_RANDOM: Final = "random-"


@dataclass(frozen=True)
class SplitOptions:
    """Choice of devices, what becomes of failures, and a planted fault."""

    choose: Choice = by_figures
    fallback: str = FALLBACKS[0]
    fault: BorderFault = RIGHT


def create(arguments: str) -> SplitDevice:
    """Return the device of ``[OPTION=VALUE,…;]SELECTOR+SELECTOR…``.

    :raises SelectorError: for an option that makes no sense, or a part of which there is no device in this process.
    """
    head, has_options, rest = arguments.partition(";")
    selectors = parts_of(rest if has_options else arguments)
    options = parse_options("split", head if has_options else "")
    fallback = take_choice("split", options, "fallback", FALLBACKS)
    fault = take_choice("split", options, "fault", tuple(FAULTS))
    choose = choice_of(options.pop("assign", "capabilities"), len(selectors))
    if options:
        raise SelectorError(
            f"driver 'split:{arguments}': there is no option {', '.join(options)}; there are assign, fallback"
        )
    devices = [create_device(selector) for selector in selectors]
    return SplitDevice(devices, SplitOptions(choose, fallback, FAULTS[fault]))


def parts_of(text: str) -> list[str]:
    """Return the selectors that a text joins by ``+``; a plus that no kind follows belongs to a selector.

    :raises SelectorError: one is missing.
    """
    kinds = "|".join(map(re.escape, known_kinds()))
    parts = re.split(rf"\+(?=(?:{kinds})(?::|\+|$))", text)
    if not all(parts):
        raise SelectorError(f"driver 'split:{text}': a selector is missing; write {_SYNTAX}")
    return parts


def choice_of(text: str, devices: int) -> Choice:
    """Return the function that ``assign=TEXT`` names.

    :raises SelectorError: there is none, or it names a device that there is not.
    """
    if text == "capabilities":
        return by_figures
    if text == "first":
        return the_first
    if text.startswith(_RANDOM) and text.removeprefix(_RANDOM).isdecimal():
        return DrawnDevices(int(text.removeprefix(_RANDOM)))
    numbers = text.split(".")
    if all(number.isdecimal() and int(number) < devices for number in numbers):
        return GivenDevices(tuple(map(int, numbers)))
    raise SelectorError(
        f"driver 'split': assign is {text!r}; choose capabilities, first, random-SEED, "
        f"or devices from 0 to {devices - 1} for the operations, such as 0.0.{devices - 1}"
    )


class SplitDevice(BaseDevice):
    """A device over devices."""

    def __init__(self, devices: Sequence[Device], options: SplitOptions = SplitOptions()) -> None:
        """Take at least one device; operations that several support go to the one that ``options`` choose."""
        self.devices = tuple(devices)
        self.options = options
        self.capabilities_of = [device.get_capabilities() for device in devices]
        self.levels = [device.get_feature_level() for device in devices]
        self.name = "-".join(["split", *(device.name for device in devices)])
        self.version = " + ".join(f"{device.name} {device.get_version_string()}" for device in devices)
        self.feature_level = max(self.levels)
        kinds = {device.get_type() for device in devices}
        self.device_type = kinds.pop() if len(kinds) == 1 else DeviceType.OTHER
        self.capabilities = best_of(self.capabilities_of)
        listed = [device.get_supported_extensions() for device in devices]
        self._extensions = {extension.name: extension for some in listed for extension in some}

    def get_ready(self) -> None:
        """Have all devices do what takes long."""
        for device in self.devices:
            if isinstance(device, BaseDevice):
                device.get_ready()

    def get_supported_extensions(self) -> tuple[Extension, ...]:
        """Return the extensions of all devices."""
        return tuple(self._extensions.values())

    def plan(self, model: Model) -> SplitPlan:
        """Ask all devices.

        :raises HalError: one does not answer, and there is no fallback.
        """
        return SplitPlan(self, model, ask(self.devices, model, is_lenient=self.options.fallback != FALLBACKS[0]))

    def element_bytes(self, model: Model) -> dict[int, int]:
        """Sizes of elements of the extensions' types, by the codes that the model uses."""
        return {
            entry.prefix << _PREFIX_BITS | kind.type: kind.byte_size
            for entry in model.extension_name_to_prefix
            if entry.name in self._extensions
            for kind in self._extensions[entry.name].operand_types
        }


class SplitPlan:
    """The answers of all devices about one model."""

    def __init__(self, device: SplitDevice, model: Model, answers: MemberAnswers) -> None:
        """Keep what was answered; operations are assigned once it is known how the model is to be prepared."""
        self._device = device
        self._model = model
        self.answers = answers

    @property
    def supported(self) -> tuple[bool, ...]:
        """An operation is if one device supports it."""
        return tuple(map(any, zip(*self.answers.supported, strict=True)))

    def steps(self, preference: int) -> list[SplitStep]:
        """Return the steps of the model for a client of this preference.

        :raises HalError: no device supports some operation.
        """
        device = self._device
        choose = device.options.choose
        return split_steps(self._model, assign(self._model, self.answers, device.capabilities_of, preference, choose))

    def compile(self, config: PrepareModelConfig) -> PreparedModel:
        """Have every step prepared. What one device takes as a whole, and nobody else may try, is that device's own.

        :raises HalError: as a device fails, but for INVALID_ARGUMENT: the client's model was valid.
        """
        device = self._device
        own = replace(config, model_cache=(), data_cache=(), cache_token=PrepareModelConfig().cache_token)
        steps = self.steps(config.preference)
        everything = SplitStep(0, tuple(range(len(self.supported))), self._model, *_listed(self._model))
        workers = StepDevices(device.devices, self.answers, own)
        try:
            prepared = [workers.prepare(step, device.options.fallback) for step in steps]
        except HalError as error:
            if device.options.fallback == FALLBACKS[0] or error.status in _LATE:
                raise _reworded(error) from error
            try:
                prepared = [workers.prepare(everything, FALLBACKS[-1])]
            except HalError as second:
                raise _reworded(error) from second
            steps = [everything]
        if len(steps) == 1 and device.options.fallback == FALLBACKS[0]:
            number, model = prepared[0]
            if device.levels[number] == device.feature_level:
                return model
        cut = cut_model(
            self._model, steps, device.levels, device.element_bytes(self._model), stride=device.options.fault.stride
        )
        return SplitPreparedModel(cut, everything, prepared, workers, device.options.fallback, device.options.fault)


def _listed(model: Model) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return model.main.input_indexes, model.main.output_indexes


def _reworded(error: HalError) -> HalError:
    """Return the error of a step as one of the whole model."""
    if error.status is ErrorStatus.INVALID_ARGUMENT:
        return failure(f"a step is refused: {error.message}", error.rule)
    return error


def best_of(capabilities: Sequence[Capabilities]) -> Capabilities:
    """Return the smallest figures of several devices."""

    def best(infos: Sequence[PerformanceInfo]) -> PerformanceInfo:
        return PerformanceInfo(min(info.exec_time for info in infos), min(info.power_usage for info in infos))

    by_type: dict[OperandType, list[PerformanceInfo]] = {}
    for one in capabilities:
        for entry in one.operand_performance:
            by_type.setdefault(entry.type, []).append(entry.info)
    return Capabilities(
        best([one.relaxed_float32_to_float16_performance_scalar for one in capabilities]),
        best([one.relaxed_float32_to_float16_performance_tensor for one in capabilities]),
        tuple(OperandPerformance(kind, best(by_type[kind])) for kind in sorted(by_type)),
        best([one.if_performance for one in capabilities]),
        best([one.while_performance for one in capabilities]),
    )
