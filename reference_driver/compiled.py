"""Compiled models: constants are arrays, and every operation is bound to its declaration and kernel.

:mod:`nnvet.reference_driver.executor` runs a compiled model. Each operation keeps the inferred
dimensions of its outputs by those of its inputs, so that a repeated execution infers nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Protocol

import numpy as np

from nnvet.driver_kit.arrays import Array, constant
from nnvet.driver_kit.inference import actual_inputs, infer_outputs, resolved_output
from nnvet.hal import types as hal
from nnvet.hal.errors import HalError, failure
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.binding import bind, bound_formals
from nnvet.hal.operations.catalogue import declarations, operation_name
from nnvet.hal.operations.declaration import Argument, Call, Formal, OperationDeclaration, OutputSpec
from nnvet.hal.validation.subgraph import CONTROL_FLOW
from nnvet.reference_driver import limits
from nnvet.reference_driver.kernels.registry import Kernel, kernels, supported_extensions

_CONSTANTS: Final = (hal.OperandLifeTime.CONSTANT_COPY, hal.OperandLifeTime.CONSTANT_REFERENCE)
# Constants, because looking up a member of an enumeration takes longer than most work on it.
_NO_VALUE: Final = hal.OperandLifeTime.NO_VALUE
_TEMPORARY: Final = hal.OperandLifeTime.TEMPORARY_VARIABLE


@dataclass
class CompiledOperation:
    """One operation with everything that can be computed before the first execution.

    ``dead_after`` are the operands that no later operation reads, so that their memory can be released. ``plans`` keeps
    inferred outputs by input shapes, if they depend on nothing else but constants; ``memory`` is what kernels keep
    (``Call.memo``).
    """

    operation: hal.Operation
    template: Call
    kernel: Kernel
    formals: tuple[Formal, ...]
    constant_parameters: bool
    dead_after: tuple[int, ...] = ()
    plans: dict[tuple[tuple[int, ...], ...], Any] = field(default_factory=dict)
    memory: dict[str, Any] = field(default_factory=dict)

    @property
    def declaration(self) -> OperationDeclaration:
        """The operation's declaration."""
        return self.template.declaration


@dataclass
class CompiledControlFlow:
    """IF or WHILE; runs other subgraphs."""

    operation: hal.Operation
    dead_after: tuple[int, ...] = ()


class Fused(Protocol):
    """Interface of the fusion of a subgraph's operations (:mod:`nnvet.reference_driver.fused.program`)."""

    def parts(self, subgraph: CompiledSubgraph) -> Sequence[Any]:
        """Return the steps of an execution in order: single operations, and fused sequences."""

    def forget(self) -> None:
        """Release everything that the next execution can compute again."""


@dataclass
class CompiledSubgraph:
    """Operands as arguments (constants with values) and operations in order.

    ``fused`` fuses operations, if the client's preference asks for that.
    """

    source: hal.Subgraph
    arguments: tuple[Argument, ...]
    operations: tuple[CompiledOperation | CompiledControlFlow, ...]
    fused: Fused | None = None


@dataclass
class CompiledModel:
    """All subgraphs of a model; those that cannot run have no operations."""

    main: CompiledSubgraph
    referenced: tuple[CompiledSubgraph, ...]

    def forget(self) -> None:
        """Release all plans and the data that kernels keep; executions compute them again."""
        for subgraph in (self.main, *self.referenced):
            if subgraph.fused is not None:
                subgraph.fused.forget()
            for step in subgraph.operations:
                if isinstance(step, CompiledOperation):
                    step.plans.clear()
                    step.memory.clear()


@cache
def known_declarations() -> dict[int, OperationDeclaration]:
    """Return the declarations of all operations that the driver knows, those of extensions included, by code."""
    return declarations() | {
        declaration.type: declaration for extension in supported_extensions() for declaration in extension.operations
    }


@np.errstate(all="ignore")
def compile_model(model: hal.Model) -> CompiledModel:
    """Bind all operations and copy all constants.

    :raises HalError: GENERAL_FAILURE if a pool cannot be mapped or an operation has no kernel.
    """
    # Constants are copied: later changes of the pools by a client must not reach the prepared model.
    needed = _reachable(model)
    return CompiledModel(
        _compile_subgraph(model.main, model),
        tuple(
            _compile_subgraph(subgraph, model) if index in needed else CompiledSubgraph(subgraph, (), ())
            for index, subgraph in enumerate(model.referenced)
        ),
    )


def referenced(operation: hal.Operation, subgraph: hal.Subgraph) -> list[int]:
    """Return the indexes of the subgraphs that an operation may run."""
    if operation.type not in CONTROL_FLOW:
        return []
    operands = [subgraph.operands[index] for index in operation.inputs]
    return [operand.location.offset for operand in operands if operand.type == hal.OperandType.SUBGRAPH]


def _reachable(model: hal.Model) -> set[int]:
    """Return the subgraphs that can run; the operations of others need not be supported."""
    found: set[int] = set()
    waiting = [model.main] if model.referenced else []
    while waiting:
        subgraph = waiting.pop()
        new = {index for operation in subgraph.operations for index in referenced(operation, subgraph)} - found
        found |= new
        waiting += [model.referenced[index] for index in new]
    return found


def _compile_subgraph(subgraph: hal.Subgraph, model: hal.Model) -> CompiledSubgraph:
    arguments = tuple([_argument(operand, model) for operand in subgraph.operands])
    dead = _dead_after(subgraph)
    operations = tuple(
        CompiledControlFlow(operation, dead[index])
        if operation.type in CONTROL_FLOW
        else _compile_operation(operation, arguments, dead[index])
        for index, operation in enumerate(subgraph.operations)
    )
    return CompiledSubgraph(subgraph, arguments, operations)


def _argument(operand: hal.Operand, model: hal.Model) -> Argument:
    lifetime, has_more = operand.lifetime, operand.extra_params is not None
    value = _constant(operand, model) if lifetime in _CONSTANTS else None
    return Argument(
        operand.type,
        operand.dimensions,
        operand.scale,
        operand.zero_point,
        _channel_quant(operand) if has_more else None,
        value,
        value is not None,
        lifetime == _NO_VALUE,
        operand.extension_data if has_more else b"",
    )


def _constant(operand: hal.Operand, model: hal.Model) -> Array | None:
    try:
        return constant(model, operand)
    except HalError as error:
        if error.status != hal.ErrorStatus.INVALID_ARGUMENT:
            raise
        # Bytes of unknown structure, which no supported operation reads.
        return None


def _channel_quant(operand: hal.Operand) -> hal.SymmPerChannelQuantParams | None:
    params = operand.extra_params
    return params if isinstance(params, hal.SymmPerChannelQuantParams) else None


def _dead_after(subgraph: hal.Subgraph) -> list[tuple[int, ...]]:
    last_use: dict[int, int] = {}
    for position, operation in enumerate(subgraph.operations):
        for index in (*operation.inputs, *operation.outputs):
            last_use[index] = position
    dead: list[list[int]] = [[] for _ in subgraph.operations]
    for index, position in last_use.items():
        if subgraph.operands[index].lifetime == _TEMPORARY:
            dead[position].append(index)
    return [tuple(indexes) for indexes in dead]


def _compile_operation(
    operation: hal.Operation, arguments: Sequence[Argument], dead: tuple[int, ...]
) -> CompiledOperation:
    declaration = known_declarations().get(operation.type)
    kernel = kernels().get(operation.type)
    if declaration is None or kernel is None:
        raise failure(f"{operation_name(operation.type)} is not supported", "driver/operation.supported")
    inputs = [arguments[index] for index in operation.inputs]
    outputs = [arguments[index] for index in operation.outputs]
    template, formals = bind(declaration, inputs, outputs), bound_formals(declaration, inputs, outputs)
    fixed = True
    for formal, argument in zip(formals, inputs, strict=True):
        is_open = not (argument.constant or argument.omitted)
        if is_open and (formal.parameter or not type_info(argument.type).is_tensor):
            fixed = False
    return CompiledOperation(operation, template, kernel, formals, fixed, dead)


_PLANS_KEPT = 64
"""Combinations of input shapes for which an operation keeps its inferred outputs: a bound on memory."""
_ADDRESSABLE = 2**31 - 1
"""Largest product of the other dimensions of an empty output: NumPy refuses an empty array beyond it."""
# Constants, because looking up a member of an enumeration takes longer than most work on it.
_MODEL_OUTPUT: Final = hal.OperandLifeTime.SUBGRAPH_OUTPUT


def actual_call(step: CompiledOperation, live: Sequence[Argument], extra: Mapping[str, Any]) -> Call:
    """Return the call of the operation with its live operands; outputs have declared or requested dimensions."""
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
    """Return the inferred specifications of the outputs, and the outputs; both are kept for equal shapes.

    :raises HalError: with the status of the rule that the call breaks.
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
    """Check ranks that the model leaves open, and that a request or an operation determines."""
    most = limits.RANK
    for argument in arguments:
        if len(argument.dimensions) > most:
            raise limits.exhausted(f"an operand of {len(argument.dimensions)} dimensions has too many")


def check_sizes(outputs: Sequence[Argument], left: int) -> None:
    """Refuse outputs that are too large, before memory is allocated for them."""
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
