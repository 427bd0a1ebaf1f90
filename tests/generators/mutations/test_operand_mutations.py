"""Mutations of single operands. Expected values are those of docs/contract/vts-tests.md 2.2, typed in by hand."""

import math
from typing import Any

import pytest
from msgspec.structs import replace

from nnvet.generators.mutations import operands
from nnvet.generators.mutations.editing import Mutation
from nnvet.hal.types import (
    DataLocation,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Subgraph,
    SymmPerChannelQuantParams,
)
from nnvet.hal.validation import validate_model

T = OperandType
SCALARS = (T.FLOAT32, T.INT32, T.UINT32, T.BOOL, T.FLOAT16)
PLAIN_TENSORS = (T.TENSOR_FLOAT32, T.TENSOR_FLOAT16, T.TENSOR_BOOL8)


def one(kind: OperandType, **fields: Any) -> Model:
    """A model that holds one operand of the type, and nothing else."""
    return Model(Subgraph((Operand(kind, **fields),), (), (), ()))


def values(mutation: Mutation, model: Model, field: str, level: int = 8) -> list[Any]:
    """Return the values of the field in the mutants of a model of one operand."""
    return [getattr(mutant.model.main.operands[0], field) for mutant in mutation(model, level)]


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (1, [-1, 9999, 10002, 6]),
        (2, [-1, 9999, 10002, 6]),
        (3, [-1, 9999, 10002, 14]),
        (4, [-1, 9999, 10002, 16]),
        (8, [-1, 9999, 10002, 16]),
    ],
)
def test_types_are_just_outside_of_the_levels(level: int, expected: list[int]) -> None:
    """Type codes below the first, above the last, and around the OEM codes."""
    assert values(operands.mutate_operand_type, one(T.INT32), "type", level) == expected


def test_ranks_of_scalars_and_of_early_tensors() -> None:
    """Scalars never have dimensions; tensors may lack them from feature level 3 on."""
    assert values(operands.mutate_operand_rank, one(T.BOOL), "dimensions") == [(0,)]
    assert values(operands.mutate_operand_rank, one(T.TENSOR_INT32, dimensions=(2, 3)), "dimensions", 2) == [()]
    assert values(operands.mutate_operand_rank, one(T.TENSOR_INT32, dimensions=(2, 3)), "dimensions", 3) == []
    assert values(operands.mutate_operand_rank, one(T.SUBGRAPH), "dimensions") == []


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ((*SCALARS, *PLAIN_TENSORS, T.TENSOR_QUANT8_SYMM_PER_CHANNEL, T.SUBGRAPH), [1.0]),
        ((T.TENSOR_INT32,), [-1.0, math.nan]),
        (
            (
                T.TENSOR_QUANT8_ASYMM,
                T.TENSOR_QUANT8_ASYMM_SIGNED,
                T.TENSOR_QUANT8_SYMM,
                T.TENSOR_QUANT16_ASYMM,
                T.TENSOR_QUANT16_SYMM,
            ),
            [0.0, -1.0, math.nan],
        ),
        ((T.OEM, T.TENSOR_OEM_BYTE), []),
    ],
)
def test_scales_are_those_that_the_type_forbids(kinds: tuple[OperandType, ...], expected: list[float]) -> None:
    """1 where none is allowed, not above 0 where one is needed, negative where one may be."""
    for kind in kinds:
        assert repr(values(operands.mutate_operand_scale, one(kind), "scale")) == repr(expected)


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ((*SCALARS, *PLAIN_TENSORS, T.TENSOR_INT32, T.SUBGRAPH), [-1, 1]),
        ((T.TENSOR_QUANT8_ASYMM,), [-1, 256]),
        ((T.TENSOR_QUANT8_ASYMM_SIGNED,), [-129, 128]),
        ((T.TENSOR_QUANT8_SYMM, T.TENSOR_QUANT8_SYMM_PER_CHANNEL), [-129, -1, 1, 128]),
        ((T.TENSOR_QUANT16_ASYMM,), [-1, 65536]),
        ((T.TENSOR_QUANT16_SYMM,), [-32769, -1, 1, 32768]),
        ((T.OEM,), []),
    ],
)
def test_zero_points_are_just_outside_of_the_type(kinds: tuple[OperandType, ...], expected: list[int]) -> None:
    """Both ends of the range, the signed type included, which VTS forgets."""
    for kind in kinds:
        assert values(operands.mutate_operand_zero_point, one(kind), "zero_point") == expected


@pytest.mark.parametrize(("count", "expected"), [(0, [1]), (1, [0, 2]), (3, [2, 4]), (None, [])])
def test_consumers_are_miscounted_by_one(count: int | None, expected: list[int]) -> None:
    """One more and one less, at HIDL levels only."""
    model = one(T.INT32, number_of_consumers=count)
    assert values(operands.mutate_operand_number_of_consumers, model, "number_of_consumers", 4) == expected
    assert values(operands.mutate_operand_number_of_consumers, model, "number_of_consumers", 5) == []


def test_dimensions_of_constants_must_be_known(model: Model) -> None:
    """The constant loses its rank, then its size, then gets a negative size; the scalar gets dimensions."""
    changed = [m.model.main.operands for m in operands.mutate_operand_dimensions(model, 8)]
    assert [after[1].dimensions for after in changed if after[1] != model.main.operands[1]] == [(), (0,), (-1,)]
    assert [after[3].dimensions for after in changed if after[3] != model.main.operands[3]] == [(1,)]


def test_locations_of_constants_are_moved_out_of_their_bytes(model: Model) -> None:
    """12 bytes hold 8 and 4: another pool, offsets at the end and before the start, one byte more or less."""
    after = [m.model.main.operands[1].location for m in operands.mutate_operand_location(model, 8)]
    before = model.main.operands[1].location
    assert [location for location in after if location != before] == [
        DataLocation(1, 0, 8),
        DataLocation(0, 12, 8),
        DataLocation(0, 0, 9),
        DataLocation(0, 0, 7),
        DataLocation(0, -1, 8),
        DataLocation(0, 0, 8, 1),
    ]


def test_what_has_no_data_has_no_location(model: Model) -> None:
    """Every field of the temporary's location, padding only where the field exists."""
    for level, fields in ((8, 4), (4, 3)):
        after = [m.model.main.operands[2].location for m in operands.mutate_operand_location(model, level)]
        assert len([location for location in after if location != DataLocation()]) == fields


def test_channel_scales_with_every_fault() -> None:
    """Parameters missing, along a dimension that is not there, too few, too many, negative, 0 and no number."""
    right = Operand(T.TENSOR_QUANT8_SYMM_PER_CHANNEL, (2, 3), extra_params=SymmPerChannelQuantParams((0.5, 0.25), 0))
    wrong = [changed.extra_params for _, changed in operands.wrong_extra_params(right)]
    assert repr(wrong) == repr(
        [
            None,
            SymmPerChannelQuantParams((0.5, 0.25), -1),
            SymmPerChannelQuantParams((0.5, 0.25), 2),
            SymmPerChannelQuantParams((0.5,), 0),
            SymmPerChannelQuantParams((0.5, 0.25, 1.0), 0),
            SymmPerChannelQuantParams((0.5, -0.25), 0),
            SymmPerChannelQuantParams((0.5, 0.0), 0),
            SymmPerChannelQuantParams((0.5, math.nan), 0),
        ]
    )


def test_lifetimes_that_do_not_exist_or_need_a_subgraph(model: Model) -> None:
    """Codes -1 and 7, and SUBGRAPH for what is none."""
    after = [m.model.main.operands[0].lifetime for m in operands.mutate_operand_lifetime_value(model, 8)]
    assert [value for value in after if value != OperandLifeTime.SUBGRAPH_INPUT] == [-1, 7, OperandLifeTime.SUBGRAPH]


def test_the_model_that_is_mutated_is_valid(model: Model) -> None:
    """The model that all these tests start from keeps every rule."""
    validate_model(model)
    assert replace(model) == model
