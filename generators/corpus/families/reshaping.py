"""Spec files of RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE, RANK, of blocks of cells, and of CHANNEL_SHUFFLE.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/movement.py`` makes the files from
scenes, which are examples in float32. ``corpus/writing.py`` calls :func:`files`.
"""

from __future__ import annotations

from collections.abc import Sequence

from nnvet.generators.corpus import emitter, movement
from nnvet.generators.corpus.emitter import result
from nnvet.generators.corpus.empty import empty_files
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations import movement as oracle
from nnvet.oracle.operations.invocation import Tensor

NO_LIST = movement.operand(Tensor([], (0,)), emitter.INT32, role="Omitted")
"""The omitted list of dimensions."""
EMPTY_LIST = movement.operand(Tensor([], (0,)), emitter.INT32)
"""A list of dimensions without elements."""


def _reshape(name: str, source: Tensor, *shape: int, full: bool = False) -> movement.Scene:
    outputs = [movement.expected(oracle.reshape(source, shape))]
    return movement.Scene(
        name, [movement.given(source), movement.constant(*shape)], outputs, lifetimes=full, relaxed=full
    )


def _squeeze(name: str, source: Tensor, *dims: int, full: bool = False) -> movement.Scene:
    outputs = [movement.expected(oracle.squeeze(source, dims))]
    return movement.Scene(
        name, [movement.given(source), movement.constant(*dims)], outputs, lifetimes=full, relaxed=full
    )


def _squeeze_all(name: str, source: Tensor, missing: emitter.SpecTensor) -> movement.Scene:
    return movement.Scene(
        name, [movement.given(source), missing], [movement.expected(oracle.squeeze(source, None))], "omitted_dims"
    )


def _expand(name: str, source: Tensor, axis: int, *, full: bool = False) -> movement.Scene:
    outputs = [movement.expected(oracle.expand_dims(source, axis))]
    return movement.Scene(name, [movement.given(source), str(axis)], outputs, lifetimes=full, relaxed=full)


def _transpose(name: str, source: Tensor, perm: Sequence[int], *, full: bool = False) -> movement.Scene:
    outputs = [movement.expected(oracle.transpose(source, perm))]
    return movement.Scene(
        name, [movement.given(source), movement.constant(*perm)], outputs, lifetimes=full, relaxed=full
    )


def _transpose_matrix(name: str, source: Tensor, missing: emitter.SpecTensor) -> movement.Scene:
    return movement.Scene(
        name, [movement.given(source), missing], [movement.expected(oracle.transpose(source, None))], "omitted_perm"
    )


def _rank(name: str, *dims: int, full: bool = False) -> movement.Scene:
    output = movement.operand(Tensor([len(dims)], ()), T.INT32, role="Output")
    kinds = (emitter.F32, emitter.F16, emitter.INT32, emitter.Q8, emitter.Q8S)
    return movement.Scene(
        name, [movement.given(movement.numbers(1, *dims))], [output], kinds=kinds, lifetimes=full, relaxed=full
    )


def _rank_of(kind: T, scale: float = 0.0, zero_point: int = 0, calls: str = "") -> movement.Scene:
    """Return RANK of a type that no conversion makes."""
    source = movement.operand(Tensor([0, 1, 1, 0], (2, 1, 2)), kind, scale, zero_point)
    output = movement.operand(Tensor([3], ()), T.INT32, role="Output")
    return movement.Scene(kind.name.lower(), [source], [output], "other_types", 4, kinds=(), calls=calls)


CUBE, CELL = movement.numbers(3, 2, 1, 3), movement.numbers(3, 1, 1, 1)
"""Tensors that several examples share, of rank 3."""
SCENES: dict[O, list[movement.Scene]] = {
    O.RESHAPE: [
        _reshape("flatten", movement.numbers(1, 2, 3), 6, full=True),
        _reshape("fold", movement.numbers(2, 4), 1, 2, 1, 2),
        _reshape("inferred_first", movement.numbers(3, 2, 3, 4), -1, 6),
        _reshape("inferred_last", movement.numbers(4, 2, 3, 2, 1), 3, -1),
        _reshape("inferred_alone", movement.numbers(5, 1, 2, 1, 2), -1),
        _reshape("same", movement.numbers(6, 1, 2, 2, 1), 1, 2, 2, 1),
        _reshape("one_element", movement.numbers(7, 1), 1, 1, 1, 1),
        movement.failing("elements", [movement.given(CUBE), movement.constant(5)], 5),
        movement.failing("two_inferred", [movement.given(CUBE), movement.constant(-1, -1)], 2, 3),
        movement.failing("inexact", [movement.given(CUBE), movement.constant(4, -1)], 4, 1),
    ],
    O.SQUEEZE: [
        _squeeze("middle", CUBE, 1, full=True),
        _squeeze("negative", movement.numbers(4, 2, 1), -1),
        _squeeze("several", movement.numbers(5, 1, 2, 1, 2), 2, 0),
        _squeeze("repeated", movement.numbers(6, 1, 3), 0, 0, -2),
        _squeeze("nothing_left", movement.numbers(7, 1, 1), 0, 1),
        _squeeze("some_kept", movement.numbers(8, 1, 1, 2, 1), 3),
        _squeeze_all("constant", movement.numbers(9, 1, 2, 1, 2), NO_LIST),
        _squeeze_all("argument", movement.numbers(10, 2, 1, 1), EMPTY_LIST),
        _squeeze_all("no_ones", movement.numbers(11, 2, 2), NO_LIST),
        _squeeze_all("all_ones", movement.numbers(12, 1, 1, 1, 1), EMPTY_LIST),
        movement.failing("size", [movement.given(CUBE), movement.constant(0)], 1, 3),
        movement.failing("range", [movement.given(CUBE), movement.constant(3)], 2, 1, 3),
    ],
    O.EXPAND_DIMS: [
        _expand("front", movement.numbers(1, 2, 2), 0, full=True),
        _expand("middle", movement.numbers(2, 2, 3), 1),
        _expand("end", movement.numbers(3, 2), 1),
        _expand("last", movement.numbers(4, 2, 3), -1),
        _expand("negative", movement.numbers(5, 2, 2), -2),
        _expand("negative_front", movement.numbers(6, 3), -2),
        _expand("rank_five", movement.numbers(7, 1, 2, 1, 2), 4),
        movement.failing("above", [movement.given(CELL), "4"], 1, 1, 1, 1),
        movement.failing("below", [movement.given(CELL), "-5"], 1, 1, 1, 1),
    ],
    O.TRANSPOSE: [
        _transpose("matrix", movement.numbers(1, 2, 3), (1, 0), full=True),
        _transpose("vector", movement.numbers(2, 3), (0,)),
        _transpose("cube", movement.numbers(3, 2, 3, 2), (2, 0, 1)),
        _transpose("reversed", movement.numbers(4, 1, 2, 3, 2), (3, 2, 1, 0)),
        _transpose("to_nchw", movement.numbers(5, 1, 2, 2, 3), (0, 3, 1, 2)),
        _transpose("identity", movement.numbers(6, 2, 1, 2, 2), (0, 1, 2, 3)),
        _transpose_matrix("constant", movement.numbers(7, 2, 3), NO_LIST),
        _transpose_matrix("argument", movement.numbers(8, 3, 1), EMPTY_LIST),
        movement.failing("omitted_cube", [movement.given(CUBE), NO_LIST], 3, 1, 2),
        movement.failing("length", [movement.given(CUBE), movement.constant(1, 0)], 1, 2, 3),
        movement.failing("negative", [movement.given(CUBE), movement.constant(0, 1, -1)], 2, 1, 3),
        movement.failing("range", [movement.given(CUBE), movement.constant(0, 1, 3)], 2, 1, 3),
        movement.failing("twice", [movement.given(CUBE), movement.constant(0, 1, 1)], 2, 1, 1),
    ],
    O.RANK: [
        _rank("one", 3, full=True),
        _rank("two", 1, 2),
        _rank("four", 1, 2, 1, 2),
        _rank("six", 1, 1, 2, 1, 1, 1),
        _rank_of(T.TENSOR_BOOL8),
        _rank_of(T.TENSOR_QUANT16_SYMM, 0.5),
        _rank_of(T.TENSOR_QUANT16_ASYMM, 0.5, 3),
        _rank_of(T.TENSOR_QUANT8_SYMM, 0.5),
    ],
}
"""Examples in float32 by operation."""


def _per_channel_rank() -> emitter.EmittedFile:
    file = emitter.EmittedFile("V1_3", "rank_per_channel")
    source = emitter.SpecTensor(emitter.PER_CHANNEL, [2, 1, 2], [1, -1, 127, -127], scales=[0.5, 0.25])
    file.add("three", "RANK", {"input0": source}, {"output0": result(T.INT32, [], [3])})
    return file


def _empty_transpose() -> list[emitter.EmittedFile]:
    """Return the permutation of a tensor without elements: [0, 2, 2, 2] by (0, 2, 1, 3)."""
    return empty_files(
        "TRANSPOSE",
        "[0, 2, 1, 3]",
        quantizations={emitter.Q8: ((0.1, 128), (0.1, 128)), emitter.Q8S: ((0.1, 0), (0.1, 0))},
    )


def _reshaping_files() -> list[emitter.EmittedFile]:
    """Return all spec files of the family."""
    return [*movement.spec_files(SCENES), _per_channel_rank(), *_empty_transpose()]


Pair = tuple[int, int]
"""Height and width of a block, or paddings of one dimension."""
LAYOUT = 'BoolScalar("layout", False)'
"""The scalar input for the layout, NHWC."""


def _scenes(
    name: str, parameters: list[emitter.Operand], source: Tensor, result: Tensor, *, full: bool
) -> list[movement.Scene]:
    """Return the example without the layout flag, and with it in both layouts."""
    inputs: movement.Inputs = [movement.given(source), *parameters]
    flagged = movement.Scene(
        name,
        [*inputs, LAYOUT],
        [movement.expected(result)],
        "layout",
        3,
        calls=f".AddNchw(input0, input{len(inputs)}, output0)",
        quantizations={emitter.Q8: (0.5, 100), emitter.Q8S: (0.5, 127)},
    )
    # The oldest level pads with zero point 0.
    plain = movement.Scene(
        name,
        inputs,
        [movement.expected(result)],
        lifetimes=full,
        relaxed=full,
        quantizations={emitter.Q8: (0.25, 0), emitter.Q8S: (0.5, -20)},
    )
    return [plain, flagged]


def _depth_to_space(name: str, source: Tensor, block: int, *, full: bool = False) -> list[movement.Scene]:
    return _scenes(name, [str(block)], source, oracle.depth_to_space(source, block), full=full)


def _space_to_depth(name: str, source: Tensor, block: int, *, full: bool = False) -> list[movement.Scene]:
    return _scenes(name, [str(block)], source, oracle.space_to_depth(source, block), full=full)


def _batch_to_space(name: str, source: Tensor, height: int, width: int, *, full: bool = False) -> list[movement.Scene]:
    result = oracle.batch_to_space(source, height, width)
    return _scenes(name, [movement.constant(height, width)], source, result, full=full)


def _space_to_batch(
    name: str, source: Tensor, block: Pair, *paddings: Pair, full: bool = False
) -> list[movement.Scene]:
    vertical, horizontal = paddings or ((0, 0), (0, 0))
    result = oracle.space_to_batch(source, *block, (vertical, horizontal), 0.0)
    parameters: list[emitter.Operand] = [
        movement.constant(*block),
        movement.constant(*vertical, *horizontal, dims=(2, 2)),
    ]
    return _scenes(name, parameters, source, result, full=full)


def _shuffle(name: str, source: Tensor, groups: int, axis: int, *, full: bool = False) -> movement.Scene:
    outputs = [movement.expected(oracle.channel_shuffle(source, groups, axis))]
    return movement.Scene(name, [movement.given(source), str(groups), str(axis)], outputs, lifetimes=full, relaxed=full)


def _shuffle_all_axes() -> movement.Scene:
    source = movement.numbers(9, 1, 2, 1, 6)
    outputs = [movement.expected(oracle.channel_shuffle(source, 3, 3))]
    inputs: movement.Inputs = [movement.given(source), "3", 'Int32Scalar("axis", 3)']
    calls = ".AddAllDimsAndAxis(input0, input2, output0)"
    return movement.Scene("every", inputs, outputs, "axes", calls=calls, kinds=(emitter.F32, emitter.Q8))


IMAGE = movement.numbers(1, 4, 2, 2, 4)
"""Image of the invalid examples."""
NO_PADDING = movement.constant(0, 0, 0, 0, dims=(2, 2))
"""Paddings of height and width, all 0."""
BLOCKS_SCENES: dict[O, list[movement.Scene]] = {
    O.DEPTH_TO_SPACE: [
        *_depth_to_space("cells", movement.numbers(1, 1, 2, 1, 8), 2, full=True),
        *_depth_to_space("one", movement.numbers(2, 2, 1, 2, 3), 1),
        *_depth_to_space("three", movement.numbers(3, 1, 1, 1, 9), 3),
        *_depth_to_space("grid", movement.numbers(31, 1, 2, 3, 8), 2),
        movement.failing("divides", [movement.given(movement.numbers(4, 1, 1, 1, 6)), "2"], 1, 2, 2, 1),
        movement.failing("block", [movement.given(movement.numbers(5, 1, 1, 1, 4)), "0"], 1, 1, 1, 4),
        movement.failing("negative_block", [movement.given(movement.numbers(5, 1, 1, 1, 4)), "-2"], 1, 2, 2, 1),
    ],
    O.SPACE_TO_DEPTH: [
        *_space_to_depth("cells", movement.numbers(6, 1, 4, 2, 2), 2, full=True),
        *_space_to_depth("one", movement.numbers(7, 2, 1, 2, 3), 1),
        *_space_to_depth("three", movement.numbers(8, 1, 3, 3, 1), 3),
        *_space_to_depth("grid", movement.numbers(32, 1, 4, 6, 2), 2),
        movement.failing("divides", [movement.given(movement.numbers(9, 1, 3, 2, 1)), "2"], 1, 1, 1, 4),
        movement.failing("block", [movement.given(movement.numbers(10, 1, 2, 2, 1)), "-1"], 1, 2, 2, 1),
        movement.failing("no_block", [movement.given(movement.numbers(10, 1, 2, 2, 1)), "0"], 1, 2, 2, 1),
    ],
    O.BATCH_TO_SPACE_ND: [
        *_batch_to_space("square", movement.numbers(11, 4, 1, 2, 1), 2, 2, full=True),
        *_batch_to_space("wide", movement.numbers(12, 6, 1, 1, 2), 1, 3),
        *_batch_to_space("tall", movement.numbers(13, 4, 2, 1, 1), 2, 1),
        *_batch_to_space("one", movement.numbers(14, 2, 1, 2, 1), 1, 1),
        *_batch_to_space("grid", movement.numbers(33, 12, 2, 1, 2), 2, 3),
        movement.failing("divides", [movement.given(IMAGE), movement.constant(3, 1)], 1, 6, 2, 4),
        movement.failing("length", [movement.given(IMAGE), movement.constant(2)], 2, 4, 2, 4),
        movement.failing("no_block", [movement.given(IMAGE), movement.constant(0, 1)], 4, 2, 2, 4),
        movement.failing("negative_blocks", [movement.given(IMAGE), movement.constant(-2, -2)], 1, 4, 4, 4),
    ],
    O.SPACE_TO_BATCH_ND: [
        *_space_to_batch("square", movement.numbers(15, 1, 2, 4, 1), (2, 2), full=True),
        *_space_to_batch("wide", movement.numbers(16, 2, 1, 3, 1), (1, 3)),
        *_space_to_batch("padded", movement.numbers(17, 1, 2, 3, 1), (3, 2), (1, 0), (2, 1)),
        *_space_to_batch("tall_padded", movement.numbers(18, 1, 1, 2, 2), (2, 1), (0, 3), (1, 1)),
        *_space_to_batch("grid", movement.numbers(34, 2, 4, 3, 2), (2, 3)),
        movement.failing(
            "divides",
            [movement.given(IMAGE), movement.constant(3, 1), movement.constant(0, 2, 0, 0, dims=(2, 2))],
            12,
            1,
            2,
            4,
        ),
        movement.failing("length", [movement.given(IMAGE), movement.constant(2, 1, 1), NO_PADDING], 8, 1, 2, 4),
        movement.failing(
            "paddings",
            [movement.given(IMAGE), movement.constant(2, 1), movement.constant(0, 0, dims=(1, 2))],
            8,
            1,
            2,
            4,
        ),
        movement.failing(
            "negative_padding",
            [movement.given(IMAGE), movement.constant(1, 1), movement.constant(-1, 0, 0, 0, dims=(2, 2))],
            4,
            1,
            2,
            4,
        ),
        movement.failing("no_block", [movement.given(IMAGE), movement.constant(1, 0), NO_PADDING], 4, 2, 2, 4),
    ],
    O.CHANNEL_SHUFFLE: [
        _shuffle("image", movement.numbers(19, 1, 2, 1, 6), 2, 3, full=True),
        _shuffle("vector", movement.numbers(20, 6), 3, 0),
        _shuffle("one_group", movement.numbers(21, 2, 3), 1, -1),
        _shuffle("one_each", movement.numbers(22, 2, 3), 3, 1),
        _shuffle_all_axes(),
        movement.failing("groups", [movement.given(movement.numbers(23, 4)), "3", "0"], 4),
        movement.failing("no_groups", [movement.given(movement.numbers(24, 4)), "0", "0"], 4),
        movement.failing("axis", [movement.given(movement.numbers(25, 4)), "2", "1"], 4),
    ],
}
"""Examples in float32 of the operations that move blocks of an image, by operation."""


def _blocks_files() -> list[emitter.EmittedFile]:
    """Return all spec files of the family."""
    return movement.spec_files(BLOCKS_SCENES)


def files() -> list[emitter.EmittedFile]:
    """Return all spec files of these families."""
    return [*_reshaping_files(), *_blocks_files()]
