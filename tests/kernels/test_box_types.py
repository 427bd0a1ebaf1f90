"""Operand types that operations on boxes take together, and their first levels, as their pages list them."""

from __future__ import annotations

import pytest

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.binding import bind, required_level
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Argument
from tests.kernels.box_operands import BOX_KIND, KINDS
from tests.kernels.declared import level_of
from tests.kernels.random_operands import CODES

LISTS = {
    O.AXIS_ALIGNED_BBOX_TRANSFORM: ("BTiB", "B"),
    O.BOX_WITH_NMS_LIMIT: ("TBiSnnSSS", "TBii"),
    O.DETECTION_POSTPROCESSING: ("TTTSSSSbnnnSSb", "TTii"),
    O.GENERATE_PROPOSALS: ("TTABSSnnSSb", "TBi"),
    O.HEATMAP_MAX_KEYPOINT: ("TBb", "TB"),
    O.ROI_ALIGN: ("TBinnSSnnb", "T"),
    O.ROI_POOLING: ("TBinnSSb", "T"),
}
"""Inputs and outputs: T scores or features, B boxes, A anchors, S real scalar, i indices, n INT32, b BOOL."""
COMBINATIONS = [
    (operation, kind)
    for operation in LISTS
    for kind in KINDS
    if kind not in CODES or operation != O.DETECTION_POSTPROCESSING
]


def _arguments(letters: str, kind: T) -> list[Argument]:
    types = {
        "T": kind,
        "B": BOX_KIND[kind],
        "A": T.TENSOR_QUANT16_SYMM if kind in CODES else kind,
        "S": T.FLOAT16 if kind == T.TENSOR_FLOAT16 else T.FLOAT32,
        "i": T.TENSOR_INT32,
        "n": T.INT32,
        "b": T.BOOL,
    }
    return [_argument(types[letter]) for letter in letters]


def _argument(kind: T) -> Argument:
    return Argument(kind, (), 0.125 if OPERAND_TYPES[kind].is_quantized else 0.0)


@pytest.mark.parametrize(("operation", "kind"), COMBINATIONS)
def test_levels(operation: O, kind: T) -> None:
    """Signed codes need level 4, everything else 3; so do the operations themselves, operand types aside."""
    inputs, outputs = (_arguments(letters, kind) for letters in LISTS[operation])
    expected = 4 if kind == T.TENSOR_QUANT8_ASYMM_SIGNED else 3
    assert level_of(operation, inputs, outputs) == expected
    assert required_level(bind(declarations()[operation], inputs, outputs))[0] == expected


@pytest.mark.parametrize(("operation", "kind"), COMBINATIONS)
def test_every_operand_has_one_type(operation: O, kind: T) -> None:
    """Any other type in any place is refused, but for deltas beside 16-bit regions: those may have either sign."""
    lists = [_arguments(letters, kind) for letters in LISTS[operation]]
    positions = [(side, place) for side in (0, 1) for place in range(len(lists[side]))]
    for side, place in positions:
        for other in (*KINDS, T.TENSOR_QUANT16_ASYMM, T.TENSOR_BOOL8, T.FLOAT32, T.FLOAT16, T.INT32, T.BOOL):
            changed = [list(arguments) for arguments in lists]
            if other == changed[side][place].type:
                continue
            changed[side][place] = _argument(other)
            either = operation == O.AXIS_ALIGNED_BBOX_TRANSFORM and {other, kind} == set(CODES)
            if either and (side, place) == (0, 1):
                bind(declarations()[operation], *changed)
                continue
            with pytest.raises(HalError) as caught:
                bind(declarations()[operation], *changed)
            assert caught.value.rule == f"{operation.name}/types"


def test_detection_postprocessing_takes_floats_only() -> None:
    """There is no quantised form of it."""
    for kind in CODES:
        with pytest.raises(HalError) as caught:
            level_of(
                O.DETECTION_POSTPROCESSING, *(_arguments(part, kind) for part in LISTS[O.DETECTION_POSTPROCESSING])
            )
        assert caught.value.rule == "DETECTION_POSTPROCESSING/types"
