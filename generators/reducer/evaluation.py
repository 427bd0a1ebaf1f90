"""The values and dimensions of all operands of a test, as the oracle and the declarations have them.

Operations are checked by their rules before they are computed: what the reducer makes of a model need not be valid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.generators.graphs.editor import with_operands
from nnvet.generators.graphs.hal_model import build_model, close_pools
from nnvet.generators.graphs.model import Array, TestModel, TestOperand, TestOperation, operation_name
from nnvet.generators.reducer.parts import NotReducibleError, part_of
from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.binding import assign, bind, check_ranks
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Argument, Call, OperationDeclaration, OutputSpec, Phase, ZeroSized
from nnvet.hal.validation import required_level
from nnvet.hal.validation.operands import CONSTANTS
from nnvet.oracle.execution import evaluate

_L: Final = OperandLifeTime
_NO_VALUE: Final = _L.NO_VALUE
_GIVEN: Final = frozenset((*CONSTANTS, _L.SUBGRAPH_INPUT, _L.NO_VALUE))

Values = Mapping[int, Array]
"""Arrays in their shape by the index of the operand in the main subgraph; what is omitted has none."""


def complete(test: TestModel) -> tuple[TestModel, Values]:
    """The test with the right dimensions, level and expected outputs, and the values of all its operands.

    :raises NotReducibleError: it is not valid, or the oracle cannot compute it.
    """
    try:
        with np.errstate(all="ignore"):
            finished, values = _evaluated(test)
            return _levelled(finished), values
    except NotReducibleError:
        raise
    except Exception as error:
        # What no rule excludes, a meaning may still stumble over: it is written for valid models.
        raise NotReducibleError(f"{type(error).__name__}: {error}") from error


def _evaluated(test: TestModel) -> tuple[TestModel, Values]:
    values = {
        index: shaped for index, operand in enumerate(test.main.operands) if (shaped := value_of(operand)) is not None
    }
    for position, operation in enumerate(test.main.operations):
        specs = _checked(test, operation, values)
        results = _results(test, position, values)
        pairs = zip(operation.outputs, results, specs, strict=True)
        changed = {index: _written(test.main.operands[index], result, spec) for index, result, spec in pairs}
        values.update(zip(operation.outputs, results, strict=True))
        test = replace(test, main=with_operands(test.main, changed))
    return test, values


def value_of(operand: TestOperand) -> Array | None:
    """The value of an input or constant in its shape; None: it has none, is omitted, or comes of an operation."""
    if operand.lifetime not in (*CONSTANTS, _L.SUBGRAPH_INPUT) or operand.data is None or not operand.data.size:
        return None
    return operand.data.reshape(operand.dimensions)


def _checked(test: TestModel, operation: TestOperation, values: Values) -> Sequence[OutputSpec]:
    """Return the declaration's specifications of the outputs, after all its rules.

    :raises HalError: one is broken.
    """
    declaration = declarations().get(operation.type)
    if declaration is None:
        raise NotReducibleError(f"the oracle has no meaning for {operation_name(operation.type)}")
    inputs = [argument_of(test.main.operands[index], values.get(index)) for index in operation.inputs]
    call = bind(declaration, inputs, [argument_of(test.main.operands[index], None) for index in operation.outputs])
    _check_inputs(declaration, call, inputs)
    check_ranks(call, Phase.EXECUTION)
    for rule in declaration.rules:
        if rule.check is not None and not rule.check(call):
            call.fail(rule.id)
    return declaration.infer(call)


def _check_inputs(declaration: OperationDeclaration, call: Call, inputs: Sequence[Argument]) -> None:
    for formal, argument in assign(call.signature, inputs):
        if argument.omitted and not formal.omissible:
            raise NotReducibleError(f"{declaration.name} needs '{formal.name}'")
        if declaration.zero_sized is not ZeroSized.ACCEPTED and 0 in argument.dimensions and not argument.omitted:
            raise NotReducibleError(f"{declaration.name} takes no zero-sized tensors")
        if formal.values and argument.value is not None and int(argument.value.reshape(-1)[0]) not in formal.values:
            raise NotReducibleError(f"{declaration.name}: '{formal.name}' has no such value")


def is_omitted(operand: TestOperand) -> bool:
    """Return True if an operand has no value and gets none from an operation."""
    return operand.lifetime in _GIVEN and (
        operand.lifetime == _NO_VALUE or operand.data is None or not operand.data.size
    )


def argument_of(operand: TestOperand, value: Array | None) -> Argument:
    """An operand as the declarations see it, with a value, if it has one."""
    is_given = operand.lifetime in _GIVEN
    return Argument(
        operand.type,
        operand.dimensions if value is None else value.shape,
        float(np.float32(operand.scale)),
        operand.zero_point,
        operand.channel_quant,
        value=value,
        constant=operand.lifetime in CONSTANTS,
        omitted=is_given and value is None,
        extension_data=operand.extension_data or b"",
    )


def _results(test: TestModel, position: int, values: Values) -> list[Array]:
    """Outputs of one operation, in its order."""
    operation = test.main.operations[position]
    alone, indexes = part_of(test, [position], None)
    model = build_model(alone)
    try:
        results = evaluate(model, [values.get(indexes[index]) for index in alone.main.input_indexes])
    finally:
        close_pools(model)
    by_index = {indexes[index]: result for index, result in zip(alone.main.output_indexes, results, strict=True)}
    return [by_index[index] for index in operation.outputs]


def _written(operand: TestOperand, result: Array, spec: OutputSpec) -> TestOperand:
    """An operand that an operation writes, as it then is. A temporary of unknown dimensions stays one."""
    if spec.dimensions is not None and tuple(spec.dimensions) != result.shape:
        raise NotReducibleError(f"dimensions {spec.dimensions} are inferred, {result.shape} computed")
    is_output = operand.lifetime == _L.SUBGRAPH_OUTPUT
    is_known = bool(operand.dimensions) and 0 not in operand.dimensions
    shape = result.shape if type_info(operand.type).is_tensor and (is_output or is_known) else operand.dimensions
    return replace(
        operand,
        dimensions=tuple(shape),
        scale=_kept(operand.scale, spec.scale),
        zero_point=operand.zero_point if spec.zero_point is None else spec.zero_point,
        data=result.reshape(-1) if is_output else None,
    )


def _kept(declared: float, due: float | None) -> float:
    """The declared scale, unless another one is due: scales are float32 in the HAL."""
    return declared if due is None or np.float32(due) == np.float32(declared) else float(due)


def _levelled(test: TestModel) -> TestModel:
    """The test under the level that its model needs.

    :raises NotReducibleError: the model is not valid.
    """
    model = build_model(test)
    try:
        level = required_level(model)
    except HalError as error:
        raise NotReducibleError(str(error)) from error
    finally:
        close_pools(model)
    if not test.main.input_indexes:
        raise NotReducibleError("a model without inputs")
    return test if test.min_supported_version is None else replace(test, min_supported_version=level)
