"""Blocks of spec files for recurrent operations: many operands, some of them omitted, several outputs."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.golden.spec_writer import F32, Source, Tensor, literal

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
FAILS = ".ExpectFailure().DisableLifeTimeVariation()"
RELAXED_AND_HALF = '.AddVariations("relaxed", "float16", includeDefault=False)'
ALL_FLOATS = '.AddVariations("relaxed", "float16")'
HALF = '.AddVariations("float16")'


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
class Block:
    """One model with one example.

    ``values`` are nested lists or numbers by operand name in order, None where omitted; ``ranks`` say how many
    dimensions omitted operands have. ``outputs`` are expected values by name, None where they are not compared
    (then ``ignored`` has the dimensions). ``types`` and ``quantization`` override float32 and (0, 0).
    """

    name: str
    operation: str
    values: dict[str, Any]
    outputs: dict[str, Any]
    ranks: dict[str, int]
    ignored: dict[str, tuple[int, ...]]
    types: dict[str, str]
    quantization: dict[str, tuple[float, int]]
    scalars: dict[str, str]
    by_request: bool = False
    variations: str = ""

    def text(self) -> str:
        """Python of the spec language. With ``by_request`` operands are omitted by the request, not the model."""
        lines = [self._operand(name, value) for name, value in self.values.items()]
        lines += [self._output(name, value) for name, value in self.outputs.items()]
        lines.append(
            f'model = Model("{self.name}").Operation("{self.operation}", {", ".join(self.values)})'
            f".To({', '.join(self.outputs)})"
        )
        fed = {
            name: [] if value is None else np.ravel(value).tolist()
            for name, value in self.values.items()
            if self._is_fed(name)
        }
        expected = {name: [0] if value is None else np.ravel(value).tolist() for name, value in self.outputs.items()}
        lines += ["Example({", *(f"    {name}: {literal(data)}," for name, data in {**fed, **expected}.items())]
        return "\n".join([*lines, f"}}, model=model){self.variations}"])

    def _is_fed(self, name: str) -> bool:
        if name in self.scalars:
            return False
        if self.values[name] is None:
            return self.by_request
        return name.removeprefix("fw_").removeprefix("bw_") in FED

    def _operand(self, name: str, value: Any) -> str:
        kind = self.types.get(name, F32)
        if name in self.scalars:
            if value is None:
                return f'{name} = Parameter("{name}", ("{kind}", []), None)'
            return f'{name} = {self.scalars[name]}("{name}", {value!r})'
        role = "Input" if self._is_fed(name) else "Parameter"
        quantization = self.quantization.get(name, (0.0, 0))
        if value is None:
            empty = Tensor(kind, [0] * self.ranks[name], [], *quantization, role)
            return empty.code(name).replace(", [])", ", None)")
        return Tensor(kind, np.shape(value), np.ravel(value).tolist(), *quantization, role).code(name)

    def _output(self, name: str, value: Any) -> str:
        kind, quantization = self.types.get(name, F32), self.quantization.get(name, (0.0, 0))
        role = "Output" if value is not None else "IgnoredOutput"
        dimensions = np.shape(value) if value is not None else self.ignored[name]
        return Tensor(kind, dimensions, [], *quantization, role).code(name)
