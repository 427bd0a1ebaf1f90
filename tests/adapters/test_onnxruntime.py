"""The kind ``onnxruntime``: models run in ONNX Runtime and are judged as any driver's; wrong options are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import pytest

from nnvet.adapters import SelectorError, create_device
from nnvet.adapters.runtimes.claims import execute_graph
from nnvet.conformance.checking import check_driver
from nnvet.hal.enums import OperandLifeTime, OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.types import DataLocation, Model, Operand, Operation, Subgraph
from nnvet.reports.events import Verdict
from tests.adapters.runtimes.binary_models import binary, computed, pair, prepared

onnx = pytest.importorskip("onnx", reason="needs the onnx extra")
onnxruntime = pytest.importorskip("onnxruntime", reason="needs the onnx extra")
adapter = pytest.importorskip("nnvet.adapters.onnxruntime.device")

CASES = (
    "GeneratedTest/sync/conv2d_layout_*nchw",
    "GeneratedTest/sync/topk_v2_*tie*",
    "GeneratedTest/sync/elu_float_*",
    "GeneratedTest/sync/space_to_batch_*layout*",
    "GeneratedValidationTest/sync/gather_failures_*",
    "DynamicOutputShapeTest/sync_unspecified/reshape_*",
    "GeneratedTest/sync/conv2d_quant8_*per_channel*",
    "GeneratedTest/sync/average_pool_2d_quant8_*padding*",
    "GeneratedTest/sync/softmax_quant8_*beta*",
    "GeneratedTest/sync/concat*quant8*",
)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("optimization", ["all", "none"])
def test_no_case_fails(optimization: str) -> None:
    """Layouts, ties, unknown shapes, codes in QDQ form: right where they are claimed, with fused nodes and without."""
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
        ("float16=half", "float16 is 'half'; choose widened, native"),
        ("library=/nowhere/lib.so", "library=/nowhere/lib.so': there is no such file"),
        ("library=lib.so,provider=CPU", "give provider or library, not both"),
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


def test_a_library_that_is_no_provider() -> None:
    """Any library has the ending; its symbols decide."""
    with pytest.raises(SelectorError, match="is no plug-in provider"):
        create_device(f"onnxruntime:library={msgspec._core.__file__}")


def test_products_of_codes_that_cannot_be_right_everywhere_are_not_claimed() -> None:
    """Weights that are no constants saturate on some processors; sums of 2^25 that a bias cancels lose bits."""
    conv = "GeneratedTest/sync/conv2d_quant8_per_channel_valid_padding"
    sums = "GeneratedTest/sync/fully_connected_quant8_multiplier_above_1"
    cases = (conv, f"{conv}_all_tensors_as_inputs", f"{sums}_multiplier_one", f"{sums}_large_sums_cancelled")
    results = check_driver("onnxruntime", only=cases).log.results
    assert [results[case].verdict for case in cases] == [Verdict.PASS, Verdict.UNSUPPORTED] * 2


def test_nobody_steps_in_for_a_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX Runtime would start again on the CPU when a provider fails; every session is made without that."""
    made: list[Mapping[str, Any]] = []

    def record(*_: object, **named: Any) -> None:
        made.append(named)

    monkeypatch.setattr(onnxruntime, "InferenceSession", record)
    adapter.SessionSettings("SomeExecutionProvider", may_fall_back=True).load(b"")
    adapter.SessionSettings().load(b"")
    assert [named["enable_fallback"] for named in made] == [0, 0]


def _faked(monkeypatch: pytest.MonkeyPatch, assigned: list[Any], failing: str) -> None:
    """Sessions of a provider that says ``assigned`` of its nodes, and fails to run models with operator ``failing``."""

    class Fake:
        def __init__(self, content: bytes, *_: object, **__: object) -> None:
            self._operators = [node.op_type for node in onnx.load_from_string(content).graph.node]

        def get_provider_graph_assignment_info(self) -> list[Any]:
            return assigned

        def run(self, *_: object) -> list[Any]:
            if failing in self._operators:
                raise ValueError(f"no {failing}")
            return []

    monkeypatch.setattr(onnxruntime, "InferenceSession", Fake)


def test_what_a_provider_does_beside_what_it_says_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """WebGPU says nothing of the nodes that it has, and fails to run casts; another one says all and runs all."""
    monkeypatch.setattr(adapter, "_SHOWS_PLACEMENT", True)
    settings = adapter.SessionSettings("SomeExecutionProvider")
    _faked(monkeypatch, [], failing="Cast")
    found = settings.probed()
    assert (found.shows_placement, found.runs_halves) == (False, False)
    _faked(monkeypatch, ["a part"], failing="")
    found = settings.probed()
    assert (found.shows_placement, found.runs_halves) == (True, True)


def test_floats_that_do_not_run_are_not_supported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models without them are."""
    settings = adapter.SessionSettings(runs_halves=False)
    monkeypatch.setattr(adapter.SessionSettings, "load", lambda *_: None)
    graphs = [
        execute_graph(pair(OperationType.MAXIMUM, kind), {}, [(2,), (2,)])
        for kind in (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_FLOAT16)
    ]
    adapter.build(settings, graphs[0])
    with pytest.raises(HalError, match="does not run them here"):
        adapter.build(settings, graphs[1])


def test_large_weights_of_codes_are_constants_too() -> None:
    """Two rows of 1,024 codes: whoever asks what is supported reads small values alone, but knows what is constant."""
    size, kept, codes = 1024, OperandLifeTime.CONSTANT_COPY, OperandType.TENSOR_QUANT8_ASYMM_SIGNED
    values = bytes([1] * 2 * size) + bytes(2 * 4) + bytes(4)
    operands = (
        Operand(codes, (1, size), scale=0.5, lifetime=OperandLifeTime.SUBGRAPH_INPUT),
        Operand(codes, (2, size), scale=0.5, lifetime=kept, location=DataLocation(0, 0, 2 * size)),
        Operand(OperandType.TENSOR_INT32, (2,), scale=0.25, lifetime=kept, location=DataLocation(0, 2 * size, 8)),
        Operand(OperandType.INT32, lifetime=kept, location=DataLocation(0, 2 * size + 8, 4)),
        Operand(codes, (1, 2), scale=8.0, lifetime=OperandLifeTime.SUBGRAPH_OUTPUT),
    )
    main = Subgraph(operands, (Operation(OperationType.FULLY_CONNECTED, (0, 1, 2, 3), (4,)),), (0,), (4,))
    model = Model(main, operand_values=values)
    assert create_device("onnxruntime").get_supported_operations(model) == (True,)
    # 1,024 products of 1/2 and 1/2 are 256, which is 32 steps of 8.
    (result,) = prepared("onnxruntime", model).compute([np.ones((1, size), np.int8)])
    assert result.tolist() == [[32, 32]]
