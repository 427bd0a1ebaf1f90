"""All declarations by operation code (:func:`declarations`), collected from the family modules of this package.

Validation, generators, fuzzers and docs find an operation here. A new declaration in a family module needs no entry.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

import nnvet.hal.operations as package
from nnvet.hal.enums import OperationType
from nnvet.hal.operand_types import ExtensionCode
from nnvet.hal.operations.declaration import OperationDeclaration


@cache
def declarations() -> dict[int, OperationDeclaration]:
    """Return every declaration, by operation code in ascending order.

    :raises ValueError: if two modules declare the same operation.
    """
    found: dict[int, OperationDeclaration] = {}
    for module_info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{module_info.name}")
        for value in vars(module).values():
            if isinstance(value, OperationDeclaration) and found.setdefault(value.type, value) is not value:
                raise ValueError(f"{value.name} is declared twice, the second time in {module.__name__}")
    return dict(sorted(found.items()))


def operation_name(code: int) -> str:
    """Return the HAL's or an extension's name of an operation, or its number if it is unknown."""
    if isinstance(code, ExtensionCode):
        return code.name
    try:
        return OperationType(code).name
    except ValueError:
        return f"operation {code:#x}"
