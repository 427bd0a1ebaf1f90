"""Spec files of HEATMAP_MAX_KEYPOINT."""

from collections.abc import Callable
from dataclasses import dataclass

from nnvet.generators.corpus.boxes import LAYOUT, BoxFiles, boxes, given, mapped, operand, steady
from nnvet.generators.corpus.emitter import ONCE, EmittedFile, Operand, Source, SpecTensor
from nnvet.oracle.operations.invocation import Tensor, one_by_one
from nnvet.oracle.operations.roi import heatmap_max_keypoint

ROLES = {"heatmap": "cell", "boxes": "box", "scores_out": "cell", "keypoints_out": "box"}
SCENES: dict[str, tuple[int, int, int]] = {
    "one_map": (1, 4, 1),
    "many_keypoints": (1, 5, 6),
    "many_boxes": (4, 4, 2),
    "two_by_two": (3, 2, 2),
    "three_by_three": (3, 3, 3),
    "larger_maps": (1, 8, 2),
}
"""Numbers of boxes, cells along a side, and keypoints."""


@dataclass(frozen=True)
class _Case:
    """Maps (NHWC) and boxes."""

    maps: Tensor
    boxes: Tensor

    def decisions(self, shake: Callable[[float], float]) -> list[object] | None:
        """Scores and positions to the nearest few units, so that small moves matter only at flat maxima."""
        results = heatmap_max_keypoint(mapped(self.maps, shake), self.boxes)
        values = [*results[0].values, *results[1].values]
        return [round(value / 2) for value in values] if max(results[0].values) < 7.5 else None

    @property
    def inputs(self) -> dict[str, Operand]:
        """Operands."""
        return {"heatmap": operand(self.maps), "boxes": operand(self.boxes), "layout": LAYOUT}

    @property
    def outputs(self) -> dict[str, SpecTensor]:
        """Expected scores and positions."""
        scores, places = heatmap_max_keypoint(self.maps, self.boxes)
        return {"scores_out": operand(scores, "Output"), "keypoints_out": operand(places, "Output")}


def _case(count: int, size: int, kinds: int, seed: int) -> _Case:
    def made(source: Source) -> _Case:
        cells = Tensor(source.floats(-4, 6, count * size * size * kinds, step=1 / 4), (count, size, size, kinds))
        return _Case(cells, Tensor(boxes(source, count), (count, 4)))

    return steady(made, _Case.decisions, seed)


def _peaks() -> _Case:
    """Nine maps of 3 by 3, each with its maximum in another cell, so that every border is mirrored once."""

    def cell(index: tuple[int, ...]) -> float:
        _, row, column, kind = index
        away = abs(row - kind // 3) + abs(column - kind % 3)
        return 5 - 1.5 * away + 0.25 * column

    return _Case(one_by_one((1, 3, 3, 9), cell), Tensor([2, 2, 14, 26], (1, 4)))


def _gentle() -> EmittedFile:
    """A peak too gentle for float16, where it counts as flat: a tenth of a cell to the right in float32."""
    file = EmittedFile("V1_2", "heatmap_max_keypoint_gentle")
    below = (10, 5, 10, 6, 0, 4, 10, 5, 10)
    cells = Tensor([1 - steps / 1024 for steps in below], (1, 3, 3, 1))
    case = _Case(cells, Tensor([0, 0, 30, 30], (1, 4)))
    file.add("peak", "HEATMAP_MAX_KEYPOINT", case.inputs, case.outputs, ONCE)
    return file


def files() -> list[EmittedFile]:
    """All spec files of the family."""
    files = BoxFiles("HEATMAP_MAX_KEYPOINT", ROLES, layout=("heatmap", "layout"))
    for seed, (scene, sizes) in enumerate(SCENES.items()):
        case = _case(*sizes, seed)
        files.add(scene, case.inputs, case.outputs, lifetimes=scene == "one_map")
    cases = {
        "maximum_in_every_cell": _peaks(),
        # No cell is larger than the first, and nothing is curved: the first cell's centre.
        "flat": _Case(Tensor([2.0] * 16, (1, 4, 4, 1)), Tensor([0, 0, 8, 16], (1, 4))),
        "flat_below_zero": _Case(Tensor([-2.0] * 4, (1, 2, 2, 1)), Tensor([1, 1, 3, 5], (1, 4))),
        # The maximum would lie 1 cell to the right and 2 down, and is brought back to 0.75 and 1.5.
        "far": _Case(
            Tensor([0.75, 0.75, 0.25, 0.25, 1.0, 0.75, 0.0, 1.0, 1.0], (1, 3, 3, 1)), Tensor([0, 0, 8, 8], (1, 4))
        ),
        "box_without_area": _Case(_peaks().maps, Tensor([5, 6, 5, 6], (1, 4))),
    }
    for name, case in cases.items():
        files.add(name, case.inputs, case.outputs)
    case = _case(*SCENES["one_map"], 0)
    changes: dict[str, dict[str, Operand]] = {
        "oblong": {"heatmap": given([1.0] * 12, 1, 4, 3, 1)},
        "single_cell": {"heatmap": given([1.0], 1, 1, 1, 1)},
        "two_boxes": {"boxes": given([0, 0, 4, 4] * 2, 2, 4)},
        "order_of_x": {"boxes": given([5, 0, 4, 4], 1, 4)},
        "order_of_y": {"boxes": given([0, 5, 4, 4], 1, 4)},
    }
    for name, change in changes.items():
        files.add_failing(name, case.inputs, case.outputs, **change)
    return [*files.files, _gentle()]
