"""Writes models of the HAL as TFLite files, by the table of what LiteRT computes as the contract says."""

from __future__ import annotations

from typing import Final

import numpy as np

from nnvet.adapters.litert.emitter import Emitter
from nnvet.adapters.litert.table import TABLE
from nnvet.adapters.runtimes.graph import Graph, declared_graph, executed_graph, model_constants
from nnvet.hal.dimensions import fully_known
from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.catalogue import operation_name
from nnvet.hal.types import Model

TFLITE_SUFFIX: Final = ".tflite"


class InexpressibleError(ValueError):
    """A model has no form as a TFLite file; the text names the operation and the reason."""


def emitted(graph: Graph) -> Emitter:
    """The operators of a graph, all of whose calls are claimed by the table."""
    emitter = Emitter(graph)
    for operation, call in graph.computing():
        TABLE.claims[operation].emit(emitter, call)
        emitter.end_operation()
    return emitter


@np.errstate(all="ignore")
def tflite_file(model: Model) -> bytes:
    """The main subgraph of a model as a .tflite file; tensors are called ``op`` and the operand's index.

    :raises InexpressibleError: the model is not valid, or an operation, a shape or a value has no form in TFLite.
    :raises MissingExtraError: the package flatbuffers is not installed.
    """
    try:
        emitter, graph = _checked(model)
    except HalError as error:
        raise InexpressibleError(f"the model cannot be executed: {error.message} [{error.rule}]") from error
    for index in model.main.output_indexes:
        if emitter.place(graph.arguments[index]) is None:
            raise InexpressibleError(f"output operand {index} has no elements, which TFLite does not compute")
    return emitter.writer.finish(*([emitter.stored(one) for one in side] for side in (graph.inputs, graph.outputs)))


def _checked(model: Model) -> tuple[Emitter, Graph]:
    """The operators, and the graph that they come from.

    :raises HalError: a rule is broken.
    :raises InexpressibleError: an operation or the shape of an input has no form in TFLite.
    """
    declared = declared_graph(model)
    for index, (operation, call) in enumerate(zip(model.main.operations, declared.calls, strict=True)):
        why = "it belongs to an extension" if call is None else TABLE.refusal(call)
        if why:
            raise InexpressibleError(f"operation {index} {operation_name(operation.type)} has no form in TFLite: {why}")
    for index in model.main.input_indexes:
        _check_shape(model, index)
    shapes = [model.main.operands[index].dimensions for index in model.main.input_indexes]
    graph = executed_graph(model, model_constants(model), shapes)
    return emitted(graph), graph


def _check_shape(model: Model, index: int) -> None:
    operand = model.main.operands[index]
    if operand.lifetime != OperandLifeTime.SUBGRAPH_INPUT or not type_info(operand.type).is_tensor:
        raise InexpressibleError(f"input operand {index} is a scalar; only tensors can be inputs")
    if not fully_known(operand.dimensions):
        raise InexpressibleError(
            f"input operand {index} has the shape {list(operand.dimensions)}; TFLite needs it known"
        )
