"""Outputs that nobody reads: an operation that does not write one cannot say what it is like."""

import pytest
from msgspec.structs import replace

from nnvet.conformance.kit.executing import Answer, Executor, TestConfig
from nnvet.conformance.kit.judging import check_answer
from nnvet.conformance.kit.outcome import CaseFailed
from nnvet.graphs.builder import sum_of_two
from nnvet.graphs.editor import with_operands
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.types import OutputShape

SUM = sum_of_two("sum", [[1.0, 2.0]], [[3.0, 4.0]], [[4.0, 6.0]])
(PLACE,) = SUM.main.output_indexes
IGNORED = replace(SUM, main=with_operands(SUM.main, {PLACE: replace(SUM.main.operands[PLACE], is_ignored=True)}))


def judged(test: TestModel, shape: OutputShape) -> bool:
    """Judge an answer of one output."""
    return check_answer(Answer(ErrorStatus.NONE, (shape,)), test, TestConfig(Executor.SYNC))


def test_the_shape_of_an_ignored_output_is_free() -> None:
    """That of another one is not; and whether there was space enough is asked of both."""
    assert judged(SUM, OutputShape((1, 2)))
    assert judged(IGNORED, OutputShape(()))
    with pytest.raises(CaseFailed) as wrong:
        judged(SUM, OutputShape(()))
    assert wrong.value.outcome.rule == "execution/output.dimensions"
    with pytest.raises(CaseFailed) as small:
        judged(IGNORED, OutputShape((), is_sufficient=False))
    assert small.value.outcome.rule == "execution/output.insufficient"
