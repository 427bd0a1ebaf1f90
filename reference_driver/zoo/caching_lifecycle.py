"""Planted bugs of compilation caching that show only with several models, several attempts, or several versions."""

from __future__ import annotations

import os
import signal
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.errors import HalError
from nnvet.hal.extensions import ExtensionDeclaration
from nnvet.hal.interfaces import Device
from nnvet.hal.types import MappableFile, Model, OperationType, PrepareModelConfig
from nnvet.reference_driver.caching import CompilationCache
from nnvet.reference_driver.caching.compilation_cache import Build
from nnvet.reference_driver.caching.content import StoredModel
from nnvet.reference_driver.caching.tokens import Entry, TokenMap, state_folder
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.caching import with_cache
from nnvet.reference_driver.zoo.registry import bug

_BROKEN: Final = ("CompilationCachingTest/OtherVersion/*",)
"""Cases with files of another version of the driver."""
_WORD: Final = 4
"""Bytes of the words of a constant that another version lays out in reverse order."""


class _AnyVersion(CompilationCache):
    """A cache that accepts files of every version; ``misread`` changes the model of another version."""

    misread: Callable[[Model], Model]

    def __init__(self, device: str, version: str, extensions: Sequence[ExtensionDeclaration] = ()) -> None:
        """Use one table for all versions."""
        super().__init__(device, "every version", extensions)
        self._version = Entry(version.encode(), 0)
        self._versions = TokenMap(state_folder(device) / "versions", "")

    def save(self, prepared: ReferencePreparedModel, model: Model, config: PrepareModelConfig) -> None:
        """Record the version together with the model."""
        super().save(prepared, model, config)
        self._versions.put(config.cache_token, self._version)

    def load(
        self, model_cache: Sequence[MappableFile], data_cache: Sequence[MappableFile], token: bytes, build: Build
    ) -> ReferencePreparedModel:
        """Apply ``misread`` to a model of another version."""

        def misreading(model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
            return build(type(self).misread(model), config)

        same = self._versions.get(token) in (None, self._version)
        return super().load(model_cache, data_cache, token, build if same else misreading)


def _with_other_layout(model: Model) -> Model:
    """Return the model with its largest constant reversed, as if the layout had changed between versions."""
    constants = [operand for operand in model.main.operands if operand.lifetime == OperandLifeTime.CONSTANT_COPY]
    place = max(constants, key=lambda operand: operand.location.length).location
    values = np.frombuffer(model.operand_values, np.uint8).copy()
    words = values[place.offset : place.offset + place.length // _WORD * _WORD].reshape(-1, _WORD)
    words[:] = words[::-1].copy()
    return replace(model, operand_values=values.tobytes())


class _OtherLayout(_AnyVersion):
    misread = staticmethod(_with_other_layout)


@bug(
    "cache-version-wrong",
    "Prepares from the cache of another version, whose constants it takes in another order.",
    rules=("cache/version",),
    breaks=_BROKEN,
)
def cache_version_wrong() -> Device:
    """Read the constants of another version in the wrong order."""
    return with_cache(_OtherLayout)


def _dying(model: Model) -> Model:
    os.kill(os.getpid(), signal.SIGSEGV)
    return model


class _Dying(_AnyVersion):
    misread = staticmethod(_dying)


@bug(
    "cache-version-crash",
    "Crashes of the cache of another version.",
    rules=("cache/version",),
    breaks=_BROKEN,
    service=True,
)
def cache_version_crash() -> Device:
    """Crash on the cache of another version."""
    return with_cache(_Dying)


_CACHING = "CompilationCachingTest/"
"""Suite of caching."""


class _NoSecondChance(CompilationCache):
    """A cache that saves nothing under a token from which it could not prepare."""

    def load(
        self, model_cache: Sequence[MappableFile], data_cache: Sequence[MappableFile], token: bytes, build: Build
    ) -> ReferencePreparedModel:
        """Remember the token if nothing was saved under it."""
        try:
            return super().load(model_cache, data_cache, token, build)
        except HalError as error:
            if error.rule == "cache/token":
                self.__dict__.setdefault("failed", set()).add(token)
            raise

    def save(self, prepared: ReferencePreparedModel, model: Model, config: PrepareModelConfig) -> None:
        """Save nothing under such a token."""
        if config.cache_token not in self.__dict__.get("failed", ()):
            super().save(prepared, model, config)


@bug(
    "cache-no-second-chance",
    "Saves nothing under a token after preparing under it has failed.",
    rules=("cache/fallback",),
    breaks=(f"{_CACHING}FallbackAfterFailedRetrieval/*",),
)
def cache_no_second_chance() -> Device:
    """Give up a token after one failure."""
    return with_cache(_NoSecondChance)


class _Mixture(CompilationCache):
    """A cache that mixes two models saved under the same token."""

    def save(self, prepared: ReferencePreparedModel, model: Model, config: PrepareModelConfig) -> None:
        """Keep all models of the token."""
        models = self.__dict__.setdefault("models", defaultdict(set))
        models[config.cache_token].add(tuple(operation.type for operation in model.main.operations))
        super().save(prepared, model, config)

    def verified(self, fd: int, token: bytes) -> tuple[Entry, StoredModel]:
        """Take the second half of the operations from the other model."""
        entry, stored = super().verified(fd, token)
        models = self.__dict__.get("models", {}).get(token, set())
        if len(models) > 1:
            stored = replace(stored, model=_mixed(stored.model))
        return entry, stored


def _mixed(model: Model) -> Model:
    operations = model.main.operations
    half = len(operations) // 2
    other = {OperationType.ADD: OperationType.MUL, OperationType.MUL: OperationType.ADD}
    changed = [
        replace(operation, type=other.get(OperationType(operation.type), operation.type))
        for operation in operations[half:]
    ]
    return replace(model, main=replace(model.main, operations=(*operations[:half], *changed)))


@bug(
    "cache-mixes-models",
    "Prepares a mixture of two models that were saved under one token.",
    rules=("cache/collision",),
    breaks=(f"{_CACHING}TokenCollision/*", f"{_CACHING}ConcurrentSaves/*"),
)
def cache_mixes_models() -> Device:
    """Prepare a mixture of two models."""
    return with_cache(_Mixture)
