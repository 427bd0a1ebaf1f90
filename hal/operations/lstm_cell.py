"""The tensors of one LSTM cell, as tables, and the rules on which of them are given together.

Read by the declarations in ``lstm.py`` and ``quantized_lstm.py`` and by the kernels. Kinds: ``weights``,
``peephole``, ``bias``, ``output_state``, ``cell_state``, ``layer_norm``.
Source: the pages of LSTM, the sequence LSTMs and QUANTIZED_LSTM in docs/contract/operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from nnvet.hal.operations.declaration import Call, Rule
from nnvet.hal.operations.recurrent_cell import CellOperand, Sizes

GATES = ("input", "forget", "cell", "output")
"""All gates in the order of the operand lists; a cell without input gate (CIFG) omits the first."""
PEEPHOLE_GATES = ("input", "forget", "output")

WEIGHTS = (
    *(CellOperand(f"input_to_{gate}_weights", "weights", "UI", gate == "input") for gate in GATES),
    *(CellOperand(f"recurrent_to_{gate}_weights", "weights", "UO", gate == "input") for gate in GATES),
)
PEEPHOLES = tuple(CellOperand(f"cell_to_{gate}_weights", "peephole", "U", omissible=True) for gate in PEEPHOLE_GATES)
BIASES = tuple(CellOperand(f"{gate}_gate_bias", "bias", "U", gate == "input") for gate in GATES)
PROJECTION = (
    CellOperand("projection_weights", "weights", "OU", omissible=True),
    CellOperand("projection_bias", "bias", "O", omissible=True),
)
CELL = (*WEIGHTS, *PEEPHOLES, *BIASES, *PROJECTION)
STATES = (CellOperand("output_state_in", "output_state", "BO"), CellOperand("cell_state_in", "cell_state", "BU"))
COUNTED_STATES = (
    CellOperand("output_state_in", "output_state", "BO", counted=True),
    CellOperand("cell_state_in", "cell_state", "BU", counted=True),
)
LAYER_NORM = tuple(CellOperand(f"{gate}_layer_norm_weights", "layer_norm", "U", omissible=True) for gate in GATES)
AUXILIARY = tuple(CellOperand(f"aux_input_to_{gate}_weights", "weights", "UI", omissible=True) for gate in GATES)

FLOAT_TYPES: Mapping[str, str] = dict.fromkeys(
    ("weights", "peephole", "bias", "output_state", "cell_state", "layer_norm"), "T"
)


def is_cifg(call: Call, prefix: str = "") -> bool:
    """Return True if the cell couples input and forget gate."""
    return not call.has(f"{prefix}input_to_input_weights")


def unit_sizes(call: Call, prefix: str = "") -> Sizes:
    """Units and output size, which the forward weights of the output gate decide."""
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
    """Return True if layer-normalisation weights are given for all gates that there are, or for none."""
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
    """The rules on operands given together, for one cell."""
    return tuple(
        Rule(f"{operation}/{prefix}{subject}", sentence, partial(check, prefix))
        for subject, sentence, check in _PRESENCE
    )


def projection_bias_rule(operation: str, prefix: str = "") -> Rule:
    """A projection bias needs projection weights; only some of the operations look at this."""
    return Rule(
        f"{operation}/{prefix}projection_bias",
        "A projection bias is given only with projection weights.",
        partial(_projection_bias_fits, prefix),
    )


def clip_rules(operation: str) -> tuple[Rule, ...]:
    """Clipping thresholds must not be negative; only some of the operations look at this."""
    return tuple(
        Rule(f"{operation}/{name}", f"{name} is not negative; 0 means no clipping.", partial(_clip_fits, name))
        for name in ("cell_clip", "projection_clip")
    )


def _clip_fits(name: str, call: Call) -> bool:
    return bool(call.scalar(name) >= 0)
