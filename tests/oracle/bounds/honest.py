"""Drivers that differ from the oracle and from one another, each of them honest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec.structs import replace

from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import Array, TestModel
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info
from nnvet.oracle.bounds.rule import RealInvocation, results
from nnvet.oracle.execution import Compute, by_meaning, evaluate
from nnvet.oracle.operations.invocation import Invocation, Meaning, OperandValue
from tests.on_kernels import given

SUMS = ("REDUCE_SUM", "REDUCE_PROD", "MEAN")


def _has_floats(call: Invocation) -> bool:
    """Return True if all tensors are floats, so that the operation has a form in float64."""
    tensors = [operand for operand in (*call.inputs, *call.outputs) if type_info(operand.type).is_tensor]
    return all(tensor.is_float for tensor in tensors)


def unrounded(meaning: Meaning, call: Invocation) -> Any:
    """Floats are kept in float64 from operation to operation."""
    if not _has_floats(call):
        return meaning.compute(call)
    wide = [
        operand
        if operand.array is None or not operand.is_float
        else replace(operand, type=OperandType.TENSOR_FLOAT32, array=operand.array.astype(np.float64))
        for operand in call.inputs
    ]
    found = results(meaning.compute(RealInvocation(call.name, wide, call.outputs, call.run)))
    return [replace(output, array=array) for output, array in zip(call.outputs, found, strict=False)]


def backwards(meaning: Meaning, call: Invocation) -> Any:
    """Sums are formed from the last element to the first."""
    if call.name not in SUMS:
        return meaning.compute(call)
    first = call.inputs[0]
    turned = replace(first, array=np.flip(call.array(0)))
    (found,) = results(meaning.compute(replace(call, inputs=[turned, *call.inputs[1:]])))
    return np.flip(found)


def flushing(meaning: Meaning, call: Invocation) -> Any:
    """Subnormal numbers are zero, in inputs and results."""
    inputs = [
        operand if operand.array is None else replace(operand, array=_flushed(operand.array)) for operand in call.inputs
    ]
    return [_flushed(_stored(result, output)) for result, output in _pairs(meaning, replace(call, inputs=inputs))]


def in_float16(meaning: Meaning, call: Invocation) -> Any:
    """All tensors of floats are stored as float16, as relaxed models allow."""
    inputs = [
        operand
        if operand.array is None or not type_info(operand.type).is_tensor
        else replace(operand, array=_halved(operand.array))
        for operand in call.inputs
    ]
    return [_halved(_stored(result, output)) for result, output in _pairs(meaning, replace(call, inputs=inputs))]


def _pairs(meaning: Meaning, call: Invocation) -> list[tuple[Array, OperandValue]]:
    return list(zip(results(meaning.compute(call)), call.outputs, strict=False))


def _stored(array: Array, output: OperandValue) -> Array:
    return array.astype(type_info(output.type).dtype)


def _flushed(array: Array) -> Array:
    if array.dtype.kind != "f":
        return array
    return np.where(np.abs(array) < np.finfo(array.dtype).tiny, array.dtype.type(0), array)


def _halved(array: Array) -> Array:
    return array.astype(np.float16).astype(array.dtype) if array.dtype == np.float32 else array


DRIVERS: dict[str, Compute] = {
    "oracle": by_meaning,
    "unrounded": unrounded,
    "backwards": backwards,
    "flushing": flushing,
}
"""Those that are honest whatever the model is."""


def executed(test: TestModel, compute: Callable[[Meaning, Invocation], Any]) -> list[Array]:
    """The outputs of a driver in the types of the model's outputs."""
    model = build_model(test)
    try:
        found = evaluate(model, [given(operand) for operand in test.main.inputs], compute)
    finally:
        close_pools(model)
    with np.errstate(all="ignore"):
        return [
            array.astype(type_info(operand.type).dtype) for array, operand in zip(found, test.main.outputs, strict=True)
        ]
