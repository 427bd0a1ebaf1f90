"""Writer of HAL models as TFLite files, and tables of the operations that LiteRT computes as the contract says.

There are three tables, because recurrent operations have states: whoever runs a file must keep them, or write and read
them. Each table also has the reasons why other operations are not claimed. The claims themselves are in ``forms.py``,
``movement.py``, ``numeric.py`` and ``products.py``; :mod:`nnvet.adapters.litert.device` is the driver.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from nnvet.adapters.litert import forms, movement, numeric, products
from nnvet.adapters.litert.emitter import Emitter
from nnvet.adapters.runtimes import claims
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import fully_known, type_info
from nnvet.hal.operations.catalogue import operation_name
from nnvet.hal.types import Model, OperandLifeTime, OperationType

_O = OperationType
_STATE: Final = "TFLite keeps the states inside the interpreter, the contract passes them in and out"
_NONE: Final = "TFLite has no such builtin operator"

UNCLAIMED: Final = {
    **dict.fromkeys(
        (*claims.CELLS, *claims.CELLS_OF_CODES, _O.SVDF),
        _STATE,
    ),
    **dict.fromkeys(
        (
            _O.AXIS_ALIGNED_BBOX_TRANSFORM,
            _O.BOX_WITH_NMS_LIMIT,
            _O.GENERATE_PROPOSALS,
            _O.HEATMAP_MAX_KEYPOINT,
            _O.ROI_ALIGN,
            _O.ROI_POOLING,
        ),
        _NONE,
    ),
    **claims.NEVER_CLAIMED,
}

TABLE: Final = claims.Table[Emitter](
    "LiteRT", (*forms.CLAIMS, *movement.CLAIMS, *numeric.CLAIMS, *products.CLAIMS), UNCLAIMED
)
"""Claims of operations without states, for files that programs of others run (:mod:`nnvet.adapters.files.layout`)."""

_OTHERS: Final = {
    **{operation: reason for operation, reason in UNCLAIMED.items() if operation not in products.RESULTS},
    _O.QUANTIZED_LSTM: "TFLite adds biases to the gates of its 8-bit LSTM that the contract leaves out",
    _O.QUANTIZED_16BIT_LSTM: "TFLite wants the weights of all gates in one matrix",
}
"""Reasons of the operations that no table claims."""

FILES: Final = claims.Table[Emitter]("TFLite", (*TABLE.claims.values(), *products.RECURRENT), _OTHERS)
"""Claims of the writer of files; the interpreter of a file keeps the states of recurrent operations itself."""

DRIVER: Final = claims.Table[Emitter](
    "LiteRT",
    [claim for operation, claim in FILES.claims.items() if operation != _O.SVDF],
    {**_OTHERS, _O.SVDF: "LiteRT moves the state on before the step, the contract after it"},
    products.foreign_state,
)
"""Claims of the driver, which writes the states before each inference and reads them after it."""

MISSING: Final = {
    "reference": {_O.ELU: "LiteRT registers no reference kernel"},
}
"""By value of the option ``kernels``: the operations that these kernels lack, with the reason."""


TFLITE_SUFFIX: Final = ".tflite"


class InexpressibleError(ValueError):
    """A model has no form as a TFLite file; the text names the operation and the reason."""


def emit_model(graph: claims.Graph) -> Emitter:
    """Return the operators of a graph, all of whose operations :data:`FILES` claims."""
    emitter = Emitter(graph)
    for place, operation, call in graph.numbered():
        emitter.place_of_operation = place
        FILES.claims[operation].emit(emitter, call)
        emitter.end_operation()
    return emitter


@np.errstate(all="ignore")
def tflite_file(model: Model) -> bytes:
    """Return the main subgraph of a model as a .tflite file; tensors are called ``op`` and the operand's index.

    States and scratch of recurrent operations are not among the inputs and outputs of the file: the states become
    variable tensors, which are zero at first.

    :raises InexpressibleError: the model is not valid, or an operation, a shape or a value has no form in TFLite.
    :raises MissingExtraError: the package flatbuffers is not installed.
    """
    try:
        emitter, graph = _checked(model)
    except HalError as error:
        raise InexpressibleError(f"the model cannot be executed: {error.message} [{error.rule}]") from error
    inputs, outputs = (
        [operand for operand in side if emitter.has_end(operand)] for side in (graph.inputs, graph.outputs)
    )
    if not outputs:
        raise InexpressibleError("all outputs are states or scratch, which a file has none of")
    for index in model.main.output_indexes:
        argument = graph.arguments[index]
        if emitter.has_end(argument) and emitter.place(argument) is None:
            raise InexpressibleError(f"output operand {index} has no elements, which TFLite does not compute")
    return emitter.writer.finish(*([emitter.stored(operand) for operand in side] for side in (inputs, outputs)))


def _checked(model: Model) -> tuple[Emitter, claims.Graph]:
    """Return the operators of a model's main subgraph, and the graph with the shapes of the declared inputs.

    :raises HalError: a rule is broken.
    :raises InexpressibleError: an operation or the shape of an input has no form in TFLite.
    """
    declared = claims.read_graph(model)
    for index, (operation, call) in enumerate(zip(model.main.operations, declared.calls, strict=True)):
        why = "it belongs to an extension" if call is None else FILES.refusal(call)
        if why:
            raise InexpressibleError(f"operation {index} {operation_name(operation.type)} has no form in TFLite: {why}")
        if state := products.foreign_state(declared, index, with_constants=False):
            raise InexpressibleError(
                f"operation {index} {operation_name(operation.type)} has no form in TFLite: {state}"
            )
    for index in model.main.input_indexes:
        _check_shape(model, index)
    shapes = [model.main.operands[index].dimensions for index in model.main.input_indexes]
    graph = claims.execute_graph(model, claims.model_constants(model), shapes)
    return emit_model(graph), graph


def _check_shape(model: Model, index: int) -> None:
    operand = model.main.operands[index]
    if operand.lifetime != OperandLifeTime.SUBGRAPH_INPUT or not type_info(operand.type).is_tensor:
        raise InexpressibleError(f"input operand {index} is a scalar; only tensors can be inputs")
    if not fully_known(operand.dimensions):
        raise InexpressibleError(
            f"input operand {index} has the shape {list(operand.dimensions)}; TFLite needs it known"
        )
