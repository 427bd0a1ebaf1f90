"""A reader of flatbuffers that trusts nothing: tables of :mod:`nnvet.formats.tflite.schema` become dictionaries.

Every offset is checked against the buffer, and the number of tables and the length of all texts are limited, so
that a hostile file in which many offsets share one target cannot grow in memory.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from nnvet.formats.errors import ModelFileError
from nnvet.formats.tflite.schema import OPTIONS_BY_NUMBER, TABLES, Field

_FORMATS = {"bool": "<?", "i8": "<b", "u8": "<B", "i32": "<i", "u32": "<I", "i64": "<q", "u64": "<Q", "f32": "<f"}
_MAX_TABLES = 250_000
"""An order of magnitude above the largest models known."""
_MAX_TEXT = 4
"""Texts may be shared; all together they do not decode to more than so many times the file's size."""

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
        """The root table, everything below it decoded; vectors of numbers are views into the buffer.

        :raises ModelFileError: if any offset or length leaves the buffer.
        """
        return self._table(self._follow(0), table)

    def bytes_at(self, offset: int, size: int) -> memoryview:
        """``size`` bytes of the file from ``offset``."""
        self._check(offset, size)
        return memoryview(self._data)[offset : offset + size]

    def _fail(self, what: str, position: int) -> ModelFileError:
        """Error at a byte position."""
        return ModelFileError(
            f"{self._source}: {what} at byte {position} (of {len(self._data)}): the file is damaged or cut short; "
            "copy or convert it again"
        )

    def _check(self, position: int, size: int) -> None:
        """Refuse a region that is not wholly inside the buffer."""
        if position < 0 or size < 0 or position + size > len(self._data):
            raise self._fail(f"{size} bytes leave the file", position)

    def _number(self, kind: str, position: int) -> Any:
        """A scalar of type ``kind``."""
        layout = _FORMATS[kind]
        self._check(position, struct.calcsize(layout))
        return struct.unpack_from(layout, self._data, position)[0]

    def _follow(self, position: int) -> int:
        """Target of the unsigned offset at ``position``."""
        target: int = position + self._number("u32", position)
        return target

    def _table(self, position: int, name: str) -> Table:
        """All fields of the table ``name``; absent ones have their defaults."""
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
            """Position of a slot's value, 0 if the table does not have it."""
            entry = 4 + 2 * slot
            if entry + 2 > vtable_size:
                return 0
            offset: int = struct.unpack_from("<H", self._data, vtable + entry)[0]
            return position + offset if offset else 0

        result: Table = {}
        for field in TABLES[name]:
            at = place(field.slot)
            if field.type == "union":
                kind_at = place(field.slot - 1)
                number = self._number("u8", kind_at) if kind_at else 0
                result[field.name + "_type"] = number
                known = at and name == "Operator" and number in OPTIONS_BY_NUMBER
                result[field.name] = self._table(self._follow(at), OPTIONS_BY_NUMBER[number]) if known else None
            else:
                result[field.name] = self._field(field, at)
        return result

    def _field(self, field: Field, position: int) -> Any:
        """The value of a field that lies at ``position`` (0: absent)."""
        if field.is_vector:
            return self._vector(field.type, self._follow(position)) if position else self._empty(field.type)
        if field.type in _FORMATS:
            value = self._number(field.type, position) if position else field.default
            return bool(value) if field.type == "bool" else value
        if field.type == "str":
            return self._text(self._follow(position)) if position else ""
        return self._table(self._follow(position), field.type) if position else None

    def _empty(self, kind: str) -> Any:
        """The value of a vector that is absent."""
        return np.zeros(0, dtype=_FORMATS[kind]) if kind in _FORMATS else []

    def _vector(self, kind: str, position: int) -> Any:
        """A vector of scalars (NumPy view) or of tables (list)."""
        length = self._number("u32", position)
        size = struct.calcsize(_FORMATS[kind]) if kind in _FORMATS else 4
        start = position + 4
        self._check(start, length * size)
        if kind in _FORMATS:
            return np.frombuffer(self._data, dtype=_FORMATS[kind], count=length, offset=start)
        return [self._table(self._follow(start + 4 * index), kind) for index in range(length)]

    def _text(self, position: int) -> str:
        """A string; bytes that are not UTF-8 are replaced."""
        length = self._number("u32", position)
        self._check(position + 4, length)
        self._text_left -= length
        if self._text_left < 0:
            raise self._fail("the texts decode to far more than the file holds", position)
        return bytes(self._data[position + 4 : position + 4 + length]).decode("utf-8", "replace")
