"""Spec files of RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/movement.py`` makes the files from
scenes, which are examples in float32. ``corpus/writing.py`` calls :func:`files`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count

from nnvet.generators.corpus.emitter import F16, F32, FAILURE, Q8, Q8S, EmittedFile, Source
from nnvet.generators.corpus.empty import empty_files
from nnvet.generators.corpus.movement import Inputs, Scene, expected, failing, given, numbers, operand, spec_files
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations import resize as oracle
from nnvet.oracle.operations.invocation import Tensor, size_of

Dims = tuple[int, int, int, int]
"""Dimensions of an image."""
LAYOUT = 'BoolScalar("layout", False)'
"""The scalar input for the layout, NHWC."""
NCHW = ".AddNchw(input0, input3, output0)"
"""Call in a spec that repeats an example in the layout NCHW."""
NEAR = 0.01
"""Distance from a tie of two codes within which no result may lie, since drivers may round differently there."""
FLAGS = {"align": (True, False), "half": (False, True), "neither": (False, False)}
"""Align corners and half pixel centres."""


def _float(
    operation: O,
    name: str,
    source: Tensor,
    size: tuple[int, int],
    *,
    scale: tuple[float, float] | None = None,
    flags: str = "",
    layout: bool = True,
    full: bool = False,
) -> Scene:
    """Return an example with width and height, or the equal ``scale`` of both, and the given flags."""
    width, height = size
    align, half = FLAGS.get(flags, (False, False))
    compute = oracle.bilinear if operation == O.RESIZE_BILINEAR else oracle.nearest
    result = compute(source, height, width, align=align, half=half)
    sizes = [*map(repr, scale or size)]
    trailing = [LAYOUT] * layout + [repr(flag) for flag in FLAGS.get(flags, ())]
    inputs: Inputs = [given(source), *sizes, *trailing]
    feature = "_".join(filter(None, ("by_scale" if scale else "by_shape", "flags" if flags else "layout" * layout)))
    kinds = (F32, F16) if operation == O.RESIZE_BILINEAR else None
    least = 4 if flags else 3 if layout or scale else 1
    calls = NCHW if layout else ""
    return Scene(
        name,
        inputs,
        [expected(result)],
        feature,
        least,
        kinds,
        lifetimes=full,
        relaxed=full,
        calls=calls,
        quantizations={Q8: (0.5, 0), Q8S: (0.5, -128)} if flags == "half" else {Q8: (0.5, 255), Q8S: (0.5, 127)},
    )


def _codes(name: str, kind: T, dims: Dims, size: tuple[int, int], flags: str = "") -> Scene:
    """Return bilinear mixtures of codes."""
    low = 0 if kind == Q8 else -128
    align, half = FLAGS.get(flags, (False, False))
    width, height = size
    source = _without_ties(
        (Tensor([low + i for i in Source(seed).integers(0, 255, size_of(dims))], dims) for seed in count(len(name))),
        lambda tensor: oracle.bilinear(tensor, height, width, align=align, half=half),
    )
    result = oracle.bilinear(source, height, width, align=align, half=half, codes=True)
    inputs: Inputs = [
        operand(source, kind, 0.5, low + 30),
        str(width),
        str(height),
        LAYOUT,
        *(repr(flag) for flag in FLAGS.get(flags, ())),
    ]
    output = operand(result, kind, 0.5, low + 30, "Output")
    label = "quant8" if kind == Q8 else "quant8_signed"
    least = 4 if flags or kind == Q8S else 3
    feature = f"{label}{'_flags' * bool(flags)}"
    return Scene(name, inputs, [output], feature, least, kinds=(), calls=NCHW, lifetimes=name == "grow")


def _without_ties(sources: Iterable[Tensor], mix: Callable[[Tensor], Tensor]) -> Tensor:
    """Return the first source with no mixture near a half.

    Near a half the codes of unsigned and signed types, which round differently, may be two apart.
    """
    return next(source for source in sources if all(abs(value % 1 - 0.5) > NEAR for value in mix(source).values))


def _all_codes(kind: T) -> list[Scene]:
    return [
        _codes("grow", kind, (1, 2, 2, 1), (3, 3)),
        _codes("shrink", kind, (1, 4, 3, 2), (2, 3)),
        _codes("batches", kind, (2, 2, 3, 1), (5, 1)),
        *(_codes(f"grow_{flags}", kind, (1, 2, 3, 2), (4, 3), flags) for flags in FLAGS),
        *(_codes(f"shrink_{flags}", kind, (1, 4, 5, 1), (2, 3), flags) for flags in FLAGS),
    ]


def _shared(operation: O) -> list[Scene]:
    """Return the scenes of both operations."""
    square, wide = numbers(1, 1, 2, 2, 1), numbers(2, 1, 2, 4, 2)
    return [
        _float(operation, "grow", square, (3, 3), full=True),
        _float(operation, "shrink", wide, (2, 1)),
        _float(operation, "uneven", numbers(3, 2, 3, 2, 1), (5, 4)),
        _float(operation, "same", square, (2, 2)),
        _float(operation, "one_pixel", numbers(4, 1, 1, 1, 2), (3, 2)),
        _float(operation, "grow", square, (3, 3), scale=(1.5, 1.5)),
        _float(operation, "shrink", wide, (2, 1), scale=(0.5, 0.5)),
        _float(operation, "rounded_down", numbers(5, 1, 3, 3, 1), (4, 5), scale=(1.5, 1.75)),
        *(_float(operation, f"grow_{flags}", wide, (7, 4), flags=flags) for flags in FLAGS),
        *(_float(operation, f"shrink_{flags}", wide, (3, 1), flags=flags) for flags in FLAGS),
        _float(operation, "scaled_align", square, (4, 4), scale=(2.0, 2.0), flags="align"),
        _float(operation, "scaled_half", square, (4, 4), scale=(2.0, 2.0), flags="half"),
        failing("no_width", [given(square), "0", "2", LAYOUT], 1, 2, 0, 1),
        failing("no_size", [given(square), "0", "0", LAYOUT], 1, 0, 0, 1),
        failing("negative_height", [given(square), "2", "-1", LAYOUT], 1, 1, 2, 1),
        failing("scaled_to_nothing", [given(square), "1.0", "0.25", LAYOUT], 1, 0, 2, 1),
    ]


def _exclusive() -> Scene:
    inputs: Inputs = [given(numbers(1, 1, 2, 2, 1)), "3", "3", LAYOUT, "True", "True"]
    output = expected(Tensor([0.0] * 9, (1, 3, 3, 1)))
    return Scene("exclusive", inputs, [output], "flag_failures", 4, (F32,), calls=FAILURE)


SCENES: dict[O, list[Scene]] = {
    O.RESIZE_BILINEAR: [
        _float(O.RESIZE_BILINEAR, "grow", numbers(1, 1, 2, 2, 1), (3, 3), layout=False, full=True),
        _float(O.RESIZE_BILINEAR, "shrink", numbers(2, 1, 4, 3, 2), (1, 2), layout=False),
        *_shared(O.RESIZE_BILINEAR),
        *_all_codes(Q8),
        *_all_codes(Q8S),
        _exclusive(),
    ],
    O.RESIZE_NEAREST_NEIGHBOR: [*_shared(O.RESIZE_NEAREST_NEIGHBOR), _exclusive()],
}
"""Examples in float32 by operation."""


def _empty(operation: O) -> list[EmittedFile]:
    """Return a batch of no images, [0, 2, 2, 2], resized to two by two cells."""
    return empty_files(
        operation.name, "2", "2", "False", quantizations={Q8: ((0.1, 128), (0.1, 128)), Q8S: ((0.1, 0), (0.1, 0))}
    )


def files() -> list[EmittedFile]:
    """Return all spec files of the family."""
    empty = [file for operation in SCENES for file in _empty(operation)]
    return [*spec_files(SCENES), *empty]
