"""The messages of a session. Each is an array on the wire; see docs/protocol.md."""

from typing import Final

import msgspec

from nnvet.hal.errors import HalError
from nnvet.hal.types import ErrorStatus
from nnvet.transport.wire.texts import one_line

CLIENT_STARTS_S: Final = 120.0
"""Time limit from a connection, which may be made before the client's process starts, to the client's Hello."""

PROTOCOL: Final = "nnvet-wire"
VERSIONS: Final = (3, 2)
"""Those that are spoken, the best first; a new one comes with every change that an older peer would misread."""

NOTIFICATIONS_WITH_REPLIES: Final = 3
"""The first version in which a reply may carry notifications."""


FAREWELL: Final = "Session.end"
"""Method of the last message of a service that ends a session by itself: a Call of target 0, with the reason."""


class Hello(msgspec.Struct, array_like=True, frozen=True):
    """First message of a client: the versions that it speaks."""

    protocol: str = PROTOCOL
    versions: tuple[int, ...] = VERSIONS


class Welcome(msgspec.Struct, array_like=True, frozen=True):
    """Result of the reply to :class:`Hello`: the version from here on, and who answers (for people)."""

    version: int
    implementation: str


class CallMessage(msgspec.Struct, array_like=True, frozen=True):
    """Call of a method of one of the receiver's objects.

    ``released`` are ids of the receiver's objects that the sender will not use any more. ``number`` is for the reply to
    name; calls that are not answered need none. A notification of a failure may say why: ``message`` and ``rule``.
    """

    target: int
    method: str
    released: tuple[int, ...]
    arguments: msgspec.Raw
    number: int = 0
    message: str = ""
    rule: str = ""


class Reply(msgspec.Struct, array_like=True, frozen=True):
    """Answer to a call or to :class:`Hello`; ``status`` 0 comes with a result, any other with the reason.

    ``number`` is that of the call, ``notifications`` are those that the thread which served it has made meanwhile (from
    version 3 on). Both come last, so that versions can refuse each other in words that both know.
    """

    status: int
    message: str
    rule: str
    result: msgspec.Raw
    number: int = 0
    notifications: tuple[CallMessage, ...] = ()

    def error(self) -> HalError:
        """The exception that the reply stands for; an unknown status counts as GENERAL_FAILURE."""
        if self.status in ErrorStatus.__members__.values():
            return HalError(ErrorStatus(self.status), one_line(self.message), one_line(self.rule))
        message = f"unknown status {self.status}: {one_line(self.message)}"
        return HalError(ErrorStatus.GENERAL_FAILURE, message, "driver/reply")
