"""``docs/native/nnvet.h``: numbers and names of the contract and the wire for C and C++."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import Any, Final

import msgspec

from nnvet.hal import enums
from nnvet.transport.burst.packets import RequestDatum, ResultDatum
from nnvet.transport.wire import codec, framing
from nnvet.transport.wire.methods import METHODS
from nnvet.transport.wire.tables import structures

_OPENING: Final = """\
/* Numbers and names of the Neural Networks HAL and of nnvet's wire protocol (docs/protocol.md).
 * Generated from the contract by `make docs`; do not edit. C99 and C++11. */
#ifndef NNVET_H
#define NNVET_H

#include <stdint.h>
"""

_LIMITS: Final[dict[str, tuple[int, str]]] = {
    "WIRE_HEADER_BYTES": (framing.HEADER.size, "header of a frame"),
    "WIRE_MAGIC": (framing.MAGIC, "bytes 6 and 7 of a header, little endian"),
    "WIRE_MAX_CALL_BYTES": (framing.MAX_PAYLOAD, "longest payload from the client"),
    "WIRE_MAX_REPLY_BYTES": (framing.MAX_ANSWER, "longest payload from the service"),
    "WIRE_MAX_DESCRIPTORS": (framing.MAX_HANDLES, "descriptors of a frame"),
    "WIRE_MAX_DESCRIPTORS_PER_WRITE": (framing.MAX_HANDLES_PER_WRITE, "descriptors of one sendmsg"),
    "WIRE_EXT_DESCRIPTOR": (codec.EXT_HANDLE, "msgpack extension: index of a descriptor, two bytes"),
    "WIRE_EXT_REFERENCE": (codec.EXT_OBJECT, "msgpack extension: id of an object, eight bytes"),
    "WIRE_NO_DESCRIPTOR": (codec.NO_HANDLE, "index that stands for no descriptor"),
}

_DATUMS: Final = tuple((kind.__name__, kind) for kind in (RequestDatum, ResultDatum))


def header() -> str:
    """The file's text."""
    parts = [_OPENING, *_enumerations(), "\n".join(_constants()), "\n".join(_names()), "#endif /* NNVET_H */\n"]
    return "\n".join(parts)


def _enumerations() -> Iterator[str]:
    for name, kind in (*vars(enums).items(), *_DATUMS):
        if isinstance(kind, type) and issubclass(kind, IntEnum) and kind is not IntEnum:
            yield _enumeration(name, kind)


def _enumeration(name: str, kind: type[IntEnum]) -> str:
    prefix = f"NNVET_{_snake(name).upper()}"
    summary = (kind.__doc__ or "").strip().splitlines()[0]
    members = ",\n".join(f"    {prefix}_{member.name} = {member.value}" for member in kind)
    return f"/* {summary} */\nenum nnvet_{_snake(name)} {{\n{members}\n}};\n"


def _constants() -> Iterator[str]:
    yield "/* Limits of the contract. */"
    for name, value in vars(enums).items():
        if isinstance(value, int) and name.isupper():
            yield f"#define NNVET_{name} {_number(value)}"
    yield "\n/* Limits of the wire. */"
    for name, (value, meaning) in _LIMITS.items():
        yield f"#define NNVET_{name} {_number(value)} /* {meaning} */"
    yield f'#define NNVET_WIRE_PROTOCOL "{codec.PROTOCOL}"'
    yield f"#define NNVET_WIRE_VERSION {max(codec.VERSIONS)}"


def _number(value: int) -> str:
    return f"INT64_C({value})" if abs(value) >= 1 << 31 else f"({value})" if value < 0 else str(value)


def _names() -> Iterator[str]:
    yield "\n/* Methods and notifications. */"
    for name in METHODS:
        yield f'#define NNVET_METHOD_{_constant(name)} "{name}"'
    yield f'#define NNVET_METHOD_SESSION_END "{codec.FAREWELL}"'
    yield "\n/* Fields of structures; values of the field that is named type, where one of several may stand. */"
    for name, structure in sorted(structures()[0].items()):
        yield from _fields(name, structure)
    yield ""


def _fields(name: str, structure: msgspec.inspect.StructType) -> Iterator[str]:
    if structure.tag is not None:
        yield f'#define NNVET_TAG_{_snake(name).upper()} "{structure.tag}"'
    fields: tuple[Any, ...] = structure.fields
    for field in fields:
        yield f'#define NNVET_FIELD_{_snake(name).upper()}_{field.encode_name.upper()} "{field.encode_name}"'


def _constant(method: str) -> str:
    interface, attribute = method.split(".")
    return f"{_snake(interface).upper()}_{attribute.upper()}"


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
