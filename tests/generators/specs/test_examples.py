"""Examples of spec files, names of cases, and versions.

Expectations are derived by hand from docs/contract/spec-format.md 6, 8, 9 and 10.
"""

from pathlib import Path

import pytest

from nnvet.generators.specs import SpecCase, SpecError
from nnvet.generators.specs.loader import folder_version
from nnvet.hal.types import FeatureLevel
from tests.generators.specs.loading import LoadCases

UNARY = """
x = Input("x", "TENSOR_FLOAT32", "{2}")
y = Output("y", "TENSOR_FLOAT32", "{2}")
model = Model().Operation("RELU", x).To(y)
"""
LIFETIME = ("", "_all_inputs_as_internal")


def inputs(cases: dict[str, SpecCase]) -> list[list[float]]:
    """Values of the first main input of each case."""
    return [case.build().main.inputs[0].data.tolist() for case in cases.values()]


@pytest.mark.parametrize(
    "feed", ["{x: [1, 2], y: [3, 4]}", "({x: [1, 2]}, {y: [3, 4]})", "[{x: [1, 2]}, {y: [3, 4]}]", "([1, 2], [3, 4])"]
)
def test_every_form_of_a_feed(load: LoadCases, feed: str) -> None:
    """One dictionary, a pair of dictionaries and a pair of lists give the same values."""
    main = load(UNARY + f"Example({feed})")["s"].build().main
    assert (main.inputs[0].data.tolist(), main.outputs[0].data.tolist()) == ([1, 2], [3, 4])


@pytest.mark.parametrize("feed", ["{x: [1, 2]}", "({x: [1, 2]}, {})", "({}, {y: [1, 2]})"])
def test_missing_values(load: LoadCases, feed: str) -> None:
    """An example without values for an input or output is refused, in the example's line."""
    with pytest.raises(SpecError, match="no values for operand") as caught:
        load(UNARY + f"\nExample({feed})")
    assert caught.value.line == 6


def test_a_feed_of_another_kind(load: LoadCases) -> None:
    """A feed that is neither a dictionary nor a pair is refused."""
    with pytest.raises(SpecError, match="a data set is"):
        load(UNARY + "Example([1, 2, 3])")


def test_ignored_outputs(load: LoadCases) -> None:
    """An ignored output is zeros of full size; only a pair may leave it out."""
    text = """
x = Input("x", "TENSOR_FLOAT32", "{1}")
y = Output("y", "TENSOR_FLOAT32", "{1}")
z = IgnoredOutput("z", "TENSOR_FLOAT32", "{2, 2}")
Model().Operation("SPLIT", x).To(y, z)
"""
    for feed in ("({x: 1}, {y: 1})", "{x: 1, y: 1, z: [5]}", "([1], [1])"):
        checked, ignored = load(text + f"Example({feed})")["s"].build().main.outputs
        assert (checked.is_ignored, ignored.is_ignored, ignored.data.tolist()) == (False, True, [0.0] * 4)
    with pytest.raises(SpecError, match="no values for operand 'z'"):
        load(text + "Example({x: 1, y: 1})")


def test_names_have_every_part(load: LoadCases) -> None:
    """A name is spec, model, example and variation names; empty parts leave nothing behind."""
    cases = load(
        UNARY.replace("Model()", 'Model("m")')
        + """
Example({x: [1, 2], y: [1, 2]}, name="e").AddVariations("relaxed", defaultName="plain").AddVariations("float16")
""",
        file="spec_name.more.mod.py",
    )
    parts = [f"spec_name_m_e_{a}{b}{c}" for a in ("plain", "relaxed") for b in ("", "_float16") for c in LIFETIME]
    assert list(cases) == parts


def test_equal_names_are_numbered_from_two(load: LoadCases) -> None:
    """Several feeds of one example repeat all names in feed order; suffixes start at _2."""
    cases = load(UNARY + "Example(*({x: [i, i], y: [i, i]} for i in range(3)))")
    assert list(cases) == [f"s{part}{suffix}" for suffix in ("", "_2", "_3") for part in LIFETIME]
    assert inputs(cases) == [[0, 0], [0, 0], [1, 1], [1, 1], [2, 2], [2, 2]]


def test_repeated_examples_are_merged(load: LoadCases) -> None:
    """Unnamed examples of one model become one example, even with an example of another model between them."""
    cases = load(
        UNARY
        + """
other = Model().Operation("TANH", x).To(y)
Example({x: [1, 1], y: [1, 1]}, model=model).DisableLifeTimeVariation()
Example({x: [2, 2], y: [2, 2]}).DisableLifeTimeVariation()
Example({x: [3, 3], y: [3, 3]}, model=model)
"""
    )
    # The third example joins the first, which has no lifetime variation, and so comes before the second.
    assert list(cases) == ["s", "s_2", "s_3"]
    assert inputs(cases) == [[1, 1], [3, 3], [2, 2]]


def test_examples_that_are_not_merged(load: LoadCases) -> None:
    """Another name or variations of their own keep examples apart; one shared variation object does not."""
    cases = load(
        UNARY
        + """
shared = RelaxedModeConverter()
def example(value, **more):
    return Example({x: [value] * 2, y: [0, 0]}, **more).DisableLifeTimeVariation()
example(1)
example(2, name="n")
example(3).AddVariations(shared, includeDefault=False)
example(4).AddVariations("relaxed", includeDefault=False)
example(5).AddVariations(shared, includeDefault=False)
example(6)
"""
    )
    assert list(cases) == ["s", "s_2", "s_n", "s_relaxed", "s_relaxed_2", "s_relaxed_3"]
    assert [values[0] for values in inputs(cases)] == [1, 6, 2, 3, 5, 4]


def test_an_example_belongs_to_the_last_model(load: LoadCases) -> None:
    """Without model= an example belongs to the last model made, whatever that was made for."""
    with pytest.raises(SpecError, match="needs a Model"):
        load("Example({})")
    cases = load(UNARY.replace("Model()", 'Model("m")') + 'Model("last")\nExample({})')
    assert list(cases) == ["s_last"]


def test_expected_failure_and_multinomial(load: LoadCases) -> None:
    """Both flags reach the case; they exclude each other, and a distribution has no lifetime variations."""
    cases = load(
        UNARY
        + """
Example({x: [1, 2], y: [1, 2]}, name="fails").ExpectFailure()
Example({x: [1, 2], y: [1, 2]}, name="dice").WithMultinomialDistributionTolerance(0.025)
"""
    )
    assert list(cases) == ["s_fails", "s_fails_all_inputs_as_internal", "s_dice"]
    failing, dice = cases["s_fails"], cases["s_dice"]
    assert (failing.expect_failure, failing.build().expect_failure) == (True, True)
    assert (dice.expect_failure, dice.build().expected_multinomial_distribution_tolerance) == (False, 0.025)
    for calls in (
        "ExpectFailure().WithMultinomialDistributionTolerance(0.1)",
        "WithMultinomialDistributionTolerance(0.1).ExpectFailure()",
    ):
        with pytest.raises(SpecError):
            load(UNARY + f"Example({{}}).{calls}")


@pytest.mark.parametrize(
    ("path", "version"),
    [
        ("/a/V1_0/x.mod.py", "V1_0"),
        ("/a/V1_3/deep/x.mod.py", "V1_3"),
        ("/a/AIDL_V2/x.mod.py", "AIDL_V2"),
        ("/a/b_AIDL_V3_c/x.mod.py", "AIDL_V3"),
        ("/a/V1_3_cts_only/x.mod.py", None),
        ("/a/experimental/x.mod.py", None),
        ("/a/V1_0/b/V1_2/x.mod.py", None),
        ("/a/V1_0/V1_2/x.mod.py", None),
        ("/a/V1_2/AIDL_V2/x.mod.py", None),
        ("/a/V7_1/x.mod.py", None),
        ("/a/oldV1_0/x.mod.py", None),
        ("/a/V1_2_x.mod.py", None),
    ],
)
def test_versions_from_paths(path: str, version: str | None) -> None:
    """The path's only version folder is the version; none or two leave it unknown."""
    assert folder_version(Path(path)) == version


@pytest.mark.parametrize(
    ("folder", "level"), [("V1_0", 1), ("V1_1", 2), ("V1_2", 3), ("V1_3", 4), ("AIDL_V2", 6), ("AIDL_V3", 7)]
)
def test_folders_give_feature_levels(load: LoadCases, folder: str, level: int) -> None:
    """A version string means the feature level of the interface of that name."""
    cases = load(UNARY + "Example({x: [1, 1], y: [1, 1]})", folder=folder)
    assert {case.min_supported_version for case in cases.values()} == {FeatureLevel(level)}


def test_versions_in_specs(load: LoadCases) -> None:
    """IntroducedIn beats the folder, SetVersion beats both by test name, and relaxed models have no version."""
    cases = load(
        UNARY
        + """
model.IntroducedIn("V1_1")
Example({x: [1, 1], y: [1, 1]}).AddVariations("relaxed", "float16")
Example.SetVersion("V1_0", "s_float16", "s_relaxed", "s_no_such_test")
""",
        folder="V1_3",
    )
    levels = [
        None if case.min_supported_version is None else int(case.min_supported_version) for case in cases.values()
    ]
    assert levels == [2, 2, None, None, 1, 2]
    assert [case.is_relaxed for case in cases.values()] == [False, False, True, True, False, False]
    unknown = load(UNARY + "model.IntroducedIn(None)\nExample({x: [1, 1], y: [1, 1]})")
    assert unknown["s"].min_supported_version is None


def test_relaxed_execution(load: LoadCases) -> None:
    """RelaxedExecution(True) removes the version of a model; RelaxedExecution(False) leaves it."""
    cases = load(UNARY + "model.RelaxedExecution(True)\nExample({x: [1, 1], y: [1, 1]})")
    assert (cases["s"].is_relaxed, cases["s"].build().is_relaxed, cases["s"].min_supported_version) == (
        True,
        True,
        None,
    )
    cases = load(UNARY + "model.RelaxedExecution(False)\nExample({x: [1, 1], y: [1, 1]})")
    assert cases["s"].min_supported_version == FeatureLevel.FL3


@pytest.mark.parametrize("line", ['Model().IntroducedIn("V1_9")', 'Example.SetVersion("1.2", "s")'])
def test_unknown_versions(load: LoadCases, line: str) -> None:
    """A version that does not exist is refused with the list of those that do."""
    with pytest.raises(SpecError, match=r"there is no version .* V1_0, V1_1"):
        load(line)


def test_lifetime_variations_need_one_operation(load: LoadCases) -> None:
    """Lifetime variations are made of single operations only, and not after DisableLifeTimeVariation."""
    single = UNARY + "Example({x: [1, 1], y: [1, 1]}).DisableLifeTimeVariation()"
    assert list(load(single)) == ["s"]
    double = UNARY.replace(".To(y)", '.To(h).Operation("TANH", h).To(y)').replace(
        "model =", 'h = Internal("h", "TENSOR_FLOAT32", "{2}")\nmodel ='
    )
    assert list(load(double + "Example({x: [1, 1], y: [1, 1]})")) == ["s"]


def test_skipped_combinations_take_no_name(load: LoadCases) -> None:
    """A combination that is skipped uses up no name, so the next case gets the name without a suffix."""
    cases = load(UNARY + "Example({x: [], y: []}, {x: [1, 1], y: [1, 1]})")
    assert list(cases) == ["s", "s_2", "s_all_inputs_as_internal"]


@pytest.mark.parametrize(
    ("feed", "said"),
    [
        ("x: [1], y: [1, 1]", r"'x': 1 values for 2 elements of \[2\]"),
        ("x: [1, 1], y: [1, 1, 1]", r"'y': 3 values for 2 elements of \[2\]"),
    ],
)
def test_values_are_as_many_as_elements(load: LoadCases, feed: str, said: str) -> None:
    """A feed of the wrong length is an error of the spec, except in an example that expects the driver to refuse it."""
    example = f"Example({{{feed}}}).DisableLifeTimeVariation()"
    with pytest.raises(SpecError, match=said):
        load(UNARY + example)["s"].build()
    load(UNARY + example + ".ExpectFailure()")["s"].build()
