"""The contract's limit for each element: the tolerance of each operation, carried through the graph.

The tight bounds say what an honest driver computes; the contract asks for less. Each operation that computes real
numbers may be off by the NNAPI's tolerance of its output's type, and the next operation gets inputs that are off by
so much. Nothing is granted where nothing is computed: to elements that are moved, compared, counted or chosen.

Source: docs/contract/spec-format.md 12 and docs/contract/operations/common.md 12 and 19.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import Model
from nnvet.oracle.bounds.decisions import taken
from nnvet.oracle.bounds.estimate import Estimate, is_real
from nnvet.oracle.bounds.patterns import EXACT
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.operations.invocation import OperandValue
from nnvet.oracle.operations.tensor import Array
from nnvet.oracle.tolerance import Tolerance, tolerance_for

CONTRACT_SOURCE: Final = "tolerance of the NNAPI, carried through the graph"
_MOVED_UNLESS_REQUANTISED: Final = (O.CONCATENATION, O.SELECT)
_CHOOSING: Final = (O.BOX_WITH_NMS_LIMIT, O.DETECTION_POSTPROCESSING, O.GENERATE_PROPOSALS)


def relaxes(model: Model) -> bool:
    """Return True if float32 outputs have the tolerance of float16."""
    return model.relax_computation_float32_to_float16 or any(
        operand.type == OperandType.TENSOR_FLOAT16
        for subgraph in (model.main, *model.referenced)
        for operand in subgraph.operands
    )


def widened(call: EstimatedCall, rule: BoundRule, found: Sequence[Estimate], *, relaxed: bool) -> list[Estimate]:
    """Estimates of an operation's outputs, off by the tolerance where the operation computes.

    The tolerance of inputs that no operation has made takes the place of the tight bound; that of an operation on
    inexact results is added to what their errors make of it.
    """
    carried = any(estimate is not None and estimate.is_carried for estimate in call.inputs)
    chosen = taken(call) if call.operation in _CHOOSING else ()
    wide = []
    # Operations may have more results than the model asks for.
    for place, estimate in enumerate(found):
        computes = place < len(call.outputs) and place not in chosen and _computes(call, rule, call.outputs[place])
        tolerance = tolerance_for(estimate.type, relaxed=relaxed) if computes else None
        if tolerance is None:
            wide.append(replace(estimate, shared=None, deviation=None, is_carried=carried))
            continue
        error = _grown(estimate, tolerance, carried=carried)
        wide.append(replace(estimate, error=error, shared=None, deviation=None, limits=None, is_carried=True))
    return wide


def off_by_tolerance(actual: Array, estimate: Estimate, tolerance: Tolerance) -> float | None:
    """The largest error in units of the tolerance of the output's type; None where nothing but one value is right.

    Codes are off from the nearest one to the ideal. Elements that are not decided, or are no numbers, do not count.
    """
    if tolerance.is_exact or not is_real(estimate.as_operand):
        return None
    value = estimate.value if type_info(estimate.type).is_float else np.rint(estimate.value)
    counted = np.isfinite(value) & np.isfinite(estimate.error)
    with np.errstate(all="ignore"):
        got = actual.reshape(value.shape)[counted].astype(np.float64)
        value = value[counted]
        shares = np.abs(got - value) / (tolerance.absolute + tolerance.relative * np.abs(value))
    return float(np.max(shares, initial=0.0))


def merged(tight: Estimate, wide: Estimate) -> Estimate:
    """The contract's estimate of an output, nowhere narrower than the tight one."""
    with np.errstate(all="ignore"):
        apart = np.where(tight.value == wide.value, 0.0, np.abs(tight.value.astype(np.float64) - wide.value))
        reach = np.fmax(wide.error, np.nan_to_num(tight.error + apart, nan=0.0, posinf=np.inf))
    return replace(wide, error=np.where(np.isfinite(wide.value), reach, wide.error))


def _computes(call: EstimatedCall, rule: BoundRule, output: OperandValue) -> bool:
    """Return True if elements of the output are computed, or at least requantised, in place of moved."""
    if not is_real(output):
        return False
    if rule.local != EXACT and call.operation not in _MOVED_UNLESS_REQUANTISED:
        return True
    if output.is_float:
        return False
    sources = [estimate.as_operand for estimate in call.inputs if estimate is not None and estimate.type == output.type]
    return any(source.quantization != output.quantization for source in sources)


def _grown(estimate: Estimate, tolerance: Tolerance, *, carried: bool) -> Array:
    """Errors with the tolerance; a class of numbers (infinite, none) stays demanded."""
    granted = tolerance.absolute + tolerance.relative * np.abs(estimate.value)
    if not type_info(estimate.type).is_float:
        # The tight interval of codes has the rounding of the result in it: the expected code is one of these.
        error = estimate.error + granted
    else:
        error = estimate.error + granted if carried else np.maximum(estimate.error, granted)
    return np.where(np.isfinite(estimate.value), error, estimate.error)
