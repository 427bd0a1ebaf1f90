"""Names of versions, and at which levels operands and operations exist. Expected levels: HAL contract 1, 3 and 4."""

import pytest

from nnvet.hal.levels import (
    HAL_VERSIONS,
    LevelRange,
    last_operation_level,
    level_of_version,
    operand_levels,
    version_name,
)
from nnvet.hal.types import DataLocation, Operand, OperandType, OperationType, SymmPerChannelQuantParams

FLOATS = OperandType.TENSOR_FLOAT32
PER_CHANNEL = OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL


def test_versions_and_levels_by_name() -> None:
    """HIDL 1.0 to 1.3 are levels 1 to 4, AIDL v1 to v4 levels 5 to 8."""
    names = ["V1_0", "V1_1", "V1_2", "V1_3", "AIDL_V1", "AIDL_V2", "AIDL_V3", "AIDL_V4"]
    assert list(HAL_VERSIONS) == names
    assert [level_of_version(name) for name in names] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert [version_name(level) for level in range(1, 9)] == names


def test_unstable_is_level_seven() -> None:
    """The helpers' list of versions ends with AIDL_UNSTABLE for level 7."""
    assert level_of_version("AIDL_UNSTABLE") == 7


@pytest.mark.parametrize("wrong", ["", "V1_4", "aidl_v1", "AIDL_V5"])
def test_unknown_versions_are_named(wrong: str) -> None:
    """What is no version is quoted, with the versions that there are."""
    with pytest.raises(ValueError, match=f"'{wrong}'.*V1_0.*AIDL_V4"):
        level_of_version(wrong)


def test_there_are_eight_levels() -> None:
    """Levels 0 and 9 have no name."""
    for level in (0, 9):
        with pytest.raises(ValueError, match=str(level)):
            version_name(level)


def test_ranges_meet() -> None:
    """What consists of two parts exists where both do."""
    both = LevelRange(3) & LevelRange(1, 4)
    assert [level for level in range(1, 9) if level in both] == [3, 4]
    assert [level for level in range(1, 9) if level in LevelRange(5) & LevelRange(1, 4)] == []


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        (LevelRange(), "exists at every level"),
        (LevelRange(3), "needs feature level 3"),
        (LevelRange(1, 4), "does not exist above feature level 4"),
        (LevelRange(3, 4), "needs feature level 3 and does not exist above feature level 4"),
    ],
)
def test_ranges_say_what_is_wrong(levels: LevelRange, said: str) -> None:
    """The text of a range fits behind the name of what it is about."""
    assert str(levels) == said


@pytest.mark.parametrize(
    ("operand", "first", "last"),
    [
        (Operand(FLOATS, (2,)), 1, 8),
        (Operand(FLOATS), 3, 8),
        (Operand(OperandType.TENSOR_FLOAT16, (2,)), 3, 8),
        (Operand(OperandType.TENSOR_QUANT8_ASYMM_SIGNED, (2,), 1.0), 4, 8),
        (Operand(OperandType.OEM), 1, 4),
        (Operand(OperandType.TENSOR_OEM_BYTE, (2,)), 1, 4),
        (Operand(0x7FFF0001, (2,)), 3, 8),
        (Operand(0x80000001, (2,)), 3, 4),
        (Operand(FLOATS, (1, 2**31 - 1)), 1, 8),
        (Operand(FLOATS, (1, 2**31)), 1, 4),
        (Operand(FLOATS, (2,), location=DataLocation(pool_index=2**31)), 1, 4),
        (Operand(PER_CHANNEL, (1, 2), extra_params=SymmPerChannelQuantParams((1.0, 1.0), 1)), 3, 8),
        (Operand(PER_CHANNEL, (1, 2), extra_params=SymmPerChannelQuantParams((1.0, 1.0), 2**31)), 3, 4),
    ],
)
def test_levels_of_operands(operand: Operand, first: int, last: int) -> None:
    """Types and unknown ranks begin at a level; OEM types, 16-bit prefixes and unsigned numbers end before AIDL."""
    assert operand_levels(operand) == LevelRange(first, last)


def test_last_levels_of_operations() -> None:
    """AIDL has no OEM operation, and 15 bits for the prefixes of extensions."""
    codes = (OperationType.ADD, OperationType.OEM_OPERATION, 0x7FFF0000, 0x80000000)
    assert [last_operation_level(code) for code in codes] == [8, 4, 8, 4]
