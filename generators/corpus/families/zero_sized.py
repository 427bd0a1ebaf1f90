"""Spec files in which operations see tensors without elements.

Other families have files in which one operation gets such a tensor in one layout. These files have both layouts, the
operations on boxes, several operations in a row, and detectors that detect nothing. No output has any elements, so
only shapes are computed (docs/contract/operations/common.md 5).

``corpus/writing.py`` calls :func:`files`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from nnvet.generators.corpus import emitter
from nnvet.hal.enums import OperandType

SCALES = {"cell": (0.1, 128), "weight": (0.5, 128), "delta": (0.1, 100), "probability": (1 / 256, 0)}
"""Scale and unsigned zero point of 8-bit operands, by role."""
FIXED = {
    "box": (emitter.Q16A, 0.125, 0),
    "anchor": (emitter.Q16S, 0.125, 0),
    "bias": (emitter.INT32, 0.05, 0),
}
"""Types of operands beside 8-bit ones. The bias has the scales of cell times weight."""
KEPT = ("index", "real")
"""Roles of operands that keep their type, integers or floats, in every variation."""


@dataclass(frozen=True)
class _Part:
    """One operation. ``call`` is Python text of its inputs; ``makes`` are its outputs in order: (role, dimensions).

    ``constants`` are operands that it brings along: (role, dimensions, values).
    """

    operation: str
    call: str
    makes: dict[str, tuple[str, list[int]]]
    constants: dict[str, tuple[str, list[int], list[float]]]


def _part(operation: str, call: str, *, needs: Sequence[str] = (), **makes: tuple[str, list[int]]) -> _Part:
    return _Part(operation, call, makes, {name: CONSTANTS[name] for name in needs})


CONSTANTS: dict[str, tuple[str, list[int], list[float]]] = {
    "scores": ("cell", [1, 2], [0.9, 0.1]),
    "boxes": ("box", [1, 8], [1, 1, 10, 10, 0, 0, 10, 10]),
    "grid_scores": ("cell", [1, 1, 2, 1], [0.5, 0.8]),
    "grid_deltas": ("delta", [1, 1, 2, 4], [0.0] * 8),
    "anchors": ("anchor", [1, 4], [0, 0, 4, 4]),
    "image_info": ("box", [1, 2], [32, 32]),
    "regions": ("box", [4, 4], [0, 0, 4, 4] * 4),
    "class_scores": ("cell", [1, 3, 2], [0.5, 0.25, 0.5, 0.75, 0.5, 0.625]),
    "offsets": ("cell", [1, 3, 4], [0.0] * 12),
    "priors": ("cell", [3, 4], [5, 5, 4, 4, 15, 5, 4, 4, 25, 5, 4, 4]),
    "rows": ("cell", [2, 4], [1, 2, 3, 4, 5, 6, 7, 8]),
    "filter": ("weight", [3, 2, 2, 2], [0.5] * 24),
    "depth_filter": ("weight", [1, 2, 2, 4], [0.5] * 16),
    "bias": ("bias", [3], [1.0, 2.0, 3.0]),
    "depth_bias": ("bias", [4], [1.0, 2.0, 3.0, 4.0]),
    "score_weights": ("weight", [2, 24], [0.5] * 48),
    "score_bias": ("bias", [2], [1.0, 2.0]),
    "delta_weights": ("weight", [8, 24], [0.5] * 192),
    "delta_bias": ("bias", [8], [1.0] * 8),
}
"""Constant inputs by name: kind of numbers, dimensions and values."""

LIMIT = _part(
    "BOX_WITH_NMS_LIMIT",
    "scores, boxes, [0], 0.3, -1, 0, 0.4, 1.0, 0.3",
    needs=("scores", "boxes"),
    scores_left=("cell", [0]),
    boxes_left=("box", [0, 4]),
    classes_left=("index", [0]),
    batches_left=("index", [0]),
)
"""Scalars with a threshold that no score reaches."""
PROPOSE = _part(
    "GENERATE_PROPOSALS",
    "grid_scores, grid_deltas, anchors, image_info, 4.0, 4.0, -1, -1, 0.5, 100.0, False",
    needs=("grid_scores", "grid_deltas", "anchors", "image_info"),
    scores_left=("cell", [0]),
    boxes_left=("box", [0, 4]),
    batches_left=("index", [0]),
)
"""Scalars with a smallest size that no box reaches."""
ALIGN = _part(
    "ROI_ALIGN", "features, boxes_left, batches_left, 3, 4, 2.0, 2.0, 4, 4, layout", empty=("cell", [0, 3, 4, 2])
)
"""A feature map of height 3 and width 4 without images."""
SCORE = _part(
    "FULLY_CONNECTED",
    "empty, score_weights, score_bias, 0",
    needs=("score_weights", "score_bias"),
    logits=("cell", [0, 2]),
)
"""Operation of a detector that scores its boxes."""
CLASSIFY = _part("SOFTMAX", "logits, 1.0", probabilities=("probability", [0, 2]))
"""Operation of a detector that makes probabilities of its scores."""
REGRESS = _part(
    "FULLY_CONNECTED",
    "empty, delta_weights, delta_bias, 0",
    needs=("delta_weights", "delta_bias"),
    deltas=("delta", [0, 8]),
)
"""Operation of a detector that computes the deltas of its boxes."""
TRANSFORM = _part("AXIS_ALIGNED_BBOX_TRANSFORM", "boxes_left, deltas, batches_left, image_info", moved=("box", [0, 8]))
"""Operation of a detector that moves its boxes by the deltas."""
LIMIT_AGAIN = _part(
    "BOX_WITH_NMS_LIMIT",
    "probabilities, moved, batches_left, 0.3, -1, 0, 0.4, 1.0, 0.3",
    scores_out=("probability", [0]),
    boxes_out=("box", [0, 4]),
    classes_out=("index", [0]),
    batches_out=("index", [0]),
)
"""Operation that limits the boxes of a detector once more."""
HEADS = (SCORE, CLASSIFY, REGRESS)
"""Operations of a detector between the boxes and their limitation."""
UNITS = _part("FULLY_CONNECTED", "rows, boxes_left, scores_left, 0", needs=("rows",), unitless=("cell", [2, 0]))
"""Weights for no units, which are refused although the output would have no elements."""
IMAGELESS = _part("AXIS_ALIGNED_BBOX_TRANSFORM", "boxes_left, deltas, batches_left, logits", moved=("box", [0, 8]))
"""Sizes for no images, which are refused although there are no regions."""

CLASSLESS = _part("TRANSPOSE", "boxes_left, [1, 0]", classless=("box", [4, 0]))
"""Four rows without columns: scores, boxes and deltas for no class."""
LIMIT_CLASSLESS = _part(
    "BOX_WITH_NMS_LIMIT",
    "classless, classless, [0, 0, 0, 0], 0.3, -1, 0, 0.4, 1.0, 0.3",
    scores_out=("cell", [0]),
    boxes_out=("box", [0, 4]),
    classes_out=("index", [0]),
    batches_out=("index", [0]),
)
"""Invalid limitation of boxes without classes."""
TRANSFORM_CLASSLESS = _part(
    "AXIS_ALIGNED_BBOX_TRANSFORM",
    "regions, classless, [0, 0, 0, 0], image_info",
    needs=("regions", "image_info"),
    moved=("box", [4, 0]),
)
"""Invalid transformation of boxes without classes."""


NO_SCORES = _part("SLICE", "class_scores, [0, 0, 0], [1, 3, 0]", needs=("class_scores",), no_scores=("cell", [1, 3, 0]))
"""Operation that makes scores without classes."""
POSTPROCESS_CLASSLESS = _part(
    "DETECTION_POSTPROCESSING",
    "no_scores, offsets, priors, 1.0, 1.0, 1.0, 1.0, True, 2, 1, 2, 0.25, 0.5, False",
    needs=("offsets", "priors"),
    scores_out=("cell", [1, 2]),
    boxes_out=("cell", [1, 2, 4]),
    classes_out=("index", [1, 2]),
    valid_out=("index", [1]),
)
"""Invalid postprocessing of scores without classes."""
NO_CHANNELS = _part("SLICE", "features, [0, 0, 0, 0], [1, 2, 2, 0]", no_channels=("cell", [1, 2, 2, 0]))
"""Feature map without channels in its own layout."""
PROPOSE_ANCHORLESS = _part(
    "GENERATE_PROPOSALS",
    "no_channels, no_channels, boxes_left, image_info, 4.0, 4.0, -1, -1, 0.5, 1.0, False",
    needs=("image_info",),
    scores_out=("cell", [0]),
    boxes_out=("box", [0, 4]),
    batches_out=("index", [0]),
)
"""Invalid proposals without anchors."""


def _cut(name: str, sizes: Sequence[int], of: str) -> _Part:
    """Return a constant or input of four dimensions, one of which loses all elements."""
    needs = (of,) if of in CONSTANTS else ()
    role = "weight" if needs else "cell"
    return _part("SLICE", f"{of}, [0, 0, 0, 0], {sizes}", needs=needs, **{name: (role, list(sizes))})


NO_ROWS = _cut("no_rows", [1, 0, 2, 2], "features")
"""Feature map of height 0. Padding makes its height positive, so only a driver with an explicit check refuses it."""
NO_CELLS = _cut("no_cells", [3, 0, 2, 2], "filter")
"""Operations that make filters without elements."""
NO_DEPTH_CELLS = _cut("no_depth_cells", [1, 0, 2, 4], "depth_filter")
"""The same for depthwise convolutions."""


def _at_nothing(operation: str, arguments: str, sizes: list[int], *needs: str) -> _Part:
    return _part(operation, arguments, needs=needs, output=("cell", sizes))


_PADDED = "0, 0, 1, 1, 1, 1"
"""Padding by one row above and one below, so that there is something to compute, and strides of 1."""
AT_NOTHING: dict[str, tuple[_Part, ...]] = {
    **{
        f"{name}_without_rows": (NO_ROWS, _at_nothing(operation, f"no_rows, {_PADDED}, 2, 2, 0", [1, 1, 1, 2]))
        for name, operation in (
            ("average_pool", "AVERAGE_POOL_2D"),
            ("max_pool", "MAX_POOL_2D"),
            ("l2_pool", "L2_POOL_2D"),
        )
    },
    "conv_without_rows": (
        NO_ROWS,
        _at_nothing("CONV_2D", f"no_rows, filter, bias, {_PADDED}, 0", [1, 1, 1, 3], "filter", "bias"),
    ),
    "conv_without_cells": (
        NO_CELLS,
        _at_nothing("CONV_2D", "features, no_cells, bias, 2, 1, 1, 0", [1, 3, 1, 3], "filter", "bias"),
    ),
    "depthwise_conv_without_cells": (
        NO_DEPTH_CELLS,
        _at_nothing(
            "DEPTHWISE_CONV_2D",
            "features, no_depth_cells, depth_bias, 2, 1, 1, 2, 0",
            [1, 3, 1, 4],
            "depth_filter",
            "depth_bias",
        ),
    ),
    "transpose_conv_without_rows": (
        NO_ROWS,
        _at_nothing(
            "TRANSPOSE_CONV_2D", "no_rows, filter, bias, 0, 0, 0, 0, 1, 1, 0, False", [1, 1, 3, 3], "filter", "bias"
        ),
    ),
    "transpose_conv_without_cells": (
        NO_CELLS,
        _at_nothing(
            "TRANSPOSE_CONV_2D", "features, no_cells, bias, 0, 0, 0, 0, 1, 1, 0, False", [1, 1, 3, 3], "filter", "bias"
        ),
    ),
    "resize_bilinear_without_rows": (NO_ROWS, _at_nothing("RESIZE_BILINEAR", "no_rows, 2, 2", [1, 2, 2, 2])),
    "resize_nearest_neighbor_without_rows": (
        NO_ROWS,
        _at_nothing("RESIZE_NEAREST_NEIGHBOR", "no_rows, 2, 2, False", [1, 2, 2, 2]),
    ),
    "align_without_rows": (
        NO_ROWS,
        _at_nothing(
            "ROI_ALIGN",
            "no_rows, regions, [0, 0, 0, 0], 2, 2, 1.0, 1.0, 2, 2, False",
            [4, 2, 2, 2],
            "regions",
        ),
    ),
}
"""Operations that refuse a tensor without rows or a filter without cells, by names of examples."""


def _image_info() -> _Part:
    return _part("AXIS_ALIGNED_BBOX_TRANSFORM", TRANSFORM.call, needs=("image_info",), **TRANSFORM.makes)


def _spatial(operation: str, arguments: str, sizes: list[int], needs: Sequence[str] = ()) -> _Part:
    given = "".join(f"{name}, " for name in needs)
    return _part(operation, f"empty, {given}{arguments}, layout", needs=needs, output=("cell", [0, *sizes]))


SPATIAL = {
    "average_pool": _spatial("AVERAGE_POOL_2D", "2, 1, 1, 2, 2, 0", [2, 3, 2]),
    "max_pool": _spatial("MAX_POOL_2D", "1, 2, 2, 2, 2, 1", [2, 2, 2]),
    "l2_pool": _spatial("L2_POOL_2D", "2, 1, 1, 2, 3, 0", [1, 3, 2]),
    "conv": _spatial("CONV_2D", "2, 1, 1, 0", [2, 3, 3], ("filter", "bias")),
    "depthwise_conv": _spatial("DEPTHWISE_CONV_2D", "2, 1, 1, 2, 0", [2, 3, 4], ("depth_filter", "depth_bias")),
    "transpose_conv": _spatial("TRANSPOSE_CONV_2D", "0, 0, 0, 0, 2, 2, 0", [6, 8, 3], ("filter", "bias")),
    "resize_bilinear": _spatial("RESIZE_BILINEAR", "6, 5", [5, 6, 2]),
    "resize_nearest_neighbor": _spatial("RESIZE_NEAREST_NEIGHBOR", "6, 5", [5, 6, 2]),
}
"""Operations on images that get no images, by the name of the example."""
FLOATS_ONLY, CODES_ONLY = (emitter.F32,), (emitter.Q8, emitter.Q8S)
"""Types in which an example exists, where it does not exist in all three."""


@dataclass(frozen=True)
class _Scene:
    """A model: operations in order, and the types in which it exists."""

    parts: tuple[_Part, ...]
    kinds: tuple[OperandType, ...] = (emitter.F32, emitter.Q8, emitter.Q8S)
    calls: str = ""


SCENES: dict[str, dict[str, _Scene]] = {
    "zero_sized_layouts": {
        "align": _Scene((LIMIT, ALIGN)),
        **{
            name: _Scene(
                (LIMIT, ALIGN, part), FLOATS_ONLY if name == "l2_pool" else (emitter.F32, emitter.Q8, emitter.Q8S)
            )
            for name, part in SPATIAL.items()
        },
    },
    "zero_sized_codes": {
        "dequantize": _Scene((LIMIT, ALIGN, _part("DEQUANTIZE", "empty", output=("real", [0, 3, 4, 2]))), CODES_ONLY),
        "dequantize_and_quantize": _Scene(
            (
                LIMIT,
                ALIGN,
                _part("DEQUANTIZE", "empty", middle=("real", [0, 3, 4, 2])),
                _part("QUANTIZE", "middle", output=("delta", [0, 3, 4, 2])),
            ),
            CODES_ONLY,
        ),
    },
    "zero_sized_invalid": {
        "no_units": _Scene((LIMIT, ALIGN, UNITS), FLOATS_ONLY, emitter.FAILURE),
        "no_images": _Scene((LIMIT, ALIGN, SCORE, REGRESS, IMAGELESS), FLOATS_ONLY, emitter.FAILURE),
        "no_classes_limit": _Scene((LIMIT, ALIGN, CLASSLESS, LIMIT_CLASSLESS), FLOATS_ONLY, emitter.FAILURE),
        "no_classes_transform": _Scene((LIMIT, ALIGN, CLASSLESS, TRANSFORM_CLASSLESS), FLOATS_ONLY, emitter.FAILURE),
        "no_classes_postprocessing": _Scene(
            (LIMIT, ALIGN, NO_SCORES, POSTPROCESS_CLASSLESS), FLOATS_ONLY, emitter.FAILURE
        ),
        **{name: _Scene(parts, FLOATS_ONLY, emitter.FAILURE) for name, parts in AT_NOTHING.items()},
        "no_anchors": _Scene((LIMIT, ALIGN, NO_CHANNELS, PROPOSE_ANCHORLESS), FLOATS_ONLY, emitter.FAILURE),
    },
    "zero_sized_detectors": {
        "transform": _Scene((LIMIT, ALIGN, REGRESS, _image_info())),
        "limit_twice": _Scene((LIMIT, ALIGN, *HEADS, _image_info(), LIMIT_AGAIN)),
        "proposals": _Scene((PROPOSE, ALIGN)),
        "proposals_to_detections": _Scene((PROPOSE, ALIGN, *HEADS, TRANSFORM, LIMIT_AGAIN)),
    },
}
"""Examples by the name of their file."""


def _target(role: str, kind: OperandType) -> tuple[OperandType, float, int]:
    if role in FIXED:
        return FIXED[role]
    scale, zero_point = SCALES[role]
    return kind, scale, zero_point - 128 * (kind == emitter.Q8S)


def _example(name: str, scene: _Scene, kinds: Sequence[OperandType]) -> emitter.SpecExample:
    constants = {key: value for part in scene.parts for key, value in part.constants.items()}
    made = {key: value for part in scene.parts for key, value in part.makes.items()}
    read = {word.strip() for part in scene.parts for word in part.call.split(",")}
    operands: dict[str, emitter.Operand] = {
        key: emitter.parameter(emitter.F32, dims, values) for key, (_, dims, values) in constants.items()
    }
    operands["features"] = emitter.SpecTensor(emitter.F32, [1, 2, 2, 2], [1.0] * 8)
    if "layout" in read:
        operands["layout"] = 'BoolScalar("layout", False)'
    for key, (role, dims) in made.items():
        type_ = emitter.INT32 if role == "index" else emitter.F32
        values = [0.0] * prod(dims)
        operands[key] = emitter.SpecTensor(type_, dims, values, role="Internal" if key in read else "Output")
    turned = [key for key, (_, dims) in made.items() if len(dims) == 4 and key not in NO_CHANNELS.makes]
    laid_out = ["features", *turned, "layout"]
    roles = {key: role for key, (role, _, _) in constants.items()} | {"features": "cell"}
    roles |= {key: role for key, (role, _) in made.items()}
    layouts = f".AddNchw({', '.join(laid_out)})" if "layout" in read else ""
    calls = layouts + _variations(kinds, roles) + scene.calls
    operations = [emitter.SpecCall(part.operation, part.call.split(", "), list(part.makes)) for part in scene.parts]
    return emitter.SpecExample(name, operands, operations, calls)


def _variations(kinds: Sequence[OperandType], roles: dict[str, str]) -> str:
    floats = ['"relaxed"', '"float16"'] if emitter.F32 in kinds else []
    codes = [
        emitter.conversion(
            emitter.LABELS[kind], {key: _target(role, kind) for key, role in roles.items() if role not in KEPT}
        )
        for kind in kinds
        if kind != emitter.F32
    ]
    return emitter.variations(*floats, *codes, default=emitter.F32 in kinds)


def _files(name: str, scenes: dict[str, _Scene]) -> Iterable[emitter.EmittedFile]:
    for folder, suffix, allowed in (
        ("V1_2", "", (emitter.F32, emitter.Q8)),
        ("V1_3", "_quant8_signed", (emitter.Q8S,)),
    ):
        file = emitter.EmittedFile(folder, name + suffix)
        for label, scene in scenes.items():
            kinds = [kind for kind in scene.kinds if kind in allowed]
            if kinds:
                file.examples.append(_example(label, scene, kinds))
        if file.examples:
            yield file


def files() -> list[emitter.EmittedFile]:
    """Return all spec files."""
    return [file for name, scenes in SCENES.items() for file in _files(name, scenes)]
