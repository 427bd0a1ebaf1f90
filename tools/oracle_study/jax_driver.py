"""JAX on its CPU back end as an honest driver of single operations, where it is installed."""

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
from tools.oracle_study.driver import HonestDriver, own

Operation: TypeAlias = Callable[[Any, Invocation], Any]
"""An operation by the module ``jax``."""


def _unary(name: str) -> Operation:
    return lambda jax, call: getattr(jax.numpy, name)(call.array(0))


def _binary(name: str) -> Operation:
    return lambda jax, call: activate(
        np.asarray(getattr(jax.numpy, name)(call.array(0), call.array(1))),
        call.number(2) if len(call) > 2 else 0,  # noqa: PLR2004 - an activation is the third input
    )


def _softmax(name: str) -> Operation:
    def compute(jax: Any, call: Invocation) -> Any:
        axis = int(call.number(2)) if len(call) > 2 else -1  # noqa: PLR2004 - as above: the axis
        return getattr(jax.nn, name)(call.array(0) * call.array(1), axis=axis)

    return compute


def _dense(jax: Any, call: Invocation) -> Any:
    weights = call.array(1)
    sums = jax.numpy.matmul(call.array(0).reshape(-1, weights.shape[1]), weights.T) + call.array(2)
    return activate(np.asarray(sums), call.number(3))


def _matmul(jax: Any, call: Invocation) -> Any:
    first, second = call.array(0), call.array(1)
    first = first.swapaxes(-1, -2) if call.flag(2) else first
    return jax.numpy.matmul(first, second.swapaxes(-1, -2) if call.flag(3) else second)


def _convolution(jax: Any, call: Invocation) -> Any:
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
    "ABS": _unary("abs"),
    "EXP": _unary("exp"),
    "LOG": _unary("log"),
    "SIN": _unary("sin"),
    "SQRT": _unary("sqrt"),
    "TANH": _unary("tanh"),
    "FLOOR": _unary("floor"),
    "NEG": _unary("negative"),
    "RSQRT": lambda jax, call: jax.lax.rsqrt(call.array(0)),
    "LOGISTIC": lambda jax, call: jax.nn.sigmoid(call.array(0)),
    "ADD": _binary("add"),
    "SUB": _binary("subtract"),
    "MUL": _binary("multiply"),
    "DIV": _binary("divide"),
    "POW": _binary("power"),
    "MAXIMUM": _binary("maximum"),
    "MINIMUM": _binary("minimum"),
    "SOFTMAX": _softmax("softmax"),
    "LOG_SOFTMAX": _softmax("log_softmax"),
    "FULLY_CONNECTED": _dense,
    "BATCH_MATMUL": _matmul,
    "CONV_2D": _convolution,
    "DEPTHWISE_CONV_2D": _convolution,
    "GROUPED_CONV_2D": _convolution,
}


def _missing(model: Model, inputs: Sequence[Array | None]) -> None:
    del model, inputs


JAX: Final = HonestDriver("jax", frozenset(("float32",)), _missing, "JAX on its CPU back end")
"""The driver without JAX: it takes nothing. It rounds each step of float16 to that, which nobody grants it."""


def jax_drivers() -> tuple[HonestDriver, ...]:
    """Return the driver, or nothing where JAX is not installed."""
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

    run = own(compute)

    def singles(model: Model, inputs: Sequence[Array | None]) -> list[Array] | None:
        return run(model, inputs) if len(model.main.operations) == 1 else None

    return (replace(JAX, run=singles),)
