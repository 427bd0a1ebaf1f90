"""Converters of ONNX operators that pool or resize feature maps, and the geometry of their windows.

``operators.py`` lists the operators.

The contract's operations know two spatial dimensions; one dimension is a map of height 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from nnvet.formats.onnx.context import NodeContext, along
from nnvet.hal.types import OperandType
from nnvet.hal.types import OperationType as O

_AUTO_PADS: Final = ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
"""Values of the attribute ``auto_pad``."""
_IMAGE: Final = 2
"""Spatial dimensions of an image."""
_NEAREST: Final[Mapping[str, Callable[[Any], Any]]] = {
    "round_prefer_floor": lambda place: np.ceil(place - 0.5),
    "round_prefer_ceil": lambda place: np.floor(place + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}
"""Index of the nearest element, by the value of ``nearest_mode``."""
_LAYOUT_RANK: Final = 4
"""Rank of a batch of images, NCHW."""


@dataclass(frozen=True)
class FeatureWindow:
    """Geometry of windows: all sequences have an entry for each spatial dimension.

    ``sizes`` are those of the input, ``cells`` those of a window, ``heads`` and ``tails`` the paddings.
    """

    sizes: tuple[int, ...]
    cells: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    heads: tuple[int, ...]
    tails: tuple[int, ...]

    @property
    def extents(self) -> list[int]:
        """Number of elements from the first to the last one of a window, dilation included."""
        return [(cells - 1) * far + 1 for cells, far in zip(self.cells, self.dilations, strict=True)]

    def counts(self, *, ceil: bool) -> list[int]:
        """Return how many windows there are; ``ceil``: also those that end beyond the padding."""
        found = []
        for size, extent, stride, head, tail in zip(
            self.sizes, self.extents, self.strides, self.heads, self.tails, strict=True
        ):
            space = size + head + tail - extent
            count = (-(-space // stride) if ceil else space // stride) + 1
            # A window that begins in the padding at the end does not count.
            found.append(count - (ceil and (count - 1) * stride >= size + head))
        return found

    def padding(self) -> list[int]:
        """Return the padding of an image as the contract orders it: left, right, top, bottom."""
        return [self.heads[1], self.tails[1], self.heads[0], self.tails[0]]

    def as_image(self) -> FeatureWindow:
        """Return the geometry with two spatial dimensions."""
        if len(self.sizes) == _IMAGE:
            return self
        sides = (self.sizes, self.cells, self.strides, self.dilations)
        ends = (self.heads, self.tails)
        return FeatureWindow(*((1, *side) for side in sides), *((0, *side) for side in ends))

    def stretched(self, *, ceil: bool) -> FeatureWindow:
        """Return the geometry with just as much padding at the end as the last window needs."""
        tails = [
            max((count - 1) * stride + extent - size - head, 0)
            for count, stride, extent, size, head in zip(
                self.counts(ceil=ceil), self.strides, self.extents, self.sizes, self.heads, strict=True
            )
        ]
        return replace(self, tails=tuple(tails))


def window_of(context: NodeContext, sizes: Sequence[int], cells: Sequence[int]) -> FeatureWindow:
    """Return the geometry that a node's attributes give."""
    rank = len(sizes)
    strides = context.attribute("strides") or [1] * rank
    dilations = context.attribute("dilations") or [1] * rank
    auto = context.attribute("auto_pad", b"NOTSET").decode()
    if auto not in _AUTO_PADS:
        context.fail(f"auto_pad {auto} has no form in the contract")
    pads = context.attribute("pads") or [0] * (2 * rank)
    heads, tails = pads[:rank], pads[rank:]
    if auto != "NOTSET":
        heads, tails = [0] * rank, [0] * rank
    if auto.startswith("SAME"):
        for axis, (size, cell, stride, far) in enumerate(zip(sizes, cells, strides, dilations, strict=True)):
            whole = max((-(-size // stride) - 1) * stride + (cell - 1) * far + 1 - size, 0)
            more = whole - whole // 2
            heads[axis], tails[axis] = (whole - more, more) if auto == "SAME_UPPER" else (more, whole - more)
    return FeatureWindow(*map(tuple, (sizes, cells, strides, dilations, heads, tails)))


def image_of(context: NodeContext, position: int = 0) -> tuple[int, Sequence[int]]:
    """Return the operand of feature maps as images (one-dimensional maps get height 1), and their own spatial sizes.

    :raises ModelFileError: they have other dimensions.
    """
    source, (batches, channels, *sizes) = context.input(position), context.shape(position)
    if not 1 <= len(sizes) <= _IMAGE:
        context.fail("only one or two spatial dimensions have a form in the contract")
    return context.reshaped(source, [batches, channels, *[1] * (_IMAGE - len(sizes)), *sizes]), sizes


def emit_image(context: NodeContext, kind: O, inputs: Sequence[int], rank: int) -> None:
    """Append an operation on images; the result for one-dimensional maps loses its height of 1."""
    if rank == _IMAGE:
        context.emit(kind, inputs)
        return
    found = context.new(kind, inputs)
    batches, channels, _, length = context.graph.arguments[found].dimensions
    context.emit(O.RESHAPE, [found, context.ints([batches, channels, length])])


def pool(kind: O, context: NodeContext) -> None:
    """Pool feature maps by windows."""
    source, sizes = image_of(context)
    window = window_of(context, sizes, context.attribute("kernel_shape")).as_image()
    if set(window.dilations) != {1}:
        context.fail("dilations have no form in the contract")
    stretched = window.stretched(ceil=bool(context.attribute("ceil_mode", 0)))
    if kind != O.MAX_POOL_2D and context.attribute("count_include_pad", 0):
        ends = list(zip(window.heads, window.tails, strict=True))
        zeros = context.graph.constant(OperandType.TENSOR_INT32, [(0, 0), (0, 0), *ends])
        source = context.new(O.PAD_V2, [source, zeros, context.scalar(0.0, source)])
        beyond = np.maximum(np.subtract(stretched.tails, window.tails), 0).tolist()
        stretched = replace(stretched, heads=(0, 0), tails=tuple(beyond))
    numbers = [*stretched.padding(), *window.strides[::-1], *window.cells[::-1]]
    parameters = [*map(context.i32, numbers), context.activation(), context.flag(True)]
    emit_image(context, kind, [source, *parameters], len(sizes))


def global_pool(kind: O, context: NodeContext) -> None:
    """Pool all of a feature map."""
    axes = context.ints(range(2, context.rank_of(0)))
    keeps = context.i32(1) if kind == O.MEAN else context.flag(True)
    context.emit(kind, [context.input(0), axes, keeps])


def response(context: NodeContext) -> None:
    """Normalise over neighbouring channels."""
    source, size = context.input(0), context.attribute("size")
    if size % 2 == 0 or context.rank_of(0) != _LAYOUT_RANK:
        context.fail("an even size, and other than images, have no form in the contract")
    alpha = context.attribute("alpha", 1e-4) / size
    reals = [context.scalar(factor, source) for factor in (context.attribute("bias", 1.0), alpha)]
    beta = context.scalar(context.attribute("beta", 0.75), source)
    context.emit(O.LOCAL_RESPONSE_NORMALIZATION, [source, context.i32(size // 2), *reals, beta, context.i32(1)])


def _find_resized_axes(context: NodeContext) -> list[tuple[int, int, float]]:
    """Return axis, new size and scale of each axis that is resized."""
    shape = context.shape(0)
    axes = [context.axis(axis, len(shape)) for axis in context.attribute("axes") or range(len(shape))]
    is_old = context.operator == "Upsample" or context.conversion.opset < 11  # noqa: PLR2004 - regions came with it
    scales = context.values(1 if is_old else 2, "scales") or []
    if scales:
        return [(axis, int(shape[axis] * scale), scale) for axis, scale in zip(axes, scales, strict=True)]
    sizes = context.values(3) or context.fail("neither sizes nor scales are given")
    policy = context.attribute("keep_aspect_ratio_policy", b"stretch").decode()
    if policy != "stretch":
        ratios = [size / shape[axis] for axis, size in zip(axes, sizes, strict=True)]
        ratio = min(ratios) if policy == "not_larger" else max(ratios)
        return [(axis, math.floor(shape[axis] * ratio + 0.5), ratio) for axis in axes]
    return [(axis, size, size / shape[axis]) for axis, size in zip(axes, sizes, strict=True)]


def _find_positions(context: NodeContext, before: int, after: int, scale: float) -> Any:
    """Return the position on the old axis of each element of the resized one."""
    cells = np.arange(after, dtype=np.float64)
    mode = context.attribute("coordinate_transformation_mode", b"half_pixel").decode()
    if context.operator == "Upsample" or context.conversion.opset < 11 or mode == "asymmetric":  # noqa: PLR2004
        return cells / scale
    if mode == "align_corners":
        # ``scale * before`` is the exact new length; ``after`` is rounded down to a whole number.
        return cells * ((before - 1) / (scale * before - 1)) if after > 1 else cells * 0
    if mode == "pytorch_half_pixel" and after == 1:
        return cells * 0
    if mode not in ("half_pixel", "pytorch_half_pixel", "half_pixel_symmetric"):
        context.fail(f"coordinate_transformation_mode {mode} has no form in the contract")
    shift = before / 2 * (1 - after / (scale * before)) if mode == "half_pixel_symmetric" else 0.0
    return shift + (cells + 0.5) / scale - 0.5


def resize(context: NodeContext) -> None:
    """Resize feature maps: by nearest neighbours, linearly, or by cubic splines."""
    source, mode = context.input(0), context.attribute("mode", b"nearest").decode()
    changed = [
        scaled for scaled in _find_resized_axes(context) if scaled[1] != context.shape(0)[scaled[0]] or scaled[2] != 1
    ]
    if context.attribute("antialias", 0) or mode not in ("nearest", "linear", "cubic"):
        context.fail(f"mode {mode}{' with antialias' * context.attribute('antialias', 0)} has no form in the contract")
    for axis, size, scale in changed:
        before = context.graph.arguments[source].dimensions[axis]
        places = _find_positions(context, before, size, scale)
        if mode == "nearest":
            rule = context.attribute("nearest_mode", b"round_prefer_floor").decode()
            is_old = context.operator == "Upsample" or context.conversion.opset < 11  # noqa: PLR2004
            near = np.clip(_NEAREST["floor" if is_old else rule](places), 0, before - 1).astype(int)
            source = context.new(O.GATHER, [source, context.i32(axis), context.ints(near.tolist())])
        else:
            source = _interpolate(context, source, axis, places, _find_weights(context, places - np.floor(places)))
    context.alias(source)


def _find_weights(context: NodeContext, share: Any) -> Mapping[int, Any]:
    """Return the weights of the neighbours of positions, by neighbour: 0 is the element below, 1 the one above.

    ``share`` is the distance of each position from the element below, from 0 to 1.
    """
    if context.attribute("mode", b"") == b"linear":
        return {0: 1 - share, 1: share}
    a = context.attribute("cubic_coeff_a", -0.75)

    def near(x: Any) -> Any:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Any) -> Any:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return {-1: far(share + 1), 0: near(share), 1: near(1 - share), 2: far(2 - share)}


def _interpolate(context: NodeContext, source: int, axis: int, places: Any, weights: Mapping[int, Any]) -> int:
    """Return an axis resized by interpolation: the sum of the slices around each position, times their weights."""
    shape = context.graph.arguments[source].dimensions
    cells = {step: np.floor(places).astype(int) + step for step in weights}
    if context.attribute("exclude_outside", 0):
        inside = {step: np.where((cell >= 0) & (cell < shape[axis]), weights[step], 0) for step, cell in cells.items()}
        whole = np.sum(list(inside.values()), axis=0)
        weights = {step: weight / whole for step, weight in inside.items()}
    sides = []
    for step, weight in weights.items():
        near = np.clip(cells[step], 0, shape[axis] - 1).tolist()
        factor = context.number(along(weight, axis, len(shape)), source)
        sides.append(
            context.new(O.MUL, [context.new(O.GATHER, [source, context.i32(axis), context.ints(near)]), factor])
        )
    total = sides[0]
    for side in sides[1:]:
        total = context.new(O.ADD, [total, side])
    return total
