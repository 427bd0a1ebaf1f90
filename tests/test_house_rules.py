"""The house rules that a linter does not check: sizes of modules and functions, no open ends."""

import ast
import re
import statistics
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("hal", "reference_driver", "adapters", "generators", "conformance", "models", "reports", "commands")
SOURCES = sorted(
    path
    for room in (*ROOMS, "tests", "docs")
    for path in (ROOT / room).rglob("*.py")
    if not path.name.endswith(".mod.py")
)
MODULES = [path for path in SOURCES if path.relative_to(ROOT).parts[0] in ROOMS]
OPEN_END = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|raise NotImplemented" r"Error\s*$")


def _lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_sizes_and_open_ends(path: Path) -> None:
    """No module is longer than 500 lines, no function than 60, and nothing is left open."""
    text = path.read_text(encoding="utf-8")
    assert _lines(path) <= 500
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 60, node.name
    assert not OPEN_END.search(text)


def test_median_module_is_small() -> None:
    """Half of the modules have at most 150 lines."""
    assert statistics.median(_lines(path) for path in MODULES) <= 150


def test_most_functions_are_short() -> None:
    """Nine functions of ten have at most 30 lines."""
    lengths = [
        (node.end_lineno or 0) - node.lineno + 1
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    ]
    assert sum(length <= 30 for length in lengths) >= 0.9 * len(lengths)
