"""The steps of a graph whose shapes are all known, as functions of arrays that JAX traces.

:class:`nnvet.adapters.runtimes.arrays.ArrayEmitter` does most of the work, for every library in NumPy's style.
``CALLS`` has JAX's functions for the few cases in which these libraries differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax import lax

from nnvet.adapters.runtimes.arrays import ArrayCalls, ArrayEmitter
from nnvet.adapters.runtimes.claims import Graph
from nnvet.adapters.runtimes.functions import Function
from nnvet.hal.operations.declaration import Argument


def _sort_down(value: Any) -> tuple[Any, Any]:
    places = jnp.argsort(value, axis=-1, stable=True, descending=True)
    return jnp.take_along_axis(value, places, -1), places


CALLS: Final = ArrayCalls(
    jnp,
    jax.nn,
    lax,
    cast=lambda value, dtype: value.astype(dtype),
    like=lambda array, value: array.astype(value.dtype),
    taken=lambda value, places, axis: jnp.take(value, jnp.asarray(places), axis, mode="clip"),
    padded=lambda value, cells, fill: jnp.pad(value, cells, constant_values=fill),
    sorted_down=_sort_down,
    divided=jnp.split,
)
"""JAX's functions, for all tables of :mod:`nnvet.adapters.runtimes`."""
WORDS: Final = {
    "permute_dims": "transpose",
    "pow": "power",
    "cast": "astype",
    "amax": "max",
    "amin": "min",
    "sorted_down": "argsort, take_along_axis",
}
"""JAX's names of functions, where they differ from NumPy's; the page of claims prints them."""


@dataclass(frozen=True)
class JaxSettings:
    """The device of XLA, and the types in which it computes float32 of relaxed models and float16."""

    device: Any
    relaxed: str = "float32"
    half: str = "float32"


class JaxEmitter(ArrayEmitter):
    """The steps of a graph in JAX. Constants stay NumPy arrays; the program puts them on the device."""

    def __init__(self, graph: Graph, settings: JaxSettings) -> None:
        """Start with no steps."""
        super().__init__(graph, CALLS, settings.relaxed, settings.half)
        self.demands: list[tuple[int, str]] = []

    def tensor(self, value: npt.ArrayLike, dtype: str = "int64") -> Any:
        """Return a copy of the value as a NumPy array."""
        return np.array(value, dtype)

    def demand(self, function: Function, inputs: Sequence[Argument], message: str) -> None:
        """Make an execution fail with ``message`` if ``function`` of the inputs is not true.

        Compiled code cannot raise in the middle, so the truth value becomes an output that is checked at the end.
        """
        slot = self.new_slot()
        self.add(function, tuple(map(self.stored, inputs)), (slot,))
        self.demands.append((slot, message))
