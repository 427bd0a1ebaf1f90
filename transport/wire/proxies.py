"""Proxies: the objects of a service as its client sees them, one class for each interface; and the client's callbacks.

The classes (:data:`PROXIES`) are made from the table of methods. Bursts and reusable executions have more code. Bursts
go over message queues if the service takes them, reusable executions once they are repeated, and both otherwise by
calls. A callback is registered with a call (:class:`CallbackTable`); it is notified by the service, or of its death.
"""

from __future__ import annotations

import itertools
import threading
import traceback
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, Protocol

import msgspec

from nnvet.hal.calling import because_of
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Burst, Execution, PreparedModel
from nnvet.hal.types import NO_DEADLINE, ErrorStatus, ExecutionResult, Handle, Request
from nnvet.transport.burst.client import PacketRunner, QueueBurst
from nnvet.transport.burst.packets import DATUM_BYTES, BurstContext, MemoriesCallback, encode_request
from nnvet.transport.burst.polling import client_window_s, enlist
from nnvet.transport.message_queue import QueueReader, QueueWriter, create_queue
from nnvet.transport.wire.codec import FAREWELL, CallMessage, Codec
from nnvet.transport.wire.failures import Unintended
from nnvet.transport.wire.framing import WireError
from nnvet.transport.wire.lanes import Connection, Reference
from nnvet.transport.wire.methods import CALLBACKS, METHODS, OBJECTS, SERVICE_ID, Method, methods_of
from nnvet.transport.wire.texts import one_line

QUEUE_DATUMS: Final = 1024
"""Capacity of both queues of a burst."""


def open_burst(prepared_model: Reference) -> Burst:
    """See :class:`nnvet.hal.interfaces.PreparedModel`.

    :raises HalError: as the driver refuses a burst.
    """
    polling_s = client_window_s()
    callback = _Callback()
    session = prepared_model.session
    try:
        requests, results = (create_queue(DATUM_BYTES, QUEUE_DATUMS) for _ in range(2))
        context: BurstContext = session.call(
            SERVICE_ID, METHODS["Service.open_burst"], (prepared_model, callback, requests, results)
        )
        ends = QueueWriter(requests), QueueReader(results)
    except HalError:
        # A service in another language need not have queues, and this machine need not have futexes.
        return _open_ordinary(prepared_model)
    burst = QueueBurst(session, context, *ends, lambda: _open_ordinary(prepared_model), polling_s)
    callback.burst = weakref.ref(burst)
    session.watch(burst)
    enlist(burst)
    return burst


def _open_ordinary(prepared_model: Reference) -> Burst:
    method = METHODS["PreparedModel.configure_execution_burst"]
    burst: Burst = prepared_model.session.call(prepared_model.id, method, ())
    return burst


class _Callback:
    """A :class:`nnvet.transport.burst.packets.MemoriesCallback` that holds its burst by a weak reference only."""

    burst: weakref.ref[QueueBurst] | None = None

    def notify(self, status: ErrorStatus, slots: tuple[int, ...]) -> None:
        """Have the burst supply the memories."""
        burst = self.burst() if self.burst is not None else None
        if burst is not None and status is ErrorStatus.NONE:
            burst.supply_memories(slots)


CALLS_FIRST: Final = 8
"""Runs that are calls before queues are opened. Opening takes as long as several calls, and most executions run
once or twice."""

_RUN: Final = encode_request(Request((), (), ()), (), measure_timing=False) or b""
"""Packet that asks for a run; the service has all the arguments of the execution already."""


class _Runner(PacketRunner):
    call: ClassVar[str] = "Execution.execute_synchronously"


class Runs:
    """The synchronous runs of one execution. Runs with a deadline, or beside another run, are calls."""

    def __init__(self) -> None:
        """Begin without runs."""
        self._in_flight = threading.Lock()
        self._calls = 0
        self._runner: _Runner | None = None

    def run(self, execution: Reference, deadline_ns: int) -> ExecutionResult:
        """See :class:`nnvet.hal.interfaces.Execution`; it is always the same ``execution``."""
        # A second run at the same time goes to the driver as a call, because the driver decides whether to refuse it.
        if deadline_ns != NO_DEADLINE or not self._in_flight.acquire(blocking=False):
            return _call(execution, deadline_ns)
        try:
            runner = self._runner or self._repeated(execution)
            return _call(execution, deadline_ns) if runner is None else _run(runner)
        finally:
            self._in_flight.release()

    def _repeated(self, execution: Reference) -> _Runner | None:
        """Return the queues once enough runs make them worth while; None before, or if the service has none."""
        self._calls += 1
        if self._calls == CALLS_FIRST + 1:
            self._runner = _open_runner(execution)
        return self._runner


class Runnable(Reference, Protocol):
    """A proxy of an execution."""

    @property
    def runs(self) -> Runs:
        """Return the state of this execution's runs."""


def run_execution(execution: Runnable, deadline_ns: int) -> ExecutionResult:
    """See :class:`nnvet.hal.interfaces.Execution`."""
    return execution.runs.run(execution, deadline_ns)


def _call(execution: Reference, deadline_ns: int) -> ExecutionResult:
    method = METHODS[_Runner.call]
    result: ExecutionResult = execution.session.call(execution.id, method, (deadline_ns,))
    return result


def _open_runner(execution: Reference) -> _Runner | None:
    session = execution.session
    try:
        polling_s = client_window_s()
        requests, results = (create_queue(DATUM_BYTES, QUEUE_DATUMS) for _ in range(2))
        context: BurstContext = session.call(
            SERVICE_ID, METHODS["Service.open_execution"], (execution, requests, results)
        )
        runner = _Runner(session, context, QueueWriter(requests), QueueReader(results), polling_s)
    except HalError:
        # A service in another language need not have queues, and this machine need not have futexes.
        return None
    session.watch(runner)
    return runner


def _run(runner: _Runner) -> ExecutionResult:
    try:
        return runner.run(_RUN)
    except HalError as error:
        runner.session.unintended.hear(error)
        raise


class Proxy:
    """Represents an object of the service, which releases its object once the proxy is dropped."""

    __slots__ = ("id", "session")

    def __init__(self, session: Connection, identifier: int) -> None:
        """Refer to the object that the service knows as ``identifier``."""
        self.session = session
        self.id = identifier

    def __del__(self) -> None:
        """Have the object released with the next call; must not lock, since it runs at any point."""
        self.session.release(self.id)

    def __repr__(self) -> str:
        """Describe the proxy by its interface and the id of the object in the service."""
        return f"<{type(self).__name__} {self.id}>"


class PreparedModelProxy(Proxy):
    """A prepared model that knows the processors which compute it, if the service has named them."""

    __slots__ = ("computed_by",)

    def __init__(self, session: Connection, identifier: int) -> None:
        """Begin without known processors."""
        super().__init__(session, identifier)
        self.computed_by = ""


class _ExecutionBase(Proxy):
    """An execution that counts its runs."""

    __slots__ = ("runs",)

    def __init__(self, session: Connection, identifier: int) -> None:
        super().__init__(session, identifier)
        self.runs = Runs()


_BASES: Final[dict[Any, type[Proxy]]] = {Execution: _ExecutionBase, PreparedModel: PreparedModelProxy}
_SPECIAL: Final[dict[str, Callable[..., Any]]] = {
    "PreparedModel.configure_execution_burst": open_burst,
    "Execution.execute_synchronously": run_execution,
}
"""Methods that are more than a single call."""


def _caller(method: Method) -> Callable[..., Any]:
    count = len(method.signature.parameters) - 1

    def call(self: Proxy, *arguments: Any, **named: Any) -> Any:
        if named or len(arguments) != count:
            arguments = method.positional(arguments, named)
        return self.session.call(self.id, method, arguments)

    call.__doc__ = f"See :mod:`nnvet.hal.interfaces`, {method.name}."
    return call


def _naming_computer(caller: Callable[..., Any]) -> Callable[..., Any]:
    """Return a call that also notes the model's processors, since another case may have prepared the model."""

    def call(self: PreparedModelProxy, *arguments: Any, **named: Any) -> Any:
        if self.computed_by:
            self.session.unintended.computed_by.add(self.computed_by)
        return caller(self, *arguments, **named)

    call.__doc__ = caller.__doc__
    return call


def _proxy_class(interface: type) -> type[Proxy]:
    members: dict[str, Any] = {
        "__slots__": (),
        "__doc__": f"A :class:`nnvet.hal.interfaces.{interface.__name__}` elsewhere.",
    }
    for method in methods_of(interface):
        caller = _SPECIAL.get(method.name) or _caller(method)
        if interface is PreparedModel:
            caller = _naming_computer(caller)
        members[method.attribute] = property(caller) if method.is_property else caller
    return type(f"{interface.__name__}Proxy", (_BASES.get(interface, Proxy),), members)


PROXIES: Final[dict[Any, type[Proxy]]] = {interface: _proxy_class(interface) for interface in OBJECTS}
"""Proxy classes by interface."""


_FAULTS_KEPT: Final = 100
"""Most faults of notifications that are kept: the latest ones."""
_UNASKED_KEPT: Final = 64
"""Number of callbacks kept after their bursts have ended, as notifications for them may still arrive."""


Notified = Callable[[ErrorStatus, Any], HalError | None]
"""Function that gets the status of the first notification, and returns an error if that status is wrong."""


class Exported:
    """A callback as an argument of a call, with the id that the service uses for it."""

    def __init__(
        self, identifier: int, interface: Any, callback: Any, unintended: Unintended, ended: Notified | None = None
    ) -> None:
        """Register ``callback``, which implements ``interface``, as ``identifier``; see :meth:`CallbackTable.add`."""
        self.id = identifier
        self.interface = interface
        self.callback = callback
        self.unintended = unintended
        self.ended = ended
        self.notified = False
        self.dropped = False


class CallbackTable:
    """Table of the callbacks that the service may still notify."""

    def __init__(self) -> None:
        """Begin without callbacks; ids count from 1."""
        self.faults: deque[str] = deque(maxlen=_FAULTS_KEPT)
        self._ids = itertools.count(1)
        self._exported: dict[int, Exported] = {}
        self._unasked: deque[int] = deque()

    def add(self, interface: Any, callback: Any, unintended: Unintended, ended: Notified | None = None) -> Exported:
        """Expect notifications for a callback; ``unintended`` collects errors among them, and those from ``ended``."""
        exported = Exported(next(self._ids), interface, callback, unintended, ended)
        self._exported[exported.id] = exported
        return exported

    def remove(self, exported: Exported) -> None:
        """Remove a callback, because the call that names it was not sent."""
        del self._exported[exported.id]

    def deliver(self, codec: Codec, payload: bytes, handles: Sequence[Handle]) -> None:
        """Decode a message of the service and handle it.

        :raises msgspec.DecodeError: if it is no call at all.
        :raises WireError: the service says that it ends the session.
        """
        self.act(codec, codec.decode(payload, CallMessage), handles)

    def act(self, codec: Codec, call: CallMessage, handles: Sequence[Handle] = ()) -> None:
        """Handle a decoded message; raises a WireError like :meth:`deliver`."""
        for identifier in call.released:
            self._forget(identifier)
        if call.method == FAREWELL:
            (reason,) = codec.decode(call.arguments, tuple[str])
            raise WireError(f"the service has ended the session: the client {one_line(reason)}")
        exported = self._exported.get(call.target)
        if exported is None:
            self.faults.append(f"{call.method} for the unknown callback {call.target}")
            return
        try:
            method = METHODS[f"{exported.interface.__name__}.notify"]
            if call.method != method.name:
                raise msgspec.ValidationError(f"a {exported.interface.__name__} has no such method")
            arguments = codec.decode(call.arguments, method.arguments, handles)
        except msgspec.DecodeError as error:
            self.faults.append(f"{call.method} with a wrong type: {error}")
            exported.unintended.hear(failure(self.faults[-1], "driver/reply"))
            arguments = (ErrorStatus.GENERAL_FAILURE, *CALLBACKS[exported.interface])
        status = arguments[0]
        said = HalError(status, one_line(call.message), one_line(call.rule)) if call.message or call.rule else None
        exported.unintended.hear(said)
        if exported.ended is not None:
            ended, exported.ended = exported.ended, None
            exported.unintended.hear(ended(status, None))
        if status is ErrorStatus.NONE and call.message and isinstance(arguments[-1], PreparedModelProxy):
            arguments[-1].computed_by = one_line(call.message)
            exported.unintended.computed_by.add(arguments[-1].computed_by)
        with because_of(said):
            self._notify(exported, arguments)

    def tell_death(self) -> None:
        """Notify all callbacks that still wait with DEAD_OBJECT (docs/contract/hal.md 11.1)."""
        for exported in list(self._exported.values()):
            if not exported.notified:
                self._notify(exported, (ErrorStatus.DEAD_OBJECT, *CALLBACKS[exported.interface]))

    def _forget(self, identifier: int) -> None:
        """Remove a callback that the service has dropped.

        A callback that has not been notified stays: its notification may be on its way with a reply, or comes when the
        service dies. Callbacks of bursts need never be notified, so only the last ones of these stay.
        """
        exported = self._exported.get(identifier)
        if exported is not None:
            exported.dropped = True
            if exported.notified:
                self._exported.pop(identifier, None)
            elif exported.interface is MemoriesCallback:
                self._unasked.append(identifier)
        while len(self._unasked) > _UNASKED_KEPT:
            self._exported.pop(self._unasked.popleft(), None)

    def _notify(self, exported: Exported, arguments: tuple[Any, ...]) -> None:
        exported.notified = True
        if exported.dropped:
            self._exported.pop(exported.id, None)
        try:
            exported.callback.notify(*arguments)
        except Exception:  # noqa: BLE001 - one callback's fault must not end the delivery of others
            self.faults.append(traceback.format_exc())


class Settled(threading.Event):
    """See :class:`nnvet.transport.wire.methods.SettledCallback`."""

    def notify(self, status: ErrorStatus) -> None:
        """Wake the waiting threads; ``status`` is NONE, or DEAD_OBJECT if the service has died meanwhile."""
        del status
        self.set()
