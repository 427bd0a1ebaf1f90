"""Parts that all runtimes which read ONNX share: the table of claims, and the program of a graph.

The table says which operations ONNX Runtime computes as the contract does, and why it does not claim the others. Other
runtimes that read ONNX (:mod:`nnvet.adapters.openvino`) start from this table and remove what they compute differently.

A program is the ONNX model of a graph, loaded by a runtime. Inputs and outputs without elements, and operands that no
node uses, are not part of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from nnvet.adapters.onnxruntime import forms, movement, numeric, products
from nnvet.adapters.onnxruntime.emitter import OnnxEmitter
from nnvet.adapters.runtimes.claims import CELLS, CELLS_OF_CODES, NEVER_CLAIMED, Graph, Table
from nnvet.adapters.runtimes.device import RuntimeNode
from nnvet.driver_kit.arrays import Array
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.errors import failure
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument

_O = OperationType
_NONE: Final = "ONNX has no operator that computes the same"
_GATES: Final = "ONNX's recurrent operators run over a whole sequence, with other activations, weights and states"

UNCLAIMED: Final = {
    **dict.fromkeys(
        (*CELLS, *CELLS_OF_CODES),
        _GATES,
    ),
    **dict.fromkeys(
        (
            _O.AXIS_ALIGNED_BBOX_TRANSFORM,
            _O.BOX_WITH_NMS_LIMIT,
            _O.DETECTION_POSTPROCESSING,
            _O.GENERATE_PROPOSALS,
            _O.HASHTABLE_LOOKUP,
            _O.HEATMAP_MAX_KEYPOINT,
            _O.LSH_PROJECTION,
            _O.SVDF,
        ),
        _NONE,
    ),
    **dict.fromkeys((_O.ROI_ALIGN, _O.ROI_POOLING), "ONNX's operator samples, and rounds edges of regions, otherwise"),
    **NEVER_CLAIMED,
}

TABLE: Final = Table[OnnxEmitter](
    "ONNX Runtime", (*forms.CLAIMS, *movement.CLAIMS, *numeric.CLAIMS, *products.CLAIMS), UNCLAIMED
)


class OnnxSession(Protocol):
    """A model that a runtime has loaded."""

    def run(self, outputs: Sequence[str], inputs: Mapping[str, Array]) -> Sequence[Array]:
        """Return the named outputs.

        :raises HalError: GENERAL_FAILURE if the runtime fails.
        """


@dataclass(frozen=True)
class Forms:
    """The forms in which a runtime takes values, and the ``table`` of operations that may be emitted for it.

    With ``native_half`` the runtime computes 16-bit floats itself; otherwise they are widened. With
    ``moves_real_numbers`` codes are dequantised even if an operation only moves them. With ``float32_if_relaxed`` the
    runtime computes 32-bit floats with the precision of 16 bits, which only relaxed models allow. A ``table`` may have
    operations of extensions beside those of the NNAPI.
    """

    native_half: bool = False
    moves_real_numbers: bool = False
    float32_if_relaxed: bool = False
    table: Table[OnnxEmitter] = TABLE


def emit_model(graph: Graph, forms: Forms) -> OnnxEmitter:
    """Return the ONNX model of a graph, all of whose operations the table of ``forms`` claims."""
    emitter = OnnxEmitter(graph, native_half=forms.native_half, moves_real_numbers=forms.moves_real_numbers)
    for place, operation, call in graph.numbered():
        emitter.place_of_operation = place
        forms.table.claims[operation].emit(emitter, call)
    return emitter


class OnnxProgram:
    """A session with the names of the model's inputs and outputs; an omitted one has an empty name."""

    def __init__(self, load: Callable[[bytes], OnnxSession], graph: Graph, forms: Forms, runtime: str) -> None:
        """Write the model and load it; ``runtime`` names it in messages.

        :raises HalError: GENERAL_FAILURE if the runtime refuses the model.
        """
        emitter = emit_model(graph, forms)
        self._runtime = runtime
        self._outputs = graph.outputs
        self.operators = emitter.operators
        names = [emitter.place(argument) for argument in graph.inputs]
        self._inputs = [name if emitter.is_input(name) else "" for name in names]
        self._are_booleans = [argument.type == OperandType.TENSOR_BOOL8 for argument in graph.inputs]
        computed = [
            (emitter.place(argument), argument)
            for argument in graph.outputs
            if emitter.place(argument) and 0 not in argument.dimensions
        ]
        self._results = [name for name, _ in computed]
        self._copies: dict[str, Array] = {}
        self.session = load(emitter.finish(computed)) if computed else None

    def run(self, inputs: Sequence[Array | None]) -> list[Array]:
        """Return outputs for inputs of the shapes that the program was built for.

        :raises HalError: GENERAL_FAILURE if the runtime fails.
        """
        fed = {
            name: self._safe(name, value, is_truth=is_truth)
            for name, is_truth, value in zip(self._inputs, self._are_booleans, inputs, strict=True)
            if name and value is not None
        }
        results = iter(self.session.run(self._results, fed) if self.session is not None else ())
        return [self._result(output, results) for output in self._outputs]

    def nodes(self) -> Sequence[RuntimeNode]:
        """Return the nodes of the model, all of which the runtime computes."""
        return [RuntimeNode(place, operator, is_taken=True) for place, operator in self.operators]

    def _safe(self, name: str, value: Array, *, is_truth: bool) -> Array:
        """Return a copy of an input, because the client may change its memory during the run.

        Floats are not copied: no number among them can make the runtime fail, as an index beyond a table can.
        """
        if value.dtype.kind == "f":
            return value
        copy = self._copies.get(name)
        if copy is None:
            copy = self._copies[name] = np.empty(value.shape, bool if is_truth else value.dtype)
        # Every byte other than 0 means True; the runtime needs exactly 1.
        np.copyto(copy, value, casting="unsafe")
        return copy

    def _result(self, output: Argument, results: Any) -> Array:
        """Return the next of the ``results``, or an empty array for an output that the model does not have."""
        if 0 in output.dimensions:
            return np.empty(output.dimensions, type_info(output.type).dtype)
        result: Array = next(results)
        if result.shape != output.dimensions:
            raise failure(f"{self._runtime}'s output has shape {result.shape}, not {output.dimensions}", "driver/reply")
        return result
