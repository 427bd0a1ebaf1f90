"""The client's end of a session: calls, a thread for notifications, and failures with evidence.

A *lane* is a connection of the session that carries the calls of one thread at a time.

The other end is :mod:`nnvet.transport.wire.server`. Lanes are in :mod:`nnvet.transport.wire.lanes`, callbacks in
:mod:`nnvet.transport.wire.proxies`. Callers use the proxies of :mod:`nnvet.transport.wire.proxies`.
"""

from __future__ import annotations

import contextvars
import errno
import socket
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, cast

import msgspec

from nnvet.diagnostics.tracing import span
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.interfaces import Device
from nnvet.hal.types import Handle
from nnvet.transport.wire import failures
from nnvet.transport.wire.carriers import Carrier, Sockets
from nnvet.transport.wire.codec import Codec, Hello, Reply, Welcome
from nnvet.transport.wire.framing import WireError
from nnvet.transport.wire.lanes import Lane, SentCall, Watcher
from nnvet.transport.wire.limits import Look, WaitLimit, unseen
from nnvet.transport.wire.methods import DEVICE_ID, IPC_BUCKETS, METHODS, SERVICE_ID, Method
from nnvet.transport.wire.proxies import PROXIES, CallbackTable, Exported, Proxy, Settled
from nnvet.transport.wire.texts import one_line

# Errors that end a session; and the cause and the evidence if the client itself has closed it.
_LOST = (EOFError, OSError, WireError, msgspec.DecodeError)
_CLOSING: Final = ConnectionAbortedError("the client has closed the session")
_CLOSED: Final = failures.DeathEvidence(call="", state="closed by the client")
Outgoing = tuple[int, Method, tuple[Any, ...]]
"""A call to send: the id of the service's object, the method, and the arguments."""

_patience: contextvars.ContextVar[float | None] = contextvars.ContextVar("patience", default=None)


class patience:  # noqa: N801 - reads as a with statement
    """Set the time limit of calls inside the block, instead of the session's ``timeout_s``; None changes nothing."""

    __slots__ = ("_timeout_s", "_token")

    def __init__(self, timeout_s: float | None) -> None:
        """Keep the limit."""
        self._timeout_s = timeout_s

    def __enter__(self) -> None:
        """Apply the limit from here on."""
        self._token = _patience.set(self._timeout_s)

    def __exit__(self, *_: object) -> None:
        """Restore the previous limit."""
        _patience.reset(self._token)


def unknown_state(dead: bool) -> failures.DeathEvidence:  # noqa: FBT001 - the form of Session's diagnose
    """Return evidence of a service whose process cannot be seen."""
    return failures.DeathEvidence(call="", state="connection closed" if dead else "connected")


class PendingCall:
    """A call that was sent, and whose reply has not been waited for."""

    def __init__(self, session: Session, sent: SentCall) -> None:
        """Keep the session, which does the waiting."""
        self._session = session
        self._sent = sent

    def result(self) -> Any:
        """Wait for the reply, as long as a call may take now, and return the result; later calls return it again.

        Earlier calls on the same lane are waited for first, each for as long. The evidence names the call that was not
        answered.

        :raises HalError, DriverGone: as :meth:`Session.call`.
        """
        with span(IPC_BUCKETS[self._sent.method.name], self._sent.method.name):
            return self._session.finish(self._sent)

    def abandon(self) -> None:
        """Give up the replies to this call and to those that were sent with it, unless all have been received."""
        self._session.abandon(self._sent)


class Session:
    """A client's connection to a service. Any number of threads may call at once."""

    def __init__(
        self,
        connection: socket.socket | Carrier,
        *,
        timeout_s: float | None = None,
        diagnose: Callable[[bool], failures.DeathEvidence] = unknown_state,
        unintended: failures.Unintended | None = None,
        look: Look = unseen,
    ) -> None:
        """Shake hands and take over the connected socket, or another carrier of frames.

        ``diagnose`` returns the state of the service's process; its argument is True if the process is dead.
        ``unintended`` collects the errors of calls that are sent while it is set. ``look`` returns the activity of the
        service's processes, on which time limits depend (:mod:`nnvet.transport.wire.limits`).

        :raises HalError: if the service refuses.
        :raises DriverGone: if it does not answer.
        :raises OSError, RuntimeError: if this process has no memory or thread for it.
        """
        self.timeout_s = timeout_s
        self.unintended = unintended or failures.Unintended()
        self._diagnose = diagnose
        self._look = look
        self._carrier = Sockets(connection) if isinstance(connection, socket.socket) else connection
        self._primary = self._carrier.primary
        self._codec = self._new_codec()
        self._lock = threading.Lock()
        self._autopsy_lock = threading.Lock()
        self._autopsy: failures.DeathEvidence | None = None
        self._cause: BaseException | None = None
        self._idle: list[Lane] = []
        self._queue: tuple[int, Lane] | None = None
        """The thread that calls in order (:meth:`queue`), and its lane while replies are due on it."""
        self._lanes: set[Lane] = set()
        self._watchers: weakref.WeakSet[Watcher] = weakref.WeakSet()
        self._callbacks = CallbackTable()
        self._persistent = failures.PersistentFailures()
        self._released: deque[int] = deque()
        self.implementation = self._shake_hands()
        self.device = cast("Device", PROXIES[Device](self, DEVICE_ID))
        self._reader = threading.Thread(target=self._read, name="nnvet-notifications", daemon=True)
        try:
            self._reader.start()
        except RuntimeError:
            self._primary.close()
            raise

    @property
    def alive(self) -> bool:
        """Return True until the connection is known to be lost."""
        return self._cause is None

    def limit(self, seconds: float | None = None) -> WaitLimit:
        """Return a limit that begins now and lasts ``seconds``, or the time limit of calls if that is None."""
        if seconds is None:
            seconds = _patience.get()
        return WaitLimit(self.timeout_s if seconds is None else seconds, self._look)

    @property
    def faults(self) -> tuple[str, ...]:
        """Faults of notifications so far: unknown callbacks, wrong types, callbacks that raised."""
        return tuple(self._callbacks.faults)

    def call(self, target: int, method: Method, arguments: tuple[Any, ...]) -> Any:
        """Call a method of the service's object ``target`` and wait for the answer.

        :raises HalError: as the driver answers; with rule ``driver/reply`` if it answers nonsense.
        :raises DriverGone: if the service dies or does not answer in time.
        :raises OSError: if this process has no descriptors or memory for the call.
        """
        limit = self.limit()
        with span(IPC_BUCKETS[method.name], method.name):
            (sent,) = self._send(((target, method, arguments),), limit)
            return self._finish(sent, limit)

    def begin(self, *calls: Outgoing) -> tuple[PendingCall, ...]:
        """Send calls without waiting for their replies; the service serves them in this order.

        :raises HalError: if an argument cannot be sent.
        :raises DriverGone: if the service has died, or reads nothing for as long as a call may take.
        """
        return tuple(PendingCall(self, sent) for sent in self._send(calls, self.limit()))

    def queue(self, *calls: Outgoing) -> tuple[PendingCall, ...]:
        """Send calls like :meth:`begin`; later calls of this thread follow on the same lane while replies are due.

        So the service serves all of them one after the other, although the client does not wait in between.
        """
        sent = self._send(calls, self.limit())
        self._queue = threading.get_ident(), sent[0].lane
        return tuple(PendingCall(self, call) for call in sent)

    def finish(self, sent: SentCall) -> Any:
        """See :meth:`PendingCall.result`."""
        return self._finish(sent, self.limit())

    def abandon(self, sent: SentCall) -> None:
        """See :meth:`PendingCall.abandon`."""
        # After an answer, the lane may already carry another call.
        if not sent.is_answered and sent.lane.loss is None:
            self._close_lane(sent.lane, ConnectionAbortedError("the call was abandoned"))

    def release(self, identifier: int) -> None:
        """Have the service drop an object with the next call. Takes no lock: finalizers call it."""
        self._released.append(identifier)

    def forget(self, unintended: failures.Unintended) -> None:
        """Collect errors of later calls in ``unintended``; calls that have failed may succeed from now on."""
        self.unintended = unintended
        self._persistent.forget()

    def settle(self) -> None:
        """Wait until every notification that the service has sent so far has been delivered.

        :raises DriverGone: if the service dies or does not answer in time.
        """
        settled = Settled()
        self.call(SERVICE_ID, METHODS["Service.settle"], (settled,))
        limit = WaitLimit(self.timeout_s, self._look)
        if not limit.wait(settled.wait):
            raise self.hang("Service.settle", limit)
        if not self.alive:
            raise self.crash("Service.settle")

    def watch(self, watcher: Watcher) -> None:
        """Have ``watcher`` woken when the session is lost; only a weak reference to it is kept."""
        with self._lock:
            self._watchers.add(watcher)

    def crash(self, call: str) -> failures.DriverCrash:
        """Return the exception for a call that finds the service dead, or the session closed."""
        with self._autopsy_lock:
            misbehaved = isinstance(self._cause, WireError | msgspec.DecodeError)
            unread = _is_our_own(self._cause)
            if self._autopsy is None:
                self._autopsy = _CLOSED if self._cause is _CLOSING else self._diagnose(not (misbehaved or unread))
        evidence = msgspec.structs.replace(self._autopsy, call=call)
        if evidence.memory_limit is not None:
            return failures.DriverBloat(
                f"{call}: the driver had more than {evidence.memory_limit} bytes of memory", evidence
            )
        what = f"the driver breaks the protocol: {self._cause}" if misbehaved else evidence.end
        if unread:
            what = f"what the driver sends cannot be read: {self._cause}"
        return failures.DriverCrash(f"{call}: {what}", evidence)

    def hang(self, call: str, limit: WaitLimit) -> failures.DriverGone:
        """Return the exception for a call that was not answered in time; a crash if the process is dead by now."""
        found = self._diagnose(False)
        if found.signal:
            return failures.DriverCrash(f"{call}: {found.end}", msgspec.structs.replace(found, call=call))
        evidence = msgspec.structs.replace(
            found, call=call, waited_s=limit.seconds, processor_s=round(limit.processor_s) or None
        )
        return failures.DriverHang(f"{call}: no answer within {limit}", evidence)

    def lose(self, cause: BaseException) -> None:
        """End the session because of ``cause``: calls in progress and pending callbacks are woken."""
        with self._lock:
            if self._cause is not None:
                return
            self._cause = cause
            lanes = list(self._lanes)
            watchers = list(self._watchers)
        self._primary.shutdown()
        for lane in lanes:
            lane.channel.shutdown()
        for watcher in watchers:
            watcher.wake()

    def close(self) -> None:
        """End the session; the service releases all its objects."""
        self.lose(_CLOSING)
        if threading.current_thread() is not self._reader:
            self._reader.join()
        while self._idle:
            self._close_lane(self._idle.pop())

    def _shake_hands(self) -> str:
        limit = self.limit()
        try:
            hello = Hello()
            self._primary.send(self._codec.encode(hello)[0], deadline=limit)
            payload, _ = self._primary.receive(limit)
            reply = self._codec.decode(payload, Reply)
            if reply.status == ErrorStatus.NONE:
                return _implementation(self._codec.decode(reply.result, Welcome), hello)
        except TimeoutError:
            self._primary.close()
            raise self.hang("handshake", limit) from None
        except _LOST as error:
            self._primary.close()
            if _is_our_own(error):
                raise
            self._cause = error
            raise self.crash("handshake") from None
        self._primary.close()
        raise reply.error()

    def _take_lane(self, limit: WaitLimit) -> Lane:
        thread, queue = self._queue or (0, None)
        if queue is not None and queue.loss is None and thread == threading.get_ident():
            return queue
        try:
            return self._idle.pop()
        except IndexError:
            ours, theirs = self._carrier.open_lane()
        lane = Lane(ours, self._new_codec(), self._callbacks.act)
        try:
            self._announce(lane, theirs, limit)
        except BaseException as error:
            self._close_lane(lane, error)
            raise
        finally:
            theirs.close()
        return lane

    def _announce(self, lane: Lane, its_other_end: Handle, limit: WaitLimit) -> None:
        with self._lock:
            if self._cause is not None:
                raise EOFError("the connection was closed earlier")
            self._lanes.add(lane)
            message = (SERVICE_ID, "Service.open_lane", (), (its_other_end,))
            payload, handles = self._codec.encode(message)
            self._primary.send(payload, handles, limit)

    def _put_back(self, lane: Lane) -> None:
        self._leave_queue(lane)
        with self._lock:
            if self._cause is None:
                self._idle.append(lane)
                return
        self._close_lane(lane)

    def _leave_queue(self, lane: Lane) -> None:
        if self._queue is not None and self._queue[1] is lane:
            self._queue = None

    def _close_lane(self, lane: Lane, reason: BaseException | None = None) -> None:
        """Close a lane; unanswered calls will raise an exception like ``reason``, without its traceback."""
        self._leave_queue(lane)
        if isinstance(reason, failures.DriverGone):
            lane.loss = partial(type(reason), reason.message, reason.evidence)
        elif reason is not None:
            lane.loss = partial(type(reason), *reason.args)
        with self._lock:
            self._lanes.discard(lane)
        lane.channel.close()

    def _send(self, calls: Iterable[Outgoing], limit: WaitLimit) -> list[SentCall]:
        """Send calls on one lane."""
        lane = None
        sent: list[SentCall] = []
        for target, method, arguments in calls:
            try:
                lane = lane or self._take_lane(limit)
                call = SentCall(
                    lane, method, arguments, self.unintended, partial(self._persistent.ended, target, method)
                )
                lane.send(call, *self._encode(call, target, arguments), limit)
            except _LOST as error:
                raise self._given_up(lane, method.name, limit, error) from None
            except BaseException as error:
                if lane is not None:
                    self._close_lane(lane, error)
                raise
            sent.append(call)
        return sent

    def _finish(self, sent: SentCall, limit: WaitLimit) -> Any:
        """Return the outcome of a call, after waiting for the answers to it and to all calls before it."""
        lane = sent.lane
        while not sent.is_answered:
            if lane.loss is not None:
                raise lane.loss()
            try:
                lane.receive(limit)
            except _LOST as error:
                raise self._given_up(lane, sent.method.name, limit, error) from None
            except BaseException as error:
                self._close_lane(lane, error)
                raise
            if not lane.unanswered:
                self._put_back(lane)
            else:
                limit = limit.again()
        return sent.outcome()

    def _given_up(self, lane: Lane | None, call: str, limit: WaitLimit, error: Exception) -> Exception:
        """Return the exception to raise for ``error``, which has ended a lane or kept it from opening."""
        first = lane.unanswered[0].method.name if lane is not None and lane.unanswered else call
        reason: Exception
        if isinstance(error, TimeoutError):
            reason = self.hang(first, limit)
        elif isinstance(error, OSError) and error.errno == errno.EBADF:
            reason = failures.not_sent(f"{call}: an argument cannot be sent: {error}", "wire/arguments")
        elif _is_our_own(error):
            # It must not look like an answer of the driver.
            reason = error
        else:
            self.lose(error)
            reason = self.crash(first)
        if lane is not None:
            self._close_lane(lane, reason)
        return reason

    def _encode(self, call: SentCall, target: int, arguments: tuple[Any, ...]) -> tuple[bytes, list[Handle]]:
        method, exported = call.method, None
        arguments = self._carrier.adapt(method, arguments)
        if method.callback is not None and arguments[method.callback_index] is not None:
            index = method.callback_index
            ended = partial(self._persistent.ended, target, method, arguments)
            exported = self._callbacks.add(method.callback, arguments[index], self.unintended, ended)
            arguments = (*arguments[:index], exported, *arguments[index + 1 :])
        released = [self._released.popleft() for _ in range(len(self._released))]
        try:
            return call.lane.codec.encode((target, method.name, released, arguments, call.number))
        except (TypeError, ValueError, OverflowError) as error:
            self._released.extend(released)
            if exported is not None:
                self._callbacks.remove(exported)
            raise failures.not_sent(f"{method.name}: an argument cannot be sent: {error}", "wire/arguments") from error

    def _new_codec(self) -> Codec:
        return Codec(self._export, self._resolve)

    def _export(self, _: object, value: object) -> int:
        if isinstance(value, Exported):
            return value.id
        if not isinstance(value, Proxy):
            raise TypeError(f"{type(value).__name__} is not a type of the contract")
        if value.session is not self:
            raise failures.not_sent(f"{value!r} belongs to another driver", "wire/object")
        return value.id

    def _resolve(self, interface: Any, identifier: int) -> object:
        return PROXIES[interface](self, identifier)

    def _read(self) -> None:
        codec = self._new_codec()
        try:
            while True:
                self._callbacks.deliver(codec, *self._primary.receive())
        except _LOST as error:
            self.lose(error)
        self._primary.close()
        self._callbacks.tell_death()


def _is_our_own(error: BaseException | None) -> bool:
    """Return True if the connection is in order, but this process has no descriptors, memory or buffers left for it."""
    return isinstance(error, OSError) and not isinstance(error, ConnectionError | TimeoutError)


def _implementation(welcome: Welcome, hello: Hello) -> str:
    if welcome.version not in hello.versions:
        raise WireError(f"the service chose version {welcome.version}; {hello.versions} were offered")
    return one_line(welcome.implementation)
