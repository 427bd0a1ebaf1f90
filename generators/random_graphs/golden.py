"""Expected outputs of random models and their error bounds, computed by the oracle in this process.

A single operation is computed in float32 if it has such a form, so that quantised and float16 results of a driver are
compared with real numbers. The test is converted to float32 for that, and its results are converted back. A graph is
computed as it is. Source: docs/contract/spec-format.md 13.

The module also measures the information in outputs, because values that saturate, overflow or are the same for all
inputs hide errors.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.generators.random_graphs.generate import halved, reversed_rows
from nnvet.graphs.editor import map_operands, with_expected_outputs, with_operand, with_operands
from nnvet.graphs.hal_model import build_model, close_pools, operand_data
from nnvet.graphs.model import Array, TestModel, TestOperand, element_type
from nnvet.hal.operand_types import is_extension, type_info
from nnvet.hal.types import Model, OperandType, OperationType
from nnvet.oracle.bounds.execution import estimate, only_call
from nnvet.oracle.bounds.precision import Estimate
from nnvet.oracle.execution import evaluate
from nnvet.oracle.positions.grading import GRADED
from nnvet.oracle.positions.grading import position_shares as grade

_T = OperandType
_WIDENED: Final = {_T.FLOAT16: _T.FLOAT32, _T.TENSOR_FLOAT16: _T.TENSOR_FLOAT32}
"""Types of float16, and the types of float32 that replace them."""
_DEQUANTIZED: Final = frozenset(
    (_T.TENSOR_QUANT8_ASYMM, _T.TENSOR_QUANT8_ASYMM_SIGNED, _T.TENSOR_QUANT16_ASYMM, _T.TENSOR_QUANT16_SYMM)
)
"""Quantised types that are converted to float32."""
_INCONVERTIBLE: Final = frozenset(
    (
        OperationType.DEQUANTIZE,
        OperationType.QUANTIZE,
        OperationType.CAST,
        OperationType.HASHTABLE_LOOKUP,
        # Hashes of the bytes, and fixed-point arithmetic on words.
        OperationType.LSH_PROJECTION,
        OperationType.QUANTIZED_16BIT_LSTM,
        OperationType.QUANTIZED_LSTM,
        # Decisions by thresholds, which are those of the codes.
        OperationType.BOX_WITH_NMS_LIMIT,
        OperationType.GENERATE_PROPOSALS,
    )
)
"""Operations that have no float32 form with the same results."""
_WITHOUT_FLOAT32: Final = frozenset((_T.TENSOR_QUANT8_SYMM, _T.TENSOR_QUANT8_SYMM_PER_CHANNEL))
"""Quantised types that are not converted to float32."""
_PAD_VALUE: Final = 2
"""Position of the padding value among the inputs of PAD_V2; for quantised data it is a code in an INT32."""


def convert_to_float32_model(model: TestModel) -> TestModel | None:
    """Return the float32 form of a single-operation test; None if it has none, as for symmetric codes of 8 bits."""
    operations = model.main.operations
    if model.referenced or len(operations) != 1 or operations[0].type in _INCONVERTIBLE:
        return None
    if any(operand.type in _WITHOUT_FLOAT32 or is_extension(operand.type) for operand in model.main.operands):
        return None
    if operations[0].type == OperationType.RSQRT and model.main.operands[operations[0].inputs[0]].scale:
        # Codes from the zero point down have a result, where real numbers have none.
        return None
    main = map_operands(model, _to_float32).main
    operation = operations[0]
    if operation.type == OperationType.PAD_V2:
        index = operation.inputs[_PAD_VALUE]
        pad_value, padded = model.main.operands[index], model.main.operands[operation.inputs[0]]
        if pad_value.type == OperandType.INT32:
            real = _dequantize(pad_value, padded.scale, padded.zero_point, OperandType.FLOAT32)
            main = with_operand(main, index, real)
    return replace(model, main=main)


def _to_float32(operand: TestOperand) -> TestOperand:
    """Return an operand as float32 if its values represent real numbers; any other operand as it is."""
    kind = OperandType(operand.type)
    is_real = kind in _DEQUANTIZED or (kind == OperandType.TENSOR_INT32 and (operand.scale or operand.zero_point))
    if is_real:
        return _dequantize(operand, operand.scale, operand.zero_point, OperandType.TENSOR_FLOAT32)
    if kind in _WIDENED:
        data = None if operand.data is None else operand.data.astype(np.float32)
        return replace(operand, type=_WIDENED[kind], data=data)
    return operand


def _dequantize(operand: TestOperand, scale: float, zero_point: int, kind: OperandType) -> TestOperand:
    """Return the operand's codes as real numbers (v - zero_point) * scale."""
    data = operand.data
    if data is not None:
        data = (data.astype(np.int64) - zero_point).astype(np.float32) * np.float32(scale)
    return replace(operand, type=kind, scale=0.0, zero_point=0, data=data)


def set_expected_outputs_from_float32_results(model: TestModel, results: Sequence[Array]) -> TestModel:
    """Return ``model`` with the outputs of its float32 form (``results``, in output order) as expected outputs."""
    return with_expected_outputs(
        model,
        [
            (_quantize if operand.scale else _cast)(operand, result.reshape(-1))
            for operand, result in zip(model.main.outputs, results, strict=True)
        ],
    )


def _quantize(operand: TestOperand, values: Array) -> Array:
    """Return codes of real numbers: halves are rounded away from zero, codes are clamped to the element type."""
    limits = np.iinfo(element_type(operand.type))
    # The quotient is computed in float32; it is converted to float64, in which adding a half is exact.
    quotient = (values.astype(np.float32) / np.float32(operand.scale)).astype(np.float64)
    codes = np.trunc(quotient + np.copysign(0.5, quotient)) + operand.zero_point
    clamped: Array = np.clip(codes, limits.min, limits.max)
    return clamped.astype(limits.dtype)


def _cast(operand: TestOperand, values: Array) -> Array:
    """Return values in the element type of the operand."""
    return values.astype(element_type(operand.type))


@np.errstate(all="ignore")
def with_golden_results(test: TestModel) -> TestModel:
    """Return the test with expected outputs.

    :raises ValueError: an expected value that is compared is NaN, which is a fault of the generator.
    """
    converted = convert_to_float32_model(test)
    if converted is None:
        golden = with_expected_outputs(test, [result.reshape(-1) for result in compute_outputs(test)])
    else:
        golden = set_expected_outputs_from_float32_results(test, compute_outputs(converted))
    for position, output in enumerate(golden.main.outputs):
        if not output.is_ignored and np.isnan(operand_data(output)).any():
            raise ValueError(f"{test.name}: expected output {position} holds what is no number")
    return golden


def compute_outputs(test: TestModel) -> list[Array]:
    """Return the oracle's results for a model's inputs, output by output. All constants are copies."""
    return evaluate(build_model(test), inputs_of(test))


def estimates(
    test: TestModel, model: Model | None = None, *, contract: bool = False, liberties: Collection[str] = ()
) -> list[Estimate]:
    """Return ideal values and bounds of the outputs of a test; ``model`` is its HAL model, if it exists already.

    With ``contract`` the bounds are those that the contract allows, otherwise those of correct drivers, which may take
    the ``liberties`` of these ids (:mod:`nnvet.oracle.bounds.liberties`).
    """
    if model is not None:
        return estimate(model, inputs_of(test), contract=contract, liberties=liberties)
    built = build_model(test)
    try:
        return estimate(built, inputs_of(test), contract=contract, liberties=liberties)
    finally:
        close_pools(built)


def position_shares(test: TestModel, found: Estimate, actual: Array) -> dict[str, float | None]:
    """Return the shares of positions' limits that a driver's first output uses; empty for several operations.

    None stands for a position that does not cover the operation.

    ``found`` is the estimate of that output (:mod:`nnvet.oracle.positions.grading`).
    """
    if len(test.main.operations) != 1 or not GRADED.intersection(operation.type for operation in test.main.operations):
        return {}
    built = build_model(test)
    try:
        with only_call(built, inputs_of(test)) as call:
            return {} if call is None else grade(call, found.value, actual)
    finally:
        close_pools(built)


def inputs_of(test: TestModel) -> list[Array | None]:
    """Return the inputs of a test in their shapes, None for an omitted one."""
    return [_shape_value(operand) for operand in test.main.inputs]


def _shape_value(operand: TestOperand) -> Array | None:
    """Return the value of an input, None if it is omitted."""
    data = operand_data(operand)
    return None if not data.size and 0 not in operand.dimensions else data.reshape(operand.dimensions)


_FEW: Final = 8
"""Up to this many booleans or integers may all be equal and still carry information."""
_COUNTS: Final = (_T.TENSOR_BOOL8, _T.TENSOR_INT32)
"""Types with few values, so that single elements may stay equal although the tensor changes."""


def information(golden: TestModel, *, by_element: bool = False) -> float:
    """Return the share of output elements, from 0 to 1, that carry information.

    An element carries information if it is finite, is no code at an end of its type's range, and belongs to a tensor
    that depends on the inputs and whose elements are not all equal (a few truth values or integers may be). A tensor
    depends on the inputs if it changes when their numbers, or every second of them, are halved, or when their rows are
    reversed.

    With ``by_element`` the element itself has to change, which padding and clamped elements do not; for truth values
    and integers it is still the tensor. Ignored outputs do not count; a model that has no others carries full
    information.
    """
    results = _evaluate(golden)
    others = [_evaluate(_with_inputs(golden, change)) for change in _CHANGES]
    share = []
    for position, (operand, result) in enumerate(zip(golden.main.outputs, results, strict=True)):
        if not operand.is_ignored and result.size:
            changed = np.any([_differs(result, other[position]) for other in others], axis=0)
            if not by_element or operand.type in _COUNTS:
                changed = np.full(result.shape, changed.any())
            share.append(_mark_useful(operand, result, changed).reshape(-1))
    return float(np.concatenate(share).mean()) if share else 1.0


def _mark_useful(operand: TestOperand, result: Array, changed: Array) -> Array:
    """Return a mask of the elements of an output that carry information."""
    useful: Array = changed & np.isfinite(result)
    if type_info(operand.type).scale == "positive":
        limits = np.iinfo(result.dtype)
        useful &= (result > limits.min) & (result < limits.max)
    least = _FEW if operand.type in _COUNTS else 1
    return useful & (result.size <= least or bool(np.any(result != result.reshape(-1)[0])))


def _differs(first: Array, second: Array) -> Array:
    """Return a mask of the elements in which two results differ; all of them if the sizes do."""
    return np.not_equal(first, second) if first.shape == second.shape else np.full(first.shape, fill_value=True)


@np.errstate(all="ignore")
def _evaluate(test: TestModel) -> list[Array]:
    return compute_outputs(test)


def _with_inputs(test: TestModel, change: Callable[[TestOperand, Array], Array]) -> TestModel:
    """Return the test with the values that ``change`` makes of those of its inputs."""
    inputs = zip(test.main.input_indexes, test.main.inputs, strict=True)
    changed = {index: replace(operand, data=change(operand, operand_data(operand))) for index, operand in inputs}
    return replace(test, main=with_operands(test.main, changed))


def _halve_some(start: int, step: int, operand: TestOperand, values: Array) -> Array:
    """Return the values with every ``step``-th one halved, from the index ``start`` on."""
    changed = values.copy()
    changed[start::step] = halved(operand, values[start::step])
    return changed


_CHANGES: Final = (
    partial(_halve_some, 0, 2),
    partial(_halve_some, 1, 2),
    partial(_halve_some, 0, 1),
    reversed_rows,
)
"""Changes of an input's values: every second one halved, the others halved, all of them halved, rows reversed."""


_FINE: Final = 0.05
"""Largest error bound, as a share of the range of an output's values, that still reveals errors."""
_HALF: Final = 0.5
"""Share of elements whose bounds have to be as small as that."""


def tells(bound: Estimate) -> bool:
    """Return True if an output can reveal errors: half of its bounds are below a twentieth of its range."""
    known = np.isfinite(bound.value) & np.isfinite(bound.error)
    if not known.any():
        return False
    span = float(np.ptp(bound.value[known]))
    return span > 0 and float(np.mean(known & (bound.error <= _FINE * span))) >= _HALF
