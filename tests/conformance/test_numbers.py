"""Numbers of passed cases: digests, shares, notes of quality, and what strict bounds make of these."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.conformance.kit.judging import check_bounds, precision_rules
from nnvet.conformance.kit.numbers import BOUND_RULE, NumberRecorder, grade_outcome, recording
from nnvet.conformance.kit.outcome import PASSED, CaseFailed, Outcome, fail
from nnvet.generators.random_graphs.golden import estimates
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.editor import with_operands
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import OperandType, OperationType
from nnvet.reports.events import Numbers, Verdict

F32 = OperandType.TENSOR_FLOAT32
ALLOWED = float(np.float32(1e-5)) + 3 * 5 * 2.0**-23


def addition(shape: tuple[int, ...] = (2,)) -> TestModel:
    """1 + 2, twice."""
    graph = GraphBuilder()
    inputs = [graph.input(F32, shape, [value, value]) for value in (1.0, 2.0)]
    output = graph.output(F32, shape, [3.0, 3.0])
    graph.operation(OperationType.ADD, (*inputs, graph.scalar(OperandType.INT32, 0)), output)
    return graph.finish("addition")


def answer(*values: float) -> list[np.ndarray]:
    """An output, flat."""
    return [np.array(values, np.float32)]


def noted(test: TestModel, *values: float) -> NumberRecorder:
    """Return the numbers that judging an answer by bounds leaves behind."""
    with recording() as found:
        check_bounds(test, answer(*values), estimates(test))
    return found


def digest(test: TestModel, *answers: list[np.ndarray]) -> str:
    """The digest of some answers."""
    found = NumberRecorder()
    for arrays in answers:
        found.outputs(test, arrays)
    assert found.numbers is not None
    return found.numbers.digest


def test_digests_are_of_bits() -> None:
    """Signs of zero, payloads of NaN, places and shapes count; the same gives the same."""
    test = addition()
    nan = np.array([0x7FC00000, 0x7FC00001], np.uint32).view(np.float32)
    answers = [answer(0.0, 1.0), answer(-0.0, 1.0), answer(1.0, 0.0), [nan], [nan[::-1]]]
    assert len({digest(test, arrays) for arrays in answers}) == len(answers)
    assert digest(test, answer(0.0, 1.0)) == digest(test, answer(0.0, 1.0))
    assert digest(addition((1, 2)), answer(0.0, 1.0)) != digest(test, answer(0.0, 1.0))


def test_equal_answers_count_once() -> None:
    """Equal answers count once, however often a driver is asked; another answer counts."""
    test = addition()
    one, other = answer(1.0, 2.0), answer(2.0, 1.0)
    assert digest(test, one, one, one) == digest(test, one)
    assert digest(test, one, other) != digest(test, one)
    assert digest(test, one, other, one) == digest(test, one, other)


def test_outputs_that_nobody_reads_do_not_count() -> None:
    """The content of a scratch buffer is not drift."""
    test = addition()
    place = test.main.output_indexes[0]
    ignored = replace(test, main=with_operands(test.main, {place: replace(test.main.operands[place], is_ignored=True)}))
    assert digest(ignored, answer(1.0, 2.0)) == digest(ignored, answer(5.0, 2.0))


def test_shares() -> None:
    """Of a spec: half of its tolerance; by bounds: nothing of the bound, or all of it where it is crossed."""
    with recording() as by_tolerance:
        precision_rules(addition(), [np.array([3.0, 3.0 + ALLOWED / 2])])
    assert by_tolerance.numbers is not None
    assert by_tolerance.numbers.tolerance_used == pytest.approx(0.5, abs=1e-3)
    assert by_tolerance.numbers.bound_used is None
    right = noted(addition(), 3.0, 3.0)
    assert (right.tolerance_used, right.bound_used, right.note) == (0.0, 0.0, None)


def test_a_note_has_both_limits() -> None:
    """The worst element, with the tolerance that it keeps and the bound that it does not."""
    found = noted(addition(), 3.0, 3.0 + 2.0**-20)
    assert found.note is not None
    worst = found.note.evidence["worst"]
    assert (worst["output"], worst["index"]) == (0, [1])
    assert (worst["expected"], worst["actual"], worst["difference"]) == (3.0, 3.0 + 2.0**-20, 2.0**-20)
    assert worst["tolerance"] == pytest.approx(ALLOWED, rel=1e-6)
    assert worst["bound"] == pytest.approx(2.0**-23, rel=1e-6)
    assert found.note.evidence["crossed"] == "bound"
    # Eight times the bound of half a unit in the last place.
    assert found.bound_used == pytest.approx(8.0)
    assert found.tolerance_used == pytest.approx(2.0**-20 / ALLOWED, rel=1e-3)


def exponential(answered: float, *declared: str) -> NumberRecorder:
    """The numbers of an answer for e to the 1, of a driver that declares liberties."""
    graph = GraphBuilder()
    graph.operation(OperationType.EXP, (graph.input(F32, (1,), [1.0]),), graph.output(F32, (1,), [np.e]))
    test = graph.finish("exponential")
    with recording(declared) as found:
        check_bounds(test, answer(answered), estimates(test))
    return found


def test_declared_liberties_widen_the_bound() -> None:
    """Of e^1 everybody may be 3.2 units in the last place off, OpenCL's functions 3 more, and no others.

    A unit is 2^-22 here. The first is 2^-23 e (1 + |x|), docs/contract/accuracy.md 2, and half a unit for rounding; the
    second is OpenCL's 3 ulp for exp.
    """
    right, four, eight = (float(np.float32(np.e)) + units * 2.0**-22 for units in (0, 4, 8))
    undeclared = exponential(four).note
    assert undeclared is not None
    assert undeclared.evidence["right_with"] == ["opencl-functions"]
    assert exponential(four, "winograd-4").note is not None
    found = exponential(four, "winograd-4", "opencl-functions")
    assert (found.note, list(found.needed)) == (None, ["opencl-functions"])
    assert grade_outcome(PASSED, found, strict=True).evidence["needs"] == ["opencl-functions"]
    assert exponential(eight, "opencl-functions").note is not None
    assert list(exponential(right, "opencl-functions").needed) == []


def test_outside_of_the_tolerance() -> None:
    """The contract is broken, whatever is strict; the evidence names both limits."""
    with pytest.raises(CaseFailed) as failed, recording():
        check_bounds(addition(), answer(3.0, 3.0 + 2e-5), estimates(addition()))
    outcome = failed.value.outcome
    assert (outcome.verdict, outcome.rule) == (Verdict.FAIL, "execution/output.value")
    assert outcome.evidence["crossed"] == "tolerance"
    assert outcome.evidence["worst"]["tolerance"] == pytest.approx(ALLOWED, rel=1e-6)
    assert outcome.evidence["worst"]["bound"] == pytest.approx(2.0**-23, rel=1e-6)


def test_drift_is_a_matter_of_quality() -> None:
    """A thousand results, each within its bound, all on one side."""
    graph = GraphBuilder()
    numbers = np.random.default_rng(0)
    values = [numbers.uniform(1, 2, 1000).astype(np.float32) for _ in range(2)]
    inputs = [graph.input(F32, (1000,), value) for value in values]
    output = graph.output(F32, (1000,), np.zeros(1000))
    graph.operation(OperationType.MUL, (*inputs, graph.scalar(OperandType.INT32, 0)), output)
    test = graph.finish("products")
    exact = values[0].astype(np.float64) * values[1]
    cut = exact.astype(np.float32)
    cut = np.where(cut > exact, np.nextafter(cut, np.float32(0)), cut)
    with recording() as found:
        check_bounds(test, [cut], estimates(test))
    assert found.note is not None
    assert found.note.evidence["worst"]["bound"] > 0


def test_grading() -> None:
    """A PASS gets the numbers and the note; strict bounds make a FAIL of the note; failures stay as they are."""
    found = noted(addition(), 3.0, 3.0 + 2.0**-20)
    found.outputs(addition(), answer(3.0, 3.0))
    lenient = grade_outcome(PASSED, found, strict=False)
    assert lenient.verdict is Verdict.PASS
    assert lenient.numbers is not None
    assert lenient.numbers.quality == lenient.evidence["quality"]["reason"] != ""
    assert lenient.evidence["quality"]["rule"] == BOUND_RULE
    strict = grade_outcome(PASSED, found, strict=True)
    assert (strict.verdict, strict.rule, strict.numbers) == (Verdict.FAIL, BOUND_RULE, None)
    assert strict.evidence["worst"] == lenient.evidence["quality"]["worst"]
    failure = grade_outcome(fail("execution/status", "no", status="NONE").outcome, found, strict=True)
    assert (failure.verdict, failure.rule, failure.numbers) == (Verdict.FAIL, "execution/status", None)
    assert failure.evidence["status"] == "NONE"
    # ADD of 1 and 2 is off by 4 units of the last place; only what is rounded at all has limits.
    for result in (lenient, strict, failure):
        assert result.evidence["positions"]["ADD TENSOR_FLOAT32"]["ieee-strict"] == 8
        assert result.evidence["positions"]["ADD TENSOR_FLOAT32"]["vulkan"] == 4
    hang = Outcome(Verdict.HANG, "harness/hang", "late")
    assert grade_outcome(hang, found, strict=True) is hang


def test_a_case_without_values_has_no_numbers() -> None:
    """Nothing is made up."""
    assert grade_outcome(PASSED, NumberRecorder(), strict=True).numbers is None
    one = NumberRecorder(seen={b"12345678": None})
    assert grade_outcome(PASSED, one, strict=True).numbers == Numbers(b"12345678".hex())
