"""Tables of performance. Source of all expectations: docs/contract/sample-driver.md 11, docs/contract/hal.md 6.3."""

from nnvet.driver_kit.base_device import make_capabilities
from nnvet.hal.types import PerformanceInfo

FAST, SLOW, RELAXED = PerformanceInfo(0.5, 0.25), PerformanceInfo(2.0, 4.0), PerformanceInfo(0.75, 1.5)


def test_made_tables_list_types_0_to_14() -> None:
    """All types but FLOAT32 and TENSOR_FLOAT32 get the default, and so does control flow."""
    made = make_capabilities(SLOW, FAST, RELAXED)
    assert [int(entry.type) for entry in made.operand_performance] == list(range(15))
    assert [entry.info for entry in made.operand_performance] == [FAST, SLOW, SLOW, FAST, *[SLOW] * 11]
    assert made.relaxed_float32_to_float16_performance_scalar == RELAXED
    assert made.relaxed_float32_to_float16_performance_tensor == RELAXED
    assert (made.if_performance, made.while_performance) == (SLOW, SLOW)
