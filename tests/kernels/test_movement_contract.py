"""Levels, list lengths, missing operands and empty tensors of all data-moving families, as the pages have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Argument
from tests.kernels.declared import level_of
from tests.kernels.movement import flag, ints, number
from tests.kernels.movement_levels import F16, F32, I32, LEVELS, Q8, Q8S
from tests.single import omitted, output, run_single, tensor

Call = tuple[Sequence[Argument], Sequence[Argument]]
FAILURE, INVALID = ErrorStatus.GENERAL_FAILURE, ErrorStatus.INVALID_ARGUMENT
REAL = {F32: T.FLOAT32, F16: T.FLOAT16, I32: T.INT32, Q8: T.INT32, Q8S: T.INT32}


def zeros(kind: T, *dims: int, zero_point: int = 0) -> Argument:
    """A tensor of zeros."""
    return tensor(kind, np.zeros(dims), *_quantization(kind, zero_point))


def out(kind: T, zero_point: int = 0) -> Argument:
    """An output of the same quantisation."""
    return output(kind, *_quantization(kind, zero_point))


def _quantization(kind: T, zero_point: int) -> tuple[float, int]:
    return (0.5, zero_point) if OPERAND_TYPES[kind].is_quantized else (0.0, 0)


def grid(*rows: Sequence[int]) -> Argument:
    """A matrix of integers."""
    return tensor(I32, rows)


VALID: dict[O, Callable[[T], Call]] = {
    O.RESHAPE: lambda k: ([zeros(k, 2, 2), ints(4)], [out(k)]),
    O.SQUEEZE: lambda k: ([zeros(k, 2, 1), ints(1)], [out(k)]),
    O.EXPAND_DIMS: lambda k: ([zeros(k, 2), number(0)], [out(k)]),
    O.TRANSPOSE: lambda k: ([zeros(k, 2, 3), ints(1, 0)], [out(k)]),
    O.RANK: lambda k: ([zeros(k, 2)], [output(T.INT32)]),
    O.CONCATENATION: lambda k: ([zeros(k, 2), zeros(k, 3), number(0)], [out(k)]),
    O.PACK: lambda k: ([number(0), zeros(k, 2), zeros(k, 2)], [out(k)]),
    O.SPLIT: lambda k: ([zeros(k, 2), number(0), number(2)], [out(k), out(k)]),
    O.TILE: lambda k: ([zeros(k, 2), ints(2)], [out(k)]),
    O.FILL: lambda k: ([ints(2), tensor(REAL.get(k, T.FLOAT32), 0)], [out(k)]),
    O.REVERSE: lambda k: ([zeros(k, 2), ints(0)], [out(k)]),
    O.PAD: lambda k: ([zeros(k, 2), grid((1, 0))], [out(k)]),
    O.PAD_V2: lambda k: ([zeros(k, 2), grid((1, 0)), tensor(REAL.get(k, T.FLOAT32), 0)], [out(k)]),
    O.MIRROR_PAD: lambda k: ([zeros(k, 2), grid((1, 0)), number(0)], [out(k)]),
    O.SLICE: lambda k: ([zeros(k, 2), ints(0), ints(1)], [out(k)]),
    O.STRIDED_SLICE: lambda k: ([zeros(k, 2), ints(0), ints(1), ints(1), number(0), number(0), number(0)], [out(k)]),
    O.GATHER: lambda k: ([zeros(k, 2), number(0), ints(1)], [out(k)]),
    O.TOPK_V2: lambda k: ([zeros(k, 2), number(1)], [out(k), output(I32)]),
    O.DEPTH_TO_SPACE: lambda k: ([zeros(k, 1, 1, 1, 4), number(2)], [out(k)]),
    O.SPACE_TO_DEPTH: lambda k: ([zeros(k, 1, 2, 2, 1), number(2)], [out(k)]),
    O.BATCH_TO_SPACE_ND: lambda k: ([zeros(k, 2, 1, 1, 1), ints(1, 2)], [out(k)]),
    O.SPACE_TO_BATCH_ND: lambda k: ([zeros(k, 1, 1, 2, 1), ints(1, 2), grid((0, 0), (0, 0))], [out(k)]),
    O.CHANNEL_SHUFFLE: lambda k: ([zeros(k, 4), number(2), number(0)], [out(k)]),
    O.EMBEDDING_LOOKUP: lambda k: ([ints(0), zeros(k, 2, 2)], [out(k)]),
    O.HASHTABLE_LOOKUP: lambda k: ([ints(0), ints(0, 1), zeros(k, 2, 2)], [out(k), output(Q8, 1.0)]),
    O.LSH_PROJECTION: lambda k: ([zeros(F32, 1, 2), zeros(k, 2), zeros(F32, 2), number(2)], [output(I32)]),
    O.RANDOM_MULTINOMIAL: lambda k: ([zeros(k, 1, 2), number(3), ints(1, 2)], [output(I32)]),
    O.RESIZE_BILINEAR: lambda k: ([zeros(k, 1, 2, 2, 1), number(3), number(3)], [out(k)]),
    O.RESIZE_NEAREST_NEIGHBOR: lambda k: ([zeros(k, 1, 2, 2, 1), number(3), number(3), flag(value=False)], [out(k)]),
}
"""One valid call of every operation."""


@pytest.mark.parametrize("operation", LEVELS, ids=lambda operation: operation.name)
@pytest.mark.parametrize("kind", [F32, F16, Q8, Q8S, I32, T.TENSOR_BOOL8, T.TENSOR_QUANT16_SYMM])
def test_level_of_type(operation: O, kind: T) -> None:
    """A valid call of each listed type runs and needs the level listed; other types are refused."""
    inputs, outputs = VALID[operation](kind)
    level = LEVELS[operation].get(kind)
    if level is not None:
        assert level_of_run(operation, inputs, outputs) == level
    else:
        with pytest.raises(HalError) as caught:
            level_of(operation, inputs, outputs)
        assert caught.value.rule == f"{operation.name}/types"


def level_of_run(operation: O, inputs: Sequence[Argument], outputs: Sequence[Argument]) -> int:
    """Run; the level of the call with its outputs' dimensions declared (not to know a rank needs level 3)."""
    results = run_single(operation, inputs, outputs)
    known = [replace(o, dimensions=result.shape) for o, result in zip(outputs, results, strict=True)]
    return level_of(operation, inputs, known)


def with_layout(operation: O) -> Call:
    """The valid call with a layout flag at the end of its list."""
    inputs, outputs = VALID[operation](F32)
    return [*inputs, flag(value=False)], outputs


FEATURES: list[tuple[str, O, Call, int]] = [
    *(
        ("layout flag", operation, with_layout(operation), 3)
        for operation in (
            O.DEPTH_TO_SPACE,
            O.SPACE_TO_DEPTH,
            O.BATCH_TO_SPACE_ND,
            O.SPACE_TO_BATCH_ND,
            O.RESIZE_BILINEAR,
        )
    ),
    ("zero point", O.PAD, ([zeros(Q8, 2, zero_point=1), grid((1, 0))], [out(Q8, 1)]), 3),
    (
        "zero point",
        O.SPACE_TO_BATCH_ND,
        ([zeros(Q8, 1, 1, 2, 1, zero_point=1), ints(1, 2), grid((0, 0), (0, 0))], [out(Q8, 1)]),
        3,
    ),
    ("other scale", O.CONCATENATION, ([zeros(Q8, 2), number(0)], [output(Q8, 0.25)]), 3),
    ("other zero point", O.CONCATENATION, ([zeros(Q8, 2), number(0)], [output(Q8, 0.5, 1)]), 3),
    (
        "scales",
        O.RESIZE_BILINEAR,
        ([zeros(F32, 1, 2, 2, 1), tensor(T.FLOAT32, 2), tensor(T.FLOAT32, 2)], [out(F32)]),
        3,
    ),
    *(
        (
            "flag",
            operation,
            ([zeros(F32, 1, 2, 2, 1), number(3), number(3), *[flag(value=False)] * count], [out(F32)]),
            4,
        )
        for operation in (O.RESIZE_BILINEAR, O.RESIZE_NEAREST_NEIGHBOR)
        for count in (2, 3)
    ),
    (
        "half seeds",
        O.LSH_PROJECTION,
        ([zeros(F16, 1, 2), zeros(F32, 2), zeros(F16, 2), number(2)], [output(I32)]),
        3,
    ),
]


@pytest.mark.parametrize(
    ("operation", "call", "level"), [entry[1:] for entry in FEATURES], ids=[f"{e[1].name} {e[0]}" for e in FEATURES]
)
def test_level_of_feature(operation: O, call: Call, level: int) -> None:
    """Uses that came later than the operation need their own level, and run."""
    assert level_of_run(operation, *call) == level


LENGTHS = {
    O.CONCATENATION: range(2, 20),
    O.PACK: range(2, 20),
    O.DEPTH_TO_SPACE: (2, 3),
    O.SPACE_TO_DEPTH: (2, 3),
    O.BATCH_TO_SPACE_ND: (2, 3),
    O.SPACE_TO_BATCH_ND: (3, 4),
    O.RESIZE_BILINEAR: (3, 4, 5, 6),
    O.RESIZE_NEAREST_NEIGHBOR: (4, 5, 6),
}
"""Accepted numbers of inputs where there is more than one."""


@pytest.mark.parametrize("operation", LEVELS, ids=lambda operation: operation.name)
def test_list_lengths(operation: O) -> None:
    """Lists of inputs and outputs of any other length than the pages allow are refused."""
    inputs, outputs = VALID[operation](F32)
    accepted = LENGTHS.get(operation, (len(inputs),))
    for length in range(10):
        if length not in accepted:
            wrong = [*inputs, *[number(0)] * 10][:length]
            with pytest.raises(HalError) as caught:
                level_of(operation, wrong, outputs)
            assert caught.value.rule == f"{operation.name}/inputs.count"
    if operation != O.SPLIT:
        with pytest.raises(HalError) as caught:
            level_of(operation, inputs, [*outputs, outputs[0]])
        assert caught.value.rule == f"{operation.name}/outputs.count"


LEGACY = (
    O.RESHAPE,
    O.DEPTH_TO_SPACE,
    O.SPACE_TO_DEPTH,
    O.EMBEDDING_LOOKUP,
    O.HASHTABLE_LOOKUP,
    O.BATCH_TO_SPACE_ND,
    O.SPACE_TO_BATCH_ND,
    O.PAD,
    O.EXPAND_DIMS,
    O.PAD_V2,
    O.RANDOM_MULTINOMIAL,
    O.SPLIT,
    O.TILE,
)
"""Operations that answer missing and empty operands with INVALID_ARGUMENT; all others fail."""
MAY_BE_OMITTED = {(O.SQUEEZE, 1), (O.TRANSPOSE, 1), (O.LSH_PROJECTION, 2)}


@pytest.mark.parametrize("operation", LEVELS, ids=lambda operation: operation.name)
def test_missing_operand(operation: O) -> None:
    """An operand that is needed and has no value fails the execution, with the status of its dispatcher."""
    inputs, outputs = VALID[operation](F32)
    for position, argument in enumerate(inputs):
        if (operation, position) in MAY_BE_OMITTED:
            continue
        missing = [*inputs[:position], replace(omitted(T(argument.type))), *inputs[position + 1 :]]
        with pytest.raises(HalError) as caught:
            run_single(operation, missing, outputs)
        assert caught.value.status == (INVALID if operation in LEGACY else FAILURE)
        assert (caught.value.rule or "").endswith(".omitted")


ACCEPT_EMPTY = (O.CONCATENATION, O.TRANSPOSE, O.SLICE, O.RESIZE_BILINEAR, O.RESIZE_NEAREST_NEIGHBOR)
"""Operations that take empty tensors; each has a test of its own."""


@pytest.mark.parametrize(
    "operation", [o for o in LEVELS if o not in ACCEPT_EMPTY], ids=lambda operation: operation.name
)
def test_empty_tensor(operation: O) -> None:
    """An empty tensor fails the execution, with the status of the operation's dispatcher."""
    inputs, outputs = VALID[operation](F32)
    for position, argument in enumerate(inputs):
        if not argument.rank:
            continue
        empty = tensor(T(argument.type), np.zeros((0, *argument.dimensions[1:])), argument.scale)
        with pytest.raises(HalError) as caught:
            run_single(operation, [*inputs[:position], empty, *inputs[position + 1 :]], outputs)
        assert caught.value.rule == f"{operation.name}/zero_sized"
        assert caught.value.status == (INVALID if operation in LEGACY else FAILURE)


def test_tables_name_the_same_operations() -> None:
    """Every operation of the families stands in every table, and every type of a declaration in the level table."""
    assert set(VALID) == set(LEVELS)
    for operation, by_type in LEVELS.items():
        declared = {kind for row in declarations()[operation].rows for name, kind in row.types.items() if name == "T"}
        assert operation == O.RANK or declared == set(by_type)
