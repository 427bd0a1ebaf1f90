"""The devices that a device over devices is made of, with what never changes about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.adapters.split.assignment import Choice, by_figures
from nnvet.adapters.split.caching import SplitCache
from nnvet.adapters.split.faults import RIGHT, BorderFault
from nnvet.adapters.split.prepared import FALLBACKS
from nnvet.adapters.split.tokens import SplitTokens
from nnvet.hal.conversion import capabilities_at
from nnvet.hal.interfaces import Device
from nnvet.hal.types import Model

_PREFIX_BITS: Final = 16


@dataclass(frozen=True)
class SplitOptions:
    """Choice of devices, what becomes of failures, and a planted fault.

    ``interprets``: control flow is interpreted even where a device takes all of it. ``is_lenient``: a device that does
    not say what it supports is not used, as with a fallback.
    """

    choose: Choice = by_figures
    fallback: str = FALLBACKS[0]
    fault: BorderFault = RIGHT
    interprets: bool = False
    is_lenient: bool = False


DEFAULT: Final = SplitOptions()
"""By capabilities, without a fallback."""


class SplitMembers:
    """Devices by number, their answers to queries, and what they save together."""

    def __init__(self, devices: Sequence[Device], options: SplitOptions) -> None:
        """Ask each of at least one device what does not depend on a model."""
        self.devices = tuple(devices)
        self.options = options
        self.levels = [device.get_feature_level() for device in devices]
        self.capabilities = [
            capabilities_at(device.get_capabilities(), level)
            for device, level in zip(devices, self.levels, strict=True)
        ]
        self.feature_level = max(self.levels)
        self.cache = SplitCache(devices)
        self.tokens = SplitTokens()
        listed = [device.get_supported_extensions() for device in devices]
        self.extensions = {extension.name: extension for some in listed for extension in some}

    def element_bytes(self, model: Model) -> dict[int, int]:
        """Sizes of elements of the extensions' types, by the codes that the model uses."""
        return {
            entry.prefix << _PREFIX_BITS | kind.type: kind.byte_size
            for entry in model.extension_name_to_prefix
            if entry.name in self.extensions
            for kind in self.extensions[entry.name].operand_types
        }
