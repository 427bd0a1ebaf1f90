"""The kind ``onnxruntime``: models run in ONNX Runtime and are judged as any driver's; wrong options are refused."""

from __future__ import annotations

import pytest

from nnvet.adapters import SelectorError, create_device
from nnvet.conformance.checking import check_driver
from nnvet.hal.enums import OperationType
from tests.adapters.runtimes.binary_models import binary, computed, prepared

pytest.importorskip("onnx", reason="needs the onnx extra")
pytest.importorskip("onnxruntime", reason="needs the onnx extra")

CASES = (
    "GeneratedTest/sync/conv2d_float_layout_*nchw",
    "GeneratedTest/sync/topk_v2_*tie*",
    "GeneratedTest/sync/elu_float_*",
    "GeneratedTest/sync/space_to_batch_*layout*",
    "GeneratedValidationTest/sync/gather_failures_*",
    "DynamicOutputShapeTest/sync_unspecified/reshape_*",
)


@pytest.mark.parametrize("optimization", ["all", "none"])
def test_no_case_fails(optimization: str) -> None:
    """Layouts, ties, negative indices, unknown shapes: right where they are claimed, with fused nodes and without."""
    checked = check_driver(f"onnxruntime:optimization={optimization}", only=CASES)
    assert checked.faultless, checked


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("optimization=fast", "optimization is 'fast'; choose all, extended, basic, none"),
        ("threads=0", "threads is '0'; give a number from 1 on"),
        ("threads", "'threads' is not of the form option=value"),
        ("precision=low", "precision: the CPU has no such options"),
        ("provider=Absent", "there is no AbsentExecutionProvider; there are"),
    ],
)
def test_options_are_checked(arguments: str, message: str) -> None:
    """A mistake in the selector gives one message."""
    with pytest.raises(SelectorError, match=message):
        create_device(f"onnxruntime:{arguments}")


def test_a_provider_is_named_with_or_without_its_ending() -> None:
    """ONNX Runtime's own name of a provider, and the short one."""
    for provider in ("CPU", "CPUExecutionProvider"):
        made = prepared(f"onnxruntime:provider={provider}", binary(OperationType.ADD))
        assert computed(made, [1, 2], [3, 4]) == [4, 6]
