"""The device of the kind ``openvino``: OpenVINO reads the ONNX model of a graph and compiles it for one device.

The table of selectors names :func:`create`, which the service process calls. Models are written by the adapter of ONNX
Runtime (:mod:`nnvet.adapters.onnxruntime`), whose claims hold here, too. A model compiled for one device runs there as
a whole. AUTO, MULTI and HETERO, which divide models, are refused. OpenVINO's default precision is bfloat16 if the
processor has it, so the precision is always set explicitly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import openvino

from nnvet.adapters.onnxruntime.program import TABLE, Forms, OnnxProgram
from nnvet.adapters.runtimes.claims import Graph, Table
from nnvet.adapters.runtimes.device import RuntimeDevice
from nnvet.adapters.selector import SelectorError, parse_options, take_choice, take_number
from nnvet.driver_kit.arrays import Array
from nnvet.hal.errors import HalError, failure
from nnvet.hal.extensions import claimed_by

_PRECISIONS: Final = ("f32", "f16", "bf16")
"""Values of the option ``precision``; the first is the default."""
_SEVERAL: Final = ("AUTO", "BATCH", "HETERO", "MULTI")
"""Names that stand for several devices; with them nobody would know which device has computed a result."""


def create(arguments: str) -> RuntimeDevice:
    """Return the device of ``DEVICE,precision=f32|f16|bf16,threads=N,PROPERTY=value``; the device is CPU by default.

    :raises SelectorError: the device does not exist here, or an option is wrong.
    """
    first, _, others = arguments.partition(",")
    device, given = ("CPU", arguments) if "=" in first else (first or "CPU", others)
    options = parse_options("openvino", given)
    precision = take_choice("openvino", options, "precision", _PRECISIONS)
    threads = take_number("openvino", options, "threads", 1)
    core = openvino.Core()
    if device.partition(":")[0].upper() in _SEVERAL:
        raise SelectorError(f"driver 'openvino:{arguments}': {device} stands for several devices; name one of them")
    if device.partition(".")[0] not in {name.partition(".")[0] for name in core.available_devices}:
        raise SelectorError(f"driver 'openvino:{arguments}': there is no {device}; there are {core.available_devices}")
    properties: dict[str, Any] = {"INFERENCE_PRECISION_HINT": precision, **options}
    if device.startswith("CPU"):
        properties["INFERENCE_NUM_THREADS"] = threads
    extensions, claims = claimed_by("openvino")
    table = Table("OpenVINO", TABLE.claims.values(), TABLE.unclaimed).with_claims(claims)
    made = RuntimeDevice(
        table,
        partial(build, partial(_Model, core, device, properties), table),
        f"openvino-{device.lower()}",
        f"openvino {openvino.__version__}",
        copies_inputs=True,
        float32_if_relaxed=precision != _PRECISIONS[0],
    )
    made.extensions = extensions
    return made


def build(load: Any, table: Table[Any], graph: Graph) -> OnnxProgram:
    """Return the program of a graph, all of whose calls ``table`` claims.

    :raises HalError: GENERAL_FAILURE if OpenVINO refuses the model.
    """
    return OnnxProgram(load, graph, Forms(table=table), "OpenVINO")


class _Model:
    """A model that OpenVINO has compiled, with one request for inferences."""

    def __init__(self, core: Any, device: str, properties: Mapping[str, Any], content: bytes) -> None:
        try:
            compiled = core.compile_model(core.read_model(content), device, dict(properties))
            self._request = compiled.create_infer_request()
        except RuntimeError as error:
            raise _to_failure(error) from error

    def run(self, outputs: Sequence[str], inputs: Mapping[str, Array]) -> list[Array]:
        """Return the named outputs.

        :raises HalError: GENERAL_FAILURE if OpenVINO fails.
        """
        try:
            self._request.infer(dict(inputs))
            # The next run overwrites these results, so callers get copies.
            return [np.array(self._request.get_tensor(name).data) for name in outputs]
        except RuntimeError as error:
            raise _to_failure(error) from error


def _to_failure(error: Exception) -> HalError:
    return failure(f"OpenVINO: {str(error).strip()}", "execution/status")
