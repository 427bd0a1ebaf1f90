"""The tables of what the adapters of runtimes claim, and why they claim nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from docs.findings_tables import with_findings
from nnvet.adapters.litert.writing import DRIVER as LITERT
from nnvet.adapters.litert.writing import FILES
from nnvet.adapters.onnxruntime.device import TABLE as ONNXRUNTIME
from nnvet.adapters.runtimes.claims import Claim, Table
from nnvet.adapters.torch.device import TABLE as TORCH

LITERT_PAGE: Final = Path(__file__).parent / "litert.md"
ONNXRUNTIME_PAGE: Final = Path(__file__).parent / "onnxruntime.md"
JAX_PAGE: Final = Path(__file__).parent / "jax.md"
TORCH_PAGE: Final = Path(__file__).parent / "torch.md"
_FILES: Final = re.compile(r"(?<=<!-- generated: files -->\n).*?(?=<!-- end of generated part -->)", re.DOTALL)
_PART: Final = re.compile(r"(?<=<!-- generated: claims -->\n).*?(?=<!-- end of generated part -->)", re.DOTALL)


def litert_page() -> str:
    """The page on LiteRT, with fresh tables of what the driver claims, and of what files have beside that."""
    beside = [claim for name, claim in FILES.claims.items() if name not in LITERT.claims]
    return _FILES.sub(
        lambda _: "\n" + "\n".join(_operations(beside, "TFLite", FILES, "Not written")) + "\n\n",
        with_findings(refreshed(LITERT_PAGE, LITERT), "litert"),
    )


def onnxruntime_page() -> str:
    """The page on ONNX Runtime, with fresh tables."""
    return with_findings(refreshed(ONNXRUNTIME_PAGE, ONNXRUNTIME), "onnxruntime")


def torch_page() -> str:
    """The page on PyTorch, with fresh tables."""
    return with_findings(refreshed(TORCH_PAGE, TORCH), "torch")


def jax_page() -> str:
    """The page on JAX, with fresh tables; as it is where JAX is not installed."""
    if find_spec("jax") is None:
        return JAX_PAGE.read_text(encoding="utf-8")
    return refreshed(JAX_PAGE, import_module("nnvet.adapters.jax.device").TABLE)


def refreshed(page: Path, table: Table[Any]) -> str:
    """A page with the tables of one runtime."""
    return _PART.sub(lambda _: "\n" + "\n".join(_tables(table)) + "\n\n", page.read_text(encoding="utf-8"))


def _tables(table: Table[Any]) -> Iterator[str]:
    yield f"{len(table.claims)} operations are claimed, {len(table.unclaimed)} are not."
    yield ""
    yield from _operations(table.claims.values(), table.runtime, table, "Not claimed")


def _operations(claims: Iterable[Claim[Any]], target: str, table: Table[Any], without: str) -> Iterator[str]:
    """A table of claims, and one of what ``table`` has none for."""
    yield from (f"| Operation | Types | {target} | Only if | Not for |", "|---|---|---|---|---|")
    yield from map(_row, sorted(claims, key=lambda claim: claim.operation.name))
    yield from ("", f"| {without} | Why |", "|---|---|")
    for operation, reason in sorted(table.unclaimed.items(), key=lambda item: item[0].name):
        yield f"| {_linked(operation.name)} | {reason} |"


def _row(claim: Claim[Any]) -> str:
    excluded: dict[str, list[str]] = {}
    for kind, reason in claim.excluded.items():
        excluded.setdefault(reason, []).append(kind.name)
    cells = (
        _linked(claim.operation.name),
        ", ".join(kind.name for kind in claim.types),
        claim.target,
        _sentences(condition.text for condition in claim.conditions),
        _sentences(f"{', '.join(kinds)}: {reason}" for reason, kinds in excluded.items()),
    )
    return f"| {' | '.join(cells)} |"


def _linked(operation: str) -> str:
    return f"[{operation}](contract/operations/{operation}.md)"


def _sentences(parts: Iterable[str]) -> str:
    return "; ".join(parts)
