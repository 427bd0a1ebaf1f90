"""Other operand types: what is adapted, and what is left out.

Tables of docs/contract/vts-tests.md 2.3 to 2.7, by hand.
"""

from itertools import product

import pytest
from msgspec.structs import replace

from nnvet.generators.mutations import editing
from nnvet.generators.mutations.operands import mutate_operation_operand_type, with_type
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.types import (
    DataLocation,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Operation,
    OperationType,
    SymmPerChannelQuantParams,
)

T, Op = OperandType, OperationType
QUANT8 = Operand(T.TENSOR_QUANT8_ASYMM, (2, 3), 0.5, 200)
FLOAT = Operand(T.TENSOR_FLOAT32, (2, 3))


@pytest.mark.parametrize(
    ("before", "kind", "after"),
    [
        (QUANT8, T.INT32, Operand(T.INT32)),
        (QUANT8, T.TENSOR_FLOAT16, Operand(T.TENSOR_FLOAT16, (2, 3))),
        (QUANT8, T.TENSOR_INT32, Operand(T.TENSOR_INT32, (2, 3), 0.5)),
        (FLOAT, T.TENSOR_INT32, Operand(T.TENSOR_INT32, (2, 3), 0.0)),
        (QUANT8, T.TENSOR_QUANT16_ASYMM, Operand(T.TENSOR_QUANT16_ASYMM, (2, 3), 0.5, 200)),
        # Zero points are kept as far as the type has them.
        (QUANT8, T.TENSOR_QUANT8_ASYMM_SIGNED, Operand(T.TENSOR_QUANT8_ASYMM_SIGNED, (2, 3), 0.5, 127)),
        (QUANT8, T.TENSOR_QUANT8_SYMM, Operand(T.TENSOR_QUANT8_SYMM, (2, 3), 0.5, 0)),
        (FLOAT, T.TENSOR_QUANT8_ASYMM, Operand(T.TENSOR_QUANT8_ASYMM, (2, 3), 1.0)),
        (
            FLOAT,
            T.TENSOR_QUANT8_SYMM_PER_CHANNEL,
            Operand(
                T.TENSOR_QUANT8_SYMM_PER_CHANNEL,
                (2, 3),
                extra_params=SymmPerChannelQuantParams((1.0, 1.0), 0),
            ),
        ),
        # Scales need a dimension that is known; the first that is, or one of 1.
        (
            Operand(T.TENSOR_FLOAT32, (0, 3)),
            T.TENSOR_QUANT8_SYMM_PER_CHANNEL,
            Operand(
                T.TENSOR_QUANT8_SYMM_PER_CHANNEL,
                (0, 3),
                extra_params=SymmPerChannelQuantParams((1.0,) * 3, 1),
            ),
        ),
        (
            Operand(T.INT32),
            T.TENSOR_QUANT8_SYMM_PER_CHANNEL,
            Operand(T.TENSOR_QUANT8_SYMM_PER_CHANNEL, (1,), extra_params=SymmPerChannelQuantParams((1.0,), 0)),
        ),
        (Operand(T.INT32), T.TENSOR_FLOAT32, Operand(T.TENSOR_FLOAT32, (1,))),
        (QUANT8, T.SUBGRAPH, replace(QUANT8, type=T.SUBGRAPH)),
    ],
)
def test_attributes_follow_the_type(before: Operand, kind: OperandType, after: Operand) -> None:
    """The operand is well-formed for its new type, so that only the operation can refuse it."""
    assert with_type(before, OPERAND_TYPES[kind]) == after


def test_every_other_type_for_every_operand(model: Model) -> None:
    """15 other types for each of five operands, of 16 there are; OEM types are left out."""
    after = list(mutate_operation_operand_type(model, 8))
    assert len(after) == 5 * 15
    kinds = {m.model.main.operands[4].type for m in after}
    assert kinds == {kind for kind in T if kind < 10000}


def test_constants_get_a_value_of_the_new_size(model: Model) -> None:
    """Two floats have 8 bytes, two halves 4 and one boolean 1; the same size keeps its place."""
    after = {m.model.main.operands[1].type: m.model.main.operands[1] for m in mutate_operation_operand_type(model, 8)}
    assert after[T.TENSOR_INT32].location == DataLocation(0, 0, 8)
    assert after[T.TENSOR_FLOAT16].location == DataLocation(0, 0, 4)
    assert after[T.BOOL].location == DataLocation(0, 0, 1)


def test_what_no_operation_names_may_have_any_type(model: Model) -> None:
    """An input that nobody reads is not mutated."""
    unused = Operand(T.INT32, lifetime=OperandLifeTime.SUBGRAPH_INPUT, number_of_consumers=0)
    main = replace(model.main, operands=(*model.main.operands, unused), input_indexes=(0, 5))
    assert len(list(mutate_operation_operand_type(replace(model, main=main), 8))) == 5 * 15


FLOATS = {T.TENSOR_FLOAT16, T.TENSOR_FLOAT32}
QUANT8S = {T.TENSOR_QUANT8_ASYMM, T.TENSOR_QUANT8_ASYMM_SIGNED}
FILTERS = {*QUANT8S, T.TENSOR_QUANT8_SYMM_PER_CHANNEL}
TENSORS = {kind for kind in T if kind.name.startswith("TENSOR_")}

EXEMPT = {
    (Op.LSH_PROJECTION, "input", 1): set(T),
    **{(op, "input", 0): FLOATS | QUANT8S | {T.TENSOR_INT32} for op in (Op.CAST, Op.ARGMAX, Op.ARGMIN)},
    (Op.CAST, "output", 0): FLOATS | QUANT8S | {T.TENSOR_INT32},
    (Op.QUANTIZE, "input", 0): FLOATS,
    (Op.QUANTIZE, "output", 0): QUANT8S,
    (Op.RANDOM_MULTINOMIAL, "input", 0): FLOATS,
    (Op.DEQUANTIZE, "input", 0): {*FILTERS, T.TENSOR_QUANT8_SYMM},
    (Op.DEQUANTIZE, "output", 0): FLOATS,
    **{
        (op, "input", 1): FILTERS for op in (Op.CONV_2D, Op.DEPTHWISE_CONV_2D, Op.GROUPED_CONV_2D, Op.TRANSPOSE_CONV_2D)
    },
    (Op.AXIS_ALIGNED_BBOX_TRANSFORM, "input", 1): QUANT8S,
    (Op.RANK, "input", 0): TENSORS,
}


def test_types_that_operations_take_as_well() -> None:
    """Exactly the pairs of the table, for operations of four inputs and two outputs."""
    for op, kind, (side, slot) in product(Op, T, [("input", i) for i in range(4)] + [("output", i) for i in range(2)]):
        if op is Op.OEM_OPERATION:
            continue
        operation = Operation(op, (0, 1, 2, 3), (4, 5))
        found = editing.may_have_type(operation, slot, kind, output=side == "output")
        assert found == (kind in EXEMPT.get((op, side, slot), ())), (op.name, side, slot, kind.name)


@pytest.mark.parametrize(
    ("op", "count", "removable"),
    [
        (Op.CONCATENATION, 2, set()),
        (Op.CONCATENATION, 4, {0, 1, 2}),
        (Op.PACK, 2, set()),
        (Op.PACK, 3, {1, 2}),
        (Op.DEPTHWISE_CONV_2D, 12, {11}),
        (Op.DEPTHWISE_CONV_2D, 11, set()),
        (Op.DEPTHWISE_CONV_2D, 9, {8}),
        (Op.CONV_2D, 11, {10}),
        (Op.AVERAGE_POOL_2D, 8, {7}),
        (Op.MAX_POOL_2D, 7, set()),
        (Op.L2_POOL_2D, 11, {10}),
        (Op.RESIZE_BILINEAR, 6, {3, 4, 5}),
        (Op.RESIZE_BILINEAR, 3, set()),
        (Op.RESIZE_NEAREST_NEIGHBOR, 5, {3, 4}),
        (Op.RESIZE_NEAREST_NEIGHBOR, 4, set()),
        (Op.SPACE_TO_DEPTH, 3, {2}),
        (Op.DEPTH_TO_SPACE, 2, set()),
        (Op.BATCH_TO_SPACE_ND, 3, {2}),
        (Op.SPACE_TO_BATCH_ND, 4, {3}),
        (Op.L2_NORMALIZATION, 2, {1}),
        (Op.LOCAL_RESPONSE_NORMALIZATION, 6, {5}),
        (Op.SOFTMAX, 3, {2}),
        (Op.ADD, 3, set()),
    ],
)
def test_inputs_that_may_be_missing(op: OperationType, count: int, removable: set[int]) -> None:
    """The operations that stay legal without an input, and without which one."""
    operation = Operation(op, tuple(range(count)), (count,))
    found = {slot for slot in range(count) if editing.tolerates_missing_input(operation, slot)}
    assert found == removable


def test_operations_that_take_one_input_more() -> None:
    """Those of the table, up to their longest form."""
    most = {
        Op.L2_NORMALIZATION: 1,
        Op.LOCAL_RESPONSE_NORMALIZATION: 5,
        Op.SOFTMAX: 2,
        Op.RESIZE_BILINEAR: 5,
        Op.RESIZE_NEAREST_NEIGHBOR: 5,
    }
    for op, count in product(Op, range(8)):
        if op is not Op.OEM_OPERATION:
            found = editing.tolerates_more_inputs(Operation(op, tuple(range(count)), (count,)))
            assert found == (count <= most.get(op, -1)), (op.name, count)


def test_nothing_is_known_of_extensions() -> None:
    """Whatever would depend on what an operation takes is left out."""
    operation = Operation(0x10001, (0,), (1,))
    assert editing.tolerates_missing_input(operation, 0)
    assert editing.tolerates_missing_output(operation)
    assert editing.tolerates_more_inputs(operation)
    assert editing.tolerates_more_outputs(operation)
    assert editing.may_have_type(operation, 0, T.INT32, output=False)
