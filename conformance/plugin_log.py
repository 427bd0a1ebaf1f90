"""Log and waivers of a pytest session: ``--out DIR`` keeps what ``nnvet run`` would, so that shards can be merged.

:mod:`nnvet.conformance.plugin` registers :class:`SessionLog` and :class:`SessionEnd`, and judges outcomes with
:class:`SessionWaivers`. With xdist, cases end and are judged in several processes. The report of each test carries its
case, and what its judgement says about waivers, to the process that writes the log and knows all waivers. That process
shows forgiven failures as WAIVED, and fails a session with entries that have expired or were not needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from msgspec.structs import replace

from nnvet.conformance.engine.runner import finish_judged, target_options
from nnvet.conformance.engine.selection import BUNDLED_SPECS, Selection
from nnvet.conformance.engine.target import DEFAULT_TIMEOUT_S, Target
from nnvet.conformance.engine.waivers import WaiverFile, Waivers
from nnvet.conformance.kit.checks import Case
from nnvet.conformance.kit.outcome import Outcome
from nnvet.reports.events import DriverFacts, Numbers, RunStarted, Verdict
from nnvet.reports.evidence import replay_command
from nnvet.reports.facts import log_header
from nnvet.reports.log import FILE_NAME, EventLog, LogError
from nnvet.reports.outcome import judge
from nnvet.reports.render import render
from nnvet.reports.values import json_safe

_NOTE: Final = "nnvet_waivers"
"""Attribute of reports: the driver, and the waivers' entries that were met and used so far in the test's process."""
_WAIVED: Final = "nnvet_waived"
"""Attribute of reports of forgiven cases."""


class SessionWaivers:
    """The waivers of a session in one of its processes; without a file nothing is forgiven."""

    def __init__(self, file: WaiverFile | None, selector: str, selection: Selection) -> None:
        """Keep file, selector and selection; the driver is described when the first case fails."""
        self._file = file
        self._facts = DriverFacts(selector)
        self._waivers = Waivers(file, self._facts)
        self._selection = selection
        self._is_known = False

    def judge(
        self, case: str, outcome: Outcome, labels: Mapping[str, Any], facts: Callable[[], DriverFacts]
    ) -> Outcome:
        """Return the outcome, WAIVED if an entry forgives it; ``facts`` describes the driver when first needed."""
        if self._file is None:
            return outcome
        if not self._is_known:
            self._learn_driver(facts())
        return self._waivers.judge(case, outcome, dict(labels))

    def note(self, report: pytest.TestReport, outcome: Outcome | None) -> None:
        """Attach what is known about the entries to a report."""
        if outcome is None or self._file is None:
            return
        vars(report)[_WAIVED] = outcome.verdict is Verdict.WAIVED
        vars(report)[_NOTE] = {"name": self._facts.name, "version": self._facts.version, **self._waivers.uses}

    def gather(self, report: pytest.TestReport) -> None:
        """Take over what a report says about the entries, perhaps from another process."""
        note: Mapping[str, Any] | None = vars(report).get(_NOTE)
        if note is None:
            return
        if not self._is_known:
            self._learn_driver(DriverFacts(self._facts.selector, note["name"], note["version"]))
        self._waivers.add_uses(note)

    @property
    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of the file of waivers by its name; empty without a file."""
        return {} if self._file is None else {self._file.name: self._file.digest}

    def problems(self) -> tuple[str, ...]:
        """Return messages about expired and unneeded entries; a session counts as a partial run."""
        return self._waivers.problems(self._selection, is_whole=False)

    def _learn_driver(self, facts: DriverFacts) -> None:
        """Apply the entries for this driver from now on."""
        self._facts, self._is_known = facts, True
        self._waivers = Waivers(self._file, facts)


class SessionEnd:
    """The end of waivers, in the process that receives the results of all tests."""

    def __init__(self, waivers: SessionWaivers) -> None:
        """Receive reports from now on."""
        self._waivers = waivers

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take over what a report says about the entries."""
        self._waivers.gather(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Show a forgiven failure as WAIVED."""
        is_waived = vars(report).get(_WAIVED) and hasattr(report, "wasxfail")
        return ("waived", "W", str(Verdict.WAIVED)) if is_waived else None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail a session with entries that have expired or were not needed."""
        if self._waivers.problems() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Name those entries, and the forgiven failures."""
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


_CASE: Final = "nnvet_case"
"""Attribute of reports: the case, how it ended, and who was tested, as plain values."""


def note_case(
    report: pytest.TestReport,
    case: str,
    outcome: Outcome,
    labels: Mapping[str, Any],
    facts: DriverFacts,
    specs: str = "",
) -> None:
    """Let the report of a test say how its case ended; ``specs`` is the file that has it, if that is the user's."""
    ended = {
        "case": case,
        "verdict": str(outcome.verdict),
        "rule": outcome.rule,
        "reason": outcome.reason,
        "evidence": json_safe(msgspec.to_builtins(outcome.evidence)),
        "labels": dict(labels),
        "duration_s": report.duration,
        "numbers": msgspec.to_builtins(outcome.numbers),
    }
    vars(report)[_CASE] = {"driver": msgspec.to_builtins(facts), "ended": ended, "specs": specs}


def specs_of(case: Case) -> str:
    """Return the user's file that has a case; empty: the bundled corpus or a check has it."""
    if case.spec is None or Path(case.spec.path).is_relative_to(BUNDLED_SPECS):
        return ""
    return str(case.spec.path)


class SessionLog:
    """Writer of the log, in the process that receives the reports of all tests."""

    def __init__(self, out: Path, target: Target, selection: Selection, waivers: SessionWaivers) -> None:
        """Prepare to write; the log begins when the first case has ended, because its report describes the driver."""
        self._out, self._target, self._selection, self._waivers = out, target, selection, waivers
        self._log: EventLog | None = None
        self._problem = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Log the case of a report that has one."""
        note = vars(report).get(_CASE)
        if note is None or self._problem:
            return
        try:
            started = self._make_header(msgspec.convert(note["driver"], DriverFacts))
            self._log = self._log or EventLog.create(self._out / FILE_NAME, started)
            ended = dict(note["ended"])
            case, verdict = ended.pop("case"), Verdict(ended.pop("verdict"))
            ended["numbers"] = msgspec.convert(ended["numbers"], Numbers | None)
            if verdict not in (Verdict.PASS, Verdict.UNSUPPORTED):
                specs = ("--specs", note["specs"]) if note["specs"] else ()
                command = replay_command(replace(started, options=(*specs, *started.options)), case)
                ended["evidence"] = {**ended["evidence"], "replay": command}
            self._log.case_started(case)
            self._log.case_finished(case, verdict, **ended)
        except LogError as error:
            self._problem = str(error)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Finish the log and render it; a log that cannot be written fails the session."""
        log = self._log
        if log is not None and not self._problem:
            problems = self._waivers.problems()
            cut_short = session.exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
            stopped = ("the session was stopped",) if cut_short else ()
            try:
                with log:
                    finish_judged(log, stopped, problems, faults=bool(problems), waivers=self._waivers.digests)
                render(log.so_far, self._out)
            except LogError as error:
                self._problem = str(error)
        if self._problem and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say where the report is, or why there is none."""
        if self._problem:
            terminalreporter.line(f"nnvet: {self._problem}", red=True)
        elif self._log is not None:
            terminalreporter.line(f"nnvet: {judge(self._log.so_far).headline}")
            terminalreporter.line(f"report: {self._out / 'report.html'}")

    def _make_header(self, facts: DriverFacts) -> RunStarted:
        """Return the first line of the log."""
        return log_header(
            facts,
            level=self._target.level,
            shard=str(self._selection.shard),
            options=target_options(self._target, DEFAULT_TIMEOUT_S),
            selection=("pytest, full matrix" if self._selection.full else "pytest",),
        )
