"""The interface of bound rules (:class:`BoundRule`), and the operation that each rule gets (:class:`EstimatedCall`).

:mod:`nnvet.oracle.bounds.execution` makes the calls and runs the rules, which are in ``families`` and in extensions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from nnvet.hal.enums import OperandType, OperationType
from nnvet.oracle.bounds.precision import Estimate, Precision, is_real
from nnvet.oracle.operations.invocation import Array, Invocation, Meaning, OperandValue, Tensor


class RealInvocation(Invocation, frozen=True, eq=False):
    """An operation on real numbers in float64: dequantised codes become tensors of floats, like floats themselves."""

    def real(self, position: int) -> Tensor:
        """Return the real numbers of an input."""
        return Tensor.of(self.array(position).astype(np.float64))

    def exact(self, position: int) -> Tensor:
        """Return the numbers in which sums are formed."""
        return self.real(position)


class EstimatedCall(msgspec.Struct, frozen=True, eq=False):
    """An operation with the estimates of its inputs (None: omitted) and its declared outputs.

    ``parameters`` has the operands with their ideal values (for codes: before rounding), from which scalars and lists
    are read. ``operation`` is an ``ExtensionCode`` for an operation of an extension. ``run`` takes the number of a
    subgraph and estimates of its inputs, and returns estimates of its outputs.
    """

    operation: OperationType
    meaning: Meaning
    parameters: Invocation
    inputs: Sequence[Estimate | None]
    outputs: Sequence[OperandValue]
    precision: Precision
    run: Callable[[int, Sequence[Estimate | None]], list[Estimate]]

    @property
    def output(self) -> OperandValue:
        """The first output."""
        return self.outputs[0]

    def estimate(self, position: int) -> Estimate:
        """Return the estimate of an input.

        :raises ValueError: it is omitted.
        """
        found = self.inputs[position]
        if found is None:
            raise ValueError(f"{self.parameters.name} has no value for input {position}")
        return found

    def value(self, position: int) -> Array:
        """Return the ideal real numbers of an input in float64: codes are dequantised."""
        estimate = self.estimate(position)
        value, step = estimate.value, estimate.step
        return value.astype(np.float64, copy=False) if step is None else (value - estimate.zero_point) * step

    def error(self, position: int) -> Array:
        """Return the error of the real numbers of an input."""
        estimate = self.estimate(position)
        step = estimate.step
        return estimate.error if step is None else estimate.error * step

    def ideal(self, arrays: Mapping[int, Array] | None = None) -> list[Array]:
        """Return the outputs in real numbers, by the operation's meaning; ``arrays`` replace real inputs."""
        reals = [self._real(i, (arrays or {}).get(i)) for i in range(len(self.inputs))]
        outputs = [_as_real(output) if is_real(output) else output for output in self.outputs]
        call = RealInvocation(self.parameters.name, reals, outputs, _no_subgraph)
        return results(self.meaning.compute(call))

    def _real(self, position: int, array: Array | None) -> OperandValue:
        operand = self.parameters.inputs[position]
        if array is not None:
            return OperandValue(OperandType.TENSOR_FLOAT32, array)
        if self.inputs[position] is None or not is_real(operand):
            return operand
        return OperandValue(OperandType.TENSOR_FLOAT32, self.value(position))

    def on_stored(self, arrays: Mapping[int, OperandValue]) -> list[Array]:
        """Return the outputs by the operation's meaning on operands as stored; ``arrays`` replace some of them."""
        operands = [arrays.get(i, operand) for i, operand in enumerate(self.parameters.inputs)]
        return results(self.meaning.compute(self.parameters.with_inputs(operands)))


@dataclass(frozen=True)
class BoundRule:
    """The rule by which errors of an operation's results follow from errors of its inputs.

    ``estimate`` returns an estimate of each output in order. The other fields describe it in words for docs/oracle.md:
    the spread of the inputs' errors, the error that the operation adds, and the elements that stay undecided.
    """

    estimate: Callable[[EstimatedCall], Sequence[Estimate]]
    propagation: str
    local: str
    undecided: str = ""


def results(found: Any) -> list[Array]:
    """Return the arrays of whatever a meaning returns: one tensor or several."""
    several = found if isinstance(found, list | tuple) else [found]
    return [np.asarray(result.array if isinstance(result, Tensor | OperandValue) else result) for result in several]


def _no_subgraph(_index: int, _values: Sequence[OperandValue]) -> list[OperandValue]:
    raise ValueError("subgraphs are estimated, not computed")


def _as_real(value: OperandValue) -> OperandValue:
    return OperandValue(OperandType.TENSOR_FLOAT32, value.array)
