"""Spec files of ROI_ALIGN and ROI_POOLING.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/boxes.py`` writes each example in all
types. ``corpus/writing.py`` calls :func:`files`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from nnvet.generators.corpus import emitter
from nnvet.generators.corpus.boxes import LAYOUT, BoxFiles, given, indices, mapped, operand, steady
from nnvet.hal.enums import OperandType
from nnvet.oracle.operations.fixed_point_functions import round_away
from nnvet.oracle.operations.invocation import Tensor, size_of
from nnvet.oracle.operations.roi import Codes, RoiSettings, roi_align, roi_pooling

Inputs = dict[str, emitter.Operand]
"""Operands of an example by name, in the order of the operation's inputs."""
ROLES = {"features": "cell", "rois": "box", "output": "cell"}
"""Kind of numbers in each operand, which decides its scale in quantised examples (``corpus/boxes.py``)."""
LAID_OUT = ("features", "output", "layout")
"""Operands that depend on the layout, and the scalar that gives it."""
HALF_TOLERANCE = 2.0**-10
"""Error of float16 arithmetic, relative to 1 or to the number; the suite allows five times as much."""

BASE = RoiSettings(output_height=2, output_width=2, height_ratio=2.0, width_ratio=2.0)
"""Settings of the examples of ROI_POOLING, from which single examples deviate; ROI_ALIGN chooses its samples."""
SAMPLED = replace(BASE, height_samples=2, width_samples=2)
"""Settings of the examples of ROI_ALIGN with a given number of samples."""
SCENES: dict[str, tuple[tuple[int, int, int, int], list[int], RoiSettings]] = {
    "one_region": ((1, 4, 4, 1), [0], SAMPLED),
    "channels": ((1, 4, 4, 3), [0, 0], SAMPLED),
    "two_images": ((2, 4, 4, 2), [0, 0, 1, 1], SAMPLED),
    "image_left_out": ((3, 4, 4, 1), [2, 2], SAMPLED),
    "one_cell": ((1, 4, 4, 2), [0, 0], replace(SAMPLED, output_height=1, output_width=1)),
    "other_sizes": ((1, 5, 8, 1), [0, 0], replace(SAMPLED, output_height=1, output_width=4)),
    "other_ratios": ((1, 4, 8, 1), [0, 0], replace(SAMPLED, height_ratio=4.0, width_ratio=0.5)),
    "more_cells_than_region": ((1, 4, 4, 1), [0], replace(SAMPLED, output_height=4, output_width=4, height_ratio=1.0)),
}
"""[batches, height, width, channels] of the features, feature map of each region, and scalars."""
SAMPLINGS: dict[str, tuple[tuple[int, int, int, int], list[int], RoiSettings]] = {
    "adaptive": ((1, 8, 8, 1), [0, 0], BASE),
    "adaptive_height": ((1, 8, 4, 2), [0, 0], replace(BASE, width_samples=2)),
    "adaptive_width": ((1, 4, 8, 2), [0, 0], replace(BASE, height_samples=1)),
    "one_sample": ((1, 4, 4, 2), [0, 0], replace(BASE, height_samples=1, width_samples=1)),
    "many_samples": ((1, 4, 4, 1), [0], replace(BASE, height_samples=4, width_samples=3)),
    "odd_samples": ((1, 5, 4, 2), [0, 0], replace(BASE, height_samples=3, width_samples=5)),
}
"""Further scenes for ROI_ALIGN."""


@dataclass(frozen=True)
class _Case:
    """Features (NHWC), regions, their feature maps, and scalars."""

    features: Tensor
    rois: Tensor
    batches: list[int]
    settings: RoiSettings

    def inputs(self, *, sampling: bool) -> Inputs:
        """Operands; ``sampling`` is for ROI_ALIGN."""
        settings = self.settings
        scalars: Inputs = {
            "output_height": str(settings.output_height),
            "output_width": str(settings.output_width),
            "height_ratio": str(settings.height_ratio),
            "width_ratio": str(settings.width_ratio),
        }
        if sampling:
            scalars["height_samples"] = str(settings.height_samples)
            scalars["width_samples"] = str(settings.width_samples)
        return {
            "features": operand(self.features),
            "rois": operand(self.rois),
            "batch_index": indices(*self.batches),
            **scalars,
            "layout": LAYOUT,
        }


def _region(source: emitter.Source, height: int, width: int, settings: RoiSettings) -> list[float]:
    """Return a region that ends inside the feature map, in eighths of original pixels."""
    starts_ends = []
    for size, ratio in ((width, settings.width_ratio), (height, settings.height_ratio)):
        starts_ends.append(sorted(n / 8 for n in source.integers(0, int(8 * size * ratio), 2)))
    (x1, x2), (y1, y2) = starts_ends
    return [x1, y1, x2, y2]


def _builder(
    dims: tuple[int, int, int, int], batches: list[int], settings: RoiSettings
) -> Callable[[emitter.Source], _Case]:
    def build(source: emitter.Source) -> _Case:
        features = Tensor(source.floats(-4, 4, size_of(dims)), dims)
        rois = [x for _ in batches for x in _region(source, *dims[1:3], settings)]
        return _Case(features, Tensor(rois, (len(batches), 4)), batches, settings)

    return build


def _align(case: _Case, number: type[np.floating] = np.float32) -> Tensor:
    return roi_align(case.features, case.rois, case.batches, case.settings, number)


def _pool(case: _Case, shake: Callable[[float], float], number: type[np.floating]) -> list[float]:
    # Negative coordinates are an error, which a shake of 0 must not make.
    rois = mapped(case.rois, lambda x: max(shake(x), 0.0))
    return roi_pooling(case.features, rois, case.batches, case.settings, number).values


def _align_case(dims: tuple[int, int, int, int], batches: list[int], settings: RoiSettings, seed: int) -> _Case:
    def decide(case: _Case, _shake: Callable[[float], float]) -> object:
        half, single = (np.array(_align(case, number).values, float) for number in (np.float16, np.float32))
        return "close" if (np.abs(half - single) <= HALF_TOLERANCE * (1 + np.abs(single))).all() else None

    return steady(_builder(dims, batches, settings), decide, seed)


def _pooling_case(dims: tuple[int, int, int, int], batches: list[int], settings: RoiSettings, seed: int) -> _Case:
    def decide(case: _Case, shake: Callable[[float], float]) -> object:
        single, *others = (_pool(case, shake, number) for number in (np.float32, np.float16, np.float64))
        # The same bins in every precision.
        return single if others == [single, single] else None

    return steady(_builder(dims, batches, settings), decide, seed)


def _failures(case: _Case) -> dict[str, Inputs]:
    """Return changes that make either operation fail."""
    rest = case.rois.values[4:]

    def regions(*first: float) -> Inputs:
        return {"rois": given([*first, *rest], *case.rois.dims)}

    return {
        "image_too_large": {"batch_index": indices(0, 1)},
        "image_negative": {"batch_index": indices(-1, 0)},
        "indices": {"batch_index": indices(0)},
        "five_coordinates": {"rois": given([*case.rois.values[:4], 0.0, *case.rois.values[4:], 0.0], 2, 5)},
        "left_of_image": regions(-1, 0, 4, 4),
        "above_image": regions(0, -1, 4, 4),
        "right_of_image": regions(0, 0, 8.5, 4),
        "below_image": regions(0, 0, 4, 8.5),
        "order_of_x": regions(4, 0, 3, 4),
        "order_of_y": regions(0, 4, 4, 3),
        "height": {"output_height": "0"},
        "width": {"output_width": "-1"},
        "no_width": {"output_width": "0"},
        "height_ratio": {"height_ratio": "0.0"},
        "width_ratio": {"width_ratio": "-2.0"},
    }


def _failed(name: str) -> dict[str, emitter.SpecTensor]:
    """Return the output of a failing example, as large as if the example were valid."""
    dims = {"height": (2, 0, 2, 3), "no_width": (2, 2, 0, 3)}.get(name, (2, 2, 2, 3))
    return {"output": given([0.0] * size_of(dims), *dims, role="Output")}


def _pooling_files() -> list[emitter.EmittedFile]:
    files = BoxFiles("ROI_POOLING", ROLES, layout=LAID_OUT)

    def add(name: str, case: _Case, *, lifetimes: bool = False) -> None:
        output = roi_pooling(case.features, case.rois, case.batches, case.settings)
        files.add(name, case.inputs(sampling=False), {"output": operand(output, "Output")}, lifetimes=lifetimes)

    for seed, (scene, arguments) in enumerate(SCENES.items()):
        add(scene, _pooling_case(*arguments, seed), lifetimes=scene == "two_images")
    case = _pooling_case(*SCENES["channels"], 1)
    # The region at the far corner rounds to cell (4, 4) of a map of 4 by 4: nothing is in it, and the result is 0.
    add("outside_of_the_map", replace(case, rois=Tensor([8, 8, 8, 8, 0, 0, 8, 8], (2, 4))))
    inputs = case.inputs(sampling=False)
    for name, change in _failures(case).items():
        files.add_failing(name, inputs, _failed(name), **change)
    # Codes of the output are those of the features, so scale and zero point must be theirs.
    for name, scale, zero_point in (("scale", 0.25, 10), ("zero_point", 0.5, 11)):
        coded = emitter.SpecTensor(emitter.Q8, [2, 2, 2, 3], [10] * 24, scale, zero_point, "Output")
        features = emitter.SpecTensor(emitter.Q8, case.features.dims, [10] * 48, 0.5, 10)
        rois = emitter.SpecTensor(emitter.Q16A, [2, 4], [0, 0, 64, 64] * 2, 0.125, 0)
        files.add_failing(f"output_{name}", inputs, {"output": coded}, features=features, rois=rois)
    return files.files


def _align_files() -> list[emitter.EmittedFile]:
    files = BoxFiles("ROI_ALIGN", {}, layout=LAID_OUT, codes=False)
    for seed, (scene, arguments) in enumerate((SCENES | SAMPLINGS).items()):
        case = _align_case(*arguments, seed)
        output = {"output": operand(_align(case), "Output")}
        files.add(scene, case.inputs(sampling=True), output, lifetimes=scene == "two_images")
    case = _align_case(*SCENES["channels"], 1)
    # A point counts as a region of one cell; beyond the last cell's centre there is only that cell.
    points = replace(case, rois=Tensor([2, 4, 2, 4, 8, 8, 8, 8], (2, 4)))
    files.add("points", points.inputs(sampling=True), {"output": operand(_align(points), "Output")})
    inputs, output = case.inputs(sampling=True), _failed("")
    for name, change in _failures(case).items():
        files.add_failing(name, inputs, _failed(name), **change)
    files.add_failing("height_samples", inputs, output, height_samples="-1")
    files.add_failing("width_samples", inputs, output, width_samples="-1")
    return [*files.files, *map(_coded_align_file, (emitter.Q8, emitter.Q8S)), _bad_codes()]


TARGETS = (((0.0625, 0), (0.0625, 0)), ((0.25, 128), (0.5, 100)), ((0.5, 255), (0.25, 200)), ((0.1, 128), (0.3, 0)))
"""Scales and unsigned zero points of features and output, used in turn."""
REACH = 40
"""Largest distance of feature codes from the zero point; up to it, weights in 255ths cost less than a code."""


def _coded_case(
    dims: tuple[int, int, int, int], batches: list[int], settings: RoiSettings, codes: Codes, seed: int
) -> _Case:
    on_numbers = _builder(dims, batches, settings)
    low, high = max(codes.low, codes.source[1] - REACH), min(codes.high, codes.source[1] + REACH)

    def build(source: emitter.Source) -> _Case:
        return replace(on_numbers(source), features=Tensor(source.integers(low, high, size_of(dims)), dims))

    return steady(build, lambda case, _shake: "close" if _near_real(case, codes) else None, seed)


def _coded_align_file(kind: OperandType) -> emitter.EmittedFile:
    file = emitter.EmittedFile("V1_3" if kind == emitter.Q8S else "V1_2", f"roi_align_{emitter.LABELS[kind]}")
    low, high = emitter.RANGES[kind]
    for seed, (name, arguments) in enumerate((SCENES | SAMPLINGS).items()):
        source, target = ((scale, zero_point + low) for scale, zero_point in TARGETS[seed % len(TARGETS)])
        codes = Codes(source, target, low, high)
        _add_coded(file, name, _coded_case(*arguments, codes, seed), codes, kind)
    return file


def _near_real(case: _Case, codes: Codes) -> bool:
    """Return True if the fixed-point result is at most one code from the rounded real one."""
    (scale, zero), (out_scale, out_zero) = codes.source, codes.target
    reals = mapped(case.features, lambda q: (q - zero) * scale)
    exact = roi_align(reals, case.rois, case.batches, case.settings, np.float64).values
    rounded = [min(max(round_away(x / out_scale + out_zero), codes.low), codes.high) for x in exact]
    fixed = roi_align(case.features, case.rois, case.batches, case.settings, codes=codes).values
    return all(abs(a - b) <= 1 for a, b in zip(rounded, fixed, strict=True))


def _add_coded(
    file: emitter.EmittedFile, name: str, case: _Case, codes: Codes, kind: OperandType, variations: str = ""
) -> None:
    result = roi_align(case.features, case.rois, case.batches, case.settings, codes=codes)
    inputs: Inputs = {
        **case.inputs(sampling=True),
        "features": emitter.SpecTensor(kind, case.features.dims, case.features.values, *codes.source),
        "rois": emitter.SpecTensor(emitter.Q16A, case.rois.dims, [int(8 * x) for x in case.rois.values], 0.125, 0),
    }
    output = emitter.SpecTensor(kind, result.dims, result.values, *codes.target, "Output")
    last = variations or f".AddNchw({', '.join(LAID_OUT)}).DisableLifeTimeVariation()"
    file.add(name, "ROI_ALIGN", inputs, output, last)


def _bad_codes() -> emitter.EmittedFile:
    """Return failing calls whose multiplier is not below 1: 255 / 255 / 1 sample is exactly 1."""
    file = emitter.EmittedFile("V1_2", "roi_align_quant8_invalid")
    settings = replace(BASE, output_height=1, output_width=1, height_samples=1, width_samples=1)
    case = _Case(Tensor([1] * 4, (1, 2, 2, 1)), Tensor([0, 0, 4, 4], (1, 4)), [0], settings)
    codes = Codes((255.0, 0), (0.5, 0), 0, 255)
    _add_coded(file, "multiplier", case, codes, emitter.Q8, emitter.FAILS)
    return file


def files() -> list[emitter.EmittedFile]:
    """Return all spec files of the family."""
    return [*_pooling_files(), *_align_files()]
