"""Spec files of the operations on blocks of cells, and of CHANNEL_SHUFFLE."""

from __future__ import annotations

from nnvet.generators.corpus.emitter import F32, Q8, Q8S, EmittedFile, Operand
from nnvet.generators.corpus.movement import (
    Inputs,
    Scene,
    constant,
    expected,
    failing,
    given,
    numbers,
    spec_files,
)
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations import movement as oracle
from nnvet.oracle.operations.invocation import Tensor

Pair = tuple[int, int]
LAYOUT = 'BoolScalar("layout", False)'


def _scenes(name: str, parameters: list[Operand], source: Tensor, result: Tensor, *, full: bool) -> list[Scene]:
    """Return the example without the layout flag, and with it in both layouts."""
    inputs: Inputs = [given(source), *parameters]
    flagged = Scene(
        name,
        [*inputs, LAYOUT],
        [expected(result)],
        "layout",
        3,
        calls=f".AddNchw(input0, input{len(inputs)}, output0)",
        quantizations={Q8: (0.5, 100), Q8S: (0.5, 127)},
    )
    # Zero point 0 is what the oldest level pads.
    plain = Scene(
        name,
        inputs,
        [expected(result)],
        lifetimes=full,
        relaxed=full,
        quantizations={Q8: (0.25, 0), Q8S: (0.5, -20)},
    )
    return [plain, flagged]


def _depth_to_space(name: str, source: Tensor, block: int, *, full: bool = False) -> list[Scene]:
    return _scenes(name, [str(block)], source, oracle.depth_to_space(source, block), full=full)


def _space_to_depth(name: str, source: Tensor, block: int, *, full: bool = False) -> list[Scene]:
    return _scenes(name, [str(block)], source, oracle.space_to_depth(source, block), full=full)


def _batch_to_space(name: str, source: Tensor, height: int, width: int, *, full: bool = False) -> list[Scene]:
    result = oracle.batch_to_space(source, height, width)
    return _scenes(name, [constant(height, width)], source, result, full=full)


def _space_to_batch(name: str, source: Tensor, block: Pair, *paddings: Pair, full: bool = False) -> list[Scene]:
    vertical, horizontal = paddings or ((0, 0), (0, 0))
    result = oracle.space_to_batch(source, *block, (vertical, horizontal), 0.0)
    parameters: list[Operand] = [constant(*block), constant(*vertical, *horizontal, dims=(2, 2))]
    return _scenes(name, parameters, source, result, full=full)


def _shuffle(name: str, source: Tensor, groups: int, axis: int, *, full: bool = False) -> Scene:
    outputs = [expected(oracle.channel_shuffle(source, groups, axis))]
    return Scene(name, [given(source), str(groups), str(axis)], outputs, lifetimes=full, relaxed=full)


def _shuffle_all_axes() -> Scene:
    source = numbers(9, 1, 2, 1, 6)
    outputs = [expected(oracle.channel_shuffle(source, 3, 3))]
    inputs: Inputs = [given(source), "3", 'Int32Scalar("axis", 3)']
    calls = ".AddAllDimsAndAxis(input0, input2, output0)"
    return Scene("every", inputs, outputs, "axes", calls=calls, kinds=(F32, Q8))


IMAGE = numbers(1, 4, 2, 2, 4)
NO_PADDING = constant(0, 0, 0, 0, dims=(2, 2))
SCENES: dict[O, list[Scene]] = {
    O.DEPTH_TO_SPACE: [
        *_depth_to_space("cells", numbers(1, 1, 2, 1, 8), 2, full=True),
        *_depth_to_space("one", numbers(2, 2, 1, 2, 3), 1),
        *_depth_to_space("three", numbers(3, 1, 1, 1, 9), 3),
        *_depth_to_space("grid", numbers(31, 1, 2, 3, 8), 2),
        failing("divides", [given(numbers(4, 1, 1, 1, 6)), "2"], 1, 2, 2, 1),
        failing("block", [given(numbers(5, 1, 1, 1, 4)), "0"], 1, 1, 1, 4),
        failing("negative_block", [given(numbers(5, 1, 1, 1, 4)), "-2"], 1, 2, 2, 1),
    ],
    O.SPACE_TO_DEPTH: [
        *_space_to_depth("cells", numbers(6, 1, 4, 2, 2), 2, full=True),
        *_space_to_depth("one", numbers(7, 2, 1, 2, 3), 1),
        *_space_to_depth("three", numbers(8, 1, 3, 3, 1), 3),
        *_space_to_depth("grid", numbers(32, 1, 4, 6, 2), 2),
        failing("divides", [given(numbers(9, 1, 3, 2, 1)), "2"], 1, 1, 1, 4),
        failing("block", [given(numbers(10, 1, 2, 2, 1)), "-1"], 1, 2, 2, 1),
        failing("no_block", [given(numbers(10, 1, 2, 2, 1)), "0"], 1, 2, 2, 1),
    ],
    O.BATCH_TO_SPACE_ND: [
        *_batch_to_space("square", numbers(11, 4, 1, 2, 1), 2, 2, full=True),
        *_batch_to_space("wide", numbers(12, 6, 1, 1, 2), 1, 3),
        *_batch_to_space("tall", numbers(13, 4, 2, 1, 1), 2, 1),
        *_batch_to_space("one", numbers(14, 2, 1, 2, 1), 1, 1),
        *_batch_to_space("grid", numbers(33, 12, 2, 1, 2), 2, 3),
        failing("divides", [given(IMAGE), constant(3, 1)], 1, 6, 2, 4),
        failing("length", [given(IMAGE), constant(2)], 2, 4, 2, 4),
        failing("no_block", [given(IMAGE), constant(0, 1)], 4, 2, 2, 4),
        failing("negative_blocks", [given(IMAGE), constant(-2, -2)], 1, 4, 4, 4),
    ],
    O.SPACE_TO_BATCH_ND: [
        *_space_to_batch("square", numbers(15, 1, 2, 4, 1), (2, 2), full=True),
        *_space_to_batch("wide", numbers(16, 2, 1, 3, 1), (1, 3)),
        *_space_to_batch("padded", numbers(17, 1, 2, 3, 1), (3, 2), (1, 0), (2, 1)),
        *_space_to_batch("tall_padded", numbers(18, 1, 1, 2, 2), (2, 1), (0, 3), (1, 1)),
        *_space_to_batch("grid", numbers(34, 2, 4, 3, 2), (2, 3)),
        failing("divides", [given(IMAGE), constant(3, 1), constant(0, 2, 0, 0, dims=(2, 2))], 12, 1, 2, 4),
        failing("length", [given(IMAGE), constant(2, 1, 1), NO_PADDING], 8, 1, 2, 4),
        failing("paddings", [given(IMAGE), constant(2, 1), constant(0, 0, dims=(1, 2))], 8, 1, 2, 4),
        failing("negative_padding", [given(IMAGE), constant(1, 1), constant(-1, 0, 0, 0, dims=(2, 2))], 4, 1, 2, 4),
        failing("no_block", [given(IMAGE), constant(1, 0), NO_PADDING], 4, 2, 2, 4),
    ],
    O.CHANNEL_SHUFFLE: [
        _shuffle("image", numbers(19, 1, 2, 1, 6), 2, 3, full=True),
        _shuffle("vector", numbers(20, 6), 3, 0),
        _shuffle("one_group", numbers(21, 2, 3), 1, -1),
        _shuffle("one_each", numbers(22, 2, 3), 3, 1),
        _shuffle_all_axes(),
        failing("groups", [given(numbers(23, 4)), "3", "0"], 4),
        failing("no_groups", [given(numbers(24, 4)), "0", "0"], 4),
        failing("axis", [given(numbers(25, 4)), "2", "1"], 4),
    ],
}


def files() -> list[EmittedFile]:
    """Return all spec files of the family."""
    return spec_files(SCENES)
