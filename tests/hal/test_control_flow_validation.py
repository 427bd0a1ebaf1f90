"""Every rule of IF and WHILE, broken once in an otherwise valid model (docs/contract/hal.md 7.4)."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from nnvet.hal.errors import HalError
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Phase
from nnvet.hal.types import (
    DataLocation,
    ErrorStatus,
    FeatureLevel,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Operation,
    OperationType,
    Subgraph,
)
from nnvet.hal.validation import validate_model

FLOAT, FLAG = OperandType.TENSOR_FLOAT32, OperandType.TENSOR_BOOL8
INPUT, OUTPUT = OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT


def subgraph(operation: OperationType, inputs: list[Operand], output: Operand) -> Subgraph:
    """One operation of all inputs; RELU of the first where there is one input only."""
    operands = (*(replace(o, lifetime=INPUT) for o in inputs), replace(output, lifetime=OUTPUT))
    count = len(inputs)
    reads = tuple(range(count)) if operation != OperationType.RELU else (0,)
    return Subgraph(operands, (Operation(operation, reads, (count,)),), tuple(range(count)), (count,))


def reference(index: int) -> Operand:
    """An operand that names a referenced subgraph."""
    return Operand(OperandType.SUBGRAPH, lifetime=OperandLifeTime.SUBGRAPH, location=DataLocation(offset=index))


VALUE = Operand(FLOAT, (2,))
ANSWER = Operand(FLAG, (1,))
RELU = subgraph(OperationType.RELU, [VALUE], VALUE)


def if_model(condition: Operand = ANSWER, then: Subgraph = RELU, otherwise: Subgraph = RELU) -> Model:
    """IF on an input condition; both branches take and yield one [2] tensor."""
    operands = (
        replace(condition, lifetime=INPUT),
        reference(0),
        reference(1),
        replace(VALUE, lifetime=INPUT),
        replace(VALUE, lifetime=OUTPUT),
    )
    main = Subgraph(operands, (Operation(OperationType.IF, (0, 1, 2, 3), (4,)),), (0, 3), (4,))
    return Model(main, (then, otherwise))


COUNT = Operand(FLOAT, (1,))
LESS = subgraph(OperationType.LESS, [COUNT, COUNT], ANSWER)


def body(inputs: list[Operand], output: Operand) -> Subgraph:
    """RELU of the first input; the others pass by unused."""
    return subgraph(OperationType.RELU, inputs, output)


def while_model(
    condition: Subgraph = LESS, inner: Subgraph | None = None, value: Operand = COUNT, result: Operand = COUNT
) -> Model:
    """WHILE over one value and one bound."""
    operands = (
        reference(0),
        reference(1),
        replace(value, lifetime=INPUT),
        replace(COUNT, lifetime=INPUT),
        replace(result, lifetime=OUTPUT),
    )
    main = Subgraph(operands, (Operation(OperationType.WHILE, (0, 1, 2, 3), (4,)),), (2, 3), (4,))
    return Model(main, (condition, inner or body([COUNT, COUNT], COUNT)))


WIDE = Operand(FLOAT, (3,))
UNKNOWN = Operand(FLOAT, (0,))
BROKEN: list[tuple[str, Callable[[], Model]]] = [
    ("IF/condition.shape", lambda: if_model(condition=Operand(FLAG, (2,)))),
    ("IF/condition.shape", lambda: if_model(condition=Operand(FLAG, ()))),
    ("IF/branch.inputs", lambda: if_model(then=subgraph(OperationType.RELU, [WIDE], VALUE))),
    ("IF/branch.inputs", lambda: if_model(otherwise=body([VALUE, VALUE], VALUE))),
    ("IF/branch.outputs", lambda: if_model(otherwise=subgraph(OperationType.RELU, [VALUE], WIDE))),
    ("WHILE/condition.inputs", lambda: while_model(condition=subgraph(OperationType.LESS, [WIDE, COUNT], ANSWER))),
    (
        "WHILE/condition.output",
        lambda: while_model(condition=subgraph(OperationType.LESS, [COUNT, COUNT], Operand(FLAG, (2,)))),
    ),
    ("WHILE/condition.output", lambda: while_model(condition=body([COUNT, COUNT], COUNT))),
    ("WHILE/body.inputs", lambda: while_model(inner=body([COUNT], COUNT))),
    ("WHILE/body.outputs", lambda: while_model(inner=body([COUNT, COUNT], WIDE))),
    ("WHILE/outputs", lambda: while_model(result=WIDE)),
    (
        "WHILE/known_sizes",
        lambda: while_model(
            subgraph(OperationType.LESS, [UNKNOWN, COUNT], ANSWER), body([UNKNOWN, COUNT], UNKNOWN), UNKNOWN, UNKNOWN
        ),
    ),
]


@pytest.mark.parametrize("model", [if_model(), while_model()], ids=["IF", "WHILE"])
def test_the_models_of_these_tests_are_valid(model: Model) -> None:
    """The unbroken models pass and need level 4."""
    assert validate_model(model) == FeatureLevel.FL4


@pytest.mark.parametrize(("rule", "make"), BROKEN, ids=[f"{n}-{rule}" for n, (rule, _) in enumerate(BROKEN)])
def test_broken_rule_is_named(rule: str, make: Callable[[], Model]) -> None:
    """A model that breaks one rule is refused with INVALID_ARGUMENT and the id of that rule."""
    with pytest.raises(HalError) as caught:
        validate_model(make())
    assert caught.value.status == ErrorStatus.INVALID_ARGUMENT
    assert caught.value.rule == rule


def test_every_model_rule_is_broken_here() -> None:
    """No model rule of IF and WHILE is left without a test."""
    wanted = {
        rule.id
        for operation in (OperationType.IF, OperationType.WHILE)
        for rule in declarations()[operation].rules
        if rule.phase is Phase.MODEL
    }
    assert wanted == {rule for rule, _ in BROKEN}
