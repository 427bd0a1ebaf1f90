"""Collects the steps of a graph whose shapes are all known: functions of tensors that PyTorch evaluates eagerly.

Operands are computed as numbers. Floats have the type that the settings name, and are rounded after every operation.
Codes are computed as real numbers in 64 bits, and rounded to codes once. Codes can also be moved as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from nnvet.adapters.runtimes.arrays import ArrayCalls, ArrayEmitter
from nnvet.adapters.runtimes.claims import Graph


def _taken(value: Tensor, places: Any, axis: int) -> Any:
    if not isinstance(places, Tensor):
        places = torch.tensor(places, dtype=torch.int64, device=value.device)
    return value.index_select(axis, places)


def _padded(value: Tensor, cells: Sequence[tuple[int, int]], fill: float) -> Any:
    """Return the padded tensor; PyTorch wants the paddings of the last dimension first."""
    return functional.pad(value, [cell for pair in reversed(cells) for cell in pair], value=fill)


CALLS: Final = ArrayCalls(
    torch,
    functional,
    permute_dims=torch.permute,
    hard_swish=functional.hardswish,
    cast=lambda value, dtype: value.to(getattr(torch, dtype)),
    like=lambda array, value: torch.from_numpy(array).to(value),
    taken=_taken,
    padded=_padded,
    sorted_down=lambda value: torch.sort(value, dim=-1, descending=True, stable=True),
    divided=torch.tensor_split,
)
WORDS: Final = {
    "permute_dims": "permute",
    "hard_swish": "hardswish",
    "take": "index_select",
    "sorted_down": "sort",
    "split": "tensor_split",
    "concatenate": "cat",
    "cast": "to",
}
"""PyTorch's names of functions, where they differ from NumPy's."""


@dataclass(frozen=True)
class TorchSettings:
    """Device of the tensors, and the types in which float32 of relaxed models and float16 are computed.

    With ``must_be_here`` a result on another device is an error, because it was computed there.
    """

    device: Any = field(default_factory=lambda: torch.device("cpu"))
    relaxed: str = "float32"
    half: str = "float32"
    must_be_here: bool = False


class TorchEmitter(ArrayEmitter):
    """The steps of a graph in PyTorch."""

    def __init__(self, graph: Graph, settings: TorchSettings) -> None:
        """Begin without steps."""
        super().__init__(graph, CALLS, settings.relaxed, settings.half)
        self._settings = settings

    @property
    def device(self) -> Any:
        """Device of all tensors."""
        return self._settings.device

    def tensor(self, value: npt.ArrayLike, dtype: str = "int64") -> Any:
        """Return a copy of an array as a tensor of the device; indices are int64."""
        return torch.from_numpy(np.array(value, dtype)).to(self._settings.device)
