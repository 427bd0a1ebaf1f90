"""Examples of recurrent operations: many operands, some of them omitted, several outputs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nnvet.generators.corpus.data import Source
from nnvet.generators.corpus.emitter import Operand, SpecCall, SpecExample, SpecTensor
from nnvet.generators.corpus.kinds import F32
from nnvet.hal.enums import OperandType

SCALARS = {
    "activation": "Int32Scalar",
    "rank": "Int32Scalar",
    "hidden_state_zero_point": "Int32Scalar",
    "time_major": "BoolScalar",
    "merge_outputs": "BoolScalar",
    "cell_clip": "Float32Scalar",
    "projection_clip": "Float32Scalar",
}
"""Class of each scalar operand; others are tensors."""
FED = ("input", "aux_input", "output_state_in", "cell_state_in", "hidden_state_in", "state_in")
"""Operands that a request gives; weights and biases are constants."""
RELAXED_AND_HALF = '.AddVariations("relaxed", "float16", includeDefault=False)'


class Random:
    """A :class:`Source` that looks like a NumPy generator to the builders of random operands."""

    def __init__(self, seed: int) -> None:
        """Start a sequence."""
        self._source = Source(seed)

    def integers(self, low: int, high: int, size: Any, /) -> Any:
        """Array of integers from ``low`` to below ``high``."""
        flat = self._source.integers(low, high - 1, int(np.prod(size, dtype=int)))
        return np.array(flat, dtype=np.int64).reshape(size)


@dataclass(frozen=True)
class RecurrentCall:
    """One operation and its operands.

    ``values`` are nested lists or numbers by operand name in order, None where omitted; ``ranks`` say how many
    dimensions omitted operands have. ``outputs`` are expected values by name, None where they are not compared
    (then ``ignored`` has the dimensions). ``types`` and ``quantization`` override float32 and (0, 0). With
    ``by_request`` operands are omitted by the request, not the model.
    """

    operation: str
    values: dict[str, Any]
    outputs: dict[str, Any]
    ranks: Mapping[str, int]
    scalars: Mapping[str, str]
    ignored: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    types: Mapping[str, OperandType] = field(default_factory=dict)
    quantization: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    by_request: bool = False

    def example(self, name: str, calls: str = "") -> SpecExample:
        """The example; ``calls`` follow it."""
        inputs = {key: self._operand(key, value) for key, value in self.values.items()}
        outputs = {key: self._output(key, value) for key, value in self.outputs.items()}
        return SpecExample(
            name, {**inputs, **outputs}, [SpecCall(self.operation, list(inputs), list(outputs))], calls=calls
        )

    def _operand(self, name: str, value: Any) -> Operand:
        kind = self.types.get(name, F32)
        if name in self.scalars:
            if value is None:
                return SpecTensor(kind, [], [], role="Omitted")
            return f'{self.scalars[name]}("{name}", {value!r})'
        is_argument = name.removeprefix("fw_").removeprefix("bw_") in FED
        quantization = self.quantization.get(name, (0.0, 0))
        if value is None:
            return SpecTensor(
                kind, [0] * self.ranks[name], [], *quantization, "Input" if self.by_request else "Omitted"
            )
        role = "Input" if is_argument else "Parameter"
        return SpecTensor(kind, np.shape(value), np.ravel(value).tolist(), *quantization, role)

    def _output(self, name: str, value: Any) -> SpecTensor:
        kind, quantization = self.types.get(name, F32), self.quantization.get(name, (0.0, 0))
        if value is None:
            return SpecTensor(kind, self.ignored[name], [0], *quantization, "IgnoredOutput")
        return SpecTensor(kind, np.shape(value), np.ravel(value).tolist(), *quantization, "Output")
