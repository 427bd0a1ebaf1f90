"""Reader of ONNX models: :func:`import_onnx` converts a file to a HAL model.

:mod:`nnvet.formats.onnx.loading` loads and checks the file, :mod:`nnvet.formats.onnx.operators` has the function that
converts each operator, and :func:`import_network` takes ONNX and TFLite files alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from nnvet.formats.errors import ModelFileError
from nnvet.formats.onnx import SUFFIX, codes, folding, loading, quantised
from nnvet.formats.onnx.context import CODES, NodeContext, OnnxConversion, OnnxNode
from nnvet.formats.onnx.operators import FUNCTIONS, KNOWN
from nnvet.formats.tflite.context import HalGraph
from nnvet.formats.tflite.importer import ImportedModel, TensorDescription, import_model
from nnvet.hal import memory
from nnvet.hal.errors import HalError
from nnvet.hal.types import OperandLifeTime, OperandType
from nnvet.hal.validation.model import validate_model

_CONSTANTS_LIMIT: Final = 2**32
"""Largest size of all constants of a model, in bytes."""
_SEVERAL: Final = ("Dropout", "Split", "TopK")
"""Operators of which all outputs can be converted; other operators may use only their first output."""
_PASSING: Final = (*quantised.MOVING, "Add", "Cast", "Expand", "Max", "Min", "Pad", "Tile", "Trilu", "Where")
"""Operators whose results may have infinite elements if their inputs have, as masks for attention do."""
_END: Final = OnnxNode("", "output", (), (), {})
"""Node that stands for the reader of the outputs of the graph."""


def import_onnx(
    source: Path | bytes, *, constants: Mapping[str, Any] | None = None, relaxed: bool = False, name: str = ""
) -> ImportedModel:
    """Convert an .onnx file, given by its path or by its bytes.

    ``constants`` are values, by name, of inputs that never change, such as shapes. Shapes have to be known. An input
    that no node reads, or that has no elements, is left out.

    :raises MissingExtraError: the package onnx is not installed.
    :raises ModelFileError: the file is damaged, or a node has no form in the contract that computes the same.
    """
    label = name or (str(source) if isinstance(source, Path) else "model")
    model = loading.load(source, label)
    conversion = OnnxConversion(
        label,
        HalGraph(_CONSTANTS_LIMIT),
        loading.types_of(model),
        loading.shapes_of(model),
        loading.constants_of(model, constants or {}),
        loading.opset_of(model, label),
    )
    nodes = quantised.without_qlinear(loading.nodes_of(model, label), conversion)
    outputs = [value.name for value in model.graph.output]
    readers = _find_readers(nodes, outputs)
    for value in model.graph.input:
        if 0 in (shape := conversion.shapes.get(value.name, ())):
            conversion.constants.setdefault(value.name, np.zeros(shape, conversion.types[value.name]))
    inputs = [value for value in model.graph.input if value.name not in conversion.constants and value.name in readers]
    quantised.find_quantizations(nodes, conversion)
    for value in inputs:
        _declare(conversion, value)
    # Nodes that an earlier one was converted with, such as those that quantise its result.
    gone: set[int] = set()
    for node in nodes:
        if id(node) not in gone:
            gone |= _convert(conversion, node, readers)
    return _finish(conversion, [value.name for value in inputs], outputs, relaxed=relaxed)


def import_network(
    path: Path, data: bytes | None = None, *, input_shape: Sequence[int] = (), relaxed: bool = False
) -> ImportedModel:
    """Convert a file by its suffix: ``.onnx``, or TFLite's, whose content may be given as ``data``.

    ``input_shape`` is that of the first input.

    :raises MissingExtraError: the package onnx is not installed.
    :raises ModelFileError: the file is damaged, has another input, or no form in the contract.
    """
    if path.suffix != SUFFIX:
        source = path if data is None else data
        return import_model(source, input_shape=input_shape, relaxed=relaxed, name=str(path))
    imported = import_onnx(path, relaxed=relaxed)
    own = imported.inputs[0].shape
    if input_shape and tuple(input_shape) != own:
        imported.close()
        raise ModelFileError(f"{path}: the first input has the shape {list(own)}, not {list(input_shape)}")
    return imported


def _find_readers(nodes: Sequence[OnnxNode], outputs: Sequence[str]) -> Mapping[str, Sequence[OnnxNode]]:
    """Return the nodes that read each value; an output of the graph has the reader ``_END`` as well."""
    found = defaultdict(list, {name: [_END] for name in outputs})
    for node in nodes:
        for name in node.inputs:
            found[name].append(node)
    return dict(found)


def _declare(conversion: OnnxConversion, value: Any) -> None:
    """Declare an input of the model; a scalar becomes a tensor of one element."""
    context = NodeContext(conversion, OnnxNode("", f"input {value.name}", (), (), {}))
    if not value.type.HasField("tensor_type"):
        context.fail("it is no tensor")
    dims = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
    if not all(size > 0 for size in dims):
        context.fail(f"its shape {dims} is not known, or empty")
    quantization = conversion.quantizations.get(value.name)
    name = conversion.types[value.name]
    kind = context.hal_type(name) if quantization is None else CODES[name]
    index = conversion.graph.tensor(kind, dims or (1,), quantization)
    conversion.graph.mark(index, OperandLifeTime.SUBGRAPH_INPUT)
    conversion.operands[value.name] = index


def _convert(conversion: OnnxConversion, node: OnnxNode, readers: Mapping[str, Sequence[OnnxNode]]) -> set[int]:
    """Convert a node; return the ids of later ones that are converted with it."""
    context = NodeContext(conversion, node)
    if node.operator not in KNOWN:
        context.fail("it has no form in the contract")
    if node.operator != quantised.DEQUANTIZE and folding.fold(context, loading.onnx_package()):
        return set()
    if node.operator not in FUNCTIONS:
        context.fail("it is known only where its inputs are constants")
    if any(context.output_names[1:]) and node.operator not in _SEVERAL:
        context.fail("only its first output has a form in the contract")
    _check_codes(context)
    _pass_infinity(context)
    try:
        found = codes.fold(context, FUNCTIONS[node.operator], readers)
        if found is not None:
            return found
        FUNCTIONS[node.operator](context)
    except HalError as error:
        context.fail(error.message)
    return set()


def _pass_infinity(context: NodeContext) -> None:
    """Note which outputs have infinite elements because a constant has."""
    infinite, constants = context.conversion.infinite, context.conversion.constants
    for name in context.input_names:
        if name in constants and constants[name].dtype.kind == "f" and np.isinf(constants[name]).any():
            infinite.add(name)
    if context.operator in _PASSING and not infinite.isdisjoint(context.input_names):
        infinite.update(context.output_names)


def _check_codes(context: NodeContext) -> None:
    """Refuse operators that compute with codes as if they were numbers."""
    known = context.conversion.quantizations
    if context.operator not in (*quantised.MOVING, quantised.DEQUANTIZE):
        for name in context.input_names:
            if name in known:
                context.fail(f"{name} holds codes of scale {known[name].scale}, which are computed with as integers")


def _finish(conversion: OnnxConversion, inputs: list[str], outputs: list[str], *, relaxed: bool) -> ImportedModel:
    """Mark the outputs, finish and validate the model, and describe its inputs and outputs.

    :raises ModelFileError: an output cannot be one of a HAL model, or the model is not valid.
    """
    graph, label = conversion.graph, conversion.source
    for name in outputs:
        if name in conversion.wide:
            raise ModelFileError(f"{label}: output {name} has {len(conversion.wide[name])} dimensions, NNAPI has 4")
        index = conversion.operand(name)
        if index is None or name in inputs or name in conversion.constants:
            raise ModelFileError(f"{label}: output {name} is a constant or an input")
        graph.mark(index, OperandLifeTime.SUBGRAPH_OUTPUT)
    ends = [[conversion.operands[name] for name in side] for side in (inputs, outputs)]
    model = graph.finish(*ends, relaxed=relaxed)
    try:
        level = validate_model(model)
    except HalError as error:
        for pool in model.pools:
            memory.close(pool)
        raise ModelFileError(f"{label}: the converted model breaks {error.rule}: {error.message}") from error
    described = [
        tuple(
            TensorDescription(
                name, OperandType(argument.type), argument.dimensions, argument.scale, argument.zero_point
            )
            for name, argument in zip(side, (graph.arguments[index] for index in indexes), strict=True)
        )
        for side, indexes in zip((inputs, outputs), ends, strict=True)
    ]
    return ImportedModel(model, described[0], described[1], (), (), label, level)
