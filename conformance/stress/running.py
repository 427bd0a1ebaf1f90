"""A whole stress run: each selected test in turn, every one with a fresh driver, into one event log."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as replace_outcome
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from nnvet.adapters import DriverGone
from nnvet.conformance.engine.folder import results_in
from nnvet.conformance.engine.judging import bounded_tolerances
from nnvet.conformance.engine.keeping import FOLDER
from nnvet.conformance.engine.outcome import Outcome
from nnvet.conformance.engine.saved_failures import Provenance, save_failure
from nnvet.conformance.engine.session import Target
from nnvet.conformance.stress.catalogue import SUITE, StressTest
from nnvet.conformance.stress.coordinator import Watched
from nnvet.conformance.stress.messages import TestOrder
from nnvet.conformance.stress.options import StressOptions
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.reducer.evaluation import completed
from nnvet.hal.errors import HalError
from nnvet.reports.events import Command, DriverFacts, RunStarted, Verdict
from nnvet.reports.facts import DRIVER_FACTS, machine_facts
from nnvet.reports.log import EventLog, Log, LogError
from nnvet.reports.outcome import EXIT_CODES, outcome_of
from nnvet.reports.stress import LABEL, stress_verdict

_LIKE: Final = "RandomModels/Bounds/default/0"
"""A case that judges as stress tests do; a saved model is executed and judged in its manner."""


@dataclass(frozen=True)
class StressPlan:
    """Which tests to run on which driver, and where the results go."""

    target: Target
    out: Path
    tests: Sequence[StressTest]
    options: StressOptions

    @property
    def log(self) -> Path:
        """``run.jsonl`` in the folder of the run."""
        return self.out / "run.jsonl"

    def command(self, test: StressTest) -> str:
        """What runs one test again."""
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
    """Follows a run; the command line draws it."""

    def began(self, test: StressTest) -> None:
        """A test begins."""

    def beat(self, phase: str, done: int) -> None:
        """The test is in a phase, and has done so many units of work."""

    def finished(self, test: StressTest, outcome: Outcome, duration_s: float) -> None:
        """A test has ended, and its event is in the log."""


def run_stress(plan: StressPlan, watcher: StressWatcher) -> Log:
    """Run the tests of a plan; what is done is in the log whatever happens. Returns the finished log.

    :raises SelectorError: there is no such driver.
    :raises LogError: the results cannot be written.
    :raises KeyboardInterrupt: passed on; the log is left incomplete.
    """
    with results_in(plan.out), EventLog.create(plan.log, _header(plan)) as log:
        for test in plan.tests:
            _run_one(plan, test, watcher, log)
        outcome = outcome_of(log.counts)
        log.finish(EXIT_CODES[outcome])
        return log.so_far


def _run_one(plan: StressPlan, test: StressTest, watcher: StressWatcher, log: EventLog) -> None:
    watcher.began(test)
    log.case_started(test.id)
    begin = time.monotonic()
    watched = Watched(TestOrder(test.id, plan.target, plan.options), watcher.beat)
    outcome = watched.run()
    duration_s = time.monotonic() - begin
    evidence: dict[str, Any] = {**outcome.evidence, "seed": plan.options.seed}
    if outcome.verdict not in (Verdict.PASS, Verdict.UNSUPPORTED):
        evidence["replay"] = plan.command(test)
        if outcome.evidence.get("phase"):
            reason = f"in phase {outcome.evidence['phase']}: {outcome.reason}"
            outcome = replace_outcome(outcome, reason=reason)
        evidence.update(_saved(plan, test, watched.failed_test, outcome))
    log.case_finished(
        test.id,
        outcome.verdict,
        duration_s=duration_s,
        rule=outcome.rule,
        reason=outcome.reason,
        evidence=evidence,
        labels=labels_of_test(test, outcome),
    )
    watcher.finished(test, outcome, duration_s)


def labels_of_test(test: StressTest, outcome: Outcome) -> dict[str, str]:
    """What reports group a test by."""
    return {"suite": SUITE, "check": test.name, LABEL: stress_verdict(outcome.verdict)}


def _saved(plan: StressPlan, test: StressTest, failed: TestModel | None, outcome: Outcome) -> dict[str, str]:
    """What the evidence gains: the path of the vector of the model that was executed wrongly, if there was one.

    The files name a case of the same judgement by error bounds. What goes wrong in parallel alone passes as such.

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
        saved = save_failure(folder, completed(failed)[0], origin, bounded_tolerances(failed))
    except OSError as error:
        raise LogError(f"{error.filename or plan.out} cannot be written: {error.strerror}") from error
    return {"vector": saved.vector.relative_to(plan.out).as_posix()}


def _header(plan: StressPlan) -> RunStarted:
    return RunStarted(
        suite_version=version("nnvet"),
        driver=facts_of(plan.target),
        time=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        machine=machine_facts(),
        level=plan.target.level,
        seed=plan.options.seed,
        selection=tuple(test.name for test in plan.tests),
        planned=len(plan.tests),
        command=Command.STRESS,
    )


def facts_of(target: Target) -> DriverFacts:
    """What the driver says of itself; as much as it does say: what is wrong with it is for the tests to find."""
    facts = DriverFacts(target.selector)
    try:
        with target.open() as driver:
            for name, query in DRIVER_FACTS.items():
                facts = replace(facts, **{name: query(driver.device)})
    except (DriverGone, HalError):
        return facts
    return facts
