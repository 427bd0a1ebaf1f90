"""Predicates and conversions of test models. Expectations are by hand from docs/contract/spec-format.md 11 and 13."""

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.generators.random_graphs.golden import (
    convert_to_float32_model,
    set_expected_outputs_from_float32_results,
)
from nnvet.graphs.editor import (
    consumers,
    convert_quant8_asymm_operands_to_signed,
    with_operations,
    with_unknown_output_dimensions,
)
from nnvet.graphs.model import (
    TestModel,
    TestOperand,
    TestOperation,
    TestSubgraph,
    has_quant8_coupled_operands,
    has_scalar_outputs,
    has_zero_sized_output,
    is_infinite_loop_timeout_test,
    operation_code,
    operation_name,
)
from nnvet.hal.types import OperandLifeTime, OperandType, OperationType

KIND, LIFE, OP = OperandType, OperandLifeTime, OperationType


def model(
    operation: OP, *operands: TestOperand, outputs: int = 1, referenced: tuple[TestSubgraph, ...] = ()
) -> TestModel:
    """A model of one operation that takes all operands and writes the last ones."""
    indexes = tuple(range(len(operands)))
    inputs, written = indexes[:-outputs], indexes[-outputs:]
    results = (replace(result, lifetime=LIFE.SUBGRAPH_OUTPUT) for result in operands[-outputs:])
    graph = TestSubgraph(
        (*operands[:-outputs], *results), (TestOperation(operation, inputs, written),), inputs, written
    )
    return TestModel("m", graph, referenced)


def operand(kind: KIND, values: list[float], dtype: str, scale: float = 0.0, zero_point: int = 0) -> TestOperand:
    """An input with values."""
    data = np.array(values, dtype)
    return TestOperand(
        kind, (len(values),), scale=scale, zero_point=zero_point, lifetime=LIFE.SUBGRAPH_INPUT, data=data
    )


def quant8(values: list[int], scale: float = 0.5, zero_point: int = 10) -> TestOperand:
    """A TENSOR_QUANT8_ASYMM."""
    return operand(KIND.TENSOR_QUANT8_ASYMM, values, "uint8", scale, zero_point)


def real(values: list[float]) -> TestOperand:
    """A TENSOR_FLOAT32."""
    return operand(KIND.TENSOR_FLOAT32, values, "float32")


@pytest.mark.parametrize(
    "operation", [OP.HASHTABLE_LOOKUP, OP.LSH_PROJECTION, OP.PAD_V2, OP.CAST, OP.QUANTIZED_16BIT_LSTM]
)
def test_uncoupled_operations(operation: OP) -> None:
    """Five operations may take TENSOR_QUANT8_ASYMM without a signed form."""
    assert not has_quant8_coupled_operands(model(operation, quant8([1]), quant8([1])))


def test_coupled_operations() -> None:
    """Any other operation with a TENSOR_QUANT8_ASYMM input or output, also in a referenced subgraph, is coupled."""
    assert has_quant8_coupled_operands(model(OP.DEQUANTIZE, quant8([1]), real([1])))
    assert has_quant8_coupled_operands(model(OP.QUANTIZE, real([1]), quant8([1])))
    plain = model(OP.RELU, real([1]), real([1]))
    assert not has_quant8_coupled_operands(plain)
    inner = model(OP.RELU, quant8([1]), quant8([1])).main
    assert has_quant8_coupled_operands(replace(plain, referenced=(inner,)))


def test_scalar_outputs() -> None:
    """RANK, IF and WHILE in any subgraph may write scalars."""
    for operation in (OP.RANK, OP.IF, OP.WHILE):
        inner = model(operation, real([1]), real([1]))
        assert has_scalar_outputs(inner)
        assert has_scalar_outputs(model(OP.ABS, real([1]), real([1]), referenced=(inner.main,)))
    assert not has_scalar_outputs(model(OP.ABS, real([1]), real([1])))


def test_infinite_loops() -> None:
    """Only a failing model whose first operation is WHILE is an infinite loop."""
    loop, other = (model(operation, real([1]), real([1])) for operation in (OP.WHILE, OP.IF))
    assert not is_infinite_loop_timeout_test(loop)
    loop, other = replace(loop, expect_failure=True), replace(other, expect_failure=True)
    assert (is_infinite_loop_timeout_test(loop), is_infinite_loop_timeout_test(other)) == (True, False)


def test_zero_sized_outputs() -> None:
    """An output with a dimension of zero has no bytes."""
    assert has_zero_sized_output(model(OP.ABS, real([1]), real([])))
    assert not has_zero_sized_output(model(OP.ABS, real([]), real([1])))


def test_consumers_count_slots() -> None:
    """An operand used twice by one operation has two consumers there."""
    graph = TestSubgraph((), (TestOperation(0, (0, 0, 1), (2,)), TestOperation(0, (2, 1), (3,))), (), ())
    assert consumers(graph) == {0: 2, 1: 2, 2: 1}


def test_operation_names() -> None:
    """Codes and names are the HAL's, plus the experimental DENSIFY."""
    assert (operation_code("L2_POOL_2D"), operation_code("REVERSE"), operation_code("DENSIFY")) == (12, 105, 20000)
    assert [operation_name(code) for code in (12, 105, 20000, 70000)] == [
        "L2_POOL_2D",
        "REVERSE",
        "DENSIFY",
        "operation 0x11170",
    ]
    with pytest.raises(ValueError, match="no operation 'L2_POOL'"):
        operation_code("L2_POOL")


def test_signed_form() -> None:
    """Every unsigned operand, inner ones too, moves by 128; other types and the original stay."""
    inner = model(OP.RELU, quant8([128]), quant8([0])).main
    original = model(OP.ADD, quant8([0, 10, 255]), real([1]), quant8([1], 0.25, 255), referenced=(inner,))
    signed = convert_quant8_asymm_operands_to_signed(original)
    first, second, third = signed.main.operands
    assert (first.type, first.scale, first.zero_point) == (KIND.TENSOR_QUANT8_ASYMM_SIGNED, 0.5, -118)
    assert (first.data.dtype, first.data.tolist()) == (np.int8, [-128, -118, 127])
    assert (second.type, third.zero_point, third.lifetime) == (KIND.TENSOR_FLOAT32, 127, LIFE.SUBGRAPH_OUTPUT)
    assert [o.data.tolist() for o in signed.referenced[0].operands] == [[0], [-128]]
    assert (original.main.operands[0].zero_point, original.main.operands[0].data.tolist()) == (10, [0, 10, 255])


def test_unknown_dimensions_of_inner_outputs() -> None:
    """VTS hides the shapes of main outputs only, CTS those of inner ones too."""
    inner = model(OP.RELU, real([1]), real([1])).main
    original = model(OP.ADD, real([1]), real([1, 2]), referenced=(inner,))
    shapes = {}
    for referenced in (False, True):
        dynamic = with_unknown_output_dimensions(original, referenced=referenced)
        shapes[referenced] = [graph.outputs[0].dimensions for graph in dynamic.subgraphs]
    assert shapes == {False: [(0,), (1,)], True: [(0,), (0,)]}
    assert dynamic.main.inputs[0].dimensions == (1,)


def test_float32_form() -> None:
    """Quantised and float16 operands become float32; booleans, indices and plain int32 stay."""
    original = model(
        OP.SELECT,
        quant8([10, 13]),
        operand(KIND.TENSOR_QUANT8_ASYMM_SIGNED, [-128], "int8", 0.25, -128),
        operand(KIND.TENSOR_QUANT16_ASYMM, [65535], "uint16", 1.0, 1),
        operand(KIND.TENSOR_QUANT16_SYMM, [-4], "int16", 0.5),
        operand(KIND.TENSOR_FLOAT16, [0.1], "float16"),
        operand(KIND.TENSOR_INT32, [6], "int32", 0.5),
        operand(KIND.TENSOR_INT32, [6], "int32"),
        operand(KIND.TENSOR_BOOL8, [1], "uint8"),
        TestOperand(KIND.FLOAT16, data=None),
        quant8([12]),
    )
    converted = convert_to_float32_model(original)
    seen = [
        (o.type, o.scale, o.zero_point, None if o.data is None else o.data.tolist()) for o in converted.main.operands
    ]
    assert seen == [
        (KIND.TENSOR_FLOAT32, 0.0, 0, [0.0, 1.5]),
        (KIND.TENSOR_FLOAT32, 0.0, 0, [0.0]),
        (KIND.TENSOR_FLOAT32, 0.0, 0, [65534.0]),
        (KIND.TENSOR_FLOAT32, 0.0, 0, [-2.0]),
        (KIND.TENSOR_FLOAT32, 0.0, 0, [1638 / 2**14]),  # 0.1 in binary16 is 1638 * 2**-14
        (KIND.TENSOR_FLOAT32, 0.0, 0, [3.0]),
        (KIND.TENSOR_INT32, 0.0, 0, [6]),
        (KIND.TENSOR_BOOL8, 0.0, 0, [1]),
        (KIND.FLOAT32, 0.0, 0, None),
        (KIND.TENSOR_FLOAT32, 0.0, 0, [1.0]),
    ]
    assert original.main.operands[0].type == KIND.TENSOR_QUANT8_ASYMM


def test_float32_form_of_a_pad_value() -> None:
    """The INT32 pad value of PAD_V2 is a code of input 0."""
    paddings, pad = operand(KIND.TENSOR_INT32, [1, 1], "int32"), operand(KIND.INT32, [14], "int32")
    scalar = replace(pad, dimensions=())
    converted = convert_to_float32_model(model(OP.PAD_V2, quant8([10]), paddings, scalar, quant8([10])))
    assert (converted.main.operands[2].type, converted.main.operands[2].data.tolist()) == (KIND.FLOAT32, [2.0])
    assert converted.main.operands[1].type == KIND.TENSOR_INT32


def test_models_without_float32_form() -> None:
    """Four operations, several operations and referenced subgraphs have none; nor have symmetric codes."""
    for operation in (OP.DEQUANTIZE, OP.QUANTIZE, OP.CAST, OP.HASHTABLE_LOOKUP):
        assert convert_to_float32_model(model(operation, real([1]), real([1]))) is None
    single = model(OP.RELU, real([1]), real([1]))
    double = replace(single, main=with_operations(single.main, 2 * single.main.operations))
    assert convert_to_float32_model(double) is None
    assert convert_to_float32_model(model(OP.RELU, real([1]), real([1]), referenced=(double.main,))) is None
    for kind in (KIND.TENSOR_QUANT8_SYMM, KIND.TENSOR_QUANT8_SYMM_PER_CHANNEL):
        assert convert_to_float32_model(model(OP.PRELU, operand(kind, [1], "int8"), real([1]))) is None


def test_results_back_in_the_original_types() -> None:
    """Codes round half away from zero and are clamped; other types are cast or copied."""
    original = model(
        OP.SPLIT,
        real([1]),
        quant8([0] * 6),
        operand(KIND.TENSOR_QUANT8_ASYMM_SIGNED, [0, 0], "int8", 1.0, 5),
        operand(KIND.TENSOR_INT32, [0, 0], "int32", 0.5),
        operand(KIND.TENSOR_INT32, [0], "int32"),
        operand(KIND.TENSOR_FLOAT16, [0], "float16"),
        operand(KIND.TENSOR_BOOL8, [0], "uint8"),
        outputs=6,
    )
    results = [
        # In units of 0.5: 0.5, 1.5, -0.5, -2.5, then far out on both sides; the zero point is 10.
        np.array([[0.25, 0.75, -0.25], [-1.25, 1e9, -1e9]], np.float32),
        np.array([122.5, -133.5], np.float32),
        np.array([1.25, -0.25], np.float32),
        np.array([7], np.int32),
        np.array([0.1], np.float32),
        np.array([1], np.uint8),
    ]
    outputs = set_expected_outputs_from_float32_results(original, results).main.outputs
    assert [(o.data.dtype, o.data.tolist()) for o in outputs] == [
        (np.uint8, [11, 12, 9, 7, 255, 0]),
        (np.int8, [127, -128]),
        (np.int32, [3, -1]),
        (np.int32, [7]),
        (np.float16, [1638 / 2**14]),
        (np.uint8, [1]),
    ]
    assert original.main.outputs[0].data.tolist() == [0] * 6
