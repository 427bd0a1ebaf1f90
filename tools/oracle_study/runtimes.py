"""Installed runtimes by other authors (LiteRT, ONNX Runtime, PyTorch) as honest drivers of single operations.

:func:`make_runtime_drivers` returns them for ``__main__.py``. Each is run by its adapter, in this process, and only for
models that the adapter claims. The study counts false alarms, that is, correct drivers that the oracle
blames. So :data:`RUNTIMES` leaves out known errors of runtimes, with the reason: blame for them is no false alarm.
``jax_driver.py`` does the same for JAX.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Final

import numpy as np

from nnvet.adapters.runtimes.device import RuntimeDevice
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import is_extension
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.oracle.arithmetic.sums import Array
from tools.oracle_study.driver import CODES, FLOATS, HonestDriver, Run

Unlike = Mapping[tuple[O, T], str]
"""Operations and types of the first input for which a runtime is known to be wrong, with the reason."""

# Reasons why operations are left out.
_WINDOW: Final = "the last channel of the window is left out: docs/findings.md, local-response"
_POSITIONS: Final = "pixels far from the first are up to five codes off: errors of their positions add up"
_MULTIPLIER: Final = "codes of another scale are off by up to a third of a code more than rounding makes"
_LARGE: Final = "the sine of large numbers is NaN or beyond 1: docs/findings.md, sin"
_ROOT: Final = "the reciprocal root of 0 is NaN: docs/findings.md, rsqrt"
_SIGNED: Final = T.TENSOR_QUANT8_ASYMM_SIGNED
"""Type of signed codes."""
_CODES: Final = 255
"""Largest distance of a code from its zero point."""
_RESIZED: Final[Unlike] = {(O.RESIZE_BILINEAR, _SIGNED): _POSITIONS}
"""Errors of two kernel sets of LiteRT that the study expects, see docs/findings.md."""


@dataclass(frozen=True)
class Finding:
    """A recorded finding that concerns only some models of an operation; the study leaves these out.

    ``name`` is the folder in docs/findings/RUNTIME.
    """

    name: str
    operations: frozenset[O]
    concerns: Callable[[Model, Sequence[Array | None]], bool]


def _is_one_column(model: Model, _inputs: Sequence[Array | None]) -> bool:
    """Return True if the results have one column, in either layout."""
    return 1 in model.main.operands[model.main.operations[0].outputs[0]].dimensions[2:]


def _is_beyond_integers(model: Model, inputs: Sequence[Array | None]) -> bool:
    """Return True if a number is 2^31 codes or more away from zero."""
    scale = model.main.operands[model.main.operations[0].outputs[0]].scale
    return any(array is not None and np.abs(array).max(initial=0) >= 2.0**31 * scale for array in inputs)


def _may_wrap(model: Model, _inputs: Sequence[Array | None]) -> bool:
    """Return True if a sum may be 2^15 codes of the result or more, whatever the zero points are."""
    operation, operands = model.main.operations[0], model.main.operands
    due = operands[operation.outputs[0]].scale
    return due > 0 and sum(_CODES * operands[index].scale for index in operation.inputs) >= 2**15 * due


_COLUMNS: Final = Finding(
    "conv-one-column",
    frozenset((O.CONV_2D, O.DEPTHWISE_CONV_2D, O.GROUPED_CONV_2D, O.TRANSPOSE_CONV_2D)),
    _is_one_column,
)
_WRAPS: Final = Finding("add-wraps", frozenset((O.ADD,)), _may_wrap)
_LARGE_CODES: Final = Finding("quantize", frozenset((O.QUANTIZE,)), _is_beyond_integers)


@dataclass(frozen=True)
class Runtime:
    """A runtime with a choice of kernels: its adapter, the arguments of the driver's selector, and known errors."""

    name: str
    adapter: str
    arguments: str = ""
    unlike: Unlike = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    @property
    def driver(self) -> HonestDriver:
        """Stand-in that computes nothing, for pages that list all drivers where the runtime is not installed."""
        return HonestDriver(self.name, FLOATS | CODES, lambda _model, _inputs: None, "single operations that it takes")


RUNTIMES: Final = (
    Runtime(
        "litert-xnnpack",
        "litert",
        unlike={
            (O.CONCATENATION, _SIGNED): _MULTIPLIER,
            **{(O.RSQRT, kind): _ROOT for kind in (T.TENSOR_FLOAT32, T.TENSOR_FLOAT16)},
            **{(O.SIN, kind): _LARGE for kind in (T.TENSOR_FLOAT32, T.TENSOR_FLOAT16)},
        },
        findings=(_WRAPS,),
    ),
    Runtime("litert-builtin", "litert", "kernels=builtin", _RESIZED, (_LARGE_CODES, _WRAPS)),
    Runtime(
        "litert-reference",
        "litert",
        "kernels=reference",
        {
            **_RESIZED,
            **{(O.LOCAL_RESPONSE_NORMALIZATION, kind): _WINDOW for kind in (T.TENSOR_FLOAT32, T.TENSOR_FLOAT16)},
        },
        (_LARGE_CODES,),
    ),
    Runtime("onnxruntime", "onnxruntime"),
    Runtime("torch", "torch", findings=(_COLUMNS,)),
)
"""All runtimes of the study, whether they are installed or not."""


def make_runtime_drivers() -> tuple[HonestDriver, ...]:
    """Return the runtimes that are installed, as drivers."""
    return tuple(_find_installed())


def _find_installed() -> Iterator[HonestDriver]:
    for runtime in RUNTIMES:
        try:
            adapter = import_module(f"nnvet.adapters.{runtime.adapter}.device")
        except ModuleNotFoundError:
            continue
        yield replace(runtime.driver, run=_make_runtime_run(adapter.create(runtime.arguments), runtime))


def _make_runtime_run(device: RuntimeDevice, runtime: Runtime) -> Run:
    def run(model: Model, inputs: Sequence[Array | None]) -> list[Array] | None:
        if is_extension(model.main.operations[0].type) or any(
            array is not None and array.dtype.kind == "f" and not np.isfinite(array).all() for array in inputs
        ):
            # Runtimes differ in infinities and NaN; the suite reports that as findings, and bounds do not cover it.
            return None
        operations = model.main.operations
        first = T(model.main.operands[operations[0].inputs[0]].type)
        kind = O(operations[0].type)
        if len(operations) > 1 or (kind, first) in runtime.unlike:
            return None
        if any(kind in finding.operations and finding.concerns(model, inputs) for finding in runtime.findings):
            return None
        plan = device.plan(model)
        if not all(plan.supported):
            return None
        try:
            return list(plan.compile(PrepareModelConfig()).compute(inputs))
        except HalError:
            # A refusal of a claimed model is a fault that the suite finds; it says nothing about the bounds.
            return None

    return run
