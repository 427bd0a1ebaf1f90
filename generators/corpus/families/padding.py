"""Spec files of PAD, PAD_V2 and MIRROR_PAD."""

from __future__ import annotations

from itertools import chain

from nnvet.generators.corpus.emitter import F16, F32, Q8, Q8S, EmittedFile, Source, SpecTensor
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

Pair = tuple[int, int]


def _paddings(*pairs: Pair) -> SpecTensor:
    return constant(*chain.from_iterable(pairs), dims=(len(pairs), 2))


def _pad(name: str, source: Tensor, *pairs: Pair, full: bool = False) -> Scene:
    """Return paddings of unsigned codes with zero point 0, which the first level of the operation already takes."""
    outputs = [expected(oracle.pad(source, pairs, 0.0))]
    return Scene(
        name,
        [given(source), _paddings(*pairs)],
        outputs,
        lifetimes=full,
        relaxed=full,
        quantizations={Q8: (0.25, 0), Q8S: (0.5, -20)},
    )


def _pad_codes(name: str, kind: T, zero_point: int, source: Tensor, *pairs: Pair, least: int = 3) -> Scene:
    """Return codes with any zero point, which fills the border."""
    codes = Tensor([int(value) + 60 for value in source.values], source.dims)
    padded = oracle.pad(codes, pairs, zero_point)
    inputs = [operand(codes, kind, 0.5, zero_point), _paddings(*pairs)]
    return Scene(name, inputs, [operand(padded, kind, 0.5, zero_point, "Output")], "zero_points", least, kinds=())


def _pad_v2(name: str, source: Tensor, value: float, *pairs: Pair, full: bool = False) -> Scene:
    inputs: Inputs = [given(source), _paddings(*pairs), repr(value)]
    outputs = [expected(oracle.pad(source, pairs, value))]
    return Scene(name, inputs, outputs, kinds=(F32, F16), lifetimes=full, relaxed=full)


def _pad_v2_codes(name: str, kind: T, value: int, *pairs: Pair, full: bool = False) -> Scene:
    low = 0 if kind == Q8 else -128
    dims = (2, 3, 1, 2)[: len(pairs)]
    codes = Tensor([low + i for i in Source(len(name)).integers(0, 255, size_of(dims))], dims)
    inputs: Inputs = [operand(codes, kind, 0.5, low + 30), _paddings(*pairs), str(value)]
    output = operand(oracle.pad(codes, pairs, value), kind, 0.5, low + 30, "Output")
    label = "quant8" if kind == Q8 else "quant8_signed"
    return Scene(name, inputs, [output], label, 3 if kind == Q8 else 4, kinds=(), lifetimes=full)


def _mirror(name: str, source: Tensor, mode: int, *pairs: Pair, full: bool = False) -> Scene:
    inputs: Inputs = [given(source), _paddings(*pairs), str(mode)]
    outputs = [expected(oracle.mirror_pad(source, pairs, mode))]
    return Scene(name, inputs, outputs, lifetimes=full, relaxed=full)


ROW, MATRIX, FIVE = numbers(1, 3), numbers(2, 2, 3), numbers(8, 1, 1, 1, 1, 2)
SCENES: dict[O, list[Scene]] = {
    O.PAD: [
        _pad("matrix", MATRIX, (1, 0), (0, 2), full=True),
        _pad("vector", ROW, (2, 1)),
        _pad("nothing", MATRIX, (0, 0), (0, 0)),
        _pad("image", numbers(3, 1, 2, 2, 1), (0, 0), (1, 1), (1, 1), (0, 0)),
        _pad("all", numbers(4, 1, 2, 1), (1, 1), (1, 0), (0, 2)),
        _pad_codes("middle", Q8, 100, MATRIX, (1, 0), (0, 2)),
        _pad_codes("highest", Q8, 255, ROW, (1, 1)),
        _pad_codes("one", Q8, 1, numbers(5, 1, 2, 1, 2), (0, 1), (1, 0), (0, 0), (1, 1)),
        _pad_codes("signed_lowest", Q8S, -128, ROW, (1, 1), least=4),
        _pad_codes("signed_zero", Q8S, 0, MATRIX, (1, 0), (0, 2), least=4),
        _pad_codes("signed_highest", Q8S, 127, ROW, (0, 2), least=4),
        failing("negative", [given(ROW), _paddings((-1, 1))], 3),
        failing("too_many", [given(ROW), _paddings((0, 0), (0, 0))], 3),
        failing("not_pairs", [given(ROW), constant(0, 0, 0, dims=(1, 3))], 3),
        failing("rank_five", [given(FIVE), _paddings(*[(0, 0)] * 5)], 1, 1, 1, 1, 2),
    ],
    O.PAD_V2: [
        _pad_v2("matrix", MATRIX, 3.5, (1, 0), (0, 2), full=True),
        _pad_v2("vector", ROW, -9.0, (2, 1)),
        _pad_v2("nothing", MATRIX, 1.0, (0, 0), (0, 0)),
        _pad_v2("image", numbers(3, 1, 2, 2, 1), 0.0, (0, 0), (1, 1), (1, 1), (0, 0)),
        _pad_v2_codes("matrix", Q8, 9, (1, 0), (0, 2), full=True),
        _pad_v2_codes("lowest", Q8, 0, (1, 1)),
        _pad_v2_codes("highest", Q8, 255, (0, 0), (1, 1), (0, 1), (1, 0)),
        _pad_v2_codes("matrix", Q8S, 9, (1, 0), (0, 2), full=True),
        _pad_v2_codes("lowest", Q8S, -128, (1, 1)),
        _pad_v2_codes("highest", Q8S, 127, (0, 0), (1, 1), (0, 1), (1, 0)),
        failing("negative", [given(ROW), _paddings((1, -1)), "0.0"], 3),
        failing("too_many", [given(ROW), _paddings((0, 0), (0, 0)), "0.0"], 3),
        failing("rank_five", [given(FIVE), _paddings(*[(0, 0)] * 5), "0.0"], 1, 1, 1, 1, 2),
    ],
    O.MIRROR_PAD: [
        _mirror("reflect_matrix", MATRIX, 0, (1, 0), (2, 1), full=True),
        _mirror("symmetric_matrix", MATRIX, 1, (2, 1), (0, 3)),
        _mirror("reflect_vector", ROW, 0, (2, 2)),
        _mirror("symmetric_vector", ROW, 1, (3, 3)),
        _mirror("reflect_nothing", MATRIX, 0, (0, 0), (0, 0)),
        _mirror("symmetric_one", numbers(5, 1), 1, (1, 1)),
        _mirror("reflect_image", numbers(6, 1, 2, 3, 1), 0, (0, 0), (1, 1), (2, 0), (0, 0)),
        _mirror("symmetric_rank_five", numbers(7, 1, 2, 1, 1, 2), 1, (1, 0), (0, 2), (0, 1), (0, 0), (1, 1)),
        failing("reflect_beyond_axis", [given(ROW), _paddings((3, 0)), "0"], 6),
        failing("symmetric_beyond_axis", [given(ROW), _paddings((0, 4)), "1"], 7),
        failing("negative", [given(ROW), _paddings((-1, 0)), "1"], 2),
        failing("mode", [given(ROW), _paddings((1, 0)), "2"], 4),
        failing("too_many", [given(ROW), _paddings((0, 0), (0, 0)), "1"], 3),
        failing("not_pairs", [given(ROW), constant(0, 0, 0, dims=(1, 3)), "1"], 3),
    ],
}


def files() -> list[EmittedFile]:
    """Return all spec files of the family."""
    return spec_files(SCENES)
