"""Compilation caching of a device over devices: everything that the devices of all steps save goes into one file.

A driver has to say how many cache files it needs before it knows a model, but the number of steps depends on the model.
So each device writes to files in memory, under a token of the step's own, and their contents are packed into the
client's file together with the model. A device that cannot prepare its step from the cache prepares it anew.
:class:`SplitCache` belongs to the device and :class:`StepCaches` to one preparation;
:mod:`nnvet.adapters.split.plan` uses both.
"""

from __future__ import annotations

import logging
import os
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from typing import Final, NamedTuple

import msgspec
from msgspec.msgpack import Decoder, Encoder
from msgspec.structs import replace

from nnvet.adapters.calls import prepare, prepare_from_cache
from nnvet.adapters.split.faults import BorderFault
from nnvet.hal import types as hal
from nnvet.hal.enums import NO_DEADLINE
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.reference_driver.caching import content
from nnvet.reference_driver.caching.tokens import Entry, TokenMap, state_folder

_log = logging.getLogger("nnvet.split.cache")
"""Log of failures to save, which a client never sees."""
_FORMAT: Final = 1
"""Number of the file's layout. Raise this number with every change: files of another format count as not cached."""


class StepFiles(msgspec.Struct, frozen=True, array_like=True):
    """The contents of one step's model and data cache files."""

    models: tuple[bytes, ...] = ()
    data: tuple[bytes, ...] = ()


class SavedStep(msgspec.Struct, frozen=True, array_like=True):
    """A step: its device (or the interpreter), its operations, and the files that the device has saved."""

    device: int
    operations: tuple[int, ...]
    files: StepFiles


class SavedPlan(msgspec.Struct, frozen=True, array_like=True):
    """The steps of one model: the client's, or a part of its control flow, as ``source`` says.

    ``supported`` keeps the devices' answers, so that a fallback can be chosen without asking again.
    """

    source: tuple[int, ...]
    supported: tuple[tuple[bool, ...], ...]
    steps: tuple[SavedStep, ...]


class SavedModel(msgspec.Struct, frozen=True, array_like=True):
    """The content of the client's cache file."""

    model: hal.Model
    config: hal.PrepareModelConfig
    plans: tuple[SavedPlan, ...]


_ENCODER: Final = Encoder(enc_hook=content.plain)
"""Writer of the client's file."""
_DECODER: Final = Decoder(SavedModel)
"""Reader of the client's file."""


class StepKey(NamedTuple):
    """The key by which a step's files and prepared model are found."""

    device: int
    source: tuple[int, ...]
    operations: tuple[int, ...]


def step_token(
    token: bytes, operations: Sequence[int], name: str, version: str, config: hal.PrepareModelConfig
) -> bytes:
    """Return the cache token of a step: 32 bytes that differ whenever one of the arguments differs.

    ``operations`` names the model and the operations of the step. It is empty for a model that is not cut, whose token
    therefore differs from that of every step.
    """
    digest = sha256(token)
    digest.update(struct.pack(f"={len(operations)}i", *operations))
    for text in (name, version):
        # The terminators keep the devices ("a", "bc") and ("ab", "c") apart.
        digest.update(text.encode() + b"\0")
    digest.update(struct.pack("=ii", config.preference, config.priority))
    for hint in sorted(config.compilation_hints, key=lambda given: (given.token, given.value)):
        digest.update(struct.pack("=q", hint.token) + hint.value)
    return digest.digest()


class StepCaches:
    """The cache files of the steps of one model, in memory; ``kept`` has what an earlier preparation saved."""

    def __init__(self, token: bytes, fault: BorderFault, kept: Sequence[SavedPlan] = ()) -> None:
        """Start with the client's ``token``, from which the tokens of the steps are derived."""
        self._token = token
        self._fault = fault
        self.kept = {plan.source: plan for plan in kept}
        self._files = {
            StepKey(step.device, plan.source, step.operations): step.files for plan in kept for step in plan.steps
        }
        self._written: dict[StepKey, StepFiles] = {}
        self.plans: list[SavedPlan] = []
        """Steps that have been prepared, in the form in which they are saved."""

    def written_of(self, key: StepKey) -> StepFiles:
        """Return the files that a device wrote, or that it has just been prepared from; none if it saves nothing."""
        return self._written.get(key, StepFiles())

    def prepare(
        self, device: Device, key: StepKey, model: hal.Model, config: hal.PrepareModelConfig, *, is_whole: bool
    ) -> PreparedModel:
        """Prepare a step's model, from the kept files if the device accepts them. ``is_whole``: the model was not cut.

        :raises HalError: the device fails.
        """
        # The length of the source comes first: (1, 2) + (3,) and (1,) + (2, 3) are different steps.
        named = () if is_whole else (len(key.source), *key.source, *key.operations)
        token = step_token(self._token, self._fault.in_token(named), device.name, device.get_version_string(), config)
        needed = device.get_number_of_cache_files_needed()
        kept = self._files.get(key)
        if kept is not None and (len(kept.models), len(kept.data)) == (needed.num_model_cache, needed.num_data_cache):
            with _open_in_memory(kept) as (models, data):
                try:
                    prepared = prepare_from_cache(device, models, data, token, config.deadline_ns)
                except HalError as error:
                    _log.info("step %s is prepared anew: %s", key, error)
                else:
                    self._written[key] = kept
                    return prepared
        empty = StepFiles((b"",) * needed.num_model_cache, (b"",) * needed.num_data_cache)
        with _open_in_memory(empty) as (models, data):
            prepared = prepare(device, model, replace(config, model_cache=models, data_cache=data, cache_token=token))
            self._written[key] = StepFiles(tuple(map(_read_content, models)), tuple(map(_read_content, data)))
        return prepared


@contextmanager
def _open_in_memory(files: StepFiles) -> Iterator[tuple[tuple[hal.MappableFile, ...], tuple[hal.MappableFile, ...]]]:
    """Provide files in memory with these contents while the block runs; like real cache files they may be resized."""
    with ExitStack() as stack:

        def opened(data: bytes) -> hal.MappableFile:
            handle = hal.OwnedHandle(os.memfd_create("nnvet cache", os.MFD_CLOEXEC))
            stack.callback(handle.close)
            content.overwrite(handle.fd, data)
            return hal.MappableFile(handle, len(data))

        yield tuple(map(opened, files.models)), tuple(map(opened, files.data))


def _read_content(file: hal.MappableFile) -> bytes:
    return content.read_at(file.handle.fd, content.file_size(file.handle.fd))


class SplitCache:
    """The cache of a device over devices: one file for the client, and a private record of its hash for each token."""

    def __init__(self, devices: Sequence[Device]) -> None:
        """Ask for a cache file if at least one of the devices caches."""
        needed = [device.get_number_of_cache_files_needed() for device in devices]
        caches = any(count.num_model_cache or count.num_data_cache for count in needed)
        self.files_needed = hal.NumberOfCacheFiles(num_model_cache=int(caches))
        stamp = "\n".join(f"{device.name} {device.get_version_string()}" for device in devices)
        folder = f"split-{sha256(stamp.encode()).hexdigest()[:16]}"
        self._tokens = TokenMap(state_folder(folder), f"{stamp}, cache format {_FORMAT}")
        self._turn = threading.Lock()

    def is_wanted(self, config: hal.PrepareModelConfig) -> bool:
        """Return True if a preparation is to be saved. Wrong caching arguments mean False, not an error."""
        if not config.model_cache and not config.data_cache:
            return False
        try:
            content.check_arguments(self.files_needed, config.model_cache, config.data_cache, config.cache_token)
        except HalError as error:
            _log.debug("not cached: %s", error)
            return False
        return True

    def save(self, saved: SavedModel, config: hal.PrepareModelConfig) -> None:
        """Write the client's file and record its hash; a failure is only logged, since caching is optional."""
        fd = config.model_cache[0].handle.fd
        try:
            data = _ENCODER.encode(saved)
            with self._turn, content.lock_folder(fd):
                content.overwrite(fd, data)
                self._tokens.put(config.cache_token, Entry(content.digest(data), len(data)))
        except OSError as error:
            _log.warning("a model is not cached: %s", error)

    def load(
        self, model_cache: Sequence[hal.MappableFile], data_cache: Sequence[hal.MappableFile], token: bytes
    ) -> SavedModel:
        """Return what was saved in the file under this token.

        :raises HalError: INVALID_ARGUMENT for a wrong number of files, no descriptors, or a token of a wrong size;
            GENERAL_FAILURE if nothing was saved, or the file has changed since.
        """
        if not self.files_needed.num_model_cache:
            raise failure("no device caches anything", "cache/unsupported")
        content.check_arguments(self.files_needed, model_cache, data_cache, token)
        entry = self._tokens.get(token)
        if entry is None:
            raise failure("nothing was saved under this token", "cache/token")
        fd = model_cache[0].handle.fd
        try:
            # Read the file only once: the bytes that were verified have to be the bytes that are used.
            data = content.read_at(fd, entry.model_size + 1)
            if content.digest(data) != entry.model_hash:
                raise failure("the model cache is not what was saved under the token", "cache/tampered_model_cache")
            return _DECODER.decode(data)
        except (OSError, msgspec.DecodeError) as error:
            raise failure(f"the cache file cannot be read: {error}", "cache/retrieval") from error


def saved_config(config: hal.PrepareModelConfig) -> hal.PrepareModelConfig:
    """Return a configuration without the fields of one preparation alone: deadline, files and token."""
    return replace(
        config,
        deadline_ns=NO_DEADLINE,
        model_cache=(),
        data_cache=(),
        cache_token=bytes(hal.BYTE_SIZE_OF_CACHE_TOKEN),
    )
