"""Runtimes that know nothing of this project as honest drivers of single operations, as far as they are installed.

Each is run by its adapter, in this process; what the adapter's table does not claim it does not take. What a runtime
computes otherwise than it is documented is left out here, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Final

import numpy as np

from nnvet.adapters.runtimes.device import RuntimeDevice
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.errors import HalError
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.oracle.arithmetic.sums import Array
from tools.oracle_study.driver import CODES, FLOATS, HonestDriver, Run

Unlike = Mapping[tuple[O, T], str]
"""By operation and type of the first input: what a runtime does wrongly."""

_WINDOW: Final = "the last channel of the window is left out: docs/findings.md, local-response"
_POSITIONS: Final = "pixels far from the first are up to five codes off: errors of their positions add up"
_WRAPS: Final = "sums far beyond the codes come out at the other end: docs/findings.md, add-wraps"
_MULTIPLIER: Final = "codes of another scale are off by up to a third of a code more than rounding makes"
_LARGE: Final = "the sine of large numbers is NaN or beyond 1: docs/findings.md, sin"
_GATES: Final = "gates of sums of about 1e36 are NaN, where the bound has a number; not looked into further"
_ROOT: Final = "the reciprocal root of 0 is NaN: docs/findings.md, rsqrt"
_SIGNED: Final = T.TENSOR_QUANT8_ASYMM_SIGNED
_RESIZED: Final[Unlike] = {(O.RESIZE_BILINEAR, _SIGNED): _POSITIONS}


@dataclass(frozen=True)
class Runtime:
    """One way of running a runtime: its adapter, and the arguments of the driver's selector."""

    name: str
    adapter: str
    arguments: str = ""
    unlike: Unlike = field(default_factory=dict)

    @property
    def driver(self) -> HonestDriver:
        """The driver without the runtime: it takes nothing."""
        return HonestDriver(self.name, FLOATS | CODES, lambda _model, _inputs: None, "single operations that it takes")


RUNTIMES: Final = (
    Runtime(
        "litert-xnnpack",
        "litert",
        unlike={
            (O.CONCATENATION, _SIGNED): _MULTIPLIER,
            (O.ADD, _SIGNED): _WRAPS,
            **{(O.RSQRT, kind): _ROOT for kind in (T.TENSOR_FLOAT32, T.TENSOR_FLOAT16)},
            **{(O.SIN, kind): _LARGE for kind in (T.TENSOR_FLOAT32, T.TENSOR_FLOAT16)},
        },
    ),
    Runtime("litert-builtin", "litert", "kernels=builtin", {**_RESIZED, (O.ADD, _SIGNED): _WRAPS}),
    Runtime(
        "litert-reference",
        "litert",
        "kernels=reference",
        {
            **_RESIZED,
            **{(O.LOCAL_RESPONSE_NORMALIZATION, kind): _WINDOW for kind in (T.TENSOR_FLOAT32, T.TENSOR_FLOAT16)},
        },
    ),
    Runtime("onnxruntime", "onnxruntime"),
    Runtime("torch", "torch", unlike={(O.UNIDIRECTIONAL_SEQUENCE_LSTM, T.TENSOR_FLOAT32): _GATES}),
)
"""All of them."""


def runtime_drivers() -> tuple[HonestDriver, ...]:
    """Those that are installed."""
    return tuple(_installed())


def _installed() -> Iterator[HonestDriver]:
    for runtime in RUNTIMES:
        try:
            adapter = import_module(f"nnvet.adapters.{runtime.adapter}.device")
        except ModuleNotFoundError:
            continue
        yield replace(runtime.driver, run=_running(adapter.create(runtime.arguments), runtime.unlike))


def _running(device: RuntimeDevice, unlike: Unlike) -> Run:
    def run(model: Model, inputs: Sequence[Array | None]) -> list[Array] | None:
        if any(array is not None and array.dtype.kind == "f" and not np.isfinite(array).all() for array in inputs):
            # What runtimes make of infinities and NaN is a matter of findings, not of the bounds.
            return None
        operations = model.main.operations
        first = T(model.main.operands[operations[0].inputs[0]].type)
        if len(operations) > 1 or (O(operations[0].type), first) in unlike:
            return None
        plan = device.plan(model)
        if not all(plan.supported):
            return None
        try:
            return list(plan.compile(PrepareModelConfig()).compute(inputs))
        except HalError:
            # What a runtime refuses although it is claimed is for the suite to find.
            return None

    return run
