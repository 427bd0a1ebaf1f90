"""Writer of small .tflite files, :class:`ModelWriter`: it makes models of benchmarks and tests, and exports cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nnvet.formats.errors import MissingExtraError
from nnvet.formats.tflite import schema

try:
    import flatbuffers
except ImportError:  # pragma: no cover - depends on what is installed
    flatbuffers = None

_SCALARS = {
    "bool": ("Bool", np.bool_),
    "i8": ("Int8", np.int8),
    "u8": ("Uint8", np.uint8),
    "i32": ("Int32", np.int32),
    "u32": ("Uint32", np.uint32),
    "i64": ("Int64", np.int64),
    "u64": ("Uint64", np.uint64),
    "f32": ("Float32", np.float32),
}
"""Name of each scalar type in flatbuffers' builder, and its NumPy type."""
_TENSOR_TYPES = {
    "float32": schema.TensorType.FLOAT32,
    "float16": schema.TensorType.FLOAT16,
    "int32": schema.TensorType.INT32,
    "uint8": schema.TensorType.UINT8,
    "int64": schema.TensorType.INT64,
    "bool": schema.TensorType.BOOL,
    "int16": schema.TensorType.INT16,
    "int8": schema.TensorType.INT8,
}
"""TFLite's type for NumPy's names of types."""
_BUFFER_ALIGNMENT = 16
"""Runtimes map weights in place; the schema demands this alignment of their data."""


class ModelWriter:
    """Collects tensors and operators of one subgraph and writes them as a .tflite file.

    :raises MissingExtraError: if the ``models`` extra is not installed.
    """

    def __init__(self, description: str = "nnvet") -> None:
        """Begin an empty model.

        :raises MissingExtraError: the package flatbuffers is not installed.
        """
        if flatbuffers is None:
            raise MissingExtraError("flatbuffers", "models", "writing .tflite files")
        self._description = description
        self._tensors: list[dict[str, Any]] = []
        self._buffers: list[dict[str, Any]] = [{}]
        self._operators: list[dict[str, Any]] = []
        self._codes: list[tuple[str, int]] = []

    def tensor(
        self,
        name: str,
        shape: Sequence[int],
        dtype: str = "float32",
        *,
        scale: Sequence[float] | float = (),
        zero_point: int = 0,
        axis: int = 0,
        is_variable: bool = False,
        data: npt.NDArray[Any] | None = None,
    ) -> int:
        """Add a tensor and return its index; several scales are per-channel quantisation along ``axis``."""
        scales = np.atleast_1d(np.asarray(scale, dtype=np.float32))
        quantization = None
        if scales.size:
            points = np.full(scales.size, zero_point, dtype=np.int64)
            quantization = {"scale": scales, "zero_point": points, "quantized_dimension": axis}
        buffer = 0
        if data is not None:
            self._buffers.append({"data": np.frombuffer(np.ascontiguousarray(data).tobytes(), dtype=np.uint8)})
            buffer = len(self._buffers) - 1
        self._tensors.append(
            {
                "shape": np.asarray(shape, dtype=np.int32),
                "type": _TENSOR_TYPES[dtype],
                "buffer": buffer,
                "name": name,
                "quantization": quantization,
                "is_variable": is_variable,
            }
        )
        return len(self._tensors) - 1

    def constant(self, name: str, value: npt.ArrayLike, dtype: str = "float32", **quantization: Any) -> int:
        """Add a constant tensor; see :meth:`tensor` for the quantisation."""
        array = np.asarray(value, dtype=dtype)
        return self.tensor(name, array.shape, dtype, data=array, **quantization)

    def operator(
        self,
        name: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        *,
        version: int = 1,
        custom_options: bytes = b"",
        **options: Any,
    ) -> None:
        """Add an operator; -1 among ``inputs`` is an omitted one, ``options`` are fields of its options table.

        Custom operators have the names that the reader gives them, and options in a form of their own.
        """
        if (name, version) not in self._codes:
            self._codes.append((name, version))
        table = schema.OPERATORS[_builtin_code(name)].options
        known = {field.name for field in schema.TABLES.get(table, ())}
        if unknown := set(options) - known:
            raise ValueError(f"{name} has no option {sorted(unknown)}; it has {sorted(known)}")
        self._operators.append(
            {
                "opcode_index": self._codes.index((name, version)),
                "inputs": np.asarray(inputs, dtype=np.int32),
                "outputs": np.asarray(outputs, dtype=np.int32),
                "builtin_options_type": schema.NUMBER_OF_OPTIONS.get(table, 0),
                "builtin_options": (table, options) if table in schema.NUMBER_OF_OPTIONS else None,
                "custom_options": np.frombuffer(custom_options, np.uint8) if custom_options else None,
            }
        )

    def finish(self, inputs: Sequence[int], outputs: Sequence[int]) -> bytes:
        """Return the file's bytes; ``inputs`` and ``outputs`` are tensor indexes."""
        codes = [
            {
                "deprecated_builtin_code": min(_builtin_code(name), schema.PLACEHOLDER_FOR_GREATER_OP_CODES),
                "custom_code": None if name in schema.OPERATOR_CODES else schema.custom_code(name),
                "builtin_code": _builtin_code(name),
                "version": version,
            }
            for name, version in self._codes
        ]
        subgraph = {
            "tensors": self._tensors,
            "inputs": np.asarray(inputs, dtype=np.int32),
            "outputs": np.asarray(outputs, dtype=np.int32),
            "operators": self._operators,
            "name": "main",
        }
        model = {
            "version": 3,
            "operator_codes": codes,
            "subgraphs": [subgraph],
            "description": self._description,
            "buffers": self._buffers,
        }
        return encode("Model", model)


def _builtin_code(name: str) -> int:
    return schema.OPERATOR_CODES[name if name in schema.OPERATOR_CODES else schema.CUSTOM]


def encode(table: str, values: dict[str, Any]) -> bytes:
    """Return a flatbuffer whose root is ``table``; fields that are missing or None keep their defaults."""
    builder = flatbuffers.Builder(1024)
    builder.Finish(_table(builder, table, values), file_identifier=schema.FILE_IDENTIFIER)
    return bytes(builder.Output())


def _table(builder: Any, name: str, values: dict[str, Any]) -> int:
    """Write one table, children first; return its offset."""
    fields = [field for field in schema.TABLES[name] if values.get(field.name) is not None]
    children = {field.name: _child(builder, field, values[field.name]) for field in fields if _is_child(field)}
    builder.StartObject(max((field.slot for field in schema.TABLES[name]), default=-1) + 1)
    for field in fields:
        if field.type == "union":
            builder.PrependUint8Slot(field.slot - 1, values[field.name + "_type"], 0)
        if field.name in children:
            builder.PrependUOffsetTRelativeSlot(field.slot, children[field.name], 0)
        else:
            getattr(builder, f"Prepend{_SCALARS[field.type][0]}Slot")(field.slot, values[field.name], field.default)
    offset: int = builder.EndObject()
    return offset


def _is_child(field: schema.Field) -> bool:
    """Return True if the field holds an offset to an object that is written before its table."""
    return field.is_vector or field.type not in _SCALARS


def _child(builder: Any, field: schema.Field, value: Any) -> int:
    """Write the target of a field, and return its offset."""
    if field.type == "union":
        return _table(builder, *value)
    if field.type == "str":
        return int(builder.CreateString(value))
    if not field.is_vector:
        return _table(builder, field.type, value)
    if field.type in _SCALARS:
        return _scalars(builder, np.ascontiguousarray(value, dtype=_SCALARS[field.type][1]))
    offsets = [_table(builder, field.type, item) for item in value]
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    return int(builder.EndVector())


def _scalars(builder: Any, array: npt.NDArray[Any]) -> int:
    """Write a vector of numbers; bytes are aligned as weights need."""
    alignment = _BUFFER_ALIGNMENT if array.dtype == np.uint8 else array.dtype.itemsize
    builder.StartVector(array.dtype.itemsize, array.size, alignment)
    start = builder.Head() - array.nbytes
    builder.head = start
    builder.Bytes[start : start + array.nbytes] = array.tobytes()
    return int(builder.EndVector())
