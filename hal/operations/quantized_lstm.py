"""QUANTIZED_16BIT_LSTM, QUANTIZED_LSTM: one step of an LSTM cell in integers.

Source: their pages in docs/contract/operations; kernels in ``reference_driver/kernels/quantized_lstm.py``.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.operations.declaration import (
    Call,
    Formal,
    OperationDeclaration,
    OutputSpec,
    Rule,
    Signature,
    ZeroSized,
    rows,
)
from nnvet.hal.operations.lstm import (
    BIASES,
    CELL,
    GATES,
    LAYER_NORM,
    STATES,
    WEIGHTS,
    presence_rules,
    unit_sizes,
)
from nnvet.hal.operations.recurrent import CellOperand, formals, size_rules

_INPUT = CellOperand("input", "input", "BI")


def _sizes(call: Call) -> dict[str, int]:
    batch, size = call["input"].dimensions
    return {"B": batch, "I": size, **unit_sizes(call)}


def state_exponent(call: Call) -> int | None:
    """Binary exponent of the cell state's scale, None if the scale is no power of two."""
    scale = call["cell_state_in"].scale
    if scale <= 0:
        return None
    exponent = math.log2(scale)
    return round(exponent) if abs(exponent - round(exponent)) < 1e-3 else None


_FIXED = "QUANTIZED_16BIT_LSTM"
_FIXED_TYPES = {
    "input": OperandType.TENSOR_QUANT8_ASYMM,
    "weights": OperandType.TENSOR_QUANT8_ASYMM,
    "bias": OperandType.TENSOR_INT32,
    "output_state": OperandType.TENSOR_QUANT8_ASYMM,
    "cell_state": OperandType.TENSOR_QUANT16_SYMM,
}
_FIXED_WEIGHTS = tuple(CellOperand(operand.name, "weights", operand.shape) for operand in WEIGHTS)
_FIXED_BIASES = tuple(CellOperand(operand.name, "bias", operand.shape) for operand in BIASES)
_FIXED_STATES = tuple(reversed(STATES))


def _activations_are_fixed(name: str, call: Call) -> bool:
    return call[name].scale == 1 / 128 and call[name].zero_point == 128


def _weights_agree(call: Call) -> bool:
    parameters = {(np.float32(call[w.name].scale), call[w.name].zero_point) for w in _FIXED_WEIGHTS}
    return len(parameters) == 1 and call["input_to_output_weights"].scale != 0


def _bias_scale_fits(call: Call) -> bool:
    # Dividing the stored float32 by a power of two is exact.
    expected = float(np.float32(call["input_to_output_weights"].scale)) / 128
    return all(
        float(np.float32(call[b.name].scale)) == expected and call[b.name].zero_point == 0 for b in _FIXED_BIASES
    )


def _infer_fixed(call: Call) -> tuple[OutputSpec, ...]:
    sizes, cell, output = _sizes(call), call["cell_state_in"], call["output_state_in"]
    dimensions = sizes["B"], sizes["O"]
    return (
        OutputSpec(dimensions, cell.scale, cell.zero_point),
        OutputSpec(dimensions, output.scale, output.zero_point),
    )


QUANTIZED_16BIT_LSTM = OperationDeclaration(
    type=OperationType.QUANTIZED_16BIT_LSTM,
    summary="one step of an LSTM cell on 8-bit codes, with 16-bit internal state",
    rows=rows((3, {})),
    signatures=(Signature("basic", formals((_INPUT, *_FIXED_WEIGHTS, *_FIXED_BIASES, *_FIXED_STATES), _FIXED_TYPES)),),
    outputs=(
        Formal("cell_state_out", OperandType.TENSOR_QUANT16_SYMM, "[batch size, output size]"),
        Formal("output", OperandType.TENSOR_QUANT8_ASYMM, "[batch size, output size]"),
    ),
    rules=(
        Rule(
            f"{_FIXED}/output_size",
            "The output size equals the number of units.",
            lambda call: unit_sizes(call)["O"] == unit_sizes(call)["U"],
        ),
        *size_rules(_FIXED, (*_FIXED_WEIGHTS, *_FIXED_BIASES, *_FIXED_STATES), _sizes),
        *(
            Rule(
                f"{_FIXED}/{name}.quantization",
                f"{name} has scale 1/128 and zero point 128.",
                partial(_activations_are_fixed, name),
            )
            for name in ("input", "output_state_in")
        ),
        Rule(f"{_FIXED}/weights.quantization", "All weights have one scale and one zero point.", _weights_agree),
        Rule(
            f"{_FIXED}/bias.quantization",
            "All biases have a scale of a 128th of the weights' scale and zero point 0.",
            _bias_scale_fits,
        ),
        Rule(
            f"{_FIXED}/cell_state_in.scale",
            "The cell state's scale is 2^-11.",
            lambda call: state_exponent(call) == -11,
        ),
    ),
    infer=_infer_fixed,
    zero_sized=ZeroSized.INVALID,
    omission_status=ErrorStatus.INVALID_ARGUMENT,
)

_FREE = "QUANTIZED_LSTM"
_FREE_TYPES = {
    "input": OperandType.TENSOR_QUANT8_ASYMM_SIGNED,
    "weights": OperandType.TENSOR_QUANT8_SYMM,
    "peephole": OperandType.TENSOR_QUANT16_SYMM,
    "bias": OperandType.TENSOR_INT32,
    "output_state": OperandType.TENSOR_QUANT8_ASYMM_SIGNED,
    "cell_state": OperandType.TENSOR_QUANT16_SYMM,
    "layer_norm": OperandType.TENSOR_QUANT16_SYMM,
}
_STATE_EXPONENTS = range(-15, -8)
"""A cell state has 0 to 6 integer bits; the activation is not defined for others."""


def _number(name: str, meaning: str, operand_type: OperandType, *, omissible: bool = False) -> Formal:
    return Formal(name, operand_type, meaning, parameter=True, omissible=omissible)


_FREE_SCALARS = (
    _number("cell_clip", "bound of the cell state, 0: none", OperandType.FLOAT32, omissible=True),
    _number("projection_clip", "bound of the projected output, 0: none", OperandType.FLOAT32, omissible=True),
    *(
        _number(f"{gate}_intermediate_scale", "scale of the gate before activation", OperandType.FLOAT32)
        for gate in GATES
    ),
    _number("hidden_state_zero_point", "zero point before projection", OperandType.INT32),
    _number("hidden_state_scale", "scale before projection", OperandType.FLOAT32),
)


def _infer_free(call: Call) -> tuple[OutputSpec, ...]:
    sizes, output = _sizes(call), call.outputs[2]
    dimensions = sizes["B"], sizes["O"]
    return (
        # The reference gives the first output the parameters of the last.
        OutputSpec(dimensions, output.scale, output.zero_point),
        OutputSpec((sizes["B"], sizes["U"])),
        OutputSpec(dimensions),
    )


QUANTIZED_LSTM = OperationDeclaration(
    type=OperationType.QUANTIZED_LSTM,
    summary="one step of an LSTM cell on signed 8-bit codes",
    rows=rows((4, {})),
    signatures=(Signature("basic", (*formals((_INPUT, *CELL, *STATES, *LAYER_NORM), _FREE_TYPES), *_FREE_SCALARS)),),
    outputs=(
        Formal("output_state_out", OperandType.TENSOR_QUANT8_ASYMM_SIGNED, "[batch size, output size]"),
        Formal("cell_state_out", OperandType.TENSOR_QUANT16_SYMM, "[batch size, number of units]"),
        Formal("output", OperandType.TENSOR_QUANT8_ASYMM_SIGNED, "the same values as output_state_out"),
    ),
    rules=(
        *presence_rules(_FREE),
        *size_rules(_FREE, (*CELL, *STATES, *LAYER_NORM), _sizes),
        Rule(
            f"{_FREE}/cell_state_in.scale",
            "The cell state's scale is a power of two from 2^-15 to 2^-9.",
            lambda call: state_exponent(call) in _STATE_EXPONENTS,
        ),
        Rule(f"{_FREE}/effective_scale", "Every quotient of scales that the cell needs is a finite number."),
    ),
    infer=_infer_free,
    zero_sized=ZeroSized.FAILS,
)
