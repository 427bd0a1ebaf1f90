"""No mutation is tried less often than in VTS, which is counted here.

The counts are worked out from docs/contract/vts-tests.md 2.2 to 2.7.
"""

import pytest

from nnvet.generators.mutations.operations import VTS_MUTATIONS
from nnvet.hal.types import Model, OperandLifeTime, OperandType, Operation, OperationType, Subgraph
from tests.generators.mutations.structures import models

L, T, Op = OperandLifeTime, OperandType, OperationType
SCALARS = {T.FLOAT32, T.INT32, T.UINT32, T.FLOAT16, T.BOOL}
WRITTEN = {L.TEMPORARY_VARIABLE, L.SUBGRAPH_OUTPUT}
GIVEN = {L.CONSTANT_COPY, L.CONSTANT_REFERENCE, L.SUBGRAPH_INPUT}
ZERO_POINTS = {
    T.TENSOR_QUANT8_ASYMM: 2,
    T.TENSOR_QUANT8_ASYMM_SIGNED: 0,
    T.TENSOR_QUANT8_SYMM: 4,
    T.TENSOR_QUANT16_ASYMM: 2,
    T.TENSOR_QUANT16_SYMM: 4,
}
"""Number of values tried; 1 for all other types."""
FIXED_LENGTH = {
    Op.DEPTHWISE_CONV_2D: ((12, 11), (9, 8)),
    Op.CONV_2D: ((11, 10), (8, 7)),
    Op.AVERAGE_POOL_2D: ((11, 10), (8, 7)),
    Op.MAX_POOL_2D: ((11, 10), (8, 7)),
    Op.L2_POOL_2D: ((11, 10), (8, 7)),
    Op.SPACE_TO_DEPTH: ((3, 2),),
    Op.DEPTH_TO_SPACE: ((3, 2),),
    Op.BATCH_TO_SPACE_ND: ((3, 2),),
    Op.SPACE_TO_BATCH_ND: ((4, 3),),
    Op.L2_NORMALIZATION: ((2, 1),),
    Op.LOCAL_RESPONSE_NORMALIZATION: ((6, 5),),
    Op.SOFTMAX: ((3, 2),),
}
"""Operations with so many inputs that may lose the one at a position (2.6)."""
MAY_GROW = {Op.L2_NORMALIZATION: 2, Op.LOCAL_RESPONSE_NORMALIZATION: 6, Op.SOFTMAX: 3}
MAY_GROW_TOO = {Op.RESIZE_BILINEAR: 6, Op.RESIZE_NEAREST_NEIGHBOR: 6}
"""Operations that may get one more input below this number of them (2.7)."""
UNUSED = {8: {"mutateOperandNumberOfConsumersTest"}}
"""AIDL counts no consumers."""


def reads(main: Subgraph, operand: int) -> int:
    """Return the number of times that an operand is read."""
    return sum(operation.inputs.count(operand) for operation in main.operations)


def moved(main: Subgraph) -> int:
    """Return the count of mutation 1: operations that read what is computed, and those that compute what is read."""
    readers = [
        operation
        for operation in main.operations
        if any(main.operands[i].lifetime in WRITTEN for i in operation.inputs)
    ]
    writers = [operation for operation in main.operations if any(reads(main, i) for i in operation.outputs)]
    return len(readers) + len(writers)


def loses_inputs(operation: Operation) -> int:
    """Inputs that mutation 17 removes."""
    count = len(operation.inputs)
    kept = {
        Op.CONCATENATION: count - 1 if count > 2 else 0,
        Op.PACK: count - 1 if count > 2 else 0,
        Op.RESIZE_BILINEAR: max(0, count - 3) if count >= 4 else 0,
        Op.RESIZE_NEAREST_NEIGHBOR: max(0, count - 3) if count >= 5 else 0,
    }
    pairs = FIXED_LENGTH.get(OperationType(operation.type), ())
    return count - sum(length == count for length, _ in pairs) - kept.get(OperationType(operation.type), 0)


def grows(operation: Operation) -> bool:
    """Return True if mutation 19 adds an input."""
    return len(operation.inputs) >= {**MAY_GROW, **MAY_GROW_TOO}.get(OperationType(operation.type), 0)


def counts(model: Model, level: int) -> dict[str, int]:
    """Mutants of the main subgraph in VTS, as far as they are known without sizes."""
    main, steps = model.main, model.main.operations
    types = [OperandType(operand.type) for operand in main.operands]
    lifetimes = [operand.lifetime for operand in main.operands]
    rank = SCALARS if level >= 3 else set(T) - {T.SUBGRAPH}
    return {
        "mutateExecutionOrderTest": moved(main),
        "mutateOperandTypeTest": len(types) * (4 if level <= 4 else 2),
        "mutateOperandRankTest": sum(kind in rank for kind in types),
        "mutateOperandScaleTest": len(types),
        "mutateOperandZeroPointTest": sum(ZERO_POINTS.get(kind, 1) for kind in types),
        "mutateOperandLifeTimeTest": sum((lifetime in WRITTEN) + 2 * (lifetime in GIVEN) for lifetime in lifetimes),
        "mutateOperandInputOutputTest": sum(lifetime in WRITTEN | GIVEN - {L.SUBGRAPH_INPUT} for lifetime in lifetimes),
        "mutateOperandNumberOfConsumersTest": sum(1 + bool(reads(main, i)) for i in range(len(types)))
        if level <= 4
        else 0,
        "mutateOperandAddWriterTest": sum(len(step.outputs) for step in steps),
        "mutateOperationTypeTest": len(steps) * (4 if level <= 2 else 3 if level <= 4 else 2),
        "mutateOperationInputOperandIndexTest": sum(len(step.inputs) for step in steps),
        "mutateOperationOutputOperandIndexTest": sum(len(step.outputs) for step in steps),
        "mutateOperationRemoveWriteTest": sum(reads(main, i) > 0 for step in steps for i in step.outputs),
        "removeOperationTest": len(steps),
        "removeOperationInputTest": sum(loses_inputs(step) for step in steps),
        "removeOperationOutputTest": sum(len(step.outputs) for step in steps),
        "addOperationInputTest": sum(grows(step) for step in steps),
        "addOperationOutputTest": len(steps),
    }


@pytest.mark.sampled(4)
@pytest.mark.parametrize("level", [1, 3, 4, 8])
def test_nothing_is_tried_less_often_than_in_vts(level: int) -> None:
    """For each structure and each mutation there are at least as many mutants."""
    fewer = []
    seen = dict.fromkeys(VTS_MUTATIONS, 0)
    for name, model in models(level, 3):
        if model.extension_name_to_prefix:
            # VTS has no models with extensions.
            continue
        for mutation, expected in counts(model, level).items():
            made = [mutant for mutant in VTS_MUTATIONS[mutation](model, level) if mutant.description.startswith("main")]
            seen[mutation] += len(made)
            if len(made) < expected:
                fewer.append((name, mutation, len(made), expected))
    assert not fewer
    assert {name for name in counts(model, level) if not seen[name]} == UNUSED.get(level, set())
