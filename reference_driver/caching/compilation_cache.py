"""Compilation caching of the bundled driver: save prepared models in a client's cache files, and prepare from them.

The driver also remembers, on its own disk, what it wrote under which token, so that it recognises changed files even
after a restart. After an execution it adds the plans of the operations to the data cache: facts about shapes that only
an execution can find out.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import msgspec
from msgspec.msgpack import Decoder, Encoder
from msgspec.structs import replace

from nnvet.hal.errors import HalError, failure
from nnvet.hal.extensions import ExtensionDeclaration
from nnvet.hal.operations.declaration import Argument, OutputSpec
from nnvet.hal.types import Handle, MappableFile, Model, NumberOfCacheFiles, OwnedHandle, PrepareModelConfig
from nnvet.reference_driver.caching import content as files
from nnvet.reference_driver.caching.content import (
    StoredModel,
    decode,
    digest,
    encode,
    restore,
    self_contained,
    stored_form,
)
from nnvet.reference_driver.caching.tokens import Entry, TokenMap, state_folder
from nnvet.reference_driver.compiled import CompiledModel, CompiledOperation, CompiledSubgraph
from nnvet.reference_driver.prepared import ReferencePreparedModel

_Shapes = tuple[tuple[int, ...], ...]
"""Dimensions of all inputs of an operation."""


class _Output(msgspec.Struct, frozen=True, array_like=True):
    """An inferred output of an operation."""

    dimensions: tuple[int, ...]
    scale: float
    zero_point: int


class _Plan(msgspec.Struct, frozen=True, array_like=True):
    """The outputs that were inferred for an operation with inputs of these ``shapes``; subgraph 0 is the main one."""

    subgraph: int
    operation: int
    shapes: _Shapes
    specs: tuple[OutputSpec, ...]
    outputs: tuple[_Output, ...]


def _plain(value: object) -> object:
    """Return NumPy's numbers, which shape inference may produce, as Python's numbers."""
    return value.item()  # type: ignore[attr-defined] # all else has a form of its own


_ENCODER: Final = Encoder(enc_hook=_plain)
_DECODER: Final = Decoder(tuple[_Plan, ...])


def encode_plans(model: CompiledModel) -> bytes:
    """Return all present plans of a model as bytes."""
    return _ENCODER.encode(
        tuple(
            _Plan(position, index, shapes, tuple(specs), tuple(_output(output) for output in outputs))
            for position, index, _, step in _steps(model)
            for shapes, (specs, outputs) in list(step.plans.items())
        )
    )


def restore_plans(model: CompiledModel, data: bytes) -> None:
    """Give a model the plans that :func:`encode_plans` returned for an equal model.

    :raises msgspec.DecodeError: for any other bytes.
    """
    steps = {(position, index): (subgraph, step) for position, index, subgraph, step in _steps(model)}
    for plan in _DECODER.decode(data):
        subgraph, step = steps[plan.subgraph, plan.operation]
        declared = [subgraph.arguments[index] for index in step.operation.outputs]
        outputs = [
            replace(operand, dimensions=output.dimensions, scale=output.scale, zero_point=output.zero_point)
            for operand, output in zip(declared, plan.outputs, strict=True)
        ]
        step.plans[plan.shapes] = (plan.specs, outputs)


def _output(argument: Argument) -> _Output:
    return _Output(argument.dimensions, argument.scale, argument.zero_point)


def _steps(model: CompiledModel) -> Iterator[tuple[int, int, CompiledSubgraph, CompiledOperation]]:
    for position, subgraph in enumerate((model.main, *model.referenced)):
        for index, step in enumerate(subgraph.operations):
            if isinstance(step, CompiledOperation):
                yield position, index, subgraph, step


_log = logging.getLogger("nnvet.reference.cache")


@dataclass
class JustInTimeUpdate:
    """Callable that is called after each execution of a cached model, and updates the data cache once.

    ``turn`` and ``tokens`` belong to the cache, ``entry`` and ``stored`` describe the cached model. ``file`` is a
    duplicate, since clients close their descriptors once the model is prepared; it is closed after the update.
    """

    turn: threading.Lock
    tokens: TokenMap
    token: bytes
    entry: Entry
    stored: StoredModel
    file: Handle
    _busy: threading.Lock = field(default_factory=threading.Lock)
    _done: bool = False

    def __call__(self, compiled: CompiledModel) -> None:
        """Write the present plans of ``compiled``, unless they have been written or cannot be written."""
        if self._done or not self._busy.acquire(blocking=False):
            return
        try:
            if not self._done:
                self._done = self._try(encode_plans(compiled))
        finally:
            self._busy.release()

    def _try(self, plans: bytes) -> bool:
        """Update the file; return True if there is no use in trying again."""
        try:
            with self.turn, files.lock_folder(self.file.fd):
                self._update(plans)
        except BlockingIOError:
            return False
        except OSError as error:
            _log.warning("the data cache is not updated: %s", error)
        self.file.close()
        return True

    def _update(self, plans: bytes) -> None:
        # Since the model was prepared, another model's constants may have been written into the file.
        size = self.stored.constants_size
        if digest(files.read_at(self.file.fd, size)) != self.stored.constants_hash:
            return
        entry = replace(self.entry, plans_hash=digest(plans), plans_size=len(plans))
        if self.tokens.amend(self.token, self.entry, entry):
            files.overwrite(self.file.fd, plans, size)


Build = Callable[[Model, PrepareModelConfig], ReferencePreparedModel]
"""Function that prepares a model without a cache."""

_FORMAT: Final = 1
"""Number of the format of the files and the map; it has to be increased with every change of their contents."""


class CompilationCache:
    """The cache of one device. A lock keeps threads apart that save or update; loading needs no lock."""

    files_needed = NumberOfCacheFiles(num_model_cache=1, num_data_cache=1)

    def __init__(self, device: str, version: str, extensions: Sequence[ExtensionDeclaration] = ()) -> None:
        """Make the cache for ``version`` of a device's driver, whose models may use the codes of ``extensions``."""
        self.tokens = TokenMap(state_folder(device), f"{version}, cache format {_FORMAT}")
        self.turn = threading.Lock()
        self._extensions = extensions

    def compile(self, model: Model, config: PrepareModelConfig, build: Build) -> ReferencePreparedModel:
        """Build a model with resolved codes and save it, if there are files to save it in.

        :raises HalError: as building fails; never because of the cache.
        """
        if not self.is_wanted(config):
            return build(model, config)
        kept = self_contained(model)
        prepared = build(kept, config)
        try:
            self.save(prepared, kept, config)
        except OSError as error:
            _log.warning("a model is not cached: %s", error)
        return prepared

    def load(
        self, model_cache: Sequence[MappableFile], data_cache: Sequence[MappableFile], token: bytes, build: Build
    ) -> ReferencePreparedModel:
        """Build the model that was saved in the files under the token.

        :raises HalError: INVALID_ARGUMENT for a wrong number of files, no descriptors, or a token of a wrong size;
            GENERAL_FAILURE for anything else that keeps the model from being what was saved.
        """
        self.check(model_cache, data_cache, token)
        data_fd = data_cache[0].handle.fd
        try:
            entry, stored = self.verified(model_cache[0].handle.fd, token)
            constants = files.read_at(data_fd, stored.constants_size)
            plans = files.read_at(data_fd, entry.plans_size, len(constants))
        except (OSError, msgspec.DecodeError) as error:
            raise failure(f"the cache files cannot be read: {error}", "cache/retrieval") from error
        if digest(constants) != stored.constants_hash:
            raise failure("the data cache is not what was saved", "cache/tampered_data_cache")
        prepared = build(restore(stored, constants, self._extensions), stored.config)
        if entry.plans_size and digest(plans) == entry.plans_hash:
            restore_plans(prepared.compiled, plans)
        else:
            # It is faster with the plans, but goes without.
            with suppress(OSError):
                prepared.executed = self.update(data_fd, token, entry, stored)
        return prepared

    def check(self, model_cache: Sequence[MappableFile], data_cache: Sequence[MappableFile], token: bytes) -> None:
        """Check everything about the arguments of caching but the files' contents.

        :raises HalError: INVALID_ARGUMENT or GENERAL_FAILURE.
        """
        files.check_arguments(self.files_needed, model_cache, data_cache, token)

    def is_wanted(self, config: PrepareModelConfig) -> bool:
        """Return True if a preparation has to be saved; it is not if the arguments of caching are wrong.

        Source: docs/contract/hal.md 10.2.
        """
        if not config.model_cache and not config.data_cache:
            # Most preparations have no cache files; raising an error for them would take longer than all else here.
            return False
        try:
            self.check(config.model_cache, config.data_cache, config.cache_token)
        except HalError as error:
            _log.debug("not cached: %s", error)
            return False
        return True

    def save(self, prepared: ReferencePreparedModel, model: Model, config: PrepareModelConfig) -> None:
        """Fill the cache files, record the hash of the model cache, and have plans added once there are some.

        :raises OSError: if the files or the records cannot be written; incomplete files are refused later.
        """
        stored = stored_form(model, config, self._extensions)
        content = encode(stored)
        model_fd, data_fd = config.model_cache[0].handle.fd, config.data_cache[0].handle.fd
        with self.turn, files.lock_folder(model_fd), files.lock_folder(data_fd):
            self.write(data_fd, model.operand_values)
            self.write(model_fd, content)
            entry = Entry(self.hash_of(content, model_fd), len(content))
            self.tokens.put(config.cache_token, entry)
        prepared.executed = self.update(data_fd, config.cache_token, entry, stored)

    def update(self, fd: int, token: bytes, entry: Entry, stored: StoredModel) -> JustInTimeUpdate:
        """Return the writer that adds plans to the data cache after an execution; it has its own descriptor.

        :raises OSError: the descriptor cannot be duplicated.
        """
        return JustInTimeUpdate(self.turn, self.tokens, token, entry, stored, OwnedHandle(os.dup(fd)))

    def write(self, fd: int, content: bytes) -> None:
        """Replace the whole content of a cache file.

        :raises OSError: if it cannot be written.
        """
        files.overwrite(fd, content)

    def hash_of(self, content: bytes, fd: int) -> bytes:
        """Return the hash of the bytes that were written; the file itself may have been changed by now."""
        del fd
        return digest(content)

    def verified(self, fd: int, token: bytes) -> tuple[Entry, StoredModel]:
        """Return the entry of a token and the content of the model cache, if it is the content saved under this token.

        :raises HalError: GENERAL_FAILURE.
        :raises OSError: if the file cannot be read.
        """
        entry = self.tokens.get(token)
        if entry is None:
            raise failure("nothing was saved under this token", "cache/token")
        if files.file_size(fd) != entry.model_size:
            raise failure("the model cache has not the size that was saved", "cache/tampered_model_cache")
        # The file is read only once, because the client may change it between two reads.
        content = files.read_at(fd, entry.model_size)
        if digest(content) != entry.model_hash:
            raise failure("the model cache is not what was saved under the token", "cache/tampered_model_cache")
        return entry, decode(content)
