"""Table of all methods that can be called over the wire, made from the signatures of the interfaces.

Both ends of a session use the table: the client makes its proxies from it, and the service decodes calls with it. So a
method that is added to an interface needs no code for the wire.

The second part assigns each method to a trace bucket, for both sides. Source: docs/contract/sample-driver.md 10.3.
Queries are initialisation, preparing is compilation, and all other calls on a prepared model are execution. Device
memory has no phase of its own. Internal calls of bursts and sessions happen while another call waits, so they count
for neither side.
"""

from __future__ import annotations

import collections.abc
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Protocol, get_args, get_origin, get_type_hints, runtime_checkable

import msgspec.inspect as inspection

from nnvet.diagnostics.tracing import Bucket, Layer, TracePhase
from nnvet.hal import interfaces
from nnvet.hal.types import ErrorStatus, Handle, Timing
from nnvet.transport.burst.packets import BurstContext, MemoriesCallback
from nnvet.transport.message_queue import QueueDescriptor


@runtime_checkable
class SettledCallback(Protocol):
    """Callback that the service calls after all its earlier notifications."""

    def notify(self, status: ErrorStatus) -> None:
        """Report that all earlier notifications have been sent; called once, always with status NONE."""


class Service(Protocol):
    """Methods of the session itself, which the service implements."""

    def open_lane(self, lane: Handle) -> None:
        """Serve calls on one more connection, a socket; this call has no reply."""

    def settle(self, callback: SettledCallback) -> None:
        """Notify the callback after all earlier notifications, so that a client can wait for them."""

    def open_client(self, primary: Handle) -> None:
        """Begin another session over this socket; it counts as another client in every respect."""

    def open_burst(
        self,
        prepared_model: interfaces.PreparedModel,
        callback: MemoriesCallback,
        requests: QueueDescriptor,
        results: QueueDescriptor,
    ) -> BurstContext:
        """Open a burst whose requests and results go through queues that the client has made."""

    def open_execution(
        self, execution: interfaces.Execution, requests: QueueDescriptor, results: QueueDescriptor
    ) -> BurstContext:
        """Run a reusable execution for each request on a queue that the client has made."""


SERVICE_ID: Final = 0
DEVICE_ID: Final = 1
"""Ids of the two objects that every service has from the start: :class:`Service`, and its device."""

OBJECTS: Final = (
    interfaces.Device,
    interfaces.PreparedModel,
    interfaces.Execution,
    interfaces.Burst,
    interfaces.Buffer,
    interfaces.FencedExecutionCallback,
    BurstContext,
)
"""Interfaces whose objects live in the service."""

CALLBACKS: Final[dict[Any, tuple[object, ...]]] = {
    interfaces.PreparedModelCallback: (None,),
    interfaces.ExecutionCallback: ((), Timing()),
    SettledCallback: (),
    MemoriesCallback: ((),),
}
"""Interfaces whose objects live in the client, with the arguments that follow the status if there is no result."""


@dataclass(frozen=True, slots=True)
class Method:
    """One method: ``arguments`` and ``result`` are types that :mod:`msgspec` decodes.

    ``has_texts`` is True if the result contains strings. ``refers_to`` is the interface of the object that the result
    contains. For methods of callbacks both describe the arguments. ``callback`` is the interface of the argument
    that the callee notifies, and ``callback_index`` its position.
    """

    name: str
    interface: Any
    attribute: str
    arguments: Any
    result: Any
    signature: inspect.Signature
    is_property: bool = False
    has_texts: bool = False
    refers_to: Any = None
    callback: Any = None
    callback_index: int = -1

    def positional(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """Return the arguments of a call in the order of declaration.

        :raises TypeError: they do not fit the method.
        """
        if not named and len(arguments) + 1 == len(self.signature.parameters):
            return arguments
        return self.signature.bind(None, *arguments, **named).args[1:]


def _methods(interface: type) -> Iterator[Method]:
    for attribute, member in vars(interface).items():
        is_property = isinstance(member, property)
        function = member.fget if isinstance(member, property) else member
        if attribute.startswith("_") or not inspect.isfunction(function):
            continue
        hints = get_type_hints(function)
        result = hints.pop("return")
        callback = next((hint for hint in hints.values() if hint in CALLBACKS), None)
        arguments = tuple.__class_getitem__(tuple(_nullable(hint) for hint in hints.values()))
        payload = list(_parts(inspection.type_info(arguments if interface in CALLBACKS else result)))
        yield Method(
            name=f"{interface.__name__}.{attribute}",
            interface=interface,
            attribute=attribute,
            arguments=arguments,
            result=result,
            signature=inspect.signature(function),
            is_property=is_property,
            has_texts=any(isinstance(part, inspection.StrType) for part in payload),
            refers_to=next((part.cls for part in payload if getattr(part, "cls", None) in OBJECTS), None),
            callback=callback,
            callback_index=list(hints.values()).index(callback) if callback else -1,
        )


def _parts(information: Any) -> Iterator[Any]:
    """Yield msgspec's description of a type, and those of all types that it contains."""
    yield information
    for child in children(information):
        yield from _parts(child)


def children(information: Any) -> tuple[Any, ...]:
    """Return the types that a type directly contains, all as msgspec describes them."""
    if isinstance(information, inspection.StructType):
        return tuple(field.type for field in information.fields)
    if isinstance(information, inspection.UnionType):
        return information.types
    if isinstance(information, inspection.TupleType):
        return information.item_types
    return (information.item_type,) if isinstance(information, inspection.VarTupleType) else ()


def _nullable(hint: Any) -> Any:
    """Allow objects to be None, since the driver has to decide whether null is legal; replace sequences by tuples."""
    if get_origin(hint) is collections.abc.Sequence:
        return tuple.__class_getitem__((_nullable(get_args(hint)[0]), ...))
    return hint | None if hint in (*OBJECTS, *CALLBACKS) else hint


METHODS: Final[dict[str, Method]] = {
    method.name: method for interface in (Service, *OBJECTS, *CALLBACKS) for method in _methods(interface)
}
"""Every method that can be called over the wire, by ``Interface.method``."""


@cache
def methods_of(interface: type) -> tuple[Method, ...]:
    """Return the methods of one interface, in the order of declaration."""
    return tuple(method for method in METHODS.values() if method.interface is interface)


# Phases of the trace: of all methods of an interface, and of methods that differ from their interface.
_INTERFACES: Final[dict[Any, TracePhase]] = {
    interfaces.Device: TracePhase.INITIALIZATION,
    interfaces.PreparedModel: TracePhase.EXECUTION,
    interfaces.Execution: TracePhase.EXECUTION,
    interfaces.Burst: TracePhase.EXECUTION,
    interfaces.FencedExecutionCallback: TracePhase.EXECUTION,
}
_METHODS: Final = {
    "Device.get_supported_operations": TracePhase.COMPILATION,
    "Device.prepare_model": TracePhase.COMPILATION,
    "Device.prepare_model_from_cache": TracePhase.COMPILATION,
    "Device.allocate": TracePhase.UNSPECIFIED,
}
_INTERNAL: Final = (BurstContext, Service)


def _bucket(layer: Layer, method: Method) -> Bucket:
    phase = _METHODS.get(method.name, _INTERFACES.get(method.interface, TracePhase.UNSPECIFIED))
    return Bucket(Layer.OTHER if method.interface in _INTERNAL else layer, phase)


IPC_BUCKETS: Final = {method.name: _bucket(Layer.IPC, method) for method in METHODS.values()}
"""Bucket of a call for the client that waits for it, by method."""
DRIVER_BUCKETS: Final = {method.name: _bucket(Layer.DRIVER, method) for method in METHODS.values()}
"""Bucket of a call for the driver that executes it, by method."""
