"""Indices of computed values in a random graph: where two values are nearly equal, either index is right.

ARGMAX and ARGMIN of what another operation has computed are judged by the value found at the index, and
HEATMAP_MAX_KEYPOINT of such is not judged: the keypoint jumps with the index. What is computed from an index that is
not decided is not compared either. The indices of TOPK_V2 are never compared, and connect to nothing.

So it is with whole numbers that are cut from computed ones, by FLOOR or CAST: where rounding in another order may have
moved a value across a whole number, either is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.conformance.engine.judging import Array
from nnvet.generators.graphs.editor import with_operands
from nnvet.generators.graphs.model import TestModel, TestOperation
from nnvet.generators.random_graphs.golden import compute_outputs
from nnvet.hal.enums import OperationType
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import OperandLifeTime
from nnvet.oracle.random_graphs import Criteria, CriteriaLimits, near_extreme, near_whole

_INDICES: Final = {OperationType.ARGMAX: True, OperationType.ARGMIN: False}
"""Operations whose output 0 is the index of an extreme of input 0 along input 1; whether that is the largest."""
_EXACT: Final = CriteriaLimits(0.0, 0.0, 0.0)
_CUTS: Final = (OperationType.FLOOR, OperationType.CAST)
_KEYPOINTS: Final = 1
"""The output of HEATMAP_MAX_KEYPOINT that depends on which element is the largest."""


@dataclass(frozen=True)
class Undecided:
    """Operands of which nobody can say the value, by their number in the model.

    ``choices`` are the indices of computed values: which of them are right, and along which axis; ``cuts`` are whole
    numbers cut from computed values: which of them may be one more or less; ``dependent`` is what follows from one that
    is not decided.
    """

    choices: Mapping[int, tuple[Array, int]] = field(default_factory=dict)
    cuts: Mapping[int, Array] = field(default_factory=dict)
    dependent: frozenset[int] = frozenset()


def undecided(golden: TestModel, criteria: Criteria) -> Undecided:
    """Return what the values of a graph with expected outputs leave open, within the criteria."""
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
    """Return the elements along the axis that may be called the extreme one."""
    axis = golden.main.operands[operation.inputs[1]].data
    assert axis is not None  # noqa: S101 - the generator makes it a constant
    kind = golden.main.operands[operation.inputs[0]].type
    is_largest = _INDICES[OperationType(operation.type)]
    # Whole numbers are computed exactly: only equal ones leave the index open.
    is_rounded = type_info(kind).is_float or type_info(kind).is_quantized
    limits = criteria.of(kind) if is_rounded else _EXACT
    return near_extreme(values, int(axis[0]), limits, is_largest=is_largest), int(axis[0])


def _values_of(golden: TestModel, wanted: tuple[int, ...]) -> dict[int, Array]:
    """Values of temporaries: the oracle computes the model with these as outputs, too."""
    main = golden.main
    shown = {index: replace(main.operands[index], lifetime=OperandLifeTime.SUBGRAPH_OUTPUT) for index in wanted}
    further = tuple(index for index in wanted if index not in main.output_indexes)
    outputs = (*main.output_indexes, *further)
    model = replace(golden, main=replace(with_operands(main, shown), output_indexes=outputs))
    with np.errstate(all="ignore"):
        results = dict(zip(outputs, compute_outputs(model), strict=True))
    return {index: results[index] for index in wanted}
