"""Makes the device of the kind ``split``: options of the selector, a device over devices.

It supports what one of its devices supports. A preparation cuts the model into steps, each of which one device
prepares. Device memory is made by the device that alone has all its roles.
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
_RANDOM: Final = "random-"
_MEMORY_LEVEL: Final = FeatureLevel.FL4
_NOBODY: Final = frozenset([-1])
CONTROLS: Final = ("whole", "parts")
"""Values of the option ``control``; the first is the default."""


def create(arguments: str) -> SplitDevice:
    """The device of ``[OPTION=VALUE,…;]SELECTOR+SELECTOR…``.

    :raises SelectorError: for an option that makes no sense, or a part of which there is no device in this process.
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
    """The selectors that a text joins by ``+``; a plus that no kind follows belongs to a selector.

    :raises SelectorError: one is missing.
    """
    kinds = "|".join(map(re.escape, known_kinds()))
    parts = re.split(rf"\+(?=(?:{kinds})(?::|\+|$))", text)
    if not all(parts):
        raise SelectorError(f"driver 'split:{text}': a selector is missing; write {_SYNTAX}")
    return parts


def choice_of(text: str, devices: int) -> assignment.Choice:
    """The function that ``assign=TEXT`` names.

    :raises SelectorError: there is none, or it names a device that there is not.
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
    """A device over devices."""

    def __init__(self, devices: Sequence[Device], options: SplitOptions = DEFAULT) -> None:
        """Take at least one device; operations that several support go to the one that ``options`` choose."""
        self.members = members = SplitMembers(devices, options)
        self.devices = members.devices
        self.name = "-".join(["split", *(device.name for device in devices)])
        self.version = " + ".join(f"{device.name} {device.get_version_string()}" for device in devices)
        self.feature_level = members.feature_level
        kinds = {device.get_type() for device in devices}
        self.device_type = kinds.pop() if len(kinds) == 1 else DeviceType.OTHER
        self.capabilities = best_of(members.capabilities)

    def get_ready(self) -> None:
        """Have all devices do what takes long."""
        for device in self.devices:
            if isinstance(device, BaseDevice):
                device.get_ready()

    def get_supported_extensions(self) -> tuple[hal.Extension, ...]:
        """The extensions of all devices."""
        return tuple(self.members.extensions.values())

    def get_number_of_cache_files_needed(self) -> hal.NumberOfCacheFiles:
        """One, for what all steps have saved; none if no device caches anything."""
        return self.members.cache.files_needed

    def compile_from_cache(
        self, model_cache: Sequence[hal.MappableFile], data_cache: Sequence[hal.MappableFile], token: bytes
    ) -> PreparedModel:
        """Prepare the steps that were saved.

        :raises HalError: nothing was saved under this token, or the file is not what was saved; as a device fails.
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
        """Have the one device allocate whose steps have all roles.

        :raises HalError: GENERAL_FAILURE if there is none, and as that device fails.
        """
        split = [model for model in prepared_models if isinstance(model, SplitPreparedModel)]
        if len(split) < len(prepared_models) or not split:
            return super().allocate(desc, prepared_models, input_roles, output_roles)
        check_allocation(desc, split, input_roles, output_roles, _model_of)
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
        """Ask all devices.

        :raises HalError: one does not answer, and there is no fallback.
        """
        return plan_of(self.members, model)


def _model_of(prepared: PreparedModel) -> hal.Model | None:
    return prepared.model if isinstance(prepared, SplitPreparedModel) else None


def best_of(capabilities: Sequence[hal.Capabilities]) -> hal.Capabilities:
    """The smallest figures of several devices."""

    def best(infos: Sequence[hal.PerformanceInfo]) -> hal.PerformanceInfo:
        return hal.PerformanceInfo(min(info.exec_time for info in infos), min(info.power_usage for info in infos))

    by_type: dict[hal.OperandType, list[hal.PerformanceInfo]] = {}
    for one in capabilities:
        for entry in one.operand_performance:
            by_type.setdefault(entry.type, []).append(entry.info)
    return hal.Capabilities(
        best([one.relaxed_float32_to_float16_performance_scalar for one in capabilities]),
        best([one.relaxed_float32_to_float16_performance_tensor for one in capabilities]),
        tuple(hal.OperandPerformance(kind, best(by_type[kind])) for kind in sorted(by_type)),
        best([one.if_performance for one in capabilities]),
        best([one.while_performance for one in capabilities]),
    )
