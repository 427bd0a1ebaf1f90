"""HAL models read back: what went in comes out, for the bundled corpus and for what it does not have."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from nnvet.generators.specs import find_specs, load_spec
from nnvet.graphs.builder import GraphBuilder, counting_loop
from nnvet.graphs.hal_model import build_model, close_pools, pack_request, read_model
from nnvet.graphs.model import TestModel, TestOperand
from nnvet.hal.types import FeatureLevel, OperandLifeTime, OperandType, OperationType, SymmPerChannelQuantParams

LIFE, KIND = OperandLifeTime, OperandType
CORPUS = Path(__file__).parents[2] / "conformance" / "specs"
SPECS = sorted({*find_specs(CORPUS)[::16], *CORPUS.rglob("extension*.mod.py")})
"""Some of all subjects, and all that use extensions."""
VALUED = (LIFE.CONSTANT_COPY, LIFE.CONSTANT_REFERENCE, LIFE.SUBGRAPH)


def read_back(test: TestModel) -> TestModel:
    """The test by way of the HAL's model and request."""
    model = build_model(test)
    try:
        with closing(pack_request(test)) as packed:
            return read_model(model, test.name, packed.request)
    finally:
        close_pools(model)


def described(operand: TestOperand, *, has_data: bool) -> tuple[object, ...]:
    """All that the HAL knows of an operand; a constant without bytes has no value there."""
    data = operand.data
    lifetime = OperandLifeTime(operand.lifetime)
    if lifetime in VALUED and data is not None and not data.size:
        lifetime, data = LIFE.NO_VALUE, None
    scales = operand.channel_quant if operand.type == KIND.TENSOR_QUANT8_SYMM_PER_CHANNEL else None
    values = None if data is None or not has_data else (data.dtype.str, data.tobytes())
    quantization = (operand.scale, operand.zero_point, scales, operand.extension_data)
    return (operand.type, operand.dimensions, lifetime, *quantization, values)


def assert_same(test: TestModel, read: TestModel) -> None:
    """Same graphs, and same values wherever the HAL has them."""
    assert (read.name, read.is_relaxed, len(read.referenced)) == (test.name, test.is_relaxed, len(test.referenced))
    for graph, other in zip(test.subgraphs, read.subgraphs, strict=True):
        valued = [operand.lifetime in VALUED for operand in graph.operands]
        for index in graph.input_indexes if graph is test.main else ():
            valued[index] = True
        assert [described(operand, has_data=has) for operand, has in zip(graph.operands, valued, strict=True)] == [
            described(operand, has_data=has) for operand, has in zip(other.operands, valued, strict=True)
        ]
        assert [(operation.type, operation.inputs, operation.outputs) for operation in graph.operations] == [
            (operation.type, operation.inputs, operation.outputs) for operation in other.operations
        ]
        assert (graph.input_indexes, graph.output_indexes) == (other.input_indexes, other.output_indexes)


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.name.removesuffix(".mod.py"))
def test_specs_come_back(path: Path) -> None:
    """A spec's cases are the same after the way through the HAL's model."""
    cases = load_spec(path)
    assert cases
    for case in cases:
        test = case.build()
        assert_same(test, read_back(test))


def test_all_kinds_of_operands_come_back() -> None:
    """Constants of both kinds, per-channel scales, an omitted input, an empty constant, subgraphs."""
    graph = GraphBuilder()
    inputs = (
        graph.input_by_channel((2,), [3, -3], SymmPerChannelQuantParams((0.5, 2.0), 0)),
        graph.input(KIND.TENSOR_INT32, (0,), None),
        graph.constant(KIND.TENSOR_FLOAT16, (3,), [1, 2, 3]),
        graph.shared(KIND.TENSOR_QUANT16_ASYMM, (2,), [7, 65535], 0.25, 9),
        graph.constant(KIND.TENSOR_FLOAT32, (0,), None),
        graph.scalar(KIND.BOOL, 1),
        graph.temporary(KIND.TENSOR_FLOAT32, (2, 2)),
    )
    graph.operation(OperationType.CONCATENATION, inputs, graph.output(KIND.TENSOR_FLOAT32, (2,), [1, 2]))
    test = graph.finish("all", FeatureLevel.FL4, counting_loop(3).referenced)
    read = read_back(test)
    assert_same(test, read)
    assert [None if operand.data is None else operand.data.tolist() for operand in read.main.operands] == [
        [3, -3],
        [],
        [1.0, 2.0, 3.0],
        [7, 65535],
        None,
        [1],
        None,
        None,
    ]
    assert_same(counting_loop(5), read_back(counting_loop(5)))


def test_models_without_a_request_have_no_inputs() -> None:
    """Constants are known from the model alone, inputs are not."""
    model = build_model(counting_loop(4))
    read = read_model(model, "loop")
    assert [operand.data for operand in read.main.inputs] == [None, None]
    (step,) = (
        operand.data
        for operand in read.referenced[1].operands
        if operand.lifetime == LIFE.CONSTANT_COPY and operand.dimensions
    )
    np.testing.assert_array_equal(step, np.ones(1, np.float32))
