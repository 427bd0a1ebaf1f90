"""Drivers that raise exceptions where they should refuse, and are right otherwise; reached by ``python:FILE:NAME``."""

from __future__ import annotations

from functools import partial
from typing import Any

from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Buffer, Burst, Device, Execution, PreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice

INTERFACES = (Burst, Execution, PreparedModel, Buffer)


class Careless:
    """An object of the bundled driver: what it refuses in a call ends in a ``ValueError``, if that ``raises``."""

    def __init__(self, kept: Any, interface: type, *, raises: bool = True) -> None:
        """Stand for ``kept`` in its methods that belong to ``interface``."""
        self.kept = kept
        for name in dir(interface):
            if not name.startswith("_"):
                member = getattr(kept, name)
                setattr(self, name, partial(call, member, raises) if callable(member) else member)


class Notified:
    """A callback of the client that gets careless prepared models."""

    def __init__(self, kept: Any) -> None:
        """Stand for ``kept``."""
        self.kept = kept

    def notify(self, status: Any, *values: Any) -> None:
        """Pass it on."""
        self.kept.notify(status, *map(careless, values))


def call(method: Any, raises: bool, *arguments: Any) -> Any:
    """Call a method of the bundled driver, on its own objects."""
    try:
        return careless(method(*map(given, arguments)))
    except HalError as error:
        if not raises:
            raise
        raise ValueError(error.message) from error


def given(value: Any) -> Any:
    """Return the bundled driver's form of a client's value."""
    if isinstance(value, tuple | list):
        return type(value)(map(given, value))
    if hasattr(value, "notify"):
        return Notified(value)
    return value.kept if isinstance(value, Careless) else value


def careless(value: Any) -> Any:
    """Return the client's form of a result."""
    if type(value) is tuple:
        return tuple(map(careless, value))
    kinds = [interface for interface in INTERFACES if isinstance(value, interface)]
    return Careless(value, kinds[-1]) if kinds else value


def raising() -> Any:
    """The bundled driver, of which every refusal is an exception."""
    return Careless(FullDevice(), Device)


def raising_later() -> Any:
    """The same of what is refused by prepared models, bursts and buffers alone."""
    return Careless(FullDevice(), Device, raises=False)
