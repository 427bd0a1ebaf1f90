"""Names of versions, and at which levels operands exist. Expected levels: docs/contract/hal.md 1, 3 and 4."""

import pytest

from nnvet.hal.levels import HAL_VERSIONS, operand_level, version_name
from nnvet.hal.types import Operand, OperandLifeTime, OperandType

FLOATS = OperandType.TENSOR_FLOAT32


def test_versions_and_levels_by_name() -> None:
    """HIDL 1.0 to 1.3 are levels 1 to 4, AIDL v1 to v4 levels 5 to 8."""
    names = ["V1_0", "V1_1", "V1_2", "V1_3", "AIDL_V1", "AIDL_V2", "AIDL_V3", "AIDL_V4"]
    assert list(HAL_VERSIONS) == names
    assert [HAL_VERSIONS[name] for name in names] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert [version_name(level) for level in range(1, 9)] == names


def test_there_are_eight_levels() -> None:
    """Levels 0 and 9 have no name."""
    for level in (0, 9):
        with pytest.raises(ValueError, match=str(level)):
            version_name(level)


@pytest.mark.parametrize(
    ("operand", "level"),
    [
        (Operand(FLOATS, (2,)), 1),
        (Operand(FLOATS), 3),
        (Operand(OperandType.TENSOR_FLOAT16, (2,)), 3),
        (Operand(OperandType.TENSOR_QUANT8_ASYMM_SIGNED, (2,), 1.0), 4),
        (Operand(OperandType.OEM), 1),
        (Operand(OperandType.SUBGRAPH, lifetime=OperandLifeTime.SUBGRAPH), 4),
        (Operand(0x7FFF0001, (2,)), 3),
    ],
)
def test_levels_of_operands(operand: Operand, level: int) -> None:
    """Types, subgraphs, unknown ranks and extensions begin at a level."""
    assert operand_level(operand) == level
