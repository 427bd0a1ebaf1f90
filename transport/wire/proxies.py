"""Objects of a service as its client sees them: one class for each interface, made from the table of methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nnvet.hal.interfaces import Execution, PreparedModel
from nnvet.transport.wire.bursts import open_burst
from nnvet.transport.wire.connection import Connection
from nnvet.transport.wire.executions import Runs, run_execution
from nnvet.transport.wire.methods import OBJECTS, Method, methods_of


class Proxy:
    """Stands for an object of the service; the service releases its object once the proxy is forgotten."""

    __slots__ = ("id", "session")

    def __init__(self, session: Connection, identifier: int) -> None:
        """Refer to the object that the service knows as ``identifier``."""
        self.session = session
        self.id = identifier

    def __del__(self) -> None:
        """Have the object released with the next call; must not lock, since it runs at any point."""
        self.session.release(self.id)

    def __repr__(self) -> str:
        """The interface, and the id by which the service knows the object."""
        return f"<{type(self).__name__} {self.id}>"


class PreparedModelProxy(Proxy):
    """Knows who computes the model, if the service has said so with its notification."""

    __slots__ = ("computed_by",)

    def __init__(self, session: Connection, identifier: int) -> None:
        """Nothing is known yet."""
        super().__init__(session, identifier)
        self.computed_by = ""


class _ExecutionBase(Proxy):
    """Remembers how often it has run."""

    __slots__ = ("runs",)

    def __init__(self, session: Connection, identifier: int) -> None:
        super().__init__(session, identifier)
        self.runs = Runs()


_BASES: Final[dict[Any, type[Proxy]]] = {Execution: _ExecutionBase, PreparedModel: PreparedModelProxy}
_SPECIAL: Final[dict[str, Callable[..., Any]]] = {
    "PreparedModel.configure_execution_burst": open_burst,
    "Execution.execute_synchronously": run_execution,
}
"""Methods that are not simply one call."""


def _caller(method: Method) -> Callable[..., Any]:
    count = len(method.signature.parameters) - 1

    def call(self: Proxy, *arguments: Any, **named: Any) -> Any:
        if named or len(arguments) != count:
            arguments = method.positional(arguments, named)
        return self.session.call(self.id, method, arguments)

    call.__doc__ = f"See :mod:`nnvet.hal.interfaces`, {method.name}."
    return call


def _naming_computer(caller: Callable[..., Any]) -> Callable[..., Any]:
    """A call to a prepared model, which is used by another case, perhaps, than the one that has prepared it."""

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
"""Proxy class of each interface."""
