"""ONNX Runtime's WebGPU provider: which operations it really computes; on a GPU, or on one in software."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import pytest

from nnvet.adapters import SelectorError, create_device
from nnvet.conformance.checking import check_driver
from nnvet.hal.enums import OperationType
from nnvet.reports.events import Verdict
from tests.adapters.runtimes.binary_models import pair

WEBGPU = "onnxruntime:provider=WebGpu"


@pytest.fixture(scope="module", autouse=True)
def gpu() -> None:
    """Skip where the package or a driver of Vulkan is missing."""
    try:
        version("onnxruntime-webgpu")
        device = create_device(WEBGPU)
    except (PackageNotFoundError, SelectorError) as error:
        pytest.skip(f"needs the extra webgpu: {error}")
    if device.get_supported_operations(pair(OperationType.MAXIMUM)) != (True,):
        pytest.skip("needs a GPU with Vulkan, or SwiftShader: see docs/onnxruntime.md")


def test_no_case_fails() -> None:
    """Layouts, ties, unknown shapes: right where the GPU takes them."""
    cases = ("GeneratedTest/sync/conv2d_float_valid_padding", "GeneratedTest/sync/topk_v2_basic_ties")
    checked = check_driver(WEBGPU, only=cases)
    assert checked.faultless, checked


def test_what_the_gpu_does_not_run_is_not_supported() -> None:
    """Arithmetic on codes is never taken; floats of 16 bits are, and pass or are UNSUPPORTED, as the GPU has it."""
    codes, halves = "GeneratedTest/sync/logistic_quant8_fine_scale", "GeneratedTest/sync/relu_float16_rank1_float16"
    results = check_driver(WEBGPU, only=(codes, halves)).log.results
    assert results[codes].verdict is Verdict.UNSUPPORTED
    assert results[halves].verdict in {Verdict.PASS, Verdict.UNSUPPORTED}
