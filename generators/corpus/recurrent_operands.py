"""Random operands of recurrent operations, complete for any combination of options.

Numbers are multiples of 1/16 in [-1, 1], which every float type holds exactly.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from nnvet.oracle.operations.lstm import AUXILIARY, CELL, GATES, LAYER_NORM, STATES

Values = dict[str, Any]


class Integers(Protocol):
    """The methods of a random generator that are needed; NumPy's has them."""

    def integers(self, low: int, high: int, size: Any, /) -> Any:
        """Array of integers from ``low`` to below ``high``."""


@dataclass(frozen=True)
class Sizes:
    """Batch, steps, input, auxiliary input, units and (with projection) output."""

    batch: int = 2
    steps: int = 3
    input: int = 2
    aux: int = 3
    units: int = 3
    output: int = 2


@dataclass(frozen=True)
class CellOptions:
    """Optional operands that an LSTM cell has."""

    cifg: bool = False
    peephole: bool = False
    projection: bool = False
    projection_bias: bool = False
    layer_norm: bool = False


def numbers(rng: Integers, *dimensions: int) -> Any:
    """Nested lists of multiples of 1/16."""
    return (rng.integers(-16, 17, dimensions) / 16).tolist()


def sequence(rng: Integers, sizes: Sizes, size: int, *, time_major: bool) -> Any:
    """Input of a sequence operation in either layout."""
    leading = (sizes.steps, sizes.batch) if time_major else (sizes.batch, sizes.steps)
    return numbers(rng, *leading, size)


def lstm_cell(rng: Integers, sizes: Sizes, options: CellOptions, input_size: int | None = None) -> Values:
    """Tensors of one LSTM cell by name, None where omitted; without auxiliary weights."""
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
    """The same operands with a direction's prefix."""
    return {prefix + name: value for name, value in values.items()}


def lstm(rng: Integers, sizes: Sizes, options: CellOptions, **settings: Any) -> Values:
    """Operands of LSTM."""
    return {"input": numbers(rng, sizes.batch, sizes.input), **lstm_cell(rng, sizes, options), **settings}


def unidirectional_lstm(rng: Integers, sizes: Sizes, options: CellOptions, **settings: Any) -> Values:
    """Operands of UNIDIRECTIONAL_SEQUENCE_LSTM; ``settings`` has time_major."""
    inputs = sequence(rng, sizes, sizes.input, time_major=settings["time_major"])
    return {"input": inputs, **lstm_cell(rng, sizes, options), **settings}


def bidirectional_lstm(
    rng: Integers, sizes: Sizes, options: tuple[CellOptions, CellOptions], linking: str, **settings: Any
) -> Values:
    """Operands of BIDIRECTIONAL_SEQUENCE_LSTM; ``linking`` is none, cross or parallel."""
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
    """Tensors of one RNN cell by name."""
    return {
        "weights": numbers(rng, units, input_size),
        "recurrent_weights": numbers(rng, units, units),
        "bias": numbers(rng, units),
        "hidden_state_in": numbers(rng, sizes.batch, units),
    }


def rnn(rng: Integers, sizes: Sizes, activation: int) -> Values:
    """Operands of RNN."""
    cell = rnn_cell(rng, sizes, sizes.units, sizes.input)
    return {"input": numbers(rng, sizes.batch, sizes.input), **cell, "activation": activation}


def unidirectional_rnn(rng: Integers, sizes: Sizes, activation: int, *, time_major: int) -> Values:
    """Operands of UNIDIRECTIONAL_SEQUENCE_RNN."""
    inputs = sequence(rng, sizes, sizes.input, time_major=bool(time_major))
    cell = rnn_cell(rng, sizes, sizes.units, sizes.input)
    return {"input": inputs, **cell, "activation": activation, "time_major": time_major}


def bidirectional_rnn(rng: Integers, sizes: Sizes, linking: str, **settings: Any) -> Values:
    """Operands of BIDIRECTIONAL_SEQUENCE_RNN; the backward cell has ``sizes.output`` units."""
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
    """Operands of SVDF; the memory has ``sizes.steps`` slots."""
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
