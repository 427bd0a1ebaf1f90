"""Drivers with other device memory than the bundled one, or none; reached by ``python:FILE:NAME``."""

from collections.abc import Callable
from typing import Any

from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.errors import failure
from nnvet.hal.interfaces import Buffer, Device
from nnvet.reference_driver.zoo.full_device import FullDevice

Allocated = tuple[Buffer, int]


def _with_allocate(answer: Callable[[Callable[..., Allocated], tuple[Any, ...]], Any]) -> Device:
    """A driver whose allocations are answered by a function of the right method and its arguments."""

    class Answering(FullDevice):
        def allocate(self, *arguments: Any, **named: Any) -> Allocated:
            """Answer."""
            assert not named
            allocated: Allocated = answer(super().allocate, arguments)
            return allocated

    return Answering()


def without() -> Device:
    """No device memory at all; bad arguments are mostly not looked at."""

    class Without(FullDevice):
        allocate = BaseDevice.allocate  # type: ignore[assignment]

    return Without()


def inputs_only() -> Device:
    """No device memory for outputs."""

    def answer(right: Callable[..., Allocated], arguments: tuple[Any, ...]) -> Allocated:
        buffer, token = right(*arguments)
        if arguments[3]:
            raise failure("no outputs", "allocate/supported")
        return buffer, token

    return _with_allocate(answer)


def known_shapes() -> Device:
    """No device memory of unknown shape, like the sample drivers."""

    def answer(right: Callable[..., Allocated], arguments: tuple[Any, ...]) -> Allocated:
        buffer, token = right(*arguments)
        if 0 in buffer.memory.operand.dimensions:  # type: ignore[attr-defined]
            raise failure("unknown size", "allocate/supported")
        return buffer, token

    return _with_allocate(answer)


def token_zero() -> Device:
    """A buffer without a token (BAD_TOKEN of docs/contract/cts-tests.md 2.7)."""
    return _with_allocate(lambda right, arguments: (right(*arguments)[0], 0))


def null_buffer() -> Device:
    """A token without a buffer (BAD_IBUFFER)."""
    return _with_allocate(lambda right, arguments: (None, right(*arguments)[1]))


def raising() -> Device:
    """No answer but an exception."""
    return _with_allocate(lambda *_: {}["nothing"])
