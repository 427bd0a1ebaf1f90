"""The computation of a model's expected outputs: operations run one after the other, each by its meaning.

The meanings are in :mod:`nnvet.oracle.operations`. Nothing is checked: the caller guarantees that the model is valid
and can be executed with the inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Final, TypeAlias

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.extensions import with_known_extensions
from nnvet.hal.memory import mapped
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import Model, Operand, Operation, Subgraph, SymmPerChannelQuantParams
from nnvet.oracle.operations.catalogue import meanings, meanings_by_name, names
from nnvet.oracle.operations.invocation import Array, Invocation, Meaning, OperandValue, Tensor

Compute: TypeAlias = Callable[[Meaning, Invocation], Any]
"""Computes the results of an operation: tensors or arrays, which are rounded to the outputs' types once."""
# Looking up a member of an enumeration takes longer than most operations on it.
_SUBGRAPH: Final = OperandLifeTime.SUBGRAPH
_NO_VALUE: Final = OperandLifeTime.NO_VALUE
_COPY: Final = OperandLifeTime.CONSTANT_COPY


def by_meaning(meaning: Meaning, call: Invocation) -> Any:
    """Return the results of an operation by its meaning; the default of :func:`evaluate`."""
    return meaning.compute(call)


def evaluate(model: Model, inputs: Sequence[Array | None], compute: Compute = by_meaning) -> list[Array]:
    """Return arrays of the main subgraph's outputs.

    ``inputs`` have the element types and the shapes of the main subgraph's inputs (that of a scalar is ``()``), None
    where one is omitted. ``compute`` replaces the computation of operations, for instance by another
    arithmetic or a planted error.

    :raises KeyError: an operation has no meaning, because it belongs to an extension that brings none.
    :raises HalError: a pool of constants cannot be mapped.
    """
    model = with_known_extensions(model)
    with ExitStack() as stack, np.errstate(all="ignore"):
        pools = [stack.enter_context(mapped(pool, writable=False)) for pool in model.pools]
        execution = _Execution(model, pools, compute)
        given = [
            declared(model.main.operands[index]).with_array(array)
            for index, array in zip(model.main.input_indexes, inputs, strict=True)
        ]
        return [_present(value) for value in execution.run(model.main, given)]


def _present(value: OperandValue) -> Array:
    if value.array is None:
        raise ValueError("an output has no value: nothing writes it")
    return value.array


def declared(operand: Operand) -> OperandValue:
    """Return an operand as the model declares it, without a value."""
    params = operand.extra_params
    return OperandValue(
        operand.type,
        scale=operand.scale,
        zero_point=operand.zero_point,
        channel_quant=params if isinstance(params, SymmPerChannelQuantParams) else None,
    )


class _Execution:
    """One execution of a model whose pools are mapped."""

    def __init__(self, model: Model, pools: Sequence[memoryview], compute: Compute) -> None:
        self.model, self.pools, self.compute = model, pools, compute

    def run(self, subgraph: Subgraph, inputs: Sequence[OperandValue]) -> list[OperandValue]:
        """Return values of a subgraph's outputs."""
        live = dict(zip(subgraph.input_indexes, inputs, strict=True))
        for operation in subgraph.operations:
            live.update(zip(operation.outputs, self._outputs(subgraph, operation, live), strict=True))
        return [live[index] for index in subgraph.output_indexes]

    def _outputs(
        self, subgraph: Subgraph, operation: Operation, live: Mapping[int, OperandValue]
    ) -> list[OperandValue]:
        meaning = meanings()[operation.type]
        inputs = [
            live[i] if i in live else constant(self.model, self.pools, subgraph.operands[i]) for i in operation.inputs
        ]
        outputs = [declared(subgraph.operands[i]) for i in operation.outputs]
        call = Invocation(
            names()[operation.type],
            inputs,
            outputs,
            lambda index, values: self.run(self.model.referenced[index], values),
            [subgraph.operands[i] for i in operation.outputs],
        )
        call = call.with_outputs(declared_outputs(call))
        found = self.compute(meaning, call)
        results = found if isinstance(found, list | tuple) else [found]
        # A meaning may return more results than the model has outputs: optional outputs come last.
        return [_stored(result, output) for result, output in zip(results, call.outputs, strict=False)]


def constant(model: Model, pools: Sequence[memoryview], operand: Operand) -> OperandValue:
    """Return an operand with its constant value, the number of a subgraph, or no value if it is omitted."""
    place, value = operand.location, declared(operand)
    if operand.lifetime == _SUBGRAPH:
        return value.with_array(np.array(place.offset))
    if operand.lifetime == _NO_VALUE:
        return value
    is_copy = operand.lifetime == _COPY
    source = model.operand_values if is_copy else pools[place.pool_index]
    content = bytes(source[place.offset : place.offset + place.length])
    return value.with_array(np.frombuffer(content, type_info(operand.type).dtype).reshape(operand.dimensions))


def declared_outputs(call: Invocation) -> Sequence[OperandValue]:
    """Return the outputs of an operation, with the scale and zero point that the operation itself decides, if any."""
    meaning = meanings_by_name()[call.name]
    if meaning.quantization is None:
        return call.outputs
    decided = call.outputs[:1] if meaning.only_first else call.outputs
    return [*_quantized(decided, *meaning.quantization(call)), *call.outputs[len(decided) :]]


def _quantized(outputs: Sequence[OperandValue], scale: float, zero_point: int) -> list[OperandValue]:
    """Return the outputs; those of the first output's type get this scale and zero point."""
    return [
        replace(output, scale=scale, zero_point=zero_point) if output.type == outputs[0].type else output
        for output in outputs
    ]


def _stored(result: Any, output: OperandValue) -> OperandValue:
    """Return a result in the output's type, rounded once."""
    if isinstance(result, OperandValue):
        return result
    array = result.array if isinstance(result, Tensor) else result
    return output.with_array(np.asarray(array).astype(type_info(output.type).dtype, copy=False))
