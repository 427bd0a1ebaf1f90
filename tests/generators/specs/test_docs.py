"""The user's guide to the language says what is true."""

from pathlib import Path

from tests.generators.specs.loading import LoadCases

GUIDE = Path(__file__).parents[3] / "docs" / "spec-format.md"


def test_the_example_of_the_guide(load: LoadCases) -> None:
    """The guide's complete example makes the 32 cases that the guide says, and all can be built."""
    example = GUIDE.read_text(encoding="utf-8").split("```python")[2].split("```")[0]
    cases = load(example, file="scaled_sum.mod.py")
    assert list(cases)[:2] == ["scaled_sum_nhwc", "scaled_sum_nhwc_all_inputs_as_internal"]
    assert (len(cases), "scaled_sum_nchw_quant8" in cases) == (32, True)
    # 0.25 * (1 + 1 + 0.5 + 1) = 0.875, which is code 7 at scale 0.125
    assert cases["scaled_sum_nchw_quant8"].build().main.outputs[0].data.tolist() == [7]
