"""The kind ``openvino``: models run in OpenVINO and are judged as any driver's; wrong selectors are refused."""

from __future__ import annotations

import pytest

from nnvet.adapters import SelectorError, create_device
from nnvet.conformance.checking import check_driver
from nnvet.reports.events import Verdict

pytest.importorskip("openvino", reason="needs the openvino extra: pip install 'nnvet[openvino]'")

CASES = (
    "GeneratedTest/sync/conv2d_layout_*nchw",
    "GeneratedTest/sync/topk_v2_*tie*",
    "GeneratedTest/sync/logistic_quant8_*",
    "GeneratedTest/sync/add_quant8_vectors*",
    "DynamicOutputShapeTest/sync_unspecified/reshape_*",
)


def test_no_case_fails() -> None:
    """Layouts, ties, codes in QDQ form, unknown shapes: right where they are claimed."""
    checked = check_driver("openvino", only=CASES)
    assert checked.faultless, checked


def test_a_lower_precision_is_for_relaxed_models() -> None:
    """A driver that computes floats with 16 bits does not claim a model that demands 32."""
    cases = ("GeneratedTest/sync/relu_float_rank4", "GeneratedTest/sync/relu_float_rank4_relaxed")
    results = check_driver("openvino:CPU,precision=f16", only=cases).log.results
    assert [results[case].verdict for case in cases] == [Verdict.UNSUPPORTED, Verdict.PASS]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("AUTO", "AUTO stands for several devices"),
        ("HETERO:CPU", "HETERO:CPU stands for several devices"),
        ("NPX", "there is no NPX; there are"),
        ("precision=f64", "precision is 'f64'; choose f32, f16, bf16"),
        ("CPU,threads=no", "threads is 'no'; give a number from 1 on"),
    ],
)
def test_selectors_are_checked(arguments: str, message: str) -> None:
    """A mistake gives one message."""
    with pytest.raises(SelectorError, match=message):
        create_device(f"openvino:{arguments}")
