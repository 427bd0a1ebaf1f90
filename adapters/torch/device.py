"""Make the device of the kind ``torch``: read the selector's options, and build programs of eager functions.

:data:`TABLE` lists the operations that PyTorch computes as the contract demands, with reasons for the others.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import torch

from nnvet.adapters.runtimes import movement, numeric
from nnvet.adapters.runtimes.arrays import in_words_of
from nnvet.adapters.runtimes.claims import CELLS_OF_CODES, NEVER_CLAIMED, Graph, Table, element_name
from nnvet.adapters.runtimes.device import Accelerator, RuntimeDevice, RuntimeNode, take_fallback
from nnvet.adapters.runtimes.functions import FunctionStep
from nnvet.adapters.selector import SelectorError, parse_options, take_choice, take_number
from nnvet.adapters.torch import products, recurrent
from nnvet.adapters.torch.emitter import WORDS, TorchEmitter, TorchSettings
from nnvet.driver_kit.arrays import Array
from nnvet.hal.enums import DeviceType, OperationType
from nnvet.hal.errors import HalError, failure
from nnvet.hal.extensions import claimed_by
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument

_O = OperationType
_NONE: Final = "PyTorch has no function that computes the same"

UNCLAIMED: Final = {
    **dict.fromkeys(CELLS_OF_CODES, "the contract computes codes in fixed point, to the bit"),
    **dict.fromkeys(
        (
            _O.AXIS_ALIGNED_BBOX_TRANSFORM,
            _O.BOX_WITH_NMS_LIMIT,
            _O.DETECTION_POSTPROCESSING,
            _O.GENERATE_PROPOSALS,
            _O.HEATMAP_MAX_KEYPOINT,
            _O.LSH_PROJECTION,
        ),
        _NONE,
    ),
    **dict.fromkeys(
        (_O.ROI_ALIGN, _O.ROI_POOLING), "operators on regions are those of torchvision, which is not asked"
    ),
    **NEVER_CLAIMED,
}

_SHARED: Final = [claim for claim in (*movement.CLAIMS, *numeric.CLAIMS) if claim.operation != _O.RESIZE_BILINEAR]
"""Shared claims, except those for which PyTorch has a function of its own."""
TABLE: Final = Table[TorchEmitter](
    "PyTorch",
    (*in_words_of(WORDS, _SHARED), *products.CLAIMS, *recurrent.CLAIMS),
    UNCLAIMED,
)


RELAXED: Final = ("float32", "float16", "bfloat16")
"""Values of the option ``relaxed``; the first is the default."""
HALF: Final = ("float32", "float16")
"""Values of the option ``half``; the first is the default."""


_KINDS: Final = {"cpu": DeviceType.CPU, **dict.fromkeys(("cuda", "mps", "vulkan", "xpu"), DeviceType.GPU)}
"""Kinds of devices by PyTorch's names; others are accelerators."""
# Rule of the error for an operation that the device does not run.
_UNSUPPORTED: Final = "driver/operation.supported"


def create(arguments: str) -> RuntimeDevice:
    """Return the device of ``DEVICE[:N],module=NAME,fallback=cpu,threads=N,relaxed=TYPE,half=TYPE``; default: CPU.

    :raises SelectorError: an option is wrong, or the device does not exist here.
    """
    place, _, rest = arguments.partition(",")
    if "=" in place:
        place, rest = "", arguments
    options = parse_options("torch", rest)
    threads = take_number("torch", options, "threads", 1)
    relaxed = take_choice("torch", options, "relaxed", RELAXED)
    half = take_choice("torch", options, "half", HALF)
    if "module" in options:
        _load(options.pop("module"))
    device = _device(place or "cpu")
    is_accelerated = device.type != "cpu"
    may_fall_back = is_accelerated and take_fallback("torch", options)
    if options:
        known = "module, threads, relaxed, half" + (", fallback" if is_accelerated else "")
        raise SelectorError(f"driver 'torch:{arguments}': there is no option {', '.join(options)}; there are {known}")
    torch.set_num_threads(threads)
    settings = TorchSettings(device, relaxed, half, must_be_here=is_accelerated and not may_fall_back)
    name = f"torch-{place.replace(':', '-') or 'cpu'}"
    accelerator = Accelerator(str(device), "the CPU", may_fall_back) if is_accelerated else None
    extensions, claims = claimed_by("torch")
    table = TABLE.with_claims(claims)
    make_program = partial(build, table, settings)
    made = RuntimeDevice(table, make_program, name, f"torch {torch.__version__}", accelerator=accelerator)
    made.extensions = extensions
    made.device_type = _KINDS.get(device.type, DeviceType.ACCELERATOR)
    return made


def _device(place: str) -> Any:
    """Return a device that PyTorch knows and can compute on, with full precision for float32.

    :raises SelectorError: there is no such device.
    """
    if place == "cpu":
        return torch.device("cpu")
    try:
        device = torch.device(place)
    except RuntimeError as error:
        raise SelectorError(f"driver 'torch:{place}': {_first_line(error)}") from error
    if device.type == "cpu":
        raise SelectorError(f"driver 'torch:{place}': the processor has no number; write cpu")
    _count(place, device)
    if device.type == "cuda":
        # By default convolutions use TF32, with 10 bits of precision instead of 23.
        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
        return torch.device("cuda", device.index or 0)
    try:
        two = torch.ones(1, device=device) + 1
        is_right = two.cpu().item() == 1 + 1
    except (RuntimeError, AssertionError, ImportError) as error:
        raise SelectorError(f"driver 'torch:{place}': PyTorch cannot compute there: {_first_line(error)}") from error
    if not is_right:
        raise SelectorError(f"driver 'torch:{place}': 1 + 1 is {two.cpu().item()} there")
    return two.device


def _count(place: str, device: Any) -> None:
    """Check that a device's number exists, if the module of its kind counts devices.

    :raises SelectorError: there are too few.
    """
    module: Any = getattr(torch, device.type, None)
    if not hasattr(module, "device_count"):
        return
    count = module.device_count() if getattr(module, "is_available", lambda: True)() else 0
    if (device.index or 0) >= count:
        build = f" (built for {torch.version.cuda or 'no CUDA'})" if device.type == "cuda" else ""
        kind = "CUDA" if device.type == "cuda" else device.type
        raise SelectorError(f"driver 'torch:{place}': PyTorch{build} sees {count} {kind} devices")


def _first_line(error: Exception) -> str:
    """Return an error of PyTorch without the traces and tables below it."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def _load(module: str) -> None:
    """Import a module that registers a device.

    :raises SelectorError: it cannot be imported.
    """
    try:
        importlib.import_module(module)
    except ImportError as error:
        raise SelectorError(f"driver 'torch': module is {module!r}, which cannot be imported: {error}") from error


def build(table: Table[TorchEmitter], settings: TorchSettings, graph: Graph) -> EagerProgram:
    """Return the program of a graph, all of whose calls are claimed.

    :raises HalError: GENERAL_FAILURE if PyTorch refuses a constant.
    """
    emitter = TorchEmitter(graph, settings)
    try:
        for place, operation, call in graph.numbered():
            emitter.operation = place, operation.name
            table.claims[operation].emit(emitter, call)
    except (RuntimeError, TypeError) as error:
        # Some devices have no numbers of 64 bits.
        raise failure(f"PyTorch: {str(error).strip()}", "execution/status") from error
    return EagerProgram(emitter, graph.inputs, graph.outputs, must_be_here=settings.must_be_here)


class EagerProgram:
    """The steps of a model, executed one after the other; tensors belong to a single run."""

    def __init__(
        self,
        emitter: TorchEmitter,
        inputs: Sequence[Argument],
        outputs: Sequence[Argument],
        *,
        must_be_here: bool = False,
    ) -> None:
        """Take the steps of the emitter; with ``must_be_here`` each must have its results on the device."""
        self._emitter = emitter
        self._arguments = inputs
        self._must_be_here = must_be_here
        self._inputs = [(emitter.stored(argument), element_name(argument.type)) for argument in inputs]
        self._outputs = [(emitter.stored(argument), argument) for argument in outputs]
        self._steps = emitter.program([slot for slot, _ in self._outputs])

    def nodes(self) -> list[RuntimeNode]:
        """Return the steps after a run on zeros; the device takes those that run on it without reporting a fallback."""
        nodes: list[RuntimeNode] = []
        values, runs = list(self._emitter.values), True
        with torch.inference_mode():
            for (slot, dtype), argument in zip(self._inputs, self._arguments, strict=True):
                if values[slot] is None:
                    values[slot] = self._emitter.tensor(np.zeros(argument.dimensions), dtype)
            for step in self._steps:
                # After a step that does not run, nothing is known about the following ones.
                runs, is_taken = self._try(step, values) if runs else (False, False)
                nodes.append(RuntimeNode(*step.operation, is_taken))
        return nodes

    def _try(self, step: FunctionStep, values: list[Any]) -> tuple[bool, bool]:
        """Return two truth values: whether a step runs, and whether the device takes it."""
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                step.apply(values)
            except (RuntimeError, TypeError, ValueError, IndexError):
                return False, False
        fell_back = any("fall back" in str(warning.message) for warning in said)
        return True, not fell_back and self._is_here(step, values)

    def _is_here(self, step: FunctionStep, values: Sequence[Any]) -> bool:
        """Return True if all results of a step that anybody needs are on the device."""
        return all(values[slot] is None or values[slot].device == self._emitter.device for slot in step.outputs)

    def run(self, inputs: Sequence[Array | None]) -> list[Array]:
        """Return outputs for inputs of the shapes that the program was built for.

        :raises HalError: GENERAL_FAILURE if PyTorch fails.
        """
        values = list(self._emitter.values)
        try:
            with torch.inference_mode():
                for (slot, dtype), value in zip(self._inputs, inputs, strict=True):
                    values[slot] = None if value is None else self._emitter.tensor(value, dtype)
                for step in self._steps:
                    step.apply(values)
                    if self._must_be_here and not self._is_here(step, values):
                        raise failure(f"{step.operation[1]} was not computed on {self._emitter.device}", _UNSUPPORTED)
            return [_result(values[slot], output) for slot, output in self._outputs]
        except HalError:
            raise
        except (RuntimeError, TypeError, ValueError, IndexError) as error:
            raise failure(f"PyTorch: {str(error).strip()}", "execution/status") from error


def _result(value: Any, output: Argument) -> Array:
    """Return the tensor of an output as an array.

    :raises HalError: GENERAL_FAILURE if it has another shape than it should.
    """
    if 0 in output.dimensions:
        return np.empty(output.dimensions, type_info(output.type).dtype)
    result: Array = value.cpu().contiguous().numpy()
    if result.shape != output.dimensions:
        raise failure(f"PyTorch's output has shape {result.shape}, not {output.dimensions}", "driver/reply")
    return result
