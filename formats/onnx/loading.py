"""Loading of ONNX models by the package ``onnx``: checks, expansion of composite operators, and inference of shapes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nnvet.formats.errors import MissingExtraError, ModelFileError
from nnvet.formats.onnx.context import OnnxNode
from nnvet.formats.onnx.operators import EXPANDED

OPSETS: Final = range(7, 29)
"""Versions of the operators (opsets) that the reader knows."""
_DOMAINS: Final = ("", "ai.onnx")
_LOCAL: Final = "Constant"


def onnx_package() -> ModuleType:
    """Return the package ``onnx``.

    :raises MissingExtraError: it is not installed.
    """
    try:
        import onnx.inliner  # noqa: PLC0415 - an extra
        import onnx.reference  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("onnx", "onnx", "reading ONNX models") from error
    return onnx


def load(source: Path | bytes, label: str) -> Any:
    """Return the model with all types and shapes that can be inferred.

    :raises ModelFileError: it is damaged, or of a version that is not known.
    """
    onnx = onnx_package()
    try:
        model = onnx.load_model_from_string(source) if isinstance(source, bytes) else onnx.load_model(str(source))
        onnx.checker.check_model(model)
        model = onnx.inliner.inline_local_functions(model) if model.functions else model
        _set_defaults(onnx, model, opset_of(model, label))
        model = _expand_operators(onnx, model)
        return onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    except ModelFileError:
        raise
    except OSError as error:
        raise ModelFileError(f"{label}: {error.strerror or error}") from error
    except Exception as error:
        # Protobuf, the checker and the inference raise errors of their own; the first line states the reason.
        raise ModelFileError(f"{label} is no valid ONNX model: {str(error).strip().splitlines()[0]}") from error


def _set_defaults(onnx: Any, model: Any, opset: int) -> None:
    """Write out the defaults of attributes, which bodies of operators refer to."""
    for node in model.graph.node:
        if node.domain not in _DOMAINS or not onnx.defs.has(node.op_type):
            continue
        given = {entry.name for entry in node.attribute}
        schema = onnx.defs.get_schema(node.op_type, opset)
        for name, attribute in schema.attributes.items():
            if name not in given and attribute.default_value.type:
                node.attribute.append(attribute.default_value)


def _expand_operators(onnx: Any, model: Any) -> Any:
    """Return the model with operators of :data:`EXPANDED` replaced by the operators that express them."""
    used = {node.op_type for node in model.graph.node if node.domain in _DOMAINS}
    if not used & EXPANDED:
        return model
    # The body of a composite operator depends on the types of its inputs, constants included.
    declared = {value.name for value in (*model.graph.input, *model.graph.value_info)}
    model.graph.value_info.extend(
        onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        for tensor in model.graph.initializer
        if tensor.name not in declared
    )
    typed = onnx.shape_inference.infer_shapes(model, data_prop=True)
    wanted = [("", name) for name in sorted(EXPANDED)]
    return onnx.inliner.inline_selected_functions(typed, wanted, inline_schema_functions=True)


def opset_of(model: Any, label: str) -> int:
    """Return the version of the operators.

    :raises ModelFileError: it is not known.
    """
    versions = [entry.version for entry in model.opset_import if entry.domain in _DOMAINS]
    version = int(versions[0]) if versions else 0
    if version not in OPSETS:
        raise ModelFileError(f"{label}: opset {version} is not known, only {OPSETS.start} to {OPSETS.stop - 1}")
    return version


def _tensors(model: Any) -> list[Any]:
    graph = model.graph
    values = (*graph.input, *graph.output, *graph.value_info)
    return [value for value in values if value.type.HasField("tensor_type") and value.type.tensor_type.elem_type]


def types_of(model: Any) -> dict[str, str]:
    """Return NumPy's name of the element type of each value that is a tensor."""
    helper = onnx_package().helper
    return {
        value.name: str(helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)) for value in _tensors(model)
    }


def shapes_of(model: Any) -> dict[str, tuple[int, ...]]:
    """Return the shape of each tensor whose shape is known."""
    found = {}
    for value in _tensors(model):
        kind = value.type.tensor_type
        sizes = tuple(dim.dim_value if dim.HasField("dim_value") else -1 for dim in kind.shape.dim)
        if kind.HasField("shape") and -1 not in sizes:
            found[value.name] = sizes
    return found


def constants_of(model: Any, given: Mapping[str, Any]) -> dict[str, npt.NDArray[Any]]:
    """Return the constants of the file, those of Constant nodes, and the given ones."""
    numpy_helper = onnx_package().numpy_helper
    found = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == _LOCAL:
            found[node.output[0]] = _value(node)
    return {**found, **{name: np.asarray(value) for name, value in given.items()}}


def _value(node: Any) -> npt.NDArray[Any]:
    """Return the value of a node Constant: numbers without a type are of 32 or 64 bits."""
    onnx = onnx_package()
    (entry,) = node.attribute
    value = onnx.helper.get_attribute_value(entry)
    if hasattr(value, "data_type"):
        array: npt.NDArray[Any] = onnx.numpy_helper.to_array(value)
        return array
    return np.asarray(value, np.float32 if entry.name.startswith("value_float") else None)


def nodes_of(model: Any, label: str) -> list[OnnxNode]:
    """Return all nodes but those of Constant.

    :raises ModelFileError: a node is of a domain of its own.
    """
    helper, found = onnx_package().helper, []
    types = {value.name: value.type.tensor_type.elem_type for value in _tensors(model)}
    for node in model.graph.node:
        if node.domain not in _DOMAINS:
            raise ModelFileError(f"{label}: {node.domain}.{node.op_type}: it has no form in the contract")
        if node.op_type == "CastLike" and node.output[0] in types:
            # Only the type of the second input matters.
            found.append(
                OnnxNode(node.name, "Cast", (node.input[0],), tuple(node.output), {"to": types[node.output[0]]})
            )
        elif node.op_type != _LOCAL:
            values = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
            found.append(OnnxNode(node.name, node.op_type, tuple(node.input), tuple(node.output), values))
    return found
