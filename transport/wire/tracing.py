"""Trace buckets of the calls over the wire: one for each method, on either side.

Source: docs/contract/sample-driver.md 10.3: queries are initialisation, preparing is compilation, all else of a
prepared model is execution; device memory belongs to whatever it is used for. How the two ends of a burst exchange
memories, and how a session looks after itself, happens while somebody else waits, and so counts for nobody.
"""

from __future__ import annotations

from typing import Any, Final

from nnvet.diagnostics.tracing import Bucket, Layer, TracePhase
from nnvet.hal.interfaces import Burst, Device, Execution, FencedExecutionCallback, PreparedModel
from nnvet.transport.burst.interfaces import BurstContext
from nnvet.transport.wire.methods import METHODS, Method, Service

_INTERFACES: Final[dict[Any, TracePhase]] = {
    Device: TracePhase.INITIALIZATION,
    PreparedModel: TracePhase.EXECUTION,
    Execution: TracePhase.EXECUTION,
    Burst: TracePhase.EXECUTION,
    FencedExecutionCallback: TracePhase.EXECUTION,
}
_METHODS: Final = {
    "Device.get_supported_operations": TracePhase.COMPILATION,
    "Device.prepare_model": TracePhase.COMPILATION,
    "Device.prepare_model_from_cache": TracePhase.COMPILATION,
    "Device.allocate": TracePhase.UNSPECIFIED,
}
_NOBODY: Final = (BurstContext, Service)


def _bucket(layer: Layer, method: Method) -> Bucket:
    phase = _METHODS.get(method.name, _INTERFACES.get(method.interface, TracePhase.UNSPECIFIED))
    return Bucket(Layer.OTHER if method.interface in _NOBODY else layer, phase)


IPC_BUCKETS: Final = {method.name: _bucket(Layer.IPC, method) for method in METHODS.values()}
"""By method, what a call is for the client that waits for it."""
DRIVER_BUCKETS: Final = {method.name: _bucket(Layer.DRIVER, method) for method in METHODS.values()}
"""By method, what a call is for the driver that it has reached."""
