"""A C header of the NNAPI's C API, for programs and libraries; ``python -m nnvet.adapters.nnapi.header`` prints it.

:func:`make_header` writes the header from the table in :mod:`nnvet.adapters.nnapi.declarations`; changes belong there.
Exported libraries (:mod:`nnvet.adapters.nnapi.exported.building`), new projects of ``nnvet new-driver`` and the tests'
C programs are compiled with it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Final

from nnvet.adapters.nnapi import declarations
from nnvet.adapters.nnapi.declarations import (
    LEVELS,
    MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES,
    PRIORITIES,
    DurationCode,
    PerformanceCode,
    ResultCode,
)
from nnvet.hal.enums import (
    BYTE_SIZE_OF_CACHE_TOKEN,
    DeviceType,
    ExecutionPreference,
    FusedActivationFunc,
    OperandType,
    OperationType,
)

_PREFIX: Final = "ANEURALNETWORKS_"
"""Beginning of the names of all constants."""
_RENAMED: Final = {OperandType.SUBGRAPH: "MODEL", OperandType.OEM: "OEM_SCALAR"}
"""Operand types that have another name in the C API."""


def make_header() -> str:
    """Return the whole header, for C and C++."""
    enums = "".join(f"enum {{\n{_format_body(constants)}}};\n" for constants in _list_constants())
    shared = " \\\n".join(f"    X({name})" for name in declarations.shared_functions())
    return (
        "#pragma once\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
        '#ifdef __cplusplus\nextern "C" {\n#endif\n'
        f"{enums}{declarations.objects()}{declarations.functions()}\n{declarations.structure()}\n"
        "/* What the structure of a support library has of the functions above, in its order. */\n"
        f"#define {_PREFIX}SHARED_FUNCTIONS(X) \\\n{shared}\n"
        "#ifdef __cplusplus\n}\n#endif\n"
    )


def _list_constants() -> Iterator[Iterable[tuple[str, int]]]:
    """Yield the names, without the prefix, and the numbers of each enumeration."""
    yield ((_RENAMED.get(kind, kind.name), kind) for kind in OperandType)
    yield ((operation.name, operation) for operation in OperationType)
    yield _list_members(ResultCode, "")
    yield _list_members(ExecutionPreference, "PREFER_")
    yield ((f"PRIORITY_{name.name}", number) for name, number in PRIORITIES.items())
    yield _list_members(DeviceType, "DEVICE_")
    yield _list_members(DurationCode, "DURATION_")
    yield _list_members(FusedActivationFunc, "FUSED_")
    yield _list_members(PerformanceCode, "PERFORMANCE_")
    yield ((f"FEATURE_LEVEL_{level:d}", number) for number, level in LEVELS.items())
    yield (
        ("BYTE_SIZE_OF_CACHE_TOKEN", BYTE_SIZE_OF_CACHE_TOKEN),
        ("MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES", MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES),
    )


def _list_members(enumeration: type[IntEnum], prefix: str) -> Iterator[tuple[str, int]]:
    return ((f"{prefix}{member.name}", member) for member in enumeration)


def _format_body(constants: Iterable[tuple[str, int]]) -> str:
    return "".join(f"    {_PREFIX}{name} = {int(number)},\n" for name, number in constants)


if __name__ == "__main__":
    sys.stdout.write(make_header())
