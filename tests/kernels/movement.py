"""Helpers for operations that move elements: answers are exactly those of the second implementation."""

from __future__ import annotations

from collections.abc import Sequence

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations.invocation import Tensor
from tests.kernels.random_operands import assert_exact, flat
from tests.single import output, run_single, tensor

KINDS = (T.TENSOR_FLOAT32, T.TENSOR_FLOAT16, T.TENSOR_QUANT8_ASYMM, T.TENSOR_QUANT8_ASYMM_SIGNED)
WITH_INT32 = (*KINDS, T.TENSOR_INT32)


def like(argument: Argument) -> Argument:
    """An output of unknown dimensions with an input's type and quantisation."""
    return output(T(argument.type), argument.scale, argument.zero_point)


def whole(argument: Argument) -> Tensor:
    """An argument for the second implementation."""
    return Tensor(flat(argument), argument.dimensions)


def ints(*values: int) -> Argument:
    """A list of integers."""
    return tensor(T.TENSOR_INT32, values)


def number(value: int) -> Argument:
    """An integer scalar."""
    return tensor(T.INT32, value)


def flag(*, value: bool) -> Argument:
    """A truth value."""
    return tensor(T.BOOL, int(value))


def check(operation: OperationType, inputs: Sequence[Argument], *expected: Tensor, source: int = 0) -> None:
    """Outputs declared like input ``source`` are exactly the expected ones, with constants and without."""
    for constants in (True, False):
        results = run_single(operation, inputs, [like(inputs[source])] * len(expected), constants=constants)
        for result, tensor_ in zip(results, expected, strict=True):
            assert_exact(result, tensor_.dims, tensor_.values)
