"""Plan of an operation's execution: its operands, its outputs' dimensions, and a check that they are not too large."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from nnvet.driver_kit.inference import actual_inputs, infer_outputs, resolved_output
from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument, Call, OutputSpec
from nnvet.reference_driver import limits
from nnvet.reference_driver.compiled import CompiledOperation, CompiledSubgraph

_PLANS_KEPT = 64
_ADDRESSABLE = 2**31 - 1
# Members of enumerations: finding one takes longer than most of what is done with it.
_MODEL_OUTPUT: Final = OperandLifeTime.SUBGRAPH_OUTPUT


def actual_call(step: CompiledOperation, live: Sequence[Argument], extra: Mapping[str, Any]) -> Call:
    """The operation with its live operands; outputs as they are declared, or demanded."""
    template = step.template
    arguments = [live[index] for index in step.operation.inputs]
    inputs, variadic = actual_inputs(step.declaration, step.formals, arguments)
    outputs = [live[index] for index in step.operation.outputs]
    return Call(
        template.declaration, template.signature, template.row, inputs, variadic, outputs, (), step.memory, extra
    )


def plan(
    subgraph: CompiledSubgraph, step: CompiledOperation, call: Call, live: Sequence[Argument]
) -> tuple[tuple[OutputSpec, ...], list[Argument]]:
    """Return the inferred specifications of the outputs and the outputs; kept for executions with equal shapes.

    :raises HalError: as the rule asks that the call breaks.
    """
    given = [*call.inputs.values(), *call.variadic]
    key = tuple([(-1,) if argument.omitted else argument.dimensions for argument in (*given, *call.outputs)])
    if step.constant_parameters and key in step.plans:
        kept: tuple[tuple[OutputSpec, ...], list[Argument]] = step.plans[key]
        return kept
    _check_parameters(step, call)
    _check_ranks(given)
    specs = infer_outputs(call)
    resolved = [
        resolved_output(
            live[index],
            spec,
            step.declaration.name,
            is_model_output=subgraph.source.operands[index].lifetime == _MODEL_OUTPUT,
        )
        for index, spec in zip(step.operation.outputs, specs, strict=True)
    ]
    _check_ranks(resolved)
    if step.constant_parameters and len(step.plans) < _PLANS_KEPT:
        step.plans[key] = (specs, resolved)
    return specs, resolved


def _check_parameters(step: CompiledOperation, call: Call) -> None:
    for formal in step.formals:
        argument = call.inputs.get(formal.name) if formal.parameter else None
        if argument is not None and math.prod(argument.dimensions) > limits.PARAMETERS:
            raise limits.exhausted(f"'{formal.name}' of dimensions {list(argument.dimensions)} is too large")


def _check_ranks(arguments: Iterable[Argument]) -> None:
    """Check the ranks that no model declares and that come with a request, or of an operation."""
    most = limits.RANK
    for argument in arguments:
        if len(argument.dimensions) > most:
            raise limits.exhausted(f"an operand of {len(argument.dimensions)} dimensions has too many")


def check_sizes(outputs: Sequence[Argument], left: int) -> None:
    """Refuse outputs that are too large, before any memory is taken for them."""
    elements = size = 0
    for output in outputs:
        count = math.prod(output.dimensions)
        elements += count
        size += count * type_info(output.type).size
        # Sizes of zero are left out: an empty array must be addressable too.
        if not count and math.prod(dimension for dimension in output.dimensions if dimension) > _ADDRESSABLE:
            raise limits.exhausted(f"an output of dimensions {list(output.dimensions)} is too large")
    if elements > limits.ELEMENTS or size > left:
        shapes = ", ".join(str(list(output.dimensions)) for output in outputs)
        raise limits.exhausted(f"outputs of dimensions {shapes} are too large; {left} bytes are left")
