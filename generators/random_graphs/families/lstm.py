"""Signatures of recurrent operations: LSTM, sequence LSTMs, quantised LSTMs, RNN, SVDF and sequence RNNs.

``catalogue.py`` collects the table :data:`SIGNATURES`. Builders make every combination of the operands that may be
omitted. Recurrent weights are so small that states do not grow from step to step, and scales are chosen so that the
gates do not saturate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.random_graphs.draft import Draft, DraftOperand, float32, random_scale
from nnvet.generators.random_graphs.families.values import coded, small, weights
from nnvet.generators.random_graphs.shapes import fixed
from nnvet.generators.random_graphs.signature import OperationSignature, further
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.operations.lstm import AUXILIARY, BIASES, CELL, GATES, LAYER_NORM, STATES, WEIGHTS
from nnvet.hal.operations.recurrent import DOCUMENTED_ACTIVATIONS, SVDF_ACTIVATIONS, CellOperand, RecurrentActivation

_O = OperationType
_MOST_BATCHES, _MOST_STEPS, _MOST_INPUTS, _MOST_UNITS = 4, 5, 10, 10
_MOST_RANK: Final = 3
_MOST_MEMORY: Final = 6
_WEIGHT: Final = 0.5
_STATE: Final = 1.0
_BOUNDED: Final = {
    RecurrentActivation.RELU1: 1.0,
    RecurrentActivation.RELU6: 6.0,
    RecurrentActivation.TANH: 1.0,
    RecurrentActivation.SIGMOID: 1.0,
}


def sequence(draft: Draft) -> tuple[DraftOperand, bool, int, int, int]:
    """Add an input of rank 3; return it, True if time comes first, and the numbers of steps, batches and features."""
    time_major = draft.chooser.boolean()
    most = (_MOST_STEPS, _MOST_BATCHES) if time_major else (_MOST_BATCHES, _MOST_STEPS)
    source = draft.input(small(*most, _MOST_INPUTS))
    first, second, size = source.dimensions
    steps, batches = (first, second) if time_major else (second, first)
    return source, time_major, steps, batches, size


def _units(draft: Draft, inputs: int) -> int:
    return draft.chooser.integer(1, min(_MOST_UNITS, int(draft.limits.elements**0.5), draft.limits.elements // inputs))


def _cell(draft: Draft, inputs: int, units: int, batches: int) -> None:
    """Add weights, recurrent weights, bias and state; the recurrent weights of a unit sum up to a half at most."""
    weights(draft, (units, inputs), _WEIGHT)
    weights(draft, (units, units), _WEIGHT / units)
    weights(draft, (units,), _WEIGHT)
    weights(draft, (batches, units), _STATE)


def _reach(activation: int, inputs: int, source: float) -> float:
    """Return the bound of the states: a new state is at most the sum of the inputs plus half of the old state."""
    return _BOUNDED.get(RecurrentActivation(activation), 2 * (_WEIGHT + inputs * _WEIGHT * source) + _STATE)


def _rnn(draft: Draft) -> None:
    source = draft.input(small(_MOST_BATCHES, _MOST_INPUTS))
    batches, inputs = source.dimensions
    _cell(draft, inputs, _units(draft, inputs), batches)
    activation = draft.number(draft.chooser.pick(DOCUMENTED_ACTIVATIONS))
    for _ in range(2):
        draft.output(reach=_reach(activation, inputs, source.reach))


def _svdf(draft: Draft) -> None:
    """Build SVDF: each unit is the sum of several filters, and each filter remembers its last products."""
    source = draft.input(small(_MOST_BATCHES, _MOST_INPUTS))
    batches, inputs = source.dimensions
    rank = draft.chooser.integer(1, _MOST_RANK)
    most = min(_MOST_UNITS, draft.limits.elements // (rank * max(inputs, batches * _MOST_MEMORY)))
    units = draft.chooser.integer(1, max(1, most))
    memory = draft.chooser.integer(1, _MOST_MEMORY)
    weights(draft, (units * rank, inputs), _WEIGHT)
    weights(draft, (units * rank, memory), _WEIGHT)
    if draft.chooser.boolean():
        weights(draft, (units,), _WEIGHT)
    else:
        draft.omitted(draft.kind, (0,))
    weights(draft, (batches, memory * units * rank), _STATE)
    draft.number(rank)
    activation = draft.number(draft.chooser.pick(SVDF_ACTIVATIONS))
    product = max(_STATE, inputs * _WEIGHT * source.reach)
    draft.output(reach=product)
    bound = rank * memory * _WEIGHT * product + _WEIGHT
    draft.output(reach=_BOUNDED.get(RecurrentActivation(activation), bound))


def _unidirectional(draft: Draft, *, states: bool) -> None:
    source, time_major, _, batches, inputs = sequence(draft)
    _cell(draft, inputs, _units(draft, inputs), batches)
    activation = draft.number(draft.chooser.pick(DOCUMENTED_ACTIVATIONS))
    draft.number(int(time_major))
    for _ in range(1 + states):
        draft.output(reach=_reach(activation, inputs, source.reach))


def _bidirectional(draft: Draft, *, states: bool) -> None:
    """Build a bidirectional RNN with no, parallel or cross linking of an auxiliary input of the input's size."""
    source, time_major, _, batches, inputs = sequence(draft)
    units = [_units(draft, inputs) for _ in range(2)]
    for count in units:
        _cell(draft, inputs, count, batches)
    linking = draft.chooser.pick(("none", "parallel", "cross"))
    reach = source.reach
    if linking == "none":
        draft.omitted(draft.kind, (0,))
    else:
        reach = max(reach, draft.input(fixed(source.dimensions)).reach)
    for count in units:
        if linking == "cross":
            weights(draft, (count, inputs), _WEIGHT)
        else:
            draft.omitted(draft.kind, (0,))
    activation = draft.number(draft.chooser.pick(DOCUMENTED_ACTIVATIONS))
    draft.truth(time_major)
    merged = draft.truth()
    for _ in range((1 if merged else 2) + 2 * states):
        draft.output(reach=_reach(activation, 2 * inputs, reach))


_RECURRENT_SIGNATURES: Final = (
    *further(_O.RNN, _rnn, (2,)),
    *further(_O.SVDF, _svdf, (2,)),
    *(
        signature
        for operation, build in (
            (_O.UNIDIRECTIONAL_SEQUENCE_RNN, _unidirectional),
            (_O.BIDIRECTIONAL_SEQUENCE_RNN, _bidirectional),
        )
        for variant, since in (("", FeatureLevel.FL3), ("states", FeatureLevel.FL4))
        for signature in further(operation, partial(build, states=bool(variant)), (3,), variant=variant, since=since)
    ),
)


_LSTM_MOST_BATCHES, _LSTM_MOST_INPUTS, _LSTM_MOST_UNITS = 4, 8, 8
_LSTM_WEIGHT: Final = 0.7
_LARGEST_CLIP: Final = 1.5
_ACTIVATIONS: Final = (
    # Without an activation the reference computes something else than the contract says.
    RecurrentActivation.RELU,
    RecurrentActivation.RELU6,
    RecurrentActivation.TANH,
    RecurrentActivation.SIGMOID,
)


@dataclass(frozen=True)
class LstmForm:
    """The optional operands that are given, equally in both directions."""

    cifg: bool
    peephole: bool
    projection: bool
    projection_bias: bool
    layer_norm: bool

    def has(self, operand: CellOperand) -> bool:
        """Return True if an operand of the tables of cells is given."""
        name = operand.name
        if self.cifg and name.startswith(("input_to_input", "recurrent_to_input", "cell_to_input", "input_gate")):
            return False
        if name.startswith("cell_to_"):
            return self.peephole
        if name.endswith("layer_norm_weights"):
            return self.layer_norm and not (self.cifg and name.startswith("input"))
        if name.startswith("aux_input_to_input"):
            return not self.cifg
        if name.startswith("projection"):
            return self.projection and (self.projection_bias or name == "projection_weights")
        return True


def random_form(chooser: Chooser, *, layer_norm: bool = True) -> LstmForm:
    """Return a random combination of optional operands."""
    cifg, peephole, projection, bias, normalised = (chooser.boolean() for _ in range(5))
    return LstmForm(cifg, peephole, projection, bias, normalised and layer_norm)


def sizes(draft: Draft, form: LstmForm, batches: int, inputs: int) -> dict[str, int]:
    """Return sizes by symbol; without projection there are as many outputs as units."""
    most = min(_LSTM_MOST_UNITS, int(draft.limits.elements**0.5))
    units = draft.chooser.integer(1, most)
    return {"B": batches, "I": inputs, "U": units, "O": draft.chooser.integer(1, most) if form.projection else units}


def _lstm_cell(draft: Draft, operands: Iterable[CellOperand], form: LstmForm, by_symbol: Mapping[str, int]) -> None:
    for operand in operands:
        if form.has(operand):
            weights(draft, tuple(by_symbol[symbol] for symbol in operand.shape), _LSTM_WEIGHT)
        else:
            draft.omitted(draft.kind, (0,) * len(operand.shape))


def _settings(draft: Draft) -> tuple[float, float]:
    """Add activation and clips; return bounds of the cell state for each step, and of the projection."""
    activation = draft.number(draft.chooser.pick(_ACTIVATIONS))
    grows = activation == RecurrentActivation.RELU
    cell_clip = draft.chooser.real(0.5, _LARGEST_CLIP) if grows or draft.chooser.boolean() else 0.0
    projection_clip = draft.chooser.real(0.1, _LARGEST_CLIP) if draft.chooser.boolean() else 0.0
    for clip in (cell_clip, projection_clip):
        draft.given(draft.float_scalar, clip)
    return (cell_clip or 6.0), projection_clip


def _outputs(draft: Draft, count: int, state: float, by_symbol: Mapping[str, int], steps: int) -> None:
    units = by_symbol["U"]
    bound = _STATE + steps * state
    for _ in range(count):
        draft.output(reach=max(bound, units * _LSTM_WEIGHT * bound + _LSTM_WEIGHT))


def _single(draft: Draft, *, layer_norm: bool) -> None:
    source = draft.input(small(_LSTM_MOST_BATCHES, _LSTM_MOST_INPUTS))
    form = random_form(draft.chooser, layer_norm=layer_norm)
    by_symbol = sizes(draft, form, *source.dimensions)
    _lstm_cell(draft, (*CELL, *STATES), form, by_symbol)
    bound, _ = _settings(draft)
    if layer_norm:
        _lstm_cell(draft, LAYER_NORM, form, by_symbol)
    # The contents of the scratch buffer are not specified.
    draft.output(reach=0.0, connects=False, is_checked=False)
    _outputs(draft, 3, bound, by_symbol, 1)


def _lstm_unidirectional(draft: Draft, *, states: bool) -> None:
    _, time_major, steps, batches, inputs = sequence(draft)
    form = random_form(draft.chooser)
    by_symbol = sizes(draft, form, batches, inputs)
    _lstm_cell(draft, (*CELL, *STATES), form, by_symbol)
    bound, _ = _settings(draft)
    draft.truth(time_major)
    _lstm_cell(draft, LAYER_NORM, form, by_symbol)
    _outputs(draft, 3 if states else 1, bound, by_symbol, steps)


def _lstm_bidirectional(draft: Draft, *, states: bool) -> None:
    """Build a bidirectional LSTM with no, parallel or cross linking of an auxiliary input."""
    source, time_major, steps, batches, inputs = sequence(draft)
    form = random_form(draft.chooser)
    forward, backward = (sizes(draft, form, batches, inputs) for _ in range(2))
    for table in (CELL, STATES):
        for by_symbol in (forward, backward):
            _lstm_cell(draft, table, form, by_symbol)
    # Before HAL 1.3 only both cells can read it.
    linking = draft.chooser.pick(("none", "cross", "parallel") if states else ("none", "cross"))
    _auxiliary(draft, source, linking)
    for by_symbol in (forward, backward):
        if linking == "cross":
            _lstm_cell(draft, AUXILIARY, form, by_symbol)
        else:
            for operand in AUXILIARY:
                draft.omitted(draft.kind, (0,) * len(operand.shape))
    bound, _ = _settings(draft)
    merged = draft.truth()
    draft.truth(time_major)
    for by_symbol in (forward, backward):
        _lstm_cell(draft, LAYER_NORM, form, by_symbol)
    larger = max((forward, backward), key=lambda direction: direction["U"])
    _outputs(draft, (1 if merged else 2) + 4 * states, bound, larger, steps)


def _auxiliary(draft: Draft, source: DraftOperand, linking: str) -> None:
    if linking == "none":
        draft.omitted(draft.kind, (0, 0, 0))
    else:
        draft.input(fixed(source.dimensions))


_LSTM_SIGNATURES: Final = (
    *further(_O.LSTM, partial(_single, layer_norm=False), (2,)),
    *further(_O.LSTM, partial(_single, layer_norm=True), (2,), variant="layer_norm", since=FeatureLevel.FL3),
    *(
        signature
        for operation, build in (
            (_O.UNIDIRECTIONAL_SEQUENCE_LSTM, _lstm_unidirectional),
            (_O.BIDIRECTIONAL_SEQUENCE_LSTM, _lstm_bidirectional),
        )
        for variant, since in (("", FeatureLevel.FL3), ("states", FeatureLevel.FL4))
        for signature in further(operation, partial(build, states=bool(variant)), (3,), variant=variant, since=since)
    ),
)


_T = OperandType
_QUANTIZED_LSTM_MOST_BATCHES, _QUANTIZED_LSTM_MOST_INPUTS = 4, 8
_QUANTIZED_LSTM_ACTIVATIONS: Final = (1 / 128, 128)
"""Quantisation of input and output of QUANTIZED_16BIT_LSTM."""
_CELL_STATE: Final = (2.0**-11, 0)
_STATE_CODES: Final = 8192
"""Cell states of a magnitude up to 4."""
_BIAS_CODES: Final = 4096
_GATE_SCALE: Final = 2.0**-12
"""The functions of the gates read numbers with twelve binary digits behind the point."""
_EXPONENTS: Final = (-15, -9)
_NORMALIZED: Final = ((0.002, 0.01), (0.0001, 0.0002))
"""Scales before normalisation. In the second range, squares fill the accumulators and some values saturate."""
_NORM_SCALE: Final = 2.0**-15
_NORM_CODES: Final = 32767
_NORM_BIAS: Final = 2**25
_QUANTIZED_LSTM_LARGEST_CLIP: Final = 2.0


def _sixteen_bits(draft: Draft) -> None:
    """Build QUANTIZED_16BIT_LSTM, whose input and previous output may have different sizes."""
    source = draft.input(
        small(_QUANTIZED_LSTM_MOST_BATCHES, _QUANTIZED_LSTM_MOST_INPUTS), quantization=_QUANTIZED_LSTM_ACTIVATIONS
    )
    form = LstmForm(cifg=False, peephole=False, projection=False, projection_bias=False, layer_norm=False)
    by_symbol = sizes(draft, form, *source.dimensions)
    quantization = random_scale(draft.chooser, 0.003, 0.03), draft.chooser.integer(96, 160)
    for operand in WEIGHTS:
        coded(draft, draft.kind, tuple(by_symbol[symbol] for symbol in operand.shape), quantization)
    for _ in BIASES:
        coded(draft, _T.TENSOR_INT32, (by_symbol["U"],), (quantization[0] / 128, 0), _BIAS_CODES)
    states = by_symbol["B"], by_symbol["U"]
    cell = coded(draft, _T.TENSOR_QUANT16_SYMM, states, _CELL_STATE, _STATE_CODES)
    before = draft.input(fixed(states), quantization=_QUANTIZED_LSTM_ACTIVATIONS)
    draft.same(cell)
    draft.same(before)


def _signed(draft: Draft) -> None:
    """Build QUANTIZED_LSTM with projection and clips, since without them the reference has no result."""
    chooser = draft.chooser
    quantization = random_scale(chooser, 0.005, 0.02), _zero(draft)
    source = draft.input(small(_QUANTIZED_LSTM_MOST_BATCHES, _QUANTIZED_LSTM_MOST_INPUTS), quantization=quantization)
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
        draft.given(_T.FLOAT32, chooser.real(0.1, _QUANTIZED_LSTM_LARGEST_CLIP) if chooser.boolean() else 0.0)
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
    """Add one operand of the cell, or an omitted operand of the same type and scale."""
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


_QUANTIZED_LSTM_SIGNATURES: Final = (
    OperationSignature(
        _O.QUANTIZED_16BIT_LSTM, FeatureLevel.FL3, "", (_T.TENSOR_QUANT8_ASYMM,), (2,), _sixteen_bits, in_cts=False
    ),
    OperationSignature(
        _O.QUANTIZED_LSTM, FeatureLevel.FL4, "", (_T.TENSOR_QUANT8_ASYMM_SIGNED,), (2,), _signed, in_cts=False
    ),
)


SIGNATURES: Final = (*_RECURRENT_SIGNATURES, *_LSTM_SIGNATURES, *_QUANTIZED_LSTM_SIGNATURES)
