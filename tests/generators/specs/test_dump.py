"""Tests of ``dump_spec``: the text it writes, and that loading the text gives the same test again.

Source: docs/contract/spec-format.md 14.
"""

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import asdict

from nnvet.generators.specs import SpecCase, dump_spec, load_spec
from nnvet.graphs.model import TestModel, TestOperand, TestOperation, TestSubgraph
from nnvet.hal.types import FeatureLevel, OperandLifeTime, OperandType, OperationType
from tests.generators.specs.loading import LoadCases

EVERYTHING = """
from math import inf
inner = Model("inner")
a, b = Input("a", "TENSOR_FLOAT32", "{2}"), Output("b", "TENSOR_FLOAT32", "{2}")
nested = Model("nested").Operation("ELU", a, 0.1).To(b)
k = Parameter("k", "TENSOR_BOOL8", "{1}", [True])
inner.Operation("IF", k, nested, nested, a).To(b)
x = Input("x", "TENSOR_FLOAT32", "{2}")
unused = Input("unused", "TENSOR_QUANT16_ASYMM", "{1}, 0.3f, 700")
per_channel = SymmPerChannelQuantParams(channelDim=1, scales=[0.1, 0.2])
w = Parameter("w", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [1, 2]), [-127, 127], extraParams=per_channel)
none = Parameter("none", ("TENSOR_FLOAT32", [3]), value=None)
empty = Parameter("empty", ("TENSOR_INT32", [0]), [])
Configuration.use_shm_for_weights = True
shared = Parameter("shared", "TENSOR_FLOAT16", "{2}", [0.1, -inf])
Configuration.use_shm_for_weights = False
h = Internal("h", "TENSOR_FLOAT32", "{2}")
y = Output("y", "TENSOR_FLOAT32", "{2}")
z = IgnoredOutput("z", "TENSOR_BOOL8", "{2}")
main = Model("main")
main.IdentifyInputs(x, unused)
main.Operation("L2_POOL_2D", h, w, none, empty, shared, Float16Scalar("f", 0.3), True).To(y, z)
main.Operation("IF", k, inner, nested, x).To(h)
main.IntroducedIn("AIDL_V2")
Example({x: [0.1, 1e-45], unused: [], y: [inf, -0.0], z: [0, 0]}).AddVariations("relaxed").ExpectFailure()
"""


def assert_same(first: TestModel, second: TestModel) -> None:
    """Assert that two test models are equal but for their names: bits of all data, types, structure, flags."""
    for field in (
        "is_relaxed",
        "expect_failure",
        "min_supported_version",
        "expected_multinomial_distribution_tolerance",
    ):
        assert getattr(first, field) == getattr(second, field)
    assert len(first.subgraphs) == len(second.subgraphs)
    for graph, other in zip(first.subgraphs, second.subgraphs, strict=True):
        assert (graph.input_indexes, graph.output_indexes) == (other.input_indexes, other.output_indexes)
        assert [asdict(o) for o in graph.operations] == [asdict(o) for o in other.operations]
        for a, b in zip(graph.operands, other.operands, strict=True):
            left, right = asdict(a), asdict(b)
            bits = [
                None if side["data"] is None else (str(side["data"].dtype), side["data"].tobytes())
                for side in (left, right)
            ]
            assert bits[0] == bits[1]
            left["data"] = right["data"] = None
            assert left == right


def reload(model: TestModel, folder: Path) -> TestModel:
    """Dump a test model to a file, and return the only test model that loading the file gives."""
    path = folder / "dumped.mod.py"
    path.write_text(dump_spec(model), encoding="utf-8")
    (case,) = load_spec(path)
    assert case.name == "dumped"
    return case.build()


def test_round_trip_of_everything(load: LoadCases, tmp_path: Path) -> None:
    """Subgraphs, all lifetimes, unused inputs, scales, flags, versions and every bit of data survive a dump."""
    cases: dict[str, SpecCase] = load(EVERYTHING)
    assert [case.min_supported_version for case in cases.values()] == [FeatureLevel.FL6, None]
    for case in cases.values():
        model = case.build()
        assert_same(model, reload(model, tmp_path))


def test_round_trip_of_moved_operands(load: LoadCases, tmp_path: Path) -> None:
    """A model made by lifetime and type variations survives a dump."""
    cases = load("""
        x = Input("x", "TENSOR_FLOAT32", "{2}")
        w = Parameter("w", "TENSOR_FLOAT32", "{2}", [0.1, 0.2])
        y = Output("y", "TENSOR_FLOAT32", "{2}")
        Model().Operation("ADD", x, w, 0).To(y)
        Example({x: [1, 2], y: [3, 4]}).AddVariations("float16", DataTypeConverter("quant8", scale=0.1, zeroPoint=3))
        Example({x: [1, 2], y: [3, 4]}, name="dice").WithMultinomialDistributionTolerance(0.1)
    """)
    assert len(cases) == 13
    for case in cases.values():
        model = case.build()
        assert_same(model, reload(model, tmp_path))


def test_the_text(load: LoadCases) -> None:
    """The dump has the form of the format: header, helper, operands, operations, example, results.

    Source: docs/contract/spec-format.md 14.
    """
    cases = load(
        """
x = Input("x", "TENSOR_QUANT8_ASYMM", "{1}, 0.5f, 3")
p = Parameter("p", "TENSOR_FLOAT32", "{2}", [1.5, -2])
n = Parameter("n", ("TENSOR_FLOAT32", [1]), None)
y = Output("y", "TENSOR_FLOAT32", "{1}")
Model().Operation("L2_POOL_2D", x, p, n, 7).To(y)
Example({x: [4], y: [0.25]})
"""
    )
    text = dump_spec(cases["s"].build(), {"a driver": [np.array([0.5], np.float32)]})
    assert text == (
        """\
# Generated from s. Do not edit.

def from_hex(values):
    return [float.fromhex(value) for value in values]

# Model operands
op0 = Input("op0", ["TENSOR_QUANT8_ASYMM", [1], float.fromhex("0x1.0000000000000p-1"), 3])  # scale 0.500000
op1 = Parameter("op1", ["TENSOR_FLOAT32", [2]], from_hex(['0x1.8000000000000p+0', '-0x1.0000000000000p+1']))\
  # 1.500000, -2.000000
op2 = Parameter("op2", ["TENSOR_FLOAT32", [1]], value=None)
op3 = Parameter("op3", ["INT32", []], [7])
op4 = Output("op4", ["TENSOR_FLOAT32", [1]])

# Model operations
model = Model()
model = model.Operation("L2_POOL_2D", op0, op1, op2, op3).To(op4)
model = model.IntroducedIn("V1_2")

# Example
Example({
    op0: [4],
    # 0.250000
    op4: from_hex(['0x1.0000000000000p-2']),
}).DisableLifeTimeVariation()

# Results from a driver
{
    # 0.500000
    op4: from_hex(['0x1.0000000000000p-1']),
}
"""
    )


def test_results_change_nothing(load: LoadCases, tmp_path: Path) -> None:
    """A dump with results loads like one without."""
    model = load(EVERYTHING)["s_main"].build()
    path = tmp_path / "r.mod.py"
    path.write_text(dump_spec(model, {"one": [o.data for o in model.main.outputs]}), encoding="utf-8")
    assert_same(model, load_spec(path)[0].build())


def test_request_order_survives(tmp_path: Path) -> None:
    """Inputs that are not in the order of operands are renumbered, so that a request keeps its order of inputs."""
    kind, life = OperandType.TENSOR_INT32, OperandLifeTime
    operands = [
        TestOperand(kind, (1,), lifetime=life.SUBGRAPH_INPUT, data=np.array([value], np.int32)) for value in (10, 20)
    ]
    operands.append(TestOperand(kind, (1,), lifetime=life.SUBGRAPH_OUTPUT, data=np.array([10], np.int32)))
    graph = TestSubgraph(tuple(operands), (TestOperation(OperationType.DIV, (0, 1), (2,)),), (1, 0), (2,))
    main = reload(TestModel("swapped", graph), tmp_path).main
    assert [o.data.tolist() for o in main.inputs] == [[20], [10]]
    assert [main.operands[index].data.item() for index in main.operations[0].inputs] == [10, 20]


def test_constants_need_data() -> None:
    """A constant without data cannot be dumped."""
    lost = TestOperand(OperandType.INT32, lifetime=OperandLifeTime.CONSTANT_COPY)
    with pytest.raises(ValueError, match="CONSTANT_COPY has no data"):
        dump_spec(TestModel("lost", TestSubgraph((lost,), (), (), ())))
