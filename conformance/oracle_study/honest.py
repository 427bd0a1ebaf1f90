"""Drivers that differ from the oracle in nothing that the contract decides: none of them may be blamed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
from msgspec import structs

from nnvet.conformance.oracle_study.sums import (
    Arithmetic,
    Array,
    Order,
    integer_sum,
    is_quantized,
    real_codes,
    saturated,
    summed,
    to_float16,
    to_float64,
)
from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument
from nnvet.hal.types import Model
from nnvet.oracle.execution import Compute, by_meaning, evaluate
from nnvet.oracle.operations.fixed_point_functions import rounded_once_away, rounded_once_up
from nnvet.oracle.operations.indexing import reduced_shape
from nnvet.oracle.operations.invocation import Invocation, Meaning, OperandValue, Tensor
from nnvet.oracle.operations.quantized_lstm import Rescale, cells_with
from nnvet.oracle.operations.reduction import members
from nnvet.reference_driver.compiled import compile_model
from nnvet.reference_driver.executor import GraphExecution

Run: TypeAlias = Callable[[Model, Sequence[Array | None]], list[Array] | None]
"""The outputs of a model for inputs, as :func:`nnvet.oracle.execution.evaluate` has them; None: it is not taken."""

MIXED: Final = "mixed"
"""Graphs of all types, not relaxed."""
FLOATS: Final = frozenset(("float32", "float16", "relaxed", MIXED))
CODES: Final = frozenset(("uint8", "int8", "per-channel", MIXED))
RELAXED: Final = frozenset(("relaxed",))


@dataclass(frozen=True)
class HonestDriver:
    """A driver that is right, and the kinds of models (see ``models``) for which it is another one."""

    name: str
    kinds: frozenset[str]
    run: Run


def by_kernels(model: Model, inputs: Sequence[Array | None]) -> list[Array]:
    """The kernels of the bundled driver: float32, most sums as NumPy and its matrix product make them."""
    compiled = compile_model(model)
    arguments = compiled.main.arguments
    values = [
        _with_value(arguments[index], array) for index, array in zip(model.main.input_indexes, inputs, strict=True)
    ]
    outputs = [arguments[index] for index in model.main.output_indexes]
    return [result.array for result in GraphExecution(compiled).run(values, outputs)]


def _with_value(argument: Argument, array: Array | None) -> Argument:
    return structs.replace(argument, omitted=True) if array is None else structs.replace(argument, value=array)


def results(meaning: Meaning, call: Invocation) -> list[Any]:
    """Return the meaning of an operation, output by output; a value that is not yet an array is one."""
    found = meaning.compute(call)
    return [
        result.array if isinstance(result, Tensor) else result
        for result in (found if isinstance(found, list | tuple) else [found])
    ]


def _in(arithmetic: Arithmetic) -> Run:
    """Sums in an arithmetic; codes of real results found in it."""

    def compute(meaning: Meaning, call: Invocation) -> Any:
        found = summed(call, arithmetic)
        return meaning.compute(call) if found is None else found

    return _running(compute)


def _running(compute: Compute) -> Run:
    return lambda model, inputs: evaluate(model, inputs, compute)


_RESIZES: Final = frozenset(("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"))
_SIZES: Final = frozenset((OperandType.FLOAT32,))


def _narrow(value: OperandValue) -> OperandValue:
    """A float32 operand with the nearest float16 values."""
    if value.array is None or value.array.dtype != np.float32:
        return value
    return value.with_array(to_float16(value.array).astype(np.float32))


def _stored_in_float16(arithmetic: Arithmetic) -> Run:
    """All operands of float32 are kept in float16; their sums are formed in an arithmetic.

    What is float16 or codes in the model is not relaxed, nor a scalar that comes with codes. Source:
    docs/contract/operations/common.md 12.
    """

    def compute(meaning: Meaning, call: Invocation) -> Any:
        kinds = {operand.type for operand in (*call.inputs, *call.outputs)}
        if OperandType.TENSOR_FLOAT16 in kinds or OperandType.TENSOR_FLOAT32 not in kinds:
            return meaning.compute(call)
        # Sizes are known before anything is computed: the scales that they follow from stay what they are.
        scales = _SIZES if call.name in _RESIZES else frozenset()
        narrow = call.with_inputs([operand if operand.type in scales else _narrow(operand) for operand in call.inputs])
        found = summed(narrow, arithmetic)
        made = results(meaning, narrow) if found is None else [found]
        return [
            to_float16(result)
            if not isinstance(result, OperandValue) and type_info(output.type).dtype == "float32"
            else result
            for result, output in zip(made, call.outputs, strict=False)
        ]

    return _running(compute)


def _requantized(rounding: Callable[[Any], Any], multiplier: Any, rescale: Rescale) -> Run:
    """Integer sums, multiplied as real numbers; those within the quantised LSTMs by a function."""
    cells = cells_with(rescale)

    def compute(meaning: Meaning, call: Invocation) -> Any:
        found = integer_sum(call)
        if found is None:
            return cells.get(O[call.name], meaning).compute(call)
        return replace(found, multipliers=found.multipliers.astype(multiplier)).codes(call, rounding)

    return _running(compute)


def _as_real(meaning: Meaning, call: Invocation) -> Any:
    codes = real_codes(meaning, call)
    return meaning.compute(call) if codes is None else saturated(np.rint(codes), call.output)


def _means_half_a_code_up(meaning: Meaning, call: Invocation) -> Any:
    """Means of codes plus a half, rounded away from zero, as LiteRT's reference kernel has them.

    The documentation does not say how they are rounded. Source: docs/contract/operations/MEAN.md, Deviations.
    """
    if call.name != O.MEAN.name or not is_quantized(call):
        return meaning.compute(call)
    codes, axes = call.array(0), call.list(1)
    means = members(codes.astype(np.float64), axes).mean(-1) + 0.5
    rounded = np.copysign(np.floor(np.abs(means) + 0.5), means)
    return saturated(rounded, call.output).reshape(reduced_shape(codes.shape, axes, keep=call.number(2) > 0))


def _half_up(values: Any) -> Any:
    return np.floor(values + 0.5)


def _drivers() -> dict[str, tuple[frozenset[str], Run]]:
    """By name: for which kinds of models, and how they run."""
    float32 = {
        "float32-forward": Arithmetic(),
        "float32-backward": Arithmetic(order=Order.BACKWARD),
        "float32-pairwise": Arithmetic(order=Order.PAIRWISE),
        "float32-lanes": Arithmetic(order=Order.LANES),
        "float32-fused": Arithmetic(fused=True),
        "float32-fused-lanes": Arithmetic(order=Order.LANES, fused=True),
    }
    float16 = {
        "float16-storage": Arithmetic(),
        "float16-storage-fused-lanes": Arithmetic(order=Order.LANES, fused=True),
        "float16-storage-float64-sums": Arithmetic(to_float64),
        "float16-arithmetic-pairwise": Arithmetic(to_float16, Order.PAIRWISE),
        "float16-arithmetic-lanes": Arithmetic(to_float16, Order.LANES),
        "float16-arithmetic-fused": Arithmetic(to_float16, fused=True),
    }
    return {
        "bundled-kernels": (FLOATS | CODES, by_kernels),
        "float64": (FLOATS | CODES, _running(by_meaning)),
        **{name: (FLOATS, _in(arithmetic)) for name, arithmetic in float32.items()},
        **{name: (RELAXED, _stored_in_float16(arithmetic)) for name, arithmetic in float16.items()},
        "codes-float64-half-even": (CODES, _requantized(np.rint, np.float64, rounded_once_away)),
        "codes-float64-half-up": (CODES, _requantized(_half_up, np.float64, rounded_once_up)),
        "codes-float32-half-even": (CODES, _requantized(np.rint, np.float32, rounded_once_away)),
        "codes-float32-half-up": (CODES, _requantized(_half_up, np.float32, rounded_once_up)),
        "codes-of-reals": (CODES, _running(_as_real)),
        "codes-means-half-a-code-up": (CODES, _running(_means_half_a_code_up)),
    }


HONEST: Final = tuple(HonestDriver(name, *made) for name, made in _drivers().items())
"""All of them."""
