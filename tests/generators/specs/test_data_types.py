"""DataTypeConverter: names, targets, arithmetic.

Expectations are derived by hand from docs/contract/spec-format.md 7.
"""

from fractions import Fraction

import numpy as np
import pytest

from nnvet.generators.specs import SpecError
from nnvet.generators.specs.operand_type import ChannelScales, intern
from nnvet.generators.specs.operands import convert
from nnvet.hal.types import OperandType
from tests.generators.specs.loading import LoadCases


def spec(values: str, variation: str, size: int = 1) -> str:
    """A spec whose input x has ``values`` and whose example has one variation."""
    return f"""
x = Input("x", "TENSOR_FLOAT32", "{{{size}}}")
k = Float32Scalar("k", 2.5)
h = Internal("h", "TENSOR_FLOAT32", "{{{size}}}")
y = Output("y", "TENSOR_FLOAT32", "{{{size}}}")
Model().Operation("MUL", x, k).To(h).Operation("FLOOR", h).To(y)
Example({{x: {values}, y: {values}}}).AddVariations({variation}, includeDefault=False)
"""


def converted(load: LoadCases, values: list[float], variation: str) -> list[float]:
    """Values of input x after the variation."""
    (case,) = load(spec(repr(values), variation, len(values))).values()
    return case.build().main.inputs[0].data.tolist()


@pytest.mark.parametrize(
    ("variation", "tensor", "scalar"),
    [
        ('"float16"', OperandType.TENSOR_FLOAT16, OperandType.FLOAT16),
        ('"int32"', OperandType.TENSOR_INT32, OperandType.INT32),
        ('DataTypeConverter("quant8", scale=0.5, zeroPoint=3)', OperandType.TENSOR_QUANT8_ASYMM, OperandType.FLOAT32),
        (
            'DataTypeConverter("quant8_signed", None, 0.5, 3)',
            OperandType.TENSOR_QUANT8_ASYMM_SIGNED,
            OperandType.FLOAT32,
        ),
    ],
)
def test_target_types(load: LoadCases, variation: str, tensor: OperandType, scalar: OperandType) -> None:
    """A target type takes every float32 tensor, internal ones too; scalars only for float16 and int32."""
    (case,) = load(spec("[1]", variation)).values()
    operands = case.build().main.operands
    assert [o.type for o in operands] == [tensor, scalar, tensor, tensor]
    quantisation = (0.5, 3) if "quant8" in variation else (0.0, 0)
    assert {(o.scale, o.zero_point) for o in operands if o.type == tensor} == {quantisation}
    assert case.name == "s_" + variation.split('"')[1]


def test_scalars_are_converted(load: LoadCases) -> None:
    """A FLOAT32 scalar becomes a rounded INT32; 2.5 goes to the even 2."""
    (case,) = load(spec("[1]", '"int32"')).values()
    assert case.build().main.operands[1].data.tolist() == [2]


def test_rounding_is_half_to_even_of_the_code(load: LoadCases) -> None:
    """The zero point is added before rounding: with an odd one, halves go the other way."""
    values = [0.25, 0.75, 1.25, -0.25, -0.75]  # 0.5, 1.5, 2.5, -0.5, -1.5 in units of the scale
    even = converted(load, values, 'DataTypeConverter("quant8", scale=0.5, zeroPoint=128)')
    assert even == [128, 130, 130, 128, 126]
    # 127.5, 128.5, 129.5, 126.5, 125.5
    odd = converted(load, values, 'DataTypeConverter("quant8", scale=0.5, zeroPoint=127)')
    assert odd == [128, 128, 130, 126, 126]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("TENSOR_QUANT8_ASYMM", [0, 255]),
        ("TENSOR_QUANT16_ASYMM", [0, 65535]),
        ("TENSOR_QUANT8_ASYMM_SIGNED", [-128, 127]),
    ],
)
def test_clamps(load: LoadCases, kind: str, expected: list[int]) -> None:
    """Asymmetric codes are clamped to their type."""
    variation = f'DataTypeConverter(name="c").Identify({{x: ("{kind}", 1.0, 0)}})'
    assert converted(load, [-1e6, 1e6], variation) == expected


@pytest.mark.parametrize("kind", ["TENSOR_QUANT8_SYMM", "TENSOR_QUANT16_SYMM", "TENSOR_INT32"])
def test_types_without_clamp(load: LoadCases, kind: str) -> None:
    """Symmetric codes and INT32 are not clamped, so that values that do not fit are errors."""
    (case,) = load(spec("[1e10]", f'DataTypeConverter(name="c").Identify({{x: ("{kind}", 1.0)}})')).values()
    with pytest.raises(SpecError, match=f"do not fit {kind}"):
        case.build()


def test_unsigned_scalars_are_clamped_from_below() -> None:
    """UINT32 has a lower limit only."""
    float_scalar, unsigned = intern("FLOAT32", []), intern("UINT32", [])
    assert list(convert([-5.0], float_scalar, unsigned)) == [0]
    assert list(convert([2.0**40], float_scalar, unsigned)) == [2**40]


def test_arithmetic_is_in_single_precision(load: LoadCases) -> None:
    """0.7 / 0.2 is below 3.5 in float64 but exactly 3.5 in float32, which rounds to 4."""
    assert Fraction(0.7) / Fraction(0.2) < Fraction(7, 2)
    assert converted(load, [0.7], 'DataTypeConverter("quant8", scale=0.2, zeroPoint=0)') == [4]


def test_quantised_values_are_dequantised_first() -> None:
    """From codes to other codes: (v - 10) * 0.5 / 0.25 + 100."""
    old = intern("TENSOR_QUANT8_ASYMM", [3], 0.5, 10)
    new = intern("TENSOR_QUANT8_ASYMM", [3], 0.25, 100)
    assert list(convert([10, 12, 0], old, new)) == [100, 104, 80]
    assert list(convert([10, 12, 0], old, intern("TENSOR_FLOAT32", [3]))) == [0.0, 1.0, -5.0]


def test_per_channel_filter_and_bias(load: LoadCases) -> None:
    """Each channel is divided by its scale and clamped to +-127; a hidden scale converts the bias silently."""
    (case,) = load("""
        x = Input("x", "TENSOR_FLOAT32", "{1, 2}")
        w = Parameter("w", "TENSOR_FLOAT32", "{2, 2}", [1, -100, 0.125, 0.375])
        b = Parameter("b", "TENSOR_FLOAT32", "{2}", [1, 1])
        y = Output("y", "TENSOR_FLOAT32", "{1, 2}")
        Model().Operation("FULLY_CONNECTED", x, w, b, 0).To(y)
        channel = DataTypeConverter().Identify({
            x: ("TENSOR_QUANT8_ASYMM", 1.0, 0),
            w: ("TENSOR_QUANT8_SYMM_PER_CHANNEL", 0, 0, SymmPerChannelQuantParams(channelDim=0, scales=[0.5, 0.25])),
            b: ("TENSOR_INT32", 0.0, 0, SymmPerChannelQuantParams(channelDim=0, scales=[0.5, 0.25], hide=True)),
            y: ("TENSOR_QUANT8_ASYMM", 2.0, 0),
        })
        Example({x: [1, 2], y: [3, 4]}).AddVariations(channel, includeDefault=False).DisableLifeTimeVariation()
    """).values()
    assert case.name == "s_channelQuant8"
    x, w, b, _, y = case.build().main.operands
    # 1/0.5, -100/0.5 clamped, 0.125/0.25 = 0.5 to even, 0.375/0.25 = 1.5 to even
    assert w.data.tolist() == [2, -127, 0, 2]
    assert (w.channel_quant.scales, w.channel_quant.channel_dim, w.scale) == ((0.5, 0.25), 0, 0.0)
    assert (b.data.tolist(), b.channel_quant, b.scale) == ([2, 4], None, 0.0)
    assert (x.data.tolist(), y.data.tolist()) == ([1, 2], [2, 2])  # 3/2 and 4/2: 1.5 to even


def test_from_per_channel_codes() -> None:
    """Per-channel codes are multiplied by the scale of their channel, whatever its place."""
    old = intern("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 3], channel_quant=ChannelScales(1, [1, 2, 4]))
    values = convert([1, 1, 1, 2, 2, 2], old, intern("TENSOR_FLOAT32", [2, 3]))
    assert np.asarray(values).tolist() == [1, 2, 4, 2, 4, 8]


@pytest.mark.parametrize(
    ("types", "name"),
    [
        (["TENSOR_INT32", "TENSOR_FLOAT16"], "int32"),
        (["TENSOR_FLOAT16", "TENSOR_QUANT8_ASYMM_SIGNED"], "quant8_signed"),
        (["TENSOR_QUANT8_ASYMM_SIGNED", "TENSOR_QUANT8_ASYMM"], "quant8"),
        (["TENSOR_FLOAT16", "TENSOR_FLOAT32"], "float16"),
        (["TENSOR_FLOAT32", "TENSOR_QUANT16_SYMM"], "float32"),
    ],
)
def test_names_of_explicit_targets(load: LoadCases, types: list[str], name: str) -> None:
    """The first type of the format's order that occurs among the targets names the variation."""
    first, second = (f'("{kind}", 1.0, 0)' if "QUANT" in kind else f'["{kind}"]' for kind in types)
    variation = f"DataTypeConverter().Identify({{x: {first}, y: {second}}})"
    assert list(load(spec("[1]", variation))) == [f"s_{name}"]


def test_zero_sized_and_absent_values_stay(load: LoadCases) -> None:
    """Operands without values change their type only."""
    cases = load("""
        x = Input("x", "TENSOR_FLOAT32", "{0}")
        n = Parameter("n", ("TENSOR_FLOAT32", [3]), None)
        y = Output("y", "TENSOR_FLOAT32", "{0}")
        Model().Operation("ADD", x, n, 0).To(y)
        Example({x: [], y: []}).AddVariations("float16", includeDefault=False)
    """)
    x, n, _, y = cases["s_float16"].build().main.operands
    assert [o.type for o in (x, n, y)] == [OperandType.TENSOR_FLOAT16] * 3
    assert (x.data.size, x.data.dtype, n.data) == (0, np.float16, None)


SUBGRAPH = """
a = Input("a", "TENSOR_FLOAT32", "{1}")
k = Parameter("k", "TENSOR_FLOAT32", "{1}", [4.0])
b = Output("b", "TENSOR_FLOAT32", "{1}")
body = Model("body").Operation("ADD", a, k, 0).To(b)
r = SubgraphReference("r", body)
c = Parameter("c", "TENSOR_BOOL8", "{1}", [True])
x = Input("x", "TENSOR_FLOAT32", "{1}")
y = Output("y", "TENSOR_FLOAT32", "{1}")
Model().Operation("IF", c, r, body, x).To(y)
"""


@pytest.mark.parametrize(
    "variation",
    [
        'DataTypeConverter("quant8", scale=2.0, zeroPoint=1)',
        'DataTypeConverter(name="quant8").Identify({x: T, y: T, r: DataTypeConverter().Identify({a: T, k: T, b: T})})',
    ],
)
def test_subgraphs_are_converted(load: LoadCases, variation: str) -> None:
    """A target type enters referenced models; explicit targets take a converter of their own for them."""
    text = SUBGRAPH + f'T = ("TENSOR_QUANT8_ASYMM", 2.0, 1)\nExample({{x: 7, y: 11}}).AddVariations({variation})'
    cases = load(text)
    plain, quantised = cases["s"].build(), cases["s_quant8"].build()
    assert len(quantised.referenced) == 1
    # 4 / 2 + 1; the default variation keeps its own copy.
    assert [m.referenced[0].operands[1].data.tolist() for m in (plain, quantised)] == [[4.0], [3]]
    assert {o.type for o in quantised.referenced[0].operands} == {OperandType.TENSOR_QUANT8_ASYMM, OperandType.INT32}
    # 7 / 2 + 1 = 4.5, 11 / 2 + 1 = 6.5
    assert [o.data.tolist() for o in (*quantised.main.inputs, *quantised.main.outputs)] == [[4], [6]]


@pytest.mark.parametrize(
    ("variation", "message"),
    [
        ('"quant8"', "needs DataTypeConverter"),
        ('DataTypeConverter("bfloat16")', "no data type 'bfloat16'"),
        ('DataTypeConverter().Identify({x: "TENSOR_FLOAT16"})', "needs \\(type"),
        ('DataTypeConverter().Identify({Input("z", "INT32", ""): ("INT32",)})', "'z' is not in the model"),
        ('"bfloat16"', "no variation 'bfloat16'"),
        ("5", "5 is not a variation"),
    ],
)
def test_bad_data_types(load: LoadCases, variation: str, message: str) -> None:
    """A conversion that is not fully said, or of an operand that is not there, is refused."""
    with pytest.raises(SpecError, match=message) as caught:
        load(spec("[1]", variation))
    assert caught.value.line == 7
