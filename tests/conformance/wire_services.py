"""Services that break the protocol in one way each, as programs: ``python wire_services.py BUG``."""

from __future__ import annotations

import os
import socket
import sys
from typing import Any, Final

from nnvet.hal.errors import invalid
from nnvet.reference_driver import create
from nnvet.transport.wire import framing, server
from nnvet.transport.wire.codec import CallMessage, Welcome
from nnvet.transport.wire.methods import DEVICE_ID


class _Lenient(int):
    """A number that equals every other."""

    def __eq__(self, _: object) -> bool:
        return True

    def __ne__(self, _: object) -> bool:
        return False

    __hash__ = int.__hash__


class _LenientHeader:
    """A header with one field that equals every expected value."""

    size = framing.HEADER.size
    pack = framing.HEADER.pack

    def __init__(self, lenient: int) -> None:
        self._lenient = lenient

    def unpack_from(self, data: bytes) -> tuple[int, ...]:
        fields = framing.struct.Struct("<IHH").unpack_from(data)
        return tuple(_Lenient(field) if place == self._lenient else field for place, field in enumerate(fields))


class _Answers(server.ServiceSession):
    """Answers calls that it should refuse with a rule as if there were nothing wrong with them."""

    rule = ""

    def _act(self, codec: Any, call: CallMessage, handles: Any) -> server.Answer:
        answer = super()._act(codec, call, handles)
        return (0, "", "", None) if answer[2] == self.rule else answer


class _Method(_Answers):
    rule = "wire/method"


class _Object(_Answers):
    rule = "wire/object"


class _Arguments(_Answers):
    rule = "wire/arguments"


class _Releases(server.ServiceSession):
    """Obeys a request to release the device."""

    def _act(self, codec: Any, call: CallMessage, handles: Any) -> server.Answer:
        if DEVICE_ID in call.released:
            self._objects.pop(DEVICE_ID, None)
        return super()._act(codec, call, handles)


class _Fields(server.ServiceSession):
    """Refuses structures with fields that it does not know."""

    def _act(self, codec: Any, call: CallMessage, handles: Any) -> server.Answer:
        if b"of_later_versions" in bytes(call.arguments):
            return (4, "an unknown field", "wire/arguments", None)
        return super()._act(codec, call, handles)


class _Later(server.ServiceSession):
    """Welcomes by the first version that the client names."""

    def _shake_hands(self, codec: Any) -> bool:
        hello = codec.decode(self._primary.receive()[0], server.Hello)
        self._notifies_with_replies = False
        versions = hello.versions or (0,)
        self._primary.send(*codec.encode((0, "", "", Welcome(versions[0], "later"))))
        return True


class _Protocol(server.ServiceSession):
    """Does not look at the name of the protocol."""

    def _shake_hands(self, codec: Any) -> bool:
        kept, server.PROTOCOL = server.PROTOCOL, _AnyText()  # type: ignore[misc]
        try:
            return super()._shake_hands(codec)
        finally:
            server.PROTOCOL = kept  # type: ignore[misc]


class _AnyText(str):
    """A text that equals every other."""

    __slots__ = ()

    def __ne__(self, _: object) -> bool:
        return False

    __hash__ = str.__hash__


class _GoesOn(server.ServiceSession):
    """Goes on with a client that has sent something malformed."""

    def expel(self, reason: str) -> None:
        del reason


SERVICES: Final[dict[str, type[server.ServiceSession]]] = {
    "right": server.ServiceSession,
    "later": _Later,
    "protocol": _Protocol,
    "goes_on": _GoesOn,
    "method": _Method,
    "object": _Object,
    "arguments": _Arguments,
    "releases": _Releases,
    "fields": _Fields,
}
HEADERS: Final = {"descriptors": 1, "magic": 2}
"""Bugs of the header, with the field that is not looked at."""


def main(bug: str) -> None:
    """Serve the bundled driver on the inherited connection.

    :raises HalError: there is no such bug.
    """
    if bug in HEADERS:
        framing.HEADER = _LenientHeader(HEADERS[bug])  # type: ignore[assignment, misc]
    elif bug not in SERVICES:
        raise invalid(f"no bug {bug}")
    server.ServiceSession = SERVICES.get(bug, server.ServiceSession)  # type: ignore[misc]
    connection = socket.socket(fileno=int(os.environ["NNVET_SOCKET_FD"]))
    server.ServiceSession(create(""), connection).run()


if __name__ == "__main__":
    main(sys.argv[1])
