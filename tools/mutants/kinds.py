"""Kinds of mutations of a syntax tree.

Each function gets a node and yields nodes that may replace it; these are wrong programs that a careless author might
have written. The table :data:`KINDS` has all functions by name; :mod:`tools.mutants.mutant` applies them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import pairwise
from typing import Final

Variants = Callable[[ast.AST], Iterator[ast.AST]]
"""Function that yields the nodes that may replace a node."""

# Replacements of operators and comparisons; functions whose call is replaced by its argument.
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


def name_called(node: ast.AST) -> str:
    """Return the last name of the function that a node calls; empty if the node is no call of a named function."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _change_operator(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _OPERATORS:
        other = deepcopy(node)
        other.op = _OPERATORS[type(node.op)]()
        yield other


def _change_comparison(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            if type(operator) in _COMPARISONS:
                other = deepcopy(node)
                other.ops[index] = _COMPARISONS[type(operator)]()
                yield other


def _change_constant(node: ast.AST) -> Iterator[ast.AST]:
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int | float):
        yield ast.Constant(value + 1)
        yield ast.Constant(value - 1)


def _drop_clamp(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the argument of a clamp without the clamp; for a minimum or maximum of two, each argument."""
    if isinstance(node, ast.Call) and name_called(node) in _CLAMPS:
        if node.args:
            yield from deepcopy(node.args[:1] if name_called(node) == "clip" else node.args[:2])
        elif isinstance(node.func, ast.Attribute) and name_called(node) == "clip":
            yield deepcopy(node.func.value)


def _drop_rounding(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Call) and name_called(node) in _ROUNDINGS and node.args:
        yield deepcopy(node.args[0])


def _swap(node: ast.AST) -> Iterator[ast.AST]:
    """Exchange neighbours: arguments, operands whose order counts, elements of a tuple, branches."""
    if isinstance(node, ast.Call) and name_called(node) not in _UNORDERED:
        yield from _exchange(node, "args")
    elif isinstance(node, ast.Tuple) and not all(isinstance(element, ast.Slice) for element in node.elts):
        yield from _exchange(node, "elts")
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div | ast.FloorDiv | ast.Mod):
        yield ast.BinOp(deepcopy(node.right), node.op, deepcopy(node.left))
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(deepcopy(node.test), deepcopy(node.orelse), deepcopy(node.body))


def _exchange(node: ast.Call | ast.Tuple, name: str) -> Iterator[ast.AST]:
    parts: list[ast.expr] = getattr(node, name)
    for index, (first, second) in enumerate(pairwise(parts)):
        if not any(map(_has_its_place, (first, second))) and ast.unparse(first) != ast.unparse(second):
            other = deepcopy(node)
            exchanged: list[ast.expr] = getattr(other, name)
            exchanged[index], exchanged[index + 1] = exchanged[index + 1], exchanged[index]
            yield other


def _has_its_place(node: ast.expr) -> bool:
    """Return True if a node must not be exchanged with its neighbour: the call itself, texts, functions, unpacking.

    Rules are not exchanged either: their order only decides which of two broken rules is named.
    """
    is_text = isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
    is_call = isinstance(node, ast.Name) and node.id == "call"
    return is_text or is_call or isinstance(node, ast.Starred | ast.Lambda) or "rule" in name_called(node).lower()


def _drop_statement(node: ast.AST) -> Iterator[ast.AST]:
    """Remove a statement: a call, a change in place, a check that raises or returns."""
    call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    in_place = isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
    )
    if call or in_place or (isinstance(node, ast.If) and not node.orelse):
        yield ast.Pass()


def _change_condition(node: ast.AST) -> Iterator[ast.AST]:
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


def _drop_entry(node: ast.AST) -> Iterator[ast.AST]:
    """Remove an entry of a table or list."""
    if isinstance(node, ast.Dict):
        for index in range(len(node.keys)):
            fewer = deepcopy(node)
            del fewer.keys[index], fewer.values[index]
            yield fewer
    elif isinstance(node, ast.List | ast.Set) or (
        isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load) and any(map(name_called, node.elts))
    ):
        for index in range(len(node.elts) if len(node.elts) > 1 else 0):
            shorter = deepcopy(node)
            del shorter.elts[index]
            yield shorter


KINDS: Final[dict[str, Variants]] = {
    "arithmetic": _change_operator,
    "boundary": _change_comparison,
    "constant": _change_constant,
    "clamp": _drop_clamp,
    "rounding": _drop_rounding,
    "swap": _swap,
    "statement": _drop_statement,
    "condition": _change_condition,
    "table": _drop_entry,
}
"""All kinds, by the name that they have in tables of results."""
