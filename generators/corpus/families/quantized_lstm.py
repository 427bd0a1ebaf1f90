"""Spec files of the quantised LSTMs.

Peepholes of gates other than the output gate, omitted clips and projections without bias are left out, because the
reference computes them wrongly or crashes.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/recurrent_operands.py`` makes the
operands. ``corpus/writing.py`` calls :func:`files`.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from nnvet.generators.corpus import recurrent_operands
from nnvet.generators.corpus import recurrent_operands as cases
from nnvet.generators.corpus.emitter import FAILS, INT32, Q8, Q8_SYMM, Q8S, Q16S, EmittedFile, SpecExample
from nnvet.oracle.operations import quantized_lstm as oracle
from nnvet.oracle.operations.recurrent import BIASES, CELL, GATES, LAYER_NORM

FREE_SCALARS = (*oracle.QUANTIZED_LSTM_INPUTS[24:],)
"""Inputs of QUANTIZED_LSTM that are scalars: clips, scales of the gates, and the hidden state's quantisation."""
TYPES = {
    "QUANTIZED_16BIT_LSTM": {
        **dict.fromkeys((*oracle.QUANTIZED_16BIT_LSTM_INPUTS, "output"), Q8),
        **dict.fromkeys(BIASES, INT32),
        **dict.fromkeys(("cell_state_in", "cell_state_out"), Q16S),
    },
    "QUANTIZED_LSTM": {
        **dict.fromkeys(CELL, Q8_SYMM),
        **dict.fromkeys((*BIASES, "projection_bias"), INT32),
        **dict.fromkeys([name for name in CELL if name.startswith("cell_to_")], Q16S),
        **dict.fromkeys((*LAYER_NORM, "cell_state_in", "cell_state_out"), Q16S),
        **dict.fromkeys(("input", "output_state_in", "output_state_out", "output"), Q8S),
    },
}
"""Operand types by operation and name of the operand."""
ORDER = {
    "QUANTIZED_16BIT_LSTM": oracle.QUANTIZED_16BIT_LSTM_INPUTS,
    "QUANTIZED_LSTM": oracle.QUANTIZED_LSTM_INPUTS,
}
"""Names of the inputs of each operation, in order."""
OUTPUTS = {
    "QUANTIZED_16BIT_LSTM": ("cell_state_out", "output"),
    "QUANTIZED_LSTM": ("output_state_out", "cell_state_out", "output"),
}
"""Names of the outputs of each operation, in order."""
CELLS = {
    "basic": recurrent_operands.CellOptions(),
    "cifg": recurrent_operands.CellOptions(cifg=True),
    "projection": recurrent_operands.CellOptions(projection=True, projection_bias=True),
    "layer_norm": recurrent_operands.CellOptions(layer_norm=True),
    "cifg_layer_norm": recurrent_operands.CellOptions(cifg=True, layer_norm=True),
    "layer_norm_projection": recurrent_operands.CellOptions(layer_norm=True, projection=True, projection_bias=True),
    "cifg_layer_norm_projection": recurrent_operands.CellOptions(
        cifg=True, layer_norm=True, projection=True, projection_bias=True
    ),
}
"""Cells of QUANTIZED_LSTM, by the names of their examples."""


def _example(
    name: str,
    operation: str,
    data: tuple[recurrent_operands.Values, recurrent_operands.Quantization],
    results: list[Any],
    calls: str = "",
) -> SpecExample:
    values, quantization = data
    outputs = OUTPUTS[operation]
    same = {"cell_state_out": "cell_state_in", "output_state_out": "output_state_in", "output": "output_state_in"}
    call = recurrent_operands.RecurrentCall(
        operation,
        {key: values[key] for key in ORDER[operation]},
        dict(zip(outputs, results, strict=True)),
        {key: 2 if ("_to_" in key and "cell_to" not in key) or key == "projection_weights" else 1 for key in values},
        {key: recurrent_operands.SCALARS.get(key, "Float32Scalar") for key in FREE_SCALARS},
        types=TYPES[operation],
        quantization={**quantization, **{key: quantization[same[key]] for key in outputs}},
    )
    return call.example(name, calls)


def _fixed() -> Iterator[SpecExample]:
    shapes = {
        "basic": (recurrent_operands.Sizes(batch=2, input=2, units=4), 1 / 256, 100),
        "sizes_of_one": (recurrent_operands.Sizes(batch=1, input=1, units=1), 1 / 128, 128),
        "lowest_zero_point": (recurrent_operands.Sizes(batch=1, input=3, units=3), 1 / 1024, 0),
        "highest_zero_point": (recurrent_operands.Sizes(batch=3, input=2, units=2), 1 / 1024, 255),
        "saturating": (recurrent_operands.Sizes(batch=2, input=4, units=3), 1 / 8, 128),
    }
    for seed, (name, (sizes, scale, zero)) in enumerate(shapes.items()):
        data = cases.fixed(recurrent_operands.Random(seed), sizes, scale, zero)
        yield _example(name, "QUANTIZED_16BIT_LSTM", data, oracle.quantized_16bit_lstm(*data))
    # Nothing is multiplied with anything but zeros: all gates are at 0, where the tables are exact.
    values, quantization = cases.fixed(
        recurrent_operands.Random(5), recurrent_operands.Sizes(batch=2, input=2, units=3), 1 / 256, 100
    )
    data = {key: _still(key, value) for key, value in values.items()}, quantization
    yield _example("gates_at_zero", "QUANTIZED_16BIT_LSTM", data, oracle.quantized_16bit_lstm(*data))


def _still(name: str, value: Any) -> Any:
    """Return the operands with codes of zero for weights and biases; the others are unchanged."""
    code = 100 if name.endswith("weights") else 0 if name.endswith("bias") else None
    return value if code is None else np.full_like(np.array(value), code).tolist()


def _free() -> Iterator[SpecExample]:
    settings: dict[str, dict[str, Any]] = {
        "": {},
        "_clip": {"cell_clip": 1.5, "projection_clip": 0.4},
        "_zero_point": {"hidden_state_zero_point": 9, "state_exponent": -12},
    }
    for seed, (name, options) in enumerate(CELLS.items()):
        for suffix, chosen in settings.items():
            data = cases.free(
                recurrent_operands.Random(seed), recurrent_operands.Sizes(units=4, output=3), options, **chosen
            )
            yield _example(name + suffix, "QUANTIZED_LSTM", data, oracle.quantized_lstm(*data))
    # Gates at both ends have the largest variance.
    saturating: dict[str, Any] = {f"{gate}_intermediate_scale": 2.0**-20 for gate in GATES}
    data = cases.free(
        recurrent_operands.Random(21),
        recurrent_operands.Sizes(units=4),
        recurrent_operands.CellOptions(layer_norm=True),
        **saturating,
    )
    yield _example("layer_norm_saturating", "QUANTIZED_LSTM", data, oracle.quantized_lstm(*data))
    # Hidden codes at their ends, each worth two output codes.
    data = cases.free(
        recurrent_operands.Random(24),
        recurrent_operands.Sizes(units=4, output=3),
        CELLS["projection"],
        hidden_state_scale=0.002,
    )
    steep = _requantized(data, projection_weights=(1 / 20, 0))
    yield _example("projection_of_hidden_ends", "QUANTIZED_LSTM", steep, oracle.quantized_lstm(*steep))
    for name, cifg in (("peephole", False), ("cifg_peephole", True)):
        values, quantization = cases.free(
            recurrent_operands.Random(20),
            recurrent_operands.Sizes(units=4),
            recurrent_operands.CellOptions(peephole=True, cifg=cifg),
        )
        # The reference reads the new state before it is written, where the old one should be read.
        values |= {key: [0] * 4 for key in ("cell_to_input_weights", "cell_to_forget_weights") if values[key]}
        data = values, quantization
        yield _example(f"{name}_of_output_gate", "QUANTIZED_LSTM", data, oracle.quantized_lstm(*data))
    yield from _exponents()


def _exponents() -> Iterator[SpecExample]:
    for exponent in (-15, -9):
        data = cases.free(
            recurrent_operands.Random(9),
            recurrent_operands.Sizes(1, 1, 1, 1, 1, 1),
            recurrent_operands.CellOptions(),
            state_exponent=exponent,
        )
        yield _example(f"state_exponent_{-exponent}", "QUANTIZED_LSTM", data, oracle.quantized_lstm(*data))
        data = cases.free(
            recurrent_operands.Random(22),
            recurrent_operands.Sizes(units=4),
            recurrent_operands.CellOptions(),
            state_exponent=exponent,
        )
        yield _example(f"state_exponent_{-exponent}_units", "QUANTIZED_LSTM", data, oracle.quantized_lstm(*data))
    for exponent in (-10, -9):
        values, quantization = cases.free(
            recurrent_operands.Random(23),
            recurrent_operands.Sizes(units=4),
            recurrent_operands.CellOptions(),
            state_exponent=exponent,
        )
        # Up to 2 and -2: where the hyperbolic tangent is not yet 1.
        values["cell_state_in"] = [[code >> (14 + exponent) for code in row] for row in values["cell_state_in"]]
        data = values, quantization
        yield _example(f"state_exponent_{-exponent}_small_states", "QUANTIZED_LSTM", data, oracle.quantized_lstm(*data))


def _requantized(
    data: tuple[recurrent_operands.Values, recurrent_operands.Quantization], **changes: tuple[float, int]
) -> tuple[recurrent_operands.Values, recurrent_operands.Quantization]:
    return data[0], {**data[1], **changes}


def _failing() -> Iterator[tuple[str, SpecExample]]:
    fixed = cases.fixed(recurrent_operands.Random(0), recurrent_operands.Sizes(), 1 / 256, 100)
    free = cases.free(recurrent_operands.Random(0), recurrent_operands.Sizes(units=4, output=3), CELLS["layer_norm"])
    broken = {
        "input_scale": ("QUANTIZED_16BIT_LSTM", _requantized(fixed, input=(1 / 64, 128))),
        "input_zero_point": ("QUANTIZED_16BIT_LSTM", _requantized(fixed, input=(1 / 128, 127))),
        "weights_scale": ("QUANTIZED_16BIT_LSTM", _requantized(fixed, recurrent_to_cell_weights=(1 / 128, 100))),
        "weights_zero_point": ("QUANTIZED_16BIT_LSTM", _requantized(fixed, recurrent_to_cell_weights=(1 / 256, 101))),
        "bias_scale": ("QUANTIZED_16BIT_LSTM", _requantized(fixed, input_gate_bias=(1 / 256, 0))),
        "cell_scale": ("QUANTIZED_16BIT_LSTM", _requantized(fixed, cell_state_in=(2.0**-10, 0))),
        "state_scale": ("QUANTIZED_LSTM", _requantized(free, cell_state_in=(0.0005, 0))),
        "state_range": ("QUANTIZED_LSTM", _requantized(free, cell_state_in=(2.0**-8, 0))),
        "effective_scale": (
            "QUANTIZED_LSTM",
            _requantized(free, input=(2.0**100, 0), input_to_cell_weights=(2.0**100, 0)),
        ),
        "half_a_layer_norm": ("QUANTIZED_LSTM", ({**free[0], "cell_layer_norm_weights": None}, free[1])),
        "no_intermediate_scale": ("QUANTIZED_LSTM", ({**free[0], "cell_intermediate_scale": 0.0}, free[1])),
        "no_bias": ("QUANTIZED_LSTM", ({**free[0], "input_gate_bias": None}, free[1])),
    }
    every = cases.free(
        recurrent_operands.Random(0), recurrent_operands.Sizes(units=4, output=3), CELLS["layer_norm_projection"]
    )
    for operation, whole in (("QUANTIZED_16BIT_LSTM", fixed), ("QUANTIZED_LSTM", every)):
        for name, change in cases.widened(whole[0]).items():
            label = name if operation == "QUANTIZED_LSTM" else f"{name}_16bit"
            broken[label] = (operation, ({**whole[0], **change}, whole[1]))
    projected = oracle.quantized_lstm(*every)
    sound = {
        "QUANTIZED_16BIT_LSTM": oracle.quantized_16bit_lstm(*fixed),
        "QUANTIZED_LSTM": oracle.quantized_lstm(*free),
    }
    for name, (operation, data) in broken.items():
        results = projected if (operation, name[:4]) == ("QUANTIZED_LSTM", "wide") else sound[operation]
        yield operation, _example(name, operation, data, results, FAILS)


def files() -> list[EmittedFile]:
    """Return every file of the family."""
    failing = list(_failing())
    invalid = {key: [example for operation, example in failing if operation == key] for key in ORDER}
    return [
        EmittedFile("V1_2", "quantized_16bit_lstm_cells", list(_fixed())),
        EmittedFile("V1_2", "quantized_16bit_lstm_invalid", invalid["QUANTIZED_16BIT_LSTM"]),
        EmittedFile("V1_3", "quantized_lstm_cells", list(_free())),
        EmittedFile("V1_3", "quantized_lstm_invalid", invalid["QUANTIZED_LSTM"]),
    ]
