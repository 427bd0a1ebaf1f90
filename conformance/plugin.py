"""The pytest plugin: collects ``*.mod.py`` files, one test for each case, run on the driver of ``--driver``.

``pytest path/to/specs --driver=exec:./my_driver`` works with pytest's own selection, reporting and xdist.
UNSUPPORTED cases are skipped with their reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from nnvet.adapters import DriverGone, SelectorError
from nnvet.adapters.service.memory import DEFAULT_LIMIT_MIB, limit_in_bytes
from nnvet.conformance.engine.case import Case
from nnvet.conformance.engine.enumeration import cases_of
from nnvet.conformance.engine.outcome import Outcome
from nnvet.conformance.engine.selection import Selection, SelectionError, Shard
from nnvet.conformance.engine.worker import OpenSubject, Target, run_one
from nnvet.generators.specs import SpecError, load_spec
from nnvet.reports.events import Verdict

_SUFFIX = ".mod.py"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the suite; the same meanings as those of ``nnvet run``."""
    group = parser.getgroup("nnvet", "conformance of neural-network drivers")
    group.addoption("--driver", default="reference", help="driver selector, KIND:ARGUMENTS (default: reference)")
    group.addoption("--level", type=int, default=None, help="test as a driver of this feature level (1 to 8)")
    group.addoption("--seed", type=int, default=0, help="seed of everything random")
    group.addoption("--shard", default="1/1", help="run the I-th of N fractions, as I/N")
    group.addoption("--full", action="store_true", help="every way of executing instead of the usual ones")
    group.addoption("--driver-timeout", type=float, default=20.0, help="seconds after which a silent driver hangs")
    group.addoption(
        "--memory-limit",
        type=int,
        default=DEFAULT_LIMIT_MIB,
        help="MiB above which a driver's process is killed; 0: no limit",
    )
    group.addoption("--in-process", action="store_true", help="run the driver in pytest's process, for debuggers")


def pytest_configure(config: pytest.Config) -> None:
    """Check the options and keep the driver for the session.

    :raises pytest.UsageError: an option means nothing.
    """
    try:
        shard = Shard.parse(config.getoption("--shard"))
    except SelectionError as error:
        raise pytest.UsageError(str(error)) from error
    target = Target(
        config.getoption("--driver"),
        config.getoption("--in-process"),
        config.getoption("--driver-timeout"),
        config.getoption("--level"),
        limit_in_bytes(config.getoption("--memory-limit")),
    )
    config.stash[_SESSION] = DriverSession(target, Selection((), target.level, shard, config.getoption("--full")))


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the driver."""
    config.stash[_SESSION].close()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take spec files."""
    if file_path.name.endswith(_SUFFIX):
        collector: pytest.Collector = SpecFile.from_parent(parent, path=file_path)
        return collector
    return None


class DriverSession:
    """The driver of a pytest session: started with the first case, restarted when it dies."""

    def __init__(self, target: Target, selection: Selection) -> None:
        """Remember what to start."""
        self.target = target
        self.selection = selection
        self._stack = ExitStack()
        self._subject: OpenSubject | None = None

    def run(self, case: Case) -> Outcome:
        """Run one case.

        :raises SelectorError: the driver cannot be started.
        """
        if self._subject is None:
            target = self.target
            self._subject = OpenSubject(target, self._stack.enter_context(target.open()))
        outcome, died = run_one(self._subject, case)
        if died:
            self._subject.restart()
        return outcome

    def close(self) -> None:
        """End the driver."""
        self._stack.close()


_SESSION = pytest.StashKey[DriverSession]()


class SpecFile(pytest.File):
    """A spec file; its tests are the cases of all suites."""

    def collect(self) -> Iterator[pytest.Item]:
        """Load the file.

        :raises pytest.Collector.CollectError: the file is wrong; with its line.
        """
        try:
            cases = cases_of(load_spec(self.path))
        except SpecError as error:
            raise self.CollectError(str(error)) from error
        for case in self.config.stash[_SESSION].selection.apply(cases):
            yield SpecItem.from_parent(self, name=case.id, case=case)


class CaseNotPassedError(Exception):
    """Carries the outcome of a case to pytest's report."""

    def __init__(self, outcome: Outcome) -> None:
        """Keep the outcome."""
        super().__init__(outcome.reason)
        self.outcome = outcome


class SpecItem(pytest.Item):
    """One case."""

    def __init__(self, *, case: Case, **arguments: Any) -> None:
        """Keep the case."""
        super().__init__(**arguments)
        self.case = case

    def runtest(self) -> None:
        """Run the case.

        :raises CaseNotPassedError: it did not pass.
        """
        try:
            outcome = self.config.stash[_SESSION].run(self.case)
        except (SelectorError, DriverGone) as error:
            raise CaseNotPassedError(Outcome(Verdict.ERROR, reason=str(error))) from error
        if outcome.verdict is Verdict.UNSUPPORTED:
            pytest.skip(outcome.reason)
        if outcome.verdict is not Verdict.PASS:
            raise CaseNotPassedError(outcome)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Verdict, rule, reason and evidence instead of a traceback."""
        if not isinstance(excinfo.value, CaseNotPassedError):
            return super().repr_failure(excinfo, style)
        outcome = excinfo.value.outcome
        lines = [f"{outcome.verdict} {self.case.id}", f"  rule: {outcome.rule}", f"  {outcome.reason}"]
        lines += [f"  {key}: {value}" for key, value in outcome.evidence.items()]
        return "\n".join(lines)

    def reportinfo(self) -> tuple[Path, int, str]:
        """File and id."""
        return self.path, 0, self.case.id
