"""Outcome of a case: verdict, rule, reason and evidence. The engine turns it into an event of the log.

:func:`fail`, :func:`passed` and :func:`unsupported` make the outcomes of checks, and ``judge_...`` change an outcome by
what else the driver has done. The evidence also gets the place in the driver's code that an exception or a crash
reveals. Events as they stand in the log are in :mod:`nnvet.reports.events`.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from nnvet.adapters.service.belongings import find_changes
from nnvet.diagnostics.exceptions import places_of_threads, raised_in
from nnvet.diagnostics.native_faults import find_fault
from nnvet.formats.errors import SpecError
from nnvet.graphs.model import TestModel
from nnvet.hal.errors import HalError
from nnvet.hal.rules import all_rules
from nnvet.hal.specification import section_of
from nnvet.reports.events import Numbers, Verdict
from nnvet.reports.evidence import HUNG_IN, SPEC, evidence_lines
from nnvet.reports.values import printable
from nnvet.transport.wire.failures import CONTRADICTION, DriverCrash, DriverGone


@dataclass(frozen=True)
class Outcome:
    """Verdict with its rule, a reason of one sentence, and evidence (see :mod:`nnvet.reports.evidence`).

    ``numbers`` belong to the outputs of a PASS (:mod:`nnvet.conformance.kit.numbers`). ``computed_by`` is the same
    as in :class:`nnvet.reports.events.CaseFinished`.
    """

    verdict: Verdict
    rule: str = ""
    reason: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)
    numbers: Numbers | None = None
    computed_by: str = ""

    def with_timings(self, more: Mapping[str, Any]) -> Outcome:
        """Return the outcome with ``more`` in its timings, the evidence that differs between equal runs."""
        timings = {**self.evidence.get("timings", {}), **more}
        return replace(self, evidence={**self.evidence, "timings": timings})

    def lines(self) -> list[str]:
        """Return reason, rule and evidence as lines for terminals."""
        reason = [printable(self.reason)] if self.reason else []
        rule = [f"rule: {self.rule}, stated in {section_of(self.rule)}"] if self.rule else []
        return [*reason, *rule, *evidence_lines(self.evidence)]


PASSED = Outcome(Verdict.PASS)
"""The outcome of a driver that was right, without evidence."""
UNSUPPORTED: Final = "driver/operation.supported"
"""The rule that allows a driver to support only some operations."""


class CaseFailed(Exception):  # noqa: N818 - it ends a case, it is not a fault of the suite
    """Exception that ends a case with an outcome other than PASS."""

    def __init__(self, outcome: Outcome) -> None:
        """Keep the case's ``outcome``; its reason is the message of the exception."""
        super().__init__(outcome.reason)
        self.outcome = outcome


def fail(rule: str, reason: str, **evidence: Any) -> CaseFailed:
    """Return FAIL, because the driver broke ``rule``; the evidence gets the sentence of that rule."""
    known = all_rules().get(rule)
    # The sentence comes first, where people read it.
    sentence = {"sentence": known.sentence} if known else {}
    return CaseFailed(Outcome(Verdict.FAIL, rule, reason, {**sentence, **evidence, **sentence}))


def suite_error(error: Exception) -> Outcome:
    """Return ERROR for an exception of the suite itself, with its place."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return Outcome(Verdict.ERROR, reason=f"{type(error).__name__}: {error} ({last.filename}:{last.lineno})")


def suite_fault(reason: str, **evidence: Any) -> CaseFailed:
    """Return ERROR for a test that should be valid and is not, for which no driver can be blamed."""
    return CaseFailed(Outcome(Verdict.ERROR, reason=reason, evidence=evidence))


def passed(**evidence: Any) -> Outcome:
    """Return PASS; ``evidence`` can say what was examined."""
    return Outcome(Verdict.PASS, evidence=evidence)


def unsupported(reason: str, rule: str = UNSUPPORTED) -> CaseFailed:
    """Return UNSUPPORTED: the driver states that it does not offer what the case needs."""
    return CaseFailed(Outcome(Verdict.UNSUPPORTED, rule, reason))


SANITIZER: Final = "driver/sanitizer"
"""Rule of a fault that a sanitizer has reported without ending the process."""
PROCESS: Final = "driver/process"
"""Rule of a driver that has taken descriptors or signal handlers from its service."""


def judge_errors(outcome: Outcome, unintended: Sequence[HalError]) -> Outcome:
    """Return the outcome, or FAIL if the driver raised unintended errors in a case that would be PASS or UNSUPPORTED.

    ``unintended`` are such errors of the case, for instance uncaught exceptions. If a driver has said that it does not
    support a model, it may raise anything when it has to prepare the model all the same.
    """
    lawful = outcome.verdict is Verdict.PASS or (outcome.verdict is Verdict.UNSUPPORTED and outcome.rule != UNSUPPORTED)
    if not lawful or not unintended:
        return outcome
    error = unintended[0]
    contradicts = error.rule == CONTRADICTION
    reason = error.message if contradicts else f"a call fails, but not by the driver's decision: {error}"
    return fail(error.rule, reason, **outcome.evidence).outcome


def add_blame(outcome: Outcome, output: Callable[[], str]) -> Outcome:
    """Return the outcome with the place of the driver's exception and the driver's output, if it has raised one.

    ``output`` returns that output. A driver in this process prints to the user's terminal.
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
    """Return the outcome, or FAIL if a sanitizer has reported a fault after which the driver went on."""
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
    """Return CRASH or HANG, with evidence about the process and its last call; ERROR if the suite is to blame."""
    if death.evidence.suite_fault:
        return Outcome(Verdict.ERROR, reason=death.evidence.suite_fault, evidence=death.evidence.as_dict())
    verdict = Verdict.CRASH if isinstance(death, DriverCrash) else Verdict.HANG
    taken = find_changes(death.evidence.stderr_tail)
    rule, message = (PROCESS, f"{death.evidence.call}: {taken[0]}") if taken else (death.rule, death.message)
    evidence = {"sentence": all_rules()[rule].sentence, **death.circumstances, **death.evidence.as_dict()}
    change = death.circumstances.get("change")
    reason = f"{message}, sent: {change}" if change else message
    outcome = Outcome(verdict, rule, reason, evidence)
    places = places_of_threads(death.evidence.stderr_tail) if verdict is Verdict.HANG else ()
    # The place at which a hanging driver is found is random, so it belongs to the timings.
    return outcome.with_timings({HUNG_IN: ", ".join(places)}) if places else outcome


def process_outcome(output: str) -> Outcome | None:
    """Return FAIL if the output says that the driver has disabled something in its service process; else None."""
    taken = find_changes(output)
    return fail(PROCESS, "; ".join(taken)).outcome if taken else None


def spec_outcome(error: SpecError) -> Outcome:
    """Return ERROR for a wrong spec, with its file and line."""
    return Outcome(Verdict.ERROR, reason=str(error), evidence={SPEC: f"{error.path}:{error.line}"})


@dataclass(frozen=True)
class Started:
    """Event: a case begins; its :class:`Finished` follows, unless the process dies."""

    case: str


@dataclass(frozen=True)
class Finished:
    """Event: a case has ended. ``recurs``: it is a finding about the driver itself, which may come again in the run.

    ``test`` is the failed test, if only the process that ran the case may build it. ``process`` is the id of that
    process, and ``began`` is :func:`time.monotonic` when the case began; None: not known, or by another machine's
    clock.
    """

    case: str
    outcome: Outcome
    duration_s: float = 0.0
    labels: dict[str, Any] = field(default_factory=dict)
    recurs: bool = False
    test: TestModel | None = None
    process: int = 0
    began: float | None = None


Event = Started | Finished
"""Events of a case, in order."""
