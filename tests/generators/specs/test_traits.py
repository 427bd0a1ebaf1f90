"""Traits of cases come from the variations and the file that made them, and not from their names."""

from textwrap import dedent

import pytest

from tests.generators.specs.loading import LoadCases

UNARY = dedent("""
    x = Input("x", "TENSOR_FLOAT32", "{1}")
    y = Output("y", "TENSOR_FLOAT32", "{1}")
    Model("mobilenet").Operation("RELU", x).To(y)
    """)
PARAMETER = dedent("""
    x = Input("x", "TENSOR_FLOAT32", "{1}")
    w = Parameter("w", "TENSOR_FLOAT32", "{1}", [2])
    y = Output("y", "TENSOR_FLOAT32", "{1}")
    Model().Operation("ADD", x, w, 0).To(y)
    Example({x: [1], y: [3]})
    """)


def test_default_variations(load: LoadCases) -> None:
    """Both placements are variants in lifetimes; only one of them adds an operation. The test model says the same."""
    built = [case.build() for case in load(PARAMETER).values()]
    assert {test.name: (test.traits.is_lifetime_variant, test.traits.has_placeholders) for test in built} == {
        "s": (False, False),
        "s_all_inputs_as_internal": (True, True),
        "s_all_tensors_as_inputs": (True, False),
        "s_all_tensors_as_inputs_all_inputs_as_internal": (True, True),
    }


def test_names_are_not_read(load: LoadCases) -> None:
    """A variation under another name has its trait; an example that is called like a variation has none."""
    example = 'Example({x: [1], y: [1]}, name="all_inputs_as_internal").DisableLifeTimeVariation()'
    variations = '.AddVariations(AllInputsAsInternalCoverter("moved"), AllOutputsAsInternalCoverter("behind"))'
    traits = [case.outline.traits for case in load(UNARY + example + variations).values()]
    assert [trait.is_lifetime_variant for trait in traits] == [False, True, False]
    assert [trait.has_placeholders for trait in traits] == [False, True, True]


@pytest.mark.parametrize(
    ("file", "expected"), [("small_mobilenet.mod.py", True), ("s.mod.py", False), ("s.mobilenet.mod.py", False)]
)
def test_whole_networks(load: LoadCases, file: str, expected: bool) -> None:
    """The name of the file up to its first dot says so, as in Android's specs; those of models and examples do not."""
    cases = load(UNARY + 'Example({x: [1], y: [1]}, name="mobilenet")', file=file)
    assert {case.outline.traits.is_whole_network for case in cases.values()} == {expected}
