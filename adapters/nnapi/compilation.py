"""Models and compilations of a library: a HAL model becomes finished models of the C API, which are compiled.

The C API has a model for each subgraph. :class:`BuiltModel` builds them, and :class:`NnapiCompilation` compiles them
for a device. :mod:`nnvet.adapters.nnapi.device` uses both to answer queries and to prepare models;
:mod:`nnvet.adapters.nnapi.execution` runs the result. :mod:`nnvet.adapters.nnapi.inexpressible` has refused before what
the C API cannot express.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from nnvet.adapters.nnapi.declarations import PRIORITIES
from nnvet.adapters.nnapi.device_memory import check_memory, create_memory
from nnvet.adapters.nnapi.inexpressible import Unsaid, check_config, check_model, has_open_control_flow, refuse
from nnvet.adapters.nnapi.library import NnapiLibrary
from nnvet.hal import types as hal
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import is_extension
from nnvet.hal.validation.model import inner_first


class BuiltModel:
    """A finished model of the library, with everything that has to live as long as the model does.

    ``is_valid`` is True if the model is valid by the HAL's rules; a library that accepts an invalid model is wrong.
    ``is_open`` is True if an IF has operands of unknown size.
    """

    def __init__(self, library: NnapiLibrary, model: hal.Model) -> None:
        """Build all subgraphs, each one after the subgraphs that it refers to.

        :raises HalError: the library's error if it refuses the model; INVALID_ARGUMENT with the rule
            ``adapter/inexpressible`` for a model that the C API cannot express; then the library gets no part of it.
        """
        self.is_valid = check_model(model)
        read = {operand.location.pool_index for operand in _list_operands(model) if operand.lifetime == _REFERENCE}
        for number, pool in enumerate(model.pools):
            check_memory(pool, "model/pool.valid", is_read=number in read)
        self.is_open = self.is_valid and has_open_control_flow(model)
        self.library = library
        self.model = model
        self._pools = [create_memory(library, pool) for pool in model.pools]
        self._names = {entry.prefix: entry.name for entry in model.extension_name_to_prefix}
        self._values = library.ffi.from_buffer("uint8_t[]", model.operand_values or b"\0")
        self._referenced: dict[int, Any] = {}
        for index in inner_first(model):
            self._referenced[index] = self._build(model.referenced[index])
        self.pointer = self._build(model.main)

    def operand_type(
        self, pointer: Any, operand: hal.Operand, dimensions: tuple[int, ...] | None = None
    ) -> tuple[Any, Any]:
        """Return the structure that describes an operand of the model ``pointer``, with other ``dimensions`` if given.

        The second value is the array of dimensions that the structure points to; it has to live as long as the
        structure.
        """
        code = operand.type
        if is_extension(code):
            code = self._ask_code(pointer, "Model_getExtensionOperandType", code)
        library, known = self.library, operand.dimensions if dimensions is None else dimensions
        array = library.numbers("uint32_t", known) if known else library.ffi.NULL
        return library.structure("OperandType", code, len(known), array, operand.scale, operand.zero_point), array

    def _build(self, subgraph: hal.Subgraph) -> Any:
        """Return the finished model of the C API for a subgraph."""
        library, numbers = self.library, self.library.numbers
        pointer = library.create("Model_create", keeps=(self._pools, self._values, tuple(self._referenced.values())))
        for index, operand in enumerate(subgraph.operands):
            structure, _dimensions = self.operand_type(pointer, operand)
            self._add(operand.type, "Model_addOperand", pointer, structure)
            self._set_params(pointer, index, operand)
            setter = _SETTERS.get(operand.lifetime)
            if setter is not None:
                setter(self, pointer, index, operand)
        for operation in subgraph.operations:
            code = operation.type
            if is_extension(code):
                code = self._ask_code(pointer, "Model_getExtensionOperationType", code)
            inputs, outputs = numbers("uint32_t", operation.inputs), numbers("uint32_t", operation.outputs)
            self._add(operation.type, "Model_addOperation", pointer, code, len(inputs), inputs, len(outputs), outputs)
        inputs, outputs = numbers("uint32_t", subgraph.input_indexes), numbers("uint32_t", subgraph.output_indexes)
        library.call("Model_identifyInputsAndOutputs", pointer, len(inputs), inputs, len(outputs), outputs)
        if self.model.relax_computation_float32_to_float16:
            library.call("Model_relaxComputationFloat32toFloat16", pointer, True)
        library.call("Model_finish", pointer)
        return pointer

    def _add(self, code: int, name: str, *arguments: Any) -> None:
        """Add an operand or an operation of the HAL's type ``code``."""
        try:
            self.library.call(name, *arguments)
        except HalError as error:
            # The types of an extension are registered by the device that has it (docs/contract/c-api.md 1.4).
            extension = self._names.get(code >> hal.EXTENSION_TYPE_LOW_BITS_TYPE) if is_extension(code) else None
            refused = error.status is hal.ErrorStatus.INVALID_ARGUMENT
            if extension is not None and refused and not self.library.knows_extension(extension):
                refuse(Unsaid.UNKNOWN_EXTENSION, f"types of the extension {extension}")
            raise

    def _set_params(self, pointer: Any, index: int, operand: hal.Operand) -> None:
        library, params = self.library, operand.extra_params
        if isinstance(params, hal.SymmPerChannelQuantParams):
            scales = library.numbers("float", params.scales)
            structure = library.structure("SymmPerChannelQuantParams", params.channel_dim, len(scales), scales)
            library.call("Model_setOperandSymmPerChannelQuantParams", pointer, index, structure)
        elif isinstance(params, hal.ExtensionParams):
            # An omitted value is a null pointer; a pointer to zero bytes would be an error.
            data = params.data or library.ffi.NULL
            library.call("Model_setOperandExtensionData", pointer, index, data, len(params.data))

    def _set_copy(self, pointer: Any, index: int, operand: hal.Operand) -> None:
        # The library does not copy long values. They lie in the HAL model's bytes, which outlive the library's model.
        begin, length = operand.location.offset, operand.location.length
        self.library.call("Model_setOperandValue", pointer, index, self._values + begin, length)

    def _set_reference(self, pointer: Any, index: int, operand: hal.Operand) -> None:
        place = operand.location
        memory = self._pools[place.pool_index]
        self.library.call("Model_setOperandValueFromMemory", pointer, index, memory, place.offset, place.length)

    def _set_nothing(self, pointer: Any, index: int, _operand: hal.Operand) -> None:
        self.library.call("Model_setOperandValue", pointer, index, self.library.ffi.NULL, 0)

    def _set_subgraph(self, pointer: Any, index: int, operand: hal.Operand) -> None:
        inner = self._referenced[operand.location.offset]
        self.library.call("Model_setOperandValueFromModel", pointer, index, inner)

    def _ask_code(self, pointer: Any, getter: str, code: int) -> int:
        """Ask the library for its number of an extension's type or operation; prefixes are the library's choice."""
        name = self._names[code >> hal.EXTENSION_TYPE_LOW_BITS_TYPE]
        found: int = self.library.value(getter, "int32_t", pointer, name.encode(), code & hal.BASE_MAX)
        return found


_REFERENCE: Final = hal.OperandLifeTime.CONSTANT_REFERENCE
"""Lifetime of constants that lie in a pool."""
_SETTERS: Final[Mapping[int, Callable[[BuiltModel, Any, int, hal.Operand], None]]] = {
    hal.OperandLifeTime.CONSTANT_COPY: BuiltModel._set_copy,  # noqa: SLF001 - a table of the class's own methods
    hal.OperandLifeTime.CONSTANT_REFERENCE: BuiltModel._set_reference,  # noqa: SLF001 - same
    hal.OperandLifeTime.NO_VALUE: BuiltModel._set_nothing,  # noqa: SLF001 - same
    hal.OperandLifeTime.SUBGRAPH: BuiltModel._set_subgraph,  # noqa: SLF001 - same
}
"""Methods that give operands their values, by lifetime; operands of other lifetimes get values when the model runs."""


def _list_operands(model: hal.Model) -> Iterator[hal.Operand]:
    """Yield the operands of all subgraphs."""
    return (operand for graph in (model.main, *model.referenced) for operand in graph.operands)


_NO_DEVICE: Final = (hal.ErrorStatus.INVALID_ARGUMENT, hal.ErrorStatus.GENERAL_FAILURE)
"""Results of a library that has accepted a model, although none of its devices can run it."""


class NnapiCompilation:
    """A compilation of the library, together with its model; it is finished once :meth:`finish` has returned."""

    def __init__(
        self, library: NnapiLibrary, device: Any | None, model: hal.Model, config: hal.PrepareModelConfig
    ) -> None:
        """Build the model, and create a compilation with ``config`` for a device (None: the library offers no choice).

        Errors of the deadline or of caching are only raised by :meth:`finish`.

        :raises HalError: the library's error if it refuses model or configuration; INVALID_ARGUMENT with the rule
            ``adapter/inexpressible`` if the C API cannot express them; then the library gets no part of them.
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
            # A number that is no value of the HAL is passed on, because the library has to refuse it.
            priority = PRIORITIES.get(config.priority, config.priority)  # type: ignore[call-overload]
            library.call("Compilation_setPriority", self.pointer, priority)
        names = config.extension_name_to_prefix
        add_attributes(library, "Compilation_addExtensionAttribute", self.pointer, config.compilation_hints, names)
        if config.model_cache or config.data_cache:
            self._set_cache(config)

    def finish(self) -> None:
        """Compile.

        :raises HalError: the library's error; MISSED_DEADLINE_PERSISTENT if the deadline has passed before the call;
            INVALID_ARGUMENT with the rule ``adapter/inexpressible`` for control flow that only a library's CPU can run.
        """
        set_timeout(self.library, "Compilation_setTimeout", self.pointer, self._deadline_ns)
        try:
            self.library.call("Compilation_finish", self.pointer)
        except HalError as error:
            if self.built.is_open and error.status in _NO_DEVICE:
                refuse(Unsaid.LOOPS, f"an IF on operands of unknown size for this device ({error.message})")
            raise

    def _set_cache(self, config: hal.PrepareModelConfig) -> None:
        """Set up caching; wrong arguments of caching must not make preparation fail (docs/contract/hal.md 10.3)."""
        library = self.library
        # The library always reads the full length of a token, so a shorter one would be read past its end.
        if not library.has("Compilation_setCachingFromFds") or len(config.cache_token) != hal.BYTE_SIZE_OF_CACHE_TOKEN:
            return
        models, data = (
            library.numbers("int", [file.handle.fd for file in files])
            for files in (config.model_cache, config.data_cache)
        )
        token = library.ffi.from_buffer("uint8_t[]", config.cache_token)
        library.result("Compilation_setCachingFromFds", self.pointer, models, len(models), data, len(data), token)


def set_timeout(library: NnapiLibrary, setter: str, pointer: Any, deadline_ns: int) -> None:
    """Set the time until a deadline as the duration that an object may take.

    Libraries without such a function have no deadlines.

    :raises HalError: MISSED_DEADLINE_PERSISTENT if no time is left; the C API would take a duration of 0 for no limit.
    """
    if deadline_ns == hal.NO_DEADLINE:
        return
    left = deadline_ns - boot_time_ns()
    if left <= 0:
        raise HalError(hal.ErrorStatus.MISSED_DEADLINE_PERSISTENT, "the deadline has passed", "execution/deadline")
    if library.has(setter):
        library.call(setter, pointer, left)


def add_attributes(
    library: NnapiLibrary,
    adder: str,
    pointer: Any,
    hints: tuple[hal.TokenValuePair, ...],
    names: tuple[hal.ExtensionNameAndPrefix, ...],
) -> None:
    """Pass on hints of the HAL as attributes of extensions; the name of each extension is known.

    :raises HalError: the library's error if it refuses a hint.
    """
    known = {entry.prefix: entry.name for entry in names}
    for hint in hints:
        name = known[hint.token >> hal.EXTENSION_TYPE_LOW_BITS_TYPE]
        library.call(adder, pointer, name.encode(), hint.token & hal.BASE_MAX, hint.value, len(hint.value))
