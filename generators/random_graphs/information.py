"""Information in the outputs of a model: what saturates, overflows or stays the same for all inputs hides faults."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.generators.graphs.editor import with_operands
from nnvet.generators.graphs.hal_model import operand_data
from nnvet.generators.graphs.model import Array, TestModel, TestOperand
from nnvet.generators.random_graphs.golden import compute_outputs
from nnvet.generators.random_graphs.inputs import halved, reversed_rows
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info

_T = OperandType
_FEW: Final = 8
_COUNTS: Final = (_T.TENSOR_BOOL8, _T.TENSOR_INT32)
"""Types with few different values, each of which may stay while the tensor changes."""


def information(golden: TestModel, *, by_element: bool = False) -> float:
    """The share of output elements, from 0 to 1, that carry information.

    An element carries some if it is a finite number, is no code at an end of its type's range, and belongs to a tensor
    that depends on the inputs and whose elements are not all equal (a few truth values or integers may be). A tensor
    depends on the inputs if it is another one once their numbers, or every second of them, are half as large, or their
    rows stand in reverse order. ``by_element``: the element itself has to be another one,
    which cells of a padding and clamped ones are not; of truth values and integers the tensor.
    Of an output that is ignored nothing is asked, and a model that has no other has all.
    """
    results = _results(golden)
    others = [_results(_with_inputs(golden, change)) for change in _CHANGES]
    share = []
    for position, (operand, result) in enumerate(zip(golden.main.outputs, results, strict=True)):
        if not operand.is_ignored and result.size:
            changed = np.any([_differs(result, other[position]) for other in others], axis=0)
            if not by_element or operand.type in _COUNTS:
                changed = np.full(result.shape, changed.any())
            share.append(_useful(operand, result, changed).reshape(-1))
    return float(np.concatenate(share).mean()) if share else 1.0


def _useful(operand: TestOperand, result: Array, changed: Array) -> Array:
    """Return a mask of the elements of an output that carry information."""
    useful: Array = changed & np.isfinite(result)
    if type_info(operand.type).scale == "positive":
        limits = np.iinfo(result.dtype)
        useful &= (result > limits.min) & (result < limits.max)
    least = _FEW if operand.type in _COUNTS else 1
    return useful & (result.size <= least or bool(np.any(result != result.reshape(-1)[0])))


def _differs(first: Array, second: Array) -> Array:
    """Return a mask of the elements in which two results differ; all of them if the sizes do."""
    return np.not_equal(first, second) if first.shape == second.shape else np.full(first.shape, fill_value=True)


@np.errstate(all="ignore")
def _results(test: TestModel) -> list[Array]:
    return compute_outputs(test)


def _with_inputs(test: TestModel, change: Callable[[TestOperand, Array], Array]) -> TestModel:
    """The test with other inputs."""
    inputs = zip(test.main.input_indexes, test.main.inputs, strict=True)
    changed = {index: replace(operand, data=change(operand, operand_data(operand))) for index, operand in inputs}
    return replace(test, main=with_operands(test.main, changed))


def _partly_halved(start: int, step: int, operand: TestOperand, values: Array) -> Array:
    changed = values.copy()
    changed[start::step] = halved(operand, values[start::step])
    return changed


_CHANGES: Final = (
    partial(_partly_halved, 0, 2),
    partial(_partly_halved, 1, 2),
    partial(_partly_halved, 0, 1),
    reversed_rows,
)
