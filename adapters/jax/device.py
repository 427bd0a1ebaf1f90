"""The device of the kind ``jax``: the selector's options, and programs that XLA compiles.

The table of selectors names :func:`create`, which the service process calls.
A program is compiled for one device of one platform. XLA has no kernels of another platform to fall back on, so what
passes was computed on that platform. :mod:`nnvet.adapters.jax.products` and the array functions of
:mod:`nnvet.adapters.runtimes` say how each operation is computed; :mod:`nnvet.adapters.jax.emitter` collects the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import jax
import numpy as np

from nnvet.adapters.jax.emitter import WORDS, JaxEmitter, JaxSettings
from nnvet.adapters.jax.products import CLAIMS
from nnvet.adapters.runtimes import movement, numeric
from nnvet.adapters.runtimes.arrays import in_words_of
from nnvet.adapters.runtimes.claims import CELLS, CELLS_OF_CODES, NEVER_CLAIMED, Graph, Table, element_name
from nnvet.adapters.runtimes.device import RuntimeDevice, RuntimeNode
from nnvet.adapters.selector import SelectorError, parse_options, take_choice
from nnvet.driver_kit.arrays import Array
from nnvet.hal.enums import DeviceType, OperationType
from nnvet.hal.errors import HalError, failure
from nnvet.hal.operand_types import type_info

_O = OperationType
# Reasons why operations are not claimed, and the table of all operations.
_NONE: Final = "JAX has no function that computes the same"
_GATES: Final = "JAX has no layers of this kind: the adapter would have to write the loops itself"
UNCLAIMED: Final = {
    **dict.fromkeys(
        (*CELLS, _O.SVDF),
        _GATES,
    ),
    **dict.fromkeys(CELLS_OF_CODES, "the contract computes codes in fixed point, to the bit"),
    **dict.fromkeys(
        (
            _O.AXIS_ALIGNED_BBOX_TRANSFORM,
            _O.BOX_WITH_NMS_LIMIT,
            _O.DETECTION_POSTPROCESSING,
            _O.GENERATE_PROPOSALS,
            _O.HEATMAP_MAX_KEYPOINT,
            _O.LSH_PROJECTION,
            _O.ROI_ALIGN,
            _O.ROI_POOLING,
        ),
        _NONE,
    ),
    **NEVER_CLAIMED,
}
"""Reasons why operations are not claimed."""

TABLE: Final = Table[JaxEmitter]("JAX", (*in_words_of(WORDS, (*movement.CLAIMS, *numeric.CLAIMS)), *CLAIMS), UNCLAIMED)

_TYPES: Final = ("float32", "float16", "bfloat16")
"""Values of the options ``relaxed`` and ``half`` (which has no bfloat16); the first is the default."""
_PRECISIONS: Final = ("highest", "default")
"""Values of the option ``precision``: all bits of float32, or XLA's own choice, often with fewer bits."""
_KINDS: Final = {"cpu": DeviceType.CPU, "gpu": DeviceType.GPU}
"""The HAL's types of devices for platforms of XLA; all others count as accelerators."""
_COMPILER: Final = {"xla_allow_excess_precision": False}
"""Without this, XLA omits the rounding to float16 of values that are stored between two operations."""


def create(arguments: str) -> RuntimeDevice:
    """Return the device of ``PLATFORM[:N],precision=highest|default,relaxed=TYPE,half=TYPE``; the default is cpu.

    :raises SelectorError: the platform or device does not exist, or an option has an unknown name or value.
    """
    first, _, others = arguments.partition(",")
    place, given = ("cpu", arguments) if "=" in first else (first or "cpu", others)
    options = parse_options("jax", given)
    precision = take_choice("jax", options, "precision", _PRECISIONS)
    relaxed = take_choice("jax", options, "relaxed", _TYPES)
    half = take_choice("jax", options, "half", _TYPES[:2])
    if options:
        known = "precision, relaxed, half"
        raise SelectorError(f"driver 'jax:{arguments}': there is no option {', '.join(options)}; there are {known}")
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest" if precision == _PRECISIONS[0] else None)
    device = _find_device(place)
    made = RuntimeDevice(
        TABLE,
        partial(build, JaxSettings(device, relaxed, half)),
        f"jax-{place.replace(':', '-')}",
        f"jax {jax.__version__}, {device.client.platform_version.splitlines()[0]}",
        float32_if_relaxed=precision != _PRECISIONS[0],
    )
    made.device_type = _KINDS.get(device.platform, DeviceType.ACCELERATOR)
    return made


def _find_device(place: str) -> Any:
    """Return device number N of a platform; without a number, the first one.

    :raises SelectorError: there is no such device.
    """
    platform, colon, number = place.partition(":")
    if colon and not number.isdecimal():
        raise SelectorError(f"driver 'jax:{place}': {number!r} is not the number of a device")
    try:
        devices = jax.devices(platform)
    except RuntimeError as error:
        raise SelectorError(f"driver 'jax:{place}': {str(error).strip()}") from error
    if int(number or 0) >= len(devices):
        raise SelectorError(f"driver 'jax:{place}': JAX sees {len(devices)} devices of the platform {platform}")
    return devices[int(number or 0)]


def build(settings: JaxSettings, graph: Graph) -> JaxProgram:
    """Build the program of a graph; the table claims all of its calls.

    :raises HalError: GENERAL_FAILURE if JAX or XLA refuses the graph.
    """
    emitter = JaxEmitter(graph, settings)
    for place, operation, call in graph.numbered():
        emitter.operation = place, operation.name
        TABLE.claims[operation].emit(emitter, call)
    try:
        return JaxProgram(emitter, graph, settings.device)
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        raise _to_failure(error) from error


class JaxProgram:
    """A graph that XLA has compiled as one function of constants and inputs."""

    def __init__(self, emitter: JaxEmitter, graph: Graph, device: Any) -> None:
        """Trace and compile the graph. Constants are arguments, so that XLA does not fold them at compile time.

        :raises RuntimeError: XLA refuses the graph.
        """
        self._demands = [message for _, message in emitter.demands]
        self._inputs = graph.inputs
        self._outputs = graph.outputs
        self._find_device = device
        slots = [emitter.stored(argument) for argument in graph.inputs]
        wanted = [emitter.stored(argument) for argument in graph.outputs] + [slot for slot, _ in emitter.demands]
        steps = emitter.program(wanted)
        self._constants = {
            slot: jax.device_put(value, device) for slot, value in enumerate(emitter.values) if value is not None
        }

        def computed(constants: dict[int, Any], given: Sequence[Any]) -> list[Any]:
            values: list[Any] = [None] * len(emitter.values)
            for slot, value in (*constants.items(), *zip(slots, given, strict=True)):
                values[slot] = value
            for step in steps:
                step.apply(values)
            return [values[slot] for slot in wanted]

        declared = [
            None if argument.omitted else self._declare(argument.dimensions, element_name(argument.type))
            for argument in graph.inputs
        ]
        self._run = jax.jit(computed).lower(self._constants, declared).compile(compiler_options=_COMPILER)

    def _declare(self, shape: Sequence[int], dtype: str) -> Any:
        return jax.ShapeDtypeStruct(tuple(shape), dtype, sharding=jax.sharding.SingleDeviceSharding(self._find_device))

    def nodes(self) -> Sequence[RuntimeNode]:
        """Return no nodes: XLA makes one program of all operations, for the device that it was asked for."""
        return []

    def run(self, inputs: Sequence[Array | None]) -> list[Array]:
        """Return the outputs for inputs of the shapes that the program was built for.

        :raises HalError: GENERAL_FAILURE if XLA fails, or an index is beyond its table.
        """
        given = [
            None if value is None else jax.device_put(np.array(value, element_name(argument.type)), self._find_device)
            for argument, value in zip(self._inputs, inputs, strict=True)
        ]
        try:
            results = [np.asarray(result) for result in self._run(self._constants, given)]
        except (RuntimeError, TypeError, ValueError) as error:
            raise _to_failure(error) from error
        for holds, message in zip(results[len(self._outputs) :], self._demands, strict=True):
            if not holds:
                # Compiled code cannot raise; the conditions that have to hold are outputs behind those of the graph.
                raise failure(message, "execution/status")
        return [
            np.empty(output.dimensions, type_info(output.type).dtype) if 0 in output.dimensions else result
            for output, result in zip(self._outputs, results, strict=False)
        ]


def _to_failure(error: Exception) -> HalError:
    return failure(f"JAX: {str(error).strip()}", "execution/status")
