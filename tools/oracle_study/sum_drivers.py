"""Sums of products as drivers form them: orders, lanes, tiles, compensation, flushing, narrow parts.

Each way is a function of the factors ``[n, ...]`` in float32, one row for each product, that gives their sum.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np

from nnvet.oracle.arithmetic.sums import Array, sum_of
from nnvet.oracle.operations.invocation import Invocation
from tools.oracle_study.driver import FLOATS, HonestDriver, OwnRule, own
from tools.oracle_study.naive import cut_bits, to_bfloat16

SumWay: TypeAlias = Callable[[Array, Array], Array]
f32 = np.float32
_TINY: Final = f32(2.0**-126)
_LANES: Final = (2, 4, 8, 16, 32, 64)
_BLOCKS: Final = (4, 64, 256)
"""Products in a block of a matrix product: a small one, and those of BLIS for short and long sums (kc)."""
_CUT: Final = 13
"""Bits of float32 that TF32 has not."""


def flush(numbers: Array) -> Array:
    """Zero in place of subnormal float32."""
    return np.where(np.abs(numbers) < _TINY, f32(0), numbers).astype(f32)


def forward(first: Array, second: Array) -> Array:
    """Return one product after the other, each rounded."""
    total = np.zeros(first.shape[1:], f32)
    for left, right in zip(first, second, strict=True):
        total = total + left * right
    return total


def fused(first: Array, second: Array) -> Array:
    """Fused multiply-add: the product of two float32 is exact in float64, and the sum is rounded to float32."""
    total = np.zeros(first.shape[1:], f32)
    for left, right in zip(first.astype(np.float64), second.astype(np.float64), strict=True):
        total = (total.astype(np.float64) + left * right).astype(f32)
    return total


def kahan(first: Array, second: Array) -> Array:
    """Add with the loss of each addition taken off the next term."""
    total, lost = np.zeros(first.shape[1:], f32), np.zeros(first.shape[1:], f32)
    for left, right in zip(first, second, strict=True):
        term = left * right - lost
        new = total + term
        lost, total = (new - total) - term, new
    # Infinity minus infinity: the compensation says nothing there, and kernels drop it.
    return np.where(np.isnan(total), forward(first, second), total)


def _tree(terms: Array) -> Array:
    while len(terms) > 1:
        half = len(terms) // 2
        terms = np.concatenate([terms[:half] + terms[half : 2 * half], terms[2 * half :]])
    return np.asarray(terms[0])


def pairwise(first: Array, second: Array) -> Array:
    """Add both halves of the terms until one term is left."""
    return _tree(first * second)


def in_lanes(lanes: int, first: Array, second: Array) -> Array:
    """Accumulators side by side, fused, of which a tree is added up at the end."""
    parts = [fused(first[lane::lanes], second[lane::lanes]) for lane in range(min(lanes, len(first)))]
    return _tree(np.array(parts))


def in_blocks(size: int, first: Array, second: Array) -> Array:
    """Return blocks of products from a register tile, each added to what memory holds."""
    total = np.zeros(first.shape[1:], f32)
    for start in range(0, len(first), size):
        total = total + fused(first[start : start + size], second[start : start + size])
    return total


def by_size(first: Array, second: Array) -> Array:
    """Return products from the smallest to the largest."""
    products = first * second
    order = np.argsort(np.abs(products), 0)
    return forward(np.take_along_axis(products, order, 0), np.ones_like(products))


def by_sign(first: Array, second: Array) -> Array:
    """First what is above zero, then the rest: partial sums are as large as they can be."""
    products = first * second
    positive = np.where(products > 0, products, f32(0))
    ordered = np.concatenate([positive, np.where(products > 0, f32(0), products)])
    return forward(ordered, np.ones_like(ordered))


def flushed(first: Array, second: Array) -> Array:
    """Factors, products and partial sums without subnormal numbers."""
    total = np.zeros(first.shape[1:], f32)
    for left, right in zip(flush(first), flush(second), strict=True):
        total = flush(total + flush(left * right))
    return total


def sparse(first: Array, second: Array) -> Array:
    """Add products, but leave out those with a zero in the second factor."""
    total = np.zeros(first.shape[1:], f32)
    for left, right in zip(first, second, strict=True):
        total = np.where(right == 0, total, total + left * right)
    return total


def in_bfloat16_parts(first: Array, second: Array) -> Array:
    """Three of the four products of two parts of bfloat16 each, the small ones first."""
    (a, b), (c, d) = (_parts(factor, to_bfloat16) for factor in (first, second))
    return forward(np.concatenate([b, a, a]), np.concatenate([c, d, c]))


def in_tf32_parts(first: Array, second: Array) -> Array:
    """Return the same in TF32, cut."""
    (a, b), (c, d) = (_parts(factor, lambda numbers: cut_bits(numbers, _CUT)) for factor in (first, second))
    return forward(np.concatenate([b, a, a]), np.concatenate([c, d, c]))


def _parts(factor: Array, narrow: Callable[[Array], Array]) -> tuple[Array, Array]:
    high = np.where(np.isfinite(factor), narrow(factor), factor).reshape(factor.shape)
    low = narrow(np.where(np.isfinite(high), factor - np.where(np.isfinite(high), high, f32(0)), f32(0)))
    return high.astype(f32), low.reshape(factor.shape).astype(f32)


def in_float16(first: Array, second: Array) -> Array:
    """Return products and sums of float16, one after the other."""
    half = np.float16
    total = np.zeros(first.shape[1:], half)
    for left, right in zip(first.astype(half), second.astype(half), strict=True):
        total = total + left * right
    return total


def factors(call: Invocation) -> tuple[Array, Array, Callable[[Array], Array]] | None:
    """Return the factors of a sum of products (bias times 1 is the last), and the function applied to the sum."""
    found = sum_of(call)
    if found is None or not found.terms:
        return None
    pairs = [*found.terms]
    shape = np.broadcast_shapes(*(np.broadcast_shapes(left.shape, np.shape(right)) for left, right in pairs))
    if isinstance(found.start, np.ndarray):
        pairs.append((np.broadcast_to(found.start, shape), 1.0))
    sides = [np.array([np.broadcast_to(pair[side], shape) for pair in pairs]).astype(f32) for side in (0, 1)]
    return sides[0], sides[1], found.finish


def summing(rule: SumWay, *, pools: bool = True) -> OwnRule:
    """Return sums of products by a function of their factors; ``pools``: and those of windows."""

    def compute(call: Invocation) -> Any:
        found = factors(call) if pools or call.name != "AVERAGE_POOL_2D" else None
        if found is None:
            return None
        first, second, finish = found
        return finish(rule(first, second).astype(np.float64))

    return compute


RULES: Final[dict[str, tuple[SumWay, str]]] = {
    "sums-forward": (forward, "float32 sums in the order of the terms"),
    "sums-fused": (fused, "the same with fused multiply-add"),
    "sums-kahan": (kahan, "Kahan's compensated sums"),
    "sums-pairwise": (pairwise, "sums of halves"),
    **{f"sums-{n}-lanes": (partial(in_lanes, n), f"{n} accumulators, fused, then a tree") for n in _LANES},
    **{f"sums-blocks-of-{n}": (partial(in_blocks, n), f"register tiles of {n} products, as in BLIS") for n in _BLOCKS},
    "sums-by-size": (by_size, "the smallest products first"),
    "sums-by-sign": (by_sign, "all positive products before the others"),
    "sums-flushed": (flushed, "flushing of factors, products and partial sums"),
    "sums-sparse": (sparse, "products with zero weights left out"),
}
"""Ways that everybody has."""
_SPLIT: Final = {
    "sums-bf16x3": (in_bfloat16_parts, "three products of parts of bfloat16"),
    "sums-3xtf32": (in_tf32_parts, "three products of parts of TF32"),
}
DRIVERS: Final = (
    *(HonestDriver(name, FLOATS, own(summing(rule)), words) for name, (rule, words) in RULES.items()),
    *(
        HonestDriver(name, frozenset(("float32",)), own(summing(rule, pools=False)), words, ("split-products",))
        for name, (rule, words) in _SPLIT.items()
    ),
    HonestDriver(
        "sums-in-float16",
        frozenset(("float16",)),
        own(summing(in_float16, pools=False)),
        "float16 products and sums of TENSOR_FLOAT16",
        ("fp16-accumulate",),
    ),
)
