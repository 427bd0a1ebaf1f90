"""Prints, as JSON, how ``nnvet.next`` fares: second opinions, kernels and planted faults on random operands.

A process of its own: known extensions are read once. ``test_next.py`` runs it with ``NNVET_EXTENSIONS`` set.
Its argument is the number of models of each form and type.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nnvet.extensions.next import NEXT
from nnvet.generators.random_graphs.catalogue import signatures_of_extensions
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.generate import single_operation
from nnvet.generators.random_graphs.golden import inputs_of
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import TestModel
from nnvet.hal.operand_types import float_format, is_float_array, type_info
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.bounds.execution import estimate
from nnvet.oracle.bounds.precision import Estimate
from tests.extensions.opinions import OPINIONS
from tools.oracle_study.driver import run_kernels

SIZES = (SizeLimits(4, 60), SizeLimits(12, 800))


def _enlarge(found: Any) -> Any:
    """Return results larger by a part in 512, or by two units of the type in which 1 is written, if those are more."""
    part = max(2.0**-9, 2.0 ** (2 - float_format(found.dtype.name).bits))
    return (found.astype(np.float64) * (1 + part)).astype(found.dtype)


CHANGES: Mapping[str, Callable[[Any], Any]] = {
    "zeros": np.zeros_like,
    "one place on": lambda found: np.roll(found.reshape(-1), 1).reshape(found.shape),
    "last left out": lambda found: np.append(found.reshape(-1)[:-1], found.dtype.type(0)).reshape(found.shape),
    "one part in 500": _enlarge,
}
"""Faults in results, which bounds of floats must not hold."""
LARGE = 0.01
"""Results below this may be lost in the rounding of a formula."""


def models(count: int) -> Iterator[tuple[str, str, TestModel]]:
    """Name of the operation, type and model: ``count`` of each form and type, in all ranks and two sizes in turn."""
    for signature in signatures_of_extensions():
        short = signature.name.partition("::")[2].removesuffix("_V1_2").removesuffix("_V1_3")
        for kind in signature.types:
            # Those of one rank have as many models as the others.
            for number in range(count):
                round_of, place = divmod(number, len(signature.ranks))
                name = f"next/{short}/{kind.name}/{number}"
                sizes = SIZES[round_of % len(SIZES)]
                test = single_operation(SeededChooser(name), name, signature, kind, signature.ranks[place], sizes)
                yield signature.operation.name.partition("::")[2], kind.name, test


def operands(test: TestModel, kind: Any) -> list[Any]:
    """The arrays of the only operation's inputs in order, reals in the type ``kind``; None for what is omitted."""
    (operation,) = test.main.operations
    found = []
    for operand in (test.main.operands[index] for index in operation.inputs):
        array = None if operand.data is None or operand.is_omitted else operand.data.reshape(operand.dimensions)
        if array is not None and operand.channel_quant is not None:
            scales = np.array(operand.channel_quant.scales, np.float32).astype(np.float64)
            array = array * scales.reshape(-1, *[1] * (array.ndim - 1))
        elif array is not None and type_info(operand.type).is_quantized:
            array = (array.astype(np.float64) - operand.zero_point) * float(np.float32(operand.scale))
        found.append(array.astype(kind) if array is not None and is_float_array(array) else array)
    return found


def is_within(found: Sequence[Any], estimates: Sequence[Estimate]) -> bool:
    """Return True if bounds hold all results."""
    return all(compare_estimate(output, judged) is None for output, judged in zip(found, estimates, strict=True))


def opinion_agrees(name: str, test: TestModel, estimates: Sequence[Estimate]) -> bool:
    """Return True if a second opinion in float64 is the ideal value, but for rounding in float64 itself."""
    opinion, ideal = np.asarray(OPINIONS[name](operands(test, np.float64))), estimates[0]
    value = ideal.value
    if ideal.step is not None:
        low, high = type_info(ideal.type).zero_point
        codes = np.clip(opinion / ideal.step + ideal.zero_point, low, high)
        # A value that only one code is right for is that code.
        return bool((np.abs(codes - value) <= 0.5 + 1e-6).all())
    if opinion.shape != value.shape:
        return False
    if not type_info(ideal.type).is_float:
        # Of two codes that are equally near either is right.
        return bool((np.abs(opinion.astype(np.int64) - value) <= ideal.error).all())
    return bool(np.allclose(opinion, value, rtol=1e-9, atol=1e-12, equal_nan=True))


def judge(name: str, test: TestModel, found: dict[str, Any]) -> None:
    """Add one model to the counts."""
    model, inputs = build_model(test), inputs_of(test)
    try:
        with np.errstate(all="ignore"):
            estimates = estimate(model, inputs)
            results = run_kernels(model, inputs)
    finally:
        close_pools(model)
    found["cases"][name] += 1
    found["undecided"][name] += float(np.mean([judged.undecided_share for judged in estimates]))
    if not opinion_agrees(name, test, estimates):
        found["opinions"].append(test.name)
    if not is_within(results, estimates):
        found["kernels"].append(test.name)
    if not type_info(estimates[0].type).is_quantized:
        found["honest"][name] += 1
        computed = np.asarray(OPINIONS[name](operands(test, np.float32)))
        if not is_within([computed.astype(results[0].dtype)], estimates[:1]):
            found["blamed"].append(test.name)
    if not type_info(estimates[0].type).is_float or not (np.abs(results[0]) > LARGE).all():
        return
    for change, of in CHANGES.items():
        wrong = np.asarray(of(results[0]))
        if (wrong == results[0]).all():
            continue
        found["planted"][f"{name} {change}"] += 1
        found["killed"][f"{name} {change}"] += not is_within([wrong, *results[1:]], estimates)


def main() -> None:
    """Judge all models."""
    found: dict[str, Any] = {
        **{name: Counter() for name in ("cases", "honest", "undecided", "planted", "killed")},
        **{name: [] for name in ("opinions", "kernels", "blamed")},
        "operations": [code.name.partition("::")[2] for code in NEXT.operation_types],
    }
    for name, _, test in models(int(sys.argv[1])):
        judge(name, test, found)
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
