"""Cases that must fail break exactly one rule, so they find a driver that does not check this rule."""

from __future__ import annotations

from collections import defaultdict
from fnmatch import fnmatchcase

import pytest

from nnvet.adapters.drivers import open_driver
from nnvet.conformance.rule_counts import failing_cases, recorded_spec_cases, rule_of
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.rules import all_rules
from tests.conformance.switched_off import switched_off

WITHOUT_MEANING = ("driver/exception", "operation/omitted")
"""Rules of errors in the midst of a computation that needs what the forgotten rule demands: no other check refused."""

RANKS = ("*.rank", "*/ranks", "*.same_rank")
"""Rules on ranks. All other sizes are said of operands of the right rank, so that some are wrong beside a wrong one."""

NOTHING = "no tensor has the size that follows, which is 0 or less"
TWIN = "two operands imply different sizes; another example has the other one"
DERIVED = "the size that other operands must have is derived from the wrong one"
SAME = "one breaks the second rule whenever one breaks the first"
ONLY = "the size of the output is what is wrong"
NO_RULE = "no table has the rule"

BEYOND: dict[str, str] = {
    "*_pool_2d_invalid_no_[wh]*": "no padding is smaller than a window without cells",
    "*_pool_2d_invalid_window_*": NOTHING,
    "resize_*_failures_*": NOTHING,
    "roi_*_invalid_width": NOTHING,
    "roi_*_invalid_height_ratio": "nothing lies in a feature map that is scaled by 0",
    "fill_failures_negative": NOTHING,
    "tile_failures_negative": NOTHING,
    "*_failures_negative_block*": NOTHING,
    "space_to_depth_failures_block": NOTHING,
    "transpose_conv2d_invalid_no_stride_height": NOTHING,
    "slice_failures_size": NOTHING,
    "slice_failures_begin": "nothing is left behind the end",
    "slice_failures_negative_begin": "the output is as large as the size says, though the box has no such place",
    "slice_failures_*end": "the output is as large as the size says, though the box ends within the tensor",
    "*conv2d_invalid_bias": TWIN,
    "transpose_conv2d_invalid_bias_and_output": TWIN,
    "heatmap_max_keypoint_invalid_two_boxes*": TWIN,
    "axis_aligned_bbox_transform_invalid_rows_of_deltas": TWIN,
    "split_failures_outputs": "the size follows from the number of outputs or from the number that is given",
    "transpose_failures_length": "the rank of the output is that of the input or that of the permutation",
    "extremum_invalid_select_condition_rank*": "the output has the rank of the values or of the condition",
    "bidirectional_sequence_rnn_invalid_merging": "there is nothing that the second output could be",
    "rnn_invalid_bias": DERIVED,
    "svdf_invalid_*rank": DERIVED,
    "zero_sized_invalid_no_classes_postprocessing*": "there are at least two classes, so none are one too few as well",
    "mul_invalid_output_scale_*": SAME,
    "reshape_failures_two_inferred": "two sizes that are left open follow from nothing",
    "quantized_lstm_invalid_effective_scale": "a quotient that is infinite has no multiplier",
    "quantized_lstm_invalid_no_intermediate_scale": "a quotient that is infinite has no multiplier",
    "elementwise_invalid_*_output_shape*": ONLY,
    "quantization_invalid_cast_*": ONLY,
    "quantization_invalid_dequantize_sizes*": ONLY,
    "zero_sized_invalid_*conv_without_cells*": "no padding is smaller than a window without cells",
    "zero_sized_invalid_align_without_rows*": "no region lies in a map without rows",
    "rules_invalid_random_multinomial_samples_value": NOTHING,
    "rules_invalid_quantized_*lstm_output_size": DERIVED,
    "rules_invalid_depthwise_conv_2d_depth_multiplier": "no channels are not those of the filter",
    "rules_invalid_grouped_conv_2d_groups": "no group has a depth",
    "rules_invalid_mirror_pad_quantization*": "what the model need not keep, the execution must",
    "control_flow_invalid_*": "rules of whole subgraphs cannot be switched off",
    "if_condition_without_value_*": NO_RULE,
    "while_without_end_*": NO_RULE,
    "extension_*": NO_RULE,
    "topk_v2_failures_too_many*": "the output is as large as k says, though a row has fewer elements",
}
"""Cases that break more than they are for, with the reason."""

LEVEL = (
    "a model of the level at which it is allowed is all that a spec has; GeneratedComplianceTest has the levels below"
)
EARLIER = "another rule on the ranks of all operands is broken earlier"
EVERY = "OperationValidationTest breaks it in each operation"
UNBROKEN: dict[str, str] = {
    "*/level": LEVEL,
    "*.level": LEVEL,
    "*_SEQUENCE_*/outputs.state": LEVEL,
    "*/inputs.count": EVERY,
    "*/outputs.count": EVERY,
    "*/types": EVERY,
    "*.omitted": "no spec leaves out each operand of each operation",
    "*/zero_sized": "no spec makes a tensor without elements for each operation",
    "ADD/input?.rank": EARLIER,
    "SUB/input?.rank": EARLIER,
    "MUL/input?.rank": EARLIER,
    "DIV/input?.rank": EARLIER,
    "FULLY_CONNECTED/*.rank": EARLIER,
    "WHILE/*": "a failing example with a loop is taken for one without end; OperationValidationTest has others",
    "CONV_2D/patches.size": "an example would need 2^31 bytes",
    "nnvet.example::*/fraction_bits": "a driver without the extension refuses the operation",
}
"""Rules of operations that no spec case breaks, with the reason."""


@pytest.fixture(scope="module")
def beyond() -> dict[str, set[str]]:
    """The rules that refuse each failing case in place of its own one, once that is forgotten."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    with open_driver("reference", in_process=True) as driver:
        for case in failing_cases():
            rule = rule_of(driver.device, case.build())
            try:
                with switched_off(rule):
                    second = rule_of(driver.device, case.build())
            except LookupError:
                second = rule or "without a rule"
            if second and second not in WITHOUT_MEANING and not _allows(rule):
                found[case.name].add(second)
    return found


def _allows(rule: str) -> bool:
    return any(fnmatchcase(rule, glob) for glob in RANKS)


def test_no_case_is_refused_for_another_rule(beyond: dict[str, set[str]]) -> None:
    """Sizes of outputs follow from the inputs, and all other rules are kept, but where a reason says why not."""
    assert {case: rules for case, rules in beyond.items() if not any(fnmatchcase(case, glob) for glob in BEYOND)} == {}


def test_no_reason_is_out_of_date(beyond: dict[str, set[str]]) -> None:
    """Each glob has a case whose second rule is found, so the search would also find one without a reason."""
    assert {glob for glob in BEYOND if not any(fnmatchcase(case, glob) for case in beyond)} == set()


def test_every_rule_of_an_operation_is_broken_by_a_case() -> None:
    """A driver that has forgotten any rule of any operation is found by some spec, but where a reason says why not."""
    operations = {declaration.name for declaration in declarations().values()} | {"nnvet.example::TO_FIXED64"}
    rules = {rule for rule in all_rules() if rule.rpartition("/")[0] in operations}
    unbroken = rules - recorded_spec_cases().keys()
    assert len(rules) > len(unbroken) > 0
    assert {rule for rule in unbroken if not any(fnmatchcase(rule, glob) for glob in UNBROKEN)} == set()
    assert {glob for glob in UNBROKEN if not any(fnmatchcase(rule, glob) for rule in unbroken)} == set()
