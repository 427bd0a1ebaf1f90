"""Handwritten parts of the pages of operations agree with the declarations: levels, types and inputs."""

import re
from functools import cache

import pytest

from docs.contract_tables import CONTRACT
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import ANY_TYPE, Formal, OperationDeclaration

OPERATIONS = CONTRACT / "operations"
EACH = pytest.mark.parametrize("declaration", declarations().values(), ids=lambda declaration: declaration.name)
_GENERATED = re.compile(r"<!-- generated.*?<!-- end of generated part -->", re.DOTALL)
_POSITIONS = re.compile(r"[\d, \u2013]+")
_RANGE = re.compile(r"(\d+)(?:\u2013(\d+))?")
_SECTION = re.compile(r"^## ([^\n]+)\n\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def by_hand(name: str) -> str:
    """A page without its generated parts."""
    return _GENERATED.sub("", (OPERATIONS / f"{name}.md").read_text(encoding="utf-8"))


@cache
def short_names() -> dict[str, str]:
    """The abbreviations of tensor types that the common page defines, by the names of the types."""
    table = re.findall(
        r"^\| (\w+) \| (TENSOR_\w+) \|", (OPERATIONS / "common.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    return {name: short for short, name in table}


def formals(declaration: OperationDeclaration) -> list[Formal]:
    """Inputs of all lists, and outputs."""
    return [*(formal for signature in declaration.signatures for formal in signature.inputs), *declaration.outputs]


@EACH
def test_every_level_is_named(declaration: OperationDeclaration) -> None:
    """The section on levels names each level that brings a combination of types, an input or a use."""
    levels = dict(_SECTION.findall(by_hand(declaration.name)))["Levels"]
    named = {int(level) for level in re.findall(r"FL(\d)", levels)}
    brought = {
        max(row.level, *(OPERAND_TYPES[kind].level for kind in row.types.values()), 1) for row in declaration.rows
    }
    brought |= {
        formal.level for formal in (*formals(declaration), *declaration.level_rules) if formal.level > declaration.level
    }
    assert named >= brought | {declaration.level}


@EACH
def test_every_type_is_named(declaration: OperationDeclaration) -> None:
    """The page names the type of every operand, of all combinations."""
    variables = {formal.type for formal in formals(declaration) if formal.type != ANY_TYPE}
    types = {row.types.get(variable) for row in declaration.rows for variable in variables if isinstance(variable, str)}
    types |= {variable for variable in variables if not isinstance(variable, str)}
    page = by_hand(declaration.name)
    names = {short_names().get(kind.name, kind.name) for kind in types if kind is not None}
    assert {name for name in names if not re.search(rf"\b{name}\b", page)} == set()


@EACH
def test_every_input_is_described(declaration: OperationDeclaration) -> None:
    """The tables of operands have a line for each position of the longest list."""
    operands = dict(_SECTION.findall(by_hand(declaration.name)))["Operands"]
    positions = {
        position
        for line in operands.splitlines()
        for cell in line.split("|")[1:3]
        for low, high in _RANGE.findall(cell if _POSITIONS.fullmatch(cell) else "")
        for position in range(int(low), int(high or low) + 1)
    }
    longest = max((signature.inputs for signature in declaration.signatures), key=len)
    if not any(formal.variadic for formal in longest):
        assert positions >= set(range(len(longest)))
