"""Building blocks of the table of PyTorch, and its rows for elementwise operations.

A *claim* is a row of that table: it says which types of an operation the driver supports by PyTorch, under which
conditions, and how the operation becomes calls of PyTorch. The other modules of operations use the functions here.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch import Tensor
from torch.nn import functional

from nnvet.adapters.runtimes.claims import BOOLEAN, BOTH_BYTES, FLOATS, INTEGER, Claim, Condition
from nnvet.adapters.runtimes.functions import Function, Make, activation_bounds, claimed, computing, plain
from nnvet.adapters.torch.emitter import TorchEmitter
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.shapes import is_nchw

TorchClaim = Claim[TorchEmitter]
TO_NCHW: Final = (0, 3, 1, 2)
TO_NHWC: Final = (0, 2, 3, 1)


def activating(call: Call) -> Function:
    """Return the fused activation of a call, or the identity if it has none."""
    bounds = activation_bounds(call)
    return (lambda value: value) if bounds is None else (lambda value: torch.clamp(value, *bounds))


def of_images(make: Make) -> Make:
    """Adapt a function of NCHW images, PyTorch's layout, to the layout of the call; add the fused activation."""

    def made(call: Call) -> Function:
        function, activate = make(call), activating(call)
        if is_nchw(call):
            return lambda images, *others: activate(function(images, *others))
        return lambda images, *others: activate(function(images.permute(TO_NCHW), *others)).permute(TO_NHWC)

    return made


_PAIR: Final = ("input0", "input1")
_CODES: Final = (*FLOATS, *BOTH_BYTES)


def _arithmetic(function: Function) -> Make:
    def make(call: Call) -> Function:
        activate = activating(call)
        return lambda first, second: activate(function(first, second))

    return make


def _divide(call: Call) -> Function:
    return _divide_integers if call.output.type == INTEGER else _arithmetic(torch.div)(call)


def _divide_integers(first: Tensor, second: Tensor) -> Any:
    """Divide in 64 bits, where no quotient overflows.

    Quotients are rounded down, x / 0 is 0, and the lowest number divided by -1 is itself.
    """
    wide, divisor = first.to(torch.int64), torch.where(second == 0, 1, second.to(torch.int64))
    return torch.where(second == 0, 0, torch.div(wide, divisor, rounding_mode="floor"))


def _maximum(first: Tensor, second: Tensor) -> Any:
    """Return the first operand if one of the two is NaN, as the contract wants; torch.maximum would return NaN."""
    return torch.where(second > first, second, first)


def _minimum(first: Tensor, second: Tensor) -> Any:
    """Like :func:`_maximum`."""
    return torch.where(second < first, second, first)


def _prelu(value: Tensor, slope: Tensor) -> Any:
    """Compute PRELU with broadcasting; PyTorch's own prelu takes one slope for each channel only."""
    return torch.where(value < 0, value * slope, value)


def _elu(call: Call) -> Function:
    alpha = call.scalar("alpha")
    return lambda value: functional.elu(value, alpha)


_NOT_NEGATIVE: Final = Condition(
    "alpha is not negative: beside a negative one the contract has another result for positive numbers",
    lambda call: call.scalar("alpha") >= 0,
)
_COMPARED: Final = (*_CODES, INTEGER, BOOLEAN)
_COMPARISONS: Final = (
    ("EQUAL", "eq"),
    ("NOT_EQUAL", "ne"),
    ("LESS", "lt"),
    ("LESS_EQUAL", "le"),
    ("GREATER", "gt"),
    ("GREATER_EQUAL", "ge"),
)
_UNARY: Final = (
    ("ABS", "abs", (*FLOATS, INTEGER)),
    ("EXP", "exp", FLOATS),
    ("FLOOR", "floor", FLOATS),
    ("LOG", "log", FLOATS),
    ("LOGICAL_NOT", "logical_not", (BOOLEAN,)),
    ("LOGISTIC", "sigmoid", _CODES),
    ("NEG", "neg", (*FLOATS, INTEGER)),
    ("RELU", "relu", _CODES),
    ("RSQRT", "rsqrt", _CODES),
    ("SIN", "sin", FLOATS),
    ("SQRT", "sqrt", FLOATS),
    ("TANH", "tanh", _CODES),
)


CLAIMS: Final[tuple[TorchClaim, ...]] = (
    *(
        claimed(name, f"{target}, and clamp for an activation", (*_CODES, INTEGER), computing(make, *_PAIR))
        for name, target, make in (
            ("ADD", "add", _arithmetic(torch.add)),
            ("SUB", "sub", _arithmetic(torch.sub)),
            ("MUL", "mul", _arithmetic(torch.mul)),
        )
    ),
    claimed(
        "DIV",
        "div, and clamp for an activation; div and where in 64 bits for integers",
        (*FLOATS, INTEGER),
        computing(_divide, *_PAIR),
        otherwise="the contract lets the model pass and every execution fail",
    ),
    claimed("MAXIMUM", "gt, where", (*_CODES, INTEGER), plain(_maximum, *_PAIR)),
    claimed("MINIMUM", "lt, where", (*_CODES, INTEGER), plain(_minimum, *_PAIR)),
    claimed("POW", "pow", FLOATS, plain(torch.pow, "base", "exponent")),
    claimed("PRELU", "lt, mul, where", _CODES, plain(_prelu, "input", "alpha")),
    claimed("SELECT", "where", (*_CODES, INTEGER), plain(torch.where, "condition", *_PAIR)),
    *(claimed(name, target, _COMPARED, plain(getattr(torch, target), *_PAIR)) for name, target in _COMPARISONS),
    claimed("LOGICAL_AND", "logical_and", (BOOLEAN,), plain(torch.logical_and, *_PAIR)),
    claimed("LOGICAL_OR", "logical_or", (BOOLEAN,), plain(torch.logical_or, *_PAIR)),
    *(claimed(name, target, types, plain(getattr(torch, target), "input")) for name, target, types in _UNARY),
    claimed("HARD_SWISH", "hardswish", _CODES, plain(functional.hardswish, "input")),
    claimed("RELU1", "clamp", _CODES, plain(lambda value: torch.clamp(value, -1, 1), "input")),
    claimed("RELU6", "relu6", _CODES, plain(functional.relu6, "input")),
    claimed("ELU", "elu", FLOATS, computing(_elu, "input"), _NOT_NEGATIVE),
)
