"""Compilations: how a built model is to be prepared, and what comes of it."""

from __future__ import annotations

from typing import Any, Final

from nnvet.adapters.nnapi.building import BuiltModel
from nnvet.adapters.nnapi.codes import PRIORITIES
from nnvet.adapters.nnapi.inexpressible import check_config
from nnvet.adapters.nnapi.library import NnapiLibrary
from nnvet.adapters.nnapi.unsaid import Unsaid, refuse
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.enums import (
    BASE_MAX,
    BYTE_SIZE_OF_CACHE_TOKEN,
    EXTENSION_TYPE_LOW_BITS_TYPE,
    NO_DEADLINE,
    ErrorStatus,
)
from nnvet.hal.errors import HalError
from nnvet.hal.types import ExtensionNameAndPrefix, Model, PrepareModelConfig, TokenValuePair

_NO_DEVICE: Final = (ErrorStatus.INVALID_ARGUMENT, ErrorStatus.GENERAL_FAILURE)
"""Answers of a library none of whose devices can run a model that it has taken."""


class NnapiCompilation:
    """A compilation of the library, with the model that it is of; finished once :meth:`finish` has returned."""

    def __init__(self, library: NnapiLibrary, device: Any | None, model: Model, config: PrepareModelConfig) -> None:
        """Build the model, create it for a device (None: the library has none to choose from) and set ``config``.

        Neither deadline nor caching make it fail before :meth:`finish`.

        :raises HalError: as the library refuses model or configuration; INVALID_ARGUMENT with the rule
            ``adapter/inexpressible`` for what the C API has no words for, of which nothing is passed on.
        """
        check_config(config)
        built = self.built = BuiltModel(library, model)
        self.library = library
        self._deadline_ns = config.deadline_ns
        if device is None:
            self.pointer = library.create("Compilation_create", built.pointer, keeps=built)
        else:
            devices = library.ffi.new("ANeuralNetworksDevice*[]", [device])
            self.pointer = library.create("Compilation_createForDevices", built.pointer, devices, 1, keeps=built)
        library.call("Compilation_setPreference", self.pointer, config.preference)
        if library.has("Compilation_setPriority"):
            # One that is none of the HAL's is for the library to refuse.
            priority = PRIORITIES.get(config.priority, config.priority)  # type: ignore[call-overload]
            library.call("Compilation_setPriority", self.pointer, priority)
        names = config.extension_name_to_prefix
        add_attributes(library, "Compilation_addExtensionAttribute", self.pointer, config.compilation_hints, names)
        if config.model_cache or config.data_cache:
            self._set_cache(config)

    def finish(self) -> None:
        """Compile.

        :raises HalError: as the library fails, or MISSED_DEADLINE_PERSISTENT before it is asked; INVALID_ARGUMENT with
            the rule ``adapter/inexpressible`` for control flow that only a library's CPU can run.
        """
        set_timeout(self.library, "Compilation_setTimeout", self.pointer, self._deadline_ns)
        try:
            self.library.call("Compilation_finish", self.pointer)
        except HalError as error:
            if self.built.is_open and error.status in _NO_DEVICE:
                refuse(Unsaid.LOOPS, f"an IF on operands of unknown size for this device ({error.message})")
            raise

    def _set_cache(self, config: PrepareModelConfig) -> None:
        """Caching; whatever is wrong with its arguments, the model is prepared (docs/contract/hal.md 10.3)."""
        library = self.library
        # The library reads as many bytes of a token as it has to have.
        if not library.has("Compilation_setCachingFromFds") or len(config.cache_token) != BYTE_SIZE_OF_CACHE_TOKEN:
            return
        models, data = (
            library.numbers("int", [file.handle.fd for file in files])
            for files in (config.model_cache, config.data_cache)
        )
        token = library.ffi.from_buffer("uint8_t[]", config.cache_token)
        library.result("Compilation_setCachingFromFds", self.pointer, models, len(models), data, len(data), token)


def set_timeout(library: NnapiLibrary, setter: str, pointer: Any, deadline_ns: int) -> None:
    """Turn the time until a deadline into the duration that an object may take.

    Libraries without such a function have no deadlines.

    :raises HalError: MISSED_DEADLINE_PERSISTENT if nothing is left, which the C API takes for no limit.
    """
    if deadline_ns == NO_DEADLINE:
        return
    left = deadline_ns - boot_time_ns()
    if left <= 0:
        raise HalError(ErrorStatus.MISSED_DEADLINE_PERSISTENT, "the deadline has passed", "execution/deadline")
    if library.has(setter):
        library.call(setter, pointer, left)


def add_attributes(
    library: NnapiLibrary,
    adder: str,
    pointer: Any,
    hints: tuple[TokenValuePair, ...],
    names: tuple[ExtensionNameAndPrefix, ...],
) -> None:
    """Pass on hints of the HAL, all of extensions that have names, as attributes of these.

    :raises HalError: as the library refuses one.
    """
    known = {entry.prefix: entry.name for entry in names}
    for hint in hints:
        name = known[hint.token >> EXTENSION_TYPE_LOW_BITS_TYPE]
        library.call(adder, pointer, name.encode(), hint.token & BASE_MAX, hint.value, len(hint.value))
