"""End of one case, before it is logged."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from nnvet.hal.rules import all_rules
from nnvet.hal.specification import section_of
from nnvet.reports.events import Numbers, Verdict
from nnvet.reports.evidence import evidence_lines
from nnvet.reports.values import printable


@dataclass(frozen=True)
class Outcome:
    """Verdict with the rule it rests on, one sentence of reason, and evidence (see :mod:`nnvet.reports.evidence`).

    ``numbers`` are those of the outputs of a PASS (:mod:`nnvet.conformance.engine.numbers`).
    ``computed_by`` is that of :class:`nnvet.reports.events.CaseFinished`.
    """

    verdict: Verdict
    rule: str = ""
    reason: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)
    numbers: Numbers | None = None
    computed_by: str = ""

    def with_timings(self, more: Mapping[str, Any]) -> Outcome:
        """The same with ``more`` among what differs between equal runs."""
        timings = {**self.evidence.get("timings", {}), **more}
        return replace(self, evidence={**self.evidence, "timings": timings})

    def lines(self) -> list[str]:
        """Reason, rule and evidence in lines for terminals."""
        reason = [printable(self.reason)] if self.reason else []
        rule = [f"rule: {self.rule}, stated in {section_of(self.rule)}"] if self.rule else []
        return [*reason, *rule, *evidence_lines(self.evidence)]


PASSED = Outcome(Verdict.PASS)
UNSUPPORTED: Final = "driver/operation.supported"
"""The rule that a driver may say of each operation that it does not support it."""


class CaseFailed(Exception):  # noqa: N818 - it ends a case, it is not a fault of the suite
    """Ends a case with an outcome other than PASS."""

    def __init__(self, outcome: Outcome) -> None:
        """``outcome`` is what the case ends with; its reason is the message."""
        super().__init__(outcome.reason)
        self.outcome = outcome


def fail(rule: str, reason: str, **evidence: Any) -> CaseFailed:
    """The driver broke ``rule``; the evidence gets that rule's sentence, whichever it had before."""
    known = all_rules().get(rule)
    # The sentence stands first, where people read it.
    sentence = {"sentence": known.sentence} if known else {}
    return CaseFailed(Outcome(Verdict.FAIL, rule, reason, {**sentence, **evidence, **sentence}))


def suite_error(error: Exception) -> Outcome:
    """ERROR: what the suite itself has raised, and where."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return Outcome(Verdict.ERROR, reason=f"{type(error).__name__}: {error} ({last.filename}:{last.lineno})")


def suite_fault(reason: str, **evidence: Any) -> CaseFailed:
    """ERROR: what the suite has made as valid is not, for which no driver can be blamed."""
    return CaseFailed(Outcome(Verdict.ERROR, reason=reason, evidence=evidence))


def passed(**evidence: Any) -> Outcome:
    """The driver kept the contract; ``evidence`` says what was looked at, where that needs saying."""
    return Outcome(Verdict.PASS, evidence=evidence)


def unsupported(reason: str, rule: str = UNSUPPORTED) -> CaseFailed:
    """The driver says that it does not offer what the case needs."""
    return CaseFailed(Outcome(Verdict.UNSUPPORTED, rule, reason))
