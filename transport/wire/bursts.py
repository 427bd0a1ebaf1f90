"""Bursts of a service's prepared models: over queues where the service takes them, by calls where it does not."""

from __future__ import annotations

import weakref
from typing import Final

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Burst
from nnvet.transport.burst.client import QueueBurst
from nnvet.transport.burst.interfaces import BurstContext
from nnvet.transport.burst.packets import DATUM_BYTES
from nnvet.transport.burst.polling import client_window_s, enlist
from nnvet.transport.message_queue import QueueReader, QueueWriter, create_queue
from nnvet.transport.wire.connection import Reference
from nnvet.transport.wire.methods import METHODS, SERVICE_ID

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
    """See :class:`nnvet.transport.burst.interfaces.MemoriesCallback`. A burst ends when nobody but this knows it."""

    burst: weakref.ref[QueueBurst] | None = None

    def notify(self, status: ErrorStatus, slots: tuple[int, ...]) -> None:
        """Have the burst supply the memories."""
        burst = self.burst() if self.burst is not None else None
        if burst is not None and status is ErrorStatus.NONE:
            burst.supply_memories(slots)
