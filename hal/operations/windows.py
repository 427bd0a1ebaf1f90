"""Operations that slide a window over an image: their attributes, geometry and the rules of both.

Used by convolution and pooling. Source: docs/contract/operations/common.md 9 and 11.
"""

from __future__ import annotations

from collections.abc import Callable

from nnvet.hal.enums import OperandType
from nnvet.hal.operations.declaration import Call, Formal, Rule
from nnvet.hal.operations.formals import integer
from nnvet.hal.operations.shapes import Window, from_nhwc, implicit_window, to_nhwc

EXPLICIT_PADDING = tuple(
    integer(f"padding_{side}", f"padding cells at the {side}") for side in ("left", "right", "top", "bottom")
)
IMPLICIT_PADDING = integer("padding", "padding scheme: 1 SAME, 2 VALID", values=(1, 2))
STRIDES = tuple(integer(f"stride_{axis}", f"step along the {axis}") for axis in ("width", "height"))
FILTER_SIZES = tuple(integer(f"filter_{axis}", f"{axis} of the window") for axis in ("width", "height"))
DILATIONS = tuple(
    integer(f"dilation_{axis}", f"distance of taps along the {axis}", level=3) for axis in ("width", "height")
)
LAYOUT = Formal("layout", OperandType.BOOL, "true: NCHW", level=3, parameter=True)


def image(call: Call) -> tuple[int, int, int, int]:
    """Batches, height, width and channels of the input."""
    return to_nhwc(call["input"].dimensions, nchw=call.scalar("layout", False))


def in_layout(call: Call, n: int, h: int, w: int, c: int) -> tuple[int, int, int, int]:
    """Output dimensions in the layout that the call asks for."""
    return from_nhwc(n, h, w, c, nchw=call.scalar("layout", False))


def filter_size(call: Call) -> tuple[int, int]:
    """Height and width of the window: those of the filter tensor, or scalars."""
    if "filter" in call.inputs:
        height, width = call["filter"].dimensions[1:3]
        return height, width
    return call.scalar("filter_height"), call.scalar("filter_width")


def windows(call: Call) -> tuple[Window, Window]:
    """Geometry of the vertical and the horizontal axis."""
    _, height, width, _ = image(call)
    filter_height, filter_width = filter_size(call)
    return (
        _window(call, "height", height, filter_height, ("top", "bottom")),
        _window(call, "width", width, filter_width, ("left", "right")),
    )


def _window(call: Call, axis: str, size: int, filter_cells: int, sides: tuple[str, str]) -> Window:
    stride, dilation = call.scalar(f"stride_{axis}"), call.scalar(f"dilation_{axis}", 1)
    if "padding" in call.inputs:
        return implicit_window(size, filter_cells, stride, dilation, call.scalar("padding"))
    head, tail = (call.scalar(f"padding_{side}") for side in sides)
    return Window(size, filter_cells, stride, dilation, head, tail)


def _scalars(call: Call, formals: tuple[Formal, ...]) -> list[int]:
    return [call.scalar(formal.name) for formal in formals if formal.name in call.inputs]


def positive_rule(name: str, formals: tuple[Formal, ...], subject: str) -> Rule:
    """Rule that scalar attributes are greater than 0."""
    return Rule(
        f"{name}/{subject}",
        f"Values of {' and '.join(formal.name for formal in formals)} are greater than 0.",
        lambda call: all(value > 0 for value in _scalars(call, formals)),
    )


def padding_sign_rule(name: str, formals: tuple[Formal, ...] = EXPLICIT_PADDING) -> Rule:
    """Rule that explicit paddings are not negative."""
    return Rule(
        f"{name}/padding.negative",
        f"Values of {', '.join(formal.name for formal in formals)} are not negative.",
        lambda call: all(value >= 0 for value in _scalars(call, formals)),
    )


def window_rules(name: str) -> tuple[Rule, ...]:
    """Rules on paddings and output size, for calls whose strides and dilations are greater than 0."""
    return (
        Rule(
            f"{name}/padding.size",
            "Every padding is smaller than the (dilated) window on its axis, so that no window lies in padding alone.",
            lambda call: all(max(w.head, w.tail) < w.extent for w in windows(call)),
        ),
        Rule(
            f"{name}/output.size",
            "The padded input holds the (dilated) window at least once on each axis.",
            lambda call: all(w.fits for w in windows(call)),
        ),
    )


def sized_rule(name: str, operand: str, subject: str, sizes: Callable[[Call], tuple[int, ...]]) -> Rule:
    """Rule that ``sizes`` (``subject`` in words) of an operand are greater than 0 when the operation runs."""
    return Rule(f"{name}/{operand}.empty", f"{subject} are greater than 0.", lambda call: 0 not in sizes(call))
