"""The client's callbacks: each is registered with a call, and is notified by the service, or of the service's death.

:mod:`nnvet.transport.wire.client` owns the table, and passes notifications to it from its thread and from replies.
"""

from __future__ import annotations

import itertools
import threading
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from nnvet.hal.calling import because_of
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError, failure
from nnvet.hal.types import Handle
from nnvet.transport.burst.packets import MemoriesCallback
from nnvet.transport.wire.codec import FAREWELL, CallMessage, Codec
from nnvet.transport.wire.failures import Unintended
from nnvet.transport.wire.framing import WireError
from nnvet.transport.wire.methods import CALLBACKS, METHODS
from nnvet.transport.wire.proxies import PreparedModelProxy
from nnvet.transport.wire.texts import one_line

_FAULTS_KEPT: Final = 100
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
