"""The tables of the page on ONNX models: operators that the reader knows, and the outcomes of the node tests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from docs.parts import with_part
from nnvet.formats.onnx import codes, folding
from nnvet.formats.onnx.operators import EXPANDED, FUNCTIONS, KNOWN

PAGE: Final = Path(__file__).parent / "onnx-models.md"
NODE_TESTS: Final = Path(__file__).parent / "coverage.d" / "onnx-node-tests.json"
_NAMED: Final = 6
"""Most tests that are named for a reason; the file of the figures has all."""


def onnx_page() -> str:
    """The page with fresh tables."""
    page = with_part(PAGE.read_text(encoding="utf-8"), "operators", "\n".join(_operators()))
    return with_part(page, "node tests", "\n".join(_node_tests()))


def _operators() -> Iterator[str]:
    yield f"{len(KNOWN)} operators are known."
    yield ""
    yield from ("| Form | Operators |", "|---|---|")
    quantised = codes.FOLDED & FUNCTIONS.keys()
    yield _row("operations of the contract, also on codes of 8 bits", quantised)
    yield _row("operations of the contract", FUNCTIONS.keys() - quantised)
    yield _row("other operators, by `onnx`", EXPANDED)
    yield _row("quantised operators, as QDQ", {"QLinearConv", "QLinearMatMul"})
    yield _row("constants", {*folding.SHAPES, *folding.KNOWN, "Constant"})


def _row(form: str, operators: Any) -> str:
    return f"| {form} | {', '.join(sorted(operators))} |"


def _node_tests() -> Iterator[str]:
    figures = json.loads(NODE_TESTS.read_text(encoding="utf-8"))
    share = 100 * figures["right"] / figures["known"]
    yield f"Of {figures['known']} tests of `onnx` {figures['onnx']}, {figures['right']} are right ({share:.1f} %)."
    yield ""
    yield from ("| Refused because of | Tests | For example |", "|---|---|---|")
    for reason, names in sorted(figures["refused"].items(), key=lambda item: -len(item[1])):
        yield f"| {reason} | {len(names)} | {_examples(names)} |"


def _examples(names: Sequence[str]) -> str:
    """Some of the names, from all over the list."""
    step = max(len(names) // _NAMED, 1)
    return ", ".join(f"`{name}`" for name in names[::step][:_NAMED])
