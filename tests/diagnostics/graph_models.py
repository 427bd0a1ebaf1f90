"""Models to draw: a chain of operations, and one that branches."""

from __future__ import annotations

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

FLOATS = OperandType.TENSOR_FLOAT32
INPUT, OUTPUT = OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT


def chain(*operations: int, operand_type: int = FLOATS, dimensions: tuple[int, ...] = (2,)) -> Model:
    """One operation with one input after the other, all operands alike."""
    last = len(operations)
    lifetimes = {0: INPUT, last: OUTPUT}
    operands = tuple(
        Operand(operand_type, dimensions, lifetime=lifetimes.get(index, OperandLifeTime.TEMPORARY_VARIABLE))
        for index in range(last + 1)
    )
    steps = tuple(Operation(code, (index,), (index + 1,)) for index, code in enumerate(operations))
    return Model(Subgraph(operands, steps, (0,), (last,)))


def branching(first: OperationType, second: OperationType) -> Model:
    """RELU, then an IF that runs ``first`` or ``second``. Main operands: condition, branches, x, relu, output."""
    vector = Operand(FLOATS, (2,))
    main = Subgraph(
        (
            Operand(OperandType.TENSOR_BOOL8, (1,), lifetime=INPUT),
            *(
                Operand(OperandType.SUBGRAPH, lifetime=OperandLifeTime.SUBGRAPH, location=DataLocation(offset=index))
                for index in range(2)
            ),
            Operand(FLOATS, (2,), lifetime=INPUT),
            vector,
            Operand(FLOATS, (2,), lifetime=OUTPUT),
        ),
        (Operation(OperationType.RELU, (3,), (4,)), Operation(OperationType.IF, (0, 1, 2, 4), (5,))),
        (0, 3),
        (5,),
    )
    return Model(main, (chain(first).main, chain(second).main))
