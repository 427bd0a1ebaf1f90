"""LSTM and the sequence LSTMs: tables of a cell's tensors, rules about omitted ones, and declarations.

Kernels and ``quantized_lstm.py`` read the tables, too. Kinds of tensors: ``weights``, ``peephole``, ``bias``,
``output_state``, ``cell_state``, ``layer_norm``.
Source: the pages of LSTM, the sequence LSTMs and QUANTIZED_LSTM in docs/contract/operations; kernels in
``reference_driver/kernels/recurrent.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from nnvet.hal.enums import OperandType, OperationType
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
from nnvet.hal.operations.recurrent import (
    DOCUMENTED_ACTIVATIONS,
    CellOperand,
    RecurrentActivation,
    Sizes,
    activation_formal,
    activation_rule,
    formals,
    input_formal,
    sequence_dimensions,
    sequence_sizes,
    size_rules,
    state_level_rule,
)

GATES = ("input", "forget", "cell", "output")
"""All gates in the order of the operand lists; a cell without input gate (CIFG) omits the first."""
PEEPHOLE_GATES = ("input", "forget", "output")
"""Gates that look at the cell state; the cell itself has no gate that does."""

WEIGHTS = (
    *(CellOperand(f"input_to_{gate}_weights", "weights", "UI", gate == "input") for gate in GATES),
    *(CellOperand(f"recurrent_to_{gate}_weights", "weights", "UO", gate == "input") for gate in GATES),
)
"""Weights of the input and of the output state, for each gate.

Letters are sizes: I input, O output, U units, B batches.
"""
PEEPHOLES = tuple(CellOperand(f"cell_to_{gate}_weights", "peephole", "U", omissible=True) for gate in PEEPHOLE_GATES)
"""Weights of the cell state, one for each unit."""
BIASES = tuple(CellOperand(f"{gate}_gate_bias", "bias", "U", gate == "input") for gate in GATES)
"""One bias for each gate."""
PROJECTION = (
    CellOperand("projection_weights", "weights", "OU", omissible=True),
    CellOperand("projection_bias", "bias", "O", omissible=True),
)
"""Weights and bias of the projection from units to outputs."""
CELL = (*WEIGHTS, *PEEPHOLES, *BIASES, *PROJECTION)
"""All operands of one cell except layer normalisation, in the order of the operand lists."""
STATES = (CellOperand("output_state_in", "output_state", "BO"), CellOperand("cell_state_in", "cell_state", "BU"))
"""States of one cell."""
COUNTED_STATES = (
    CellOperand("output_state_in", "output_state", "BO", counted=True),
    CellOperand("cell_state_in", "cell_state", "BU", counted=True),
)
"""The same states where only their numbers of elements must fit, not their dimensions."""
LAYER_NORM = tuple(CellOperand(f"{gate}_layer_norm_weights", "layer_norm", "U", omissible=True) for gate in GATES)
"""Weights of layer normalisation, for each gate."""
AUXILIARY = tuple(CellOperand(f"aux_input_to_{gate}_weights", "weights", "UI", omissible=True) for gate in GATES)
"""Weights of the auxiliary input of a bidirectional LSTM, for each gate."""

FLOAT_TYPES: Mapping[str, str] = dict.fromkeys(
    ("weights", "peephole", "bias", "output_state", "cell_state", "layer_norm"), "T"
)


def is_cifg(call: Call, prefix: str = "") -> bool:
    """Return True if the cell couples input and forget gate."""
    return not call.has(f"{prefix}input_to_input_weights")


def unit_sizes(call: Call, prefix: str = "") -> Sizes:
    """Return the number of units and the output size, which the forward weights of the output gate decide."""
    return {
        "U": call[f"{prefix}input_to_output_weights"].dimensions[0],
        "O": call[f"{prefix}recurrent_to_output_weights"].dimensions[1],
    }


def _given(call: Call, prefix: str, names: tuple[str, ...]) -> tuple[bool, ...]:
    return tuple(call.has(prefix + name) for name in names)


def _input_gate_complete(prefix: str, call: Call) -> bool:
    return len(set(_given(call, prefix, ("input_to_input_weights", "recurrent_to_input_weights")))) == 1


def _complete(call: Call, prefix: str, names: tuple[str, ...]) -> bool:
    # All or none; with CIFG the first one, which is the input gate's, does not count towards "all".
    given = _given(call, prefix, names)
    return not any(given) or all(given[1:] if is_cifg(call, prefix) else given)


def _peephole_complete(prefix: str, call: Call) -> bool:
    return _complete(call, prefix, tuple(operand.name for operand in PEEPHOLES))


def _input_bias_fits(prefix: str, call: Call) -> bool:
    return call.has(f"{prefix}input_gate_bias") is not is_cifg(call, prefix)


def layer_norm_complete(prefix: str, call: Call) -> bool:
    """Return True if layer-normalisation weights are given for all existing gates, or for none."""
    if is_cifg(call, prefix) and call.has(f"{prefix}input_layer_norm_weights"):
        return False
    return _complete(call, prefix, tuple(operand.name for operand in LAYER_NORM))


def _projection_bias_fits(prefix: str, call: Call) -> bool:
    return call.has(f"{prefix}projection_weights") or not call.has(f"{prefix}projection_bias")


def _output_size_fits(prefix: str, call: Call) -> bool:
    sizes = unit_sizes(call, prefix)
    return call.has(f"{prefix}projection_weights") or sizes["O"] == sizes["U"]


_PRESENCE: tuple[tuple[str, str, Callable[[str, Call], bool]], ...] = (
    (
        "input_gate",
        "Input-to-input and recurrent-to-input weights are given together or not at all (CIFG).",
        _input_gate_complete,
    ),
    (
        "peephole",
        "Peephole weights are given for every gate that there is or not at all; with CIFG the input gate's are free.",
        _peephole_complete,
    ),
    ("input_gate_bias", "The input gate bias is given exactly if there is an input gate.", _input_bias_fits),
    (
        "layer_norm",
        "Layer-normalisation weights are given for every gate that there is or not at all; with CIFG none for input.",
        layer_norm_complete,
    ),
    ("output_size", "Without projection the output size equals the number of units.", _output_size_fits),
)


def presence_rules(operation: str, prefix: str = "") -> tuple[Rule, ...]:
    """Return the rules about operands of one cell that must be given together."""
    return tuple(
        Rule(f"{operation}/{prefix}{subject}", sentence, partial(check, prefix))
        for subject, sentence, check in _PRESENCE
    )


def projection_bias_rule(operation: str, prefix: str = "") -> Rule:
    """Return the rule that a projection bias needs projection weights; not all operations have it."""
    return Rule(
        f"{operation}/{prefix}projection_bias",
        "A projection bias is given only with projection weights.",
        partial(_projection_bias_fits, prefix),
    )


def clip_rules(operation: str) -> tuple[Rule, ...]:
    """Return the rules that clipping thresholds are not negative; not all operations have them."""
    return tuple(
        Rule(f"{operation}/{name}", f"{name} is not negative; 0 means no clipping.", partial(_clip_fits, name))
        for name in ("cell_clip", "projection_clip")
    )


def _clip_fits(name: str, call: Call) -> bool:
    return bool(call.scalar(name) >= 0)


_SINGLE = {"T": OperandType.TENSOR_FLOAT32, "C": OperandType.FLOAT32}
_HALF = {"T": OperandType.TENSOR_FLOAT16, "C": OperandType.FLOAT16}
_ACTIVATIONS = tuple(RecurrentActivation)
_SETTINGS = (
    activation_formal(DOCUMENTED_ACTIVATIONS),
    Formal("cell_clip", "C", "bound of the cell state, 0: none", parameter=True),
    Formal("projection_clip", "C", "bound of the projected output, 0: none", parameter=True),
)
_TIME_MAJOR = Formal("time_major", OperandType.BOOL, "true: time is the first axis", parameter=True)


def _lstm_sizes(call: Call) -> dict[str, int]:
    batch, size = call["input"].dimensions
    return {"B": batch, "I": size, **unit_sizes(call)}


def _infer_lstm(call: Call) -> tuple[OutputSpec, ...]:
    sizes = _lstm_sizes(call)
    batch, units = sizes["B"], sizes["U"]
    output = OutputSpec((batch, sizes["O"]))
    gates = 3 if is_cifg(call) else 4
    return OutputSpec((batch, gates * units)), output, OutputSpec((batch, units)), output


LSTM = OperationDeclaration(
    type=OperationType.LSTM,
    summary="one step of an LSTM cell",
    rows=rows((1, _SINGLE), (3, _HALF)),
    signatures=(
        Signature(
            "basic",
            (
                input_formal(2),
                *formals((*CELL, *COUNTED_STATES), FLOAT_TYPES),
                *_SETTINGS,
                *formals(LAYER_NORM, FLOAT_TYPES, level=3),
            ),
            lengths=(23, 27),
        ),
    ),
    outputs=(
        Formal("scratch_buffer", "T", "[batch size, units times number of gates], contents unspecified"),
        Formal("output_state_out", "T", "[batch size, output size]"),
        Formal("cell_state_out", "T", "[batch size, number of units]"),
        Formal("output", "T", "the same values as output_state_out"),
    ),
    rules=(
        *presence_rules("LSTM"),
        projection_bias_rule("LSTM"),
        *size_rules("LSTM", (*CELL, *COUNTED_STATES, *LAYER_NORM), _lstm_sizes),
        activation_rule("LSTM", _ACTIVATIONS),
        *clip_rules("LSTM"),
    ),
    infer=_infer_lstm,
    zero_sized=ZeroSized.FAILS,
)


def _sequence_lstm_sizes(call: Call) -> dict[str, int]:
    return {**sequence_sizes(call), **unit_sizes(call)}


def _infer_sequence_lstm(call: Call) -> tuple[OutputSpec, ...]:
    sizes = _sequence_lstm_sizes(call)
    outputs = (
        OutputSpec(sequence_dimensions(call, sizes, sizes["O"])),
        OutputSpec((sizes["B"], sizes["O"])),
        OutputSpec((sizes["B"], sizes["U"])),
    )
    return outputs[: len(call.outputs)]


_UNIDIRECTIONAL = "UNIDIRECTIONAL_SEQUENCE_LSTM"
UNIDIRECTIONAL_SEQUENCE_LSTM = OperationDeclaration(
    type=OperationType.UNIDIRECTIONAL_SEQUENCE_LSTM,
    summary="an LSTM cell applied to every step of a sequence",
    rows=rows((3, _SINGLE), (3, _HALF)),
    signatures=(
        Signature(
            "basic",
            (
                input_formal(3),
                *formals((*CELL, *STATES), FLOAT_TYPES),
                *_SETTINGS,
                _TIME_MAJOR,
                *formals(LAYER_NORM, FLOAT_TYPES),
            ),
        ),
    ),
    outputs=(
        Formal("output", "T", "output of every step, in the layout of the input"),
        Formal("output_state_out", "T", "[batch size, output size] after the last step"),
        Formal("cell_state_out", "T", "[batch size, number of units] after the last step"),
    ),
    output_counts=(1, 3),
    rules=(
        *presence_rules(_UNIDIRECTIONAL),
        *size_rules(_UNIDIRECTIONAL, (*CELL, *STATES, *LAYER_NORM), _sequence_lstm_sizes),
        activation_rule(_UNIDIRECTIONAL, _ACTIVATIONS),
    ),
    level_rules=(state_level_rule(_UNIDIRECTIONAL, "The states are outputs", 1),),
    infer=_infer_sequence_lstm,
    zero_sized=ZeroSized.FAILS,
)


def is_linked(call: Call) -> bool:
    """Return True if both cells read the auxiliary input through separate weights (cross linking)."""
    return call.has("fw_aux_input_to_forget_weights")


def is_parallel(call: Call) -> bool:
    """Return True if the backward cell reads the auxiliary input instead of the input (parallel linking)."""
    return call.has("aux_input") and not is_linked(call)


def _direction_sizes(prefix: str, call: Call) -> dict[str, int]:
    own_input = "aux_input" if prefix == "bw_" and is_parallel(call) else "input"
    return {**sequence_sizes(call, own_input), **unit_sizes(call, prefix)}


def _auxiliary_weights_complete(call: Call) -> bool:
    given = {
        prefix: [call.has(prefix + operand.name) for operand in AUXILIARY[is_cifg(call, prefix) :]]
        for prefix in ("fw_", "bw_")
    }
    unused = any(is_cifg(call, prefix) and call.has(prefix + AUXILIARY[0].name) for prefix in given)
    return not unused and len({value for values in given.values() for value in values}) == 1


def _auxiliary_input_fits(call: Call) -> bool:
    if not call.has("aux_input"):
        return True
    known = 3 if is_linked(call) else 2
    return call["aux_input"].dimensions[:known] == call["input"].dimensions[:known]


def _output_count_fits_merging(call: Call) -> bool:
    return len(call.outputs) in ((1, 2, 5) if call.scalar("merge_outputs") else (2, 6))


def _unused_output(call: Call, backward: tuple[int, int, int]) -> OutputSpec:
    # The second of two outputs with merging is not written; any declared size is accepted.
    declared = call.outputs[1].dimensions
    return OutputSpec(declared if declared and 0 not in declared else backward)


def _infer_bidirectional_lstm(call: Call) -> tuple[OutputSpec, ...]:
    forward, backward = _direction_sizes("fw_", call), _direction_sizes("bw_", call)
    width, other = forward["O"], backward["O"]
    bw_dimensions = sequence_dimensions(call, forward, other)
    if call.scalar("merge_outputs"):
        outputs = [OutputSpec(sequence_dimensions(call, forward, width + other))]
        if len(call.outputs) == 2:
            outputs.append(_unused_output(call, bw_dimensions))
    else:
        outputs = [OutputSpec(sequence_dimensions(call, forward, width)), OutputSpec(bw_dimensions)]
    states = [OutputSpec(call[prefix + state.name].dimensions) for prefix in ("fw_", "bw_") for state in STATES]
    return (*outputs, *states)[: len(call.outputs)]


_BIDIRECTIONAL = "BIDIRECTIONAL_SEQUENCE_LSTM"
BIDIRECTIONAL_SEQUENCE_LSTM = OperationDeclaration(
    type=OperationType.BIDIRECTIONAL_SEQUENCE_LSTM,
    summary="an LSTM cell over a sequence forward, another one backward",
    rows=rows((3, _SINGLE), (3, _HALF)),
    signatures=(
        Signature(
            "basic",
            (
                input_formal(3),
                *formals(CELL, FLOAT_TYPES, "fw_"),
                *formals(CELL, FLOAT_TYPES, "bw_"),
                *formals(COUNTED_STATES, FLOAT_TYPES, "fw_"),
                *formals(COUNTED_STATES, FLOAT_TYPES, "bw_"),
                input_formal(3, "aux_input", omissible=True),
                *formals(AUXILIARY, FLOAT_TYPES, "fw_"),
                *formals(AUXILIARY, FLOAT_TYPES, "bw_"),
                *_SETTINGS,
                Formal("merge_outputs", OperandType.BOOL, "true: outputs are concatenated", parameter=True),
                _TIME_MAJOR,
                *formals(LAYER_NORM, FLOAT_TYPES, "fw_"),
                *formals(LAYER_NORM, FLOAT_TYPES, "bw_"),
            ),
        ),
    ),
    outputs=(
        Formal("fw_output", "T", "forward output of every step; merged: followed by the backward output"),
        Formal("bw_output", "T", "backward output of every step; merged: unused or absent"),
        *(
            Formal(f"{prefix}{name}", "T", "after the last step")
            for prefix in ("fw_", "bw_")
            for name in ("output_state_out", "cell_state_out")
        ),
    ),
    output_counts=(1, 2, 5, 6),
    rules=(
        Rule(
            f"{_BIDIRECTIONAL}/outputs.merge",
            "Merged there are 1, 2 or 5 outputs, otherwise 2 or 6.",
            _output_count_fits_merging,
        ),
        *presence_rules(_BIDIRECTIONAL, "fw_"),
        *presence_rules(_BIDIRECTIONAL, "bw_"),
        projection_bias_rule(_BIDIRECTIONAL, "fw_"),
        projection_bias_rule(_BIDIRECTIONAL, "bw_"),
        Rule(
            f"{_BIDIRECTIONAL}/aux_weights",
            "Auxiliary weights are given for every gate of both directions or not at all; with CIFG none for input.",
            _auxiliary_weights_complete,
        ),
        Rule(
            f"{_BIDIRECTIONAL}/aux_input.omitted",
            "Auxiliary weights need the auxiliary input.",
            lambda call: call.has("aux_input") or not is_linked(call),
        ),
        Rule(
            f"{_BIDIRECTIONAL}/aux_input.dimensions",
            "The auxiliary input has the steps and batch size of the input and, with weights, its size too.",
            _auxiliary_input_fits,
        ),
        *size_rules(
            _BIDIRECTIONAL, (*CELL, *COUNTED_STATES, *AUXILIARY, *LAYER_NORM), partial(_direction_sizes, "fw_"), "fw_"
        ),
        *size_rules(
            _BIDIRECTIONAL, (*CELL, *COUNTED_STATES, *AUXILIARY, *LAYER_NORM), partial(_direction_sizes, "bw_"), "bw_"
        ),
        activation_rule(_BIDIRECTIONAL, _ACTIVATIONS),
        *clip_rules(_BIDIRECTIONAL),
    ),
    level_rules=(state_level_rule(_BIDIRECTIONAL, "The states are outputs", 2),),
    infer=_infer_bidirectional_lstm,
    zero_sized=ZeroSized.FAILS,
)
