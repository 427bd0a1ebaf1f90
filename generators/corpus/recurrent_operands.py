"""Operands and examples of recurrent operations for the corpus: random values for any combination of options.

Numbers are multiples of 1/16 in [-1, 1], which every float type can represent. Operands of the quantised LSTMs have
their codes, scale and zero point by name. Examples can have many operands, some of them omitted, and several outputs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np

from nnvet.generators.corpus.emitter import F32, Operand, Source, SpecCall, SpecExample, SpecTensor
from nnvet.hal.enums import OperandType
from nnvet.oracle.operations.recurrent import AUXILIARY, BIASES, CELL, GATES, LAYER_NORM, STATES

Values = dict[str, Any]


class Integers(Protocol):
    """The methods used of a random generator, such as NumPy's."""

    def integers(self, low: int, high: int, size: Any, /) -> Any:
        """Array of integers from ``low`` to below ``high``."""


@dataclass(frozen=True)
class Sizes:
    """Sizes of batch, steps, input, auxiliary input, units and (with projection) output."""

    batch: int = 2
    steps: int = 3
    input: int = 2
    aux: int = 3
    units: int = 3
    output: int = 2


_DECISIVE: Final = ("input", "bias", "recurrent_to_output_weights", "time_weights")
"""Operands, without fw_ or bw_, whose columns determine the sizes of others."""


def widened(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return changes, by the name of the example, each of which gives one operand a column too many."""
    changes: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        if not isinstance(value, list) or name.removeprefix("fw_").removeprefix("bw_") in _DECISIVE:
            continue
        if not isinstance(value[0], list):
            changes[f"wide_{name}"] = {name: [*value, value[-1]]}
        elif not isinstance(value[0][0], list):
            changes[f"wide_{name}"] = {name: [[*row, row[-1]] for row in value]}
    return changes


@dataclass(frozen=True)
class CellOptions:
    """Optional operands that an LSTM cell has."""

    cifg: bool = False
    peephole: bool = False
    projection: bool = False
    projection_bias: bool = False
    layer_norm: bool = False


def numbers(rng: Integers, *dimensions: int) -> Any:
    """Return nested lists of multiples of 1/16."""
    return (rng.integers(-16, 17, dimensions) / 16).tolist()


def sequence(rng: Integers, sizes: Sizes, size: int, *, time_major: bool) -> Any:
    """Return the input of a sequence operation in either layout."""
    leading = (sizes.steps, sizes.batch) if time_major else (sizes.batch, sizes.steps)
    return numbers(rng, *leading, size)


def lstm_cell(rng: Integers, sizes: Sizes, options: CellOptions, input_size: int | None = None) -> Values:
    """Return the tensors of an LSTM cell by name, None if omitted; without auxiliary weights."""
    units = sizes.units
    output = sizes.output if options.projection else units
    absent: set[str] = set()
    if options.cifg:
        absent |= {name for name in (*CELL, *LAYER_NORM) if name.startswith(("input_gate", "input_layer"))}
        absent |= {name for name in CELL if "_to_input_" in name}
    if not options.peephole:
        absent |= {name for name in CELL if name.startswith("cell_to_")}
    if not options.projection:
        absent |= {"projection_weights", "projection_bias"}
    if not options.projection_bias:
        absent.add("projection_bias")
    if not options.layer_norm:
        absent |= set(LAYER_NORM)
    values = {}
    for name in (*CELL, *STATES, *LAYER_NORM):
        dimensions = _dimensions(name, sizes.batch, input_size or sizes.input, units, output)
        values[name] = None if name in absent else numbers(rng, *dimensions)
    return values


def _dimensions(name: str, batch: int, size: int, units: int, output: int) -> tuple[int, ...]:
    special = {
        "projection_weights": (output, units),
        "projection_bias": (output,),
        "output_state_in": (batch, output),
        "cell_state_in": (batch, units),
    }
    if name in special:
        return special[name]
    if name.startswith("input_to_"):
        return (units, size)
    return (units, output) if name.startswith("recurrent_to_") else (units,)


def prefixed(prefix: str, values: Values) -> Values:
    """Return the same operands with a direction's prefix."""
    return {prefix + name: value for name, value in values.items()}


def lstm(rng: Integers, sizes: Sizes, options: CellOptions, **settings: Any) -> Values:
    """Return operands of LSTM."""
    return {"input": numbers(rng, sizes.batch, sizes.input), **lstm_cell(rng, sizes, options), **settings}


def unidirectional_lstm(rng: Integers, sizes: Sizes, options: CellOptions, **settings: Any) -> Values:
    """Return operands of UNIDIRECTIONAL_SEQUENCE_LSTM; ``settings`` has time_major."""
    inputs = sequence(rng, sizes, sizes.input, time_major=settings["time_major"])
    return {"input": inputs, **lstm_cell(rng, sizes, options), **settings}


def bidirectional_lstm(
    rng: Integers, sizes: Sizes, options: tuple[CellOptions, CellOptions], linking: str, **settings: Any
) -> Values:
    """Return operands of BIDIRECTIONAL_SEQUENCE_LSTM; ``linking`` is none, cross or parallel."""
    major = settings["time_major"]
    aux_size = sizes.input if linking == "cross" else sizes.aux
    values = {"input": sequence(rng, sizes, sizes.input, time_major=major), **settings}
    values["aux_input"] = None if linking == "none" else sequence(rng, sizes, aux_size, time_major=major)
    backward_size = sizes.aux if linking == "parallel" else sizes.input
    for prefix, cell, size in (("fw_", options[0], sizes.input), ("bw_", options[1], backward_size)):
        tensors = lstm_cell(rng, sizes, cell, size)
        for name, gate in zip(AUXILIARY, GATES, strict=True):
            given = linking == "cross" and not (cell.cifg and gate == "input")
            tensors[name] = numbers(rng, sizes.units, sizes.input) if given else None
        values |= prefixed(prefix, tensors)
    return values


def rnn_cell(rng: Integers, sizes: Sizes, units: int, input_size: int) -> Values:
    """Return tensors of one RNN cell by name."""
    return {
        "weights": numbers(rng, units, input_size),
        "recurrent_weights": numbers(rng, units, units),
        "bias": numbers(rng, units),
        "hidden_state_in": numbers(rng, sizes.batch, units),
    }


def rnn(rng: Integers, sizes: Sizes, activation: int) -> Values:
    """Return operands of RNN."""
    cell = rnn_cell(rng, sizes, sizes.units, sizes.input)
    return {"input": numbers(rng, sizes.batch, sizes.input), **cell, "activation": activation}


def unidirectional_rnn(rng: Integers, sizes: Sizes, activation: int, *, time_major: int) -> Values:
    """Return operands of UNIDIRECTIONAL_SEQUENCE_RNN."""
    inputs = sequence(rng, sizes, sizes.input, time_major=bool(time_major))
    cell = rnn_cell(rng, sizes, sizes.units, sizes.input)
    return {"input": inputs, **cell, "activation": activation, "time_major": time_major}


def bidirectional_rnn(rng: Integers, sizes: Sizes, linking: str, **settings: Any) -> Values:
    """Return operands of BIDIRECTIONAL_SEQUENCE_RNN; the backward cell has ``sizes.output`` units."""
    major = settings["time_major"]
    values = {"input": sequence(rng, sizes, sizes.input, time_major=major), **settings}
    backward_size = sizes.aux if linking == "parallel" else sizes.input
    values |= prefixed("fw_", rnn_cell(rng, sizes, sizes.units, sizes.input))
    values |= prefixed("bw_", rnn_cell(rng, sizes, sizes.output, backward_size))
    values["aux_input"] = None if linking == "none" else sequence(rng, sizes, sizes.aux, time_major=major)
    crossed = linking == "cross"
    values["fw_aux_weights"] = numbers(rng, sizes.units, sizes.aux) if crossed else None
    values["bw_aux_weights"] = numbers(rng, sizes.output, sizes.aux) if crossed else None
    return values


def svdf(rng: Integers, sizes: Sizes, rank: int, activation: int, *, bias: bool) -> Values:
    """Return operands of SVDF; the memory has ``sizes.steps`` slots."""
    filters, memory = sizes.units * rank, sizes.steps
    return {
        "input": numbers(rng, sizes.batch, sizes.input),
        "feature_weights": numbers(rng, filters, sizes.input),
        "time_weights": numbers(rng, filters, memory),
        "bias": numbers(rng, sizes.units) if bias else None,
        "state_in": numbers(rng, sizes.batch, memory * filters),
        "rank": rank,
        "activation": activation,
    }


Quantization = dict[str, tuple[float, int]]
ACTIVATION = (1 / 128, 128)


def _codes(rng: Integers, low: int, high: int, *dimensions: int) -> Any:
    return rng.integers(low, high + 1, dimensions).tolist()


def fixed(rng: Integers, sizes: Sizes, weight_scale: float, weight_zero: int) -> tuple[Values, Quantization]:
    """Return operands of QUANTIZED_16BIT_LSTM."""
    units, batch = sizes.units, sizes.batch
    values: Values = {"input": _codes(rng, 0, 255, batch, sizes.input)}
    quantization: Quantization = {"input": ACTIVATION, "output_state_in": ACTIVATION, "cell_state_in": (2.0**-11, 0)}
    for source, size in (("input", sizes.input), ("recurrent", units)):
        for gate in GATES:
            name = f"{source}_to_{gate}_weights"
            values[name] = _codes(rng, 0, 255, units, size)
            quantization[name] = (weight_scale, weight_zero)
    for name in BIASES:
        values[name] = _codes(rng, -20000, 20000, units)
        quantization[name] = (weight_scale / 128, 0)
    values["cell_state_in"] = _codes(rng, -32768, 32767, batch, units)
    values["output_state_in"] = _codes(rng, 0, 255, batch, units)
    return values, quantization


_RANGES = {"weights": (-127, 127), "peephole": (-32767, 32767), "bias": (-30000, 30000)}


def _kind(name: str) -> str:
    if name.startswith("cell_to_") or name in LAYER_NORM:
        return "peephole"
    return "bias" if name in BIASES or name == "projection_bias" else "weights"


def free(
    rng: Integers, sizes: Sizes, options: CellOptions, *, state_exponent: int = -11, **settings: Any
) -> tuple[Values, Quantization]:
    """Return operands of QUANTIZED_LSTM; ``settings`` override its usual scalars."""
    shapes = lstm_cell(rng, sizes, options)
    values: Values = {}
    quantization: Quantization = {}
    for name in (*CELL, *LAYER_NORM):
        kind = _kind(name)
        values[name] = None if shapes[name] is None else _codes(rng, *_RANGES[kind], *np.shape(shapes[name]))
        quantization[name] = (2.0**-10 if name in LAYER_NORM else 2.0**-15 if kind == "peephole" else 1 / 90, 0)
    for name in (*BIASES, "projection_bias"):
        quantization[name] = (2.0**-20, 0)
    values["input"] = _codes(rng, -128, 127, sizes.batch, sizes.input)
    values["output_state_in"] = _codes(rng, -128, 127, *np.shape(shapes["output_state_in"]))
    values["cell_state_in"] = _codes(rng, -32768, 32767, *np.shape(shapes["cell_state_in"]))
    quantization |= {"input": (0.0078, -3), "output_state_in": (0.0061, 5), "cell_state_in": (2.0**state_exponent, 0)}
    values |= {"cell_clip": 0.0, "projection_clip": 0.0, "hidden_state_zero_point": 0, "hidden_state_scale": 0.007}
    values |= {f"{gate}_intermediate_scale": 2.0**-12 for gate in GATES}
    return values | settings, quantization


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
    """A :class:`Source` with the interface of a NumPy generator, for the builders of random operands."""

    def __init__(self, seed: int) -> None:
        """Start a sequence."""
        self._source = Source(seed)

    def integers(self, low: int, high: int, size: Any, /) -> Any:
        """Array of integers from ``low`` to below ``high``."""
        flat = self._source.integers(low, high - 1, int(np.prod(size, dtype=int)))
        return np.array(flat, dtype=np.int64).reshape(size)


@dataclass(frozen=True)
class RecurrentCall:
    """An operation and its operands.

    ``values`` are nested lists or numbers by operand name in order, None if omitted; ``ranks`` are numbers of
    dimensions of omitted operands. ``outputs`` are expected values by name, None if they are not compared (then
    ``ignored`` has the dimensions). ``types`` and ``quantization`` override float32 and (0, 0). With ``by_request`` the
    request omits the operands, not the model.
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
        """Return the example; ``calls`` follow it."""
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
