"""Spec files of CONCATENATION, PACK, SPLIT, TILE, FILL and REVERSE."""

from __future__ import annotations

from collections.abc import Sequence

from nnvet.generators.corpus.emitter import F32, INT32, Q8, Q8S, EmittedFile, Source
from nnvet.generators.corpus.empty import empty_files
from nnvet.generators.corpus.movement import (
    Inputs,
    Scene,
    constant,
    expected,
    failing,
    given,
    numbers,
    operand,
    spec_files,
)
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations import movement as oracle
from nnvet.oracle.operations.invocation import Tensor, size_of


def _join(name: str, axis: int, *sources: Tensor, full: bool = False) -> Scene:
    outputs = [expected(oracle.concatenation(sources, axis))]
    return Scene(name, [*map(given, sources), str(axis)], outputs, lifetimes=full, relaxed=full)


def _join_all_axes(name: str, axis: int, first: Tensor, second: Tensor) -> Scene:
    """Return the same tensors with their axis moved to every place, and leading dimensions dropped."""
    inputs: Inputs = [given(first), given(second), f'Int32Scalar("axis", {axis})']
    outputs = [expected(oracle.concatenation([first, second], axis))]
    calls = ".AddAllDimsAndPositiveAxis(input0, input1, input2, output0)"
    return Scene(name, inputs, outputs, "axes", calls=calls, kinds=(F32, Q8))


def _requantize(
    name: str, kind: T, sources: Sequence[tuple[list[int], float, int]], target: tuple[float, int]
) -> Scene:
    """Return codes of several quantisations joined in another one."""
    lowest = 0 if kind == Q8 else -128
    tensors = [Tensor(codes, (len(codes),)) for codes, _, _ in sources]
    moved = [
        oracle.requantized(tensor, (scale, zero), target, lowest)
        for tensor, (_, scale, zero) in zip(tensors, sources, strict=True)
    ]
    inputs = [operand(tensor, kind, scale, zero) for tensor, (_, scale, zero) in zip(tensors, sources, strict=True)]
    output = operand(oracle.concatenation(moved, 0), kind, *target, "Output")
    label = "quant8" if kind == Q8 else "quant8_signed"
    return Scene(name, [*inputs, "0"], [output], f"requantized_{label}", 3 if kind == Q8 else 4, kinds=())


def _requantizations(kind: T) -> list[Scene]:
    low = 0 if kind == Q8 else -128
    ramp = [low, low + 1, low + 100, low + 127, low + 128, low + 129, low + 254, low + 255]
    return [
        _requantize("coarser", kind, [(ramp, 0.5, low + 128), (ramp, 0.25, low + 10)], (1.0, low + 128)),
        _requantize("finer", kind, [(ramp, 0.5, low + 128), (ramp, 1.0, low + 128)], (0.125, low + 100)),
        _requantize("zero_points", kind, [(ramp, 0.5, low), (ramp, 0.5, low + 255)], (0.5, low + 128)),
        _requantize("target_ends", kind, [(ramp, 0.3, low + 77), (ramp, 0.7, low + 200)], (0.4, low + 255)),
        _requantize("one_kept", kind, [(ramp, 0.3, low + 77), (ramp, 0.7, low)], (0.7, low)),
    ]


def _pack(name: str, axis: int, *sources: Tensor, full: bool = False) -> Scene:
    outputs = [expected(oracle.pack(sources, axis))]
    return Scene(name, [str(axis), *map(given, sources)], outputs, lifetimes=full, relaxed=full)


def _split(name: str, source: Tensor, axis: int, parts: int, *, full: bool = False) -> Scene:
    outputs = [expected(part) for part in oracle.split(source, axis, parts)]
    return Scene(name, [given(source), str(axis), str(parts)], outputs, lifetimes=full, relaxed=full)


def _split_all_axes() -> Scene:
    source = numbers(9, 2, 2, 2, 2)
    outputs = [expected(part) for part in oracle.split(source, 1, 2)]
    calls = ".AddAllAxis(input0, input1, output0, output1)"
    inputs: Inputs = [given(source), 'Int32Scalar("axis", 1)', "2"]
    return Scene("every", inputs, outputs, "axes", calls=calls, kinds=(F32, INT32))


def _tile(name: str, source: Tensor, *multiples: int, full: bool = False) -> Scene:
    outputs = [expected(oracle.tile(source, multiples))]
    return Scene(name, [given(source), constant(*multiples)], outputs, lifetimes=full, relaxed=full)


def _fill(name: str, value: float, *dims: int, argument: bool = False) -> Scene:
    """Return tensors filled with one value; with ``argument`` the sizes are an input of the model."""
    sizes = operand(Tensor(list(dims), (len(dims),)), INT32) if argument else constant(*dims)
    output = expected(Tensor([value] * size_of(dims), dims))
    return Scene(name, [sizes, repr(value)], [output], lifetimes=not argument, relaxed=argument)


def _reverse(name: str, source: Tensor, axis: int, *, full: bool = False) -> Scene:
    outputs = [expected(oracle.reverse(source, axis))]
    return Scene(name, [given(source), constant(axis)], outputs, lifetimes=full, relaxed=full)


ROW, PAIR, MATRIX = numbers(1, 3), numbers(1, 2), numbers(2, 2, 3)
SCENES: dict[O, list[Scene]] = {
    O.CONCATENATION: [
        _join("rows", 0, numbers(1, 2, 3), numbers(2, 1, 3), full=True),
        _join("columns", 1, numbers(3, 2, 1), numbers(4, 2, 2), numbers(5, 2, 1)),
        _join("alone", 0, numbers(6, 2, 2)),
        _join("vectors", 0, numbers(7, 1), numbers(8, 3)),
        _join("batches", 0, numbers(9, 1, 2, 1, 2), numbers(10, 2, 2, 1, 2)),
        _join("channels", 3, numbers(11, 1, 2, 1, 2), numbers(12, 1, 2, 1, 1)),
        _join("many", 1, *(numbers(seed, 2, 1) for seed in range(20, 28))),
        _join_all_axes("every", 3, numbers(13, 1, 2, 2, 1), numbers(14, 1, 2, 2, 3)),
        *_requantizations(Q8),
        *_requantizations(Q8S),
        failing("negative_axis", [given(MATRIX), given(MATRIX), "-1"], 2, 6),
        failing("axis", [given(MATRIX), given(MATRIX), "2"], 2, 6),
        failing("sizes", [given(MATRIX), given(numbers(3, 1, 3)), "1"], 2, 6),
        failing("ranks", [given(MATRIX), given(ROW), "0"], 3, 3),
    ],
    O.PACK: [
        _pack("front", 0, numbers(1, 3), numbers(2, 3), full=True),
        _pack("back", 1, numbers(3, 3), numbers(4, 3)),
        _pack("alone", 1, numbers(5, 2, 2)),
        _pack("middle", 1, numbers(6, 2, 3), numbers(7, 2, 3), numbers(8, 2, 3)),
        _pack("to_rank_five", 4, numbers(9, 1, 2, 1, 2), numbers(10, 1, 2, 1, 2)),
        failing("negative_axis", ["-1", given(PAIR), given(PAIR)], 2, 2),
        failing("axis", ["2", given(PAIR), given(PAIR)], 2, 2),
        failing("sizes", ["0", given(ROW), given(numbers(5, 4))], 2, 3),
    ],
    O.SPLIT: [
        _split("rows", numbers(1, 4, 2), 0, 2, full=True),
        _split("columns", numbers(2, 2, 3), 1, 3),
        _split("negative", numbers(3, 2, 1, 4), -1, 2),
        _split("one", numbers(4, 2, 2), 0, 1),
        _split("vector", numbers(5, 6), -1, 6),
        _split("rank_five", numbers(6, 1, 2, 1, 2, 2), 3, 2),
        _split_all_axes(),
        failing("divides", [given(numbers(7, 3)), "0", "2"], 1, outputs=2),
        failing("outputs", [given(numbers(8, 4)), "0", "4"], 1, outputs=2),
        failing("axis", [given(numbers(9, 4)), "1", "2"], 2, outputs=2),
    ],
    O.TILE: [
        _tile("matrix", numbers(1, 2, 3), 2, 1, full=True),
        _tile("vector", numbers(2, 3), 3),
        _tile("all", numbers(3, 1, 2, 1), 2, 3, 2),
        _tile("once", numbers(4, 2, 2), 1, 1),
        _tile("rank_five", numbers(5, 1, 2, 1, 1, 2), 1, 2, 1, 3, 1),
        failing("no_repetitions", [given(MATRIX), constant(2, 0)], 4, 0),
        failing("negative", [given(MATRIX), constant(-1, 2)], 2, 6),
        failing("length", [given(MATRIX), constant(2)], 4, 3),
    ],
    O.FILL: [
        _fill("vector", 5.0, 3),
        _fill("matrix", -7.0, 2, 3, argument=True),
        _fill("rank_five", 3.0, 1, 2, 1, 2, 1),
        _fill("one", 0.0, 1, argument=True),
        _fill("nothing", 2.0, 2, 0),
        failing("negative", [constant(2, -1), "1.0"], 2, 1),
    ],
    O.REVERSE: [
        _reverse("rows", numbers(1, 3, 2), 0, full=True),
        _reverse("columns", numbers(2, 2, 3), 1),
        _reverse("vector", numbers(3, 5), 0),
        _reverse("one", numbers(4, 1, 2), 0),
        _reverse("rank_five", numbers(5, 1, 2, 3, 1, 2), 2),
        _reverse("rank_eight", numbers(6, 1, 2, 1, 1, 2, 1, 1, 2), 7),
        failing("negative_axis", [given(MATRIX), constant(-1)], 2, 3),
        failing("axis", [given(MATRIX), constant(2)], 2, 3),
    ],
}


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
        built += spec_files({O.CONCATENATION: scenes})
    for file in built:
        file.name += "_random"
    return built


def files() -> list[EmittedFile]:
    """Return all spec files of the family."""
    return [*spec_files(SCENES), *_empty_concatenation(), *_random_codes()]
