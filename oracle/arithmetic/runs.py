"""Runs whole models in an arithmetic: sums of float32 in any order, or storage in float16."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import Model
from nnvet.oracle.arithmetic.sums import Arithmetic, Array, summed, to_float16
from nnvet.oracle.execution import Compute, evaluate
from nnvet.oracle.operations.invocation import Invocation, Meaning, OperandValue, Tensor

Run: TypeAlias = Callable[[Model, Sequence[Array | None]], list[Array]]
"""Function that returns the outputs of a model for inputs, like :func:`nnvet.oracle.execution.evaluate`."""


def results(meaning: Meaning, call: Invocation) -> list[Any]:
    """Return the meaning of an operation, output by output; a value that is not yet an array is one."""
    found = meaning.compute(call)
    return [
        result.array if isinstance(result, Tensor) else result
        for result in (found if isinstance(found, list | tuple) else [found])
    ]


def in_arithmetic(arithmetic: Arithmetic) -> Run:
    """Return sums in an arithmetic; codes of real results found in it."""

    def compute(meaning: Meaning, call: Invocation) -> Any:
        found = summed(call, arithmetic)
        return meaning.compute(call) if found is None else found

    return running(compute)


def running(compute: Compute) -> Run:
    """Return a driver that computes every operation so."""
    return lambda model, inputs: evaluate(model, inputs, compute)


_RESIZES: Final = frozenset(("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"))
_SIZES: Final = frozenset((OperandType.FLOAT32,))


def _narrow(value: OperandValue) -> OperandValue:
    """Return a float32 operand with the nearest float16 values."""
    if value.array is None or value.array.dtype != np.float32:
        return value
    return value.with_array(to_float16(value.array).astype(np.float32))


def stored_in_float16(arithmetic: Arithmetic) -> Run:
    """Return a driver that stores all float32 operands as float16, and forms their sums in an arithmetic.

    Operands that are float16 or codes in the model are not relaxed, nor are scalars beside codes. Source:
    docs/contract/operations/common.md 12.
    """

    def compute(meaning: Meaning, call: Invocation) -> Any:
        kinds = {operand.type for operand in (*call.inputs, *call.outputs)}
        if OperandType.TENSOR_FLOAT16 in kinds or OperandType.TENSOR_FLOAT32 not in kinds:
            return meaning.compute(call)
        # Sizes follow from scales before anything is computed, so these scales are not rounded.
        scales = _SIZES if call.name in _RESIZES else frozenset()
        narrow = call.with_inputs([operand if operand.type in scales else _narrow(operand) for operand in call.inputs])
        found = summed(narrow, arithmetic)
        made = results(meaning, narrow) if found is None else [found]
        return [
            to_float16(result)
            if not isinstance(result, OperandValue) and type_info(output.type).dtype == "float32"
            else result
            for result, output in zip(made, call.outputs, strict=False)
        ]

    return running(compute)
