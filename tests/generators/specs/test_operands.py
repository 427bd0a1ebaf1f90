"""Operand types, constructors, values and names.

Expectations are derived by hand from docs/contract/spec-format.md 2 to 4.
"""

import numpy as np
import pytest

from nnvet.generators.specs import SpecError
from nnvet.generators.specs.operand_type import parse_shape
from nnvet.hal.types import OperandLifeTime, OperandType
from tests.generators.specs.loading import LoadCases

NEGATED = """
x = Input("x", "TENSOR_FLOAT32", "{1}")
y = Output("y", "TENSOR_FLOAT32", "{1}")
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ([], 0.0, 0)),
        ("{}", ([], 0.0, 0)),
        ("{1, 2}", ([1, 2], 0.0, 0)),
        ("{1,2}, 0.5f, 127", ([1, 2], 0.5, 127)),
        ("{1, 2}, 0.5, 127", ([1, 2], 0.5, 127)),
        ("{1, 2}, 0.5", ([1, 2], 0.5, 0)),
        ("{3}, 1.f, -5", ([3], 1.0, -5)),
        ("ignored {7}", ([7], 0.0, 0)),
        ("{0}", ([0], 0.0, 0)),
    ],
)
def test_shape_strings(text: str, expected: tuple[list[int], float, int]) -> None:
    """Every written form of a shape gives the dimensions, scale and zero point of the format's table."""
    assert parse_shape(text) == expected


@pytest.mark.parametrize("text", ["{ }", "{}, 0.5f, 0", "{1}, 0.5f", "{1}, 0.5f, 1.5", "{1}, 0.5f, 1, 2", "{a}"])
def test_malformed_shape_strings(text: str) -> None:
    """A shape outside the grammar is refused."""
    with pytest.raises(ValueError, match=r"."):
        parse_shape(text)


def test_every_constructor_gives_its_lifetime_and_element_type(load: LoadCases) -> None:
    """Each operand class has the lifetime of the format's table, and data of its element type."""
    cases = load("""
        x = Input("x", "TENSOR_QUANT8_ASYMM", "{2}, 0.5f, 3")
        h = Internal("h", ("TENSOR_FLOAT16", [2]))
        y = Output("y", ("TENSOR_QUANT8_ASYMM_SIGNED", (2,), 0.25, -1))
        z = IgnoredOutput("z", ("TENSOR_BOOL8", [3]))
        Model().Operation(
            "ADD", x,
            Parameter("a", "TENSOR_INT32", "{2}", [1.9, -1.9]),
            Parameter("b", ("TENSOR_FLOAT32", [2], 0.0), value=(1, 2)),
            Parameter("c", ["TENSOR_FLOAT32", [4]], value=None),
            Int32Scalar("d", 3.7), Float32Scalar("e", 3), Float16Scalar("f", 0.5), BoolScalar("g", 2),
            Int32Vector("i", [4, 5, 6]), Float32Vector("j", [1, 2]),
            Parameter("k", "TENSOR_QUANT16_SYMM", "{1}, 1.0f, 0", -3),
            Parameter("l", ("UINT32", []), 4294967295),
        ).To(h).Operation("MUL", h).To([y, z])
        Example({x: [1, 2], y: [-3, 4], z: [9]})
    """)
    operands = cases["s"].build().main.operands
    life = OperandLifeTime
    kinds = OperandType
    expected = [
        (kinds.TENSOR_QUANT8_ASYMM, (2,), life.SUBGRAPH_INPUT, np.uint8, [1, 2]),
        (kinds.TENSOR_INT32, (2,), life.CONSTANT_COPY, np.int32, [1, -1]),
        (kinds.TENSOR_FLOAT32, (2,), life.CONSTANT_COPY, np.float32, [1.0, 2.0]),
        (kinds.TENSOR_FLOAT32, (4,), life.NO_VALUE, None, None),
        (kinds.INT32, (), life.CONSTANT_COPY, np.int32, [3]),
        (kinds.FLOAT32, (), life.CONSTANT_COPY, np.float32, [3.0]),
        (kinds.FLOAT16, (), life.CONSTANT_COPY, np.float16, [0.5]),
        (kinds.BOOL, (), life.CONSTANT_COPY, np.uint8, [1]),
        (kinds.TENSOR_INT32, (3,), life.CONSTANT_COPY, np.int32, [4, 5, 6]),
        (kinds.TENSOR_FLOAT32, (2,), life.CONSTANT_COPY, np.float32, [1.0, 2.0]),
        (kinds.TENSOR_QUANT16_SYMM, (1,), life.CONSTANT_COPY, np.int16, [-3]),
        (kinds.UINT32, (), life.CONSTANT_COPY, np.uint32, [4294967295]),
        (kinds.TENSOR_FLOAT16, (2,), life.TEMPORARY_VARIABLE, None, None),
        (kinds.TENSOR_QUANT8_ASYMM_SIGNED, (2,), life.SUBGRAPH_OUTPUT, np.int8, [-3, 4]),
        (kinds.TENSOR_BOOL8, (3,), life.SUBGRAPH_OUTPUT, np.uint8, [0, 0, 0]),
    ]
    seen = [
        (o.type, o.dimensions, o.lifetime, *((None, None) if o.data is None else (o.data.dtype.type, o.data.tolist())))
        for o in operands
    ]
    assert seen == expected
    assert [(o.scale, o.zero_point) for o in operands if o.scale] == [(0.5, 3), (1.0, 0), (0.25, -1)]
    assert [o.is_ignored for o in operands] == [False] * 14 + [True]


@pytest.mark.parametrize("kind", ["Input", "Output", "IgnoredOutput", "Internal"])
@pytest.mark.parametrize(
    ("plain", "longer"),
    [
        ('"TENSOR_QUANT8_ASYMM", "{2}, 0.5f, 3"', '"TENSOR_QUANT8_ASYMM", "{2}, 0.5f, 3", [7], None'),
        ('("TENSOR_QUANT8_ASYMM", [2], 0.5, 3)', '("TENSOR_QUANT8_ASYMM", [2], 0.5, 3), "{9}", 5'),
    ],
)
def test_further_arguments_mean_nothing(load: LoadCases, kind: str, plain: str, longer: str) -> None:
    """Arguments behind the type of an operand without value change nothing, as in Android's generator."""
    load(f"""
        plain, longer = {kind}("a", {plain}), {kind}("b", {longer})
        assert plain.type is longer.type and plain.type.dimensions == (2,), longer.type
        assert longer.value is None, longer.value
    """)


def test_scales_have_single_precision(load: LoadCases) -> None:
    """A scale is the float32 nearest to what the spec says, as in the contract's structures."""
    cases = load("""
        x = Input("x", ("TENSOR_QUANT8_ASYMM", [1], 0.1, 0))
        y = Output("y", ("TENSOR_QUANT8_ASYMM", [1], 0.1, 0))
        Model().Operation("RELU", x).To(y)
        Example({x: [1], y: [1]})
    """)
    # 0.1 in binary32 is 13421773 * 2**-27.
    assert cases["s"].build().main.operands[0].scale == 13421773 * 2.0**-27


def test_float16_values_pass_through_float32(load: LoadCases) -> None:
    """A float16 value is rounded twice: to float32, then to float16."""
    # 1 + 2**-11 lies half-way between two float16 numbers; 2**-30 above it, float32 forgets the difference,
    # and the half-way case goes to the even neighbour 1.0. Rounded once it would be 1 + 2**-10.
    cases = load("""
        x = Input("x", "TENSOR_FLOAT16", "{1}")
        y = Output("y", "TENSOR_FLOAT16", "{1}")
        Model().Operation("RELU", x).To(y)
        Example({x: [1 + 2**-11 + 2**-30], y: [1 + 2**-10]})
    """)
    main = cases["s"].build().main
    assert [o.data.item() for o in (*main.inputs, *main.outputs)] == [1.0, 1 + 2**-10]


def test_booleans_are_truth_values(load: LoadCases) -> None:
    """A boolean element is 1 for whatever is true, fractions included."""
    cases = load("""
        x = Input("x", "TENSOR_BOOL8", "{4}")
        y = Output("y", "TENSOR_BOOL8", "{4}")
        Model().Operation("LOGICAL_NOT", x).To(y)
        Example({x: [True, 0, 0.5, 7], y: [False, True, False, False]})
    """)
    assert cases["s"].build().main.inputs[0].data.tolist() == [1, 0, 1, 1]


def test_names_are_made_unique(load: LoadCases) -> None:
    """A taken operand name gets the first free number; initialisers take names too, types count from 0."""
    load("""
        names = [Input(name, "INT32", "").name for name in ("op", "op1", "op", "op", "type0")]
        assert names == ["op", "op1", "op2", "op3", "type01"], names
        assert Int32Scalar("p", 0).name == "p"
        assert Int32Scalar("p_init", 0).name == "p_init1"
        assert Int32Scalar("p", 0).name == "p1"
    """)


def test_operands_of_equal_names_are_equal(load: LoadCases) -> None:
    """A deep copy of an operand is found again under the original."""
    load("""
        import copy
        x = Input("x", "INT32", "")
        assert copy.deepcopy(x) == x and {x: 1}[copy.deepcopy(x)] == 1
        assert x != Input("x", "INT32", "")
    """)


def test_implicit_operands(load: LoadCases) -> None:
    """Plain Python values become operands by their exact type; an empty list is a TENSOR_INT32."""
    cases = load(
        NEGATED
        + """
Model().Operation("ADD", x, 1, 2.5, True, [1, 2], (0.5,), []).To(y)
Example({x: 0, y: 0}).DisableLifeTimeVariation()
"""
    )
    operands = cases["s"].build().main.operands[1:-1]
    expected = [
        (OperandType.INT32, (), [1]),
        (OperandType.FLOAT32, (), [2.5]),
        (OperandType.BOOL, (), [1]),
        (OperandType.TENSOR_INT32, (2,), [1, 2]),
        (OperandType.TENSOR_FLOAT32, (1,), [0.5]),
        (OperandType.TENSOR_INT32, (0,), []),
    ]
    assert [(o.type, o.dimensions, o.data.tolist()) for o in operands] == expected


@pytest.mark.parametrize("value", ["[1, 2.0]", "[True]", "'x'", "None", "numpy.int32(1)", "numpy.float32(1)"])
def test_values_that_make_no_operand(load: LoadCases, value: str) -> None:
    """Any other Python value as an operation's input is refused, in the line that gives it."""
    with pytest.raises(SpecError, match="no operand can be made") as caught:
        load(f"import numpy\nModel().Operation('ADD', {value})\n")
    assert caught.value.line == 2


def test_constants_in_shared_memory(load: LoadCases) -> None:
    """Constants made while use_shm_for_weights is on are references, generated placeholders by its last state."""
    cases = load("""
        x = Input("x", "TENSOR_FLOAT32", "{1}")
        y = Output("y", "TENSOR_FLOAT32", "{1}")
        before = Parameter("before", "TENSOR_FLOAT32", "{1}", [1])
        Configuration.use_shm_for_weights = True
        after = Parameter("after", "TENSOR_FLOAT32", "{1}", [1])
        absent = Parameter("absent", ("TENSOR_FLOAT32", [1]), None)
        Model().Operation("ADD", x, before, after, absent, 0).To(y)
        Example({x: [1], y: [1]})
    """)
    copied, shared = OperandLifeTime.CONSTANT_COPY, OperandLifeTime.CONSTANT_REFERENCE
    base = [o.lifetime for o in cases["s"].build().main.operands[1:5]]
    assert base == [copied, shared, OperandLifeTime.NO_VALUE, shared]
    placed = cases["s_all_inputs_as_internal"].build().main.operands
    assert [o.lifetime for o in placed[-2:]] == [shared, shared]


def test_per_channel_scales(load: LoadCases) -> None:
    """ExtraParams gives the operand its scales; hidden ones are not passed to the driver."""
    cases = load("""
        shown = SymmPerChannelQuantParams(channelDim=1, scales=[0.5, 0.25])
        x = Input("x", "TENSOR_QUANT8_SYMM_PER_CHANNEL", "{1, 2}", extraParams=shown)
        b = Parameter("b", ("TENSOR_INT32", [2]), [1, 2], extraParams=SymmPerChannelQuantParams(0, [1, 2], hide=True))
        y = Output("y", ("TENSOR_FLOAT32", [1]))
        Model().Operation("CONV_2D", x, b).To(y)
        Example({x: [1, 2], y: [1]})
    """)
    filters, bias, _ = cases["s"].build().main.operands
    assert (filters.channel_quant.scales, filters.channel_quant.channel_dim) == ((0.5, 0.25), 1)
    assert (bias.channel_quant, bias.scale) == (None, 0.0)


def test_only_the_tuple_form_can_have_no_value(load: LoadCases) -> None:
    """None as the value of a string-form Parameter leaves a constant without data, which cannot be built."""
    cases = load("""
        x = Input("x", "TENSOR_FLOAT32", "{1}")
        p = Parameter("p", "TENSOR_FLOAT32", "{1}", None)
        y = Output("y", "TENSOR_FLOAT32", "{1}")
        Model().Operation("ADD", x, p, 0).To(y)
        Example({x: 1, y: 1})
    """)
    with pytest.raises(SpecError, match="s: operand 'p' has no value"):
        cases["s"].build()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('Input("x", ("TENSOR_FLOAT32", [1], 0.5, 1, 2))', "operand type is"),
        ('Input("x", ("TENSOR_FLOAT32", 4))', "must be a list or tuple"),
        ('Input("x", ("TENSOR_FLOAT33", [1]))', "no operand type 'TENSOR_FLOAT33'"),
        ('Parameter("x", "TENSOR_FLOAT32", "{1}", [5], 6)', "arguments behind its value"),
        ('Input("x", "TENSOR_FLOAT32", "{1}, 0.5f")', "bad operand type"),
        ('Input("x", ("TENSOR_FLOAT32", [-1]))', "must not be negative"),
        ('Input("x")', "needs a type"),
        ('Int32Scalar("x", None)', "TypeError|int\\(\\)"),
    ],
)
def test_bad_operands(load: LoadCases, line: str, message: str) -> None:
    """A malformed operand gives an error that says what is wrong, and where."""
    with pytest.raises(SpecError, match=message) as caught:
        load(f"\n\n{line}\n")
    assert caught.value.line == 3


@pytest.mark.parametrize(
    ("kind", "value"),
    [("TENSOR_QUANT8_ASYMM", "[256]"), ("TENSOR_QUANT8_ASYMM", "[-1]"), ("TENSOR_INT32", "[2**31]"),
     ("TENSOR_INT32", "[float('nan')]"), ("TENSOR_FLOAT32", "[[1.0]]"), ("TENSOR_FLOAT32", "['a']"),
     ("TENSOR_FLOAT32", "[None]"), ("TENSOR_FLOAT32", "numpy.zeros(2)"), ("TENSOR_INT32", "[2**70]")],
)  # fmt: skip
def test_values_that_do_not_fit(load: LoadCases, kind: str, value: str) -> None:
    """Values outside the element type are found when the case is built, with the operand's name."""
    cases = load(f"""
        import numpy
        x = Input("x", "{kind}", "{{1}}")
        y = Output("y", "{kind}", "{{1}}")
        Model().Operation("RELU", x).To(y)
        Example({{x: {value}, y: [0]}}).DisableLifeTimeVariation()
    """)
    with pytest.raises(SpecError, match="s: operand 'x'") as caught:
        cases["s"].build()
    assert caught.value.line == 6


def test_numbers_of_numpy_are_values(load: LoadCases) -> None:
    """NumPy scalars in lists, a bare scalar and an array of one element are values like Python's."""
    cases = load("""
        import numpy as np
        x = Input("x", "TENSOR_FLOAT32", "{2}")
        k = Parameter("k", "TENSOR_FLOAT32", "{1}", np.array([0.25]))
        y = Output("y", "TENSOR_INT32", "{1}")
        Model().Operation("ADD", x, k).To(y)
        Example({x: [np.float32(0.5), np.int64(2)], y: np.int32(-7)})
    """)
    main = cases["s"].build().main
    assert [o.data.tolist() for o in main.operands] == [[0.5, 2.0], [0.25], [-7]]
