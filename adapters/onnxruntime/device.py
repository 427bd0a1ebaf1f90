"""Makes the device of the kind ``onnxruntime``: options of the selector, programs of ONNX models.

The table of ONNX Runtime: what it computes as the contract says, and why nothing else is claimed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np
import onnxruntime

from nnvet.adapters.onnxruntime import forms, movement, numeric, products
from nnvet.adapters.onnxruntime.emitter import OnnxEmitter, node_name, plain_name
from nnvet.adapters.onnxruntime.plugins import Plugin, open_plugin
from nnvet.adapters.runtimes.claims import Graph, Table
from nnvet.adapters.runtimes.device import Accelerator, RuntimeDevice, RuntimeNode, take_fallback
from nnvet.adapters.selector import SelectorError, parse_options, take_choice, take_number
from nnvet.driver_kit.arrays import Array
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.errors import HalError, failure
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument

_O = OperationType
_NONE: Final = "ONNX has no operator that computes the same"
_GATES: Final = "ONNX's recurrent operators run over a whole sequence, with other activations, weights and states"
_CONTROL: Final = "other subgraphs are not converted"

UNCLAIMED: Final = {
    **dict.fromkeys(
        (
            _O.LSTM,
            _O.RNN,
            _O.BIDIRECTIONAL_SEQUENCE_LSTM,
            _O.BIDIRECTIONAL_SEQUENCE_RNN,
            _O.UNIDIRECTIONAL_SEQUENCE_LSTM,
            _O.UNIDIRECTIONAL_SEQUENCE_RNN,
            _O.QUANTIZED_16BIT_LSTM,
            _O.QUANTIZED_LSTM,
        ),
        _GATES,
    ),
    **dict.fromkeys(
        (
            _O.AXIS_ALIGNED_BBOX_TRANSFORM,
            _O.BOX_WITH_NMS_LIMIT,
            _O.DETECTION_POSTPROCESSING,
            _O.GENERATE_PROPOSALS,
            _O.HASHTABLE_LOOKUP,
            _O.HEATMAP_MAX_KEYPOINT,
            _O.LSH_PROJECTION,
            _O.SVDF,
        ),
        _NONE,
    ),
    **dict.fromkeys((_O.ROI_ALIGN, _O.ROI_POOLING), "ONNX's operator samples, and rounds edges of regions, otherwise"),
    _O.RANDOM_MULTINOMIAL: "draws follow another distribution of seeds, and cannot be compared",
    _O.IF: _CONTROL,
    _O.WHILE: _CONTROL,
}

TABLE: Final = Table[OnnxEmitter](
    "ONNX Runtime", (*forms.CLAIMS, *movement.CLAIMS, *numeric.CLAIMS, *products.CLAIMS), UNCLAIMED
)


OPTIMIZATIONS: Final = {
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "none": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
}
"""Values of the option ``optimization``; the first is ONNX Runtime's own default."""
_CPU: Final = "CPUExecutionProvider"
_SHOWS_PLACEMENT = hasattr(onnxruntime.InferenceSession, "get_provider_graph_assignment_info")
"""Releases that do not are made to refuse a model of which the provider does not take every node."""
_QUIET: Final = 3
"""Severity from which ONNX Runtime writes to stderr: errors; all warnings are about unused values."""


def create(arguments: str) -> RuntimeDevice:
    """The device of ``provider=NAME`` or ``library=LIB.so``, and options; what no option is, is the provider's own.

    :raises SelectorError: for an option that makes no sense, or a provider that is not there.
    """
    options = parse_options("onnxruntime", arguments)
    plugin = None
    if "library" in options:
        if "provider" in options:
            raise SelectorError(f"driver 'onnxruntime:{arguments}': give provider or library, not both")
        plugin = open_plugin(options)
    provider = plugin.name if plugin is not None else _take_provider(options)
    may_fall_back = provider != _CPU and take_fallback("onnxruntime", options)
    # Nodes that an optimisation makes of others have lost the names of those of the model.
    levels = tuple(OPTIMIZATIONS) if provider == _CPU or may_fall_back else tuple(reversed(OPTIMIZATIONS))
    optimization = take_choice("onnxruntime", options, "optimization", levels)
    threads = take_number("onnxruntime", options, "threads", 1)
    forms = _take_forms(options, plugin)
    if options and provider == _CPU:
        raise SelectorError(f"driver 'onnxruntime:{arguments}': {', '.join(options)}: the CPU has no such options")
    if plugin is not None:
        options = plugin.with_options(options)
    settings = SessionSettings(provider, optimization, threads, options, may_fall_back, plugin, forms)
    release = f"onnxruntime {onnxruntime.__version__}{plugin.version if plugin is not None else ''}"
    accelerator = None if provider == _CPU else Accelerator(provider, "ONNX Runtime's CPU kernels", may_fall_back)
    name = f"onnxruntime-{provider.removesuffix('ExecutionProvider').lower()}"
    return RuntimeDevice(
        TABLE,
        partial(build, settings),
        name,
        release,
        copies_inputs=True,
        accelerator=accelerator,
        float32_if_relaxed=forms.float32_if_relaxed,
    )


def _take_provider(options: dict[str, str]) -> str:
    """Remove the option ``provider``; its value with the ending that ONNX Runtime's own providers have."""
    provider = options.pop("provider", _CPU)
    if not provider.endswith("ExecutionProvider"):
        provider += "ExecutionProvider"
    available = onnxruntime.get_available_providers()
    if provider not in available:
        raise SelectorError(f"driver 'onnxruntime': there is no {provider}; there are {available}")
    return provider


@dataclass(frozen=True)
class Forms:
    """Forms in which a provider gets what has several: floats of 16 bits, codes that are only moved, floats of 32."""

    native_half: bool = False
    moves_real_numbers: bool = False
    float32_if_relaxed: bool = False


def _take_forms(options: dict[str, str], plugin: Plugin | None) -> Forms:
    """Remove the options ``float16``, ``codes`` and ``float32``; plug-ins are for accelerators, which have others."""
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

    def load(self, content: bytes) -> Any:
        """A session of an ONNX file. Nodes that the provider does not take run on the CPU, if it can be asked which.

        :raises HalError: GENERAL_FAILURE if ONNX Runtime refuses the file.
        """
        session = onnxruntime.SessionOptions()
        session.graph_optimization_level = OPTIMIZATIONS[self.optimization]
        session.intra_op_num_threads = session.inter_op_num_threads = self.threads
        session.log_severity_level = _QUIET
        # Products of codes keep all their bits on processors without VNNI, which saturate sums of two at 16 bits else.
        session.add_session_config_entry("session.x64quantprecision", "1")
        if self.provider != _CPU and (self.may_fall_back or _SHOWS_PLACEMENT):
            session.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        elif self.provider != _CPU:
            session.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        # Its exceptions have no common class of their own.
        try:
            if self.plugin is not None:
                session.add_provider_for_devices([self.plugin.device], dict(self.options))
                return onnxruntime.InferenceSession(content, session, enable_fallback=0)
            # Else ONNX Runtime makes another session, of the CPU alone, as soon as the provider fails: in silence.
            return onnxruntime.InferenceSession(content, session, providers=self._providers(), enable_fallback=0)
        except Exception as error:
            raise _failed(error) from error

    def _providers(self) -> list[Any]:
        """The provider, and after it the CPU for what it does not take, if it can be asked what that was."""
        asked = self.provider != _CPU and (self.may_fall_back or _SHOWS_PLACEMENT)
        return [(self.provider, dict(self.options)), *([_CPU] if asked else [])]


def build(settings: SessionSettings, graph: Graph) -> SessionProgram:
    """The program of a graph, all of whose calls are claimed.

    :raises HalError: GENERAL_FAILURE if ONNX Runtime refuses the model.
    """
    forms = settings.forms
    emitter = OnnxEmitter(graph, native_half=forms.native_half, moves_real_numbers=forms.moves_real_numbers)
    for place, operation, call in graph.numbered():
        emitter.place_of_operation = place
        TABLE.claims[operation].emit(emitter, call)
    return SessionProgram(settings, emitter, graph.inputs, graph.outputs)


class SessionProgram:
    """A session, with the names of the model's inputs and outputs; those that it does not have are empty."""

    def __init__(
        self, settings: SessionSettings, emitter: OnnxEmitter, inputs: Sequence[Argument], outputs: Sequence[Argument]
    ) -> None:
        """Write the file and load it.

        :raises HalError: GENERAL_FAILURE if ONNX Runtime refuses it.
        """
        self._outputs = outputs
        self._operators = emitter.operators
        names = [emitter.place(argument) for argument in inputs]
        self._inputs = [name if emitter.is_input(name) else "" for name in names]
        self._truths = [argument.type == OperandType.TENSOR_BOOL8 for argument in inputs]
        computed = [
            (emitter.place(argument), argument)
            for argument in outputs
            if emitter.place(argument) and 0 not in argument.dimensions
        ]
        self._results = [name for name, _ in computed]
        self._copies: dict[str, Array] = {}
        self.session = settings.load(emitter.finish(computed)) if computed else None

    def run(self, inputs: Sequence[Array | None]) -> list[Array]:
        """Outputs for inputs of the shapes that the program was built for.

        :raises HalError: GENERAL_FAILURE if ONNX Runtime fails.
        """
        fed = {
            name: self._safe(name, value, is_truth=is_truth)
            for name, is_truth, value in zip(self._inputs, self._truths, inputs, strict=True)
            if name and value is not None
        }
        try:
            results = iter(self.session.run(self._results, fed) if self.session is not None else ())
        except Exception as error:
            raise _failed(error) from error
        return [self._result(output, results) for output in self._outputs]

    def nodes(self) -> list[RuntimeNode]:
        """The nodes of the model; the provider has those that ONNX Runtime has assigned to it.

        :raises HalError: GENERAL_FAILURE if ONNX Runtime does not say.
        """
        if self.session is None:
            return []
        if not _SHOWS_PLACEMENT:
            return [RuntimeNode(place, operator, is_taken=True) for place, operator in self._operators]
        try:
            assigned = self.session.get_provider_graph_assignment_info()
        except Exception as error:
            raise _failed(error) from error
        taken = {plain_name(node.name) for part in assigned if part.ep_name != _CPU for node in part.get_nodes()}
        # Nodes that a provider has made of others have other names; but where it has all that is left, it has all.
        has_all = bool(taken) and all(part.ep_name != _CPU for part in assigned)
        return [
            RuntimeNode(place, operator, has_all or node_name(number) in taken)
            for number, (place, operator) in enumerate(self._operators)
        ]

    def _safe(self, name: str, value: Array, *, is_truth: bool) -> Array:
        """An input that clients may change while the session runs: of floats that changes results, and nothing else."""
        if value.dtype.kind == "f":
            return value
        copy = self._copies.get(name)
        if copy is None:
            copy = self._copies[name] = np.empty(value.shape, bool if is_truth else value.dtype)
        # Codes of truth values other than 0 and 1 are true as well.
        np.copyto(copy, value, casting="unsafe")
        return copy

    def _result(self, output: Argument, results: Any) -> Array:
        if 0 in output.dimensions:
            return np.empty(output.dimensions, type_info(output.type).dtype)
        result: Array = next(results)
        if result.shape != output.dimensions:
            raise failure(f"ONNX Runtime's output has shape {result.shape}, not {output.dimensions}", "driver/reply")
        return result


def _failed(error: Exception) -> HalError:
    return failure(f"ONNX Runtime: {str(error).strip()}", "execution/status")
