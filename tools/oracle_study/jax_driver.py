"""JAX on its CPU back end as an honest driver of single operations, if it is installed.

:func:`make_jax_drivers` returns it for ``__main__.py``. The operations are written here by functions of JAX, without
the suite's own adapter, so that its errors cannot pass for those of JAX. ``runtimes.py`` has the runtimes that are run
by their adapters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, TypeAlias

import numpy as np

from nnvet.hal.types import Model
from nnvet.oracle.arithmetic.sums import Array
from nnvet.oracle.operations.activation import activate
from nnvet.oracle.operations.convolution import read_inputs
from nnvet.oracle.operations.invocation import Invocation, Tensor, in_layout
from tools.oracle_study.driver import HonestDriver, make_run

Operation: TypeAlias = Callable[[Any, Invocation], Any]
"""Function that computes a call of an operation by the module ``jax``."""


def _make_unary(name: str) -> Operation:
    return lambda jax, call: getattr(jax.numpy, name)(call.array(0))


def _make_binary(name: str) -> Operation:
    return lambda jax, call: activate(
        np.asarray(getattr(jax.numpy, name)(call.array(0), call.array(1))),
        call.number(2) if len(call) > 2 else 0,  # noqa: PLR2004 - an activation is the third input
    )


def _make_softmax(name: str) -> Operation:
    def compute(jax: Any, call: Invocation) -> Any:
        axis = int(call.number(2)) if len(call) > 2 else -1  # noqa: PLR2004 - as above: the axis
        return getattr(jax.nn, name)(call.array(0) * call.array(1), axis=axis)

    return compute


def _compute_dense(jax: Any, call: Invocation) -> Any:
    weights = call.array(1)
    sums = jax.numpy.matmul(call.array(0).reshape(-1, weights.shape[1]), weights.T) + call.array(2)
    return activate(np.asarray(sums), call.number(3))


def _compute_matmul(jax: Any, call: Invocation) -> Any:
    first, second = call.array(0), call.array(1)
    first = first.swapaxes(-1, -2) if call.flag(2) else first
    return jax.numpy.matmul(first, second.swapaxes(-1, -2) if call.flag(3) else second)


def _compute_convolution(jax: Any, call: Invocation) -> Any:
    given = read_inputs(call)
    left, right, top, bottom = given.steps.padding
    kernel = np.moveaxis(call.array(1), 0, -1)
    groups = given.factor
    if call.name == "DEPTHWISE_CONV_2D":
        groups = given.image.dims[-1]
        kernel = np.moveaxis(kernel, -2, -1).reshape(*kernel.shape[:2], 1, -1)
    sums = jax.lax.conv_general_dilated(
        given.image.array.astype(call.array(0).dtype),
        kernel,
        given.steps.stride[::-1],
        ((top, bottom), (left, right)),
        rhs_dilation=given.steps.dilation[::-1],
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=groups,
    )
    return in_layout(Tensor.of(activate(np.asarray(sums + call.array(2)), given.activation)), nchw=given.nchw).array


_OPERATIONS: Final[dict[str, Operation]] = {
    "ABS": _make_unary("abs"),
    "EXP": _make_unary("exp"),
    "LOG": _make_unary("log"),
    "SIN": _make_unary("sin"),
    "SQRT": _make_unary("sqrt"),
    "TANH": _make_unary("tanh"),
    "FLOOR": _make_unary("floor"),
    "NEG": _make_unary("negative"),
    "RSQRT": lambda jax, call: jax.lax.rsqrt(call.array(0)),
    "LOGISTIC": lambda jax, call: jax.nn.sigmoid(call.array(0)),
    "ADD": _make_binary("add"),
    "SUB": _make_binary("subtract"),
    "MUL": _make_binary("multiply"),
    "DIV": _make_binary("divide"),
    "POW": _make_binary("power"),
    "MAXIMUM": _make_binary("maximum"),
    "MINIMUM": _make_binary("minimum"),
    "SOFTMAX": _make_softmax("softmax"),
    "LOG_SOFTMAX": _make_softmax("log_softmax"),
    "FULLY_CONNECTED": _compute_dense,
    "BATCH_MATMUL": _compute_matmul,
    "CONV_2D": _compute_convolution,
    "DEPTHWISE_CONV_2D": _compute_convolution,
    "GROUPED_CONV_2D": _compute_convolution,
}


def _refuse(model: Model, inputs: Sequence[Array | None]) -> None:
    """Compute nothing: pages list JAX where it is not installed."""
    del model, inputs


JAX: Final = HonestDriver("jax", frozenset(("float32",)), _refuse, "JAX on its CPU back end")
"""The driver for tables of the documentation, without JAX: it computes nothing.

It is tried on float32 alone: JAX rounds each step of float16 to float16, which no liberty (a deviation that drivers may
declare) allows.
"""


def make_jax_drivers() -> tuple[HonestDriver, ...]:
    """Return the driver; no driver if JAX is not installed."""
    if find_spec("jax") is None:
        return ()
    jax = import_module("jax")
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_default_matmul_precision", "float32")

    def compute(call: Invocation) -> Any:
        operation = _OPERATIONS.get(call.name)
        if operation is None or not call.is_float:
            return None
        return np.asarray(operation(jax, call)).astype(np.float64)

    run = make_run(compute)

    def run_singles(model: Model, inputs: Sequence[Array | None]) -> list[Array] | None:
        return run(model, inputs) if len(model.main.operations) == 1 else None

    return (replace(JAX, run=run_singles),)
