"""Reader of .tflite files: :func:`parse` returns checked, immutable Python objects on which the conversion can rely.

The reader of flatbuffers trusts nothing in the file. It turns the tables of :mod:`nnvet.formats.tflite.schema` into
dictionaries. Every offset is checked against the buffer, and the number of tables and the length of all texts are
limited. Otherwise a hostile file in which many offsets point to one target could fill the memory.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nnvet.formats.errors import ModelFileError
from nnvet.formats.tflite import schema

_FORMATS = {"bool": "<?", "i8": "<b", "u8": "<B", "i32": "<i", "u32": "<I", "i64": "<q", "u64": "<Q", "f32": "<f"}
"""Format of each scalar type for :mod:`struct`."""
_MAX_TABLES = 250_000
"""Largest number of tables in a file: an order of magnitude above the largest models known."""
_MAX_TEXT = 4
"""All texts together may have at most this many times the bytes of the file, since fields may share a text."""

Table = dict[str, Any]


class FlatbufferReader:
    """Decodes tables from ``data``; every error is a :class:`ModelFileError` that names ``source``."""

    def __init__(self, data: bytes, source: str) -> None:
        """Keep the buffer; ``source`` is the file's name for messages."""
        self._data = data
        self._source = source
        self._tables_left = _MAX_TABLES
        self._text_left = _MAX_TEXT * len(data)

    def root(self, table: str) -> Table:
        """Return the root table, everything below it decoded; vectors of numbers are views into the buffer.

        :raises ModelFileError: if any offset or length leaves the buffer.
        """
        return self._table(self._follow(0), table)

    def bytes_at(self, offset: int, size: int) -> memoryview:
        """Return ``size`` bytes of the file from ``offset``."""
        self._check(offset, size)
        return memoryview(self._data)[offset : offset + size]

    def _fail(self, what: str, position: int) -> ModelFileError:
        """Return the error at a byte position."""
        return ModelFileError(
            f"{self._source}: {what} at byte {position} (of {len(self._data)}): the file is damaged or cut short; "
            "copy or convert it again"
        )

    def _check(self, position: int, size: int) -> None:
        """Refuse a region that is not wholly inside the buffer."""
        if position < 0 or size < 0 or position + size > len(self._data):
            raise self._fail(f"{size} bytes leave the file", position)

    def _number(self, kind: str, position: int) -> Any:
        """Return a scalar of type ``kind``."""
        layout = _FORMATS[kind]
        self._check(position, struct.calcsize(layout))
        return struct.unpack_from(layout, self._data, position)[0]

    def _follow(self, position: int) -> int:
        """Return the target of the unsigned offset at ``position``."""
        target: int = position + self._number("u32", position)
        return target

    def _table(self, position: int, name: str) -> Table:
        """Return all fields of the table ``name``; absent ones have their defaults."""
        vtable = position - self._number("i32", position)
        self._check(vtable, 4)
        vtable_size, table_size = struct.unpack_from("<HH", self._data, vtable)
        if vtable_size < 4 or table_size < 4:  # noqa: PLR2004 - both sizes include their own two headers
            raise self._fail(f"the header of a {name} table is malformed", position)
        self._check(vtable, vtable_size)
        self._check(position, table_size)
        self._tables_left -= 1
        if self._tables_left < 0:
            raise self._fail(f"there are more than {_MAX_TABLES} tables", position)

        def place(slot: int) -> int:
            """Return the position of a slot's value, 0 if the table does not have it."""
            entry = 4 + 2 * slot
            if entry + 2 > vtable_size:
                return 0
            offset: int = struct.unpack_from("<H", self._data, vtable + entry)[0]
            return position + offset if offset else 0

        result: Table = {}
        for field in schema.TABLES[name]:
            at = place(field.slot)
            if field.type == "union":
                kind_at = place(field.slot - 1)
                number = self._number("u8", kind_at) if kind_at else 0
                result[field.name + "_type"] = number
                known = at and name == "Operator" and number in schema.OPTIONS_BY_NUMBER
                result[field.name] = self._table(self._follow(at), schema.OPTIONS_BY_NUMBER[number]) if known else None
            else:
                result[field.name] = self._field(field, at)
        return result

    def _field(self, field: schema.Field, position: int) -> Any:
        """Return the value of a field that lies at ``position`` (0: absent)."""
        if field.is_vector:
            return self._vector(field.type, self._follow(position)) if position else self._empty(field.type)
        if field.type in _FORMATS:
            value = self._number(field.type, position) if position else field.default
            return bool(value) if field.type == "bool" else value
        if field.type == "str":
            return self._text(self._follow(position)) if position else ""
        return self._table(self._follow(position), field.type) if position else None

    def _empty(self, kind: str) -> Any:
        """Return the value of a vector that is absent."""
        return np.zeros(0, dtype=_FORMATS[kind]) if kind in _FORMATS else []

    def _vector(self, kind: str, position: int) -> Any:
        """Return a vector of scalars (NumPy view) or of tables (list)."""
        length = self._number("u32", position)
        size = struct.calcsize(_FORMATS[kind]) if kind in _FORMATS else 4
        start = position + 4
        self._check(start, length * size)
        if kind in _FORMATS:
            return np.frombuffer(self._data, dtype=_FORMATS[kind], count=length, offset=start)
        return [self._table(self._follow(start + 4 * index), kind) for index in range(length)]

    def _text(self, position: int) -> str:
        """Return a string; bytes that are not UTF-8 are replaced."""
        length = self._number("u32", position)
        self._check(position + 4, length)
        self._text_left -= length
        if self._text_left < 0:
            raise self._fail("the texts decode to far more than the file holds", position)
        return bytes(self._data[position + 4 : position + 4 + length]).decode("utf-8", "replace")


MAX_TENSOR_BYTES = 2**31 - 1
"""Neither TFLite nor the HAL can address more in one tensor of a 32-bit world."""
_MAX_FILE_BYTES = 2**31 - 1
_DTYPES = {
    schema.TensorType.FLOAT32: "<f4",
    schema.TensorType.FLOAT16: "<f2",
    schema.TensorType.INT32: "<i4",
    schema.TensorType.UINT8: "u1",
    schema.TensorType.INT64: "<i8",
    schema.TensorType.BOOL: "u1",
    schema.TensorType.INT16: "<i2",
    schema.TensorType.INT8: "i1",
}


@dataclass(frozen=True, eq=False)
class SourceTensor:
    """A tensor; ``value`` is its constant content. An empty ``shape`` of a computed tensor means unknown."""

    index: int
    name: str
    type: schema.TensorType
    shape: tuple[int, ...]
    value: npt.NDArray[Any] | None
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    quantized_dimension: int
    is_variable: bool

    @property
    def label(self) -> str:
        """Index and name, for messages."""
        return f"tensor {self.index} '{self.name}'"


@dataclass(frozen=True, eq=False)
class SourceOperator:
    """An operator; -1 among ``inputs`` is an omitted one. ``options`` holds every field of its options table.

    ``custom_options`` are those of operators that are not builtin, in a form of their own.
    """

    index: int
    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: dict[str, Any]
    custom_options: bytes = b""

    @property
    def label(self) -> str:
        """Index and name, for messages."""
        return f"operator {self.index} {self.name}"


@dataclass(frozen=True, eq=False)
class SourceModel:
    """The main subgraph of a file; every index in it is valid."""

    source: str
    tensors: tuple[SourceTensor, ...]
    operators: tuple[SourceOperator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def read_file(path: Path) -> bytes:
    """Return the bytes of a model file.

    :raises ModelFileError: if it is missing, not a regular file, unreadable or larger than a flatbuffer can be.
    """
    try:
        if not path.is_file():
            raise ModelFileError(f"{path}: there is no such model file; check the path")
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise ModelFileError(f"{path}: larger than 2 GiB, which a .tflite file cannot be; is it another format?")
        return path.read_bytes()
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be read: {error.strerror}; check the file's permissions") from error


def parse(data: bytes, source: str) -> SourceModel:
    """Read a model from the bytes of a file called ``source``.

    :raises ModelFileError: if anything in it is damaged, out of range or of a kind not known here.
    """
    if data[4:8] != schema.FILE_IDENTIFIER:
        raise ModelFileError(f"{source}: not a TFLite file (no 'TFL3' at byte 4); give a .tflite model")
    reader = FlatbufferReader(data, source)
    model = reader.root("Model")
    if not model["subgraphs"]:
        raise ModelFileError(f"{source}: the file has no subgraph; convert the model again")
    graph = model["subgraphs"][0]
    parser = _Parser(reader, source, model)
    tensors = tuple(parser.tensor(index, table) for index, table in enumerate(graph["tensors"]))
    operators = tuple(parser.operator(index, table, len(tensors)) for index, table in enumerate(graph["operators"]))
    inputs = parser.indexes(graph["inputs"], len(tensors), "the graph's inputs")
    outputs = parser.indexes(graph["outputs"], len(tensors), "the graph's outputs")
    if not operators or not inputs or not outputs:
        raise ModelFileError(f"{source}: a model needs an input, an operator and an output; this one lacks one of them")
    return SourceModel(source, tensors, operators, inputs, outputs)


class _Parser:
    """Checks tables one by one, and holds the codes and buffers to which they refer."""

    def __init__(self, reader: FlatbufferReader, source: str, model: Table) -> None:
        self._reader = reader
        self._source = source
        self._codes = [self._operator_name(code) for code in model["operator_codes"]]
        self._buffers: list[Table] = model["buffers"]

    def indexes(self, vector: npt.NDArray[np.int32], count: int, what: str, low: int = 0) -> tuple[int, ...]:
        """Return a vector of tensor indexes from ``low`` to ``count`` - 1."""
        values: tuple[int, ...] = tuple(vector.tolist())
        for value in values:
            if not low <= value < count:
                raise ModelFileError(
                    f"{self._source}: {what} name tensor {value} of {count}; the file is damaged: convert it again"
                )
        return values

    def operator(self, index: int, table: Table, tensors: int) -> SourceOperator:
        """Return an operator, after checking that its options table is the one of its code."""
        code = table["opcode_index"]
        if code >= len(self._codes):
            raise ModelFileError(f"{self._source}: operator {index} has code index {code} of {len(self._codes)}")
        name, expected = self._codes[code]
        label = f"operator {index} {name}"
        kind = table["builtin_options_type"]
        if expected in schema.TABLES and kind not in (0, schema.NUMBER_OF_OPTIONS[expected]):
            raise ModelFileError(f"{self._source}: {label} has options of kind {kind}, not {expected}; convert again")
        return SourceOperator(
            index,
            name,
            self.indexes(table["inputs"], tensors, f"the inputs of {label}", low=-1),
            self.indexes(table["outputs"], tensors, f"the outputs of {label}"),
            table["builtin_options"] or schema.defaults(expected),
            table["custom_options"].tobytes(),
        )

    def tensor(self, index: int, table: Table) -> SourceTensor:
        """Return a tensor, its constant content checked against type and shape."""
        label = f"{self._source}: tensor {index} '{table['name']}'"
        shape: tuple[int, ...] = tuple(table["shape"].tolist())
        try:
            kind = schema.TensorType(table["type"])
        except ValueError:
            raise ModelFileError(f"{label} has the unknown element type {table['type']}") from None
        if any(size < 0 for size in shape):
            raise ModelFileError(f"{label} has the shape {shape}; fix its sizes when converting the model")
        data = self._data(table["buffer"], label)
        if data is not None and (table["sparsity"] is not None or kind not in _DTYPES):
            what = "sparse" if table["sparsity"] is not None else kind.name
            raise ModelFileError(f"{label} is a {what} constant, which has no HAL form; convert the model without it")
        size = np.dtype(_DTYPES.get(kind, "u1")).itemsize
        if math.prod(shape) * size > MAX_TENSOR_BYTES:
            raise ModelFileError(f"{label} of shape {shape} is larger than 2 GiB; no driver can hold it")
        quantization = table["quantization"]
        return SourceTensor(
            index=index,
            name=table["name"],
            type=kind,
            shape=shape,
            value=None if data is None else self._value(data, kind, shape, label),
            scales=self._scales(quantization, label),
            zero_points=tuple(quantization["zero_point"].tolist()) if quantization else (),
            quantized_dimension=quantization["quantized_dimension"] if quantization else 0,
            is_variable=table["is_variable"],
        )

    def _scales(self, quantization: Table | None, label: str) -> tuple[float, ...]:
        """Return scales of a tensor, all of them positive and finite."""
        if quantization is None:
            return ()
        if quantization["details_type"]:
            raise ModelFileError(f"{label} has custom quantisation; convert the model with TFLite's own")
        scales: tuple[float, ...] = tuple(quantization["scale"].tolist())
        if not all(math.isfinite(scale) and scale > 0 for scale in scales):
            raise ModelFileError(f"{label} has a scale that is not positive and finite; quantise the model again")
        if len(quantization["zero_point"]) not in (0, len(scales)):
            raise ModelFileError(f"{label} has {len(scales)} scales and {len(quantization['zero_point'])} zero points")
        return scales

    def _data(self, buffer: int, label: str) -> memoryview | None:
        """Return the content of a buffer, inside the table or behind it; None if it is empty."""
        if buffer >= len(self._buffers):
            raise ModelFileError(f"{label} uses buffer {buffer} of {len(self._buffers)}; the file is damaged")
        table = self._buffers[buffer]
        if table["offset"] > 1 and table["size"]:
            return self._reader.bytes_at(table["offset"], table["size"])
        return memoryview(table["data"]) if len(table["data"]) else None

    def _value(self, data: memoryview, kind: schema.TensorType, shape: tuple[int, ...], label: str) -> npt.NDArray[Any]:
        """Return constant content as an array of ``shape``."""
        dtype = np.dtype(_DTYPES[kind])
        if math.prod(shape) * dtype.itemsize != data.nbytes:
            raise ModelFileError(
                f"{label} of shape {shape} needs {math.prod(shape) * dtype.itemsize} bytes, not {data.nbytes}"
            )
        return np.frombuffer(data, dtype=dtype).reshape(shape)

    def _operator_name(self, code: Table) -> tuple[str, str]:
        """Return the name and options table of an operator code."""
        number = max(code["deprecated_builtin_code"], code["builtin_code"])
        info = schema.OPERATORS.get(number)
        if info is None:
            return f"operator code {number}", ""
        return (
            (schema.custom_operator(code["custom_code"]), "")
            if info.name == schema.CUSTOM
            else (info.name, info.options)
        )
