"""Operators whose inputs map one by one: a table of where each NNAPI input comes from.

An operator that is not here has a function of its own in a neighbouring module; :mod:`.registry` knows them all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nnvet.formats.tflite.context import Context
from nnvet.hal.enums import OperationType

Piece = Callable[[Context], int]
_O = OperationType


def _input(position: int) -> Piece:
    """The operator's input at ``position``."""
    return lambda context: context.input(position)


def _i32(option: str) -> Piece:
    """An option as INT32."""
    return lambda context: context.i32(context.option(option))


def _f32(option: str) -> Piece:
    """An option as FLOAT32."""
    return lambda context: context.f32(context.option(option))


def _flag(option: str) -> Piece:
    """An option as BOOL."""
    return lambda context: context.flag(context.option(option))


def _number(value: float) -> Piece:
    """A fixed FLOAT32."""
    return lambda context: context.f32(value)


def _axes(position: int) -> Piece:
    """A constant input of axes, none of them negative, as TENSOR_INT32."""

    def axes(context: Context) -> int:
        rank = len(context.shape(0))
        return context.ints([context.axis(axis, rank) for axis in context.values(position)])

    return axes


def _scalar(position: int) -> Piece:
    """The single element of a constant input as INT32."""

    def scalar(context: Context) -> int:
        values = context.values(position)
        if len(values) != 1:
            context.fail(f"input {position} has {len(values)} elements", "NNAPI takes exactly one: convert again")
        return context.i32(values[0])

    return scalar


def _table(position: int, columns: int) -> Piece:
    """A constant input of ``columns`` integers a row (paddings) as TENSOR_INT32."""

    def table(context: Context) -> int:
        values = context.values(position)
        if len(values) % columns:
            context.fail(f"input {position} has {len(values)} elements", "convert the model again")
        return context.ints([values[row : row + columns] for row in range(0, len(values), columns)])

    return table


def _ints(position: int) -> Piece:
    """A constant input of integers as TENSOR_INT32."""
    return lambda context: context.ints(context.values(position))


_ACTIVATION = Context.activation
_PADDING = Context.padding
_ONE, _TWO, _THREE = (tuple(_input(position) for position in range(count)) for count in (1, 2, 3))
_POOL = (*_ONE, _PADDING, _i32("stride_w"), _i32("stride_h"), _i32("filter_width"), _i32("filter_height"), _ACTIVATION)
_REDUCE = (*_ONE, _axes(1), _flag("keep_dims"))

LAYOUTS: Final[dict[str, tuple[OperationType, tuple[Piece, ...]]]] = {
    "ABS": (_O.ABS, _ONE),
    "ADD": (_O.ADD, (*_TWO, _ACTIVATION)),
    "ARG_MAX": (_O.ARGMAX, (*_ONE, _scalar(1))),
    "ARG_MIN": (_O.ARGMIN, (*_ONE, _scalar(1))),
    "AVERAGE_POOL_2D": (_O.AVERAGE_POOL_2D, _POOL),
    "CAST": (_O.CAST, _ONE),
    "DEPTH_TO_SPACE": (_O.DEPTH_TO_SPACE, (*_ONE, _i32("block_size"))),
    "DIV": (_O.DIV, (*_TWO, _ACTIVATION)),
    "ELU": (_O.ELU, (*_ONE, _number(1.0))),
    "EMBEDDING_LOOKUP": (_O.EMBEDDING_LOOKUP, _TWO),
    "EQUAL": (_O.EQUAL, _TWO),
    "EXP": (_O.EXP, _ONE),
    "EXPAND_DIMS": (_O.EXPAND_DIMS, (*_ONE, _scalar(1))),
    "FLOOR": (_O.FLOOR, _ONE),
    "GREATER": (_O.GREATER, _TWO),
    "GREATER_EQUAL": (_O.GREATER_EQUAL, _TWO),
    "HARD_SWISH": (_O.HARD_SWISH, _ONE),
    "HASHTABLE_LOOKUP": (_O.HASHTABLE_LOOKUP, _THREE),
    "L2_POOL_2D": (_O.L2_POOL_2D, _POOL),
    "LESS": (_O.LESS, _TWO),
    "LESS_EQUAL": (_O.LESS_EQUAL, _TWO),
    "LOCAL_RESPONSE_NORMALIZATION": (
        _O.LOCAL_RESPONSE_NORMALIZATION,
        (*_ONE, _i32("radius"), _f32("bias"), _f32("alpha"), _f32("beta")),
    ),
    "LOG": (_O.LOG, _ONE),
    "LOGICAL_AND": (_O.LOGICAL_AND, _TWO),
    "LOGICAL_NOT": (_O.LOGICAL_NOT, _ONE),
    "LOGICAL_OR": (_O.LOGICAL_OR, _TWO),
    "LOGISTIC": (_O.LOGISTIC, _ONE),
    "LOG_SOFTMAX": (_O.LOG_SOFTMAX, (*_ONE, _number(1.0), lambda context: context.i32(-1))),
    "MAXIMUM": (_O.MAXIMUM, _TWO),
    "MAX_POOL_2D": (_O.MAX_POOL_2D, _POOL),
    "MEAN": (_O.MEAN, (*_ONE, _axes(1), _i32("keep_dims"))),
    "MINIMUM": (_O.MINIMUM, _TWO),
    "MIRROR_PAD": (_O.MIRROR_PAD, (*_ONE, _table(1, 2), _i32("mode"))),
    "MUL": (_O.MUL, (*_TWO, _ACTIVATION)),
    "NEG": (_O.NEG, _ONE),
    "NOT_EQUAL": (_O.NOT_EQUAL, _TWO),
    "PAD": (_O.PAD, (*_ONE, _table(1, 2))),
    "POW": (_O.POW, _TWO),
    "PRELU": (_O.PRELU, _TWO),
    "REDUCE_ALL": (_O.REDUCE_ALL, _REDUCE),
    "REDUCE_ANY": (_O.REDUCE_ANY, _REDUCE),
    "REDUCE_MAX": (_O.REDUCE_MAX, _REDUCE),
    "REDUCE_MIN": (_O.REDUCE_MIN, _REDUCE),
    "REDUCE_PROD": (_O.REDUCE_PROD, _REDUCE),
    "RELU": (_O.RELU, _ONE),
    "RELU6": (_O.RELU6, _ONE),
    "RELU_N1_TO_1": (_O.RELU1, _ONE),
    "REVERSE_V2": (_O.REVERSE, (*_ONE, _axes(1))),
    "RSQRT": (_O.RSQRT, _ONE),
    "SELECT": (_O.SELECT, _THREE),
    "SELECT_V2": (_O.SELECT, _THREE),
    "SIN": (_O.SIN, _ONE),
    "SLICE": (_O.SLICE, (*_ONE, _ints(1), _ints(2))),
    "SOFTMAX": (_O.SOFTMAX, (*_ONE, _f32("beta"))),
    "SPACE_TO_BATCH_ND": (_O.SPACE_TO_BATCH_ND, (*_ONE, _ints(1), _table(2, 2))),
    "SPACE_TO_DEPTH": (_O.SPACE_TO_DEPTH, (*_ONE, _i32("block_size"))),
    "SPLIT": (_O.SPLIT, (_input(1), _scalar(0), _i32("num_splits"))),
    "SQRT": (_O.SQRT, _ONE),
    "SUB": (_O.SUB, (*_TWO, _ACTIVATION)),
    "SUM": (_O.REDUCE_SUM, _REDUCE),
    "TANH": (_O.TANH, _ONE),
    "TILE": (_O.TILE, (*_ONE, _ints(1))),
    "TOPK_V2": (_O.TOPK_V2, (*_ONE, _scalar(1))),
    "TRANSPOSE": (_O.TRANSPOSE, (*_ONE, _axes(1))),
}


def convert(context: Context) -> None:
    """Emit the operation that the table names, all of the operator's outputs in order."""
    kind, pieces = LAYOUTS[context.operator.name]
    context.emit(kind, [piece(context) for piece in pieces])
