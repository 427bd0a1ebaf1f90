"""Drivers that are wrong where an operation has certain attributes: reports name these, and the kind of the error."""

from collections import Counter
from pathlib import Path

import pytest

from nnvet.conformance.engine.attributes import attributes_of
from nnvet.conformance.engine.selection import BUNDLED_SPECS
from nnvet.generators.specs.loader import load_spec
from tests.conformance.statements import SIGNS, Grade, judge

SHORT = {
    "value-l2-pool-nchw": "L2_POOL_2D: all 8 failures have layout NCHW; of ",
    "value-reduce-sum-kept": "REDUCE_SUM: all 48 failures have keep_dims 1; of ",
    "value-sqrt-rank": "SQRT: all 6 failures have rank 3; of ",
    "value-logistic-half": "LOGISTIC: all 11 failures have type TENSOR_FLOAT16; of ",
    "value-concatenation-axis": "CONCATENATION: all 14 failures have axis 1; of ",
}


@pytest.mark.parametrize("name", SHORT)
def test_what_is_said_is_right(name: str, tmp_path: Path) -> None:
    """All failing cases have the attribute and none that passes; each has an error of the planted kind."""
    judged = judge(name, tmp_path)
    assert judged.said[0].startswith(SHORT[name])
    assert judged.said[0].endswith("none has it")
    assert (judged.common, judged.looks) == (Grade.RIGHT, Grade.RIGHT)


@pytest.mark.long
def test_most_is_said_and_nothing_misleads(tmp_path: Path) -> None:
    """Of more than forty drivers, four of five statements are right, the others missing."""
    grades: Counter[Grade] = Counter()
    misleading = {}
    for name in SIGNS:
        judged = judge(name, tmp_path / name)
        assert judged.failing, name
        found = [grade for grade in (judged.common, judged.looks) if grade]
        grades.update(found)
        if Grade.MISLEADING in found:
            misleading[name] = judged.said
    assert len(SIGNS) > 40
    assert not misleading
    assert grades[Grade.RIGHT] >= 0.8 * grades.total(), grades


def test_attributes_are_those_of_the_declaration() -> None:
    """By name; codes have the names of the contract, and what is wrong on purpose has none."""
    pools = load_spec(BUNDLED_SPECS / "V1_0" / "max_pool_2d_float.mod.py")
    found = {spec.name: attributes_of(spec) for spec in pools}
    assert found["max_pool_2d_float_same_padding"] == {
        "rank": "4",
        "padding": "SAME",
        "stride_width": "1",
        "stride_height": "2",
        "filter_width": "3",
        "filter_height": "2",
        "activation": "NONE",
    }
    (invalid, *_) = load_spec(BUNDLED_SPECS / "V1_3" / "hard_swish_invalid.mod.py")
    assert invalid.expect_failure
    assert attributes_of(invalid) == {}
