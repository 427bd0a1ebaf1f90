"""Mutants of a source file: :func:`list_mutants` lists them in a fixed order, :func:`mutate` makes one by its number.

A mutant is the file with one change of a kind in ``kinds.py``; ``driver.py`` imports it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from tools.mutants.kinds import KINDS, name_called

ROOT: Final = Path(__file__).parent.parent.parent
"""Root of the repository."""
PARTS: Final = {
    "kernels": "reference_driver/kernels",
    "declarations": "hal/operations",
    "fused": "reference_driver/fused",
}
"""Folders whose code is mutated, by value of ``--part``."""

_LIMITS: Final = {"check_rounds", "check_products", "check_cells"}
"""Calls that limit time and memory: no answer depends on them, and ``tests/driver/test_limits.py`` tests them."""
_TEXTS: Final = 100
"""Number of characters of source that a table shows."""
_BODIES: Final = ("body", "orelse", "finalbody", "handlers")
"""Fields of a statement that contain further statements."""
_UNCHANGED: Final = ("annotation", "returns", "decorator_list", "type_params")
"""Fields of a node without computation. (Decorators name the operation of a kernel; a wrong name fails at import.)"""


class Mutant(msgspec.Struct, frozen=True):
    """One change of one file; ``number`` counts the changes of the file.

    ``where`` is the function around the change, empty at the level of the module. ``lines`` are the first and the last
    line that are executed together with the changed code. ``before`` and ``after`` are the source of the changed
    expression or statement; ``nth`` counts, from 0, the positions in the function at which the same change is possible.
    """

    file: str
    number: int
    where: str
    lines: tuple[int, int]
    kind: str
    before: str
    after: str
    nth: int = 0

    @property
    def family(self) -> str:
        """Name of the mutant's module."""
        return Path(self.file).stem

    @property
    def part(self) -> str:
        """Key of the mutant's folder in :data:`PARTS`."""
        return next(part for part, folder in PARTS.items() if self.file.startswith(folder))

    @property
    def is_of_module(self) -> bool:
        """True if the changed code runs once, when the module is imported."""
        return not self.where

    def __str__(self) -> str:
        """``FILE:LINE KIND: BEFORE -> AFTER``."""
        return f"{self.file}:{self.lines[0]} {self.kind}: {_shorten(self.before)} → {_shorten(self.after)}"


class _Change:
    """A change that was found in a syntax tree, and the function that makes it there."""

    def __init__(self, mutant: Mutant, apply: Callable[[], None]) -> None:
        self.mutant = mutant
        self.apply = apply


def list_files(part: str) -> list[str]:
    """Return paths of the source files of a part, below the top folder."""
    return sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / PARTS[part]).glob("[!_]*.py"))


def list_mutants(file: str, source: str) -> list[Mutant]:
    """Return every mutant of a source text; the mutants carry the name ``file``."""
    return [change.mutant for change in _list_changes(ast.parse(source), file)]


def mutate(file: str, source: str, number: int) -> ast.Module:
    """Return the syntax tree of a source text with one change.

    :raises IndexError: there are fewer mutants.
    """
    tree = ast.parse(source)
    list(_list_changes(tree, file))[number].apply()
    return ast.fix_missing_locations(tree)


def _list_changes(tree: ast.Module, file: str) -> Iterator[_Change]:
    seen: Counter[tuple[str, str, str]] = Counter()
    for number, (node, where, lines, kind, other, apply) in enumerate(_find_changes(tree, "", (0, 0))):
        change = (where, ast.unparse(node), ast.unparse(other))
        yield _Change(Mutant(file, number, where, lines, kind, *change[1:], seen[change]), apply)
        seen[change] += 1


_Found = tuple[ast.AST, str, tuple[int, int], str, ast.AST, Callable[[], None]]


def _find_changes(node: ast.AST, where: str, lines: tuple[int, int]) -> Iterator[_Found]:
    """Yield the changes of the parts of a node, in the order of the source."""
    for name, value in ast.iter_fields(node):
        if name in _UNCHANGED:
            continue
        children = value if isinstance(value, list) else [value]
        for index, child in enumerate(children):
            if not isinstance(child, ast.AST) or _is_no_computation(child):
                continue
            inside, span = _locate(child, where, lines)
            kinds = {} if _is_unpacked(node, child) else KINDS
            for kind, variants in kinds.items():
                for other in variants(child):
                    place = (node, name, index if isinstance(value, list) else None)
                    yield child, inside, span, kind, other, partial(_put, place, other)
            yield from _find_changes(child, inside, span)


def _is_no_computation(node: ast.AST) -> bool:
    """Return True for a text, an import, an assertion, a limit of time or memory, or a part of a message."""
    if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Assert | ast.Raise):
        return True
    return name_called(node.value if isinstance(node, ast.Expr) else node) in _LIMITS


def _is_unpacked(parent: ast.AST, node: ast.AST) -> bool:
    """Return True if a tuple is only unpacked: in another order the code would fail, or only rename variables."""
    if not isinstance(node, ast.Tuple) or not isinstance(parent, ast.Assign):
        return False
    return all(isinstance(side, ast.Tuple) for side in (*parent.targets, parent.value))


def _locate(node: ast.AST, where: str, lines: tuple[int, int]) -> tuple[str, tuple[int, int]]:
    """Return the name of the function around a node, and the first and last line that run with the node."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return f"{where}.{node.name}" if where else node.name, (node.lineno, node.lineno)
    if not where and isinstance(node, ast.expr):
        return where, (node.lineno, node.end_lineno or node.lineno)
    if isinstance(node, ast.stmt):
        bodies = [child for name in _BODIES for child in getattr(node, name, [])]
        last = bodies[0].lineno - 1 if bodies else node.end_lineno
        return where, (node.lineno, max(node.lineno, last or node.lineno))
    return where, lines


def _put(place: tuple[ast.AST, str, int | None], other: ast.AST) -> None:
    parent, name, index = place
    if index is None:
        setattr(parent, name, other)
    else:
        getattr(parent, name)[index] = other


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TEXTS else f"{line[: _TEXTS - 1]}…"
