"""Registry of kernels, and storage of plans.

The modules beside this one register their kernels with :func:`kernel`; ``reference_driver/compiled.py`` looks them up
with :func:`kernels` when a model is prepared.

A *kernel* computes the outputs of an operation: a function from a :class:`nnvet.hal.operations.declaration.Call` with
values to output arrays. Before a kernel runs, the rules have been checked, and each output argument has its dimensions,
scale and zero point. Kernels read ``call["name"].array``, write nothing, and return arrays of the outputs' element
types and shapes.

A *plan* is everything about a call that can be decided before its input has values: a function from the input's array
to the output's. It is valid as long as all other operands are constant, for one input shape and quantisation at a time.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import nnvet.reference_driver.kernels as package
from nnvet.hal.enums import OperandType
from nnvet.hal.extensions import ExtensionDeclaration, brought, known_extensions, known_types
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.catalogue import operation_name
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.reference_driver.example_extension import EXAMPLE

Array: TypeAlias = npt.NDArray[Any]
"""Any NumPy array."""
Kernel: TypeAlias = Callable[[Call], Array | tuple[Array, ...]]
"""Function that computes the values of a call's outputs."""

_KERNELS: dict[int, Kernel] = {}
"""All registered kernels by operation."""


@cache
def _narrow_types() -> dict[int, OperandType]:
    """Return the type to which each float type of fewer bits is widened for kernels that compute in float32."""
    found: dict[int, OperandType] = {
        OperandType.TENSOR_FLOAT16: OperandType.TENSOR_FLOAT32,
        OperandType.FLOAT16: OperandType.FLOAT32,
    }
    for kind in known_types().values():
        if kind.info.is_float and kind.info.size < type_info(OperandType.FLOAT32).size:
            found[kind] = OperandType.TENSOR_FLOAT32 if kind.info.is_tensor else OperandType.FLOAT32
    return found


def kernel(*operations: int, native_float16: bool = False) -> Callable[[Kernel], Kernel]:
    """Return a decorator that registers a kernel for operations.

    Unless the kernel is ``native_float16``, its float16 inputs are widened to float32, and results are rounded once.
    So are those of narrow floats of extensions.
    """

    def register(function: Kernel) -> Kernel:
        for operation in operations:
            if operation in _KERNELS:
                raise ValueError(f"two kernels for {operation_name(operation)}")
            _KERNELS[operation] = function if native_float16 else _with_widening(function)
        return function

    return register


@cache
def kernels() -> dict[int, Kernel]:
    """Return all kernels by operation code, those of extensions included, after importing every family."""
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return {**_KERNELS, **{code: _with_widening(function) for code, function in brought("kernels").items()}}


@cache
def supported_extensions() -> tuple[ExtensionDeclaration, ...]:
    """Return the example extension, and the known extensions that bring a kernel for each of their operations."""
    others = [known for known in known_extensions().values() if known.operations and known is not EXAMPLE]
    return (EXAMPLE, *(known for known in others if set(known.operation_types) <= set(known.kernels)))


def _with_widening(function: Kernel) -> Kernel:
    @wraps(function)
    def run(call: Call) -> Array | tuple[Array, ...]:
        narrow = _narrow_types()
        if narrow.keys().isdisjoint(
            [argument.type for argument in (*call.inputs.values(), *call.variadic, *call.outputs)]
        ):
            return function(call)
        wide = Call(
            call.declaration,
            call.signature,
            call.row,
            {name: _widen(argument) for name, argument in call.inputs.items()},
            [_widen(argument) for argument in call.variadic],
            [_widen(argument) for argument in call.outputs],
            call.specs,
            call.memory,
            call.extra,
        )
        result = function(wide)
        arrays = result if isinstance(result, tuple) else (result,)
        return tuple(
            array.astype(output.dtype) if output.type in narrow else array
            for array, output in zip(arrays, call.outputs, strict=True)
        )

    return run


def _widen(argument: Argument) -> Argument:
    wide = _narrow_types().get(argument.type)
    if wide is None:
        return argument
    value = None if argument.value is None else argument.value.astype(np.float32)
    return Argument(
        wide,
        argument.dimensions,
        value=value,
        constant=argument.constant,
        omitted=argument.omitted,
    )


Plan: TypeAlias = Callable[[Array], Array]


def run_planned(call: Call, prepare: Callable[[Call], Plan]) -> Array:
    """Return the output of ``call``, computed by a plan.

    ``prepare`` makes the plan, and does it again only if the shape or quantisation of the input or output has changed.
    """
    source, output = call["input"], call.output
    key = (source.dimensions, source.scale, source.zero_point, output.scale, output.zero_point)
    kept: dict[object, Plan] = call.memo("plans", [name for name in call.inputs if name != "input"], dict)
    plan = kept.get(key)
    if plan is None:
        plan = prepare(call)
        # Only the newest plan is kept, because the packed constants of many shapes would add up.
        kept.clear()
        kept[key] = plan
    return plan(source.array)
