"""Every operation has a meaning, in the module of its family."""

import importlib
import inspect
from pathlib import Path

import pytest

from nnvet.hal import operations
from nnvet.hal.enums import OperationType
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import OperationDeclaration
from nnvet.oracle.operations import catalogue
from nnvet.oracle.operations.catalogue import MEANINGS

FAMILIES = sorted(name for name, value in vars(catalogue).items() if inspect.ismodule(value))


def test_every_operation_has_a_meaning() -> None:
    """The table has all operations of the contract and no other."""
    assert MEANINGS.keys() == declarations().keys()
    assert MEANINGS.keys() == set(OperationType) - {OperationType.OEM_OPERATION}


@pytest.mark.parametrize("family", FAMILIES)
def test_families_are_those_of_the_declarations(family: str) -> None:
    """The operations that one module declares have their meanings in one module of ``oracle/operations``."""
    stated = importlib.import_module(f"nnvet.oracle.operations.{family}").MEANINGS.keys()
    torn = [
        module
        for module in sorted(path.stem for path in Path(operations.__path__[0]).glob("*.py"))
        if (declared := _declared(module)) & stated and not declared <= stated
    ]
    assert torn == []


def _declared(module: str) -> set[int]:
    values = vars(importlib.import_module(f"nnvet.hal.operations.{module}")).values()
    return {value.type for value in values if isinstance(value, OperationDeclaration)}
