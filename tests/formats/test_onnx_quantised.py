"""Quantised ONNX graphs become quantised operations, and compute what the graph says within a code."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from nnvet.conformance.engine.driver import open_subject
from nnvet.conformance.engine.locating import run
from nnvet.conformance.engine.target import Target
from nnvet.formats.errors import ModelFileError
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import OperandType, OperationType
from tests.formats.onnx_nodes import read

onnx = pytest.importorskip("onnx", reason="needs the extra onnx")
RNG = np.random.default_rng(5)


class Step(NamedTuple):
    """An operator in float: its inputs are the value before it and constants."""

    operator: str
    attributes: Mapping[str, Any]
    scale: float


class Graph:
    """A graph of operators in 8 bits, in the form that exporters write."""

    def __init__(self, kind: type, zero: int) -> None:
        """Codes of activations are of a ``kind``, and have a ``zero`` point."""
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}
        self.kind, self.zero = kind, zero

    def node(self, operator: str, inputs: Sequence[str], **attributes: Any) -> str:
        """A node; returns the name of its output."""
        name = f"v{len(self.nodes)}"
        self.nodes.append(onnx.helper.make_node(operator, inputs, [name], **attributes))
        return name

    def constant(self, value: Any) -> str:
        """A constant."""
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(value)
        return name

    def coded(self, source: str, scale: float) -> str:
        """A value, quantised and read again."""
        ends = [self.constant(np.float32(scale)), self.constant(self.kind(self.zero))]
        return self.node("DequantizeLinear", [self.node("QuantizeLinear", [source, *ends]), *ends])

    def weights(self, shape: Sequence[int], kind: type, zero: int, axis: int | None) -> tuple[str, Any]:
        """Constant codes, read with a scale for all, or one for each index of an axis; and the scales."""
        limits = np.iinfo(kind)
        codes = RNG.integers(limits.min + 1, limits.max, shape, kind, endpoint=True)
        count = () if axis is None else (shape[axis],)
        scale = RNG.uniform(0.01, 0.03, count).astype(np.float32)
        ends = [self.constant(scale), self.constant(np.full(count, zero, kind))]
        attributes = {} if axis is None else {"axis": axis}
        return self.node("DequantizeLinear", [self.constant(codes), *ends], **attributes), scale

    def bias(self, count: int, scales: Any, source: float) -> str:
        """A bias in steps of the product of both scales."""
        steps = np.broadcast_to(scales * np.float32(source), (count,)).astype(np.float32)
        codes = RNG.integers(-3000, 3000, count, np.int32)
        inputs = [self.constant(codes), self.constant(steps), self.constant(np.zeros(count, np.int32))]
        return self.node("DequantizeLinear", inputs, axis=0)

    def finish(self, source: tuple[Any, ...], output: str, kind: int | None = None) -> Any:
        """The model, of a float input ``x``."""
        helper = onnx.helper
        graph = helper.make_graph(
            self.nodes,
            "test",
            [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, source)],
            [helper.make_tensor_value_info(output, kind or onnx.TensorProto.FLOAT, None)],
            [onnx.numpy_helper.from_array(value, name) for name, value in self.constants.items()],
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        return onnx.shape_inference.infer_shapes(made)


def small_network(kind: type, zero: int, weights: tuple[type, int], *, by_channel: bool) -> Any:
    """A convolution with RELU, pooling, a depthwise convolution, a sum, and a product with a matrix."""
    graph = Graph(kind, zero)
    axis = 0 if by_channel else None
    value = graph.coded("x", 1 / 64)
    filters, scales = graph.weights((4, 3, 3, 3), *weights, axis)
    value = graph.node("Conv", [value, filters, graph.bias(4, scales, 1 / 64)], pads=[1, 1, 1, 1])
    value = graph.coded(graph.node("Relu", [value]), 0.06)
    value = graph.coded(graph.node("MaxPool", [value], kernel_shape=[2, 2], strides=[2, 2]), 0.06)
    filters, scales = graph.weights((4, 1, 2, 2), *weights, axis)
    other = graph.coded(graph.node("Conv", [value, filters], group=4, auto_pad="SAME_LOWER"), 0.2)
    value = graph.coded(graph.node("Add", [value, other]), 0.25)
    value = graph.coded(graph.node("Flatten", [value]), 0.25)
    matrix, scales = graph.weights((5, 16), *weights, axis)
    value = graph.node("Gemm", [value, matrix, graph.bias(5, scales, 0.25)], transB=1)
    return graph.finish((1, 3, 4, 4), graph.coded(value, 1.0))


def operations(test: TestModel) -> list[OperationType]:
    """The operations of a test, but for changes of shape."""
    kinds = [OperationType(operation.type) for operation in test.main.operations]
    return [kind for kind in kinds if kind != OperationType.RESHAPE]


def results(model: Any, test: TestModel, values: Mapping[str, Any]) -> tuple[Any, Any]:
    """The result of the bundled driver, and that of the definitions of ``onnx``."""
    with open_subject(Target("reference", in_process=True)) as subject:
        (found,) = run(subject, test)
    (wanted,) = pytest.importorskip("onnx.reference").ReferenceEvaluator(model).run(None, dict(values))
    return found, wanted


@pytest.mark.parametrize("by_channel", [False, True])
@pytest.mark.parametrize(
    ("kind", "zero", "weights"),
    [(np.uint8, 100, (np.uint8, 131)), (np.int8, -9, (np.int8, 0)), (np.uint8, 128, (np.int8, 0))],
)
def test_nodes_are_folded(kind: type, zero: int, weights: tuple[type, int], by_channel: bool) -> None:
    """Each operator is one quantised operation, of the same codes but for one that is rounded the other side."""
    if by_channel and weights[1]:
        weights = (np.uint8, 128)
    model = small_network(kind, zero, weights, by_channel=by_channel)
    values = {"x": RNG.uniform(-2, 2, (1, 3, 4, 4)).astype(np.float32)}
    test = read(model.SerializeToString(), values)
    o = OperationType
    last = o.CONV_2D if by_channel else o.FULLY_CONNECTED
    folded = [o.CONV_2D, o.MAX_POOL_2D, o.DEPTHWISE_CONV_2D, o.ADD, last]
    assert operations(test) == [o.QUANTIZE, *folded, o.DEQUANTIZE]
    found, wanted = results(model, test, values)
    assert np.abs(found - wanted).max() <= 1.0, "one step of the last scale"
    assert np.ptp(wanted) > 20, "the values differ"


def test_what_has_no_quantised_form_is_computed_in_float() -> None:
    """The exponential of codes: DEQUANTIZE, EXP, QUANTIZE."""
    graph = Graph(np.uint8, 128)
    value = graph.coded(graph.node("Exp", [graph.coded("x", 1 / 64)]), 1 / 16)
    model = graph.finish((2, 5), value)
    values = {"x": RNG.uniform(-2, 2, (2, 5)).astype(np.float32)}
    test = read(model.SerializeToString(), values)
    o = OperationType
    assert operations(test) == [o.QUANTIZE, o.DEQUANTIZE, o.EXP, o.QUANTIZE, o.DEQUANTIZE]
    np.testing.assert_allclose(*results(model, test, values), atol=1 / 16)


def test_one_qlinear_operator_is_the_same() -> None:
    """QLinearMatMul of codes on both sides: codes come out, of the given scale and zero point."""
    names = ["x", "s", "z", "w", "t", "u", "r", "v"]
    given = [np.float32(0.02), np.int8(3), None, np.float32(0.03), np.int8(0), np.float32(0.2), np.int8(-5)]
    constants = dict(zip(names[1:], given, strict=True))
    constants["w"] = RNG.integers(-127, 127, (6, 4), np.int8)
    helper = onnx.helper
    graph = helper.make_graph(
        [helper.make_node("QLinearMatMul", names, ["y"])],
        "test",
        [helper.make_tensor_value_info("x", onnx.TensorProto.INT8, (3, 6))],
        [helper.make_tensor_value_info("y", onnx.TensorProto.INT8, (3, 4))],
        [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    x = RNG.integers(-128, 127, (3, 6), np.int8)
    test = read(model.SerializeToString(), {"x": x})
    assert operations(test) == [OperationType.FULLY_CONNECTED]
    output = test.main.operands[test.main.output_indexes[0]]
    kind = OperandType.TENSOR_QUANT8_ASYMM_SIGNED
    assert (output.type, np.float32(output.scale), output.zero_point) == (kind, np.float32(0.2), -5)
    found, _ = results(model, test, {"x": x})
    # By hand, in exact arithmetic.
    exact = (x.astype(np.int64) - 3) @ constants["w"].astype(np.int64) * (0.02 * 0.03 / 0.2) - 5
    assert np.abs(found - np.clip(np.rint(exact), -128, 127)).max() <= 1


def test_codes_are_not_computed_with_as_integers() -> None:
    """A sum of codes is refused with the scale."""
    graph = Graph(np.uint8, 128)
    graph.coded("x", 1 / 64)
    output = graph.node("Add", ["v0", "v0"])
    model = graph.finish((2, 5), output, onnx.TensorProto.UINT8)
    model.graph.output.append(onnx.helper.make_tensor_value_info("v1", onnx.TensorProto.FLOAT, (2, 5)))
    with pytest.raises(ModelFileError, match=r"Add: v0 holds codes of scale 0\.015625, which are computed with"):
        read(model.SerializeToString(), {"x": np.zeros((2, 5), np.float32)})


@pytest.mark.long
@pytest.mark.parametrize("activations", ["QInt8", "QUInt8"])
@pytest.mark.parametrize("name", ["unet", "vit"])
def test_networks_that_onnxruntime_quantises(name: str, activations: str, tmp_path: Path) -> None:
    """Most operations are folded, and the outputs are those of ONNX Runtime but for a few codes."""
    pytest.importorskip("torch", reason="needs the extra torch")
    quantization = pytest.importorskip("onnxruntime.quantization", reason="needs the extra onnx")
    runtime = pytest.importorskip("onnxruntime")
    networks = pytest.importorskip("tests.formats.onnx_networks")
    networks.exported(name, tmp_path / "float.onnx")
    inputs = networks.NETWORKS[name].inputs

    class Reader(quantization.CalibrationDataReader):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            self.left = [inputs]

        def get_next(self) -> Any:
            return self.left.pop() if self.left else None

    quantization.quantize_static(
        tmp_path / "float.onnx",
        tmp_path / "codes.onnx",
        Reader(),
        quant_format=quantization.QuantFormat.QDQ,
        per_channel=True,
        activation_type=quantization.QuantType[activations],
        weight_type=quantization.QuantType.QInt8,
    )
    test = read((tmp_path / "codes.onnx").read_bytes(), inputs)
    kinds = operations(test)
    assert kinds.count(OperationType.CONV_2D) >= (11 if name == "unet" else 6)
    with open_subject(Target("reference", in_process=True)) as subject:
        (found,) = run(subject, test)
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = runtime.InferenceSession(str(tmp_path / "codes.onnx"), options, providers=["CPUExecutionProvider"])
    (wanted,) = session.run(None, inputs)
    step = np.diff(np.unique(wanted)).min()
    assert np.abs(found - wanted).max() <= 4 * step
