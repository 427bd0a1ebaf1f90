"""The interface of rules, and their argument: an operation with the estimates of its inputs."""

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
    """An operation on real numbers in float64: floats and dequantised codes are tensors of floats alike."""

    def real(self, position: int) -> Tensor:
        """Return real numbers of an input."""
        return Tensor.of(self.array(position).astype(np.float64))

    def exact(self, position: int) -> Tensor:
        """Return numbers in which sums are formed."""
        return self.real(position)


class EstimatedCall(msgspec.Struct, frozen=True, eq=False):
    """An operation with the estimates of its inputs (None: omitted) and its declared outputs.

    ``parameters`` has the operands with their ideal values (codes before rounding, where they are codes), to read
    scalars and lists from. ``operation`` is an ``ExtensionCode`` for one of an extension. ``run`` estimates the outputs
    of the subgraph of a number.
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
        """Return ideal real numbers of an input in float64: codes are dequantised."""
        one = self.estimate(position)
        step = one.step
        return one.value.astype(np.float64, copy=False) if step is None else (one.value - one.zero_point) * step

    def error(self, position: int) -> Array:
        """Return the error of the real numbers of an input."""
        one = self.estimate(position)
        step = one.step
        return one.error if step is None else one.error * step

    def ideal(self, arrays: Mapping[int, Array] | None = None) -> list[Array]:
        """Outputs in real numbers, by the meaning of the operation; ``arrays`` replace real inputs, by position."""
        reals = [self._real(i, (arrays or {}).get(i)) for i in range(len(self.inputs))]
        outputs = [_as_real(output) if is_real(output) else output for output in self.outputs]
        call = RealInvocation(self.parameters.name, reals, outputs, _no_subgraph)
        return results(self.meaning.compute(call))

    def _real(self, position: int, array: Array | None) -> OperandValue:
        one = self.parameters.inputs[position]
        if array is not None:
            return OperandValue(OperandType.TENSOR_FLOAT32, array)
        if self.inputs[position] is None or not is_real(one):
            return one
        return OperandValue(OperandType.TENSOR_FLOAT32, self.value(position))

    def on_stored(self, arrays: Mapping[int, OperandValue]) -> list[Array]:
        """Outputs by the meaning of the operation on operands as they are stored; ``arrays`` replace some of them."""
        operands = [arrays.get(i, operand) for i, operand in enumerate(self.parameters.inputs)]
        return results(self.meaning.compute(self.parameters.with_inputs(operands)))


@dataclass(frozen=True)
class BoundRule:
    """Rule by which errors of an operation's results follow from those of its inputs.

    ``estimate`` returns an estimate of each output in order. ``propagation``, ``local`` and ``undecided`` describe in
    words the spread of the inputs' errors, the error that the operation adds, and the elements that it leaves open.
    """

    estimate: Callable[[EstimatedCall], Sequence[Estimate]]
    propagation: str
    local: str
    undecided: str = ""


def results(found: Any) -> list[Array]:
    """Return arrays of what the meaning of an operation gives."""
    several = found if isinstance(found, list | tuple) else [found]
    return [np.asarray(result.array if isinstance(result, Tensor | OperandValue) else result) for result in several]


def _no_subgraph(_index: int, _values: Sequence[OperandValue]) -> list[OperandValue]:
    raise ValueError("subgraphs are estimated, not computed")


def _as_real(value: OperandValue) -> OperandValue:
    return OperandValue(OperandType.TENSOR_FLOAT32, value.array)
