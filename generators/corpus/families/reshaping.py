"""Spec files of RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE, RANK, of blocks of cells, and of CHANNEL_SHUFFLE."""

from __future__ import annotations

from collections.abc import Sequence

from nnvet.generators.corpus.emitter import (
    F16,
    F32,
    INT32,
    PER_CHANNEL,
    Q8,
    Q8S,
    EmittedFile,
    Operand,
    SpecTensor,
    result,
)
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
from nnvet.oracle.operations.invocation import Tensor

NO_LIST = operand(Tensor([], (0,)), INT32, role="Omitted")
EMPTY_LIST = operand(Tensor([], (0,)), INT32)


def _reshape(name: str, source: Tensor, *shape: int, full: bool = False) -> Scene:
    outputs = [expected(oracle.reshape(source, shape))]
    return Scene(name, [given(source), constant(*shape)], outputs, lifetimes=full, relaxed=full)


def _squeeze(name: str, source: Tensor, *dims: int, full: bool = False) -> Scene:
    outputs = [expected(oracle.squeeze(source, dims))]
    return Scene(name, [given(source), constant(*dims)], outputs, lifetimes=full, relaxed=full)


def _squeeze_all(name: str, source: Tensor, missing: SpecTensor) -> Scene:
    return Scene(name, [given(source), missing], [expected(oracle.squeeze(source, None))], "omitted_dims")


def _expand(name: str, source: Tensor, axis: int, *, full: bool = False) -> Scene:
    outputs = [expected(oracle.expand_dims(source, axis))]
    return Scene(name, [given(source), str(axis)], outputs, lifetimes=full, relaxed=full)


def _transpose(name: str, source: Tensor, perm: Sequence[int], *, full: bool = False) -> Scene:
    outputs = [expected(oracle.transpose(source, perm))]
    return Scene(name, [given(source), constant(*perm)], outputs, lifetimes=full, relaxed=full)


def _transpose_matrix(name: str, source: Tensor, missing: SpecTensor) -> Scene:
    return Scene(name, [given(source), missing], [expected(oracle.transpose(source, None))], "omitted_perm")


def _rank(name: str, *dims: int, full: bool = False) -> Scene:
    output = operand(Tensor([len(dims)], ()), T.INT32, role="Output")
    kinds = (F32, F16, INT32, Q8, Q8S)
    return Scene(name, [given(numbers(1, *dims))], [output], kinds=kinds, lifetimes=full, relaxed=full)


def _rank_of(kind: T, scale: float = 0.0, zero_point: int = 0, calls: str = "") -> Scene:
    """Return RANK of a type that no conversion makes."""
    source = operand(Tensor([0, 1, 1, 0], (2, 1, 2)), kind, scale, zero_point)
    output = operand(Tensor([3], ()), T.INT32, role="Output")
    return Scene(kind.name.lower(), [source], [output], "other_types", 4, kinds=(), calls=calls)


CUBE, CELL = numbers(3, 2, 1, 3), numbers(3, 1, 1, 1)
SCENES: dict[O, list[Scene]] = {
    O.RESHAPE: [
        _reshape("flatten", numbers(1, 2, 3), 6, full=True),
        _reshape("fold", numbers(2, 4), 1, 2, 1, 2),
        _reshape("inferred_first", numbers(3, 2, 3, 4), -1, 6),
        _reshape("inferred_last", numbers(4, 2, 3, 2, 1), 3, -1),
        _reshape("inferred_alone", numbers(5, 1, 2, 1, 2), -1),
        _reshape("same", numbers(6, 1, 2, 2, 1), 1, 2, 2, 1),
        _reshape("one_element", numbers(7, 1), 1, 1, 1, 1),
        failing("elements", [given(CUBE), constant(5)], 5),
        failing("two_inferred", [given(CUBE), constant(-1, -1)], 2, 3),
        failing("inexact", [given(CUBE), constant(4, -1)], 4, 1),
    ],
    O.SQUEEZE: [
        _squeeze("middle", CUBE, 1, full=True),
        _squeeze("negative", numbers(4, 2, 1), -1),
        _squeeze("several", numbers(5, 1, 2, 1, 2), 2, 0),
        _squeeze("repeated", numbers(6, 1, 3), 0, 0, -2),
        _squeeze("nothing_left", numbers(7, 1, 1), 0, 1),
        _squeeze("some_kept", numbers(8, 1, 1, 2, 1), 3),
        _squeeze_all("constant", numbers(9, 1, 2, 1, 2), NO_LIST),
        _squeeze_all("argument", numbers(10, 2, 1, 1), EMPTY_LIST),
        _squeeze_all("no_ones", numbers(11, 2, 2), NO_LIST),
        _squeeze_all("all_ones", numbers(12, 1, 1, 1, 1), EMPTY_LIST),
        failing("size", [given(CUBE), constant(0)], 1, 3),
        failing("range", [given(CUBE), constant(3)], 2, 1, 3),
    ],
    O.EXPAND_DIMS: [
        _expand("front", numbers(1, 2, 2), 0, full=True),
        _expand("middle", numbers(2, 2, 3), 1),
        _expand("end", numbers(3, 2), 1),
        _expand("last", numbers(4, 2, 3), -1),
        _expand("negative", numbers(5, 2, 2), -2),
        _expand("negative_front", numbers(6, 3), -2),
        _expand("rank_five", numbers(7, 1, 2, 1, 2), 4),
        failing("above", [given(CELL), "4"], 1, 1, 1, 1),
        failing("below", [given(CELL), "-5"], 1, 1, 1, 1),
    ],
    O.TRANSPOSE: [
        _transpose("matrix", numbers(1, 2, 3), (1, 0), full=True),
        _transpose("vector", numbers(2, 3), (0,)),
        _transpose("cube", numbers(3, 2, 3, 2), (2, 0, 1)),
        _transpose("reversed", numbers(4, 1, 2, 3, 2), (3, 2, 1, 0)),
        _transpose("to_nchw", numbers(5, 1, 2, 2, 3), (0, 3, 1, 2)),
        _transpose("identity", numbers(6, 2, 1, 2, 2), (0, 1, 2, 3)),
        _transpose_matrix("constant", numbers(7, 2, 3), NO_LIST),
        _transpose_matrix("argument", numbers(8, 3, 1), EMPTY_LIST),
        failing("omitted_cube", [given(CUBE), NO_LIST], 3, 1, 2),
        failing("length", [given(CUBE), constant(1, 0)], 1, 2, 3),
        failing("negative", [given(CUBE), constant(0, 1, -1)], 2, 1, 3),
        failing("range", [given(CUBE), constant(0, 1, 3)], 2, 1, 3),
        failing("twice", [given(CUBE), constant(0, 1, 1)], 2, 1, 1),
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


def _per_channel_rank() -> EmittedFile:
    file = EmittedFile("V1_3", "rank_per_channel")
    source = SpecTensor(PER_CHANNEL, [2, 1, 2], [1, -1, 127, -127], scales=[0.5, 0.25])
    file.add("three", "RANK", {"input0": source}, {"output0": result(T.INT32, [], [3])})
    return file


def _empty_transpose() -> list[EmittedFile]:
    """Return the permutation of a tensor without elements: [0, 2, 2, 2] by (0, 2, 1, 3)."""
    return empty_files(
        "TRANSPOSE", "[0, 2, 1, 3]", quantizations={Q8: ((0.1, 128), (0.1, 128)), Q8S: ((0.1, 0), (0.1, 0))}
    )


def _reshaping_files() -> list[EmittedFile]:
    """Return all spec files of the family."""
    return [*spec_files(SCENES), _per_channel_rank(), *_empty_transpose()]


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
BLOCKS_SCENES: dict[O, list[Scene]] = {
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


def _blocks_files() -> list[EmittedFile]:
    """Return all spec files of the family."""
    return spec_files(BLOCKS_SCENES)


def files() -> list[EmittedFile]:
    """Return all spec files of these families."""
    return [*_reshaping_files(), *_blocks_files()]
