"""Reads ONNX models into HAL models by :func:`import_onnx`; :mod:`nnvet.formats.onnx.operators` converts the nodes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nnvet.formats.errors import MissingExtraError, ModelFileError
from nnvet.formats.onnx.context import NodeContext, OnnxConversion
from nnvet.formats.onnx.operators import FUNCTIONS
from nnvet.formats.tflite.context import HalGraph
from nnvet.formats.tflite.importer import ImportedModel, TensorDescription, import_model
from nnvet.hal import memory
from nnvet.hal.errors import HalError
from nnvet.hal.types import OperandLifeTime, OperandType
from nnvet.hal.validation.model import validate_model

SUFFIX: Final = ".onnx"
OPSETS: Final = range(7, 27)
"""Versions of the operators that the functions know."""
_CONSTANTS_LIMIT: Final = 2**32


def import_onnx(source: Path | bytes, *, constants: Mapping[str, Any] | None = None, name: str = "") -> ImportedModel:
    """Convert an .onnx file, given by its path or by its bytes.

    ``constants`` are values, by name, of inputs that never change, such as shapes. Shapes have to be known.

    :raises MissingExtraError: the package onnx is not installed.
    :raises ModelFileError: the file is damaged, or a node has no form in the contract that computes the same.
    """
    label = name or (str(source) if isinstance(source, Path) else "model")
    model = _loaded(source, label)
    conversion = OnnxConversion(
        label, HalGraph(_CONSTANTS_LIMIT), _types(model), _constants(model, constants or {}), _opset(model, label)
    )
    inputs = [value for value in model.graph.input if value.name not in conversion.constants]
    for value in inputs:
        _declare(conversion, value)
    for node in model.graph.node:
        _convert(conversion, node)
    return _finished(conversion, [value.name for value in inputs], [value.name for value in model.graph.output])


def import_network(path: Path) -> ImportedModel:
    """Convert a file by its suffix: ``.onnx``, or TFLite's; raises like :func:`import_onnx`."""
    return import_onnx(path) if path.suffix == SUFFIX else import_model(path)


def _onnx() -> Any:
    try:
        import onnx  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("onnx", "onnx", "reading ONNX models") from error
    return onnx


def _loaded(source: Path | bytes, label: str) -> Any:
    onnx = _onnx()
    try:
        model = onnx.load_model_from_string(source) if isinstance(source, bytes) else onnx.load_model(str(source))
        onnx.checker.check_model(model)
        return onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    except OSError as error:
        raise ModelFileError(f"{label}: {error.strerror or error}") from error
    except Exception as error:
        # Protobuf, the checker and the inference raise errors of their own, whose first line says it.
        raise ModelFileError(f"{label} is no valid ONNX model: {str(error).strip().splitlines()[0]}") from error


def _opset(model: Any, label: str) -> int:
    versions = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    version = int(versions[0]) if versions else 0
    if version not in OPSETS:
        raise ModelFileError(f"{label}: opset {version} is not known, only {OPSETS.start} to {OPSETS.stop - 1}")
    return version


def _types(model: Any) -> dict[str, str]:
    """Return NumPy's name of the element type of each value that is a tensor."""
    onnx, graph = _onnx(), model.graph
    return {
        value.name: str(onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type))
        for value in (*graph.input, *graph.output, *graph.value_info)
        if value.type.HasField("tensor_type") and value.type.tensor_type.elem_type
    }


def _constants(model: Any, given: Mapping[str, Any]) -> dict[str, npt.NDArray[Any]]:
    numpy_helper = _onnx().numpy_helper
    found = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    return {**found, **{name: np.asarray(value) for name, value in given.items()}}


def _declare(conversion: OnnxConversion, value: Any) -> None:
    """Declare an input of the model; a scalar becomes a tensor of one element."""
    context = NodeContext(conversion, "", f"input {value.name}", (), (), {})
    if not value.type.HasField("tensor_type"):
        context.fail("it is no tensor")
    dims = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
    if not all(size > 0 for size in dims):
        context.fail(f"its shape {dims} is not known, or empty")
    kind = context.hal_type(conversion.types[value.name])
    index = conversion.graph.tensor(kind, dims or (1,))
    conversion.graph.mark(index, OperandLifeTime.SUBGRAPH_INPUT)
    conversion.operands[value.name] = index


def _convert(conversion: OnnxConversion, node: Any) -> None:
    helper, numpy_helper = _onnx().helper, _onnx().numpy_helper
    attributes = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
    context = NodeContext(conversion, node.name, node.op_type, tuple(node.input), tuple(node.output), attributes)
    if node.op_type == "Constant":
        value = next(iter(attributes.values()))
        array = numpy_helper.to_array(value) if hasattr(value, "data_type") else np.asarray(value)
        conversion.constants[node.output[0]] = array.astype(np.float32) if array.dtype == np.float64 else array
        return
    if node.domain not in ("", "ai.onnx") or node.op_type not in FUNCTIONS:
        context.fail("it has no form in the contract")
    if any(context.output_names[1:]) and node.op_type != "Split":
        context.fail("only its first output has a form in the contract")
    try:
        FUNCTIONS[node.op_type](context)
    except HalError as error:
        context.fail(error.message)


def _finished(conversion: OnnxConversion, inputs: list[str], outputs: list[str]) -> ImportedModel:
    graph, label = conversion.graph, conversion.source
    for name in outputs:
        if name not in conversion.operands or name in inputs:
            raise ModelFileError(f"{label}: output {name} is a constant or an input")
        graph.mark(conversion.operands[name], OperandLifeTime.SUBGRAPH_OUTPUT)
    ends = [[conversion.operands[name] for name in side] for side in (inputs, outputs)]
    model = graph.finish(*ends)
    try:
        level = validate_model(model)
    except HalError as error:
        for pool in model.pools:
            memory.close(pool)
        raise ModelFileError(f"{label}: the converted model breaks {error.rule}: {error.message}") from error
    described = [
        tuple(
            TensorDescription(name, OperandType(one.type), one.dimensions, one.scale, one.zero_point)
            for name, one in zip(side, (graph.arguments[index] for index in indexes), strict=True)
        )
        for side, indexes in zip((inputs, outputs), ends, strict=True)
    ]
    return ImportedModel(model, described[0], described[1], (), (), label, level)
