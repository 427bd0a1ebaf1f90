"""Writes models of the HAL as TFLite files, by the table of what LiteRT computes as the contract says."""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np

from nnvet.adapters.litert.emitter import Emitter
from nnvet.adapters.litert.recurrent import RESULTS, results, state_inputs
from nnvet.adapters.litert.table import FILES
from nnvet.adapters.runtimes.graph import Graph, execute_graph, model_constants, read_graph
from nnvet.hal.dimensions import fully_known
from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.catalogue import operation_name
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import Model

TFLITE_SUFFIX: Final = ".tflite"


class InexpressibleError(ValueError):
    """A model has no form as a TFLite file; the text names the operation and the reason."""


def emit_model(graph: Graph) -> Emitter:
    """The operators of a graph, all of whose calls the table of files has."""
    emitter = Emitter(graph)
    for place, operation, call in graph.numbered():
        emitter.place_of_operation = place
        FILES.claims[operation].emit(emitter, call)
        emitter.end_operation()
    return emitter


@np.errstate(all="ignore")
def tflite_file(model: Model) -> bytes:
    """The main subgraph of a model as a .tflite file; tensors are called ``op`` and the operand's index.

    States of recurrent operations, and their scratch, are none of the file's inputs and outputs: variable tensors
    keep them, which are zero at first.

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


def _checked(model: Model) -> tuple[Emitter, Graph]:
    """The operators, and the graph that they come from.

    :raises HalError: a rule is broken.
    :raises InexpressibleError: an operation or the shape of an input has no form in TFLite.
    """
    declared = read_graph(model)
    for index, (operation, call) in enumerate(zip(model.main.operations, declared.calls, strict=True)):
        why = "it belongs to an extension" if call is None else FILES.refusal(call)
        if why:
            raise InexpressibleError(f"operation {index} {operation_name(operation.type)} has no form in TFLite: {why}")
        if call is not None and operation.type in RESULTS:
            _check_states(model, index, call)
    for index in model.main.input_indexes:
        _check_shape(model, index)
    shapes = [model.main.operands[index].dimensions for index in model.main.input_indexes]
    graph = execute_graph(model, model_constants(model), shapes)
    return emit_model(graph), graph


def _check_states(model: Model, index: int, call: Call) -> None:
    """States come from the client and go back to it; within a file nothing else can reach them."""
    operation, main = model.main.operations[index], model.main
    read = Counter(operand for step in main.operations for operand in step.inputs)
    what = f"operation {index} {operation_name(operation.type)} has no form in TFLite"
    for position in state_inputs(call):
        operand = operation.inputs[position]
        if main.operands[operand].lifetime != OperandLifeTime.SUBGRAPH_INPUT or read[operand] > 1:
            raise InexpressibleError(f"{what}: its state, operand {operand}, is no input of the model of its own")
    for position in set(range(len(operation.outputs))) - set(results(call)):
        if read[operation.outputs[position]]:
            raise InexpressibleError(
                f"{what}: another operation reads its state, operand {operation.outputs[position]}"
            )


def _check_shape(model: Model, index: int) -> None:
    operand = model.main.operands[index]
    if operand.lifetime != OperandLifeTime.SUBGRAPH_INPUT or not type_info(operand.type).is_tensor:
        raise InexpressibleError(f"input operand {index} is a scalar; only tensors can be inputs")
    if not fully_known(operand.dimensions):
        raise InexpressibleError(
            f"input operand {index} has the shape {list(operand.dimensions)}; TFLite needs it known"
        )
