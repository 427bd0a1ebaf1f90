"""The reader of ONNX models: the node tests that ship with ``onnx``, and refusals with operator, node and reason."""

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.conformance.engine.driver import open_subject
from nnvet.conformance.engine.locating import run
from nnvet.conformance.engine.target import Target
from nnvet.formats.errors import ModelFileError
from nnvet.formats.onnx.operators import FUNCTIONS
from nnvet.formats.onnx.reader import import_onnx
from nnvet.graphs.editor import with_operands
from nnvet.graphs.hal_model import read_model
from nnvet.graphs.model import TestModel, element_type
from nnvet.hal.enums import OperationType

onnx = pytest.importorskip("onnx", reason="needs the extra onnx")
HALF = 1e-2
"""Tolerance of float16, relative and absolute."""


def model_of(
    nodes: Sequence[Any], shapes: tuple[Sequence[int], Sequence[int]], constants: Mapping[str, Any], opset: int
) -> bytes:
    """A model of one float32 input ``x`` and output ``y``, of these shapes."""
    helper = onnx.helper
    kind = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "test",
        [helper.make_tensor_value_info("x", kind, shapes[0])],
        [helper.make_tensor_value_info("y", kind, shapes[1])],
        [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    content: bytes = made.SerializeToString()
    return content


def read(content: bytes, values: Mapping[str, Any], constants: Mapping[str, Any] | None = None) -> TestModel:
    """The model as a test with the values of its inputs."""
    with import_onnx(content, constants=constants) as imported:
        test = read_model(imported.model, "onnx")
        names = [described.name for described in imported.inputs]
    operands = test.main.operands
    changed = {
        index: replace(operands[index], data=np.ravel(values[name]).astype(element_type(operands[index].type)))
        for index, name in zip(test.main.input_indexes, names, strict=True)
    }
    return replace(test, main=with_operands(test.main, changed))


def test_a_network_of_several_nodes_computes_what_onnx_says() -> None:
    """Convolution with constant weights, normalisation, pooling and a product, against onnx's own evaluator."""
    rng = np.random.default_rng(0)
    node = onnx.helper.make_node
    nodes = [
        node("Conv", ["x", "w", "b"], ["c"], pads=[1, 0, 0, 1], strides=[2, 1]),
        node("BatchNormalization", ["c", "s", "t", "m", "v"], ["n"]),
        node("MaxPool", ["n"], ["p"], kernel_shape=[2, 2]),
        node("Flatten", ["p"], ["f"]),
        node("Gemm", ["f", "g", "h"], ["y"], alpha=0.5, transB=1),
    ]
    shapes = {"w": (4, 3, 2, 3), "b": (4,), "s": (4,), "t": (4,), "m": (4,), "g": (5, 4 * 2 * 4), "h": (5,)}
    constants = {name: rng.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}
    constants["v"] = rng.uniform(0.5, 1, 4).astype(np.float32)
    content = model_of(nodes, ((2, 3, 6, 6), (2, 5)), constants, 17)
    x = rng.uniform(-1, 1, (2, 3, 6, 6)).astype(np.float32)
    with open_subject(Target("reference", in_process=True)) as subject:
        test = read(content, {"x": x})
        (found,) = run(subject, test)
    assert OperationType.TRANSPOSE not in [operation.type for operation in test.main.operations], "weights are constant"
    (wanted,) = pytest.importorskip("onnx.reference").ReferenceEvaluator(content).run(None, {"x": x})
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("operator", "attributes", "opset", "reason"),
    [
        ("Asin", {}, 17, r"model: Asin \(here\): it has no form in the contract"),
        ("DepthToSpace", {"blocksize": 2, "mode": "CRD"}, 17, r"DepthToSpace \(here\): mode CRD has no form"),
        ("Softmax", {"axis": 1}, 11, r"Softmax \(here\): before opset 13 it is over several axes at once"),
        ("Relu", {}, 6, r"opset 6 is not known"),
    ],
)
def test_refusals_name_operator_node_and_reason(
    operator: str, attributes: dict[str, Any], opset: int, reason: str
) -> None:
    """Each in one line."""
    node = onnx.helper.make_node(operator, ["x"], ["y"], name="here", **attributes)
    output = (1, 1, 4, 4) if operator == "DepthToSpace" else (1, 4, 2, 2)
    with pytest.raises(ModelFileError, match=reason):
        import_onnx(model_of([node], ((1, 4, 2, 2), output), {}, opset))


def test_what_is_no_model_is_refused() -> None:
    """Bytes of something else."""
    with pytest.raises(ModelFileError, match="model is no valid ONNX model"):
        import_onnx(b"no model at all")


def node_tests() -> Iterator[Any]:
    """The node tests of ``onnx`` whose operators the reader claims."""
    loader = pytest.importorskip("onnx.backend.test.loader")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        everything = loader.load_model_tests(kind="node")
    for one in everything:
        if {node.op_type for node in one.model.graph.node} <= FUNCTIONS.keys() | {"Constant"}:
            yield one


def agrees(found: Any, wanted: Any, one: Any) -> bool:
    """Return True if a result is the wanted one within the test's tolerance; scalars have one element."""
    array = np.asarray(wanted)
    if found.shape != (array.shape or (1,)):
        return False
    relative, absolute = (HALF, HALF) if array.dtype == np.float16 else (one.rtol, max(one.atol, 1e-6))
    got, right = (np.ravel(side).astype(np.float64) for side in (found, array))
    return np.allclose(got, right, rtol=relative, atol=absolute, equal_nan=True)


@pytest.mark.long
def test_the_node_tests_of_onnx_are_right_or_refused_with_a_reason() -> None:
    """Shapes, axes and the like are given as constants, as networks have them."""
    counts: Counter[str] = Counter()
    wrong = []
    with open_subject(Target("reference", in_process=True)) as subject:
        for one in node_tests():
            inputs, outputs = one.data_sets[0]
            values = dict(zip([value.name for value in one.model.graph.input], inputs, strict=True))
            arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
            is_parameter = one.model.graph.node[0].op_type in ("Clip", "Pad")
            constants = {
                name: value
                for place, (name, value) in enumerate(arrays.items())
                if value.dtype == np.int64 or (is_parameter and place)
            }
            try:
                test = read(one.model.SerializeToString(), values, constants)
            except ModelFileError:
                counts["refused"] += 1
                continue
            found = run(subject, test)
            right = len(found) == len(outputs) and all(map(agrees, found, outputs, [one] * len(found)))
            counts["right"] += right
            wrong += [] if right else [one.name]
    assert wrong == []
    assert counts["right"] >= LEAST_RIGHT, counts


LEAST_RIGHT = 370
"""Of some 700 node tests; a later version of ``onnx`` has more."""
