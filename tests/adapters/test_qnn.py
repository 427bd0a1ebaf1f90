"""Qualcomm's HTP simulator as a plug-in provider of ONNX Runtime: who computes, refusals, ends of processes."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from nnvet.adapters import SelectorError, create_device
from nnvet.conformance.checking import check_driver
from nnvet.conformance.engine.target import Target
from nnvet.fuzz.harness import HARNESSES
from nnvet.hal.errors import HalError
from nnvet.reports.events import Verdict

qnn = pytest.importorskip("onnxruntime_qnn", reason="needs the qnn extra: pip install 'nnvet[qnn]'")
onnx_parser = pytest.importorskip("onnx.parser")
adapter = pytest.importorskip("nnvet.adapters.onnxruntime.device")
DRIVER = "onnxruntime:library=qnn,backend=htp"
GATHER = """<ir_version: 10, opset_import: ["" : 21]>
g (float16[2,3,2] x) => (float16[2,2,1,2,2] y) <int64[2,1,2] i = {0,2,1,0}> { y = Gather<axis = 1>(x, i) }"""


def test_the_simulator_computes_what_passes() -> None:
    """Codes per channel, pools, tables of functions and movement: all nodes that matter are the provider's."""
    only = (
        "GeneratedTest/sync/conv2d_quant8_per_channel_valid_padding",
        "GeneratedTest/sync/average_pool_2d_quant8_explicit_padding",
        "GeneratedTest/sync/logistic_quant8_*",
        "GeneratedTest/sync/add_quant8_vectors*",
    )
    checked = check_driver(DRIVER, only=only)
    assert checked.faultless, checked
    passed = [event for event in checked.log.results.values() if event.verdict is Verdict.PASS]
    assert len(passed) >= 4
    assert {event.computed_by.partition(",")[0] for event in passed} == {"QNN"}


def test_floats_are_those_of_the_chip() -> None:
    """It computes 32-bit floats with 16 bits: only models that allow it are taken, and whoever says strict is right."""
    cases = ("GeneratedTest/sync/relu_float_rank4", "GeneratedTest/sync/relu_float_rank4_relaxed")
    results = check_driver(DRIVER, only=cases).log.results
    assert [results[case].verdict for case in cases] == [Verdict.UNSUPPORTED, Verdict.PASS]
    by_path = f"onnxruntime:library=qnn,backend_path={qnn.get_qnn_htp_path()}"
    assert check_driver(by_path, only=cases[:1]).log.results[cases[0]].verdict is Verdict.UNSUPPORTED
    results = check_driver(f"{DRIVER},float32=strict", only=cases[:1]).log.results
    assert results[cases[0]].verdict is not Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("backend=saver", "writes files and computes nothing"),
        ("backend=dsp", "backend is 'dsp'; choose htp, gpu, cpu"),
        ("backend=cpu", "libQnnCpu.so is not there"),
        ("vtcm_megabytes=8", "contains no option of this name"),
        ("device=npu", "offers no device 'npu'; it offers 0: cpu"),
    ],
)
def test_options_that_would_pass_in_silence(options: str, message: str) -> None:
    """The provider ignores what it does not know, and claims nodes that it does not compute."""
    with pytest.raises(SelectorError, match=message):
        create_device(f"onnxruntime:library=qnn,{options}")


def test_a_run_that_fails_is_not_done_again_on_the_processor() -> None:
    """The simulator takes this Gather and fails when it runs; without it ONNX Runtime has the result."""
    device = create_device(DRIVER)
    (settings,) = device.build.args  # type: ignore[attr-defined]
    content, x = onnx_parser.parse_model(GATHER).SerializeToString(), np.ones((2, 3, 2), np.float16)
    with pytest.raises(Exception, match="QNN graph execute error") as raised:
        settings.load(content).run(None, {"x": x})
    assert not isinstance(raised.value, HalError)
    assert adapter.SessionSettings().load(content).run(None, {"x": x})[0].shape == (2, 2, 1, 2, 2)


def test_its_death_is_a_crash_of_one_case() -> None:
    """PRELU in rank 5 ends its process within the simulator; the next case runs."""
    cases = ("GeneratedTest/sync/prelu_float_rank5_float16", "GeneratedTest/sync/relu_float_rank4_relaxed")
    results = check_driver(DRIVER, only=cases).log.results
    assert [results[case].verdict for case in cases] == [Verdict.CRASH, Verdict.PASS]


def test_bursts_of_an_accelerator_that_computes_halves_are_fuzzed() -> None:
    """It takes the model of this harness, and its sums are exact."""
    harness = HARNESSES["burst"]
    with harness.opens(Target(DRIVER)) as one_input:
        for seed in islice(harness.seeds(), 2):
            one_input(seed.data)
