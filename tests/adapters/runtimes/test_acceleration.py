"""Accelerators behind ONNX Runtime and PyTorch: operations that they leave to CPU kernels are not supported."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nnvet.adapters import SelectorError, create_device, prepare
from nnvet.adapters.runtimes.device import Accelerator, RuntimeNode
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.selection import Selection, check_of
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.enums import OperandLifeTime, OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.types import Model
from nnvet.reports.events import Verdict
from nnvet.reports.log import read_log
from tests.adapters.runtimes.binary_models import binary, computed, pair
from tests.commands.test_utilities import nnvet, words

AZURE = "onnxruntime:provider=Azure"
REDUCED = ("BasicTest/*", "AnswerTest/*", "TestTrivialModel/*", "TestValidation/*", "FencedComputeTest/*", "*/relu*1")


def refusal(device: BaseDevice, model: Model) -> str:
    """Return the driver's message when it is to prepare a model that it does not support."""
    assert not all(device.get_supported_operations(model))
    with pytest.raises(HalError) as raised:
        prepare(device, model)
    return raised.value.message


@pytest.mark.parametrize("selector", ["onnxruntime", "torch:cpu"])
def test_a_runtime_without_accelerator_gives_its_reason(selector: str) -> None:
    """The table's, which names what the operation would have to be."""
    model = binary(OperationType.ADD, lifetime=OperandLifeTime.SUBGRAPH_INPUT)
    assert "'activation' is not a constant" in refusal(create_device(selector), model)


@pytest.mark.parametrize(
    ("nodes", "says"),
    [
        (("+CONV_2D",), ""),
        (("-CAST", "-TRANSPOSE", "-PAD", "+CONV_2D", "-TRANSPOSE", "-CAST"), ""),
        (("-CONV_2D",), "it takes 0 of 1 nodes; CONV_2D would run on CPU kernels"),
        (("+CAST", "+QUANTIZE", "-CONV_2D"), "it takes 0 of 1 nodes; CONV_2D would run on CPU kernels"),
        (("+MEAN", "-SUB", "+MUL"), "it takes 2 of 3 nodes; SUB would run on CPU kernels"),
        (("-CAST", "+RESHAPE", "-TRANSPOSE"), "it takes 1 of 2 nodes; TRANSPOSE would run on CPU kernels"),
        (("-CAST", "+QUANTIZE"), ""),
        (("-Cast", "+DequantizeLinear"), ""),
        (("-CAST",), "it takes 0 of 1 nodes; CAST would run on CPU kernels"),
        ((), "no node stands for it: there is nothing to compute"),
    ],
)
def test_the_nodes_that_an_operation_is_about(nodes: tuple[str, ...], says: str) -> None:
    """Nodes that are added around others may run anywhere, unless they are all that there is. + is taken, - is not."""
    found = [RuntimeNode(3, node[1:], node[0] == "+") for node in nodes]
    assert Accelerator("it").refusals([*found, RuntimeNode(0, "ABS", is_taken=False)], [3]).get(3, "") == says


@pytest.mark.long
def test_a_provider_that_runs_nothing_passes_nothing_that_needs_an_operation(tmp_path: Path) -> None:
    """ONNX Runtime's own kernels would be right; smoke says so, too."""
    onnx_is_there()
    needs = {case.id: check_of(case).needs_operation for case in Catalogue().cases(Selection(REDUCED))}
    run = nnvet("run", "-d", AZURE, "-n", "1", *(f"--only={glob}" for glob in REDUCED), "--out", tmp_path)
    found = read_log(tmp_path / "run.jsonl").results
    assert found.keys() == needs.keys(), run.output
    assert {result.verdict for result in found.values()} == {Verdict.PASS, Verdict.UNSUPPORTED}
    assert not [case for case, result in found.items() if result.verdict is Verdict.PASS and needs[case]]
    smoke = nnvet("smoke", "-d", AZURE)
    assert smoke.exit_code == 1
    assert "the driver says: AzureExecutionProvider takes 0 of 1 nodes" in words(smoke)


def test_a_provider_with_fallback(tmp_path: Path) -> None:
    """The CPU provider computes, and the report says so."""
    onnx_is_there()
    only = "GeneratedTest/sync/relu_float_rank1"
    run = nnvet("run", "-d", f"{AZURE},fallback=cpu", "--only", only, "--out", tmp_path)
    assert run.exit_code == 0, run.output
    assert "CPU kernels may have done the driver's work in 1 case:" in words(run)


@pytest.mark.parametrize(("taken", "supported"), [({"Pow"}, True), ({"Cast"}, False)])
def test_casts_around_an_operation_may_run_on_the_cpu(
    taken: set[str], supported: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A provider is faked that takes nodes by their operators; the evidence names those that it leaves."""
    onnxruntime = onnx_is_there()
    real = onnxruntime.InferenceSession.get_provider_graph_assignment_info

    def placed(session: Any) -> list[Any]:
        nodes = [node for part in real(session) for node in part.get_nodes()]
        names = {True: "Fake", False: "CPUExecutionProvider"}
        return [
            SimpleNamespace(ep_name=names[node.op_type in taken], get_nodes=lambda node=node: [node]) for node in nodes
        ]

    monkeypatch.setattr(onnxruntime.InferenceSession, "get_provider_graph_assignment_info", placed)
    model = pair(OperationType.POW, OperandType.TENSOR_FLOAT16)
    device = create_device(AZURE)
    assert device.get_supported_operations(model) == (supported,)
    if supported:
        beside = "AzureExecutionProvider, beside it ONNX Runtime's CPU kernels: Cast"
        assert prepare(device, model).computed_by == beside  # type: ignore[attr-defined]


def test_a_runtime_that_does_not_show_its_placement_is_made_to_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Older releases of ONNX Runtime: the fallback is switched off, and the session fails."""
    onnx_is_there()
    onnx_device = importlib.import_module("nnvet.adapters.onnxruntime.device")
    monkeypatch.setattr(onnx_device, "_SHOWS_PLACEMENT", False)
    assert "fallback to CPU EP has been explicitly disabled" in refusal(create_device(AZURE), pair(OperationType.POW))


def test_fallback_is_an_option_of_accelerators() -> None:
    """It makes no sense for CPU kernels, and has two values."""
    onnx_is_there()
    with pytest.raises(SelectorError, match="fallback: the CPU has no such options"):
        create_device("onnxruntime:fallback=cpu")
    with pytest.raises(SelectorError, match="fallback is 'gpu'; choose none, cpu"):
        create_device(f"{AZURE},fallback=gpu")


@pytest.fixture
def faked(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Any]], Any]:
    """Makes a device of the kind torch of which a function computes POW, with options.

    Its tensors live on PyTorch's device without memory, in place of a GPU.
    """
    torch = pytest.importorskip("torch", reason="needs the torch extra")
    torch_device = importlib.import_module("nnvet.adapters.torch.device")

    def made(function: Callable[..., Any], options: str = "") -> Any:
        def emit(emitter: Any, call: Any) -> None:
            emitter.move(function, [call["base"], call["exponent"]], call.outputs)

        claim = replace(torch_device.TABLE.claims[OperationType.POW], emit=emit)
        monkeypatch.setitem(torch_device.TABLE.claims, OperationType.POW, claim)
        return torch_device.create(f"cuda{options}")

    monkeypatch.setattr(torch_device, "_device", lambda _: torch.device("meta"))
    return made


def test_results_on_the_device_are_the_devices(faked: Callable[..., Any]) -> None:
    """The result of the one step is there."""
    device = faked(lambda base, _: base * 2)
    assert device.get_supported_operations(pair(OperationType.POW)) == (True,)
    assert prepare(device, pair(OperationType.POW)).computed_by == "meta"


def elsewhere(*_: Any) -> Any:
    """Compute on the CPU, and leave the result there."""
    return pytest.importorskip("torch").zeros(2)


def falling_back(base: Any, _: Any) -> Any:
    """Do as PyTorch does with PYTORCH_ENABLE_MPS_FALLBACK."""
    warnings.warn("The operator 'aten::pow' will fall back to run on the CPU.", UserWarning, stacklevel=1)
    return base


def missing(*_: Any) -> Any:
    """Have no kernel for the device."""
    raise NotImplementedError("Could not run 'aten::pow'")


@pytest.mark.parametrize("function", [elsewhere, falling_back, missing])
def test_what_the_cpu_computes_is_not_supported(function: Callable[..., Any], faked: Callable[..., Any]) -> None:
    """The reason is given; with the fallback it is nobody's business."""
    assert "meta takes 0 of 1 nodes; POW would run on the CPU" in refusal(faked(function), pair(OperationType.POW))
    assert faked(function, ",fallback=cpu").get_supported_operations(pair(OperationType.POW)) == (True,)


def test_an_execution_on_the_cpu_fails(faked: Callable[..., Any]) -> None:
    """A device that took the zeros of the question, and not the numbers of a request, breaks its promise."""
    places = iter((lambda base: base, elsewhere))
    device = faked(lambda base, _: next(places)(base))
    prepared = prepare(device, pair(OperationType.POW))
    with pytest.raises(HalError, match="POW was not computed on meta"):
        computed(prepared, [1, 2], [3, 4])


def onnx_is_there() -> Any:
    """ONNX Runtime; the test is skipped where it is not installed."""
    pytest.importorskip("onnx", reason="needs the onnx extra")
    return pytest.importorskip("onnxruntime", reason="needs the onnx extra")
