"""Device memory of a device over devices, its members: a member that alone has all roles of a buffer allocates it.

A token has a meaning only for the member that issued it, and two members may give the same token. So clients get other
numbers (:class:`SplitTokens`), and a request with device memory is executed by the member that owns the memory, without
a fallback. If one member has the whole model, the client uses that member's prepared model directly, so its requests
have the member's own tokens (:class:`WholeModels`).
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from msgspec.structs import replace

from nnvet.hal.errors import invalid
from nnvet.hal.interfaces import Buffer, PreparedModel
from nnvet.hal.types import BufferToken, Memory, Model, Request

_FIRST: Final = 2**30
"""First number for clients: devices count from 1, and a number that is mistaken for a token is to be unknown."""


class StepUse(NamedTuple):
    """An input or output of a prepared step; ``place`` is its position among the step's inputs or outputs."""

    device: int
    prepared: PreparedModel
    place: int
    is_input: bool


class MemberToken(NamedTuple):
    """A token of device memory, and the device that issued it."""

    device: int
    token: int


class SplitTokens:
    """Tokens of device memory by the numbers that clients know."""

    def __init__(self) -> None:
        """Start with no tokens."""
        self._numbers = itertools.count(_FIRST)
        self._made: dict[int, MemberToken] = {}

    def add(self, device: int, token: int, buffer: Buffer) -> int:
        """Return the client's number for a device's token; it is valid as long as the buffer lives."""
        number = next(self._numbers)
        self._made[number] = MemberToken(device, token)
        weakref.finalize(buffer, self._made.pop, number, None)
        return number

    def owner(self, pool: Memory | BufferToken) -> int | None:
        """Return the device that allocated device memory; None for memory of another kind.

        :raises HalError: INVALID_ARGUMENT if no device allocated it.
        """
        return self._find(pool).device if isinstance(pool, BufferToken) else None

    def _find(self, pool: BufferToken) -> MemberToken:
        found = self._made.get(pool.token)
        if found is None:
            raise invalid(f"there is no device memory {pool.token}", "buffer/token")
        return found

    def for_owners(self, request: Request) -> Request:
        """Return the request with each number replaced by the token of its device."""
        if not any(isinstance(pool, BufferToken) for pool in request.pools):
            return request
        pools = [
            BufferToken(self._find(pool).token) if isinstance(pool, BufferToken) else pool for pool in request.pools
        ]
        return replace(request, pools=tuple(pools))


class WholeModel(NamedTuple):
    """A model that a device has prepared as it is, and the client uses without anything between."""

    device: int
    model: Model


class WholeModels:
    """Prepared models of single devices, as long as clients have them."""

    def __init__(self) -> None:
        """Begin without any."""
        self._known: weakref.WeakKeyDictionary[PreparedModel, WholeModel] = weakref.WeakKeyDictionary()

    def add(self, prepared: PreparedModel, device: int, model: Model) -> None:
        """Remember the device of a prepared model; objects that cannot be looked up get no device memory."""
        with suppress(TypeError):
            self._known[prepared] = WholeModel(device, model)

    def model_of(self, prepared: PreparedModel | None) -> Model | None:
        """Return the model; None if it is not known."""
        found = self._find(prepared)
        return None if found is None else found.model

    def only_device(self, models: Sequence[PreparedModel | None]) -> int | None:
        """Return the device of all those that are known; None if there are several or none."""
        devices = {found.device for found in map(self._find, models) if found is not None}
        return devices.pop() if len(devices) == 1 else None

    def _find(self, prepared: PreparedModel | None) -> WholeModel | None:
        with suppress(TypeError):
            return None if prepared is None else self._known.get(prepared)
        return None
