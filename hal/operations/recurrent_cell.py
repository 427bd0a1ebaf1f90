"""Common parts of the declarations of recurrent operations: operand tables, size rules, activation codes.

A table of :class:`CellOperand` is written once for one cell; the operations derive their formal operands and
their size rules from it, with a prefix for each direction (``fw_``, ``bw_``) where there are two cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import TypeAlias

from nnvet.hal.enums import OperandType
from nnvet.hal.operations.declaration import Call, Formal, LevelRule, Phase, Rule
from nnvet.hal.operations.formals import tensor

Sizes: TypeAlias = Mapping[str, int]
"""Sizes by symbol, see :data:`SYMBOLS`."""

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
    """Activation codes of recurrent operations; 2 and 5 are understood only by some."""

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
    """The input of one step (rank 2) or of a sequence (rank 3)."""
    meaning = "[batch size, input size]" if rank == 2 else "sequence, time or batch first as time_major says"
    return tensor(name, "T", rank, meaning, omissible=omissible)


def formals(
    operands: Sequence[CellOperand],
    types: Mapping[str, str | OperandType],
    prefix: str = "",
    level: int = 1,
) -> tuple[Formal, ...]:
    """Formal operands of a table; ``types`` gives the type (variable) of each kind."""
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
    """Rule ``OPERATION/outputs.state``: more than ``outputs`` outputs, which are states, need feature level 4."""
    sentence = f"{subject} from feature level 4 on."
    return LevelRule(f"{operation}/outputs.state", sentence, 4, lambda call: len(call.outputs) > outputs)


def size_rules(
    operation: str, operands: Sequence[CellOperand], sizes: Callable[[Call], Sizes], prefix: str = ""
) -> tuple[Rule, ...]:
    """One rule for each operand of a table: its dimensions (or number of elements) follow from ``sizes``."""
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
    """The activation code of a cell."""
    return Formal("activation", OperandType.INT32, "activation code", parameter=True, values=tuple(values))


def activation_rule(operation: str, values: Sequence[int]) -> Rule:
    """The activation code is one that is defined."""
    return Rule(
        f"{operation}/activation",
        f"The activation code is one of {', '.join(map(str, map(int, values)))}.",
        lambda call: call.scalar("activation") in values,
    )


def sequence_sizes(call: Call, name: str = "input") -> dict[str, int]:
    """Steps, batch size and element size of a rank-3 sequence, in the layout that ``time_major`` selects."""
    first, second, size = call[name].dimensions
    steps, batch = (first, second) if call.scalar("time_major") else (second, first)
    return {"S": steps, "B": batch, "I": size}


def sequence_dimensions(call: Call, sizes: Sizes, last: int) -> tuple[int, int, int]:
    """Dimensions of a sequence with ``last`` values for each step and batch row."""
    if call.scalar("time_major"):
        return sizes["S"], sizes["B"], last
    return sizes["B"], sizes["S"], last
