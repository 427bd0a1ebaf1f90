"""Judge of requests: it decides whether a valid model can be executed with the values of a request.

The declarations (:mod:`nnvet.hal.operations`) say which shapes and values an operation refuses, and the oracle computes
the inputs of the next operation. The answer depends neither on the driver under test nor on the bundled one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from nnvet.driver_kit.inference import actual_inputs, infer_outputs, resolved_output
from nnvet.generators.random_graphs.golden import inputs_of
from nnvet.graphs.hal_model import read_model
from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.enums import OperationType as O
from nnvet.hal.extensions import every_declaration
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.binding import bind, bound_formals
from nnvet.hal.operations.declaration import Argument, Phase
from nnvet.hal.types import Model, Operand, Request
from nnvet.hal.validation import validate_request
from nnvet.oracle.execution import evaluate
from nnvet.oracle.operations.invocation import Array, Invocation, Meaning, OperandValue

_MOST_OPERATIONS: Final = 2_000
"""Most operations of an execution, iterations of loops included; longer executions are left open."""
_MOST_WORK: Final = 2**24
"""Most work of an operation: elements of its outputs times those of its largest input, which bounds its products."""
_INDEXED: Final = frozenset({O.EMBEDDING_LOOKUP, O.GATHER})
"""Operations whose computation in the oracle raises IndexError if an index is outside of the tensor."""
_CONTROL_FLOW: Final = frozenset({O.IF, O.WHILE})


class _LeftOpenError(Exception):
    """The question is left open: the model is too large, or an operation has rules that only its kernels check."""


def is_runnable(model: Model, request: Request) -> bool:
    """Return True if every operation of a valid model keeps its rules with the values of a request.

    False means that a rule is broken or the question is left open; in both cases a refusal is nobody's fault.
    """
    try:
        validate_request(request, model)
        test = read_model(model, "fuzzed", request)
        evaluate(model, inputs_of(test), partial(_compute_checked, _Budget()))
    except Exception:  # noqa: BLE001 - whatever stops the evaluation says that the oracle knows no results
        return False
    return True


class _Budget:
    """Number of operations that an execution may still run."""

    def __init__(self) -> None:
        self.left = _MOST_OPERATIONS

    def spend(self) -> None:
        """Count one operation, or one run of a subgraph, so that a loop over subgraphs without operations ends, too."""
        self.left -= 1
        if self.left < 0:
            raise _LeftOpenError


def _compute_checked(budget: _Budget, meaning: Meaning, call: Invocation) -> Any:
    """Return the results of an operation that keeps its rules.

    :raises HalError: it breaks one.
    """
    budget.spend()
    operation = O[call.name]
    if operation in _CONTROL_FLOW:
        return meaning.compute(_count_runs(budget, call))
    _check_rules(operation, call)
    return meaning.compute(call)


def _count_runs(budget: _Budget, call: Invocation) -> Invocation:
    def run(index: int, values: Sequence[OperandValue]) -> list[OperandValue]:
        budget.spend()
        return call.run(index, values)

    return Invocation(call.name, call.inputs, call.outputs, run, call.declared)


def _check_rules(operation: O, call: Invocation) -> None:
    """Check the rules of execution, and that outputs have the sizes that the model declares.

    :raises HalError: one is broken.
    :raises _LeftOpenError: there are rules that nothing here can check.
    """
    declaration = every_declaration()[operation]
    # The box operations and quantised LSTM have rules about intermediate values, which only their kernels compute.
    unchecked = any(rule.phase is Phase.EXECUTION and rule.check is None for rule in declaration.rules)
    if unchecked and operation not in _INDEXED:
        raise _LeftOpenError
    inputs = [_argument(value) for value in call.inputs]
    outputs = [_declared(operand) for operand in call.declared]
    bound = bind(declaration, inputs, outputs)
    bound.inputs, bound.variadic = actual_inputs(declaration, bound_formals(declaration, inputs, outputs), inputs)
    elements = 0
    specs = infer_outputs(bound)
    for spec, operand, output in zip(specs, call.declared, outputs, strict=True):
        is_output = operand.lifetime == OperandLifeTime.SUBGRAPH_OUTPUT
        resolved = resolved_output(output, spec, declaration.name, is_model_output=is_output)
        elements += math.prod(resolved.dimensions)
    if elements * max((math.prod(argument.dimensions) for argument in inputs), default=1) > _MOST_WORK:
        raise _LeftOpenError


def _argument(value: OperandValue) -> Argument:
    array: Array | None = value.array
    return Argument(
        value.type,
        () if array is None else array.shape,
        value.scale,
        value.zero_point,
        value.channel_quant,
        array,
        omitted=array is None,
    )


def _declared(operand: Operand) -> Argument:
    return Argument(
        operand.type,
        operand.dimensions if type_info(operand.type).is_tensor else (),
        operand.scale,
        operand.zero_point,
    )
