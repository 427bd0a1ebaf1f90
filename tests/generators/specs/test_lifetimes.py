"""Variations that move operands between lifetimes.

Expectations are by hand from docs/contract/spec-format.md 7 and 8.
"""

import pytest

from nnvet.generators.specs import SpecError
from nnvet.hal.types import OperandLifeTime, OperandType, OperationType
from tests.generators.specs.loading import LoadCases

CONV = """
x = Input("x", ("TENSOR_QUANT8_ASYMM", [2], 0.5, 9))
w = Parameter("w", "TENSOR_QUANT8_ASYMM", "{1}, 0.25f, 3", [5])
e = Parameter("e", "TENSOR_INT32", "{0}", [])
n = Parameter("n", ("TENSOR_FLOAT32", [1]), None)
s = Parameter("s", "INT32", "", [4])
i = Int32Vector("i", [6])
y = Output("y", ("TENSOR_QUANT8_ASYMM", [2], 0.5, 9))
Model().Operation("CONV_2D", x, w, e, n, s, i, 0).To(y)
example = Example({x: [1, 2], y: [3, 4]})
"""
BOTH = "s_all_tensors_as_inputs_all_inputs_as_internal"
X, W, E, N, S, VECTOR, ACT, Y = range(8)


def test_names(load: LoadCases) -> None:
    """Tensors-as-inputs varies slower than inputs-as-internal."""
    assert list(load(CONV)) == ["s", "s_all_inputs_as_internal", "s_all_tensors_as_inputs", BOTH]


def test_tensors_as_inputs(load: LoadCases) -> None:
    """Plain tensor Parameters with a value, also an empty one, become inputs where they are; nothing else does."""
    main = load(CONV)["s_all_tensors_as_inputs"].build().main
    assert main.input_indexes == (X, W, E)
    assert [o.data.tolist() for o in main.inputs] == [[1, 2], [5], []]
    assert (main.inputs[1].scale, main.inputs[1].zero_point) == (0.25, 3)
    lifetimes = OperandLifeTime
    copied = [lifetimes.CONSTANT_COPY] * 3
    assert [main.operands[k].lifetime for k in (N, S, VECTOR, ACT)] == [lifetimes.NO_VALUE, *copied]


def test_inputs_as_internal(load: LoadCases) -> None:
    """Each input comes out of ADD(new input, zero, none); new operands are appended."""
    main = load(CONV)["s_all_inputs_as_internal"].build().main
    assert main.operands[X].lifetime == OperandLifeTime.TEMPORARY_VARIABLE
    assert main.operands[X].data is None
    new, zero, none = main.operands[Y + 1 :]
    assert (new.type, new.dimensions, new.scale, new.zero_point) == (OperandType.TENSOR_QUANT8_ASYMM, (2,), 0.5, 9)
    assert new.data.tolist() == [1, 2]
    assert (zero.type, zero.dimensions, zero.scale, zero.zero_point) == (OperandType.TENSOR_QUANT8_ASYMM, (1,), 0.5, 9)
    assert (zero.data.tolist(), zero.lifetime) == ([9], OperandLifeTime.CONSTANT_COPY)
    assert (none.type, none.data.tolist()) == (OperandType.INT32, [0])
    assert main.input_indexes == (Y + 1,)
    assert [(o.type, o.inputs, o.outputs) for o in main.operations] == [
        (OperationType.ADD, (8, 9, 10), (X,)),
        (OperationType.CONV_2D, (X, W, E, N, S, VECTOR, ACT), (Y,)),
    ]


def test_both(load: LoadCases) -> None:
    """Inputs that cannot be internal stay in front; the others follow in operand order."""
    main = load(CONV)[BOTH].build().main
    # e (no values) stays; x_new and w_new are appended as operands 8 and 11.
    assert main.input_indexes == (E, 8, 11)
    assert [o.data.tolist() for o in main.inputs] == [[], [1, 2], [5]]
    assert [operation.outputs for operation in main.operations] == [(X,), (W,), (Y,)]


@pytest.mark.parametrize(
    ("declaration", "values"),
    [
        ('Input("x", "TENSOR_INT32", "{1}")', "[1]"),
        ('Input("x", "TENSOR_FLOAT32", "{1, 1, 1, 1, 1}")', "[1]"),
        ('Input("x", "TENSOR_FLOAT32", "{0}")', "[]"),
        ('Input("x", "TENSOR_FLOAT32", "{1}").ShouldNeverBeInternal()', "[1]"),
    ],
)
def test_inputs_that_stay(load: LoadCases, declaration: str, values: str) -> None:
    """Other types, five dimensions, no values or the spec's word keep an input; the variation then vanishes."""
    text = f"""
x = {declaration}
y = Output("y", "TENSOR_FLOAT32", "{{1}}")
Model().Operation("ABS", x).To(y)
Example({{x: {values}, y: [1]}})
"""
    assert list(load(text)) == ["s"]


def test_the_never_internal_mark_survives_conversion_to_input(load: LoadCases) -> None:
    """A marked constant that became an input still stays outside."""
    cases = load(CONV.replace("[5])", "[5]).ShouldNeverBeInternal()"))
    assert cases[BOTH].build().main.input_indexes == (W, E, 8)


OUTPUTS = """
x = Input("x", "TENSOR_INT32", "{1}")
y = Output("y", ("TENSOR_FLOAT32", [1]))
z = IgnoredOutput("z", ("TENSOR_FLOAT16", [2]))
t = Output("t", ("TENSOR_INT32", [1]))
Model().Operation("SPLIT", x, 5).To(y, z, t)
Example({x: 1, y: 2, z: 0, t: 3}).AddVariations(AllOutputsAsInternalCoverter())
"""


def test_outputs_as_internal(load: LoadCases) -> None:
    """Each float or quantised output goes through an ADD; an ignored one is then checked. Never automatic."""
    cases = load(OUTPUTS)
    assert list(cases) == ["s", "s_all_outputs_as_internal"]
    main = cases["s_all_outputs_as_internal"].build().main
    # x, param, y, z, t, then placeholder, param, y_new, placeholder, param, z_new
    assert main.output_indexes == (4, 7, 10)
    assert [(o.data.tolist(), o.is_ignored) for o in main.outputs] == [([3], False), ([2.0], False), ([0.0] * 2, False)]
    assert [(o.inputs, o.outputs) for o in main.operations] == [
        ((0, 1), (2, 3, 4)),
        ((2, 5, 6), (7,)),
        ((3, 8, 9), (10,)),
    ]


def test_protected_outputs_cannot_become_internal(load: LoadCases) -> None:
    """The mark of ShouldNeverBeInternal makes any other way to internal an error."""
    with pytest.raises(SpecError, match="'y' must never become internal"):
        load(OUTPUTS.replace("[1]))\nz", "[1])).ShouldNeverBeInternal()\nz"))


def test_subgraph_models_are_moved_too(load: LoadCases) -> None:
    """A single IF has lifetime variations like any other operation."""
    cases = load("""
        inner = Model("inner")
        c = Parameter("c", "TENSOR_BOOL8", "{1}", [True])
        x, y = Input("x", "TENSOR_FLOAT32", "{1}"), Output("y", "TENSOR_FLOAT32", "{1}")
        Model().Operation("IF", c, inner, inner, x).To(y)
        Example({x: 1, y: 1}).ExpectFailure()
    """)
    assert list(cases) == ["s", "s_all_inputs_as_internal", "s_all_tensors_as_inputs", BOTH]
    model = cases[BOTH].build()
    assert [operation.type for operation in model.main.operations] == [OperationType.ADD, OperationType.IF]
    assert (len(model.referenced), model.expect_failure) == (1, True)


def test_every_case_has_its_own_operands(load: LoadCases) -> None:
    """Variations do not disturb each other, nor the spec's objects: building in any order gives the same."""
    first, second = load(CONV), load(CONV)
    forwards = [first[name].build().main.input_indexes for name in first]
    backwards = [second[name].build().main.input_indexes for name in reversed(second)]
    assert forwards == backwards[::-1] == [(X,), (Y + 1,), (X, W, E), (E, 8, 11)]
