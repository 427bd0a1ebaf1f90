"""Waivers in a pytest session: what was forgiven shows as WAIVED, and entries that are of no use fail the session.

Cases are judged where they run, which with xdist are processes of their own; what each judgement says of the entries
travels with the report of the test to the process that knows all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from nnvet.conformance.engine.outcome import Outcome
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.waivers import WaiverFile, Waivers
from nnvet.reports.events import DriverFacts, Verdict

_NOTE: Final = "nnvet_waivers"
"""Attribute of reports: the driver and the entries that were met and used so far in the process of the test."""
_WAIVED: Final = "nnvet_waived"
"""Attribute of reports of cases that were forgiven."""


class SessionWaivers:
    """The waivers of a session, in one of its processes; without a file nothing is forgiven."""

    def __init__(self, file: WaiverFile | None, selector: str, selection: Selection) -> None:
        """Keep file, selector and selection; the driver is known with the first failure."""
        self._file = file
        self._facts = DriverFacts(selector)
        self._waivers = Waivers(file, self._facts)
        self._selection = selection
        self._is_known = False

    def judge(
        self, case: str, outcome: Outcome, labels: Mapping[str, Any], facts: Callable[[], DriverFacts]
    ) -> Outcome:
        """The outcome, WAIVED if an entry forgives it; ``facts`` describes the driver when it is first needed."""
        if self._file is None:
            return outcome
        if not self._is_known:
            self._know(facts())
        return self._waivers.judge(case, outcome, dict(labels))

    def note(self, report: pytest.TestReport, outcome: Outcome | None) -> None:
        """Let a report say what is known of the entries."""
        if outcome is None or self._file is None:
            return
        vars(report)[_WAIVED] = outcome.verdict is Verdict.WAIVED
        vars(report)[_NOTE] = {"name": self._facts.name, "version": self._facts.version, **self._waivers.uses}

    def gather(self, report: pytest.TestReport) -> None:
        """Take in what a report says, maybe that of another process."""
        note: Mapping[str, Any] | None = vars(report).get(_NOTE)
        if note is None:
            return
        if not self._is_known:
            self._know(DriverFacts(self._facts.selector, note["name"], note["version"]))
        self._waivers.add_uses(note)

    @property
    def digests(self) -> dict[str, str]:
        """The file's SHA-256 by its name; nothing without a file."""
        return {} if self._file is None else {self._file.name: self._file.digest}

    def problems(self) -> tuple[str, ...]:
        """Entries that have expired or were not needed, as of a run of a part, which is what a session is."""
        return self._waivers.problems(self._selection, is_whole=False)

    def _know(self, facts: DriverFacts) -> None:
        self._facts, self._is_known = facts, True
        self._waivers = Waivers(self._file, facts)


class SessionEnd:
    """End of waivers in the process that gets the results of all tests."""

    def __init__(self, waivers: SessionWaivers) -> None:
        """Take in reports from now on."""
        self._waivers = waivers

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in what it says of the entries."""
        self._waivers.gather(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Show what was forgiven as such."""
        is_waived = vars(report).get(_WAIVED) and hasattr(report, "wasxfail")
        return ("waived", "W", str(Verdict.WAIVED)) if is_waived else None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail a session with entries that have expired or were not needed."""
        if self._waivers.problems() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Name these entries, and what was forgiven."""
        waived = terminalreporter.stats.get("waived", [])
        problems = self._waivers.problems()
        if waived or problems:
            terminalreporter.section("waivers")
        for report in waived:
            terminalreporter.line(f"{Verdict.WAIVED} {report.nodeid}: {report.wasxfail.removeprefix('reason: ')}")
        for problem in problems:
            terminalreporter.line(problem, red=True)


def sentence(outcome: Outcome) -> str:
    """Return a sentence with the failure and the entry that waives it."""
    evidence = outcome.evidence
    because = ": ".join(part for part in (outcome.rule, outcome.reason) if part)
    return f"{evidence['waived']} {because}; {evidence['waiver']}"
