"""Layout, axis, activation and relaxed variations. Expectations are by hand or by the naive loops below.

Source: docs/contract/spec-format.md 6 and 7.
"""

from itertools import product

import numpy as np
import pytest

from nnvet.generators.specs import SpecCase, SpecError
from nnvet.generators.specs.operands import Int32Scalar
from nnvet.generators.specs.variations import AxisConverter
from tests.generators.specs.loading import LoadCases

RANK4 = """
x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.5, 7))
v = Parameter("v", "TENSOR_INT32", "{4}", [10, 20, 30, 40])
layout = BoolScalar("layout", False)
y = Output("y", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.5, 7))
Model().Operation("PAD", x, v, layout).To(y)
example = Example({x: list(range(12)), y: list(range(12))}).DisableLifeTimeVariation()
"""


def test_nchw(load: LoadCases) -> None:
    """Rank 4 is transposed by (0, 3, 1, 2), a vector of four permuted, the flag set, quantisation kept."""
    cases = load(RANK4 + "example.AddNchw(x, y, v, layout)")
    assert list(cases) == ["s_nhwc", "s_nchw"]
    default, nchw = (case.build().main.operands for case in cases.values())
    assert [o.data.tolist() for o in default[1:3]] == [[10, 20, 30, 40], [0]]
    assert nchw[0].dimensions == (1, 3, 2, 2)
    # Channel 0 is every third value from 0 on, channel 1 from 1 on, channel 2 from 2 on.
    assert nchw[0].data.tolist() == [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11]
    assert (nchw[0].scale, nchw[0].zero_point) == (0.5, 7)
    assert [o.data.tolist() for o in nchw[1:3]] == [[10, 40, 20, 30], [1]]


def test_nhwc(load: LoadCases) -> None:
    """The other direction is (0, 2, 3, 1) and clears the flag."""
    cases = load(RANK4 + 'example.AddVariations(("nhwc", [x, v, layout]), includeDefault=False)')
    x, v, layout, _ = cases["s_nhwc"].build().main.operands
    assert x.dimensions == (1, 2, 3, 2)
    # Read as NCHW: channel 0 is 0..5, channel 1 is 6..11.
    assert x.data.tolist() == [0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11]
    assert (v.data.tolist(), layout.data.tolist()) == ([10, 30, 40, 20], [0])


def test_layout_drops_channel_scales(load: LoadCases) -> None:
    """A transposed operand loses its per-channel scales."""
    cases = load("""
        p = SymmPerChannelQuantParams(channelDim=0, scales=[0.5])
        w = Parameter("w", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [1, 1, 1, 1]), [1], extraParams=p)
        x = Input("x", "TENSOR_FLOAT32", "{1}")
        y = Output("y", "TENSOR_FLOAT32", "{1}")
        Model().Operation("CONV_2D", x, w).To(y)
        Example({x: 1, y: 1}).AddNchw(w).DisableLifeTimeVariation()
    """)
    assert [case.build().main.operands[1].channel_quant is None for case in cases.values()] == [False, True]


AXES = """
x = Input("x", "TENSOR_FLOAT32", "{2, 3, 4}")
axis = Int32Scalar("axis", -2)
y = Output("y", "TENSOR_INT32", "{2, 3, 4}")
Model().Operation("SOFTMAX", x, axis).To(y)
example = Example({x: list(range(24)), y: list(range(24))}).DisableLifeTimeVariation()
"""


def moved(origin: int, place: int, dropped: range | tuple[int, ...]) -> tuple[list[int], list[int]]:
    """Naive second implementation: dimensions and values of range(24), shape (2, 3, 4), an axis moved, axes dropped."""
    shape = (2, 3, 4)
    order = [axis for axis in range(3) if axis != origin]
    order.insert(place, origin)
    sizes = [1 if axis in dropped else shape[order[axis]] for axis in range(3)]
    values = []
    for index in product(*(range(size) for size in sizes)):
        at = [0, 0, 0]
        for axis, position in zip(order, index, strict=True):
            at[axis] = position
        values.append(at[0] * 12 + at[1] * 4 + at[2])
    return [size for axis, size in enumerate(sizes) if axis not in dropped], values


def check(case: SpecCase, origin: int, place: int, dropped: range | tuple[int, ...], axis: int) -> None:
    """Compare tensors and the axis operand of one case with the naive implementation."""
    operands = case.build().main.operands
    dimensions, values = moved(origin, place, dropped)
    for tensor in (operands[0], operands[2]):
        assert (list(tensor.dimensions), tensor.data.tolist()) == (dimensions, values)
    assert operands[1].data.tolist() == [axis]


def test_all_axes(load: LoadCases) -> None:
    """AddAllAxis: every target from -dim to dim-1; the name has the axis counted from the front."""
    cases = load(AXES + "example.AddAllAxis(x, axis, y)")
    expected = {f"s_dim3_axis{t % 3}{'_neg' if t < 0 else ''}": t for t in range(-3, 3)}
    assert list(cases) == list(expected)
    for name, target in expected.items():
        check(cases[name], 1, target % 3, (), target)


def test_positive_axes(load: LoadCases) -> None:
    """AddAllPositiveAxis: targets 0 to dim-1."""
    assert list(load(AXES + "example.AddAllPositiveAxis(x, axis, y)")) == [f"s_dim3_axis{t}" for t in range(3)]


def test_listed_axes(load: LoadCases) -> None:
    """AddAxis takes one axis or several, behind the default."""
    assert list(load(AXES + "example.AddAxis(-1, x, axis, y)")) == ["s", "s_dim3_axis2_neg"]
    cases = load(AXES + 'example.AddAxis([0, 2], x, axis, y, defaultName="d")')
    assert list(cases) == ["s_d", "s_dim3_axis0", "s_dim3_axis2"]
    assert cases["s_d"].build().main.operands[1].data.tolist() == [-2]


def test_all_ranks(load: LoadCases) -> None:
    """AddAllDims: axes other than the origin are dropped from the front; the axis is counted again."""
    cases = load(AXES + "example.AddAllDims(x, axis, y)")
    # Origin is axis 1 of 3 (given as -2): nothing, axis 0, axes 0 and 2 dropped.
    expected = {"s_dim3_axis1": ((), 1), "s_dim2_axis0": ((0,), 0), "s_dim1_axis0": ((0, 2), 0)}
    assert list(cases) == list(expected)
    for name, (dropped, axis) in expected.items():
        check(cases[name], 1, 1, dropped, axis)


def test_listed_ranks(load: LoadCases) -> None:
    """AddDims keeps so many dimensions."""
    cases = load(AXES + "example.AddDims([2, 1], x, axis, y)")
    assert list(cases) == ["s", "s_dim2_axis0", "s_dim1_axis0"]
    check(cases["s_dim2_axis0"], 1, 1, (0,), 0)


def test_all_ranks_and_axes(load: LoadCases) -> None:
    """AddAllDimsAndAxis: for each number of dropped leading axes every target, from the front, then from the end."""
    cases = load(AXES + "example.AddAllDimsAndAxis(x, axis, y)")
    plan = [(i, j, target) for i in range(3) for j in range(i, 3) for target in (j, j - 3)]
    names = [f"s_dim{3 - i}_axis{j - i}{'_neg' if target < 0 else ''}" for i, j, target in plan]
    assert list(cases) == names
    for name, (i, j, target) in zip(names, plan, strict=True):
        # Dropped axes lie below the target: a positive axis shrinks, a negative one stays.
        check(cases[name], 1, j, range(i), target if target < 0 else target - i)
    positive = load(AXES + "example.AddAllDimsAndPositiveAxis(x, axis, y)")
    assert list(positive) == [name for name in names if "neg" not in name]


def test_a_negative_axis_with_axes_dropped_above() -> None:
    """A negative axis is raised by the number of dropped axes above it."""
    operand = Int32Scalar("axis", 0)
    variation = AxisConverter(1, -2, 3, [0, 2])
    operand = variation.varied(operand, None)
    assert (operand.value, variation.default_name()) == ([-1], "dim1_axis0_neg")


def test_the_last_axis_is_the_default_origin(load: LoadCases) -> None:
    """Without an axis operand the last axis is moved."""
    cases = load(AXES + "example.AddAllPositiveAxis(x, y)")
    operands = cases["s_dim3_axis0"].build().main.operands
    assert operands[0].data.tolist() == np.moveaxis(np.arange(24).reshape(2, 3, 4), 2, 0).reshape(-1).tolist()
    assert operands[1].data.tolist() == [-2]


ACTIVATION = """
x = Input("x", "TENSOR_FLOAT32", "{4}")
act = Int32Scalar("act", 0)
y = Output("y", "TENSOR_FLOAT32", "{4}")
z = Output("z", ("TENSOR_QUANT8_ASYMM", [4], 0.5, 4))
Model().Operation("ADD", x, act).To(y, z)
example = Example({x: [-3.5, -0.5, 2, 9], y: [-3.5, -0.5, 2, 9], z: [0, 3, 10, 40]}).DisableLifeTimeVariation()
"""


def test_all_activations(load: LoadCases) -> None:
    """Each activation has its code and clamps outputs; bounds of quantised outputs are codes."""
    cases = load(ACTIVATION + "example.AddAllActivations(act, y, z)")
    # Codes of -1, 0, 1 and 6 at scale 0.5 and zero point 4: 2, 4, 6, 16.
    expected = {
        "s_none": (0, [-3.5, -0.5, 2, 9], [0, 3, 10, 40]),
        "s_relu": (1, [0, 0, 2, 9], [4, 4, 10, 40]),
        "s_relu1": (2, [-1, -0.5, 1, 1], [2, 3, 6, 6]),
        "s_relu6": (3, [0, 0, 2, 6], [4, 4, 10, 16]),
    }
    assert list(cases) == list(expected)
    for name, (code, floats, codes) in expected.items():
        _, act, y, z = cases[name].build().main.operands
        assert (act.data.tolist(), y.data.tolist(), z.data.tolist()) == ([code], floats, codes)


def test_relu_and_relaxed(load: LoadCases) -> None:
    """AddRelu and AddRelaxed add one variation behind the default; a cleared flag is called float."""
    assert list(load(ACTIVATION + "example.AddRelu(act, y)")) == ["s", "s_relu"]
    cases = load(ACTIVATION + "example.AddRelaxed().AddRelaxed(False, includeDefault=False)")
    assert {name: case.is_relaxed for name, case in cases.items()} == {"s_float": False, "s_relaxed_float": False}
    relaxed = load(ACTIVATION + 'example.AddRelaxed(defaultName="strict")')
    assert {name: case.build().is_relaxed for name, case in relaxed.items()} == {"s_strict": False, "s_relaxed": True}


def test_groups_apply_in_order(load: LoadCases) -> None:
    """A later group works on what an earlier one made: the clamp sees codes, not floats."""
    cases = load(
        ACTIVATION
        + """
quant = DataTypeConverter(name="q").Identify({y: ("TENSOR_QUANT8_ASYMM", 0.25, 100)})
example.AddVariations(quant, includeDefault=False).AddRelu(act, y, includeDefault=False)
"""
    )
    # -3.5/0.25+100 = 86, -0.5/0.25+100 = 98, 2/0.25+100 = 108, 9/0.25+100 = 136, clamped from 100 on
    assert cases["s_q_relu"].build().main.operands[2].data.tolist() == [100, 100, 108, 136]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (AXES + "example.AddNchw(x)", "DataLayoutConverter cannot convert operand 'x'"),
        (AXES + "example.AddRelu(x)", "it is no output"),
        (AXES + "example.AddAxis(3, x, axis)", "cannot move"),
        (AXES + 'example.AddAxis(0, x, Internal("h", "INT32", ""))', "has no value"),
        (RANK4 + "example.AddAxis(0, x, v)", "must have one rank"),
        (RANK4 + 'example.AddVariations(DataLayoutConverter("nwhc"))', "no data layout"),
        (RANK4 + 'example.AddNchw(Input("z", "INT32", ""))', "'z' is not in the model"),
    ],
)
def test_bad_targets(load: LoadCases, text: str, message: str) -> None:
    """Operands that a variation cannot change, or that the model does not have, are refused."""
    with pytest.raises(SpecError, match=message):
        load(text)


@pytest.mark.parametrize("call", ["AddNchw(x)", "AddAllAxis(x)", "AddRelu(y)"])
def test_variations_without_subgraph_support(load: LoadCases, call: str) -> None:
    """Layout, axis and activation variations refuse models with subgraphs."""
    with pytest.raises(SpecError, match="cannot vary a model with subgraphs"):
        load(f"""
x, y = Input("x", "TENSOR_FLOAT32", "{{1, 1, 1, 1}}"), Output("y", "TENSOR_FLOAT32", "{{1}}")
inner = Model()
Model().Operation("IF", x, inner).To(y)
Example({{x: 1, y: 1}}).{call}
""")
