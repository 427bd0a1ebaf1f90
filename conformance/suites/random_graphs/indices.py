"""Undecided indices in random graphs: if two computed values are nearly equal, the index of either is right.

ARGMAX and ARGMIN of computed values are judged by the value at the index. HEATMAP_MAX_KEYPOINT of computed values is
not judged, because the keypoint jumps with the index. Values that depend on an undecided index are not compared,
either. The indices of TOPK_V2 are never compared, and no operation reads them.

The same holds for whole numbers that FLOOR or CAST cuts from computed values: if rounding in another order may have
moved a value across a whole number, both numbers are right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.conformance.kit.judging import Array
from nnvet.generators.random_graphs.golden import compute_outputs
from nnvet.graphs.editor import with_operands
from nnvet.graphs.model import TestModel, TestOperation
from nnvet.hal.enums import OperationType
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import OperandLifeTime
from nnvet.oracle.random_graphs import Criteria, CriteriaLimits, near_extreme, near_whole

_INDICES: Final = {OperationType.ARGMAX: True, OperationType.ARGMIN: False}
"""Operations whose output 0 is the index of an extreme of input 0 along axis input 1; True for the largest."""
_EXACT: Final = CriteriaLimits(0.0, 0.0, 0.0)
_CUTS: Final = (OperationType.FLOOR, OperationType.CAST)
_KEYPOINTS: Final = 1
"""Index of the output of HEATMAP_MAX_KEYPOINT that depends on the index of the largest element."""


@dataclass(frozen=True)
class Undecided:
    """Operands with undecided values, by their number in the model.

    ``choices``: indices of computed values, with the right ones and their axis. ``cuts``: whole numbers cut from
    computed values, with those that may differ by one. ``dependent``: operands that follow from an undecided one.
    """

    choices: Mapping[int, tuple[Array, int]] = field(default_factory=dict)
    cuts: Mapping[int, Array] = field(default_factory=dict)
    dependent: frozenset[int] = frozenset()


def undecided(golden: TestModel, criteria: Criteria) -> Undecided:
    """Return the undecided operands of a graph with expected outputs, within the criteria."""
    made = {index for operation in golden.main.operations for index in operation.outputs}
    asked = [
        operation
        for operation in golden.main.operations
        if operation.type in (*_INDICES, *_CUTS, OperationType.HEATMAP_MAX_KEYPOINT) and operation.inputs[0] in made
    ]
    if not asked:
        return Undecided()
    values = _values_of(golden, tuple({operation.inputs[0]: None for operation in asked}))
    choices: dict[int, tuple[Array, int]] = {}
    cuts: dict[int, Array] = {}
    dependent: set[int] = set()
    open_ones: set[int] = set()
    for operation in golden.main.operations:
        if not (dependent | open_ones).isdisjoint(operation.inputs):
            dependent.update(operation.outputs)
        elif operation in asked and operation.type in _CUTS:
            cuts[operation.outputs[0]] = near = near_whole(values[operation.inputs[0]])
            if np.any(near):
                open_ones.add(operation.outputs[0])
        elif operation in asked and operation.type not in _INDICES:
            dependent.add(operation.outputs[_KEYPOINTS])
        elif operation in asked:
            right, axis = _choice(golden, operation, values[operation.inputs[0]], criteria)
            choices[operation.outputs[0]] = right, axis
            if np.any(right.sum(axis=axis) > 1):
                open_ones.add(operation.outputs[0])
    return Undecided(choices, cuts, frozenset(dependent))


def _choice(golden: TestModel, operation: TestOperation, values: Array, criteria: Criteria) -> tuple[Array, int]:
    """Return the elements along the axis that may count as the extreme one."""
    axis = golden.main.operands[operation.inputs[1]].data
    assert axis is not None  # noqa: S101 - the generator makes it a constant
    kind = golden.main.operands[operation.inputs[0]].type
    is_largest = _INDICES[OperationType(operation.type)]
    # Whole numbers are computed exactly, so only equal ones leave the index undecided.
    is_rounded = type_info(kind).is_float or type_info(kind).is_quantized
    limits = criteria.of(kind) if is_rounded else _EXACT
    return near_extreme(values, int(axis[0]), limits, is_largest=is_largest), int(axis[0])


def _values_of(golden: TestModel, wanted: tuple[int, ...]) -> dict[int, Array]:
    """Return values of temporaries, by computing the model with these as further outputs."""
    main = golden.main
    shown = {index: replace(main.operands[index], lifetime=OperandLifeTime.SUBGRAPH_OUTPUT) for index in wanted}
    further = tuple(index for index in wanted if index not in main.output_indexes)
    outputs = (*main.output_indexes, *further)
    model = replace(golden, main=replace(with_operands(main, shown), output_indexes=outputs))
    with np.errstate(all="ignore"):
        results = dict(zip(outputs, compute_outputs(model), strict=True))
    return {index: results[index] for index in wanted}
