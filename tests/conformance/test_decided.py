"""Exceptions: no check takes one for the refusal that it expects, nor for a lack of support."""

from pathlib import Path

import pytest

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.nearest import resolve
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import Case
from nnvet.conformance.kit.outcome import PASSED, Finished, Outcome, fail, judge_errors, passed, unsupported
from nnvet.conformance.kit.preparing import _judge_refusal
from nnvet.hal.errors import failure
from nnvet.hal.types import Model, Operand, OperandLifeTime, Operation, OperationType, Subgraph
from nnvet.hal.types import OperandType as T
from nnvet.reports.events import Verdict

DRIVERS = Path(__file__).with_name("careless.py")
KNOWN = "float32-INTENDED_AT_COMPILE_AND_EXECUTE-INTENDED_AT_COMPILE_NOT_SET_AT_EXECUTE"
LATER = (
    f"TestUnknownDimensions/Test/{KNOWN}",
    "TestUnspecifiedDimensions/Test/float32-TEMPORARY_VARIABLE-FULLY_SPECIFIED-FULLY_SPECIFIED",
    "FenceTest/BadDescriptor/plain",
    "FenceTest/ErrorBefore/reusable",
    "TimingTest/Failed/sync",
    "TimingTest/Insufficient/fenced",
    "ConcurrencyTest/InFlightReusable",
    "MemoryLeakTest/convTooLarge",
    "TestValidation/DimensionProductOverflow2/DynamicOutputShapeOverflow/sync",
    "MemoryTypeTest/OpaqueHardwareBuffer/input",
    "MemoryDomainExecutionTest/FailedExecution/TENSOR_FLOAT32_sync",
    "MemoryDomainCopyTest/CopyTo_UninitializedMemory/TENSOR_FLOAT32",
    "ValidateBurst/ShortMemory",
)
"""Cases that want an error of a prepared model, a burst or a buffer, and leave its status open."""
AT_ONCE = (
    "MemoryTypeTest/InvalidModelPool/offset_negative",
    "CompilationCachingTest/NotAFile/TENSOR_FLOAT32",
    "CompilationCachingSecurityTest/SwappedCacheFiles/TENSOR_FLOAT32",
)
"""The same for errors of a device."""


def outcomes(driver: str, *cases: str) -> dict[str, Outcome]:
    """Return the ends of cases, run in process."""
    catalogue = Catalogue([], with_checks=True)
    known: list[Case] = [resolve(catalogue, case) for case in cases]
    ended = run_cases(known, Target(driver, in_process=True, timeout_s=20))
    return {event.case: event.outcome for event in ended if isinstance(event, Finished)}


@pytest.mark.parametrize(("name", "cases"), [("raising_later", LATER), ("raising", AT_ONCE)])
def test_an_exception_is_no_refusal(name: str, cases: tuple[str, ...]) -> None:
    """Whatever kind of error a check wants: an exception is FAIL by the rule that exceptions break."""
    found = outcomes(f"python:{DRIVERS}:{name}", *cases)
    assert {case: (result.verdict, result.rule) for case, result in found.items()} == dict.fromkeys(
        cases, (Verdict.FAIL, "driver/exception")
    )
    assert all("raised ValueError" in result.reason for result in found.values())


def test_a_refusal_is_one() -> None:
    """The same driver that refuses in words passes the same cases."""
    assert {outcome.verdict for outcome in outcomes("reference", *LATER, *AT_ONCE).values()} == {Verdict.PASS}


def test_what_an_exception_changes() -> None:
    """An exception turns a right answer and a lack into FAIL; a failure keeps its rule, and evidence is kept."""
    slip = [failure("raised KeyError", "driver/exception")]
    lacks, wrong = unsupported("none", "cache/retrieval").outcome, fail("execution/status", "no").outcome
    for outcome in (PASSED, passed(mutants=3), lacks):
        changed = judge_errors(outcome, slip)
        assert (changed.verdict, changed.rule) == (Verdict.FAIL, "driver/exception")
        assert outcome.evidence.items() <= changed.evidence.items()
        assert judge_errors(outcome, []) is outcome
    for outcome in (wrong, unsupported("the driver does not support ADD").outcome):
        assert judge_errors(outcome, slip) is outcome


@pytest.mark.parametrize(
    ("kinds", "named"),
    [
        ((T.TENSOR_FLOAT32, T.TENSOR_FLOAT32, T.TENSOR_FLOAT32, T.INT32), "CONV_2D with TENSOR_FLOAT32"),
        (
            (T.TENSOR_QUANT8_ASYMM, T.TENSOR_QUANT8_SYMM_PER_CHANNEL, T.TENSOR_INT32, T.INT32),
            "CONV_2D with TENSOR_QUANT8_ASYMM and TENSOR_QUANT8_SYMM_PER_CHANNEL",
        ),
        ((T.TENSOR_INT32, T.INT32), "CONV_2D with TENSOR_INT32"),
        ((), "CONV_2D"),
    ],
)
def test_what_is_not_supported_has_its_types(kinds: tuple[T, ...], named: str) -> None:
    """Types of data and weights decide on support; that of a bias is the same for all."""
    operands = tuple(Operand(kind, (1,), lifetime=OperandLifeTime.SUBGRAPH_INPUT) for kind in kinds)
    operation = Operation(OperationType.CONV_2D, tuple(range(len(kinds))), ())
    outcome = _judge_refusal(
        Model(Subgraph(operands, (operation,), (), ())), (False,), failure("no", "prepare/supported")
    )
    assert outcome.verdict is Verdict.UNSUPPORTED
    assert outcome.reason == f"the driver does not support {named}"
