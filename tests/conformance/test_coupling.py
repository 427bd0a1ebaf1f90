"""Signed and unsigned twins: how far they may differ."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from nnvet.conformance.kit.outcome import CaseFailed
from nnvet.conformance.suites.generated.cases import check_prepared_alike, check_twins
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import TestModel
from nnvet.hal.types import OperandType, OperationType

T, Op = OperandType, OperationType


def two_inputs(operation: OperationType, *, kind: OperandType = T.TENSOR_QUANT8_ASYMM) -> TestModel:
    """An operation of two vectors of 8-bit numbers with zero point 0."""
    graph, scale = GraphBuilder(), 0.5 if kind is T.TENSOR_QUANT8_ASYMM else 0.0
    inputs = tuple(graph.input(T.TENSOR_QUANT8_ASYMM, (3,), [0, 0, 0], 0.5) for _ in range(2))
    graph.operation(operation, inputs, graph.output(kind, (3,), [0, 0, 0], scale))
    return graph.finish("two")


def off(test: TestModel, unsigned: Sequence[int], signed: Sequence[int]) -> CaseFailed | None:
    """The verdict on the codes of two twins."""
    try:
        check_twins(test, [np.array(unsigned, np.uint8)], [np.array(signed, np.int8)])
    except CaseFailed as failed:
        return failed
    return None


def test_codes_are_128_apart() -> None:
    """Both ends of the range, and the middle."""
    assert off(two_inputs(Op.ADD), [0, 128, 255], [-128, 0, 127]) is None


def test_two_codes_are_reported_with_both_values() -> None:
    """200 is 72 in the signed twin; 201 and 71 are both within the tolerance of an expected 200, but 2 apart."""
    failed = off(two_inputs(Op.ADD), [0, 201, 255], [-128, 71, 127])
    assert failed is not None
    assert failed.outcome.rule == "execution/coupling"
    worst: dict[str, Any] = failed.outcome.evidence["worst"]
    assert (worst["output"], worst["index"], worst["expected"], worst["actual"]) == (0, [1], 73, 71)
    assert worst["tolerance"] == 1


@pytest.mark.parametrize("direction", [1, -1])
def test_off_by_one_is_right(direction: int) -> None:
    """Halves may be rounded otherwise in signed codes, in either direction, and no further."""
    assert off(two_inputs(Op.MEAN), [100, 100, 100], [-28, -28 + direction, -28]) is None
    assert off(two_inputs(Op.MEAN), [100, 100, 100], [-28, -28 + 2 * direction, -28]) is not None


def test_other_outputs_agree_as_usual() -> None:
    """Real numbers computed from codes may differ by what float32 allows: 1e-5."""
    test = two_inputs(Op.DEQUANTIZE, kind=T.TENSOR_FLOAT32)
    values = np.zeros(3, np.float32)
    check_twins(test, [values], [values + np.float32(0.9e-5)])
    with pytest.raises(CaseFailed, match=r"output 0.*1\.1e-05"):
        check_twins(test, [values], [values + np.float32(1.1e-5)])


def test_executions_that_must_fail_have_nothing_to_compare() -> None:
    """No results, no difference."""
    check_twins(two_inputs(Op.ADD), [], [])


def test_answers_that_differ() -> None:
    """A report about a preparation names both twins."""
    check_prepared_alike({"unsigned": "not supported", "signed": "not supported"})
    with pytest.raises(CaseFailed) as failed:
        check_prepared_alike({"unsigned": "supported, prepared", "signed": "not supported"})
    assert failed.value.outcome.rule == "prepare/coupling"
    assert failed.value.outcome.reason.endswith("unsigned: supported, prepared, signed: not supported")
    assert "TENSOR_QUANT8_ASYMM_SIGNED" in failed.value.outcome.evidence["advice"]
