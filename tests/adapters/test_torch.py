"""The kind ``torch``: models run in PyTorch and are judged as any driver's; wrong options are refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from nnvet.adapters import SelectorError, create_device
from nnvet.conformance.checking import check_driver
from nnvet.hal.enums import DeviceType, OperandType, OperationType
from tests.adapters.runtimes.binary_models import binary, computed, pair, prepared
from tests.commands.test_utilities import nnvet, words

torch = pytest.importorskip("torch", reason="needs the torch extra")

CODES = OperandType.TENSOR_QUANT8_ASYMM
CASES = (
    "GeneratedTest/sync/conv2d_*layout_*nchw",
    "GeneratedTest/sync/topk_v2_*tie*",
    "GeneratedTest/sync/elu_float_*",
    "GeneratedTest/sync/fill_*",
    "GeneratedTest/sync/logical_*",
    "GeneratedTest/sync/reduce_a*",
    "GeneratedTest/sync/space_to_batch_*layout*",
    "GeneratedValidationTest/sync/gather_failures_*",
    "DynamicOutputShapeTest/sync_unspecified/reshape_*",
)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("selector", ["torch", "torch:half=float16,relaxed=float16"])
def test_no_case_fails(selector: str) -> None:
    """Layouts, ties, truth values, negative indices, unknown shapes: right where they are claimed."""
    checked = check_driver(selector, only=CASES)
    assert checked.faultless, checked


def test_codes_are_computed_as_numbers_and_rounded_once() -> None:
    """Scales 1/2, 1/4 and 1: sums of 0.5, 1.25, 0.75 are 1; products of 3.75, 2500 and 0 in halves are 8, 255 and 0."""
    model = prepared("torch", binary(OperationType.ADD, CODES, scales=(0.5, 0.25, 1.0)))
    assert computed(model, [0, 1, 1, 0, 250, 255], [2, 3, 1, 0, 100, 255], dtype="uint8") == [1, 1, 1, 0, 150, 191]
    model = prepared("torch", binary(OperationType.MUL, CODES, scales=(0.5, 0.5, 0.5)))
    assert computed(model, [3, 100, 0], [5, 100, 9], dtype="uint8") == [8, 255, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("threads=0", "threads is '0'; give a number from 1 on"),
        ("cpu,threads", "'threads' is not of the form option=value"),
        ("relaxed=float64", "relaxed is 'float64'; choose float32, float16, bfloat16"),
        ("half=bfloat16", "half is 'bfloat16'; choose float32, float16"),
        ("precision=low", "there is no option precision; there are module, threads, relaxed, half"),
        ("tpu", "torch:tpu': Expected one of cpu, cuda, .* device type"),
        ("cuda:", "torch:cuda:': Invalid device string"),
        ("cpu:0", "the processor has no number; write cpu"),
        ("meta", "torch:meta': PyTorch cannot compute there: "),
        ("vulkan", "torch:vulkan': PyTorch cannot compute there: "),
        ("privateuseone", "torch:privateuseone': PyTorch cannot compute there: No module named"),
        ("mtia:3", "PyTorch sees 0 mtia devices"),
        ("cpu,module=no.such", "module is 'no.such', which cannot be imported: No module named 'no'"),
    ],
)
def test_options_are_checked(arguments: str, message: str) -> None:
    """A mistake in the selector gives one message."""
    with pytest.raises(SelectorError, match=message):
        create_device(f"torch:{arguments}")


@pytest.mark.parametrize("selector", ["torch:cpu", "torch:cpu,threads=2", "torch:threads=1"])
def test_the_processor_is_named_or_not(selector: str) -> None:
    """The device comes first if it is given, then the options."""
    assert computed(prepared(selector, binary(OperationType.ADD)), [1, 2], [3, 4]) == [4, 6]
    torch.set_num_threads(1)


@pytest.mark.parametrize(("number", "there"), [("", 0), (":0", 0), (":2", 2)])
def test_a_gpu_that_is_not_there_ends_the_command(number: str, there: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With CUDA or without it; the message counts what is there, and the exit code is 2."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: there)
    with pytest.raises(SelectorError, match=f"sees {there} CUDA devices"):
        create_device(f"torch:cuda{number}")


def test_a_gpu_computes_float32_as_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    """TF32, which convolutions use by default, is switched off; clients see a GPU."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = True
    device = create_device("torch:cuda:1,relaxed=float16")
    assert device.get_type() == DeviceType.GPU
    assert not torch.backends.cudnn.allow_tf32
    assert not torch.backends.cuda.matmul.allow_tf32


LAZY = """
import torch._lazy.ts_backend

torch._lazy.ts_backend.init()
"""


def test_a_device_that_a_module_registers_computes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch's device ``lazy`` is there once its back end was started; its results live on it."""
    (tmp_path / "registering.py").write_text(LAZY, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    selector = "torch:lazy,module=registering"
    device = create_device(selector)
    assert device.get_type() == DeviceType.ACCELERATOR
    assert computed(prepared(selector, pair(OperationType.MAXIMUM)), [1, 5], [3, 4]) == [3, 5]


def test_a_run_without_the_gpu_ends_with_code_2() -> None:
    """The command says what is missing, in one line."""
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    result = nnvet("run", "-d", "torch:cuda")
    assert result.exit_code == 2
    assert "sees 0 CUDA devices" in words(result)


def test_without_pytorch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to install."""
    for name in [module for module in sys.modules if module.startswith("nnvet.adapters.torch")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(SelectorError, match=r"pip install 'nnvet\[torch\]'"):
        create_device("torch")
