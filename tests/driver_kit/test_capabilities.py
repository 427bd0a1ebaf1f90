"""Tables of performance, made and read by hand. Source of all expectations: sample driver sheet 11, HAL contract 6."""

import pytest
from msgspec.structs import replace

from nnvet.driver_kit.capabilities import (
    FLT_MAX,
    LegacyCapabilities,
    convert_capabilities,
    from_legacy,
    is_compliant,
    lookup,
    make_capabilities,
    non_extension_operand_performance,
    to_legacy,
    update,
)
from nnvet.hal.types import Capabilities, OperandPerformance, OperandType, PerformanceInfo

FAST, SLOW, RELAXED = PerformanceInfo(0.5, 0.25), PerformanceInfo(2.0, 4.0), PerformanceInfo(0.75, 1.5)
UNKNOWN = PerformanceInfo(FLT_MAX, FLT_MAX)
FLOATS = (OperandType.FLOAT32, OperandType.TENSOR_FLOAT32)
GROUP = (1, 2, 4, 5, 10000, 10001)
"""INT32, UINT32, TENSOR_INT32, TENSOR_QUANT8_ASYMM, OEM, TENSOR_OEM_BYTE."""


def legacy_like(**changes: PerformanceInfo) -> Capabilities:
    """What version 1.1 can tell: floats FAST, the quantised group SLOW, relaxed RELAXED; with changes by type."""
    infos = {0: FAST, 3: FAST, **dict.fromkeys(GROUP, SLOW)}
    infos |= {int(OperandType[name]): info for name, info in changes.items()}
    table = tuple(OperandPerformance(OperandType(code), infos[code]) for code in sorted(infos))
    return Capabilities(RELAXED, RELAXED, table)


def test_largest_float32() -> None:
    """FLT_MAX is (2 - 2^-23) * 2^127."""
    assert FLT_MAX == (2 - 2**-23) * 2**127


def test_made_tables_list_types_0_to_14() -> None:
    """All types but FLOAT32 and TENSOR_FLOAT32 get the default, and so does control flow."""
    made = make_capabilities(SLOW, FAST, RELAXED)
    assert [int(entry.type) for entry in made.operand_performance] == list(range(15))
    assert [entry.info for entry in made.operand_performance] == [FAST, SLOW, SLOW, FAST, *[SLOW] * 11]
    assert made.relaxed_float32_to_float16_performance_scalar == RELAXED
    assert made.relaxed_float32_to_float16_performance_tensor == RELAXED
    assert (made.if_performance, made.while_performance) == (SLOW, SLOW)


@pytest.mark.parametrize(
    ("level", "types"),
    [
        (1, [0, 1, 2, 3, 4, 5, 10000, 10001]),
        (2, [0, 1, 2, 3, 4, 5, 10000, 10001]),
        (3, [*range(14), 10000, 10001]),
        (4, [*range(15), 10000, 10001]),
        (5, [*range(15)]),
        (8, [*range(15)]),
    ],
)
def test_types_of_a_level(level: int, types: list[int]) -> None:
    """Sorted, without SUBGRAPH; OEM types as long as there are any."""
    table = non_extension_operand_performance(FAST, level)
    assert [int(entry.type) for entry in table] == types
    assert {entry.info for entry in table} == {FAST}


def test_lookup_of_a_missing_type() -> None:
    """What the table has is found; what lies before, between or behind its entries is unknown."""
    table = (OperandPerformance(OperandType.INT32, FAST), OperandPerformance(OperandType.BOOL, SLOW))
    assert [lookup(table, code) for code in (0, 1, 3, 6, 7)] == [UNKNOWN, FAST, UNKNOWN, SLOW, UNKNOWN]
    assert lookup((), 0) == UNKNOWN


def test_update_changes_one_entry() -> None:
    """The type has to be there already."""
    table = non_extension_operand_performance(SLOW, 1)
    changed = update(table, OperandType.INT32, FAST)
    assert [entry.info for entry in changed] == [SLOW, FAST, *[SLOW] * 6]
    with pytest.raises(ValueError, match="TENSOR_FLOAT16"):
        update(table, OperandType.TENSOR_FLOAT16, FAST)


def test_compliance_with_1_1() -> None:
    """Relaxed figures agree with each other, floats with each other, and the quantised group with itself."""
    assert is_compliant(legacy_like(), 2)
    assert not is_compliant(replace(legacy_like(), relaxed_float32_to_float16_performance_scalar=FAST), 2)
    assert not is_compliant(legacy_like(FLOAT32=RELAXED), 2)


@pytest.mark.parametrize("code", GROUP)
def test_quantised_group_is_consistent(code: int) -> None:
    """Each type of the group alone makes a table that versions 1.0 and 1.1 cannot tell."""
    other = legacy_like(**{OperandType(code).name: FAST})
    assert [is_compliant(other, level) for level in (1, 2, 3, 4)] == [False, False, True, True]


def test_compliance_with_1_0() -> None:
    """1.0 has no figure of its own for relaxed computations."""
    assert not is_compliant(legacy_like(), 1)
    plain = replace(
        legacy_like(),
        relaxed_float32_to_float16_performance_scalar=FAST,
        relaxed_float32_to_float16_performance_tensor=FAST,
    )
    assert is_compliant(plain, 1)
    assert is_compliant(replace(plain, if_performance=RELAXED, while_performance=SLOW), 1)


def test_other_types_do_not_count_for_compliance() -> None:
    """1.0 and 1.1 do not know TENSOR_FLOAT16, whatever it is like."""
    assert is_compliant(legacy_like(TENSOR_FLOAT16=RELAXED), 2)


def test_a_table_without_oem_types_is_not_compliant() -> None:
    """A missing entry is unknown, which is not what TENSOR_QUANT8_ASYMM has."""
    assert not is_compliant(make_capabilities(FAST, FAST, FAST), 1)


def test_down_to_1_0_and_1_1() -> None:
    """Tensors speak for their groups; 1.0 has no relaxed figure."""
    mixed = legacy_like(FLOAT32=RELAXED, INT32=FAST)
    assert to_legacy(mixed, 1) == LegacyCapabilities(FAST, SLOW)
    assert to_legacy(mixed, 2) == LegacyCapabilities(FAST, SLOW, RELAXED)


def test_up_from_1_0_and_1_1() -> None:
    """The groups get their figure, control flow is unknown; 1.0 computes relaxed models as fast as floats."""
    upgraded = from_legacy(LegacyCapabilities(FAST, SLOW, RELAXED))
    assert upgraded == replace(legacy_like(), if_performance=UNKNOWN, while_performance=UNKNOWN)
    plain = from_legacy(LegacyCapabilities(FAST, SLOW))
    assert plain.relaxed_float32_to_float16_performance_scalar == FAST
    assert plain.relaxed_float32_to_float16_performance_tensor == FAST


def test_conversion_to_1_1_tells_what_is_lost() -> None:
    """By hand: of a made table, 1.1 loses the seven other types and control flow, and invents the OEM types."""
    converted, losses = convert_capabilities(make_capabilities(SLOW, FAST, RELAXED), 2)
    assert converted == replace(legacy_like(), if_performance=UNKNOWN, while_performance=UNKNOWN)
    lost = {OperandType(code).name for code in range(6, 15)}
    assert {loss.what.split(" is ")[0] for loss in losses} == lost | {
        "OEM",
        "TENSOR_OEM_BYTE",
        "if_performance",
        "while_performance",
    }
    assert all(loss.where == "capabilities" and not loss.breaks for loss in losses)
    assert "BOOL is 2/4, and told as unknown" in {loss.what for loss in losses}


def test_conversion_to_1_2_drops_newer_types() -> None:
    """TENSOR_QUANT8_ASYMM_SIGNED and control flow came with 1.3."""
    converted, losses = convert_capabilities(make_capabilities(SLOW, FAST, RELAXED), 3)
    assert [int(entry.type) for entry in converted.operand_performance] == list(range(14))
    assert (converted.if_performance, converted.while_performance) == (UNKNOWN, UNKNOWN)
    assert [loss.what.split(" is ")[0] for loss in losses] == [
        "TENSOR_QUANT8_ASYMM_SIGNED",
        "if_performance",
        "while_performance",
    ]


def test_conversion_to_aidl_drops_oem_types() -> None:
    """AIDL has no OEM types; tables without them are told as they are."""
    converted, losses = convert_capabilities(legacy_like(), 5)
    assert [int(entry.type) for entry in converted.operand_performance] == [0, 1, 2, 3, 4, 5]
    assert len(losses) == 2
    made = make_capabilities(SLOW, FAST, RELAXED)
    assert [convert_capabilities(made, level) for level in range(4, 9)] == [(made, ())] * 5
