"""Declarations of operations that move elements: TRILU, WHERE, GATHER_ND, SCATTER_ND, ONE_HOT, TENSOR_SCATTER.

Elements are moved as they are stored, whatever their type is. Before :data:`DECLARATIONS` stand the conditions of rules
(``…_fit``: they return True if a call keeps the rule) and the shapes of outputs (``_infer_…``). What the operations
compute is in ``meanings/movement.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.hal.enums import OperandType as T
from nnvet.hal.operand_types import ExtensionCode
from nnvet.hal.operations.declaration import Argument, Call, Formal, OperationDeclaration, OutputSpec, Rule, Signature
from nnvet.hal.operations.shapes import axis_in_range, broadcast, integer, same_as, same_quantization, tensor

_RANK: Final = 4
"""Rank of a cache of keys or values, and of its update: batches, heads, places, size of a head."""


def _require_same_quantization(code: ExtensionCode, first: str, second: str) -> Rule:
    """Return the rule that codes of two inputs and of the output have one scale and zero point."""
    return Rule(
        f"{code.name}/quantization",
        f"Codes of {first}, {second} and the output have one scale and zero point.",
        lambda call: same_quantization(call[first], call[second]) and same_quantization(call[first], call.output),
    )


def _where_fits(call: Call) -> bool:
    first = broadcast(call["condition"].dimensions, call["yes"].dimensions)
    return first is not None and broadcast(first, call["no"].dimensions) is not None


def _infer_where(call: Call) -> tuple[OutputSpec, ...]:
    yes = call["yes"]
    first = broadcast(call["condition"].dimensions, yes.dimensions) or ()
    return (OutputSpec(broadcast(first, call["no"].dimensions), yes.scale, yes.zero_point),)


def _count_indexed(call: Call) -> int:
    """Return the number of leading dimensions that an index names: the length of the last dimension of ``indices``."""
    return call["indices"].dimensions[-1]


def _indices_in_range(call: Call) -> bool:
    sizes = np.array(call["input"].dimensions[: _count_indexed(call)])
    found = call["indices"].array
    return bool(((found >= -sizes) & (found < sizes)).all())


def _indices_fit(call: Call) -> bool:
    return 0 < _count_indexed(call) <= call["input"].rank


def _require_indices(code: ExtensionCode) -> tuple[Rule, ...]:
    return (
        Rule(f"{code.name}/indices.shape", "An index names one or more dimensions of the input.", _indices_fit),
        Rule(
            f"{code.name}/indices.range",
            "Every entry of an index lies between -size and size - 1 of its dimension.",
            _indices_in_range,
        ),
    )


def _infer_gather(call: Call) -> tuple[OutputSpec, ...]:
    source = call["input"]
    rest = source.dimensions[_count_indexed(call) :]
    return (OutputSpec((*call["indices"].dimensions[:-1], *rest), source.scale, source.zero_point),)


def _updates_fit(call: Call) -> bool:
    rest = call["input"].dimensions[_count_indexed(call) :]
    return call["updates"].dimensions == (*call["indices"].dimensions[:-1], *rest)


def _indices_differ(call: Call) -> bool:
    # Negative entries count from the end: modulo the size they equal the positive ones for the same place.
    sizes = np.array(call["input"].dimensions[: _count_indexed(call)])
    rows = (call["indices"].array % sizes).reshape(-1, _count_indexed(call))
    return len(np.unique(rows, axis=0)) == len(rows)


def _infer_one_hot(call: Call) -> tuple[OutputSpec, ...]:
    dimensions, values = list(call["indices"].dimensions), call["values"]
    dimensions.insert(call.scalar("axis", 0) % (len(dimensions) + 1), call.scalar("depth", 0))
    return (OutputSpec(tuple(dimensions), values.scale, values.zero_point),)


def _read_cache(call: Call) -> tuple[Argument, Argument, Argument]:
    return call["cache"], call["update"], call["places"]


def _update_fits(call: Call) -> bool:
    # Cache and update are [batches, heads, places, size of a head]; they differ in the number of places alone.
    cache, update, places = (argument.dimensions for argument in _read_cache(call))
    return (*update[:2], update[3]) == (*cache[:2], cache[3]) and places == cache[:1] and update[2] <= cache[2]


def _places_fit(call: Call) -> bool:
    cache, update, places = _read_cache(call)
    # A circular cache goes on at its first place, so that an update may begin at any place.
    last = cache.dimensions[2] - (1 if call.scalar("circular", False) else update.dimensions[2])
    return bool(((places.array >= 0) & (places.array <= last)).all())


# Formal operands that several declarations share, and the prefixes of the names of rules.
_INPUT: Final = tensor("input", "T", (1, 5), "elements")
_INDICES: Final = tensor("indices", T.TENSOR_INT32, (1, 4), "indices of the first dimensions, in the last dimension")
_OUTPUT: Final = (Formal("output", "T", "result"),)
_SCATTER, _HOT, _CACHE = (code.name for code in (codes.SCATTER_ND, codes.ONE_HOT, codes.TENSOR_SCATTER))


def _declare_movement(
    code: ExtensionCode,
    summary: str,
    inputs: tuple[Formal, ...],
    infer: Callable[[Call], tuple[OutputSpec, ...]],
    *rules: Rule,
) -> OperationDeclaration:
    return OperationDeclaration(
        type=code,
        summary=summary,
        rows=codes.STORED,
        signatures=(Signature("moving", inputs),),
        outputs=_OUTPUT,
        infer=infer,
        rules=rules,
    )


DECLARATIONS: Final = (
    _declare_movement(
        codes.TRILU,
        "one triangle of the matrices in the last two dimensions, zeros elsewhere",
        (
            tensor("input", "T", (2, 5), "matrices"),
            integer("diagonal", "number of the diagonal at which the triangle ends, 0 for the main one"),
            Formal("upper", T.BOOL, "whether the upper triangle is kept", parameter=True),
        ),
        same_as("input"),
    ),
    _declare_movement(
        codes.WHERE,
        "elements of one tensor where the condition holds, of the other elsewhere; all three are broadcast",
        (
            tensor("condition", T.TENSOR_BOOL8, (1, 5), "choice"),
            tensor("yes", "T", (1, 5), "elements where it is true"),
            tensor("no", "T", (1, 5), "elements where it is false"),
        ),
        _infer_where,
        Rule(f"{codes.WHERE.name}/broadcast", "The three shapes can be broadcast to one.", _where_fits),
        _require_same_quantization(codes.WHERE, "yes", "no"),
    ),
    _declare_movement(
        codes.GATHER_ND,
        "elements, or parts, of the input at indices of several dimensions",
        (_INPUT, _INDICES),
        _infer_gather,
        *_require_indices(codes.GATHER_ND),
    ),
    _declare_movement(
        codes.SCATTER_ND,
        "the input, with the updates in the places of indices",
        (_INPUT, _INDICES, tensor("updates", "T", (1, 5), "new elements, or parts, one for each index")),
        same_as("input"),
        *_require_indices(codes.SCATTER_ND),
        Rule(f"{_SCATTER}/updates.shape", "There is an update of the right shape for each index.", _updates_fit),
        Rule(f"{_SCATTER}/indices.unique", "No two indices name the same place.", _indices_differ),
        _require_same_quantization(codes.SCATTER_ND, "input", "updates"),
    ),
    _declare_movement(
        codes.ONE_HOT,
        "the second value at the place of each index along a new dimension, the first one elsewhere",
        (
            tensor("indices", T.TENSOR_INT32, (1, 4), "places; negative ones count from the end, others are nowhere"),
            integer("depth", "size of the new dimension"),
            Formal("values", "T", "value of all other places, and value of the place", rank=(1, 1)),
            integer("axis", "place of the new dimension in the output"),
        ),
        _infer_one_hot,
        Rule(f"{_HOT}/depth.positive", "The depth is 1 or more.", lambda call: call.scalar("depth", 0) > 0),
        Rule(f"{_HOT}/values.length", "There are two values.", lambda call: call["values"].dimensions == (2,)),
        Rule(
            f"{_HOT}/axis.range",
            "The axis lies between -rank - 1 and rank of the indices.",
            lambda call: axis_in_range(call.scalar("axis", 0), call["indices"].rank + 1),
        ),
    ),
    _declare_movement(
        codes.TENSOR_SCATTER,
        "a cache of keys or values, with those of new places written to it",
        (
            tensor("cache", "T", _RANK, "batches, heads, places, size of a head"),
            tensor("update", "T", _RANK, "the same of the new places"),
            tensor("places", T.TENSOR_INT32, 1, "first new place of each batch"),
            Formal("circular", T.BOOL, "whether the first place follows the last one", parameter=True),
        ),
        same_as("cache"),
        Rule(
            f"{_CACHE}/shapes",
            "The update fits into the cache, and there is a place for each batch.",
            _update_fits,
        ),
        Rule(f"{_CACHE}/places.range", "All places that are written lie in the cache.", _places_fit),
        _require_same_quantization(codes.TENSOR_SCATTER, "cache", "update"),
    ),
)
