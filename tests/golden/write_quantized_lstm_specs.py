"""Writes the spec files of the quantised LSTMs: ``python -m tests.golden.write_quantized_lstm_specs``.

Left out are peepholes, omitted clips and projections without bias, which the reference gets wrong or dies of.
"""

from collections.abc import Iterator
from typing import Any

from nnvet.oracle.operations import quantized_lstm as golden
from nnvet.oracle.operations.lstm import BIASES, CELL, LAYER_NORM
from tests.golden import quantized_lstm_cases as cases
from tests.golden.quantized_lstm_cases import Quantization, Values
from tests.golden.recurrent_cases import CellOptions, Sizes
from tests.golden.recurrent_specs import FAILS, SCALARS, Block, Random
from tests.golden.spec_writer import INT32, Q8, Q8S, SpecFile, write_all

Q16 = "TENSOR_QUANT16_SYMM"
FREE_SCALARS = (*golden.QUANTIZED_LSTM_INPUTS[24:],)
TYPES = {
    "QUANTIZED_16BIT_LSTM": {
        **dict.fromkeys((*golden.QUANTIZED_16BIT_LSTM_INPUTS, "output"), Q8),
        **dict.fromkeys(BIASES, INT32),
        **dict.fromkeys(("cell_state_in", "cell_state_out"), Q16),
    },
    "QUANTIZED_LSTM": {
        **dict.fromkeys(CELL, "TENSOR_QUANT8_SYMM"),
        **dict.fromkeys((*BIASES, "projection_bias"), INT32),
        **dict.fromkeys([name for name in CELL if name.startswith("cell_to_")], Q16),
        **dict.fromkeys((*LAYER_NORM, "cell_state_in", "cell_state_out"), Q16),
        **dict.fromkeys(("input", "output_state_in", "output_state_out", "output"), Q8S),
    },
}
ORDER = {
    "QUANTIZED_16BIT_LSTM": golden.QUANTIZED_16BIT_LSTM_INPUTS,
    "QUANTIZED_LSTM": golden.QUANTIZED_LSTM_INPUTS,
}
OUTPUTS = {
    "QUANTIZED_16BIT_LSTM": ("cell_state_out", "output"),
    "QUANTIZED_LSTM": ("output_state_out", "cell_state_out", "output"),
}
CELLS = {
    "basic": CellOptions(),
    "cifg": CellOptions(cifg=True),
    "projection": CellOptions(projection=True, projection_bias=True),
    "layer_norm": CellOptions(layer_norm=True),
    "cifg_layer_norm": CellOptions(cifg=True, layer_norm=True),
    "layer_norm_projection": CellOptions(layer_norm=True, projection=True, projection_bias=True),
    "cifg_layer_norm_projection": CellOptions(cifg=True, layer_norm=True, projection=True, projection_bias=True),
}


def _block(
    name: str, operation: str, data: tuple[Values, Quantization], results: list[Any], variations: str = ""
) -> str:
    values, quantization = data
    outputs = OUTPUTS[operation]
    same = {"cell_state_out": "cell_state_in", "output_state_out": "output_state_in", "output": "output_state_in"}
    return Block(
        name=name,
        operation=operation,
        values={key: values[key] for key in ORDER[operation]},
        outputs=dict(zip(outputs, results, strict=True)),
        ranks={
            key: 2 if ("_to_" in key and "cell_to" not in key) or key == "projection_weights" else 1 for key in values
        },
        ignored={},
        types=TYPES[operation],
        quantization={**quantization, **{key: quantization[same[key]] for key in outputs}},
        scalars={key: SCALARS.get(key, "Float32Scalar") for key in FREE_SCALARS},
        variations=variations,
    ).text()


def _fixed() -> Iterator[str]:
    shapes = {
        "basic": (Sizes(batch=2, input=2, units=4), 1 / 256, 100),
        "sizes_of_one": (Sizes(batch=1, input=1, units=1), 1 / 128, 128),
        "lowest_zero_point": (Sizes(batch=1, input=3, units=3), 1 / 1024, 0),
        "highest_zero_point": (Sizes(batch=3, input=2, units=2), 1 / 1024, 255),
        "saturating": (Sizes(batch=2, input=4, units=3), 1 / 8, 128),
    }
    for seed, (name, (sizes, scale, zero)) in enumerate(shapes.items()):
        data = cases.fixed(Random(seed), sizes, scale, zero)
        yield _block(name, "QUANTIZED_16BIT_LSTM", data, golden.quantized_16bit_lstm(*data))


def _free() -> Iterator[str]:
    settings: dict[str, dict[str, Any]] = {
        "": {},
        "_clip": {"cell_clip": 1.5, "projection_clip": 0.4},
        "_zero_point": {"hidden_state_zero_point": 9, "state_exponent": -12},
    }
    for seed, (name, options) in enumerate(CELLS.items()):
        for suffix, chosen in settings.items():
            data = cases.free(Random(seed), Sizes(units=4, output=3), options, **chosen)
            yield _block(name + suffix, "QUANTIZED_LSTM", data, golden.quantized_lstm(*data))
    for exponent in (-15, -9):
        data = cases.free(Random(9), Sizes(1, 1, 1, 1, 1, 1), CellOptions(), state_exponent=exponent)
        yield _block(f"state_exponent_{-exponent}", "QUANTIZED_LSTM", data, golden.quantized_lstm(*data))


def _requantized(data: tuple[Values, Quantization], **changes: tuple[float, int]) -> tuple[Values, Quantization]:
    return data[0], {**data[1], **changes}


def _failing() -> Iterator[tuple[str, str]]:
    fixed = cases.fixed(Random(0), Sizes(), 1 / 256, 100)
    free = cases.free(Random(0), Sizes(units=4, output=3), CELLS["layer_norm"])
    broken = {
        "input_scale": ("QUANTIZED_16BIT_LSTM", _requantized(fixed, input=(1 / 64, 128))),
        "input_zero_point": ("QUANTIZED_16BIT_LSTM", _requantized(fixed, input=(1 / 128, 127))),
        "weights_scale": ("QUANTIZED_16BIT_LSTM", _requantized(fixed, recurrent_to_cell_weights=(1 / 128, 100))),
        "bias_scale": ("QUANTIZED_16BIT_LSTM", _requantized(fixed, input_gate_bias=(1 / 256, 0))),
        "cell_scale": ("QUANTIZED_16BIT_LSTM", _requantized(fixed, cell_state_in=(2.0**-10, 0))),
        "state_scale": ("QUANTIZED_LSTM", _requantized(free, cell_state_in=(0.0005, 0))),
        "state_range": ("QUANTIZED_LSTM", _requantized(free, cell_state_in=(2.0**-8, 0))),
        "half_a_layer_norm": ("QUANTIZED_LSTM", ({**free[0], "cell_layer_norm_weights": None}, free[1])),
        "no_bias": ("QUANTIZED_LSTM", ({**free[0], "input_gate_bias": None}, free[1])),
    }
    sound = {
        "QUANTIZED_16BIT_LSTM": golden.quantized_16bit_lstm(*fixed),
        "QUANTIZED_LSTM": golden.quantized_lstm(*free),
    }
    for name, (operation, data) in broken.items():
        yield operation, _block(name, operation, data, sound[operation], FAILS)


def files() -> list[SpecFile]:
    """Every file of the family."""
    failing = list(_failing())
    invalid = {key: [block for operation, block in failing if operation == key] for key in ORDER}
    return [
        SpecFile("quantized_lstm", "V1_2", "quantized_16bit_lstm_cells", list(_fixed())),
        SpecFile("quantized_lstm", "V1_2", "quantized_16bit_lstm_invalid", invalid["QUANTIZED_16BIT_LSTM"]),
        SpecFile("quantized_lstm", "V1_3", "quantized_lstm_cells", list(_free())),
        SpecFile("quantized_lstm", "V1_3", "quantized_lstm_invalid", invalid["QUANTIZED_LSTM"]),
    ]


if __name__ == "__main__":
    write_all(files())
