"""Spec files of CONCATENATION, PACK, SPLIT, TILE, FILL and REVERSE.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/movement.py`` makes the files from
scenes, which are examples in float32. ``corpus/writing.py`` calls :func:`files`.
"""

from __future__ import annotations

from collections.abc import Sequence

from nnvet.generators.corpus import movement
from nnvet.generators.corpus.emitter import F32, INT32, Q8, Q8S, EmittedFile, Source
from nnvet.generators.corpus.empty import empty_files
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations import movement as oracle
from nnvet.oracle.operations.invocation import Tensor, size_of


def _join(name: str, axis: int, *sources: Tensor, full: bool = False) -> movement.Scene:
    outputs = [movement.expected(oracle.concatenation(sources, axis))]
    return movement.Scene(name, [*map(movement.given, sources), str(axis)], outputs, lifetimes=full, relaxed=full)


def _join_all_axes(name: str, axis: int, first: Tensor, second: Tensor) -> movement.Scene:
    """Return the same tensors with their axis moved to every place, and leading dimensions dropped."""
    inputs: movement.Inputs = [movement.given(first), movement.given(second), f'Int32Scalar("axis", {axis})']
    outputs = [movement.expected(oracle.concatenation([first, second], axis))]
    calls = ".AddAllDimsAndPositiveAxis(input0, input1, input2, output0)"
    return movement.Scene(name, inputs, outputs, "axes", calls=calls, kinds=(F32, Q8))


def _requantize(
    name: str, kind: T, sources: Sequence[tuple[list[int], float, int]], target: tuple[float, int]
) -> movement.Scene:
    """Return codes of several quantisations joined in another one."""
    lowest = 0 if kind == Q8 else -128
    tensors = [Tensor(codes, (len(codes),)) for codes, _, _ in sources]
    moved = [
        oracle.requantized(tensor, (scale, zero), target, lowest)
        for tensor, (_, scale, zero) in zip(tensors, sources, strict=True)
    ]
    inputs = [
        movement.operand(tensor, kind, scale, zero) for tensor, (_, scale, zero) in zip(tensors, sources, strict=True)
    ]
    output = movement.operand(oracle.concatenation(moved, 0), kind, *target, "Output")
    label = "quant8" if kind == Q8 else "quant8_signed"
    return movement.Scene(name, [*inputs, "0"], [output], f"requantized_{label}", 3 if kind == Q8 else 4, kinds=())


def _requantizations(kind: T) -> list[movement.Scene]:
    low = 0 if kind == Q8 else -128
    ramp = [low, low + 1, low + 100, low + 127, low + 128, low + 129, low + 254, low + 255]
    return [
        _requantize("coarser", kind, [(ramp, 0.5, low + 128), (ramp, 0.25, low + 10)], (1.0, low + 128)),
        _requantize("finer", kind, [(ramp, 0.5, low + 128), (ramp, 1.0, low + 128)], (0.125, low + 100)),
        _requantize("zero_points", kind, [(ramp, 0.5, low), (ramp, 0.5, low + 255)], (0.5, low + 128)),
        _requantize("target_ends", kind, [(ramp, 0.3, low + 77), (ramp, 0.7, low + 200)], (0.4, low + 255)),
        _requantize("one_kept", kind, [(ramp, 0.3, low + 77), (ramp, 0.7, low)], (0.7, low)),
    ]


def _pack(name: str, axis: int, *sources: Tensor, full: bool = False) -> movement.Scene:
    outputs = [movement.expected(oracle.pack(sources, axis))]
    return movement.Scene(name, [str(axis), *map(movement.given, sources)], outputs, lifetimes=full, relaxed=full)


def _split(name: str, source: Tensor, axis: int, parts: int, *, full: bool = False) -> movement.Scene:
    outputs = [movement.expected(part) for part in oracle.split(source, axis, parts)]
    return movement.Scene(name, [movement.given(source), str(axis), str(parts)], outputs, lifetimes=full, relaxed=full)


def _split_all_axes() -> movement.Scene:
    source = movement.numbers(9, 2, 2, 2, 2)
    outputs = [movement.expected(part) for part in oracle.split(source, 1, 2)]
    calls = ".AddAllAxis(input0, input1, output0, output1)"
    inputs: movement.Inputs = [movement.given(source), 'Int32Scalar("axis", 1)', "2"]
    return movement.Scene("every", inputs, outputs, "axes", calls=calls, kinds=(F32, INT32))


def _tile(name: str, source: Tensor, *multiples: int, full: bool = False) -> movement.Scene:
    outputs = [movement.expected(oracle.tile(source, multiples))]
    return movement.Scene(
        name, [movement.given(source), movement.constant(*multiples)], outputs, lifetimes=full, relaxed=full
    )


def _fill(name: str, value: float, *dims: int, argument: bool = False) -> movement.Scene:
    """Return tensors filled with one value; with ``argument`` the sizes are an input of the model."""
    sizes = movement.operand(Tensor(list(dims), (len(dims),)), INT32) if argument else movement.constant(*dims)
    output = movement.expected(Tensor([value] * size_of(dims), dims))
    return movement.Scene(name, [sizes, repr(value)], [output], lifetimes=not argument, relaxed=argument)


def _reverse(name: str, source: Tensor, axis: int, *, full: bool = False) -> movement.Scene:
    outputs = [movement.expected(oracle.reverse(source, axis))]
    return movement.Scene(
        name, [movement.given(source), movement.constant(axis)], outputs, lifetimes=full, relaxed=full
    )


ROW, PAIR, MATRIX = movement.numbers(1, 3), movement.numbers(1, 2), movement.numbers(2, 2, 3)
"""Tensors that several examples share, of rank 1, 1 and 2."""
SCENES: dict[O, list[movement.Scene]] = {
    O.CONCATENATION: [
        _join("rows", 0, movement.numbers(1, 2, 3), movement.numbers(2, 1, 3), full=True),
        _join("columns", 1, movement.numbers(3, 2, 1), movement.numbers(4, 2, 2), movement.numbers(5, 2, 1)),
        _join("alone", 0, movement.numbers(6, 2, 2)),
        _join("vectors", 0, movement.numbers(7, 1), movement.numbers(8, 3)),
        _join("batches", 0, movement.numbers(9, 1, 2, 1, 2), movement.numbers(10, 2, 2, 1, 2)),
        _join("channels", 3, movement.numbers(11, 1, 2, 1, 2), movement.numbers(12, 1, 2, 1, 1)),
        _join("many", 1, *(movement.numbers(seed, 2, 1) for seed in range(20, 28))),
        _join_all_axes("every", 3, movement.numbers(13, 1, 2, 2, 1), movement.numbers(14, 1, 2, 2, 3)),
        *_requantizations(Q8),
        *_requantizations(Q8S),
        movement.failing("negative_axis", [movement.given(MATRIX), movement.given(MATRIX), "-1"], 2, 6),
        movement.failing("axis", [movement.given(MATRIX), movement.given(MATRIX), "2"], 2, 6),
        movement.failing("sizes", [movement.given(MATRIX), movement.given(movement.numbers(3, 1, 3)), "1"], 2, 6),
        movement.failing("ranks", [movement.given(MATRIX), movement.given(ROW), "0"], 3, 3),
    ],
    O.PACK: [
        _pack("front", 0, movement.numbers(1, 3), movement.numbers(2, 3), full=True),
        _pack("back", 1, movement.numbers(3, 3), movement.numbers(4, 3)),
        _pack("alone", 1, movement.numbers(5, 2, 2)),
        _pack("middle", 1, movement.numbers(6, 2, 3), movement.numbers(7, 2, 3), movement.numbers(8, 2, 3)),
        _pack("to_rank_five", 4, movement.numbers(9, 1, 2, 1, 2), movement.numbers(10, 1, 2, 1, 2)),
        movement.failing("negative_axis", ["-1", movement.given(PAIR), movement.given(PAIR)], 2, 2),
        movement.failing("axis", ["2", movement.given(PAIR), movement.given(PAIR)], 2, 2),
        movement.failing("sizes", ["0", movement.given(ROW), movement.given(movement.numbers(5, 4))], 2, 3),
    ],
    O.SPLIT: [
        _split("rows", movement.numbers(1, 4, 2), 0, 2, full=True),
        _split("columns", movement.numbers(2, 2, 3), 1, 3),
        _split("negative", movement.numbers(3, 2, 1, 4), -1, 2),
        _split("one", movement.numbers(4, 2, 2), 0, 1),
        _split("vector", movement.numbers(5, 6), -1, 6),
        _split("rank_five", movement.numbers(6, 1, 2, 1, 2, 2), 3, 2),
        _split_all_axes(),
        movement.failing("divides", [movement.given(movement.numbers(7, 3)), "0", "2"], 1, outputs=2),
        movement.failing("outputs", [movement.given(movement.numbers(8, 4)), "0", "4"], 1, outputs=2),
        movement.failing("axis", [movement.given(movement.numbers(9, 4)), "1", "2"], 2, outputs=2),
    ],
    O.TILE: [
        _tile("matrix", movement.numbers(1, 2, 3), 2, 1, full=True),
        _tile("vector", movement.numbers(2, 3), 3),
        _tile("all", movement.numbers(3, 1, 2, 1), 2, 3, 2),
        _tile("once", movement.numbers(4, 2, 2), 1, 1),
        _tile("rank_five", movement.numbers(5, 1, 2, 1, 1, 2), 1, 2, 1, 3, 1),
        movement.failing("no_repetitions", [movement.given(MATRIX), movement.constant(2, 0)], 4, 0),
        movement.failing("negative", [movement.given(MATRIX), movement.constant(-1, 2)], 2, 6),
        movement.failing("length", [movement.given(MATRIX), movement.constant(2)], 4, 3),
    ],
    O.FILL: [
        _fill("vector", 5.0, 3),
        _fill("matrix", -7.0, 2, 3, argument=True),
        _fill("rank_five", 3.0, 1, 2, 1, 2, 1),
        _fill("one", 0.0, 1, argument=True),
        _fill("nothing", 2.0, 2, 0),
        movement.failing("negative", [movement.constant(2, -1), "1.0"], 2, 1),
    ],
    O.REVERSE: [
        _reverse("rows", movement.numbers(1, 3, 2), 0, full=True),
        _reverse("columns", movement.numbers(2, 2, 3), 1),
        _reverse("vector", movement.numbers(3, 5), 0),
        _reverse("one", movement.numbers(4, 1, 2), 0),
        _reverse("rank_five", movement.numbers(5, 1, 2, 3, 1, 2), 2),
        _reverse("rank_eight", movement.numbers(6, 1, 2, 1, 1, 2, 1, 1, 2), 7),
        movement.failing("negative_axis", [movement.given(MATRIX), movement.constant(-1)], 2, 3),
        movement.failing("axis", [movement.given(MATRIX), movement.constant(2)], 2, 3),
    ],
}
"""Examples in float32 by operation."""


def _empty_concatenation() -> list[EmittedFile]:
    """Return the concatenation of a single tensor without elements, which gives another one."""
    return empty_files("CONCATENATION", "0", quantizations={Q8: ((0.1, 128), (0.2, 100)), Q8S: ((0.1, 0), (0.2, 3))})


RANDOM_SCALES = {
    "three_times_coarser": (0.1, 0.3),
    "three_times_finer": (0.3, 0.1),
    "slightly_finer": (1.5, 1.4),
    "slightly_coarser": (0.02, 0.021),
}
"""Scales of input and output."""


def _random_codes() -> list[EmittedFile]:
    """Return requantised random codes of both types, for every pair of scales."""
    built = []
    for kind in (Q8, Q8S):
        low = 0 if kind == Q8 else -128
        source = Source(17)
        scenes = []
        for name, (scale, target) in RANDOM_SCALES.items():
            zeros = [low + i for i in source.integers(0, 255, 2)]
            codes = [low + i for i in source.integers(0, 255, 12)]
            scenes.append(_requantize(name, kind, [(codes, scale, zeros[0])], (target, zeros[1])))
        built += movement.spec_files({O.CONCATENATION: scenes})
    for file in built:
        file.name += "_random"
    return built


def files() -> list[EmittedFile]:
    """Return all spec files of the family."""
    return [*movement.spec_files(SCENES), *_empty_concatenation(), *_random_codes()]
