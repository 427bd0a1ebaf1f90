"""The driver under test, with its restarts."""

from __future__ import annotations

from typing import Protocol

from hal.interfaces import Device, PreparedModel
from hal.types import Model


class Subject(Protocol):
    """What a case runner needs of the driver under test."""

    @property
    def device(self) -> Device:
        """The driver's device."""

    @property
    def feature_level(self) -> int:
        """Level under which the driver is tested."""

    @property
    def timeout_s(self) -> float:
        """Seconds after which a silent driver hangs."""

    def prepare(self, model: Model) -> PreparedModel:
        """Prepare and wait; raises HalError as the driver answers."""
