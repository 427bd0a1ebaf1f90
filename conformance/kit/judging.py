"""Judgement of a driver's answer: status, timing, output shapes, values (docs/contract/vts-tests.md 7.5 and 7.7).

Specs, random graphs, benchmarks and hand-written checks all call :func:`judge`, each with the :class:`Criteria` that
compare values: :func:`precision_rules` for specs, :func:`check_bounds` for error bounds, :func:`exactly` for
hand-written tests. The oracle (:mod:`nnvet.oracle`) computes tolerances and bounds; nothing here computes expected
values. :mod:`nnvet.conformance.kit.executing` gets the answers, and :mod:`nnvet.conformance.kit.numbers` records how
close right outputs come to their limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial
from typing import Any, Final
from zlib import crc32

import numpy as np
import numpy.typing as npt

from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.conformance.kit.alterations import describe_alteration, describe_precision
from nnvet.conformance.kit.executing import Answer, Executor, OutputType, TestConfig
from nnvet.conformance.kit.numbers import is_right_as_declared, note_outputs, recorder
from nnvet.conformance.kit.outcome import PASSED, CaseFailed, Outcome, fail, unsupported
from nnvet.generators.random_graphs.golden import estimates, position_shares
from nnvet.generators.reducer.evaluation import part_of
from nnvet.graphs.model import TestModel, TestOperand, describe_model, operation_name
from nnvet.hal.enums import NO_TIMING, ErrorStatus, OperandType
from nnvet.hal.errors import UNINTENDED, HalError
from nnvet.hal.operand_types import type_info, type_name
from nnvet.hal.types import OutputShape, Timing
from nnvet.oracle import Mismatch, Tolerance, compare, tolerance_for
from nnvet.oracle.bounds.compare import (
    CONTRACT_SOURCE,
    SOURCE,
    compare_contract,
    compare_estimate,
    error_in_bounds,
    merged,
    off_by_tolerance,
    worst_in_bounds,
)
from nnvet.oracle.bounds.liberties import DECLARED
from nnvet.oracle.bounds.precision import Estimate, is_real
from nnvet.oracle.comparison import examine, worst_frequency
from nnvet.oracle.positions.grading import GRADED
from nnvet.oracle.random_graphs import Drift
from nnvet.reports.events import Verdict
from nnvet.reports.pictures import PICTURE

Array = npt.NDArray[Any]

Criteria = Callable[[TestModel, Sequence[Array]], None]
"""Function that compares the flat outputs of a test with the expected ones; raises ``CaseFailed``."""

_DEADLINES: Final = (ErrorStatus.MISSED_DEADLINE_TRANSIENT, ErrorStatus.MISSED_DEADLINE_PERSISTENT)
"""Statuses of an execution that has missed its deadline."""
_ENDS_OF_COMMANDS: Final = {"driver/crash": Verdict.CRASH, "driver/hang": Verdict.HANG}
"""Rules by which an adapter reports that the driver, which is a command, has died; the adapter itself lives on."""
_DRAWN: Final = 8
"""Most operations of a spec's model for which the evidence describes the model; random models have no such limit."""
_EXACT: Final = Tolerance(0.0, 0.0, "whole numbers that every driver can compute: exact")
"""Tolerance of hand-written tests."""


class Expectation(StrEnum):
    """Expected status, outputs and times of an execution."""

    VALUES = "values"
    FAILURE = "failure"
    DEADLINE = "deadline"


def judge(
    test: TestModel,
    config: TestConfig,
    answer: Answer,
    expected: Expectation = Expectation.VALUES,
    criteria: Criteria | None = None,
) -> Outcome:
    """Judge an answer: PASS, FAIL with rule and evidence, or UNSUPPORTED.

    Values are compared by ``criteria``; None: by the precision rules of spec tests.
    """
    try:
        if expected is Expectation.FAILURE:
            check_failed(answer)
        elif expected is Expectation.DEADLINE:
            check_deadline_missed(answer)
        elif check_answer(answer, test, config):
            note_outputs(test, answer.outputs)
            (criteria or precision_rules)(test, answer.outputs)
    except CaseFailed as failed:
        return failed.outcome
    return PASSED


def expect(outcome: Outcome) -> None:
    """Judge an answer, and return normally only if the driver was right.

    :raises CaseFailed: the driver was wrong.
    """
    if outcome is not PASSED:
        raise CaseFailed(outcome)


def check_answer(answer: Answer, test: TestModel, config: TestConfig) -> bool:
    """Check everything except values; return True if there are values to compare.

    :raises CaseFailed: a rule is broken, or the driver may and does refuse.
    """
    expected = _expected_status(test, config)
    if answer.status != expected:
        check_reached(answer)
        if config.output is not OutputType.FULLY_SPECIFIED and answer.status == ErrorStatus.GENERAL_FAILURE:
            check_decided(answer)
            raise unsupported("the driver does not support outputs of unknown size: " + answer.message)
        raise _blame_status(answer, expected)
    _check_timing(answer.timing, measured=config.measure and expected == ErrorStatus.NONE)
    if expected in (ErrorStatus.NONE, ErrorStatus.OUTPUT_INSUFFICIENT_SIZE):
        _check_shapes(answer.output_shapes, test, config)
    elif answer.output_shapes:
        raise fail("execution/output.shapes", f"output shapes are reported with {answer.status.name}")
    return expected == ErrorStatus.NONE


def check_failed(answer: Answer) -> None:
    """Check the answer to an execution that cannot succeed: it must be an intended error.

    :raises CaseFailed: the execution succeeded, or the driver raised an unintended error.
    """
    if answer.status == ErrorStatus.NONE:
        raise fail("execution/expected_failure", "preparation and execution succeed, one of them must fail")
    check_decided(answer)


def check_decided(answer: Answer) -> None:
    """Check that an error is an intended one of the driver.

    :raises CaseFailed: it is an uncaught exception, or malformed; UNSUPPORTED if the driver has not seen the request.
    """
    check_reached(answer)
    if answer.rule in UNINTENDED:
        raise fail(answer.rule, f"the driver fails, but not by its own decision: {answer.message}")


def check_reached(answer: Answer | HalError) -> None:
    """Check that a refusal comes from the driver itself, and not from an adapter in front of it.

    :raises CaseFailed: UNSUPPORTED if the adapter could not express the request; CRASH or HANG if the driver is a
        command that has ended, while its adapter lives on.
    """
    if answer.rule == INEXPRESSIBLE:
        raise unsupported(f"the adapter cannot pass on it: {answer.message}", answer.rule)
    if answer.rule in _ENDS_OF_COMMANDS:
        failed = fail(answer.rule, answer.message).outcome
        raise CaseFailed(replace(failed, verdict=_ENDS_OF_COMMANDS[answer.rule]))


def check_deadline_missed(answer: Answer) -> None:
    """Check the answer to a loop without end.

    :raises CaseFailed: the execution was not aborted with MISSED_DEADLINE.
    """
    if answer.status not in _DEADLINES:
        raise _blame_status(answer, ErrorStatus.MISSED_DEADLINE_TRANSIENT)


def precision_rules(test: TestModel, outputs: Sequence[Array]) -> None:
    """Compare outputs as spec tests demand (:mod:`nnvet.oracle.comparison`), or by error bounds if a spec asks for it.

    :raises CaseFailed: an output is wrong; the reason names the worst element of the first such output.
    """
    note_outputs(test, outputs)
    if test.expected_multinomial_distribution_tolerance:
        _check_multinomial(outputs[0], test)
        return
    if test.traits.is_bounded:
        check_bounds(test, outputs, estimates(test))
        return
    relaxed = is_relaxed(test)
    for position, (result, operand) in enumerate(zip(outputs, test.main.outputs, strict=True)):
        if operand.is_ignored or operand.data is None:
            continue
        tolerance = tolerance_for(operand.type, relaxed=relaxed, whole_network=test.traits.is_whole_network)
        if tolerance is None:
            raise fail("execution/output.value", f"output {position}: {type_name(operand.type)} cannot be compared")
        found = examine(in_shape(result, operand), in_shape(operand.data, operand), tolerance)
        if isinstance(found, Mismatch):
            graph: dict[str, Any] = {"graph": describe_model(test)} if len(test.main.operations) <= _DRAWN else {}
            raise wrong_values(_describe_cause(found, test, position, result, operand.data), position, **graph)
        note_share(found, tolerance)


def note_share(share: float, tolerance: Tolerance) -> None:
    """Note, for the case under way, the share of its tolerance that an output uses; exact outputs have no tolerance."""
    if (numbers := recorder()) is not None and not tolerance.is_exact:
        numbers.uses(tolerance=share)


def tolerances(test: TestModel) -> list[Tolerance | None]:
    """Return the tolerances of each output's elements, as :func:`precision_rules` uses them; None: it uses none."""
    if test.traits.is_bounded:
        return bounded_tolerances(test)
    relaxed, network = is_relaxed(test), test.traits.is_whole_network
    return [tolerance_for(output.type, relaxed=relaxed, whole_network=network) for output in test.main.outputs]


def bounded_tolerances(test: TestModel) -> list[Tolerance | None]:
    """Return the largest bound of an element for each output; None if some elements may have any value."""
    largest = [float(np.max(estimate.error, initial=0.0)) for estimate in estimates(test)]
    source = f"{SOURCE}, the largest of the output"
    return [Tolerance(error, 0.0, source) if np.isfinite(error) else None for error in largest]


def check_bounds(test: TestModel, results: Sequence[Array], found: Sequence[Estimate]) -> None:
    """Compare flat outputs with their error bounds, and those that cross a bound with the contract's own tolerances.

    A crossed bound within the contract is noted as a matter of quality (:mod:`nnvet.conformance.kit.numbers`).

    :raises CaseFailed: an output breaks the contract.
    """
    if test.expected_multinomial_distribution_tolerance:
        _check_multinomial(results[0], test)
        return
    _note_positions(test, results, found)
    crossed: dict[int, Mismatch | Drift] = {}
    for position, (operand, result, bounds) in enumerate(zip(test.main.outputs, results, found, strict=True)):
        if operand.is_ignored:
            continue
        wrong = compare_estimate(result, bounds)
        if wrong is not None:
            crossed[position] = wrong
    # Carried tolerances take as long to compute as the bounds, so they are computed only if a bound is crossed.
    allowed = estimates(test, contract=True) if crossed else found
    _check_contract(test, results, found, allowed, crossed)
    _note_shares(test, results, found, allowed)


def _note_positions(test: TestModel, results: Sequence[Array], found: Sequence[Estimate]) -> None:
    """Note the stated numeric positions that an operation keeps, also a wrong operation: they may explain the error.

    A position is a stated way to compute, such as float16 accumulation (docs/oracle.md).
    """
    if (numbers := recorder()) is None or (graded := _choose_graded(test)) is None:
        return
    single, position = graded
    output = single.main.outputs[0]
    if output.is_ignored or not (shares := position_shares(single, found[position], results[position])):
        return
    # Fast convolution algorithms are graded apart, because the same driver may form plain sums elsewhere.
    forms = (("relaxed", test.is_relaxed), ("3x3", shares["winograd-2"] is not None))
    kind = " ".join((type_name(output.type), *(form for form, is_so in forms if is_so)))
    numbers.keeps(f"{makers(single)[single.main.output_indexes[0]]} {kind}", shares)


def _choose_graded(test: TestModel) -> tuple[TestModel, int] | None:
    """Return a model of the operation to grade, and the index of its first output; None if operations read each other.

    Grading takes as long as computing, so only one of several operations is graded; the model's name chooses it.
    """
    operations = test.main.operations
    if len(operations) == 1:
        return test, 0
    written = {index for operation in operations for index in operation.outputs}
    if not written.isdisjoint(index for operation in operations for index in operation.inputs):
        return None
    candidates = [place for place, operation in enumerate(operations) if operation.type in GRADED]
    if not candidates:
        return None
    chosen = candidates[crc32(test.name.encode()) % len(candidates)]
    position = test.main.output_indexes.index(operations[chosen].outputs[0])
    return part_of(test, [chosen], None)[0], position


def _note_shares(
    test: TestModel, results: Sequence[Array], found: Sequence[Estimate], carried: Sequence[Estimate]
) -> None:
    """Note the shares of bounds and tolerances that outputs use; ``carried`` is ``found`` if none are carried."""
    if (numbers := recorder()) is None:
        return
    is_single, relaxed = len(test.main.operations) == 1, is_relaxed(test)
    outputs = zip(test.main.outputs, results, found, carried, strict=True)
    for operand, result, tight, wide in outputs:
        if operand.is_ignored or result.size != tight.value.size:
            continue
        tolerance = tolerance_for(operand.type, relaxed=relaxed)
        share: float | None = None
        if tolerance is not None and wide.is_carried:
            share = error_in_bounds(result, merged(tight, wide)) if is_real(tight.as_operand) else None
        elif tolerance is not None and wide is tight and is_single and not tight.is_exact:
            share = off_by_tolerance(result, tight, tolerance)
        numbers.uses(tolerance=share, bound=None if tight.is_exact else error_in_bounds(result, tight))


def _check_contract(
    test: TestModel,
    results: Sequence[Array],
    found: Sequence[Estimate],
    allowed: Sequence[Estimate],
    crossed: Mapping[int, Mismatch | Drift],
) -> None:
    """Compare outputs that cross their bounds with the contract, and note those that keep it.

    :raises CaseFailed: one breaks it.
    """
    for position, wrong in crossed.items():
        tight, wide = found[position], allowed[position]
        maker = makers(test).get(test.main.output_indexes[position], "")
        evidence: dict[str, Any] = {"made_by": maker, "graph": describe_model(test)}
        broken = compare_contract(results[position], tight, wide)
        if broken is not None:
            known = _describe_cause(broken, test, position, results[position], tight.value)
            failed = wrong_values(known, position, crossed="tolerance", **evidence)
            failed.outcome.evidence["worst"]["bound"] = float(tight.error[broken.index])
            raise failed
        is_right = partial(_is_right, test, results[position], position)
        if is_right_as_declared(is_right):
            continue
        evidence["right_with"] = _list_explaining(test, is_right)
        # In a drift no single element is wrong; the element that uses most of its bound stands for all.
        worst = worst_in_bounds(results[position], tight) if isinstance(wrong, Drift) else wrong
        note_crossed(worst, position, float(merged(tight, wide).error[worst.index]), str(wrong), **evidence)


def _is_right(test: TestModel, result: Array, position: int, liberties: Sequence[str]) -> bool:
    """Return True if an output is within its bounds when the driver may take the liberties."""
    return compare_estimate(result, estimates(test, liberties=liberties)[position]) is None


def _list_explaining(test: TestModel, is_right: Callable[[Sequence[str]], bool]) -> list[str]:
    """Return the liberties that would, each alone, make an output right that crosses its bound."""
    operations = {operation.type for subgraph in test.subgraphs for operation in subgraph.operations}
    return [name for name, liberty in DECLARED.items() if liberty.operations & operations and is_right([name])]


def note_crossed(worst: Mismatch, position: int, tolerance: float, how: str = "", **evidence: Any) -> None:
    """Note that an output crosses its error bound but keeps the contract, which allows ``tolerance`` at that element.

    ``how`` describes it in words; by default the description of the mismatch is used.
    """
    if (numbers := recorder()) is None:
        return
    element = {**_element_evidence(worst, position), "tolerance": tolerance, "tolerance_source": CONTRACT_SOURCE}
    element |= {"bound": worst.allowed, "bound_source": worst.source}
    reason = f"inside the contract, outside of the error bound: output {position}: {how or worst}"
    numbers.quality(reason, worst=element, crossed="bound", **evidence)


def makers(test: TestModel) -> dict[int, str]:
    """Return the operation that writes each operand, by the operand's index."""
    return {index: operation_name(operation.type) for operation in test.main.operations for index in operation.outputs}


def exactly(test: TestModel, outputs: Sequence[Array]) -> None:
    """Compare outputs with expected whole numbers, as hand-made tests have them: every element has to be equal."""
    for position, (result, operand) in enumerate(zip(outputs, test.main.outputs, strict=True)):
        if operand.data is None:
            continue
        mismatch = compare(in_shape(result, operand), in_shape(operand.data, operand), _EXACT)
        if mismatch is not None:
            raise wrong_values(mismatch, position)


def is_relaxed(test: TestModel) -> bool:
    """Return True if float32 results need no more than the precision of float16."""
    return test.is_relaxed or any(
        operand.type == OperandType.TENSOR_FLOAT16 for subgraph in test.subgraphs for operand in subgraph.operands
    )


def in_shape(data: Array, operand: TestOperand) -> Array:
    """Return flat values in the shape of their operand; a scalar has one element and no dimensions."""
    return data.reshape(operand.dimensions or (data.size,))


def wrong_values(
    mismatch: Mismatch, position: int, rule: str = "execution/output.value", **evidence: Any
) -> CaseFailed:
    """Return the failure of an output with wrong elements."""
    # A description takes long, and is asked for twice.
    looks_like = mismatch.looks_like
    mismatch = replace(mismatch, describe=lambda: looks_like)
    if looks_like:
        evidence["looks_like"] = looks_like
    if picture := mismatch.draw():
        evidence[PICTURE] = picture
    return fail(
        rule,
        f"output {position}: {mismatch}",
        worst={
            **_element_evidence(mismatch, position),
            "tolerance": mismatch.allowed,
            "tolerance_source": mismatch.source,
        },
        wrong_elements=mismatch.count,
        elements=mismatch.total,
        **evidence,
    )


def _describe_cause(mismatch: Mismatch, test: TestModel, position: int, result: Array, wanted: Array) -> Mismatch:
    """Return a mismatch that is described by what its driver seems to have computed, or else by its elements."""

    def describe() -> str:
        flat = test, position, result.reshape(-1), wanted.reshape(-1)
        return describe_alteration(*flat) or mismatch.looks_like or describe_precision(*flat)

    return replace(mismatch, describe=describe)


def _element_evidence(mismatch: Mismatch, position: int) -> dict[str, Any]:
    """Return the evidence about the worst element of an output."""
    return {
        "output": position,
        "index": list(mismatch.index),
        "expected": mismatch.expected,
        "actual": mismatch.actual,
        "difference": abs(mismatch.expected - mismatch.actual),
    }


def _blame_status(answer: Answer, expected: ErrorStatus) -> CaseFailed:
    """Return the failure of an answer with a wrong status."""
    reason = f"status {answer.status.name}, expected {expected.name}"
    detail = f": {answer.message}" if answer.message else ""
    rule = "execution/status" if expected == ErrorStatus.NONE else "execution/output.insufficient"
    evidence = {"status": answer.status.name, "driver_message": answer.message, "driver_rule": answer.rule}
    return fail(rule, reason + detail, **evidence)


def _expected_status(test: TestModel, config: TestConfig) -> ErrorStatus:
    """Return the status that the contract demands for a valid request of a configuration."""
    if config.executor is Executor.FENCED and (
        config.output is not OutputType.FULLY_SPECIFIED or any(0 in o.dimensions for o in test.main.outputs)
    ):
        return ErrorStatus.INVALID_ARGUMENT
    return ErrorStatus.OUTPUT_INSUFFICIENT_SIZE if config.output is OutputType.INSUFFICIENT else ErrorStatus.NONE


def _check_timing(timing: Timing, *, measured: bool) -> None:
    """Check that times are reported only if they were asked for, and are ordered."""
    device, driver = timing.time_on_device_ns, timing.time_in_driver_ns
    if not measured:
        if timing != Timing():
            raise fail("execution/timing", "timing is reported without being asked for, or with an error")
    elif NO_TIMING not in (device, driver) and device > driver:
        raise fail("execution/timing", f"{device} ns on the device, but {driver} ns in the driver")


def _check_shapes(shapes: Sequence[OutputShape], test: TestModel, config: TestConfig) -> None:
    """Check number, sufficiency and dimensions of the reported output shapes."""
    outputs = test.main.outputs
    if not shapes and config.output is OutputType.FULLY_SPECIFIED:
        return
    if len(shapes) != len(outputs):
        raise fail("execution/output.shapes", f"{len(shapes)} output shapes for {len(outputs)} outputs")
    for position, (shape, operand) in enumerate(zip(shapes, outputs, strict=True)):
        short = config.output is OutputType.INSUFFICIENT and position == 0
        if shape.is_sufficient == short:
            rule = "execution/output.insufficient"
            raise fail(rule, f"output {position} is reported as {'' if short else 'in'}sufficient")
        # An ignored output has no expected shape, because the operation does not write it.
        is_read = not operand.is_ignored
        if is_read and not _dimensions_fit(shape.dimensions, operand, partly=config.output is OutputType.INSUFFICIENT):
            reason = f"output {position} has dimensions {list(shape.dimensions)}, expected {list(operand.dimensions)}"
            raise fail("execution/output.dimensions", reason)


def _dimensions_fit(reported: Sequence[int], operand: TestOperand, *, partly: bool) -> bool:
    """Return True if reported dimensions are the expected ones; with ``partly`` some may be unknown."""
    if not type_info(operand.type).is_tensor:
        return not reported
    if len(reported) != len(operand.dimensions):
        return False
    return all(a == b or (partly and a == 0) for a, b in zip(reported, operand.dimensions, strict=True))


def _check_multinomial(result: Array, test: TestModel) -> None:
    """Check the frequencies of random classes against the distribution that the logits give."""
    logits, output = test.main.inputs[0], test.main.outputs[0]
    if logits.data is None:
        raise fail("execution/output.value", "the test has no logits to compare with")
    tolerance = test.expected_multinomial_distribution_tolerance
    samples = result.reshape(output.dimensions).astype(np.int64)
    worst = worst_frequency(samples, logits.data.reshape(logits.dimensions), tolerance)
    if worst is not None:
        batch, label, expected, actual = worst
        reason = f"class {label} of batch {batch} has frequency {actual:.4f}, expected {expected:.4f} +- {tolerance}"
        element = {"output": 0, "index": [batch, label], "expected": expected, "actual": actual}
        element |= {"difference": abs(expected - actual), "tolerance": tolerance}
        element["tolerance_source"] = "tolerance of the distribution, given by the spec"
        raise fail("execution/output.value", reason, worst=element)
