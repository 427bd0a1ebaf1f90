"""Device memory of a device over devices: one of its devices makes it, if that one alone has all its roles.

A token means nothing to other devices, and two devices may have the same ones. So a client gets numbers of its own,
and a request with one is executed by the device that it belongs to, without a fallback.
"""

from __future__ import annotations

import itertools
import weakref
from typing import NamedTuple

from msgspec.structs import replace

from nnvet.hal.errors import invalid
from nnvet.hal.interfaces import Buffer, PreparedModel
from nnvet.hal.types import BufferToken, Memory, Request


class StepUse(NamedTuple):
    """An input or output of a prepared step, by its ``place`` among those."""

    device: int
    prepared: PreparedModel
    place: int
    is_input: bool


class MemberToken(NamedTuple):
    """A token of device memory, and the device that knows it."""

    device: int
    token: int


class SplitTokens:
    """Tokens of device memory that the devices have made, by the numbers that clients have for them."""

    def __init__(self) -> None:
        """Begin without any."""
        self._numbers = itertools.count(1)
        self._made: dict[int, MemberToken] = {}

    def add(self, device: int, token: int, buffer: Buffer) -> int:
        """Return the number by which a client names a device's token, as long as the buffer is there."""
        number = next(self._numbers)
        self._made[number] = MemberToken(device, token)
        weakref.finalize(buffer, self._made.pop, number, None)
        return number

    def owner(self, pool: Memory | BufferToken) -> int | None:
        """Return the device that has made device memory; None for memory of another kind.

        :raises HalError: INVALID_ARGUMENT if nobody has made it.
        """
        return self._find(pool).device if isinstance(pool, BufferToken) else None

    def _find(self, pool: BufferToken) -> MemberToken:
        found = self._made.get(pool.token)
        if found is None:
            raise invalid(f"there is no device memory {pool.token}", "buffer/token")
        return found

    def for_owners(self, request: Request) -> Request:
        """Return a request with the tokens that the devices themselves have given."""
        if not any(isinstance(pool, BufferToken) for pool in request.pools):
            return request
        pools = [
            BufferToken(self._find(pool).token) if isinstance(pool, BufferToken) else pool for pool in request.pools
        ]
        return replace(request, pools=tuple(pools))
