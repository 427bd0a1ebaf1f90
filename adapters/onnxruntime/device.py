"""Makes the device of the kind ``onnxruntime``: the selector's options, sessions, and the providers of their nodes.

:mod:`nnvet.adapters.onnxruntime.program` has the claimed operations and writes the models;
:mod:`nnvet.adapters.runtimes.device` implements the device.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

from nnvet.adapters.onnxruntime.emitter import IR_VERSION, OPSET, node_name, plain_name
from nnvet.adapters.onnxruntime.plugins import Plugin, open_plugin
from nnvet.adapters.onnxruntime.program import TABLE, Forms, OnnxProgram
from nnvet.adapters.runtimes.claims import Graph
from nnvet.adapters.runtimes.device import Accelerator, RuntimeDevice, RuntimeNode, take_fallback
from nnvet.adapters.selector import SelectorError, parse_options, take_choice, take_number
from nnvet.driver_kit.arrays import Array
from nnvet.hal.enums import OperandType
from nnvet.hal.errors import HalError, failure
from nnvet.hal.extensions import claimed_by

OPTIMIZATIONS: Final = {
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "none": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
}
"""Values of the option ``optimization``; the first is ONNX Runtime's own default."""
_CPU: Final = "CPUExecutionProvider"
_SHOWS_PLACEMENT = hasattr(onnxruntime.InferenceSession, "get_provider_graph_assignment_info")
"""True if the release reports the placement of nodes. Others are made to refuse models that the provider cannot take
whole."""
_QUIET: Final = 3
"""Least severity that ONNX Runtime logs, errors; its warnings are all about unused values."""
_SILENT: Final = 4
"""Least severity logged while errors are expected, fatal errors."""


def create(arguments: str) -> RuntimeDevice:
    """Return the device of ``provider=NAME`` or ``library=LIB.so`` and options; unknown options go to the provider.

    :raises SelectorError: an option is wrong, or the provider does not exist here.
    """
    options = parse_options("onnxruntime", arguments)
    plugin = None
    if "library" in options:
        if "provider" in options:
            raise SelectorError(f"driver 'onnxruntime:{arguments}': give provider or library, not both")
        plugin = open_plugin(options)
    provider = plugin.name if plugin is not None else _take_provider(options)
    may_fall_back = provider != _CPU and take_fallback("onnxruntime", options)
    # Nodes that an optimisation has made from others no longer have the names of the model's nodes.
    levels = tuple(OPTIMIZATIONS) if provider == _CPU or may_fall_back else tuple(reversed(OPTIMIZATIONS))
    optimization = take_choice("onnxruntime", options, "optimization", levels)
    threads = take_number("onnxruntime", options, "threads", 1)
    extensions, claims = claimed_by("onnxruntime")
    forms = replace(_take_forms(options, plugin), table=TABLE.with_claims(claims))
    if options and provider == _CPU:
        raise SelectorError(f"driver 'onnxruntime:{arguments}': {', '.join(options)}: the CPU has no such options")
    if plugin is not None:
        options = plugin.with_options(options)
    settings = SessionSettings(provider, optimization, threads, options, may_fall_back, plugin, forms)
    if provider != _CPU and plugin is None and not may_fall_back:
        settings = settings.probed()
    release = f"onnxruntime {onnxruntime.__version__}{plugin.version if plugin is not None else ''}"
    accelerator = None if provider == _CPU else Accelerator(provider, "ONNX Runtime's CPU kernels", may_fall_back)
    name = f"onnxruntime-{provider.removesuffix('ExecutionProvider').lower()}"
    made = RuntimeDevice(
        forms.table,
        partial(build, settings),
        name,
        release,
        copies_inputs=True,
        accelerator=accelerator,
        float32_if_relaxed=forms.float32_if_relaxed,
    )
    made.extensions = extensions
    return made


def _take_provider(options: dict[str, str]) -> str:
    """Remove the option ``provider``, and return its value with the ending of ONNX Runtime's own providers."""
    provider = options.pop("provider", _CPU)
    if not provider.endswith("ExecutionProvider"):
        provider += "ExecutionProvider"
    available = onnxruntime.get_available_providers()
    if provider not in available:
        raise SelectorError(f"driver 'onnxruntime': there is no {provider}; there are {available}")
    return provider


def _take_forms(options: dict[str, str], plugin: Plugin | None) -> Forms:
    """Remove the options ``float16``, ``codes`` and ``float32``; plug-ins, for accelerators, have other defaults."""
    halves, codes, singles = ("widened", "native"), ("plain", "qdq"), ("strict", "relaxed")
    if plugin is not None:
        halves, codes = halves[::-1], codes[::-1]
        singles = singles[::-1] if plugin.computes_halves else singles
    return Forms(
        take_choice("onnxruntime", options, "float16", halves) == "native",
        take_choice("onnxruntime", options, "codes", codes) == "qdq",
        take_choice("onnxruntime", options, "float32", singles) == "relaxed",
    )


@dataclass(frozen=True)
class SessionSettings:
    """Settings of sessions."""

    provider: str = _CPU
    optimization: str = next(iter(OPTIMIZATIONS))
    threads: int = 1
    options: Mapping[str, str] = field(default_factory=dict)
    may_fall_back: bool = False
    plugin: Plugin | None = None
    forms: Forms = field(default_factory=Forms)
    shows_placement: bool = True
    runs_halves: bool = True
    severity: int = _QUIET

    def probed(self) -> SessionSettings:
        """Find out by two small models how the provider really behaves.

        WebGPU of 1.27 does not report its nodes. It accepts casts of 16-bit floats, and fails to run them if the GPU
        has no such floats.
        """
        strict = replace(self, shows_placement=False, severity=_SILENT)
        shows, runs = _SHOWS_PLACEMENT, True
        try:
            session = strict.load(_relu("FLOAT"))
            shows = shows and bool(session.get_provider_graph_assignment_info())
            halves = _Session(strict.load(_relu("FLOAT16")))
        except HalError:
            return replace(self, shows_placement=shows)
        try:
            halves.run(["y"], {"x": np.ones((1, 1, 2, 2), np.float16)})
        except HalError:
            runs = False
        return replace(self, shows_placement=shows, runs_halves=runs)

    def load(self, content: bytes) -> Any:
        """Return a session of an ONNX file. Other nodes than the provider's run on the CPU if the release reports them.

        :raises HalError: GENERAL_FAILURE if ONNX Runtime refuses the file.
        """
        session = onnxruntime.SessionOptions()
        session.graph_optimization_level = OPTIMIZATIONS[self.optimization]
        session.intra_op_num_threads = session.inter_op_num_threads = self.threads
        session.log_severity_level = self.severity
        # Keeps all bits of products of codes on processors without VNNI, which would saturate sums of two at 16 bits.
        session.add_session_config_entry("session.x64quantprecision", "1")
        if self.provider != _CPU:
            session.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        if self.provider != _CPU and not self._leaves_nodes_to_cpu:
            session.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        # ONNX Runtime's exceptions have no common base class of their own.
        try:
            if self.plugin is not None:
                session.add_provider_for_devices([self.plugin.device], dict(self.options))
                return onnxruntime.InferenceSession(content, session, enable_fallback=0)
            # Without this, ONNX Runtime silently makes another session on the CPU alone if the provider fails.
            return onnxruntime.InferenceSession(content, session, providers=self._providers(), enable_fallback=0)
        except Exception as error:
            raise _failed(error) from error

    @property
    def _leaves_nodes_to_cpu(self) -> bool:
        """Return True if the CPU may run nodes that the provider refuses, as ONNX Runtime reports them afterwards."""
        return self.provider != _CPU and (self.may_fall_back or (_SHOWS_PLACEMENT and self.shows_placement))

    def _providers(self) -> list[Any]:
        return [(self.provider, dict(self.options)), *([_CPU] if self._leaves_nodes_to_cpu else [])]


class _Session:
    """A session of ONNX Runtime, whose exceptions become statuses."""

    def __init__(self, session: Any) -> None:
        self.session = session

    def run(self, outputs: Sequence[str], inputs: Mapping[str, Array]) -> list[Array]:
        """Return the named outputs.

        :raises HalError: GENERAL_FAILURE if ONNX Runtime fails.
        """
        try:
            results: list[Array] = self.session.run(outputs, inputs)
        except Exception as error:
            raise _failed(error) from error
        return results


def build(settings: SessionSettings, graph: Graph) -> SessionProgram:
    """Return the program of a graph, all of whose calls are claimed.

    :raises HalError: GENERAL_FAILURE if ONNX Runtime refuses the model.
    """
    if not settings.runs_halves and _has_halves(graph):
        raise failure("it takes floats of 16 bits, but does not run them here", "driver/operation.supported")
    return SessionProgram(settings, graph)


def _relu(kind: str) -> bytes:
    """Return a model of one operator that every provider has, with casts around it for floats of other sizes."""
    ends = [helper.make_tensor_value_info(name, TensorProto.DataType.Value(kind), [1, 1, 2, 2]) for name in ("x", "y")]
    nodes = [
        helper.make_node("Cast", ["x"], ["wide"], to=TensorProto.FLOAT),
        helper.make_node("Relu", ["wide"], ["result"]),
        helper.make_node("Cast", ["result"], ["y"], to=TensorProto.DataType.Value(kind)),
    ]
    if kind == "FLOAT":
        nodes = [helper.make_node("Relu", ["x"], ["y"])]
    graph = helper.make_graph(nodes, "relu", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    content: bytes = model.SerializeToString()
    return content


def _has_halves(graph: Graph) -> bool:
    """Return True if an operation reads or writes floats of 16 bits."""
    return any(
        operand.type == OperandType.TENSOR_FLOAT16
        for _, call in graph.computing()
        for operand in (*call.inputs.values(), *call.variadic, *call.outputs)
    )


class SessionProgram(OnnxProgram):
    """A program that knows the nodes of the provider."""

    def __init__(self, settings: SessionSettings, graph: Graph) -> None:
        """Write the model and load it.

        :raises HalError: GENERAL_FAILURE if ONNX Runtime refuses it.
        """
        super().__init__(lambda content: _Session(settings.load(content)), graph, settings.forms, "ONNX Runtime")
        self._shows_placement = settings.shows_placement

    def nodes(self) -> Sequence[RuntimeNode]:
        """Return the nodes of the model; the provider has those that ONNX Runtime has assigned to it.

        :raises HalError: GENERAL_FAILURE if ONNX Runtime does not say.
        """
        if not isinstance(self.session, _Session):
            return []
        if not (_SHOWS_PLACEMENT and self._shows_placement):
            return super().nodes()
        try:
            assigned = self.session.session.get_provider_graph_assignment_info()
        except Exception as error:
            raise _failed(error) from error
        taken = {plain_name(node.name) for part in assigned if part.ep_name != _CPU for node in part.get_nodes()}
        # Nodes that a provider has fused have new names; but if it has all the remaining nodes, it has everything.
        has_all = bool(taken) and all(part.ep_name != _CPU for part in assigned)
        return [
            RuntimeNode(place, operator, has_all or node_name(number) in taken)
            for number, (place, operator) in enumerate(self.operators)
        ]


def _failed(error: Exception) -> HalError:
    return failure(f"ONNX Runtime: {str(error).strip()}", "execution/status")
