"""Prints, as JSON, the shares of results within the bounds: drivers of narrow floats by type.

A process of its own: known extensions are read once. ``test_operand_types.py`` runs it with ``NNVET_EXTENSIONS`` set.
"""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from torch import from_numpy

from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.hal.operand_types import ExtensionType
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.bounds.execution import estimate
from nnvet.oracle.bounds.precision import Estimate
from tests.extensions.narrow import DOT, TYPES

MODELS, ROWS, TERMS = 20, 6, 96


def _once(first: Any, second: Any) -> Any:
    return (first.astype(np.float32) @ second.astype(np.float32)).astype(first.dtype)


def _each_step(first: Any, second: Any) -> Any:
    """Round every product and every sum to the type of the operands."""
    total = np.zeros((first.shape[0], second.shape[1]), first.dtype)
    for place in range(first.shape[1]):
        total = total + first[:, place, None] * second[None, place]
    return total


def _cut(first: Any, second: Any) -> Any:
    """Cut off the bits that do not fit, as a copy of the upper half of float32 does."""
    words = (first.astype(np.float32) @ second.astype(np.float32)).view(np.uint32)
    return (words & np.uint32(0xFFFF0000)).view(np.float32).astype(first.dtype)


def _with_torch(first: Any, second: Any) -> Any:
    """Use PyTorch's own type, whose elements it has to get as bytes."""
    import torch  # noqa: PLC0415 - for its types

    kind = getattr(torch, first.dtype.name)
    left, right = (from_numpy(array.view(np.uint8)).view(kind) for array in (first, second))
    return (left.float() @ right.float()).to(kind).view(torch.uint8).numpy().view(first.dtype)


def _two_units_off(first: Any, second: Any) -> Any:
    """Return results with the next but one pattern of bits."""
    found = _once(first, second)
    return (found.view(f"uint{8 * found.dtype.itemsize}") + 2).view(found.dtype)


def _flushed(first: Any, second: Any) -> Any:
    """Take subnormal results of float8_e5m2 as zero."""
    found = _once(first, second)
    return np.where(np.abs(found.astype(np.float32)) < 2.0**-14, found.dtype.type(0), found)


DRIVERS: Mapping[str, Callable[[Any, Any], Any]] = {
    "once": _once,
    "torch": _with_torch,
    "each step": _each_step,
    "cut": _cut,
    "two units off": _two_units_off,
    "zeros": lambda first, second: np.zeros_like(_once(first, second)),
}


def _judged(kind: ExtensionType, first: Any, second: Any) -> Estimate:
    """Return the estimate of the products of two arrays."""
    graph = GraphBuilder()
    operands = [graph.input(kind, array.shape, array) for array in (first, second)]
    output = graph.output(kind, (first.shape[0], second.shape[1]), None)
    graph.operation(DOT, tuple(operands), output)
    model = build_model(graph.finish("dot"))
    try:
        return estimate(model, [first, second])[0]
    finally:
        close_pools(model)


def main() -> None:
    """Judge all drivers."""
    source, found = np.random.default_rng(35), {}
    for name, kind in TYPES.items():
        right = dict.fromkeys(DRIVERS, 0)
        for _ in range(MODELS):
            shapes = ((ROWS, TERMS), (TERMS, ROWS))
            first, second = (source.uniform(0.1, 1.5, shape).astype(kind.info.dtype) for shape in shapes)
            judged = _judged(kind, first, second)
            for driver, of in DRIVERS.items():
                right[driver] += compare_estimate(of(first, second), judged) is None
        found[name] = right
    for name in ("E5M2", "E5M2_FLUSHED"):
        # One term each: the products are subnormal.
        tiny, factors = (np.full((4, 1), 2.0**-9).astype("float8_e5m2"), np.full((1, 4), 2.0**-6).astype("float8_e5m2"))
        judged = _judged(TYPES[name], tiny, factors)
        for driver, of in (("subnormal", _once), ("flushed", _flushed)):
            found[name][driver] = int(compare_estimate(of(tiny, factors), judged) is None)
    large = np.full((2, 4), 400.0).astype("float8_e4m3fn")
    judged = _judged(TYPES["E4M3"], large, np.ascontiguousarray(large.T))
    for driver, value in (("saturated", 448.0), ("without number", np.nan)):
        found["E4M3"][driver] = int(compare_estimate(np.full((2, 2), value), judged) is None)
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
