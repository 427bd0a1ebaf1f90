"""The pytest plugin: collects ``*.mod.py`` files and the checks, one test for each case, run on ``--driver``.

``pytest path/to/specs --driver=exec:./my_driver`` works with pytest's own selection, reporting and xdist. Whole folders
bring the checks that need no spec with them, as ``nnvet run --specs`` does; ``--no-checks`` leaves them out and
``--checks`` takes them anyway. UNSUPPORTED cases are skipped with their reason, and those that ``--waivers`` forgives
are WAIVED. ``-m stress`` brings the stress tests, each a test too.

pytest calls the functions named ``pytest_...``. A :class:`PluginDriver` runs the cases;
:mod:`nnvet.conformance.plugin_log` keeps the log and the waivers of the session. Python tests that need no plugin call
:func:`nnvet.conformance.check_driver`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from nnvet.adapters.selector import SelectorError
from nnvet.adapters.service.activity import DEFAULT_LIMIT_MIB, limit_in_bytes
from nnvet.adapters.service.sandbox import Sandbox
from nnvet.conformance.engine.again import confirm_verdict
from nnvet.conformance.engine.catalogue import Batch, Catalogue
from nnvet.conformance.engine.driver import DriverLostError, DriverUnderTest, open_subject, run_one
from nnvet.conformance.engine.runner import target_options
from nnvet.conformance.engine.saved_failures import FOLDER
from nnvet.conformance.engine.selection import Selection, SelectionError, Shard, SpecFile, labels_of
from nnvet.conformance.engine.target import DEFAULT_TIMEOUT_S, Target, describe_target
from nnvet.conformance.engine.waivers import WaiverError, read_waivers
from nnvet.conformance.kit.checks import Case
from nnvet.conformance.kit.outcome import Outcome
from nnvet.conformance.plugin_log import SessionEnd, SessionLog, SessionWaivers, note_case, sentence, specs_of
from nnvet.conformance.stress.catalogue import StressTest, stress_tests
from nnvet.conformance.stress.coordinator import Watched
from nnvet.conformance.stress.messages import StressOptions, TestOrder
from nnvet.conformance.stress.running import labels_of_test
from nnvet.generators.specs import SpecError
from nnvet.generators.specs.loader import SPEC_SUFFIX
from nnvet.oracle.bounds.liberties import declared
from nnvet.reports.events import DriverFacts, Verdict
from nnvet.reports.evidence import replay_line
from nnvet.reports.log import FILE_NAME
from nnvet.reports.values import printable

_STRESS: Final = "stress"
"""Mark of the stress tests."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the suite, which mean the same as those of ``nnvet run``."""
    group = parser.getgroup("nnvet", "conformance of neural-network drivers")
    group.addoption("--driver", default=None, help="driver selector, KIND:ARGUMENTS (default: reference)")
    group.addoption("--level", type=int, default=None, help="test as a driver of this feature level (1 to 8)")
    group.addoption("--shard", default="1/1", help="run the I-th of N fractions, as I/N")
    group.addoption("--full", action="store_true", help="every executor instead of the usual ones")
    group.addoption("--checks", action="store_true", default=None, help="run the checks that need no spec, too")
    group.addoption("--no-checks", action="store_false", dest="checks", help="run no checks but those over specs")
    group.addoption("--waivers", default=None, metavar="FILE", help="known failures to forgive; see docs/waivers.md")
    group.addoption("--out", default=None, metavar="DIR", help="folder for run.jsonl and its reports (default: none)")
    group.addoption("--driver-timeout", type=float, default=20.0, help="seconds after which a silent driver hangs")
    group.addoption(
        "--memory-limit",
        type=int,
        default=DEFAULT_LIMIT_MIB,
        help="MiB above which a driver's process is killed; 0: no limit",
    )
    group.addoption(
        "--sandbox", action="store_true", help="run the driver in namespaces of its own (package bubblewrap)"
    )
    group.addoption("--sandbox-device", action="append", default=[], help="a device for the sandbox; may be repeated")
    group.addoption("--in-process", action="store_true", help="run the driver in pytest's process, for debuggers")
    group.addoption(
        "--strict-bounds",
        action="store_true",
        help="an answer within the contract but outside of its error bound is a failure (nnvet run: --strict)",
    )
    group.addoption(
        "--liberty",
        action="append",
        default=[],
        help="a liberty that the driver declares (docs/oracle.md): error bounds grant it then; may be repeated",
    )
    group.addoption("--stress-scale", type=float, default=1.0, help="multiplies the load of stress tests")
    group.addoption("--stress-seed", type=int, default=0, help="seed of the stress tests")


def pytest_configure(config: pytest.Config) -> None:
    """Check the options and keep the driver for the session.

    :raises pytest.UsageError: an option means nothing.
    """
    try:
        shard = Shard.parse(config.getoption("--shard"))
        waivers = read_waivers(Path(file)) if (file := config.getoption("--waivers")) else None
        liberties = declared(config.getoption("--liberty"))
    except (SelectionError, WaiverError, ValueError) as error:
        raise pytest.UsageError(str(error)) from error
    devices = config.getoption("--sandbox-device")
    target = Target(
        config.getoption("--driver") or "reference",
        config.getoption("--in-process"),
        config.getoption("--driver-timeout"),
        config.getoption("--level"),
        limit_in_bytes(config.getoption("--memory-limit")),
        strict=config.getoption("--strict-bounds"),
        liberties=liberties,
        sandbox=Sandbox(tuple(devices)) if config.getoption("--sandbox") or devices else None,
    )
    config.addinivalue_line("markers", f"{_STRESS}: stress tests of the driver, collected if they are asked for")
    selection = Selection((), target.level, shard, config.getoption("--full"))
    config.stash[_DRIVER] = PluginDriver(target, selection)
    config.stash[_WAIVERS] = SessionWaivers(waivers, target.selector, selection)
    if hasattr(config, "workerinput") or config.option.collectonly:
        return
    if waivers is not None:
        config.pluginmanager.register(SessionEnd(config.stash[_WAIVERS]), "nnvet-waivers")
    if out := config.getoption("--out"):
        log = SessionLog(Path(out), target, selection, config.stash[_WAIVERS])
        config.pluginmanager.register(log, "nnvet-log")


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the driver, if the options were right."""
    if _DRIVER in config.stash:
        config.stash[_DRIVER].close()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Ignore failures that a run has saved, unless the run's folder or a path inside it is asked for."""
    if collection_path.name != FOLDER or not (collection_path.parent / FILE_NAME).is_file():
        return None
    run = collection_path.parent.resolve()
    asked = (Path(config.invocation_params.dir, argument.partition("::")[0]).resolve() for argument in config.args)
    return None if any(path.is_relative_to(run) for path in asked) else True


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take spec files."""
    if file_path.name.endswith(SPEC_SUFFIX):
        parent.config.stash[_DRIVER].has_specs = True
        collector: pytest.Collector = SpecFileCollector.from_parent(parent, path=file_path)
        return collector
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Keep pytest from importing a spec file as a module of tests, as it does with every file that the user names."""
    if not module_path.name.endswith(SPEC_SUFFIX):
        return None
    module: pytest.Module = NoModule.from_parent(parent, path=module_path)
    return module


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the checks that need no spec before all others, and stress tests behind them."""
    if _STRESS in re.findall(r"(?<!not )\b\w+", config.getoption("-m") or ""):
        items += StressCollector.from_parent(session, name=_STRESS, nodeid=_STRESS, path=session.path).collect()
    wanted = config.getoption("--checks")
    if wanted is None:
        folders = any(Path(argument.partition("::")[0]).is_dir() for argument in config.args)
        wanted = config.getoption("--driver") is not None and folders and config.stash[_DRIVER].has_specs
    if wanted:
        collector = CheckCollector.from_parent(session, name="checks", nodeid="checks", path=session.path)
        items[:0] = collector.collect()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let the reports of cases say what waivers have to do with them."""
    report = yield
    if isinstance(item, OutcomeItem) and call.when == "call":
        item.config.stash[_WAIVERS].note(report, item.judged)
        if item.judged is not None and item.config.getoption("--out"):
            facts = item.config.stash[_DRIVER].facts()
            note_case(report, item.name, item.judged, item.labels, facts, item.specs)
    return report


class PluginDriver:
    """The driver of a pytest session: started with the first case, restarted when it dies.

    ``has_specs``: some spec file has been collected.
    """

    def __init__(self, target: Target, selection: Selection) -> None:
        """Remember the driver to start and the selected cases."""
        self.target = target
        self.selection = selection
        self.has_specs = False
        self._stack = ExitStack()
        self._subject: DriverUnderTest | None = None
        self._lost: Exception | None = None

    def run(self, case: Case) -> Outcome:
        """Run one case.

        :raises SelectorError: there is no such driver.
        :raises DriverLostError: it does not start, or not again.
        """
        if self._lost is not None:
            # To start it took its time, and another start ends alike.
            raise self._lost
        if self._subject is None:
            self._subject = self._open()
        if self._subject.deaths:
            # Starts are no tests of their own here: the case that needed one reports that it failed.
            return self._subject.deaths.pop(0).outcome
        run = partial(run_one, self._subject)
        outcome, died = run(case)
        outcome, died = confirm_verdict(self._subject, run, case, outcome, died=died)
        if died:
            self._subject.revive()
        return outcome

    def _open(self) -> DriverUnderTest:
        """Open the driver; one that cannot be opened is not tried again."""
        try:
            return self._stack.enter_context(open_subject(self.target))
        except (SelectorError, DriverLostError) as error:
            self._lost = error
            raise

    def facts(self) -> DriverFacts:
        """Return the driver's description of itself."""
        return describe_target(self.target) if self._subject is None else self._subject.facts

    def close(self) -> None:
        """End the driver."""
        self._stack.close()


_DRIVER: Final = pytest.StashKey[PluginDriver]()
"""Place of the driver in pytest's configuration."""
_WAIVERS: Final = pytest.StashKey[SessionWaivers]()
"""Place of the waivers in pytest's configuration."""


class NoModule(pytest.Module):
    """Stands for a spec file where pytest looks for a module."""

    def collect(self) -> list[pytest.Item]:
        """Return no tests, because :class:`SpecFileCollector` has the tests of the file."""
        return []


class SpecFileCollector(pytest.File):
    """A spec file; its tests are the cases of all checks over specs."""

    def collect(self) -> Iterator[pytest.Item]:
        """Load the file.

        :raises pytest.Collector.CollectError: the file is wrong; with its line.
        """
        batch = Batch(file=SpecFile(str(self.path), self.path.name))
        try:
            for case in batch.cases(self.config.stash[_DRIVER].selection):
                yield CaseItem.from_parent(self, name=case.id, case=case)
        except SpecError as error:
            raise self.CollectError(str(error)) from error


class CheckCollector(pytest.Collector):
    """The checks that need no spec."""

    def collect(self) -> list[pytest.Item]:
        """Return the cases of these checks as tests."""
        driver = self.config.stash[_DRIVER]
        selection, catalogue = driver.selection, Catalogue(driver=driver.target.selector)
        batches = (batch for batch in catalogue.batches(selection) if batch.file is None)
        return [
            CaseItem.from_parent(self, name=case.id, case=case) for batch in batches for case in batch.cases(selection)
        ]


class CaseNotPassedError(Exception):
    """Carries the outcome of a case to pytest's report."""

    def __init__(self, outcome: Outcome) -> None:
        """Keep the outcome."""
        super().__init__(outcome.reason)
        self.outcome = outcome


class OutcomeItem(pytest.Item):
    """A test that ends with an outcome."""

    judged: Outcome | None = None
    """Outcome of the test, set when it has ended."""
    labels: Mapping[str, Any] = {}
    """Labels by which reports group the case, set when it has ended."""
    specs = ""
    """The user's file of specs that it is from, if it is."""

    @abstractmethod
    def outcome(self) -> Outcome:
        """Run the test, and return its outcome."""

    def runtest(self) -> None:
        """Run the test.

        :raises CaseNotPassedError: it did not pass.
        """
        self.judged = outcome = self.outcome()
        if outcome.verdict is Verdict.UNSUPPORTED:
            pytest.skip(outcome.reason)
        if outcome.verdict is Verdict.WAIVED:
            # With --runxfail this does nothing, and the test fails.
            pytest.xfail(sentence(outcome))
        if outcome.verdict is not Verdict.PASS:
            raise CaseNotPassedError(outcome)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return verdict, rule, reason and evidence instead of a traceback."""
        if not isinstance(excinfo.value, CaseNotPassedError):
            return super().repr_failure(excinfo, style)
        return CaseReport(self, excinfo.value.outcome)

    def replay(self) -> str:
        """Return the command line that runs the test again; empty if there is none."""
        return ""

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the file, line and id under which pytest lists the test."""
        return self.path, 0, self.name


class ShortSummary(NamedTuple):
    """The end of a failed test in one line, with the attributes that pytest reads for its short summary."""

    path: str
    lineno: int
    message: str


class CaseReport:
    """A failed test in words: verdict, rule, reason, evidence, and the command that runs it again.

    It has the attributes that pytest reads from a report: ``reprcrash`` and ``toterminal``.
    """

    def __init__(self, item: OutcomeItem, outcome: Outcome) -> None:
        """Make the texts of the report from an outcome."""
        self._lines = [f"{outcome.verdict} {item.name}", *(f"  {line}" for line in outcome.lines())]
        if command := item.replay():
            self._lines.append(f"  {command}")
        message = f"{outcome.verdict} [{outcome.rule}] {outcome.reason}" if outcome.rule else outcome.reason
        self.reprcrash = ShortSummary(str(item.path), 1, printable(message))

    def __str__(self) -> str:
        """Return all lines as a text, the form in which other processes of the session get the report."""
        return "\n".join(self._lines)

    def toterminal(self, tw: Any) -> None:
        """Write the report to a terminal writer of pytest."""
        for line in self._lines:
            tw.line(line)


class CaseItem(OutcomeItem):
    """A case as a test of pytest."""

    def __init__(self, *, case: Case, **arguments: Any) -> None:
        """Keep the case."""
        super().__init__(**arguments)
        self.case = case

    def outcome(self) -> Outcome:
        """Run the case on the session's driver."""
        driver = self.config.stash[_DRIVER]
        try:
            outcome = driver.run(self.case)
        except SelectorError as error:
            if not hasattr(self.config, "workerinput"):
                pytest.exit(str(error), pytest.ExitCode.USAGE_ERROR)
            return Outcome(Verdict.ERROR, reason=str(error))
        except DriverLostError as error:
            outcome = error.finding.outcome
        self.labels, self.specs = labels_of(self.case), specs_of(self.case)
        return self.config.stash[_WAIVERS].judge(self.case.id, outcome, self.labels, driver.facts)

    def replay(self) -> str:
        """Return the command line of ``nnvet replay``."""
        target = self.config.stash[_DRIVER].target
        options = target_options(target, DEFAULT_TIMEOUT_S)
        specs = ("--specs", self.specs) if self.specs else ()
        return replay_line(self.case.id, target.selector, (*specs, *options), target.level)


class StressCollector(pytest.Collector):
    """The stress tests."""

    def collect(self) -> list[pytest.Item]:
        """Return a test for each stress test, with the mark."""
        items: list[pytest.Item] = [
            StressItem.from_parent(self, name=test.id, test=test) for test in stress_tests().values()
        ]
        for item in items:
            item.add_marker(_STRESS)
        return items


class StressItem(OutcomeItem):
    """One stress test, on a driver of its own."""

    def __init__(self, *, test: StressTest, **arguments: Any) -> None:
        """Keep the test."""
        super().__init__(**arguments)
        self.test = test

    def outcome(self) -> Outcome:
        """Run the stress test, and return its outcome."""
        options = StressOptions(self.config.getoption("--stress-seed"), self.config.getoption("--stress-scale"))
        driver = self.config.stash[_DRIVER]
        outcome = Watched(TestOrder(self.test.id, driver.target, options), lambda _phase, _done: None).run()
        self.labels = labels_of_test(self.test, outcome)
        return self.config.stash[_WAIVERS].judge(self.test.id, outcome, self.labels, driver.facts)
