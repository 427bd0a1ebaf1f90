"""Makes the device of the kind ``litert``: the selector's options, and programs that are TFLite models.

:mod:`nnvet.adapters.litert.writing` has the table of claimed operations and writes the models;
:mod:`nnvet.adapters.runtimes.device` implements the device.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any, Final

import numpy as np
from ai_edge_litert import interpreter as litert

from nnvet.adapters.litert.emitter import Emitter
from nnvet.adapters.litert.writing import DRIVER, MISSING, emit_model
from nnvet.adapters.runtimes.claims import Graph
from nnvet.adapters.runtimes.device import Accelerator, RuntimeDevice, RuntimeNode, take_fallback
from nnvet.adapters.selector import SelectorError, parse_options, take_choice, take_number
from nnvet.driver_kit.arrays import Array
from nnvet.hal.enums import OperandType
from nnvet.hal.errors import HalError, failure
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument

KERNELS: Final = {
    "xnnpack": "AUTO",
    "builtin": "BUILTIN_WITHOUT_DEFAULT_DELEGATES",
    "reference": "BUILTIN_REF",
}
"""Values of the option ``kernels``, with LiteRT's name of the resolver; the first is LiteRT's own default."""

_ENTRIES: Final = ("tflite_plugin_create_delegate", "tflite_plugin_destroy_delegate")
"""Functions that a library has to export to be an external delegate of LiteRT."""


def create(arguments: str) -> RuntimeDevice:
    """Return the device of ``delegate=LIB.so,fallback=cpu,threads=N,kernels=NAME``; other options go to the delegate.

    :raises SelectorError: an option is wrong, or a delegate cannot be loaded.
    """
    options = parse_options("litert", arguments)
    library = options.pop("delegate", "")
    may_fall_back = bool(library) and take_fallback("litert", options)
    # XNNPACK is a delegate as well, and its nodes would be mistaken for those of the delegate under test.
    choices = tuple(KERNELS) if not library or may_fall_back else ("builtin", "reference")
    kernels = take_choice("litert", options, "kernels", choices)
    threads = take_number("litert", options, "threads", 1)
    if options and not library:
        raise SelectorError(f"driver 'litert:{arguments}': {', '.join(options)}: options of a delegate need delegate=")
    settings = Settings(kernels, threads, load_delegate(library, options) if library else None)
    name = f"litert-{library.rpartition('/')[2] or kernels}"
    table = DRIVER.without(MISSING.get(kernels, {}))
    release = f"ai-edge-litert {version('ai-edge-litert')}"
    file = library.rpartition("/")[2]
    accelerator = Accelerator(f"the delegate {file}", "LiteRT's CPU kernels", may_fall_back) if library else None
    return RuntimeDevice(table, partial(build, settings), name, release, copies_inputs=True, accelerator=accelerator)


def load_delegate(library: str, options: Mapping[str, str]) -> Any:
    """Return a delegate of a shared library.

    :raises SelectorError: it cannot be loaded.
    """
    refused = f"driver 'litert': the delegate {library} cannot be loaded"
    try:
        # If LiteRT itself fails to load a library, it leaves an object behind that raises when it is deleted.
        loaded = ctypes.CDLL(library)
        lacking = [name for name in _ENTRIES if not hasattr(loaded, name)]
        if lacking:
            raise SelectorError(f"{refused}: it lacks {' and '.join(lacking)}, so it is no external delegate")
        return litert.load_delegate(library, dict(options))
    except (OSError, ValueError) as error:
        why = ": ".join(str(error).splitlines())
        raise SelectorError(f"{refused}: {why}") from error


@dataclass(frozen=True)
class Settings:
    """Settings of interpreters."""

    kernels: str
    threads: int
    delegate: Any = None


def build(settings: Settings, graph: Graph) -> InterpreterProgram:
    """Return the program of a graph, all of whose calls are claimed.

    :raises HalError: GENERAL_FAILURE if LiteRT refuses the file.
    """
    return InterpreterProgram(settings, emit_model(graph), graph.inputs, graph.outputs)


class InterpreterProgram:
    """An interpreter, with the tensors of the model's inputs and outputs; None for those that it does not have."""

    def __init__(
        self, settings: Settings, emitter: Emitter, inputs: Sequence[Argument], outputs: Sequence[Argument]
    ) -> None:
        """Write the file and load it.

        :raises HalError: GENERAL_FAILURE if LiteRT refuses it.
        """
        self._outputs = outputs
        self._operators = emitter.operators
        self._beginnings = emitter.beginnings
        self._places = [emitter.place(argument) for argument in inputs]
        self._results = [emitter.place(argument) for argument in outputs]
        self._truths = [argument.type == OperandType.TENSOR_BOOL8 for argument in inputs]
        self.interpreter = None
        if any(place is not None for place in self._results):
            ends = ([argument for argument in side if emitter.has_end(argument)] for side in (inputs, outputs))
            given, results = (
                [emitter.stored(argument) for argument in side if emitter.place(argument) is not None] for side in ends
            )
            self.interpreter = load(settings, emitter.writer.finish(given, results))

    def run(self, inputs: Sequence[Array | None]) -> list[Array]:
        """Return outputs for inputs of the shapes that the program was built for.

        :raises HalError: GENERAL_FAILURE if LiteRT fails.
        """
        interpreter = self.interpreter
        if interpreter is not None:
            try:
                for place, is_truth, value in zip(self._places, self._truths, inputs, strict=True):
                    if place is not None and value is not None:
                        interpreter.set_tensor(place, value != 0 if is_truth else value)
                for place, state in self._beginnings:
                    interpreter.set_tensor(place, state)
                interpreter.invoke()
            except (RuntimeError, ValueError) as error:
                raise _failed(error) from error
        return [self._result(position) for position in range(len(self._outputs))]

    def nodes(self) -> list[RuntimeNode]:
        """Return the operators; the delegate has taken those that lie within one of its partitions.

        :raises HalError: GENERAL_FAILURE if LiteRT does not show its plan.
        """
        if self.interpreter is None:
            return []
        try:
            details = self.interpreter._get_ops_details()  # noqa: SLF001 - no public method shows the plan
        except AttributeError as error:
            raise failure("this LiteRT does not show its execution plan", "driver/operation.supported") from error
        taken = _delegated(details, len(self._operators))
        return [RuntimeNode(place, name, index in taken) for index, (place, name) in enumerate(self._operators)]

    def _result(self, position: int) -> Array:
        output, place = self._outputs[position], self._results[position]
        if place is None or self.interpreter is None:
            return np.zeros(output.dimensions, type_info(output.type).dtype)
        result: Array = self.interpreter.get_tensor(place)
        if result.shape != output.dimensions:
            raise failure(f"LiteRT's output has shape {result.shape}, not {output.dimensions}", "driver/reply")
        return result


def _delegated(details: Sequence[Mapping[str, Any]], operators: int) -> set[int]:
    """Return the operators within partitions, by their numbers.

    LiteRT lists the operators of the file, then a DELEGATE for each partition: with its inputs and outputs, between
    which its operators lie.
    """
    makers = {tensor: index for index, operator in enumerate(details[:operators]) for tensor in operator["outputs"]}
    found: set[int] = set()
    for partition in details[operators:]:
        ends, wanted = set(partition["inputs"]), list(partition["outputs"])
        while wanted:
            tensor = wanted.pop()
            index = makers.get(tensor)
            if index is not None and tensor not in ends and index not in found:
                found.add(index)
                wanted.extend(details[index]["inputs"])
    return found


def load(settings: Settings, content: bytes) -> Any:
    """Return an interpreter whose tensors have their memory.

    :raises HalError: GENERAL_FAILURE if LiteRT refuses the file.
    """
    try:
        interpreter = litert.Interpreter(
            model_content=content,
            num_threads=settings.threads,
            experimental_delegates=[settings.delegate] if settings.delegate else None,
            experimental_op_resolver_type=litert.OpResolverType[KERNELS[settings.kernels]],
        )
        interpreter.allocate_tensors()
    except (RuntimeError, ValueError) as error:
        raise _failed(error) from error
    return interpreter


def _failed(error: Exception) -> HalError:
    return failure(f"LiteRT: {str(error).strip()}", "execution/status")
