"""Planted drivers that are wrong where an operation has certain attributes: the summary names these attributes."""

from pathlib import Path

import pytest

from nnvet.conformance.engine.attributes import attributes_of
from nnvet.conformance.engine.runner import Plan, RunWatcher, execute_plan
from nnvet.conformance.engine.selection import BUNDLED_SPECS, Selection
from nnvet.conformance.engine.subject import Target
from nnvet.generators.specs.loader import load_spec
from nnvet.reports.contrast import contrasts

DRIVERS = Path(__file__).with_name("planted_attributes.py")
PLANTED = {
    "same_padding": ("MAX_POOL_2D", "padding SAME"),
    "strided_same_padding": ("DEPTHWISE_CONV_2D", "padding SAME and stride_width 2"),
    "channels_first": ("L2_POOL_2D", "layout NCHW"),
    "kept_dimensions": ("REDUCE_SUM", "keep_dims 1"),
    "fused_relu6": ("ADD", "activation RELU6"),
    "one_rank": ("SQRT", "rank 3"),
    "one_type": ("LOGISTIC", "type TENSOR_FLOAT16"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_the_attribute_is_named(name: str, tmp_path: Path) -> None:
    """All failing cases have it and none that passes."""
    operation, attribute = PLANTED[name]
    target = Target(f"python:{DRIVERS}:{name}", in_process=True)
    selection = Selection((f"GeneratedTest/sync/{operation.lower().replace('conv_2d', 'conv2d')}_*",))
    log = execute_plan(Plan(target, tmp_path, [], selection, checks=False), RunWatcher())
    (contrast,) = contrasts(log)
    assert contrast.operation == operation
    assert f"failures have {attribute}" in str(contrast)
    assert str(contrast).endswith("none has it")


def test_attributes_are_those_of_the_declaration() -> None:
    """By name; codes have the names of the contract, and what is wrong on purpose has none."""
    pools = load_spec(BUNDLED_SPECS / "V1_0" / "max_pool_2d_float.mod.py")
    found = {spec.name: attributes_of(spec) for spec in pools}
    assert found["max_pool_2d_float_same_padding"] == {
        "rank": "4",
        "padding": "SAME",
        "stride_width": "1",
        "stride_height": "2",
        "filter_width": "3",
        "filter_height": "2",
        "activation": "NONE",
    }
    (invalid, *_) = load_spec(BUNDLED_SPECS / "V1_3" / "hard_swish_invalid.mod.py")
    assert invalid.expect_failure
    assert attributes_of(invalid) == {}
