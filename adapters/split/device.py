"""The device of the kind ``split``: the selector's options, and one device over several devices.

The table of selectors names :func:`create`, which the service process calls; exported libraries
(:mod:`nnvet.adapters.nnapi.exported.finishing`) make a :class:`SplitDevice` themselves. This device supports an
operation if one of its devices does. A preparation cuts the model into steps, and one device prepares each step. A
device whose steps have all the roles of a piece of device memory allocates it. :mod:`nnvet.adapters.split.plan` does
the cutting, :mod:`nnvet.adapters.split.prepared` the execution.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from nnvet.adapters.selector import SelectorError, create_device, known_kinds, parse_options, take_choice
from nnvet.adapters.split import assignment
from nnvet.adapters.split.faults import FAULTS
from nnvet.adapters.split.plan import DEFAULT, SplitMembers, SplitOptions, SplitPlan, plan_of, saved_plan
from nnvet.adapters.split.prepared import FALLBACKS, SplitPreparedModel
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal import types as hal
from nnvet.hal.enums import DeviceType, FeatureLevel
from nnvet.hal.errors import failure
from nnvet.hal.interfaces import Buffer, Device, PreparedModel
from nnvet.hal.validation.request import check_allocation

_SYNTAX: Final = "split:[assign=…,fallback=…,control=…;]SELECTOR+SELECTOR"
"""The form of the selector, for error messages."""
_RANDOM: Final = "random-"
"""Beginning of a value of the option ``assign``; the seed follows."""
_MEMORY_LEVEL: Final = FeatureLevel.FL4
"""First level that has device memory."""
_NOBODY: Final = frozenset([-1])
"""Stands for "no device" where no step uses the tensor of a role; the allocation then fails."""
CONTROLS: Final = ("whole", "parts")
"""Values of the option ``control``; the first is the default."""


def create(arguments: str) -> SplitDevice:
    """Return the device of ``[OPTION=VALUE,…;]SELECTOR+SELECTOR…``.

    :raises SelectorError: an option has an unknown name or value, or a part is not a driver that runs in this process.
    """
    head, has_options, rest = arguments.partition(";")
    selectors = parts_of(rest if has_options else arguments)
    options = parse_options("split", head if has_options else "")
    fallback = take_choice("split", options, "fallback", FALLBACKS)
    control = take_choice("split", options, "control", CONTROLS)
    fault = take_choice("split", options, "fault", tuple(FAULTS))
    choose = choice_of(options.pop("assign", "capabilities"), len(selectors))
    if options:
        raise SelectorError(
            f"driver 'split:{arguments}': there is no option {', '.join(options)}; there are assign, fallback, control"
        )
    devices = [create_device(selector) for selector in selectors]
    return SplitDevice(devices, SplitOptions(choose, fallback, FAULTS[fault], control == CONTROLS[1]))


def parts_of(text: str) -> list[str]:
    """Split a text at each ``+`` that a known kind follows; any other plus belongs to a selector.

    :raises SelectorError: a selector is missing.
    """
    kinds = "|".join(map(re.escape, known_kinds()))
    parts = re.split(rf"\+(?=(?:{kinds})(?::|\+|$))", text)
    if not all(parts):
        raise SelectorError(f"driver 'split:{text}': a selector is missing; write {_SYNTAX}")
    return parts


def choice_of(text: str, devices: int) -> assignment.Choice:
    """Return the function that ``assign=TEXT`` names.

    :raises SelectorError: no function has this name, or the text lists a device that does not exist.
    """
    if text == "capabilities":
        return assignment.by_figures
    if text == "first":
        return assignment.the_first
    if text.startswith(_RANDOM) and text.removeprefix(_RANDOM).isdecimal():
        return assignment.DrawnDevices(int(text.removeprefix(_RANDOM)))
    numbers = text.split(".")
    if all(number.isdecimal() and int(number) < devices for number in numbers):
        return assignment.GivenDevices(tuple(map(int, numbers)))
    raise SelectorError(
        f"driver 'split': assign is {text!r}; choose capabilities, first, random-SEED, "
        f"or devices from 0 to {devices - 1} for the operations, such as 0.0.{devices - 1}"
    )


class SplitDevice(BaseDevice):
    """One device whose work is done by several devices."""

    def __init__(self, devices: Sequence[Device], options: SplitOptions = DEFAULT) -> None:
        """Take at least one device. ``options`` choose among devices that support the same operation."""
        self.members = members = SplitMembers(devices, options)
        self.devices = members.devices
        self.name = "-".join(["split", *(device.name for device in devices)])
        self.version = " + ".join(f"{device.name} {device.get_version_string()}" for device in devices)
        self.feature_level = members.feature_level
        kinds = {device.get_type() for device in devices}
        self.device_type = kinds.pop() if len(kinds) == 1 else DeviceType.OTHER
        self.capabilities = best_of(members.capabilities)

    def get_ready(self) -> None:
        """Let all devices do their slow preparations."""
        for device in self.devices:
            if isinstance(device, BaseDevice):
                device.get_ready()

    def get_supported_extensions(self) -> tuple[hal.Extension, ...]:
        """Return the extensions of all devices."""
        return tuple(self.members.extensions.values())

    def resolve(self, model: hal.Model) -> hal.Model:
        """Return the model as it is, since each device looks up the codes of its own extensions."""
        return model

    def get_number_of_cache_files_needed(self) -> hal.NumberOfCacheFiles:
        """Return one model cache file, which holds what all steps have saved; none if no device caches."""
        return self.members.cache.files_needed

    def compile_from_cache(
        self, model_cache: Sequence[hal.MappableFile], data_cache: Sequence[hal.MappableFile], token: bytes
    ) -> PreparedModel:
        """Prepare the steps that were saved.

        :raises HalError: nothing was saved under this token, the file was changed, or a device fails.
        """
        saved = self.members.cache.load(model_cache, data_cache, token)
        plans = {plan.source: plan for plan in saved.plans}
        return saved_plan(self.members, saved.model, plans).restore(saved, token)

    def allocate(
        self,
        desc: hal.BufferDesc,
        prepared_models: Sequence[PreparedModel],
        input_roles: Sequence[hal.BufferRole],
        output_roles: Sequence[hal.BufferRole],
    ) -> tuple[Buffer, int]:
        """Let the device allocate whose models or steps have all the roles.

        :raises HalError: GENERAL_FAILURE if there is no such device; otherwise as the device fails.
        """
        split = [model for model in prepared_models if isinstance(model, SplitPreparedModel)]
        only = self.members.whole.only_device(prepared_models)
        if not split and only is not None:
            return self.devices[only].allocate(desc, prepared_models, input_roles, output_roles)
        check_allocation(desc, prepared_models, input_roles, output_roles, self._find_model)
        if len(split) < len(prepared_models):
            # A whole model is called with the token of its device, a divided one with that of this driver.
            raise failure("the memory is for models of several devices, or only some are divided", "allocate/supported")
        models: list[PreparedModel] = []
        sides: dict[bool, list[hal.BufferRole]] = {True: [], False: []}
        devices: set[int] = set()
        for roles, is_input in ((input_roles, True), (output_roles, False)):
            for role in roles:
                uses = split[role.model_index].uses(role.io_index, is_input=is_input)
                devices.update([use.device for use in uses] or _NOBODY)
                for use in uses:
                    if use.prepared not in models:
                        models.append(use.prepared)
                    sides[use.is_input].append(hal.BufferRole(models.index(use.prepared), use.place, role.probability))
        if len(devices) != 1 or devices & _NOBODY or self.members.levels[min(devices)] < _MEMORY_LEVEL:
            raise failure("no device has all the roles and memory of its own", "allocate/supported")
        (device,) = devices
        buffer, token = self.devices[device].allocate(desc, models, tuple(sides[True]), tuple(sides[False]))
        return buffer, self.members.tokens.add(device, token, buffer)

    def plan(self, model: hal.Model) -> SplitPlan:
        """Ask all devices about a model, and return a plan.

        :raises HalError: a device does not answer, and there is no fallback.
        """
        return plan_of(self.members, model)

    def _find_model(self, prepared: PreparedModel) -> hal.Model | None:
        return prepared.model if isinstance(prepared, SplitPreparedModel) else self.members.whole.model_of(prepared)


def best_of(capabilities: Sequence[hal.Capabilities]) -> hal.Capabilities:
    """Return the smallest figure of several devices for each type."""

    def best(infos: Sequence[hal.PerformanceInfo]) -> hal.PerformanceInfo:
        return hal.PerformanceInfo(min(info.exec_time for info in infos), min(info.power_usage for info in infos))

    by_type: dict[hal.OperandType, list[hal.PerformanceInfo]] = {}
    for figures in capabilities:
        for entry in figures.operand_performance:
            by_type.setdefault(entry.type, []).append(entry.info)
    return hal.Capabilities(
        best([figures.relaxed_float32_to_float16_performance_scalar for figures in capabilities]),
        best([figures.relaxed_float32_to_float16_performance_tensor for figures in capabilities]),
        tuple(hal.OperandPerformance(kind, best(by_type[kind])) for kind in sorted(by_type)),
        best([figures.if_performance for figures in capabilities]),
        best([figures.while_performance for figures in capabilities]),
    )
