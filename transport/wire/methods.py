"""The table of methods, read off the interfaces: what both ends of a session are driven by.

Trace buckets of the calls over the wire: one for each method, on either side.

Source: docs/contract/sample-driver.md 10.3: queries are initialisation, preparing is compilation, all else of a
prepared model is execution; device memory belongs to whatever it is used for. How the two ends of a burst exchange
memories, and how a session looks after itself, happens while somebody else waits, and so counts for nobody.
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
from nnvet.hal.interfaces import (
    Buffer,
    Burst,
    Device,
    Execution,
    ExecutionCallback,
    FencedExecutionCallback,
    PreparedModel,
    PreparedModelCallback,
)
from nnvet.hal.memory import Handle
from nnvet.hal.types import ErrorStatus, Timing
from nnvet.transport.burst.packets import BurstContext, MemoriesCallback
from nnvet.transport.message_queue import QueueDescriptor


@runtime_checkable
class SettledCallback(Protocol):
    """Called after every notification that the service had sent before."""

    def notify(self, status: ErrorStatus) -> None:
        """Called once; ``status`` is always NONE."""


class Service(Protocol):
    """The service's end of a session itself."""

    def open_lane(self, lane: Handle) -> None:
        """Serve calls on one more connection, a socket; not answered."""

    def settle(self, callback: SettledCallback) -> None:
        """Notify the callback, after everything that is notified before it."""

    def open_client(self, primary: Handle) -> None:
        """Begin one more session, whose primary is this socket; it is another client in all respects."""

    def open_burst(
        self,
        prepared_model: PreparedModel,
        callback: MemoriesCallback,
        requests: QueueDescriptor,
        results: QueueDescriptor,
    ) -> BurstContext:
        """Open a burst whose requests and results go through queues that the client has made."""

    def open_execution(self, execution: Execution, requests: QueueDescriptor, results: QueueDescriptor) -> BurstContext:
        """Run a reusable execution for each request on a queue that the client has made."""


SERVICE_ID: Final = 0
DEVICE_ID: Final = 1

OBJECTS: Final = (Device, PreparedModel, Execution, Burst, Buffer, FencedExecutionCallback, BurstContext)
"""Interfaces of the service's objects."""

CALLBACKS: Final[dict[Any, tuple[object, ...]]] = {
    PreparedModelCallback: (None,),
    ExecutionCallback: ((), Timing()),
    SettledCallback: (),
    MemoriesCallback: ((),),
}
"""Interfaces of the client's objects, with what follows the status when there is nothing to say."""


@dataclass(frozen=True, slots=True)
class Method:
    """One method: ``arguments`` and ``result`` are types that :mod:`msgspec` decodes.

    ``has_texts`` is whether there are texts in the result, and ``refers_to`` the interface of the object in it; of a
    notification, in its arguments. ``callback`` is the interface of the argument that the callee notifies, and
    ``callback_index`` its place.
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
        """The arguments of a call in the order of declaration.

        :raises TypeError: if they do not fit the method.
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
        said = list(_parts(inspection.type_info(arguments if interface in CALLBACKS else result)))
        yield Method(
            name=f"{interface.__name__}.{attribute}",
            interface=interface,
            attribute=attribute,
            arguments=arguments,
            result=result,
            signature=inspect.signature(function),
            is_property=is_property,
            has_texts=any(isinstance(part, inspection.StrType) for part in said),
            refers_to=next((part.cls for part in said if getattr(part, "cls", None) in OBJECTS), None),
            callback=callback,
            callback_index=list(hints.values()).index(callback) if callback else -1,
        )


def _parts(information: Any) -> Iterator[Any]:
    """A type and all that it is made of, as msgspec tells them."""
    yield information
    for child in children(information):
        yield from _parts(child)


def children(information: Any) -> tuple[Any, ...]:
    """The types that a type, as msgspec tells it, is directly made of."""
    if isinstance(information, inspection.StructType):
        return tuple(field.type for field in information.fields)
    if isinstance(information, inspection.UnionType):
        return information.types
    if isinstance(information, inspection.TupleType):
        return information.item_types
    return (information.item_type,) if isinstance(information, inspection.VarTupleType) else ()


def _nullable(hint: Any) -> Any:
    """Objects may be null and lists of any kind are tuples: whether null is legal, the driver decides."""
    if get_origin(hint) is collections.abc.Sequence:
        return tuple.__class_getitem__((_nullable(get_args(hint)[0]), ...))
    return hint | None if hint in (*OBJECTS, *CALLBACKS) else hint


METHODS: Final[dict[str, Method]] = {
    method.name: method for interface in (Service, *OBJECTS, *CALLBACKS) for method in _methods(interface)
}
"""Every method that can be called over the wire, by ``Interface.method``."""


@cache
def methods_of(interface: type) -> tuple[Method, ...]:
    """The methods of one interface, in the order of declaration."""
    return tuple(method for method in METHODS.values() if method.interface is interface)


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
