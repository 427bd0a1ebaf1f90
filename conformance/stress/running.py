"""Stress run: the selected tests one after the other, each with a fresh driver, and their event log.

The command ``nnvet stress`` and the plugin of pytest call :func:`run_stress`. A test itself runs under
:mod:`nnvet.conformance.stress.coordinator`, or on a cluster (:mod:`nnvet.conformance.stress.on_cluster`). Runs of cases
are :mod:`nnvet.conformance.engine.runner`'s.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from dataclasses import replace as replace_outcome
from pathlib import Path
from typing import Any, Final, Protocol

from nnvet.conformance.engine.again import load_of_doubt, settle_doubt
from nnvet.conformance.engine.runner import results_in
from nnvet.conformance.engine.saved_failures import FOLDER, Provenance, save_failure
from nnvet.conformance.engine.target import Target, describe_target
from nnvet.conformance.kit.judging import bounded_tolerances
from nnvet.conformance.kit.outcome import Outcome
from nnvet.conformance.stress.catalogue import SUITE, StressTest
from nnvet.conformance.stress.coordinator import Watched
from nnvet.conformance.stress.messages import START, StressOptions, TestOrder
from nnvet.generators.reducer.evaluation import complete
from nnvet.graphs.model import TestModel
from nnvet.reports.events import Command, DriverFacts, Machine, RunStarted, Verdict
from nnvet.reports.evidence import STRESS_LABEL, stress_verdict
from nnvet.reports.facts import log_header, machine_facts
from nnvet.reports.log import EventLog, Log, LogError
from nnvet.reports.outcome import EXIT_CODES, outcome_of

_LIKE: Final = "RandomModels/Bounds/default/0"
"""Id of a case that judges outputs as stress tests do; saved models name it, so that replays judge them alike."""


@dataclass(frozen=True)
class StressPlan:
    """Plan of a stress run: the tests, the driver, and the folder of the results."""

    target: Target
    out: Path
    tests: Sequence[StressTest]
    options: StressOptions

    @property
    def log(self) -> Path:
        """Path of the event log, ``run.jsonl`` in the folder of the run."""
        return self.out / "run.jsonl"

    def command(self, test: StressTest) -> str:
        """Return the command that runs one test again."""
        options = self.options
        parts = [
            "nnvet stress -d",
            f"'{self.target.selector}'",
            "--only",
            f"'{test.name}'",
            "--seed",
            str(options.seed),
        ]
        if options.scale != 1.0:
            parts += ["--scale", f"{options.scale:g}"]
        return " ".join(parts)


class StressWatcher:
    """An observer of a run; the command line shows progress with it."""

    def began(self, test: StressTest) -> None:
        """Note that a test begins."""

    def beat(self, phase: str, done: int) -> None:
        """Note the phase that the test is in, and the units of work done."""

    def finished(self, test: StressTest, outcome: Outcome, duration_s: float) -> None:
        """Note that a test has ended; its event is in the log."""


@dataclass(frozen=True)
class TestBegan:
    """A test begins, and is entered in the log."""

    __test__ = False

    test: StressTest


@dataclass(frozen=True)
class TestEnded:
    """A test has ended; ``failed_test`` is the first model that was executed wrongly."""

    __test__ = False

    test: StressTest
    outcome: Outcome
    duration_s: float = 0.0
    failed_test: TestModel | None = None


Course = Generator[TestBegan | TestEnded]
"""Events of the tests in order: each test begins, then ends; a test that is NOT_RUN only ends."""


class StressElsewhere(Protocol):
    """Other machines that run the tests instead of this one."""

    def begin(self, plan: StressPlan, watcher: StressWatcher) -> tuple[DriverFacts, Machine, Course]:
        """Return facts about the driver and the machine, and an iterator that runs the tests."""


def run_stress(plan: StressPlan, watcher: StressWatcher, elsewhere: StressElsewhere | None = None) -> Log:
    """Run the tests of a plan, here or ``elsewhere``, and return the log; finished tests are in it whatever happens.

    :raises SelectorError: there is no such driver.
    :raises LogError: the results cannot be written.
    :raises WorkerError: the machines elsewhere are gone; the log is left incomplete.
    :raises KeyboardInterrupt: passed on; the log is left incomplete.
    """
    with results_in(plan.out):
        if elsewhere is None:
            facts, machine, course = describe_target(plan.target), machine_facts(), _run_here(plan, watcher)
        else:
            facts, machine, course = elsewhere.begin(plan, watcher)
        with closing(course), EventLog.create(plan.log, _make_header(plan, facts, machine)) as log:
            for event in course:
                if isinstance(event, TestBegan):
                    log.case_started(event.test.id)
                else:
                    _log_end(plan, event, log)
                    watcher.finished(event.test, event.outcome, event.duration_s)
            log.finish(EXIT_CODES[outcome_of(log.counts)])
            return log.so_far


def _run_here(plan: StressPlan, watcher: StressWatcher) -> Course:
    """Run the tests on this machine, and yield their events in order."""
    left = deque(plan.tests)
    while left:
        test = left.popleft()
        watcher.began(test)
        yield TestBegan(test)
        outcome, duration_s, failed = run_test(TestOrder(test.id, plan.target, plan.options), watcher.beat)
        yield make_ended(test, outcome, duration_s, failed)
        if outcome.verdict is Verdict.HANG and outcome.evidence.get("phase") == START:
            # Each of the other tests would wait equally long for the same thing.
            reason = f"the driver does not start: {outcome.reason}"
            yield from (TestEnded(other, Outcome(Verdict.NOT_RUN, reason=reason)) for other in left)
            return


def run_test(
    order: TestOrder, on_beat: Callable[[str, int], None] = lambda _phase, _done: None
) -> tuple[Outcome, float, TestModel | None]:
    """Run one test, and return its outcome, its seconds, and the first model that was executed wrongly.

    A verdict by time on a busy machine is confirmed by a second run (:mod:`nnvet.conformance.engine.again`).

    :raises OSError, RuntimeError: it cannot be started.
    """
    begin = time.monotonic()
    watched = Watched(order, on_beat)
    outcome = watched.run()
    busy = load_of_doubt(outcome)
    if busy is not None:
        # Tests of stress are run one by one: the second time is as much alone as the first.
        watched = Watched(order, on_beat)
        outcome = settle_doubt(outcome, watched.run(), busy)
    return outcome, time.monotonic() - begin, watched.failed_test


def make_ended(test: StressTest, outcome: Outcome, duration_s: float, failed_test: TestModel | None) -> TestEnded:
    """Return the end of a test, with a reason that names the phase in which it failed."""
    phase = outcome.evidence.get("phase")
    if phase and outcome.verdict not in (Verdict.PASS, Verdict.UNSUPPORTED):
        outcome = replace_outcome(outcome, reason=f"in phase {phase}: {outcome.reason}")
    return TestEnded(test, outcome, duration_s, failed_test)


def _log_end(plan: StressPlan, ended: TestEnded, log: EventLog) -> None:
    """Write the end of a test into the log, with the command that runs it again if it failed."""
    test, outcome = ended.test, ended.outcome
    evidence: dict[str, Any] = {**outcome.evidence, "seed": plan.options.seed}
    if outcome.verdict not in (Verdict.PASS, Verdict.UNSUPPORTED):
        evidence["replay"] = plan.command(test)
        evidence.update(_save_failed_test(plan, test, ended.failed_test, outcome))
    log.case_finished(
        test.id,
        outcome.verdict,
        duration_s=ended.duration_s,
        rule=outcome.rule,
        reason=outcome.reason,
        evidence=evidence,
        labels=labels_of_test(test, outcome),
    )


def labels_of_test(test: StressTest, outcome: Outcome) -> dict[str, str]:
    """Return the labels by which reports group a test."""
    return {"suite": SUITE, "check": test.name, STRESS_LABEL: stress_verdict(outcome.verdict)}


def _save_failed_test(plan: StressPlan, test: StressTest, failed: TestModel | None, outcome: Outcome) -> dict[str, str]:
    """Save the model that was executed wrongly, if there is one, and return its path as evidence.

    The saved files name a case that judges by the same error bounds. A fault that occurs only under parallel load will
    not show when the model is replayed.

    :raises LogError: the files cannot be written.
    """
    if failed is None:
        return {}
    driver = plan.target.selector
    origin = Provenance(
        _LIKE, driver, outcome.verdict.value, outcome.rule, outcome.reason, f"{test.name} {failed.name}"
    )
    folder = plan.out / FOLDER / test.name.replace("/", "-")
    try:
        saved = save_failure(folder, complete(failed)[0], origin, bounded_tolerances(failed))
    except OSError as error:
        raise LogError(f"{error.filename or plan.out} cannot be written: {error.strerror}") from error
    return {"vector": saved.vector.relative_to(plan.out).as_posix()}


def _make_header(plan: StressPlan, facts: DriverFacts, machine: Machine) -> RunStarted:
    """Return the first line of the log."""
    return log_header(
        facts,
        machine,
        level=plan.target.level,
        seed=plan.options.seed,
        selection=tuple(test.name for test in plan.tests),
        planned=len(plan.tests),
        command=Command.STRESS,
    )
