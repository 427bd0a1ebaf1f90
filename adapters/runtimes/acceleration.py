"""Evidence of who computes a model's operations: the accelerator under test, or the runtime's own CPU kernels.

A runtime hands what its accelerator does not take to kernels of its own, in silence. What they compute says nothing of
the accelerator, so an operation is supported only if the accelerator takes the nodes that stand for it. Nodes that
the adapter adds around these, such as casts and transpositions, may run on the CPU.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.adapters.runtimes.options import take_choice
from nnvet.reports.events import OR_CPU

FALLBACKS: Final = ("none", "cpu")
"""Values of the option ``fallback``; the first is the default."""

_ADDED: Final = (
    frozenset({"CAST"}),
    frozenset({"QUANTIZE", "QUANTIZELINEAR", "DEQUANTIZE", "DEQUANTIZELINEAR"}),
    frozenset({"TRANSPOSE", "RESHAPE", "PAD"}),
)
"""Operators that adapters add around those that an operation is about, those that are never the point first."""


def take_fallback(kind: str, options: dict[str, str]) -> bool:
    """Remove the option ``fallback``; whether the CPU may compute what the accelerator does not take.

    :raises SelectorError: for another value than none and cpu.
    """
    return take_choice(kind, options, "fallback", FALLBACKS) == "cpu"


@dataclass(frozen=True)
class RuntimeNode:
    """A node of a runtime's program: the place of its operation in the graph, its operator, and if it was taken."""

    place: int
    operator: str
    is_taken: bool


@dataclass(frozen=True)
class Accelerator:
    """The accelerator under test: ``name`` in words, such as "the delegate lib.so", and those who compute the rest.

    ``may_fall_back``: whatever it does not take, others may compute, and nobody looks at it.
    """

    name: str
    others: str = "CPU kernels"
    may_fall_back: bool = False

    def refusals(self, nodes: Sequence[RuntimeNode], places: Iterable[int]) -> dict[int, str]:
        """Why operations are not the accelerator's, by their places in the graph."""
        reasons = {place: self._refusal([node for node in nodes if node.place == place]) for place in places}
        return {place: reason for place, reason in reasons.items() if reason}

    def computed_by(self, nodes: Sequence[RuntimeNode]) -> str:
        """Return who computes a program, in words; the nodes that others compute are named."""
        if self.may_fall_back:
            return f"{self.name}{OR_CPU}"
        beside = sorted({node.operator for node in nodes if not node.is_taken})
        return f"{self.name}, beside it {self.others}: {', '.join(beside)}" if beside else self.name

    def _refusal(self, nodes: Sequence[RuntimeNode]) -> str:
        if not nodes:
            return "no node stands for it: there is nothing to compute"
        meant = _meant(nodes)
        left = sorted({node.operator for node in meant if not node.is_taken})
        if not left:
            return ""
        taken = sum(node.is_taken for node in meant)
        return f"{self.name} takes {taken} of {len(meant)} nodes; {', '.join(left)} would run on {self.others}"


def _meant(nodes: Sequence[RuntimeNode]) -> list[RuntimeNode]:
    """The nodes that an operation is about: a RESHAPE is added around an ARG_MAX, and is the point of EXPAND_DIMS."""
    ranks = [_rank(node.operator) for node in nodes]
    return [node for node, rank in zip(nodes, ranks, strict=True) if rank == max(ranks)]


def _rank(operator: str) -> int:
    return next((rank for rank, names in enumerate(_ADDED) if operator.upper() in names), len(_ADDED))
