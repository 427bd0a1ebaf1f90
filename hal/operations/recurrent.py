"""RNN, SVDF and the sequence RNNs: operand tables, size rules and declarations.

A table of :class:`CellOperand` describes one cell; the operations derive their formal operands and their size rules
from it, with a prefix for each direction (``fw_``, ``bw_``) if there are two cells.

Source: their pages in docs/contract/operations; kernels in ``reference_driver/kernels/recurrent.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import TypeAlias

from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.operations.declaration import (
    Call,
    Formal,
    LevelRule,
    OperationDeclaration,
    OutputSpec,
    Phase,
    Rule,
    Signature,
    ZeroSized,
    single,
)
from nnvet.hal.operations.shapes import integer, tensor

Sizes: TypeAlias = Mapping[str, int]
"""Sizes by symbol; see :data:`SYMBOLS`."""

SYMBOLS = {
    "S": "number of time steps",
    "B": "batch size",
    "I": "input size",
    "A": "auxiliary input size",
    "U": "number of units",
    "O": "output size",
    "F": "number of filters",
    "M": "memory size",
}


class RecurrentActivation(IntEnum):
    """Activation codes of recurrent operations; only some operations accept 2 and 5."""

    NONE = 0
    RELU = 1
    RELU1 = 2
    RELU6 = 3
    TANH = 4
    SIGN_BIT = 5
    SIGMOID = 6


DOCUMENTED_ACTIVATIONS = (
    RecurrentActivation.NONE,
    RecurrentActivation.RELU,
    RecurrentActivation.RELU6,
    RecurrentActivation.TANH,
    RecurrentActivation.SIGMOID,
)


@dataclass(frozen=True, slots=True)
class CellOperand:
    """One tensor of a cell.

    ``kind`` groups operands that have one type; ``shape`` names the dimensions with one symbol each. With
    ``counted`` only the number of elements must fit, not the dimensions themselves.
    """

    name: str
    kind: str
    shape: str
    omissible: bool = False
    counted: bool = False


def input_formal(rank: int, name: str = "input", *, omissible: bool = False) -> Formal:
    """Return the input of one step (rank 2) or of a sequence (rank 3)."""
    meaning = "[batch size, input size]" if rank == 2 else "sequence, time or batch first as time_major says"
    return tensor(name, "T", rank, meaning, omissible=omissible)


def formals(
    operands: Sequence[CellOperand],
    types: Mapping[str, str | OperandType],
    prefix: str = "",
    level: int = 1,
) -> tuple[Formal, ...]:
    """Return the formal operands of a table; ``types`` gives the type or type variable of each kind."""
    return tuple(
        Formal(
            prefix + operand.name,
            types[operand.kind],
            f"{(prefix + operand.name).replace('_', ' ')} {_shape_text(operand.shape)}",
            rank=None if operand.counted else (len(operand.shape), len(operand.shape)),
            rank_phase=Phase.EXECUTION,
            level=level,
            omissible=operand.omissible,
        )
        for operand in operands
    )


def state_level_rule(operation: str, subject: str, outputs: int) -> LevelRule:
    """Return the rule ``OPERATION/outputs.state``: more than ``outputs`` outputs (states) need feature level 4."""
    sentence = f"{subject} from feature level 4 on."
    return LevelRule(f"{operation}/outputs.state", sentence, 4, lambda call: len(call.outputs) > outputs)


def size_rules(
    operation: str, operands: Sequence[CellOperand], sizes: Callable[[Call], Sizes], prefix: str = ""
) -> tuple[Rule, ...]:
    """Return a rule for each operand of a table: its dimensions or number of elements follow from ``sizes``."""
    return tuple(_size_rule(operation, operand, sizes, prefix) for operand in operands)


def _size_rule(operation: str, operand: CellOperand, sizes: Callable[[Call], Sizes], prefix: str) -> Rule:
    name = prefix + operand.name
    if operand.counted:
        sentence = f"{name} holds as many elements as {_shape_text(operand.shape)}."
        return Rule(f"{operation}/{name}.size", sentence, partial(_count_fits, name, operand.shape, sizes))
    sentence = f"{name} has the dimensions {_shape_text(operand.shape)}."
    return Rule(f"{operation}/{name}.dimensions", sentence, partial(_dimensions_fit, name, operand.shape, sizes))


def _dimensions_fit(name: str, shape: str, sizes: Callable[[Call], Sizes], call: Call) -> bool:
    if not call.has(name):
        return True
    by_symbol = sizes(call)
    return call[name].dimensions == tuple(by_symbol[symbol] for symbol in shape)


def _count_fits(name: str, shape: str, sizes: Callable[[Call], Sizes], call: Call) -> bool:
    by_symbol = sizes(call)
    return math.prod(call[name].dimensions) == math.prod(by_symbol[symbol] for symbol in shape)


def _shape_text(shape: str) -> str:
    return f"[{', '.join(SYMBOLS[symbol] for symbol in shape)}]"


def activation_formal(values: Sequence[int] = DOCUMENTED_ACTIVATIONS) -> Formal:
    """Return the activation code of a cell."""
    return Formal("activation", OperandType.INT32, "activation code", parameter=True, values=tuple(values))


def activation_rule(operation: str, values: Sequence[int]) -> Rule:
    """Return the rule that the activation code is a defined one."""
    return Rule(
        f"{operation}/activation",
        f"The activation code is one of {', '.join(map(str, map(int, values)))}.",
        lambda call: call.scalar("activation") in values,
    )


def sequence_sizes(call: Call, name: str = "input") -> dict[str, int]:
    """Return steps, batch size and element size of a rank-3 sequence in the layout that ``time_major`` selects."""
    first, second, size = call[name].dimensions
    steps, batch = (first, second) if call.scalar("time_major") else (second, first)
    return {"S": steps, "B": batch, "I": size}


def sequence_dimensions(call: Call, sizes: Sizes, last: int) -> tuple[int, int, int]:
    """Return dimensions of a sequence with ``last`` values for each step and batch row."""
    if call.scalar("time_major"):
        return sizes["S"], sizes["B"], last
    return sizes["B"], sizes["S"], last


_FLOAT = single({OperandType.TENSOR_FLOAT32: 1, OperandType.TENSOR_FLOAT16: 3})
_SEQUENCE_FLOAT = single({OperandType.TENSOR_FLOAT32: 3, OperandType.TENSOR_FLOAT16: 3})
_TYPES = {"float": "T"}

WEIGHTS = (CellOperand("weights", "float", "UI"), CellOperand("recurrent_weights", "float", "UU"))
# The bias says how many units there are, so its own size cannot be wrong.
CELL = (*WEIGHTS, CellOperand("bias", "float", "U"))
STATE = CellOperand("hidden_state_in", "float", "BU")
COUNTED_STATE = CellOperand("hidden_state_in", "float", "BU", counted=True)
SVDF_STATE = CellOperand("state_in", "float", "BMF", counted=True)
AUXILIARY = CellOperand("aux_weights", "float", "UA", omissible=True)
SVDF_CELL = (
    CellOperand("feature_weights", "float", "FI"),
    CellOperand("time_weights", "float", "FM"),
    CellOperand("bias", "float", "U", omissible=True),
)
SVDF_ACTIVATIONS = (*DOCUMENTED_ACTIVATIONS[:2], RecurrentActivation.RELU1, *DOCUMENTED_ACTIVATIONS[2:])


def _rnn_sizes(call: Call) -> dict[str, int]:
    batch, size = call["input"].dimensions
    return {"B": batch, "I": size, "U": call["bias"].dimensions[0]}


def _infer_rnn(call: Call) -> tuple[OutputSpec, ...]:
    sizes = _rnn_sizes(call)
    spec = OutputSpec((sizes["B"], sizes["U"]))
    return spec, spec


RNN = OperationDeclaration(
    type=OperationType.RNN,
    summary="one step of a basic recurrent cell: activation(W x + R h + b)",
    rows=_FLOAT,
    signatures=(Signature("basic", (input_formal(2), *formals((*CELL, COUNTED_STATE), _TYPES), activation_formal())),),
    outputs=(
        Formal("hidden_state_out", "T", "[batch size, number of units]"),
        Formal("output", "T", "the same values as hidden_state_out"),
    ),
    rules=(
        *size_rules("RNN", (*WEIGHTS, COUNTED_STATE), _rnn_sizes),
        activation_rule("RNN", DOCUMENTED_ACTIVATIONS),
    ),
    infer=_infer_rnn,
    zero_sized=ZeroSized.INVALID,
    omission_status=ErrorStatus.INVALID_ARGUMENT,
)


def _rank_divides(call: Call) -> bool:
    rank: int = call.scalar("rank")
    return rank > 0 and call["feature_weights"].dimensions[0] % rank == 0


def _svdf_sizes(call: Call) -> dict[str, int]:
    batch, size = call["input"].dimensions
    filters = call["feature_weights"].dimensions[0]
    memory = call["time_weights"].dimensions[1]
    return {"B": batch, "I": size, "F": filters, "M": memory, "U": filters // call.scalar("rank")}


def _infer_svdf(call: Call) -> tuple[OutputSpec, ...]:
    sizes = _svdf_sizes(call)
    return (
        OutputSpec((sizes["B"], sizes["M"] * sizes["F"])),
        OutputSpec((sizes["B"], sizes["U"])),
    )


SVDF = OperationDeclaration(
    type=OperationType.SVDF,
    summary="rank-reduced fully connected layer over a memory of time steps",
    rows=_FLOAT,
    signatures=(
        Signature(
            "basic",
            (
                input_formal(2),
                *formals((*SVDF_CELL, SVDF_STATE), _TYPES),
                integer("rank", "filters for each unit"),
                activation_formal(SVDF_ACTIVATIONS),
            ),
        ),
    ),
    outputs=(
        Formal("state_out", "T", "[batch size, memory size * number of filters]"),
        Formal("output", "T", "[batch size, number of units]"),
    ),
    rules=(
        Rule("SVDF/rank", "The rank is positive and divides the number of filters.", _rank_divides),
        *size_rules("SVDF", (*SVDF_CELL, SVDF_STATE), _svdf_sizes),
        activation_rule("SVDF", SVDF_ACTIVATIONS),
    ),
    infer=_infer_svdf,
    zero_sized=ZeroSized.FAILS,
)


def _sequence_rnn_sizes(call: Call) -> dict[str, int]:
    return {**sequence_sizes(call), "U": call["bias"].dimensions[0]}


def _infer_sequence_rnn(call: Call) -> tuple[OutputSpec, ...]:
    sizes = _sequence_rnn_sizes(call)
    output = OutputSpec(sequence_dimensions(call, sizes, sizes["U"]))
    return (output, OutputSpec((sizes["B"], sizes["U"])))[: len(call.outputs)]


UNIDIRECTIONAL_SEQUENCE_RNN = OperationDeclaration(
    type=OperationType.UNIDIRECTIONAL_SEQUENCE_RNN,
    summary="a basic recurrent cell applied to every step of a sequence",
    rows=_SEQUENCE_FLOAT,
    signatures=(
        Signature(
            "basic",
            (
                input_formal(3),
                *formals((*CELL, STATE), _TYPES),
                activation_formal(),
                integer("time_major", "1: time is the first axis", values=(0, 1)),
            ),
        ),
    ),
    outputs=(
        Formal("output", "T", "output of every step, in the layout of the input"),
        Formal("hidden_state_out", "T", "[batch size, number of units] after the last step"),
    ),
    output_counts=(1, 2),
    rules=(
        Rule(
            "UNIDIRECTIONAL_SEQUENCE_RNN/time_major",
            "time_major is 0 or 1.",
            lambda call: call.scalar("time_major") in (0, 1),
        ),
        *size_rules("UNIDIRECTIONAL_SEQUENCE_RNN", (*WEIGHTS, STATE), _sequence_rnn_sizes),
        activation_rule("UNIDIRECTIONAL_SEQUENCE_RNN", DOCUMENTED_ACTIVATIONS),
    ),
    level_rules=(state_level_rule("UNIDIRECTIONAL_SEQUENCE_RNN", "The hidden state is an output", 1),),
    infer=_infer_sequence_rnn,
    zero_sized=ZeroSized.FAILS,
)


def _linking_is_legal(call: Call) -> bool:
    given = tuple(call.has(name) for name in ("aux_input", "fw_aux_weights", "bw_aux_weights"))
    return given in ((False, False, False), (True, False, False), (True, True, True))


def _parallel(call: Call) -> bool:
    return call.has("aux_input") and not call.has("bw_aux_weights")


def _direction_sizes(prefix: str, call: Call) -> dict[str, int]:
    own_input = "aux_input" if prefix == "bw_" and _parallel(call) else "input"
    sizes = {**sequence_sizes(call, own_input), "U": call[prefix + "bias"].dimensions[0]}
    if call.has("aux_input"):
        sizes["A"] = call["aux_input"].dimensions[2]
    return sizes


def _auxiliary_steps_agree(call: Call) -> bool:
    return not call.has("aux_input") or call["aux_input"].dimensions[:2] == call["input"].dimensions[:2]


def _output_count_fits_merging(call: Call) -> bool:
    return len(call.outputs) in ((1, 3) if call.scalar("merge_outputs") else (2, 4))


def _infer_bidirectional_rnn(call: Call) -> tuple[OutputSpec, ...]:
    forward, backward = _direction_sizes("fw_", call), _direction_sizes("bw_", call)
    units = forward["U"], backward["U"]
    widths = (sum(units),) if call.scalar("merge_outputs") else units
    outputs = [OutputSpec(sequence_dimensions(call, forward, width)) for width in widths]
    states = [OutputSpec((forward["B"], size)) for size in units]
    return (*outputs, *states)[: len(call.outputs)]


_BIDIRECTIONAL = "BIDIRECTIONAL_SEQUENCE_RNN"
BIDIRECTIONAL_SEQUENCE_RNN = OperationDeclaration(
    type=OperationType.BIDIRECTIONAL_SEQUENCE_RNN,
    summary="a basic recurrent cell over a sequence forward, another one backward",
    rows=_SEQUENCE_FLOAT,
    signatures=(
        Signature(
            "basic",
            (
                input_formal(3),
                *formals((*CELL, STATE), _TYPES, "fw_"),
                *formals((*CELL, STATE), _TYPES, "bw_"),
                input_formal(3, "aux_input", omissible=True),
                *formals((AUXILIARY,), _TYPES, "fw_"),
                *formals((AUXILIARY,), _TYPES, "bw_"),
                activation_formal(),
                Formal("time_major", OperandType.BOOL, "true: time is the first axis", parameter=True),
                Formal("merge_outputs", OperandType.BOOL, "true: outputs are concatenated", parameter=True),
            ),
        ),
    ),
    outputs=(
        Formal("fw_output", "T", "forward output of every step; merged: followed by the backward output"),
        Formal("bw_output", "T", "backward output of every step; absent if merged"),
        Formal("fw_hidden_state_out", "T", "[batch size, units] after the last step"),
        Formal("bw_hidden_state_out", "T", "[batch size, units] after the first step"),
    ),
    output_counts=(1, 2, 3, 4),
    rules=(
        Rule(
            f"{_BIDIRECTIONAL}/outputs.merge",
            "Merged there are 1 or 3 outputs, otherwise 2 or 4.",
            _output_count_fits_merging,
        ),
        Rule(
            f"{_BIDIRECTIONAL}/linking",
            "Given are no auxiliary operand, the auxiliary input alone, or it and both auxiliary weights.",
            _linking_is_legal,
        ),
        Rule(
            f"{_BIDIRECTIONAL}/aux_input.steps",
            "The auxiliary input has the steps and the batch size of the input.",
            _auxiliary_steps_agree,
        ),
        *size_rules(_BIDIRECTIONAL, (*WEIGHTS, STATE, AUXILIARY), partial(_direction_sizes, "fw_"), "fw_"),
        *size_rules(_BIDIRECTIONAL, (*WEIGHTS, STATE, AUXILIARY), partial(_direction_sizes, "bw_"), "bw_"),
        activation_rule(_BIDIRECTIONAL, DOCUMENTED_ACTIVATIONS),
    ),
    level_rules=(state_level_rule(_BIDIRECTIONAL, "The hidden states are outputs", 2),),
    infer=_infer_bidirectional_rnn,
    zero_sized=ZeroSized.FAILS,
)
