"""Evaluation of candidates of the reducer, and the cutting of tests into smaller ones.

:func:`complete` computes values and dimensions of all operands of a test, by the oracle and the declarations; it checks
the rules before it computes an operation, since the reducer may have made an invalid model. :func:`part_of` cuts some
operations out as a separate test; operands that they read from others become inputs with their values. The passes of
the reducer use both, and so do ``mining`` and ``metamorphic``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.graphs.editor import with_operands
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import Array, TestModel, TestOperand, TestOperation, TestSubgraph, operation_name
from nnvet.hal.enums import CONSTANTS, OperandLifeTime
from nnvet.hal.errors import HalError
from nnvet.hal.extensions import every_declaration
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.binding import assign, bind, check_ranks
from nnvet.hal.operations.declaration import Argument, Call, OperationDeclaration, OutputSpec, Phase, ZeroSized
from nnvet.hal.validation import required_level
from nnvet.oracle.execution import evaluate

_L: Final = OperandLifeTime


class NotReducibleError(Exception):
    """A model is invalid, or the oracle cannot compute it, so it is no candidate."""


def part_of(
    test: TestModel, positions: Collection[int], values: Mapping[int, Array] | None
) -> tuple[TestModel, list[int]]:
    """Return the operations at these positions of the main subgraph as a test, and the operands' former indexes.

    Operands that they read from other operations become inputs, with their value in ``values`` if these are given.
    Operands that they write are outputs if they were outputs before, or if none of the chosen operations reads them.

    :raises NotReducibleError: such a value is zero-sized, and so cannot be an input.
    """
    main = test.main
    operations = tuple(main.operations[position] for position in sorted(positions))
    read = {index for operation in operations for index in operation.inputs}
    written = {index for operation in operations for index in operation.outputs}
    changed = list(main.operands)
    for index in written:
        is_output = index in main.output_indexes or index not in read
        lifetime = _L.SUBGRAPH_OUTPUT if is_output else _L.TEMPORARY_VARIABLE
        changed[index] = replace(main.operands[index], lifetime=lifetime, data=None)
    for index in read - written:
        if main.operands[index].lifetime in (_L.TEMPORARY_VARIABLE, _L.SUBGRAPH_OUTPUT):
            changed[index] = _as_input(main.operands[index], None if values is None else values[index])
    return compact(test, changed, operations)


def _as_input(operand: TestOperand, value: Array | None) -> TestOperand:
    if value is None:
        return replace(operand, lifetime=_L.SUBGRAPH_INPUT, data=None)
    if not value.size:
        raise NotReducibleError("a zero-sized value cannot be an input: there it would be omitted")
    return replace(
        operand, dimensions=value.shape, lifetime=_L.SUBGRAPH_INPUT, is_ignored=False, data=value.reshape(-1)
    )


def compact(
    test: TestModel, operands: Sequence[TestOperand], operations: Sequence[TestOperation]
) -> tuple[TestModel, list[int]]:
    """Return the test with these operands and operations in its main subgraph, and the former indexes of the operands.

    Operands that no operation names are left out, as are referenced subgraphs. Inputs and outputs are listed in the
    order of operands. If no input is left, the first constant becomes one.
    """
    used = {index for operation in operations for index in (*operation.inputs, *operation.outputs)}
    kept = [index for index in range(len(operands)) if index in used]
    place = {index: number for number, index in enumerate(kept)}
    left = _with_an_input([operands[index] for index in kept])

    def listed(lifetime: OperandLifeTime) -> tuple[int, ...]:
        return tuple(number for number, operand in enumerate(left) if operand.lifetime == lifetime)

    main = TestSubgraph(
        tuple(left),
        tuple(
            replace(
                operation,
                inputs=tuple(place[i] for i in operation.inputs),
                outputs=tuple(place[i] for i in operation.outputs),
            )
            for operation in operations
        ),
        listed(_L.SUBGRAPH_INPUT),
        listed(_L.SUBGRAPH_OUTPUT),
    )
    return without_unused_subgraphs(replace(test, main=main)), kept


def _with_an_input(operands: list[TestOperand]) -> list[TestOperand]:
    """Make the first constant an input if there is none: NNAPI's C API cannot express models without inputs."""
    if any(operand.lifetime == _L.SUBGRAPH_INPUT for operand in operands):
        return operands
    for index, operand in enumerate(operands):
        if operand.lifetime in CONSTANTS and operand.data is not None and operand.data.size and operand.dimensions:
            operands[index] = replace(operand, lifetime=_L.SUBGRAPH_INPUT)
            break
    return operands


def without_unused_subgraphs(test: TestModel) -> TestModel:
    """Return the test without referenced subgraphs that nothing refers to; the others are renumbered."""
    if not test.referenced:
        return test
    reached: list[int] = []
    waiting = _references(test.main)
    while waiting:
        index = waiting.pop(0)
        if index not in reached:
            reached.append(index)
            waiting += _references(test.referenced[index])
    reached.sort()
    number = {index: place for place, index in enumerate(reached)}
    referenced = tuple(_renumber(test.referenced[index], number) for index in reached)
    return replace(test, main=_renumber(test.main, number), referenced=referenced)


def _references(subgraph: TestSubgraph) -> list[int]:
    found = [operand.data for operand in subgraph.operands if operand.lifetime == _L.SUBGRAPH]
    return [int(data[0]) for data in found if data is not None]


def _renumber(subgraph: TestSubgraph, number: Mapping[int, int]) -> TestSubgraph:
    def changed(operand: TestOperand) -> TestOperand:
        if operand.lifetime != _L.SUBGRAPH or operand.data is None:
            return operand
        return replace(operand, data=np.array([number[int(operand.data[0])]], np.uint32))

    return replace(subgraph, operands=tuple(map(changed, subgraph.operands)))


_NO_VALUE: Final = _L.NO_VALUE
_GIVEN: Final = frozenset((*CONSTANTS, _L.SUBGRAPH_INPUT, _L.NO_VALUE))

Values = Mapping[int, Array]
"""Map the index of each operand of the main subgraph to its array; omitted operands have none."""


def complete(test: TestModel) -> tuple[TestModel, Values]:
    """Return the test with recomputed dimensions, level and expected outputs, and the values of all its operands.

    :raises NotReducibleError: it is not valid, or the oracle cannot compute it.
    """
    try:
        with np.errstate(all="ignore"):
            finished, values = _evaluate_operations(test)
            return _with_level(finished), values
    except NotReducibleError:
        raise
    except Exception as error:
        # The oracle's meanings are written for valid models, so on a candidate that breaks an unchecked rule they may
        # raise anything.
        raise NotReducibleError(f"{type(error).__name__}: {error}") from error


def _evaluate_operations(test: TestModel) -> tuple[TestModel, Values]:
    values = {
        index: shaped for index, operand in enumerate(test.main.operands) if (shaped := operand.value) is not None
    }
    for position, operation in enumerate(test.main.operations):
        specs = _check_operation(test, operation, values)
        results = _compute(test, position, values)
        pairs = zip(operation.outputs, results, specs, strict=True)
        changed = {index: _update_output(test.main.operands[index], result, spec) for index, result, spec in pairs}
        values.update(zip(operation.outputs, results, strict=True))
        test = replace(test, main=with_operands(test.main, changed))
    return test, values


def _check_operation(test: TestModel, operation: TestOperation, values: Values) -> Sequence[OutputSpec]:
    """Check all rules of the declaration, and return its specifications of the outputs.

    :raises HalError: a rule is broken.
    """
    declaration = every_declaration().get(operation.type)
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


def argument_of(operand: TestOperand, value: Array | None) -> Argument:
    """Return an operand as the declarations see it, with a value, if it has one."""
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


def _compute(test: TestModel, position: int, values: Values) -> list[Array]:
    """Return the oracle's results for the operation at ``position``, in the order of its outputs."""
    operation = test.main.operations[position]
    alone, indexes = part_of(test, [position], None)
    model = build_model(alone)
    try:
        results = evaluate(model, [values.get(indexes[index]) for index in alone.main.input_indexes])
    finally:
        close_pools(model)
    by_index = {indexes[index]: result for index, result in zip(alone.main.output_indexes, results, strict=True)}
    return [by_index[index] for index in operation.outputs]


def _update_output(operand: TestOperand, result: Array, spec: OutputSpec) -> TestOperand:
    """Return an operand as its operation writes it; a temporary of unknown dimensions keeps them unknown."""
    if spec.dimensions is not None and tuple(spec.dimensions) != result.shape:
        raise NotReducibleError(f"dimensions {spec.dimensions} are inferred, {result.shape} computed")
    is_output = operand.lifetime == _L.SUBGRAPH_OUTPUT
    is_known = bool(operand.dimensions) and 0 not in operand.dimensions
    shape = result.shape if type_info(operand.type).is_tensor and (is_output or is_known) else operand.dimensions
    return replace(
        operand,
        dimensions=tuple(shape),
        scale=_choose_scale(operand.scale, spec.scale),
        zero_point=operand.zero_point if spec.zero_point is None else spec.zero_point,
        data=result.reshape(-1) if is_output else None,
    )


def _choose_scale(declared: float, due: float | None) -> float:
    """Return the inferred scale ``due``, but the declared one if both are equal in float32 or none is inferred."""
    return declared if due is None or np.float32(due) == np.float32(declared) else float(due)


def _with_level(test: TestModel) -> TestModel:
    """Return the test with the level that its model needs.

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
