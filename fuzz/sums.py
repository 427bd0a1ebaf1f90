"""Sums whose results are known, for harnesses in which the model is plain and everything around it is odd."""

from __future__ import annotations

from typing import Final

import numpy as np

from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.generators.graphs.hal_model import build_model
from nnvet.generators.graphs.small_models import sum_of_two
from nnvet.hal.memory import Memory, create_ashmem, map_memory
from nnvet.hal.types import DataLocation, Model, Request, RequestArgument

SUM_BYTES: Final = 8
"""Of each input, and of the output: two numbers of type float32."""
PLACES: Final = (0, 64)
"""Positions of the inputs in their pool, in bytes."""
_POOL_BYTES: Final = 128


def sum_model() -> Model:
    """ADD of two float32 inputs of shape {2}."""
    return build_model(sum_of_two("sum", [0, 0], [0, 0], [0, 0]))


def sum_request(pools: tuple[Memory, ...]) -> Request:
    """Inputs in the first pool, the output at the beginning of the second."""
    inputs = tuple(RequestArgument(location=DataLocation(0, place, SUM_BYTES)) for place in PLACES)
    return Request(inputs, (RequestArgument(location=DataLocation(1, 0, SUM_BYTES)),), pools)


class SumMemory:
    """Two pools with the arguments of a sum; they are closed when they are forgotten."""

    def __init__(self) -> None:
        """Make pools of zeros."""
        self.inputs, self.output = create_ashmem(_POOL_BYTES), create_ashmem(_POOL_BYTES)
        self.request = sum_request((self.inputs, self.output))
        numbers = [np.frombuffer(map_memory(pool), np.float32) for pool in (self.inputs, self.output)]
        self._addends = [numbers[0][place // 4 : place // 4 + 2] for place in PLACES]
        self._result = numbers[1][:2]

    def fill(self, number: int) -> None:
        """Write inputs that belong to ``number``, and an output that is not their sum."""
        for position, addend in enumerate(self._addends):
            addend[:] = (number + position, 3 * number - position)
        self._result[:] = -1

    def check(self, where: str, first: tuple[float, float] | None = None) -> None:
        """The output is the sum; ``first`` stands for the first input if that lies elsewhere.

        :raises FuzzFinding: it is not.
        """
        expected = (self._addends[0] if first is None else np.array(first, np.float32)) + self._addends[1]
        if not np.array_equal(expected, self._result):
            message = f"{where}: the sum is {self._result.tolist()}, expected {expected.tolist()}"
            raise FuzzFinding(FindingKind.WRONG, "execution/output.value", message, place=where)
