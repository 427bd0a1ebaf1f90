"""Bugs that only unusual requests, packets, files and orders of calls show, which no case of the suite has."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from functools import reduce
from operator import xor
from typing import Final

from nnvet.hal.interfaces import Burst, Device, Execution, FencedExecutionResult
from nnvet.hal.memory import Handle, MappableFile, memory_size
from nnvet.hal.types import BufferToken, ExecutionConfig, ExecutionResult, Request, RequestArgument
from nnvet.reference_driver.caching import CompilationCache, files
from nnvet.reference_driver.caching.compilation_cache import Build
from nnvet.reference_driver.caching.tokens import Entry, TokenMap, state_folder
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.burst import with_server
from nnvet.reference_driver.zoo.caching import with_cache
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.reference_driver.zoo.registry import fuzz_bug
from nnvet.transport.burst.server import BurstServer

_UINT32: Final = 2**32
_SLOTS: Final = 16
_PATCH: Final = 0x50
_WORD: Final = 8


@fuzz_bug(
    "fuzz-padding-bounds",
    "The process dies of a padding that takes the end of an argument beyond 2^32.",
    "request",
    "death *",
    service=True,
)
def padding_bounds() -> Device:
    """The end is computed in 32 bits, and looks as if it were in the pool."""

    def is_beyond(argument: RequestArgument, request: Request) -> bool:
        place = argument.location
        if argument.has_no_value or not 0 <= place.pool_index < len(request.pools):
            return False
        pool = request.pools[place.pool_index]
        end = place.offset + place.length + place.padding
        return (
            place.padding > 0
            and end >= _UINT32
            and not isinstance(pool, BufferToken)
            and (place.offset + place.length <= memory_size(pool) and end % _UINT32 <= memory_size(pool))
        )

    class Wrapping(ReferencePreparedModel):
        def check_request(self, request: Request, *, unspecified_outputs: bool) -> None:
            """Die of what would be accepted, and filled up to its end."""
            if any(is_beyond(argument, request) for argument in (*request.inputs, *request.outputs)):
                os.abort()
            super().check_request(request, unspecified_outputs=unspecified_outputs)

    return with_prepared_model(Wrapping)


@fuzz_bug("fuzz-stale-slot", "A burst keeps the memory of freed slots from 16 on.", "burst", "wrong burst/freed *")
def stale_slot() -> Device:
    """Clients of the suite give small numbers; this table is for them alone, and a list for the others."""

    class Keeping(BurstServer):
        def free_memory(self, slot: int) -> None:
            """Forget the memory of a small slot."""
            if slot < _SLOTS:
                super().free_memory(slot)

    return with_server(Keeping)


class _Patched(CompilationCache):
    def load(
        self, model_cache: Sequence[MappableFile], data_cache: Sequence[MappableFile], token: bytes, build: Build
    ) -> ReferencePreparedModel:
        """Read the patch behind constants and plans, if there is one: its kind, its size, and so many bytes."""
        prepared = super().load(model_cache, data_cache, token, build)
        entry, stored = self.verified(model_cache[0].handle.fd, token)
        known = stored.constants_size + entry.plans_size
        file = data_cache[0].handle.fd
        patch = files.read_at(file, max(0, files.file_size(file) - known), known)
        if patch and patch[0] == _PATCH:
            prepared.__dict__["patch"] = [patch[2 + place] for place in range(patch[1])]
        return prepared


@fuzz_bug(
    "fuzz-cache-over-read",
    "A patch behind the data cache is read to the size that it says it has.",
    "cache",
    "exception * IndexError*",
)
def cache_over_read() -> Device:
    """Ignore bytes that are appended to the file."""
    return with_cache(_Patched)


class _FoldedTokens(TokenMap):
    """Knows tokens by the exclusive or of their words."""

    def get(self, token: bytes) -> Entry | None:
        """Return the entry of a token."""
        return super().get(_folded(token))

    def put(self, token: bytes, entry: Entry) -> None:
        """Remember ``entry``."""
        super().put(_folded(token), entry)

    def amend(self, token: bytes, known: Entry, entry: Entry) -> bool:
        """Remember ``entry`` if ``known`` is what is still known."""
        return super().amend(_folded(token), known, entry)


def _folded(token: bytes) -> bytes:
    words = (int.from_bytes(token[place : place + _WORD], "little") for place in range(0, len(token), _WORD))
    return reduce(xor, words, 0).to_bytes(_WORD, "little")


@fuzz_bug(
    "fuzz-cache-token",
    "A token whose words are in another order is taken for the one that was saved.",
    "cache",
    "accepted cache/token *",
)
def cache_token() -> Device:
    """Tokens of which a bit is flipped are others."""
    device = FullDevice()
    device.cache.tokens = _FoldedTokens(state_folder(device.name), "folded")
    return device


class _Borrowed:
    """A reusable execution while its model lets it run."""

    def __init__(self, shared: Execution) -> None:
        """Run on ``shared``."""
        self.shared: Execution | None = shared

    def execute_synchronously(self, deadline_ns: int) -> ExecutionResult:
        """Run, whether or not there is a shared."""
        return self.shared.execute_synchronously(deadline_ns)  # type: ignore[union-attr] # the bug

    def execute_fenced(self, wait_for: Sequence[Handle], deadline_ns: int, duration_ns: int) -> FencedExecutionResult:
        """Run behind fences, whether or not there is a shared."""
        return self.shared.execute_fenced(wait_for, deadline_ns, duration_ns)  # type: ignore[union-attr] # the bug


class _Sharing(ReferencePreparedModel):
    """Takes back from all executions what they run on when the second of two bursts at a time is closed."""

    bursts = 0

    def create_reusable_execution(self, request: Request, config: ExecutionConfig) -> Execution:
        """One more that borrows."""
        execution = _Borrowed(super().create_reusable_execution(request, config))
        self.__dict__.setdefault("borrowers", weakref.WeakSet()).add(execution)
        return execution

    def configure_execution_burst(self) -> Burst:
        """A burst whose end ends more than itself, if there is another one."""
        burst = super().configure_execution_burst()
        self.bursts += 1
        weakref.finalize(burst, self.close_burst, is_second=self.bursts > 1)
        return burst

    def close_burst(self, *, is_second: bool) -> None:
        """The second burst takes all with it."""
        self.bursts -= 1
        for borrower in self.__dict__.get("borrowers", ()) if is_second else ():
            borrower.shared = None


@fuzz_bug(
    "fuzz-use-after-close",
    "Reusable executions fail once the second of two bursts at a time is closed.",
    "calls",
    "exception * AttributeError*",
)
def use_after_close() -> Device:
    """All share what they run on, and the burst frees it."""
    return with_prepared_model(_Sharing)
