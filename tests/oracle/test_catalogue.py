"""Every operation has a meaning, in the module named like that of its declaration."""

import importlib
import inspect

import pytest

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
    """A module of ``oracle/operations`` has the operations that are declared in that of its name."""
    declared = vars(importlib.import_module(f"nnvet.hal.operations.{family}")).values()
    stated = importlib.import_module(f"nnvet.oracle.operations.{family}").MEANINGS
    assert stated.keys() == {
        declaration.type for declaration in declared if isinstance(declaration, OperationDeclaration)
    }
