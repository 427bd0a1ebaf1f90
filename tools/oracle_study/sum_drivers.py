"""Honest drivers that form sums of products in different ways: order, lanes, tiles, compensation, flushing, parts.

:data:`DRIVERS` lists them for ``honest.py``. Functions ``sum_…`` take two arrays of factors ``[n, ...]`` in float32,
with a row for each product, and return the sums of the products. :func:`read_factors` finds the factors of an
operation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np

from nnvet.oracle.arithmetic.sums import Array, sum_of
from nnvet.oracle.operations.invocation import Invocation
from tools.oracle_study.driver import FLOATS, HonestDriver, OwnRule, make_run
from tools.oracle_study.naive import cut_bits, to_bfloat16

Summation: TypeAlias = Callable[[Array, Array], Array]
"""Function of the factors that returns the sums of their products."""
f32 = np.float32
_TINY: Final = f32(2.0**-126)
"""Smallest normal number of float32."""
_LANES: Final = (2, 4, 8, 16, 32, 64)
"""Numbers of accumulators side by side, as vector units have them."""
_BLOCKS: Final = (4, 64, 256)
"""Numbers of products in a block of a matrix product: a small one, and those of BLIS for short and long sums (kc)."""
_CUT: Final = 13
"""Number of fraction bits of float32 that TF32 lacks."""


def flush(numbers: Array) -> Array:
    """Return float32 numbers with zero instead of subnormal ones."""
    return np.where(np.abs(numbers) < _TINY, f32(0), numbers).astype(f32)


def sum_forward(first: Array, second: Array) -> Array:
    """Add one product after the other, each rounded."""
    total = np.zeros(first.shape[1:], f32)
    for left, right in zip(first, second, strict=True):
        total = total + left * right
    return total


def sum_fused(first: Array, second: Array) -> Array:
    """Add by fused multiply-add: products of float32 are exact in float64, and only the sum is rounded to float32."""
    total = np.zeros(first.shape[1:], f32)
    for left, right in zip(first.astype(np.float64), second.astype(np.float64), strict=True):
        total = (total.astype(np.float64) + left * right).astype(f32)
    return total


def sum_kahan(first: Array, second: Array) -> Array:
    """Add with Kahan's compensation: the loss of each addition is subtracted from the next term."""
    total, lost = np.zeros(first.shape[1:], f32), np.zeros(first.shape[1:], f32)
    for left, right in zip(first, second, strict=True):
        term = left * right - lost
        new = total + term
        lost, total = (new - total) - term, new
    # Infinity minus infinity is NaN: kernels drop the compensation there.
    return np.where(np.isnan(total), sum_forward(first, second), total)


def _sum_tree(terms: Array) -> Array:
    while len(terms) > 1:
        half = len(terms) // 2
        terms = np.concatenate([terms[:half] + terms[half : 2 * half], terms[2 * half :]])
    return np.asarray(terms[0])


def sum_pairwise(first: Array, second: Array) -> Array:
    """Add both halves of the terms until one term is left."""
    return _sum_tree(first * second)


def sum_in_lanes(lanes: int, first: Array, second: Array) -> Array:
    """Add in so many accumulators side by side by fused multiply-add, and add these in a tree at the end."""
    parts = [sum_fused(first[lane::lanes], second[lane::lanes]) for lane in range(min(lanes, len(first)))]
    return _sum_tree(np.array(parts))


def sum_in_blocks(size: int, first: Array, second: Array) -> Array:
    """Add blocks of so many products in registers, and each block to the sum in memory."""
    total = np.zeros(first.shape[1:], f32)
    for start in range(0, len(first), size):
        total = total + sum_fused(first[start : start + size], second[start : start + size])
    return total


def sum_by_size(first: Array, second: Array) -> Array:
    """Add products from the smallest to the largest."""
    products = first * second
    order = np.argsort(np.abs(products), 0)
    return sum_forward(np.take_along_axis(products, order, 0), np.ones_like(products))


def sum_by_sign(first: Array, second: Array) -> Array:
    """Add positive products first, then the others, so that partial sums are as large as possible."""
    products = first * second
    positive = np.where(products > 0, products, f32(0))
    ordered = np.concatenate([positive, np.where(products > 0, f32(0), products)])
    return sum_forward(ordered, np.ones_like(ordered))


def sum_flushed(first: Array, second: Array) -> Array:
    """Add with factors, products and partial sums flushed to zero if they are subnormal."""
    total = np.zeros(first.shape[1:], f32)
    for left, right in zip(flush(first), flush(second), strict=True):
        total = flush(total + flush(left * right))
    return total


def sum_sparse(first: Array, second: Array) -> Array:
    """Add products, but leave out those whose second factor is zero."""
    total = np.zeros(first.shape[1:], f32)
    for left, right in zip(first, second, strict=True):
        total = np.where(right == 0, total, total + left * right)
    return total


def sum_bfloat16_parts(first: Array, second: Array) -> Array:
    """Add three of the four products of factors in two parts of bfloat16, the small products first."""
    (a, b), (c, d) = (_split_factor(factor, to_bfloat16) for factor in (first, second))
    return sum_forward(np.concatenate([b, a, a]), np.concatenate([c, d, c]))


def sum_tf32_parts(first: Array, second: Array) -> Array:
    """Add three of the four products of factors in two parts of TF32, which are cut."""
    (a, b), (c, d) = (_split_factor(factor, lambda numbers: cut_bits(numbers, _CUT)) for factor in (first, second))
    return sum_forward(np.concatenate([b, a, a]), np.concatenate([c, d, c]))


def _split_factor(factor: Array, narrow: Callable[[Array], Array]) -> tuple[Array, Array]:
    high = np.where(np.isfinite(factor), narrow(factor), factor).reshape(factor.shape)
    low = narrow(np.where(np.isfinite(high), factor - np.where(np.isfinite(high), high, f32(0)), f32(0)))
    return high.astype(f32), low.reshape(factor.shape).astype(f32)


def sum_in_float16(first: Array, second: Array) -> Array:
    """Add with products and sums in float16, one after the other."""
    half = np.float16
    total = np.zeros(first.shape[1:], half)
    for left, right in zip(first.astype(half), second.astype(half), strict=True):
        total = total + left * right
    return total


def read_factors(call: Invocation) -> tuple[Array, Array, Callable[[Array], Array]] | None:
    """Return the factors of an operation's sums, and the function that makes results of the sums.

    The last product is the bias times 1. Return None if the operation is no sum of products.
    """
    found = sum_of(call)
    if found is None or not found.terms:
        return None
    pairs = [*found.terms]
    shape = np.broadcast_shapes(*(np.broadcast_shapes(left.shape, np.shape(right)) for left, right in pairs))
    if isinstance(found.start, np.ndarray):
        pairs.append((np.broadcast_to(found.start, shape), 1.0))
    sides = [np.array([np.broadcast_to(pair[side], shape) for pair in pairs]).astype(f32) for side in (0, 1)]
    return sides[0], sides[1], found.finish


def make_sum_rule(rule: Summation, *, pools: bool = True) -> OwnRule:
    """Return the rule that computes sums of products by ``rule``; with ``pools`` also those of AVERAGE_POOL_2D."""

    def compute(call: Invocation) -> Any:
        found = read_factors(call) if pools or call.name != "AVERAGE_POOL_2D" else None
        if found is None:
            return None
        first, second, finish = found
        return finish(rule(first, second).astype(np.float64))

    return compute


RULES: Final[dict[str, tuple[Summation, str]]] = {
    "sums-forward": (sum_forward, "float32 sums in the order of the terms"),
    "sums-fused": (sum_fused, "the same with fused multiply-add"),
    "sums-kahan": (sum_kahan, "Kahan's compensated sums"),
    "sums-pairwise": (sum_pairwise, "sums of halves"),
    **{f"sums-{n}-lanes": (partial(sum_in_lanes, n), f"{n} accumulators, fused, then a tree") for n in _LANES},
    **{
        f"sums-blocks-of-{n}": (partial(sum_in_blocks, n), f"register tiles of {n} products, as in BLIS")
        for n in _BLOCKS
    },
    "sums-by-size": (sum_by_size, "the smallest products first"),
    "sums-by-sign": (sum_by_sign, "all positive products before the others"),
    "sums-flushed": (sum_flushed, "flushing of factors, products and partial sums"),
    "sums-sparse": (sum_sparse, "products with zero weights left out"),
}
"""Summations that need no liberty, by the driver's name, with their words for the documentation."""
_SPLIT: Final = {
    "sums-bf16x3": (sum_bfloat16_parts, "three products of parts of bfloat16"),
    "sums-3xtf32": (sum_tf32_parts, "three products of parts of TF32"),
}
"""Summations that need the liberty ``split-products``."""
DRIVERS: Final = (
    *(HonestDriver(name, FLOATS, make_run(make_sum_rule(rule)), words) for name, (rule, words) in RULES.items()),
    *(
        HonestDriver(
            name, frozenset(("float32",)), make_run(make_sum_rule(rule, pools=False)), words, ("split-products",)
        )
        for name, (rule, words) in _SPLIT.items()
    ),
    HonestDriver(
        "sums-in-float16",
        frozenset(("float16",)),
        make_run(make_sum_rule(sum_in_float16, pools=False)),
        "float16 products and sums of TENSOR_FLOAT16",
        ("fp16-accumulate",),
    ),
)
