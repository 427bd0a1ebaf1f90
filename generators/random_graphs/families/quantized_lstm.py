"""QUANTIZED_16BIT_LSTM and QUANTIZED_LSTM: scales that keep the gates off their saturation."""

from __future__ import annotations

from typing import Final

from nnvet.generators.random_graphs.draft import Draft, float32, random_scale
from nnvet.generators.random_graphs.families.lstm import LstmForm, random_form, sizes
from nnvet.generators.random_graphs.families.values import coded, small
from nnvet.generators.random_graphs.shapes import fixed
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.operations.lstm import BIASES, CELL, GATES, LAYER_NORM, WEIGHTS
from nnvet.hal.operations.recurrent import CellOperand

_T = OperandType
_O = OperationType
_MOST_BATCHES, _MOST_INPUTS = 4, 8
_ACTIVATIONS: Final = (1 / 128, 128)
"""Quantisation of input and output of QUANTIZED_16BIT_LSTM."""
_CELL_STATE: Final = (2.0**-11, 0)
_STATE_CODES: Final = 8192
"""Cell states of a magnitude up to 4."""
_BIAS_CODES: Final = 4096
_GATE_SCALE: Final = 2.0**-12
"""The functions of the gates read numbers with twelve binary digits behind the point."""
_EXPONENTS: Final = (-15, -9)
_NORMALIZED: Final = ((0.002, 0.01), (0.0001, 0.0002))
"""Scales of what is normalised: in the second range its squares fill the accumulators, and some of it saturates."""
_NORM_SCALE: Final = 2.0**-15
_NORM_CODES: Final = 32767
_NORM_BIAS: Final = 2**25
_LARGEST_CLIP: Final = 2.0


def _sixteen_bits(draft: Draft) -> None:
    """Weights and previous output are paired by position, which input and output size may shift."""
    source = draft.input(small(_MOST_BATCHES, _MOST_INPUTS), quantization=_ACTIVATIONS)
    form = LstmForm(cifg=False, peephole=False, projection=False, projection_bias=False, layer_norm=False)
    by_symbol = sizes(draft, form, *source.dimensions)
    quantization = random_scale(draft.chooser, 0.003, 0.03), draft.chooser.integer(96, 160)
    for operand in WEIGHTS:
        coded(draft, draft.kind, tuple(by_symbol[symbol] for symbol in operand.shape), quantization)
    for _ in BIASES:
        coded(draft, _T.TENSOR_INT32, (by_symbol["U"],), (quantization[0] / 128, 0), _BIAS_CODES)
    states = by_symbol["B"], by_symbol["U"]
    cell = coded(draft, _T.TENSOR_QUANT16_SYMM, states, _CELL_STATE, _STATE_CODES)
    before = draft.input(fixed(states), quantization=_ACTIVATIONS)
    draft.same(cell)
    draft.same(before)


def _signed(draft: Draft) -> None:
    """Projection and clips are given with all their operands: without, the reference has no result."""
    chooser = draft.chooser
    quantization = random_scale(chooser, 0.005, 0.02), _zero(draft)
    source = draft.input(small(_MOST_BATCHES, _MOST_INPUTS), quantization=quantization)
    form = random_form(chooser)
    form = LstmForm(form.cifg, form.peephole, form.projection, form.projection, form.layer_norm)
    by_symbol = sizes(draft, form, *source.dimensions)
    state = random_scale(chooser, 0.005, 0.02), _zero(draft)
    exponent = chooser.integer(*_EXPONENTS)
    for operand in CELL:
        _operand(draft, operand, form, by_symbol)
    batches, outputs, units = (by_symbol[symbol] for symbol in "BOU")
    coded(draft, _T.TENSOR_QUANT8_ASYMM_SIGNED, (batches, outputs), state)
    cell = coded(draft, _T.TENSOR_QUANT16_SYMM, (batches, units), (2.0**exponent, 0), _STATE_CODES)
    for operand in LAYER_NORM:
        _operand(draft, operand, form, by_symbol)
    for _ in ("cell", "projection"):
        draft.given(_T.FLOAT32, chooser.real(0.1, _LARGEST_CLIP) if chooser.boolean() else 0.0)
    normalized = chooser.pick(_NORMALIZED)
    for _ in GATES:
        draft.given(_T.FLOAT32, random_scale(chooser, *normalized) if form.layer_norm else _GATE_SCALE)
    draft.number(chooser.integer(-16, 16) if form.projection else 0)
    draft.given(_T.FLOAT32, random_scale(chooser, 0.004, 0.01))
    draft.output(quantization=state)
    draft.same(cell)
    draft.output(quantization=state)


def _zero(draft: Draft) -> int:
    return draft.chooser.integer(-16, 16)


def _operand(draft: Draft, operand: CellOperand, form: LstmForm, by_symbol: dict[str, int]) -> None:
    """One operand of the cell, or its placeholder, which has a type and a scale, too."""
    chooser = draft.chooser
    kind, scale, most = {
        "weights": (_T.TENSOR_QUANT8_SYMM, random_scale(chooser, 0.003, 0.02), 127),
        "peephole": (_T.TENSOR_QUANT16_SYMM, 2.0**-14, _NORM_CODES),
        "bias": (_T.TENSOR_INT32, float32(_NORM_SCALE / 1024), _NORM_BIAS if form.layer_norm else _BIAS_CODES),
        "layer_norm": (_T.TENSOR_QUANT16_SYMM, _NORM_SCALE, _NORM_CODES),
    }[operand.kind]
    if form.has(operand):
        coded(draft, kind, tuple(by_symbol[symbol] for symbol in operand.shape), (scale, 0), most)
    else:
        draft.omitted(kind, (0,) * len(operand.shape))
        draft.inputs[-1].scale = scale


SIGNATURES: Final = (
    OperationSignature(
        _O.QUANTIZED_16BIT_LSTM, FeatureLevel.FL3, "", (_T.TENSOR_QUANT8_ASYMM,), (2,), _sixteen_bits, in_cts=False
    ),
    OperationSignature(
        _O.QUANTIZED_LSTM, FeatureLevel.FL4, "", (_T.TENSOR_QUANT8_ASYMM_SIGNED,), (2,), _signed, in_cts=False
    ),
)
