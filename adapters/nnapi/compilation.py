"""Compilations: how a built model is to be prepared, and what comes of it."""

from __future__ import annotations

from typing import Any

from nnvet.adapters.nnapi.building import BuiltModel
from nnvet.adapters.nnapi.codes import PRIORITIES
from nnvet.adapters.nnapi.inexpressible import refuse
from nnvet.adapters.nnapi.library import NnapiLibrary
from nnvet.hal.arguments import boot_time_ns, check_time
from nnvet.hal.enums import (
    BASE_MAX,
    BYTE_SIZE_OF_CACHE_TOKEN,
    EXTENSION_TYPE_LOW_BITS_TYPE,
    NO_DEADLINE,
    ErrorStatus,
    Priority,
)
from nnvet.hal.errors import HalError, invalid
from nnvet.hal.types import ExtensionNameAndPrefix, PrepareModelConfig, TokenValuePair


class NnapiCompilation:
    """A compilation of the library, with the model that it is of; finished once :meth:`finish` has returned."""

    def __init__(self, built: BuiltModel, device: Any | None, config: PrepareModelConfig) -> None:
        """Create it for a device (None: the library has none to choose from) and set what ``config`` says.

        Neither deadline nor caching make it fail before :meth:`finish`.

        :raises HalError: as the library refuses the configuration.
        """
        check_time(config.deadline_ns, "deadline", "prepare/deadline")
        library = self.library = built.library
        self.built = built
        self._deadline_ns = config.deadline_ns
        if device is None:
            self.pointer = library.create("Compilation_create", built.pointer)
        else:
            devices = library.ffi.new("ANeuralNetworksDevice*[]", [device])
            self.pointer = library.create("Compilation_createForDevices", built.pointer, devices, 1)
        library.call("Compilation_setPreference", self.pointer, config.preference)
        if library.has("Compilation_setPriority"):
            library.call("Compilation_setPriority", self.pointer, _priority(config.priority))
        names = config.extension_name_to_prefix
        add_attributes(library, "Compilation_addExtensionAttribute", self.pointer, config.compilation_hints, names)
        if config.model_cache or config.data_cache:
            self._set_cache(config)

    def finish(self) -> None:
        """Compile.

        :raises HalError: as the library fails, or MISSED_DEADLINE_PERSISTENT before it is asked.
        """
        set_timeout(self.library, "Compilation_setTimeout", self.pointer, self._deadline_ns)
        self.library.call("Compilation_finish", self.pointer)

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


def _priority(priority: int) -> int:
    """The C API's number of a priority; one that is none of the HAL's is passed on, for the library to refuse.

    :raises HalError: INVALID_ARGUMENT with the rule ``adapter/inexpressible`` for one that would be another's number.
    """
    if priority in PRIORITIES:
        return PRIORITIES[Priority(priority)]
    if priority in PRIORITIES.values():
        refuse(f"priority {priority}, which is none of the HAL and one of the C API")
    return priority


def set_timeout(library: NnapiLibrary, setter: str, pointer: Any, deadline_ns: int) -> None:
    """What is left until a deadline becomes the duration that an object may take.

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
    """Hints of the HAL as attributes of extensions.

    :raises HalError: INVALID_ARGUMENT for a hint of an extension without name; as the library refuses one.
    """
    known = {entry.prefix: entry.name for entry in names}
    for hint in hints:
        name = known.get(hint.token >> EXTENSION_TYPE_LOW_BITS_TYPE)
        if name is None:
            raise invalid(f"hint {hint.token:#x} of an extension that has no name", "extension/hints")
        library.call(adder, pointer, name.encode(), hint.token & BASE_MAX, hint.value, len(hint.value))
