"""The service's end of a session: a thread for each of its connections (lanes), and a table of the client's objects.

The other end is :mod:`nnvet.transport.wire.client`; :mod:`nnvet.adapters.service` starts the process. Some limits are
shared by all sessions of a service, so that no client can lock the others out.
"""

from __future__ import annotations

import contextvars
import errno
import itertools
import logging
import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from nnvet.diagnostics.exceptions import raised, traceback_of
from nnvet.diagnostics.tracing import span
from nnvet.hal.calling import Client, cause_of_failure, serve
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError, failure, invalid
from nnvet.hal.interfaces import Device, Execution, PreparedModel
from nnvet.hal.types import Handle, OwnedHandle
from nnvet.transport.burst.context import serve_burst, serve_execution
from nnvet.transport.burst.packets import BurstContext
from nnvet.transport.burst.polling import polling_window_s
from nnvet.transport.message_queue import QueueDescriptor
from nnvet.transport.wire import methods
from nnvet.transport.wire.codec import (
    CLIENT_STARTS_S,
    FAREWELL,
    NOTIFICATIONS_WITH_REPLIES,
    PROTOCOL,
    VERSIONS,
    CallMessage,
    Codec,
    Hello,
    Welcome,
)
from nnvet.transport.wire.framing import MAX_ANSWER, Channel, WireError
from nnvet.transport.wire.texts import one_line


@dataclass(frozen=True)
class ServiceLimits:
    """Limits of a service: clients at once, lanes of each, and bytes of long messages that it works on."""

    clients: int = 64
    lanes: int = 128
    bytes_at_work: int = 2 << 30


class Load:
    """The part of its limits that a service is using."""

    def __init__(self, limits: ServiceLimits = ServiceLimits()) -> None:
        """Begin with nothing in use; a service has one object, shared by its sessions."""
        self.limits = limits
        self._lock = threading.Lock()
        self._clients = 0
        self._bytes = 0

    def enter(self) -> None:
        """Count one more client, until :meth:`leave`.

        :raises HalError: there are too many.
        """
        with self._lock:
            if self._clients >= self.limits.clients:
                raise exhausted(f"this service has {self._clients} clients, which is all that it takes at once")
            self._clients += 1

    def leave(self) -> None:
        """Count one client less; call this once for each :meth:`enter`."""
        with self._lock:
            self._clients -= 1

    def take(self, size: int) -> None:
        """Count ``size`` more bytes of messages, until :meth:`give_back`.

        :raises WireError: they are too many.
        """
        with self._lock:
            if self._bytes + size > self.limits.bytes_at_work:
                raise WireError(f"this service works on messages of at most {self.limits.bytes_at_work} bytes at once")
            self._bytes += size

    def give_back(self, size: int) -> None:
        """Count ``size`` bytes of messages less, because they have been processed."""
        with self._lock:
            self._bytes -= size


def exhausted(message: str) -> HalError:
    """Return the refusal of a service that has reached one of its limits; a later attempt may succeed."""
    return HalError(ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, message, "wire/limits")


IMPLEMENTATION: Final = "nnvet (Python)"
_WITH_REPLY: Final = 1 << 16
"""Most bytes of notifications that a reply may carry; further notifications are sent at once."""
_PATIENCE_S: Final = 30.0
"""Time within which a client has to read a message."""
_BEGINNING_S: Final = 2 * CLIENT_STARTS_S
"""Time within which a client has to begin its session. A parent that waits for a client's process gives up earlier."""

_PAUSE_S: Final = 0.005
"""Pause between two looks whether the threads of an ended session have finished."""
_NOT_A_CONNECTION: Final = (errno.EBADF, errno.ENOTSOCK)
"""Errors of a descriptor that other code in the process has closed, and perhaps opened again."""

_VERSIONS_NAMED: Final = 10
"""Most versions of a client that a refusal names."""
_log = logging.getLogger("nnvet.service")
_MALFORMED = (WireError, msgspec.DecodeError)
_ATTRIBUTES = frozenset(method.attribute for interface in methods.OBJECTS for method in methods.methods_of(interface))

Answer = tuple[int, str, str, object]
"""Status, message, rule and result: a :class:`nnvet.transport.wire.codec.Reply` without its number."""


class ServiceSession:
    """The session of one client, which cannot reach the objects of other clients."""

    def __init__(
        self, device: Device | HalError, connection: socket.socket, client: str = "client", load: Load | None = None
    ) -> None:
        """Serve ``device`` on a connected socket, or refuse with an error. ``client`` is the client's name in the log.

        ``load`` is shared by all sessions of the service.
        """
        self._load = load or Load()
        self._device = device
        self._client = Client(client)
        self._primary = Channel(connection, memory=self._load)
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._codec = self._new_codec()
        self._ids = itertools.count(methods.DEVICE_ID + 1)
        self._objects: dict[int, tuple[Any, object]] = {
            methods.SERVICE_ID: (methods.Service, self),
            methods.DEVICE_ID: (Device, device),
        }
        self._exported: set[type] = set()
        self._lanes: set[Channel] = set()
        self._ended = False
        self._released: deque[int] = deque()
        self._threads = threading.local()
        self._notifies_with_replies = False

    def run(self) -> None:
        """Serve until the client goes or misbehaves; then all its objects are released."""
        # In a context of its own: the thread may serve somebody else afterwards.
        contextvars.copy_context().run(self._run)

    def _run(self) -> None:
        serve(self._client)
        try:
            self._load.enter()
        except HalError as refusal:
            self._device = refusal
            self._serve(self._primary, self._serve_primary)
        else:
            self._serve(self._primary, self._serve_primary)
            self._load.leave()
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

    def is_quiet_within(self, limit_s: float) -> bool:
        """Wait after the end of the session until no thread serves a lane; return False if that takes too long."""
        end = time.monotonic() + limit_s
        while self._lanes and time.monotonic() < end:
            time.sleep(_PAUSE_S)
        return not self._lanes

    def open_lane(self, lane: Handle) -> None:
        """See :class:`nnvet.transport.wire.methods.Service`."""
        channel = Channel(_connection(lane), memory=self._load)
        with self._lock:
            is_refused = self._ended or len(self._lanes) >= self._load.limits.lanes
            if not is_refused:
                self._lanes.add(channel)
        if is_refused:
            channel.close()
            self.expel(f"has {self._load.limits.lanes} lanes, which is all that a client may have")
            return
        thread = threading.Thread(target=self._serve_lane, args=(channel,), name="nnvet-lane", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            self._close_lane(channel)
            self.expel(f"asked for a lane for which there is no thread ({error})")

    def settle(self, callback: CallbackStub) -> None:
        """See :class:`nnvet.transport.wire.methods.Service`."""
        # The notification on the primary connection follows all that were sent on it before.
        self._threads.notifications = None
        callback.notify(ErrorStatus.NONE)

    def open_client(self, primary: Handle) -> None:
        """See :class:`nnvet.transport.wire.methods.Service`."""
        connection = _connection(primary)
        session = ServiceSession(self._device, connection, f"{self._client.name}'s companion", self._load)
        try:
            threading.Thread(target=session.run, name="nnvet-client", daemon=True).start()
        except RuntimeError as error:
            connection.close()
            raise exhausted(f"there is no thread for a client: {error}") from error

    def open_burst(
        self,
        prepared_model: PreparedModel | None,
        callback: CallbackStub | None,
        requests: QueueDescriptor,
        results: QueueDescriptor,
    ) -> BurstContext:
        """See :class:`nnvet.transport.wire.methods.Service`."""
        return serve_burst(prepared_model, callback, requests, results, polling_window_s())

    def open_execution(
        self, execution: Execution | None, requests: QueueDescriptor, results: QueueDescriptor
    ) -> BurstContext:
        """See :class:`nnvet.transport.wire.methods.Service`."""
        return serve_execution(execution, requests, results, polling_window_s())

    def notify(self, identifier: int, method: methods.Method, arguments: tuple[Any, ...]) -> None:
        """Send a notification, unless the client has gone.

        A notification made by the thread that serves a call of the client goes with the reply, which saves a frame.
        """
        waiting: list[msgspec.Raw] | None = getattr(self._threads, "notifications", None)
        with self._sending:
            released = [self._released.popleft() for _ in range(len(self._released))]
            try:
                payload, handles = self._codec.encode(
                    (identifier, method.name, released, arguments, *_words()), method.refers_to
                )
            except Exception:  # noqa: BLE001 - whatever a driver notifies
                _log.exception("%s: a notification cannot be sent", method.name)
                substitute = (ErrorStatus.GENERAL_FAILURE, *methods.CALLBACKS[method.interface])
                payload, handles = self._codec.encode((identifier, method.name, released, substitute))
            if waiting is not None and not handles and sum(map(len, waiting)) + len(payload) <= _WITH_REPLY:
                waiting.append(msgspec.Raw(payload))
                return
            try:
                self._primary.send(payload, handles, time.monotonic() + _PATIENCE_S)
            except TimeoutError:
                # Whoever notifies may serve others too.
                _log.warning("%s does not read what is sent to it; its connection is closed", self._client.name)
                self.end()
            except OSError as error:
                # A client that has not gone must not wait for the notification.
                _log.debug("%s is not notified of %s: %s", self._client.name, method.name, error)
                self.end()

    def release(self, identifier: int) -> None:
        """Have the next notification inform the client that its callback is not used any more; takes no lock."""
        self._released.append(identifier)

    def expel(self, reason: str) -> None:
        """End the session of a client whose request is refused, and notify the client if it reads."""
        _log.error("%s %s; its connection is closed", self._client.name, reason)
        with self._sending, suppress(OSError):
            self._primary.send(*self._codec.encode((methods.SERVICE_ID, FAREWELL, (), (reason,))), time.monotonic())
        self.end()

    def _serve_primary(self, channel: Channel, codec: Codec) -> None:
        if self._shake_hands(codec):
            while True:
                self._answer(codec, *channel.receive())

    def _shake_hands(self, codec: Codec) -> bool:
        payload, _ = self._primary.receive(time.monotonic() + _BEGINNING_S)
        hello = codec.decode(payload, Hello)
        version = next((version for version in VERSIONS if version in hello.versions), 0)
        self._notifies_with_replies = version >= NOTIFICATIONS_WITH_REPLIES
        answer: Answer = (0, "", "", Welcome(version, IMPLEMENTATION))
        if hello.protocol != PROTOCOL or not version:
            spoken = f"{PROTOCOL} {' or '.join(map(str, VERSIONS))}"
            theirs = f"{one_line(hello.protocol)} {hello.versions[:_VERSIONS_NAMED]}"
            message = f"this service speaks {spoken}, the client {theirs}"
            answer = _failure(invalid(message, "wire/version"))
        elif isinstance(self._device, HalError):
            answer = _failure(self._device)
        self._primary.send(*codec.encode(answer))
        return answer[0] == ErrorStatus.NONE

    def _serve_lane(self, channel: Channel) -> None:
        serve(self._client)
        self._serve(channel, self._serve_calls)
        self._close_lane(channel)

    def _close_lane(self, channel: Channel) -> None:
        with self._lock:
            self._lanes.discard(channel)
        channel.close()

    def _serve(self, channel: Channel, loop: Callable[[Channel, Codec], None]) -> None:
        """Run the loop of one connection until the client closes it; any other end of the loop ends the session."""
        try:
            loop(channel, self._new_codec())
        except (EOFError, ConnectionError, TimeoutError) as error:
            # The client has closed the connection, perhaps because it would not wait any longer.
            _log.debug("%s has gone: %s", self._client.name, error)
        except OSError as error:
            if error.errno in _NOT_A_CONNECTION:
                _log.error(
                    "the driver has closed a descriptor that is not its own: a connection of %s", self._client.name
                )
            else:
                _log.error("a connection of %s fails: %s", self._client.name, error)
        except _MALFORMED as error:
            self.expel(f"sent a malformed frame ({error})")
        except Exception as error:  # noqa: BLE001 - a thread that ends in silence leaves its client waiting for ever
            _log.exception("a connection of %s cannot be served", self._client.name)
            self.expel(f"sent what the service fails at ({error!r})")

    def _serve_calls(self, channel: Channel, codec: Codec) -> None:
        while True:
            self._serve_call(channel, codec)

    def _serve_call(self, channel: Channel, codec: Codec) -> None:
        # A function of its own, so that no variable keeps a call's arguments until the next call.
        notifications: list[msgspec.Raw] = []
        self._threads.notifications = notifications if self._notifies_with_replies else None
        answer, number, method = self._answer(codec, *channel.receive())
        self._threads.notifications = None
        with_it = (notifications,) if notifications else ()
        try:
            message = codec.encode(
                (*answer, number, *with_it), None if answer[0] else methods.METHODS[method].refers_to
            )
        except Exception as error:  # noqa: BLE001 - whatever a driver has put into its answer
            substitute = _failure(failure(f"the answer cannot be sent: {error}", "driver/reply"))
            message = codec.encode((*substitute, number, *with_it))
        channel.send(*message)

    def _answer(self, codec: Codec, payload: bytes, handles: Sequence[Handle]) -> tuple[Answer, int, str]:
        """Return the answer to a message, and the number and method of the call."""
        call = codec.decode(payload, CallMessage)
        return self._act(codec, call, handles), call.number, call.method

    def _act(self, codec: Codec, call: CallMessage, handles: Sequence[Handle]) -> Answer:
        for identifier in call.released:
            if identifier > methods.DEVICE_ID:
                self._objects.pop(identifier, None)
        try:
            method = methods.METHODS.get(call.method)
            if method is None or method.interface in methods.CALLBACKS:
                raise invalid(f"there is no method {one_line(call.method)!r}", "wire/method")
            target = self._object(method.interface, call.target)
            arguments = codec.decode(call.arguments, method.arguments, handles)
        except msgspec.DecodeError as error:
            return _failure(invalid(f"{call.method}: {error}", "wire/arguments"))
        except HalError as error:
            return _failure(error)
        return _invoke(target, method, arguments)

    def _object(self, interface: Any, identifier: int) -> object:
        kind, value = self._objects.get(identifier, (None, None))
        if kind is interface:
            return value
        known = f"object {identifier} is no {interface.__name__}, but a {kind.__name__}" if kind else ""
        raise invalid(known or f"there is no object {identifier}", "wire/object")

    def _new_codec(self) -> Codec:
        return Codec(self._export, self._resolve, MAX_ANSWER)

    def _export(self, interface: Any, value: object) -> int:
        if type(value) not in self._exported and not any(hasattr(value, attribute) for attribute in _ATTRIBUTES):
            raise TypeError(f"{type(value).__name__} is not a type of the contract")
        self._exported.add(type(value))
        identifier = next(self._ids)
        self._objects[identifier] = interface, value
        if self._ended:
            # A call that was still at work then: nobody will release what it has made.
            self._objects.clear()
        return identifier

    def _resolve(self, interface: Any, identifier: int) -> object:
        if interface in methods.CALLBACKS:
            return CallbackStub(self, identifier, methods.methods_of(interface)[0])
        return self._object(interface, identifier)


class CallbackStub:
    """A client's callback as the driver sees it."""

    def __init__(self, session: ServiceSession, identifier: int, method: methods.Method) -> None:
        """Represent the client's callback ``identifier``, whose method is ``method``."""
        self._session = session
        self._id = identifier
        self._method = method

    def notify(self, *arguments: Any, **named: Any) -> None:
        """Send the notification to the client, and return before the client has received it."""
        self._session.notify(self._id, self._method, self._method.positional(arguments, named))

    def __del__(self) -> None:
        """Release the callback that the driver has dropped; must not lock, since it runs at any point."""
        self._session.release(self._id)


def _connection(handle: Handle) -> socket.socket:
    """Return a socket of this process for the descriptor that a client has sent.

    :raises HalError: it is no socket that can carry frames, or there are no descriptors left for it.
    """
    try:
        own = OwnedHandle(os.dup(handle.fd))
        connection = socket.socket(fileno=own.fd)
    except (OSError, ValueError) as error:
        raise invalid(f"a connection is a socket: {error}", "wire/arguments") from error
    own.fd = -1
    if (connection.family, connection.type) != (socket.AF_UNIX, socket.SOCK_STREAM):
        connection.close()
        raise invalid("a connection is an AF_UNIX stream socket", "wire/arguments")
    return connection


def _invoke(target: object, method: methods.Method, arguments: tuple[Any, ...]) -> Answer:
    try:
        member = getattr(target, method.attribute)
        with span(methods.DRIVER_BUCKETS[method.name], method.name):
            return 0, "", "", member if method.is_property else member(*arguments)
    except HalError as error:
        return _failure(error)
    except BaseException as error:  # noqa: BLE001 - not even SystemExit may end the service
        _log.error("%s raised:\n%s", method.name, traceback_of(error))
        return _failure(failure(f"{method.name} {raised(error)}", "driver/exception"))


def _words() -> tuple[int, str, str] | tuple[()]:
    """Return the last arguments of a notification: no number, and the message and rule of a failure."""
    cause = cause_of_failure()
    return () if cause is None else (0, one_line(str(cause.message)), one_line(str(cause.rule)))


def _failure(error: HalError) -> Answer:
    known = isinstance(error.status, ErrorStatus) and error.status is not ErrorStatus.NONE
    status = error.status if known else ErrorStatus.GENERAL_FAILURE
    return int(status), one_line(str(error.message)), one_line(str(error.rule)), None
