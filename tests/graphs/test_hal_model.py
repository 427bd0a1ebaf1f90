"""HAL models and requests made from test models. Expected layouts are by hand from docs/contract/spec-format.md 11."""

from contextlib import closing
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.graphs.editor import map_operands, with_operand, with_unknown_output_dimensions
from nnvet.graphs.hal_model import build_model, can_be_short, close_pools, pack_request
from nnvet.graphs.model import TestModel, TestOperand, TestOperation, TestSubgraph
from nnvet.hal.memory import mapped
from nnvet.hal.types import (
    DataLocation,
    OperandLifeTime,
    OperandType,
    OperationType,
    RequestArgument,
    SymmPerChannelQuantParams,
)

KIND, LIFE = OperandType, OperandLifeTime


def tensor(lifetime: LIFE, values: list[int] | None, kind: KIND = KIND.TENSOR_QUANT8_ASYMM, **more: Any) -> TestOperand:
    """A one-dimensional operand with the given bytes."""
    dtype = np.int32 if kind == KIND.TENSOR_INT32 else np.uint8
    data = None if values is None else np.array(values, dtype)
    return TestOperand(kind, (len(values or []),), lifetime=lifetime, data=data, **more)


@pytest.fixture
def test() -> TestModel:
    """A test with constants of both kinds in two subgraphs, an omitted input and a zero-sized output."""
    scales = SymmPerChannelQuantParams((0.5,), 0)
    inner = TestSubgraph(
        (tensor(LIFE.CONSTANT_COPY, [7]), tensor(LIFE.CONSTANT_REFERENCE, [8, 9])),
        (TestOperation(OperationType.ADD, (0, 1), ()),),
        (),
        (),
    )
    main = TestSubgraph(
        (
            tensor(LIFE.SUBGRAPH_INPUT, [1, 2, 3, 4, 5], scale=0.5, zero_point=3),
            tensor(LIFE.CONSTANT_COPY, [1, 2, 3], channel_quant=scales),
            tensor(LIFE.CONSTANT_REFERENCE, [4, 5]),
            tensor(LIFE.CONSTANT_COPY, [6], KIND.TENSOR_QUANT8_SYMM_PER_CHANNEL, channel_quant=scales),
            tensor(LIFE.CONSTANT_COPY, []),
            TestOperand(KIND.SUBGRAPH, lifetime=LIFE.SUBGRAPH, data=np.array([0], np.uint32)),
            tensor(LIFE.NO_VALUE, None),
            tensor(LIFE.SUBGRAPH_INPUT, []),
            tensor(LIFE.SUBGRAPH_INPUT, [-1, 2], KIND.TENSOR_INT32),
            tensor(LIFE.SUBGRAPH_OUTPUT, [1, 2, 3]),
            tensor(LIFE.SUBGRAPH_OUTPUT, []),
            tensor(LIFE.SUBGRAPH_OUTPUT, [70_000], KIND.TENSOR_INT32),
        ),
        (TestOperation(OperationType.IF, (5, 0, 1, 0), (9,)),),
        (0, 7, 8),
        (9, 10, 11),
    )
    return TestModel("t", main, (inner,), is_relaxed=True)


def test_constants_are_aligned_and_shared_by_all_subgraphs(test: TestModel) -> None:
    """Copies lie in operand_values, references in pool 0, main first, each at a multiple of four."""
    model = build_model(test)
    assert model.operand_values == bytes([1, 2, 3, 0, 6, 0, 0, 0, 7, 0, 0, 0])
    (pool,) = model.pools
    with mapped(pool, writable=False) as view:
        assert bytes(view) == bytes([4, 5, 0, 0, 8, 9, 0, 0])
    close_pools(model)
    places = [[operand.location for operand in graph.operands] for graph in (model.main, *model.referenced)]
    assert places[0][1:6] == [
        DataLocation(length=3),
        DataLocation(length=2),
        DataLocation(offset=4, length=1),
        DataLocation(),
        DataLocation(),
    ]
    assert places[1] == [DataLocation(offset=8, length=1), DataLocation(offset=4, length=2)]
    assert places[0][6:] == [DataLocation()] * 6


def test_operands_keep_what_the_hal_knows(test: TestModel) -> None:
    """Types, quantisation and counts are copied; an empty constant has no value; scales go with one type only."""
    model = build_model(test)
    close_pools(model)
    first, _, _, filters, empty, _, absent, *_ = model.main.operands
    assert (first.type, first.dimensions, first.scale, first.zero_point, first.number_of_consumers) == (
        KIND.TENSOR_QUANT8_ASYMM,
        (5,),
        0.5,
        3,
        2,
    )
    assert [o.lifetime for o in (empty, absent)] == [LIFE.NO_VALUE, LIFE.NO_VALUE]
    assert (model.main.operands[1].extra_params, filters.extra_params.scales) == (None, (0.5,))
    assert model.relax_computation_float32_to_float16 is True
    assert (model.main.input_indexes, model.main.output_indexes) == ((0, 7, 8), (9, 10, 11))
    assert [(o.type, o.inputs, o.outputs) for o in model.main.operations] == [(OperationType.IF, (5, 0, 1, 0), (9,))]


def test_the_number_of_the_referenced_subgraph_is_its_offset(test: TestModel) -> None:
    """A SUBGRAPH operand says its index as location.offset."""
    reference = replace(test.main.operands[5], data=np.array([3], np.uint32))
    model = build_model(replace(test, main=with_operand(test.main, 5, reference)))
    close_pools(model)
    assert model.main.operands[5].location == DataLocation(pool_index=0, offset=3, length=0)


def test_a_model_without_references_has_no_pool(test: TestModel) -> None:
    """No CONSTANT_REFERENCE, no pool."""

    def copied(operand: TestOperand) -> TestOperand:
        shared = operand.lifetime == LIFE.CONSTANT_REFERENCE
        return replace(operand, lifetime=LIFE.CONSTANT_COPY) if shared else operand

    without = map_operands(test, copied)
    assert build_model(without).pools == ()


def test_requests_at_hidl_levels(test: TestModel) -> None:
    """Arguments lie at multiples of four, without padding; nothing is passed for an omitted input."""
    with closing(pack_request(test)) as packed:
        assert packed.request.inputs == (
            RequestArgument(location=DataLocation(0, 0, 5)),
            RequestArgument(has_no_value=True),
            RequestArgument(location=DataLocation(0, 8, 8)),
        )
        assert packed.request.outputs == (
            RequestArgument(location=DataLocation(1, 0, 3)),
            RequestArgument(location=DataLocation(1, 4, 1)),
            RequestArgument(location=DataLocation(1, 8, 4)),
        )
        assert packed.request.pools == (packed.input_pool, packed.output_pool)
        assert (packed.input_pool.size, packed.output_pool.size) == (16, 12)
        with mapped(packed.input_pool, writable=False) as view:
            assert bytes(view) == bytes([1, 2, 3, 4, 5, 0, 0, 0, 255, 255, 255, 255, 2, 0, 0, 0])


def test_requests_at_aidl_levels(test: TestModel) -> None:
    """Arguments lie at multiples of 64 and say how far their padding goes."""
    with closing(pack_request(test, alignment=64, padding=64)) as packed:
        places = [argument.location for argument in (*packed.request.inputs, *packed.request.outputs)]
        assert places[0] == DataLocation(0, 0, 5, 59)
        assert places[2:] == [
            DataLocation(0, 64, 8, 56),
            DataLocation(1, 0, 3, 61),
            DataLocation(1, 64, 1, 63),
            DataLocation(1, 128, 4, 60),
        ]
        assert (packed.input_pool.size, packed.output_pool.size) == (128, 192)


@pytest.mark.parametrize(("padding", "place"), [(1, DataLocation(1, 0, 2, 0)), (64, DataLocation(1, 0, 2, 62))])
def test_short_outputs(test: TestModel, padding: int, place: DataLocation) -> None:
    """Output 0 loses one byte, to the padding where there is some; the others keep their place."""
    with (
        closing(pack_request(test, padding=padding)) as whole,
        closing(pack_request(test, padding=padding, short_output=True)) as packed,
    ):
        assert packed.request.outputs[0].location == place
        assert packed.request.outputs[1:] == whole.request.outputs[1:]


def test_outputs_that_cannot_be_short(test: TestModel) -> None:
    """An output of one byte, or of none, is not shortened."""
    assert can_be_short(test)
    for index in (10, 3):
        short = replace(test, main=replace(test.main, output_indexes=(index,)))
        assert not can_be_short(short)
        with pytest.raises(ValueError, match="cannot be made shorter"):
            pack_request(short, short_output=True)


def test_outputs_are_read_back(test: TestModel) -> None:
    """Outputs that a driver writes into the pool come back with the types of the expected outputs."""
    with closing(pack_request(test)) as packed:
        with mapped(packed.output_pool) as view:
            view[:3] = bytes([9, 8, 7])
            view[8:12] = (-5).to_bytes(4, "little", signed=True)
        arrays = packed.output_arrays(test.main.outputs)
        assert [(array.dtype, array.tolist()) for array in arrays] == [
            (np.uint8, [9, 8, 7]),
            (np.uint8, []),
            (np.int32, [-5]),
        ]
        assert packed.output_bytes()[0] == bytes([9, 8, 7])


def test_unknown_output_dimensions(test: TestModel) -> None:
    """The dynamic form has zeros for all dimensions of outputs, while buffers keep their size."""
    output = replace(test.main.operands[9], dimensions=(1, 3))
    test = replace(test, main=with_operand(test.main, 9, output))
    dynamic = with_unknown_output_dimensions(test)
    model = build_model(dynamic)
    close_pools(model)
    assert [model.main.operands[index].dimensions for index in model.main.output_indexes] == [(0, 0), (0,), (0,)]
    assert test.main.operands[9].dimensions == (1, 3)
    with closing(pack_request(dynamic)) as packed:
        assert packed.request.outputs[0].location.length == 3


def test_a_request_without_any_bytes(test: TestModel) -> None:
    """Pools are there, and can be mapped, even if every input is omitted."""
    empty = replace(test, main=replace(test.main, input_indexes=(7,)))
    with closing(pack_request(empty)) as packed, mapped(packed.input_pool) as view:
        assert len(view) == 1
