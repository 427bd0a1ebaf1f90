"""Blame for a case: the place in the driver that an exception or a death reveals, beside the verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from nnvet.adapters import DriverCrash, DriverGone
from nnvet.adapters.service.belongings import taken_in
from nnvet.conformance.engine.outcome import UNSUPPORTED, Outcome, fail
from nnvet.diagnostics.exceptions import places_of_threads, raised_in
from nnvet.diagnostics.native_faults import find_fault
from nnvet.generators.specs import SpecError
from nnvet.hal.errors import HalError
from nnvet.hal.rules import all_rules
from nnvet.reports.events import Verdict
from nnvet.reports.evidence import HUNG_IN, SPEC
from nnvet.transport.wire.failures import CONTRADICTION

SANITIZER: Final = "driver/sanitizer"
"""Rule of a fault that a sanitizer has reported without ending the process."""
PROCESS: Final = "driver/process"


def judge_errors(outcome: Outcome, unintended: Sequence[HalError]) -> Outcome:
    """The outcome; FAIL if the driver is right, or does without what the case needs, by errors that are no decisions.

    ``unintended`` are such errors of the case. A driver that does not support a model has said so, whatever it raises
    when it is asked to prepare it all the same.
    """
    lawful = outcome.verdict is Verdict.PASS or (outcome.verdict is Verdict.UNSUPPORTED and outcome.rule != UNSUPPORTED)
    if not lawful or not unintended:
        return outcome
    error = unintended[0]
    contradicts = error.rule == CONTRADICTION
    reason = error.message if contradicts else f"a call fails, but not by the driver's decision: {error}"
    return fail(error.rule, reason, **outcome.evidence).outcome


def add_blame(outcome: Outcome, output: Callable[[], str]) -> Outcome:
    """The outcome; if the driver has raised an exception, with its place and with what the driver printed.

    ``output`` tells what that is. A driver in this process prints for itself.
    """
    if outcome.verdict is not Verdict.FAIL:
        return outcome
    place = raised_in(outcome.reason)
    if not place:
        return outcome
    printed = output()
    printed_evidence = {"stderr_tail": printed} if printed else {}
    return replace(outcome, evidence={**outcome.evidence, "raised": place, **printed_evidence})


def judge_reports(outcome: Outcome, output: Callable[[], str]) -> Outcome:
    """The outcome; FAIL if a sanitizer has reported a fault of the driver, which went on all the same."""
    fault = find_fault(output())
    if fault is None or not fault.tool:
        return outcome
    beside = {} if outcome.verdict is Verdict.PASS else {"beside": f"{outcome.verdict}: {outcome.reason}"}
    return fail(
        SANITIZER,
        f"a sanitizer reports a fault of the driver, which goes on: {fault}",
        fault=fault.name,
        place=fault.place,
        frames=fault.places,
        stderr_tail=fault.report,
        **beside,
    ).outcome


def death_outcome(death: DriverGone) -> Outcome:
    """CRASH or HANG, with what is known of the process and of what it was sent; ERROR if the suite is to blame."""
    if death.evidence.suite_fault:
        return Outcome(Verdict.ERROR, reason=death.evidence.suite_fault, evidence=death.evidence.as_dict())
    verdict = Verdict.CRASH if isinstance(death, DriverCrash) else Verdict.HANG
    taken = taken_in(death.evidence.stderr_tail)
    rule, message = (PROCESS, f"{death.evidence.call}: {taken[0]}") if taken else (death.rule, death.message)
    evidence = {"sentence": all_rules()[rule].sentence, **death.circumstances, **death.evidence.as_dict()}
    change = death.circumstances.get("change")
    reason = f"{message}, sent: {change}" if change else message
    outcome = Outcome(verdict, rule, reason, evidence)
    places = places_of_threads(death.evidence.stderr_tail) if verdict is Verdict.HANG else ()
    # A driver that goes round in circles is somewhere else in every run.
    return outcome.with_timings({HUNG_IN: ", ".join(places)}) if places else outcome


def process_outcome(output: str) -> Outcome | None:
    """FAIL for what a driver has taken from its service, which says so in its output; None if it has taken nothing."""
    taken = taken_in(output)
    return fail(PROCESS, "; ".join(taken)).outcome if taken else None


def spec_outcome(error: SpecError) -> Outcome:
    """ERROR, with the file and line that whoever wrote the spec has to look at."""
    return Outcome(Verdict.ERROR, reason=str(error), evidence={SPEC: f"{error.path}:{error.line}"})
