"""Spec files of HEATMAP_MAX_KEYPOINT.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/boxes.py`` writes each example in all
types. ``corpus/writing.py`` calls :func:`files`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from nnvet.generators.corpus.boxes import LAYOUT, BoxFiles, boxes, given, mapped, operand, steady
from nnvet.generators.corpus.emitter import F32, ONCE, EmittedFile, Operand, Source, SpecTensor
from nnvet.oracle.operations.invocation import Tensor, one_by_one
from nnvet.oracle.operations.roi import heatmap_max_keypoint

ROLES = {"heatmap": "cell", "boxes": "box", "scores_out": "cell", "keypoints_out": "box"}
"""Kind of numbers in each operand, which decides its scale in the quantised examples (``corpus/boxes.py``)."""
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
        """Return scores and positions rounded to a few units, so that small changes matter only at flat maxima."""
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
    """Return nine maps of 3 by 3, each with its maximum in another cell, so that every border is mirrored once."""

    def cell(index: tuple[int, ...]) -> float:
        _, row, column, kind = index
        away = abs(row - kind // 3) + abs(column - kind % 3)
        return 5 - 1.5 * away + 0.25 * column

    return _Case(one_by_one((1, 3, 3, 9), cell), Tensor([2, 2, 14, 26], (1, 4)))


def _map(*cells: float) -> _Case:
    """Return one map of 3 by 3, in a box with 10 units to the cell."""
    return _Case(Tensor(list(cells), (1, 3, 3, 1)), Tensor([0, 0, 30, 30], (1, 4)))


SADDLES = {
    # The largest of the cells is no maximum of the surface: Axx Ayy - Axy^2 = 6 - 14.0625. It is refined all the same.
    "saddle": _map(3.5, 2.0, -4.0, 2.5, 4.0, 3.5, -4.0, 3.0, 3.5),
    # The same with a determinant of -1.0625, and 2.47 and 2.53 cells to go, which become 1.46 and 1.5.
    "saddle_far": _map(3.5, 2.5, -1.0, 2.25, 4.0, 3.75, -1.0, 3.5, 3.5),
    # Axx Ayy = Axy^2 = 4: the surface is as high all along a line, and the cell's own centre is taken.
    "ridge": _map(3.0, 2.5, -1.0, 2.25, 4.0, 3.75, -1.0, 3.5, 3.0),
}
"""Maxima of cells at which the surface through their neighbours has none."""

FLOAT32_ONLY = {
    # A peak so gentle that float16 sees a flat surface; in float32 it is a tenth of a cell to the right.
    "peak": _map(*(1 - steps / 1024 for steps in (10, 5, 10, 6, 0, 4, 10, 5, 10))),
    # With Axx Ayy = 16 a determinant is too small below 1.7e-4: one of 2^-13 is, though it is above 1e-5.
    "almost_a_ridge": _map(1.0, 0.5, -6.0, -0.5, 2.0, 0.5, -7.0, -0.5, 2 - 2**-14),
    # One of 2^-12 is not: the place is far away along the ridge, and brought back to 1.5 cells.
    "hardly_a_ridge": _map(1.0, 0.0, -6.0, -0.5, 2.0, 0.5, -7.0, 0.0, 2 - 2**-13),
}
"""Maps that only float32 holds, or whose determinant counts as 0 in float16."""


def _gentle() -> EmittedFile:
    file = EmittedFile("V1_2", "heatmap_max_keypoint_gentle")
    for name, case in FLOAT32_ONLY.items():
        file.add(name, "HEATMAP_MAX_KEYPOINT", case.inputs, case.outputs, ONCE)
    return file


def files() -> list[EmittedFile]:
    """Return all spec files of the family."""
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
        **SADDLES,
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
    more = {**case.outputs, "keypoints_out": SpecTensor(F32, [2, 1, 2], [0.0] * 4, role="Output")}
    files.add_failing("two_boxes_and_keypoints", case.inputs, more, **changes["two_boxes"])
    return [*files.files, _gentle()]
