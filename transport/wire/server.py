"""The service's end of a session: one thread for each connection, a table of the client's objects."""

from __future__ import annotations

import itertools
import logging
import os
import socket
import threading
from collections import deque
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from nnvet.diagnostics.exceptions import raised, traceback_of
from nnvet.diagnostics.tracing import span
from nnvet.hal.calling import Client, cause_of_failure, serve
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError, failure, invalid
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.memory import Handle, OwnedHandle
from nnvet.transport.burst.context import serve_burst
from nnvet.transport.burst.interfaces import BurstContext
from nnvet.transport.burst.polling import polling_window_s
from nnvet.transport.message_queue import QueueDescriptor
from nnvet.transport.wire.codec import Codec
from nnvet.transport.wire.framing import Channel, WireError
from nnvet.transport.wire.messages import PROTOCOL, VERSION, Call, Hello, Welcome
from nnvet.transport.wire.methods import CALLBACKS, DEVICE_ID, METHODS, OBJECTS, SERVICE_ID, Method, methods_of
from nnvet.transport.wire.tracing import DRIVER_BUCKETS

IMPLEMENTATION: Final = "nnvet (Python)"
_log = logging.getLogger("nnvet.service")
_MALFORMED = (WireError, msgspec.DecodeError)
_ATTRIBUTES = frozenset(method.attribute for interface in OBJECTS for method in methods_of(interface))

Answer = tuple[int, str, str, object]
"""Status, message, rule, result: a :class:`nnvet.transport.wire.messages.Reply` but for its number."""


class ServiceSession:
    """One client. Nothing that it does reaches the objects of another."""

    def __init__(self, device: Device | HalError, connection: socket.socket, client: str = "client") -> None:
        """Serve ``device`` on a connected socket, or refuse with an error. ``client`` names it in the log."""
        self._device = device
        self._client = Client(client)
        self._primary = Channel(connection)
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._codec = self._new_codec()
        self._ids = itertools.count(DEVICE_ID + 1)
        self._objects: dict[int, object] = {SERVICE_ID: self, DEVICE_ID: device}
        self._exported: set[type] = set()
        self._lanes: set[Channel] = set()
        self._ended = False
        self._released: deque[int] = deque()

    def run(self) -> None:
        """Serve until the client goes or misbehaves; then all its objects are released."""
        serve(self._client)
        codec = self._new_codec()
        try:
            if self._shake_hands(codec):
                while True:
                    self._answer(codec, *self._primary.receive())
        except (EOFError, OSError):
            _log.debug("%s has gone", self._client.name)
        except _MALFORMED as error:
            _log.error("%s sent a malformed frame (%s); its connection is closed", self._client.name, error)
        self.end()
        with self._sending:
            self._primary.close()

    def end(self) -> None:
        """Release everything and wake all threads of the session."""
        with self._lock:
            self._ended = True
            lanes = list(self._lanes)
        self._client.leave()
        self._objects.clear()
        for channel in (self._primary, *lanes):
            channel.shutdown()

    def open_lane(self, lane: Handle) -> None:
        """See :class:`nnvet.transport.wire.methods.Service`."""
        connection = socket.socket(fileno=os.dup(lane.fd))
        channel = Channel(connection)
        with self._lock:
            if self._ended:
                connection.close()
                return
            self._lanes.add(channel)
        threading.Thread(target=self._serve_lane, args=(channel,), name="nnvet-lane", daemon=True).start()

    def settle(self, callback: CallbackStub) -> None:
        """See :class:`nnvet.transport.wire.methods.Service`."""
        callback.notify(ErrorStatus.NONE)

    def open_client(self, primary: Handle) -> None:
        """See :class:`nnvet.transport.wire.methods.Service`."""
        own = OwnedHandle(os.dup(primary.fd)) if primary.fd >= 0 else primary
        try:
            connection = socket.socket(fileno=own.fd)
        except (OSError, ValueError) as error:
            raise invalid(f"the primary of a client is a socket: {error}", "wire/arguments") from error
        own.fd = -1
        session = ServiceSession(self._device, connection, f"{self._client.name}'s companion")
        threading.Thread(target=session.run, name="nnvet-client", daemon=True).start()

    def open_burst(
        self,
        prepared_model: PreparedModel | None,
        callback: CallbackStub | None,
        requests: QueueDescriptor,
        results: QueueDescriptor,
    ) -> BurstContext:
        """See :class:`nnvet.transport.wire.methods.Service`."""
        return serve_burst(prepared_model, callback, requests, results, polling_window_s())

    def notify(self, identifier: int, method: Method, arguments: tuple[Any, ...]) -> None:
        """Send a notification; a client that has gone is not told."""
        with self._sending:
            released = [self._released.popleft() for _ in range(len(self._released))]
            try:
                message = self._codec.encode((identifier, method.name, released, arguments, *_words()))
            except Exception:  # noqa: BLE001 - whatever a driver notifies
                _log.exception("%s: a notification cannot be sent", method.name)
                substitute = (ErrorStatus.GENERAL_FAILURE, *CALLBACKS[method.interface])
                message = self._codec.encode((identifier, method.name, released, substitute))
            try:
                self._primary.send(*message)
            except OSError as error:
                _log.debug("%s is not told of %s: %s", self._client.name, method.name, error)

    def release(self, identifier: int) -> None:
        """Tell the client with the next notification that its callback is not used any more; takes no lock."""
        self._released.append(identifier)

    def _shake_hands(self, codec: Codec) -> bool:
        payload, _ = self._primary.receive()
        hello = codec.decode(payload, Hello)
        answer: Answer = (0, "", "", Welcome(VERSION, IMPLEMENTATION))
        if hello.protocol != PROTOCOL or VERSION not in hello.versions:
            message = f"this service speaks {PROTOCOL} {VERSION}, the client {hello.protocol} {hello.versions}"
            answer = _failure(invalid(message, "wire/version"))
        elif isinstance(self._device, HalError):
            answer = _failure(self._device)
        self._primary.send(*codec.encode(answer))
        return answer[0] == ErrorStatus.NONE

    def _serve_lane(self, channel: Channel) -> None:
        serve(self._client)
        codec = self._new_codec()
        try:
            while True:
                self._serve_call(channel, codec)
        except (EOFError, OSError):
            # The client has closed the lane, perhaps because it would not wait any longer.
            pass
        except _MALFORMED as error:
            _log.error("%s sent a malformed frame (%s); its connection is closed", self._client.name, error)
            self.end()
        with self._lock:
            self._lanes.discard(channel)
        channel.close()

    def _serve_call(self, channel: Channel, codec: Codec) -> None:
        # A function of its own, so that no variable keeps a call's arguments until the next call.
        answer, number = self._answer(codec, *channel.receive())
        try:
            message = codec.encode((*answer, number))
        except Exception as error:  # noqa: BLE001 - whatever a driver has put into its answer
            substitute = _failure(failure(f"the answer cannot be sent: {error}", "driver/reply"))
            message = codec.encode((*substitute, number))
        channel.send(*message)

    def _answer(self, codec: Codec, payload: bytes, handles: Sequence[Handle]) -> tuple[Answer, int]:
        """The answer to a message, and the number of the call that it is."""
        call = codec.decode(payload, Call)
        return self._act(codec, call, handles), call.number

    def _act(self, codec: Codec, call: Call, handles: Sequence[Handle]) -> Answer:
        for identifier in call.released:
            if identifier > DEVICE_ID:
                self._objects.pop(identifier, None)
        try:
            method = METHODS.get(call.method)
            if method is None or method.interface in CALLBACKS:
                raise invalid(f"there is no method {call.method!r}", "wire/method")
            target = self._object(call.target)
            arguments = codec.decode(call.arguments, method.arguments, handles)
        except msgspec.DecodeError as error:
            return _failure(invalid(f"{call.method}: {error}", "wire/arguments"))
        except HalError as error:
            return _failure(error)
        return _invoke(target, method, arguments)

    def _object(self, identifier: int) -> object:
        try:
            return self._objects[identifier]
        except KeyError:
            raise invalid(f"there is no object {identifier}", "wire/object") from None

    def _new_codec(self) -> Codec:
        return Codec(self._export, self._resolve)

    def _export(self, value: object) -> int:
        if type(value) not in self._exported and not any(hasattr(value, attribute) for attribute in _ATTRIBUTES):
            raise TypeError(f"{type(value).__name__} is not a type of the contract")
        self._exported.add(type(value))
        identifier = next(self._ids)
        self._objects[identifier] = value
        return identifier

    def _resolve(self, interface: Any, identifier: int) -> object:
        if interface in CALLBACKS:
            return CallbackStub(self, identifier, methods_of(interface)[0])
        return self._object(identifier)


class CallbackStub:
    """A client's callback as the driver sees it."""

    def __init__(self, session: ServiceSession, identifier: int, method: Method) -> None:
        """Notify ``method`` of the client's callback ``identifier``."""
        self._session = session
        self._id = identifier
        self._method = method

    def notify(self, *arguments: Any, **named: Any) -> None:
        """Send the notification on; returns before the client has seen it."""
        self._session.notify(self._id, self._method, self._method.positional(arguments, named))

    def __del__(self) -> None:
        """The driver has forgotten the callback; must not lock, since it runs at any point."""
        self._session.release(self._id)


def _invoke(target: object, method: Method, arguments: tuple[Any, ...]) -> Answer:
    try:
        member = getattr(target, method.attribute)
        with span(DRIVER_BUCKETS[method.name], method.name):
            return 0, "", "", member if method.is_property else member(*arguments)
    except HalError as error:
        return _failure(error)
    except BaseException as error:  # noqa: BLE001 - not even SystemExit may end the service
        _log.error("%s raised:\n%s", method.name, traceback_of(error))
        return _failure(failure(f"{method.name} {raised(error)}", "driver/exception"))


def _words() -> tuple[int, str, str] | tuple[()]:
    """What follows the arguments of a notification: no number, and the message and rule of a failure."""
    cause = cause_of_failure()
    return () if cause is None else (0, str(cause.message), str(cause.rule))


def _failure(error: HalError) -> Answer:
    known = isinstance(error.status, ErrorStatus) and error.status is not ErrorStatus.NONE
    status = error.status if known else ErrorStatus.GENERAL_FAILURE
    return int(status), str(error.message), str(error.rule), None
