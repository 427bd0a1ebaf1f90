"""Prints a C header of the NNAPI's C API, for programs and libraries: ``python -m nnvet.adapters.nnapi.header``.

The header is made from the table in :mod:`nnvet.adapters.nnapi.declarations`; changes belong there.
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
_RENAMED: Final = {OperandType.SUBGRAPH: "MODEL", OperandType.OEM: "OEM_SCALAR"}
"""Operand types that have another name in the C API."""


def header() -> str:
    """Return the whole header, for C and C++."""
    enums = "".join(f"enum {{\n{_body(constants)}}};\n" for constants in _constants())
    shared = " \\\n".join(f"    X({name})" for name in declarations.shared_functions())
    return (
        "#pragma once\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
        '#ifdef __cplusplus\nextern "C" {\n#endif\n'
        f"{enums}{declarations.objects()}{declarations.functions()}\n{declarations.structure()}\n"
        "/* What the structure of a support library has of the functions above, in its order. */\n"
        f"#define {_PREFIX}SHARED_FUNCTIONS(X) \\\n{shared}\n"
        "#ifdef __cplusplus\n}\n#endif\n"
    )


def _constants() -> Iterator[Iterable[tuple[str, int]]]:
    yield ((_RENAMED.get(kind, kind.name), kind) for kind in OperandType)
    yield ((operation.name, operation) for operation in OperationType)
    yield _named(ResultCode, "")
    yield _named(ExecutionPreference, "PREFER_")
    yield ((f"PRIORITY_{name.name}", number) for name, number in PRIORITIES.items())
    yield _named(DeviceType, "DEVICE_")
    yield _named(DurationCode, "DURATION_")
    yield _named(FusedActivationFunc, "FUSED_")
    yield _named(PerformanceCode, "PERFORMANCE_")
    yield ((f"FEATURE_LEVEL_{level:d}", number) for number, level in LEVELS.items())
    yield (
        ("BYTE_SIZE_OF_CACHE_TOKEN", BYTE_SIZE_OF_CACHE_TOKEN),
        ("MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES", MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES),
    )


def _named(kind: type[IntEnum], prefix: str) -> Iterator[tuple[str, int]]:
    return ((f"{prefix}{member.name}", member) for member in kind)


def _body(constants: Iterable[tuple[str, int]]) -> str:
    return "".join(f"    {_PREFIX}{name} = {int(number)},\n" for name, number in constants)


if __name__ == "__main__":
    sys.stdout.write(header())
