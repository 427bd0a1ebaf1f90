"""OperationValidationTest, IF and WHILE: what may be unknown of their operands.

Source: docs/contract/cts-tests.md 3.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.invalid_models import try_question
from nnvet.conformance.engine.notified import check_passed_on
from nnvet.conformance.engine.preparing import prepared_model
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.mutations.editing import Mutant
from nnvet.hal.types import (
    DataLocation,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Operation,
    OperationType,
    Subgraph,
)

_SUITE = "OperationValidationTest"
_T = OperandType
_SHAPES = {"known": (1, 2, 3), "unknown": (0, 2, 0), "no_rank": ()}


def _shapes_of_three() -> dict[str, tuple[tuple[int, ...], ...]]:
    return {"-".join(names): tuple(_SHAPES[name] for name in names) for names in product(_SHAPES, repeat=3)}


@check(_SUITE, "IF", rules=("prepare/valid",), level=4, parameters=_shapes_of_three)
def conditional(subject: Subject, shapes: tuple[tuple[int, ...], ...]) -> None:
    """Operands of IF and of its branches may know more or less of their shapes."""
    outer, *branches = shapes
    model = _control_flow(OperationType.IF, outer, [_floor(dimensions) for dimensions in branches])
    prepared_model(subject, model)


@check(_SUITE, "WHILE", rules=("WHILE/known_sizes", "prepare/invalid"), level=4, parameters=_shapes_of_three)
def loop(subject: Subject, shapes: tuple[tuple[int, ...], ...]) -> None:
    """Operands of WHILE, of its condition and of its body have known shapes (the runtime alone allows others)."""
    outer, condition, body = shapes
    known = _SHAPES["known"]
    prepared_model(subject, _control_flow(OperationType.WHILE, known, [_compared(known), _floor(known)]))
    if set(shapes) != {known}:
        model = _control_flow(OperationType.WHILE, outer, [_compared(condition), _floor(body)])
        mutant = Mutant(f"shapes {shapes} of operands, condition and body", model)
        check_passed_on([try_question(subject, mutant, step="shapes")])


def _control_flow(operation: OperationType, outer: tuple[int, ...], subgraphs: Sequence[Subgraph]) -> Model:
    """An operation on one float operand that runs subgraphs; IF has a condition as well."""
    kinds = OperandLifeTime
    chosen = [
        Operand(_T.SUBGRAPH, lifetime=kinds.SUBGRAPH, location=DataLocation(offset=index))
        for index in range(len(subgraphs))
    ]
    condition = [Operand(_T.TENSOR_BOOL8, (1,), lifetime=kinds.SUBGRAPH_INPUT)] * (operation is OperationType.IF)
    given, result = (
        Operand(_T.TENSOR_FLOAT32, outer, lifetime=lifetime)
        for lifetime in (kinds.SUBGRAPH_INPUT, kinds.SUBGRAPH_OUTPUT)
    )
    operands = (*condition, *chosen, given, result)
    last = len(operands) - 1
    listed = (*range(len(condition)), last - 1)
    main = Subgraph(operands, (Operation(operation, tuple(range(last)), (last,)),), listed, (last,))
    return Model(main, tuple(subgraphs))


def _floor(dimensions: tuple[int, ...]) -> Subgraph:
    operands = tuple(
        Operand(_T.TENSOR_FLOAT32, dimensions, lifetime=lifetime)
        for lifetime in (OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT)
    )
    return Subgraph(operands, (Operation(OperationType.FLOOR, (0,), (1,)),), (0,), (1,))


def _compared(dimensions: tuple[int, ...]) -> Subgraph:
    """A condition: whether the operand equals itself, as one boolean (its size is found out only at execution)."""
    operands = (
        Operand(_T.TENSOR_FLOAT32, dimensions, lifetime=OperandLifeTime.SUBGRAPH_INPUT),
        Operand(_T.TENSOR_BOOL8, (1,), lifetime=OperandLifeTime.SUBGRAPH_OUTPUT),
    )
    return Subgraph(operands, (Operation(OperationType.EQUAL, (0, 0), (1,)),), (0,), (1,))
