"""Random operands of the quantised LSTMs: codes by name, and scale and zero point by name."""

from typing import Any

import numpy as np

from nnvet.generators.corpus.recurrent_operands import CellOptions, Integers, Sizes, lstm_cell
from nnvet.oracle.operations.lstm import BIASES, CELL, GATES, LAYER_NORM

Values = dict[str, Any]
Quantization = dict[str, tuple[float, int]]
ACTIVATION = (1 / 128, 128)


def _codes(rng: Integers, low: int, high: int, *dimensions: int) -> Any:
    return rng.integers(low, high + 1, dimensions).tolist()


def fixed(rng: Integers, sizes: Sizes, weight_scale: float, weight_zero: int) -> tuple[Values, Quantization]:
    """Operands of QUANTIZED_16BIT_LSTM."""
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
    """Operands of QUANTIZED_LSTM; ``settings`` are its scalars, in so far as they shall not be the usual ones."""
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
