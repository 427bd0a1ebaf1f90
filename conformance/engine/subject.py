"""The driver under test as cases see it."""

from __future__ import annotations

import socket
from contextlib import AbstractContextManager
from typing import Any, Protocol

from nnvet.conformance.engine.outcome import unsupported
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import Model, PrepareModelConfig


class Subject(Protocol):
    """The driver under test as cases need it.

    ``shared`` keeps what neighbouring cases share, such as a prepared model; it is emptied when the driver is
    started anew.
    """

    shared: dict[Any, Any]

    @property
    def device(self) -> Device:
        """The driver under test as it is now; another object after a restart."""

    @property
    def feature_level(self) -> int:
        """Level under which the driver is tested."""

    @property
    def timeout_s(self) -> float:
        """Seconds after which a silent driver hangs."""

    @property
    def in_process(self) -> bool:
        """True if the driver lives in the suite's process, where it can be neither killed nor restarted."""

    def prepare(self, model: Model, config: PrepareModelConfig | None = None) -> PreparedModel:
        """Prepare and wait; raises HalError as the driver answers."""

    @property
    def unintended(self) -> list[HalError]:
        """Errors of the case that are no decisions of the driver; what repeats an earlier answer adds its own."""

    @property
    def process_id(self) -> int | None:
        """Process that the driver lives in; None if that is the suite's own."""

    def another_client(self) -> AbstractContextManager[Device]:
        """The device as a second client of the same driver sees it.

        :raises CaseFailed: there can be only one client.
        """

    def connection_of_client(self) -> socket.socket:
        """A connection to the driver's service that nobody has spoken on yet.

        :raises CaseFailed: there can be only one client, or the driver is in no service.
        """

    def restart(self) -> None:
        """Start the driver anew; whatever was made before is dead."""


def require_level(subject: Subject, level: int, part: str) -> None:
    """The driver's level has a part of the contract.

    :raises CaseFailed: UNSUPPORTED if it lacks it.
    """
    if subject.feature_level < level:
        reason = f"feature level {level} brings {part}, the driver has {subject.feature_level}"
        raise unsupported(reason, "model/level")
