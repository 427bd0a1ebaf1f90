"""Spec files of SLICE, STRIDED_SLICE, GATHER, TOPK_V2, and of PAD, PAD_V2 and MIRROR_PAD.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/movement.py`` makes the files from
scenes, which are examples in float32. ``corpus/writing.py`` calls :func:`files`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from nnvet.generators.corpus import movement
from nnvet.generators.corpus.emitter import F16, F32, INT32, Q8, Q8S, EmittedFile, Source, SpecTensor
from nnvet.generators.corpus.empty import empty_files
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations import movement as oracle
from nnvet.oracle.operations.invocation import Tensor, size_of


def _slice(
    name: str, source: Tensor, begin: Sequence[int], size: Sequence[int], *, full: bool = False
) -> movement.Scene:
    outputs = [movement.expected(oracle.slice_box(source, begin, size))]
    return movement.Scene(
        name,
        [movement.given(source), movement.constant(*begin), movement.constant(*size)],
        outputs,
        lifetimes=full,
        relaxed=full,
    )


def _strided(
    name: str,
    source: Tensor,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int],
    *,
    masks: tuple[int, int, int] = (0, 0, 0),
    full: bool = False,
) -> movement.Scene:
    outputs = [movement.expected(oracle.strided_slice(source, begin, end, strides, masks))]
    inputs: movement.Inputs = [
        movement.given(source),
        movement.constant(*begin),
        movement.constant(*end),
        movement.constant(*strides),
        *map(str, masks),
    ]
    return movement.Scene(name, inputs, outputs, lifetimes=full, relaxed=full)


def _gather(name: str, source: Tensor, axis: int, places: Tensor, *, full: bool = False) -> movement.Scene:
    outputs = [movement.expected(oracle.gather(source, axis, places))]
    indices = movement.operand(places, INT32, role="Parameter" if full else "Input")
    return movement.Scene(name, [movement.given(source), str(axis), indices], outputs, lifetimes=full, relaxed=full)


def _top(name: str, source: Tensor, k: int, *, full: bool = False) -> movement.Scene:
    values, indices = oracle.topk(source, k)
    outputs = [movement.expected(values), movement.operand(indices, INT32, role="Output")]
    return movement.Scene(name, [movement.given(source), str(k)], outputs, lifetimes=full, relaxed=full)


def _places(*values: int, dims: tuple[int, ...] | None = None) -> Tensor:
    return Tensor(list(values), dims or (len(values),))


ROW, MATRIX, IMAGE = movement.numbers(1, 4), movement.numbers(2, 2, 3), movement.numbers(3, 2, 2, 3, 2)
"""Tensors that several examples share, of rank 1, 2 and 4."""
FREE = ("0", "0", "0")
"""Masks of STRIDED_SLICE that change nothing."""
SCENES: dict[O, list[movement.Scene]] = {
    O.SLICE: [
        _slice("box", MATRIX, (0, 1), (2, 2), full=True),
        _slice("rest", MATRIX, (1, 1), (-1, -1)),
        _slice("vector", ROW, (1,), (2,)),
        _slice("whole", MATRIX, (0, 0), (2, -1)),
        _slice("image", IMAGE, (1, 0, 1, 1), (1, 2, 2, 1)),
        _slice("rank_five", movement.numbers(4, 1, 2, 1, 3, 2), (0, 1, 0, 1, 0), (1, 1, -1, 2, 1)),
        movement.failing("negative_begin", [movement.given(ROW), movement.constant(-1), movement.constant(1)], 1),
        movement.failing("begin", [movement.given(ROW), movement.constant(5), movement.constant(-1)], 1),
        movement.failing("end", [movement.given(ROW), movement.constant(2), movement.constant(3)], 3),
        movement.failing(
            "one_beyond_end",
            [movement.given(ROW), movement.constant(2), movement.constant(len(ROW.values) - 1)],
            len(ROW.values) - 1,
        ),
        movement.failing("size", [movement.given(ROW), movement.constant(2), movement.constant(-2)], 1),
        movement.failing("length", [movement.given(MATRIX), movement.constant(0), movement.constant(1, 1)], 1, 1),
        movement.failing(
            "length_of_size", [movement.given(MATRIX), movement.constant(0, 0), movement.constant(1)], 1, 1
        ),
    ],
    O.STRIDED_SLICE: [
        _strided("box", MATRIX, (0, 1), (2, 3), (1, 1), full=True),
        _strided("steps", ROW, (0,), (4,), (2,)),
        _strided("steps_beyond", ROW, (1,), (9,), (2,)),
        _strided("negative_positions", ROW, (-3,), (-1,), (1,)),
        _strided("clamped", ROW, (-9,), (9,), (1,)),
        _strided("backwards", ROW, (3,), (0,), (-1,)),
        _strided("backwards_clamped", ROW, (9,), (-9,), (-2,)),
        _strided("backwards_through_first", ROW, (1,), (-5,), (-1,)),
        _strided("masks", MATRIX, (1, 2), (1, 1), (1, 1), masks=(1, 2, 0)),
        _strided("masks_backwards", MATRIX, (0, 0), (0, 0), (-1, -2), masks=(3, 3, 0)),
        _strided("shrink", MATRIX, (1, 0), (2, 3), (1, 1), masks=(0, 0, 1)),
        _strided("shrink_last", MATRIX, (0, -2), (2, -1), (1, 1), masks=(0, 0, 2)),
        _strided("shrink_all", MATRIX, (1, 1), (2, 2), (1, 1), masks=(0, 0, 3)),
        _strided("image", IMAGE, (0, 0, -1, 0), (2, 1, -4, 2), (1, 1, -2, 1), masks=(0, 0, 2)),
        movement.failing(
            "stride", [movement.given(ROW), movement.constant(0), movement.constant(2), movement.constant(0), *FREE], 2
        ),
        movement.failing(
            "shrink_size",
            [movement.given(ROW), movement.constant(0), movement.constant(2), movement.constant(1), "0", "0", "1"],
            1,
        ),
        movement.failing(
            "shrink_backwards",
            [movement.given(ROW), movement.constant(1), movement.constant(0), movement.constant(-1), "0", "0", "1"],
            1,
        ),
        movement.failing(
            "shrink_to_end",
            [movement.given(ROW), movement.constant(-1), movement.constant(0), movement.constant(1), "0", "0", "1"],
            1,
        ),
        movement.failing(
            "length",
            [movement.given(MATRIX), movement.constant(0), movement.constant(1, 1), movement.constant(1, 1), *FREE],
            1,
            1,
        ),
        movement.failing(
            "length_of_end",
            [movement.given(MATRIX), movement.constant(0, 0), movement.constant(1), movement.constant(1, 1), *FREE],
            1,
            1,
        ),
        movement.failing(
            "length_of_strides",
            [movement.given(MATRIX), movement.constant(0, 0), movement.constant(1, 1), movement.constant(1), *FREE],
            1,
            1,
        ),
    ],
    O.GATHER: [
        _gather("rows", MATRIX, 0, _places(1, 0), full=True),
        _gather("columns", MATRIX, 1, _places(2, 0, 2, 1)),
        _gather("negative_axis", IMAGE, -2, _places(2)),
        _gather("matrix_of_rows", MATRIX, 0, _places(0, 1, 1, 0, dims=(2, 2))),
        _gather("vector", ROW, 0, _places(3, 3, 1)),
        _gather("deep", movement.numbers(5, 2, 3, 1), 1, _places(2, 0, dims=(1, 2, 1))),
        movement.failing("index", [movement.given(MATRIX), "0", movement.constant(2)], 1, 3),
        movement.failing("negative_index", [movement.given(MATRIX), "0", movement.constant(-1)], 1, 3),
        movement.failing("index_beside_valid", [movement.given(MATRIX), "0", movement.constant(0, 2, 1)], 3, 3),
        movement.failing(
            "negative_index_beside_valid", [movement.given(MATRIX), "0", movement.constant(0, -1, 1)], 3, 3
        ),
        movement.failing("index_of_other_axis", [movement.given(MATRIX), "-2", movement.constant(0, 2)], 2, 3),
        movement.failing("axis", [movement.given(movement.numbers(2, 2, 2)), "2", movement.constant(0, 1)], 2, 2),
    ],
    O.TOPK_V2: [
        _top("rows", Tensor([3.0, 9.0, 5.0, -7.0, 8.0, 1.0], (2, 3)), 2, full=True),
        _top("all", Tensor([3.0, -9.0, 5.0, 11.0], (4,)), 4),
        _top("first", Tensor([3.0, 9.0, 5.0, 4.0], (1, 2, 2)), 1),
        _top("ties", Tensor([7.0, 3.0, 7.0, 3.0, 7.0, 7.0, 3.0, 3.0], (2, 4)), 3),
        _top("equal", Tensor([5.0] * 4, (4,)), 2),
        _top("image", movement.numbers(9, 1, 2, 1, 5), 3),
        *movement.exactly(_top("ties", Tensor([7.0, 3.0, 7.0, 3.0, 7.0, 7.0, 3.0, 3.0], (2, 4)), 3)),
        movement.failing_search("none", [movement.given(MATRIX), "0"], 2, 0),
        movement.failing_search("too_many", [movement.given(MATRIX), "4"], 2, 4),
    ],
}
"""Examples of slices and searches in float32, by operation."""


def _empty_slice() -> list[EmittedFile]:
    """Return slices of a tensor without elements, which have none; the output keeps its own quantisation."""
    return empty_files(
        "SLICE",
        "[0, 0, 0, 0]",
        "[-1, 2, -1, 2]",
        quantizations={Q8: ((0.1, 128), (0.1, 128)), Q8S: ((0.1, 0), (0.1, 0))},
    )


def _slicing_files() -> list[EmittedFile]:
    """Return all spec files of the family."""
    return [*movement.spec_files(SCENES), *_empty_slice()]


Pair = tuple[int, int]
"""Paddings before and behind a dimension."""


def _paddings(*pairs: Pair) -> SpecTensor:
    return movement.constant(*chain.from_iterable(pairs), dims=(len(pairs), 2))


def _pad(name: str, source: Tensor, *pairs: Pair, full: bool = False) -> movement.Scene:
    """Return paddings of unsigned codes with zero point 0, which the first level of the operation already takes."""
    outputs = [movement.expected(oracle.pad(source, pairs, 0.0))]
    return movement.Scene(
        name,
        [movement.given(source), _paddings(*pairs)],
        outputs,
        lifetimes=full,
        relaxed=full,
        quantizations={Q8: (0.25, 0), Q8S: (0.5, -20)},
    )


def _pad_codes(name: str, kind: T, zero_point: int, source: Tensor, *pairs: Pair, least: int = 3) -> movement.Scene:
    """Return codes with any zero point, which fills the border."""
    codes = Tensor([int(value) + 60 for value in source.values], source.dims)
    padded = oracle.pad(codes, pairs, zero_point)
    inputs = [movement.operand(codes, kind, 0.5, zero_point), _paddings(*pairs)]
    return movement.Scene(
        name, inputs, [movement.operand(padded, kind, 0.5, zero_point, "Output")], "zero_points", least, kinds=()
    )


def _pad_v2(name: str, source: Tensor, value: float, *pairs: Pair, full: bool = False) -> movement.Scene:
    inputs: movement.Inputs = [movement.given(source), _paddings(*pairs), repr(value)]
    outputs = [movement.expected(oracle.pad(source, pairs, value))]
    return movement.Scene(name, inputs, outputs, kinds=(F32, F16), lifetimes=full, relaxed=full)


def _pad_v2_codes(name: str, kind: T, value: int, *pairs: Pair, full: bool = False) -> movement.Scene:
    low = 0 if kind == Q8 else -128
    dims = (2, 3, 1, 2)[: len(pairs)]
    codes = Tensor([low + i for i in Source(len(name)).integers(0, 255, size_of(dims))], dims)
    inputs: movement.Inputs = [movement.operand(codes, kind, 0.5, low + 30), _paddings(*pairs), str(value)]
    output = movement.operand(oracle.pad(codes, pairs, value), kind, 0.5, low + 30, "Output")
    label = "quant8" if kind == Q8 else "quant8_signed"
    return movement.Scene(name, inputs, [output], label, 3 if kind == Q8 else 4, kinds=(), lifetimes=full)


def _mirror(name: str, source: Tensor, mode: int, *pairs: Pair, full: bool = False) -> movement.Scene:
    inputs: movement.Inputs = [movement.given(source), _paddings(*pairs), str(mode)]
    outputs = [movement.expected(oracle.mirror_pad(source, pairs, mode))]
    return movement.Scene(name, inputs, outputs, lifetimes=full, relaxed=full)


PADDING_ROW, PADDING_MATRIX, FIVE = (
    movement.numbers(1, 3),
    movement.numbers(2, 2, 3),
    movement.numbers(8, 1, 1, 1, 1, 2),
)
"""Tensors that the examples of paddings share, of rank 1, 2 and 5."""
PADDING_SCENES: dict[O, list[movement.Scene]] = {
    O.PAD: [
        _pad("matrix", PADDING_MATRIX, (1, 0), (0, 2), full=True),
        _pad("vector", PADDING_ROW, (2, 1)),
        _pad("nothing", PADDING_MATRIX, (0, 0), (0, 0)),
        _pad("image", movement.numbers(3, 1, 2, 2, 1), (0, 0), (1, 1), (1, 1), (0, 0)),
        _pad("all", movement.numbers(4, 1, 2, 1), (1, 1), (1, 0), (0, 2)),
        _pad_codes("middle", Q8, 100, PADDING_MATRIX, (1, 0), (0, 2)),
        _pad_codes("highest", Q8, 255, PADDING_ROW, (1, 1)),
        _pad_codes("one", Q8, 1, movement.numbers(5, 1, 2, 1, 2), (0, 1), (1, 0), (0, 0), (1, 1)),
        _pad_codes("signed_lowest", Q8S, -128, PADDING_ROW, (1, 1), least=4),
        _pad_codes("signed_zero", Q8S, 0, PADDING_MATRIX, (1, 0), (0, 2), least=4),
        _pad_codes("signed_highest", Q8S, 127, PADDING_ROW, (0, 2), least=4),
        movement.failing("negative", [movement.given(PADDING_ROW), _paddings((-1, 1))], 3),
        movement.failing("too_many", [movement.given(PADDING_ROW), _paddings((0, 0), (0, 0))], 3),
        movement.failing("not_pairs", [movement.given(PADDING_ROW), movement.constant(0, 0, 0, dims=(1, 3))], 3),
        movement.failing("rank_five", [movement.given(FIVE), _paddings(*[(0, 0)] * 5)], 1, 1, 1, 1, 2),
    ],
    O.PAD_V2: [
        _pad_v2("matrix", PADDING_MATRIX, 3.5, (1, 0), (0, 2), full=True),
        _pad_v2("vector", PADDING_ROW, -9.0, (2, 1)),
        _pad_v2("nothing", PADDING_MATRIX, 1.0, (0, 0), (0, 0)),
        _pad_v2("image", movement.numbers(3, 1, 2, 2, 1), 0.0, (0, 0), (1, 1), (1, 1), (0, 0)),
        _pad_v2_codes("matrix", Q8, 9, (1, 0), (0, 2), full=True),
        _pad_v2_codes("lowest", Q8, 0, (1, 1)),
        _pad_v2_codes("highest", Q8, 255, (0, 0), (1, 1), (0, 1), (1, 0)),
        _pad_v2_codes("matrix", Q8S, 9, (1, 0), (0, 2), full=True),
        _pad_v2_codes("lowest", Q8S, -128, (1, 1)),
        _pad_v2_codes("highest", Q8S, 127, (0, 0), (1, 1), (0, 1), (1, 0)),
        movement.failing("negative", [movement.given(PADDING_ROW), _paddings((1, -1)), "0.0"], 3),
        movement.failing("too_many", [movement.given(PADDING_ROW), _paddings((0, 0), (0, 0)), "0.0"], 3),
        movement.failing("rank_five", [movement.given(FIVE), _paddings(*[(0, 0)] * 5), "0.0"], 1, 1, 1, 1, 2),
    ],
    O.MIRROR_PAD: [
        _mirror("reflect_matrix", PADDING_MATRIX, 0, (1, 0), (2, 1), full=True),
        _mirror("symmetric_matrix", PADDING_MATRIX, 1, (2, 1), (0, 3)),
        _mirror("reflect_vector", PADDING_ROW, 0, (2, 2)),
        _mirror("symmetric_vector", PADDING_ROW, 1, (3, 3)),
        _mirror("reflect_nothing", PADDING_MATRIX, 0, (0, 0), (0, 0)),
        _mirror("symmetric_one", movement.numbers(5, 1), 1, (1, 1)),
        _mirror("reflect_image", movement.numbers(6, 1, 2, 3, 1), 0, (0, 0), (1, 1), (2, 0), (0, 0)),
        _mirror("symmetric_rank_five", movement.numbers(7, 1, 2, 1, 1, 2), 1, (1, 0), (0, 2), (0, 1), (0, 0), (1, 1)),
        movement.failing("reflect_beyond_axis", [movement.given(PADDING_ROW), _paddings((3, 0)), "0"], 6),
        movement.failing("symmetric_beyond_axis", [movement.given(PADDING_ROW), _paddings((0, 4)), "1"], 7),
        movement.failing("negative", [movement.given(PADDING_ROW), _paddings((-1, 0)), "1"], 2),
        movement.failing("mode", [movement.given(PADDING_ROW), _paddings((1, 0)), "2"], 4),
        movement.failing("too_many", [movement.given(PADDING_ROW), _paddings((0, 0), (0, 0)), "1"], 3),
        movement.failing("not_pairs", [movement.given(PADDING_ROW), movement.constant(0, 0, 0, dims=(1, 3)), "1"], 3),
    ],
}
"""Examples of paddings in float32, by operation."""


def _padding_files() -> list[EmittedFile]:
    """Return all spec files of the family."""
    return movement.spec_files(PADDING_SCENES)


def files() -> list[EmittedFile]:
    """Return all spec files of these families."""
    return [*_slicing_files(), *_padding_files()]
