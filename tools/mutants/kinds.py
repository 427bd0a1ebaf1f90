"""Kinds of mutations of a syntax tree.

Each function gets a node and yields nodes that may replace it. The table :data:`KINDS` has all functions by name;
:mod:`tools.mutants.mutant` applies them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import pairwise
from typing import Final

Variants = Callable[[ast.AST], Iterator[ast.AST]]

_OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
_COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_CLAMPS: Final = {"clip", "minimum", "maximum", "min", "max", "clamped", "saturated"}
_ROUNDINGS: Final = {"rint", "round", "floor", "ceil", "trunc", "rounded"}
_UNORDERED: Final = {
    "minimum",
    "maximum",
    "min",
    "max",
    "add",
    "multiply",
    "logical_and",
    "logical_or",
    "srdhm",
    "srdhm16",
}
"""Functions whose result does not depend on the order of their arguments."""


def called(node: ast.AST) -> str:
    """Return the last name of the function that a node calls; empty if the node is no call of a named function."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _arithmetic(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _OPERATORS:
        other = deepcopy(node)
        other.op = _OPERATORS[type(node.op)]()
        yield other


def _boundary(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            if type(operator) in _COMPARISONS:
                other = deepcopy(node)
                other.ops[index] = _COMPARISONS[type(operator)]()
                yield other


def _constant(node: ast.AST) -> Iterator[ast.AST]:
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int | float):
        yield ast.Constant(value + 1)
        yield ast.Constant(value - 1)


def _clamp(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the argument of a clamp without the clamp; for the smaller or larger of two, each of them."""
    if isinstance(node, ast.Call) and called(node) in _CLAMPS:
        if node.args:
            yield from deepcopy(node.args[:1] if called(node) == "clip" else node.args[:2])
        elif isinstance(node.func, ast.Attribute) and called(node) == "clip":
            yield deepcopy(node.func.value)


def _rounding(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Call) and called(node) in _ROUNDINGS and node.args:
        yield deepcopy(node.args[0])


def _swap(node: ast.AST) -> Iterator[ast.AST]:
    """Exchange neighbours: arguments, operands whose order counts, elements of a tuple, branches."""
    if isinstance(node, ast.Call) and called(node) not in _UNORDERED:
        yield from _exchanged(node, "args")
    elif isinstance(node, ast.Tuple) and not all(isinstance(element, ast.Slice) for element in node.elts):
        yield from _exchanged(node, "elts")
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div | ast.FloorDiv | ast.Mod):
        yield ast.BinOp(deepcopy(node.right), node.op, deepcopy(node.left))
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(deepcopy(node.test), deepcopy(node.orelse), deepcopy(node.body))


def _exchanged(node: ast.Call | ast.Tuple, name: str) -> Iterator[ast.AST]:
    parts: list[ast.expr] = getattr(node, name)
    for index, (first, second) in enumerate(pairwise(parts)):
        if not any(map(_has_its_place, (first, second))) and ast.unparse(first) != ast.unparse(second):
            other = deepcopy(node)
            exchanged: list[ast.expr] = getattr(other, name)
            exchanged[index], exchanged[index + 1] = exchanged[index + 1], exchanged[index]
            yield other


def _has_its_place(node: ast.expr) -> bool:
    """Return True if a neighbour cannot take its place: the call itself, a text, a function, an unpacked value.

    Rules are left out: their order only decides which of two broken rules is named.
    """
    is_text = isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
    is_call = isinstance(node, ast.Name) and node.id == "call"
    return is_text or is_call or isinstance(node, ast.Starred | ast.Lambda) or "rule" in called(node).lower()


def _statement(node: ast.AST) -> Iterator[ast.AST]:
    """Remove a statement: a call, a change in place, a check that raises or returns."""
    call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    in_place = isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
    )
    if call or in_place or (isinstance(node, ast.If) and not node.orelse):
        yield ast.Pass()


def _condition(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        other = deepcopy(node)
        other.test = ast.UnaryOp(ast.Not(), other.test)
        yield other
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), deepcopy(node.values))
        for index in range(len(node.values)):
            rest = [deepcopy(value) for place, value in enumerate(node.values) if place != index]
            yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
    elif isinstance(node, ast.UnaryOp):
        yield deepcopy(node.operand)


def _table(node: ast.AST) -> Iterator[ast.AST]:
    """Remove an entry of a table or list."""
    if isinstance(node, ast.Dict):
        for index in range(len(node.keys)):
            fewer = deepcopy(node)
            del fewer.keys[index], fewer.values[index]
            yield fewer
    elif isinstance(node, ast.List | ast.Set) or (
        isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load) and any(map(called, node.elts))
    ):
        for index in range(len(node.elts) if len(node.elts) > 1 else 0):
            shorter = deepcopy(node)
            del shorter.elts[index]
            yield shorter


KINDS: Final[dict[str, Variants]] = {
    "arithmetic": _arithmetic,
    "boundary": _boundary,
    "constant": _constant,
    "clamp": _clamp,
    "rounding": _rounding,
    "swap": _swap,
    "statement": _statement,
    "condition": _condition,
    "table": _table,
}
"""Every kind by its name in tables of results."""
