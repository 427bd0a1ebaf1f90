"""Stress tests on the workers of a cluster; no other task runs on the machine of a test.

The command line passes a :class:`StressOnCluster` to :func:`nnvet.conformance.stress.running.run_stress`, which then
runs nothing on its own machine. Each test is a task of :mod:`nnvet.conformance.cluster.solo_run`, in which a worker
calls :func:`nnvet.conformance.stress.running.run_test`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from nnvet.adapters.selector import SelectorError
from nnvet.conformance.cluster.fleet import Fleet
from nnvet.conformance.cluster.solo import Described, SoloResult, SoloTask
from nnvet.conformance.cluster.solo_run import SoloRun
from nnvet.conformance.engine.target import Target, describe_target
from nnvet.conformance.engine.work import Ready
from nnvet.conformance.kit.outcome import Outcome
from nnvet.conformance.stress import running
from nnvet.conformance.stress.catalogue import StressTest
from nnvet.conformance.stress.messages import TestOrder
from nnvet.reports.events import DriverFacts, Machine, Verdict


@dataclass(frozen=True)
class StressOnCluster:
    """The machines of a cluster; workers of one machine take turns."""

    fleet: Fleet

    def begin(
        self, plan: running.StressPlan, watcher: running.StressWatcher
    ) -> tuple[DriverFacts, Machine, running.Course]:
        """See :class:`nnvet.conformance.stress.running.StressElsewhere`.

        :raises SelectorError: no worker has such a driver.
        :raises ClusterError: there are no workers, or a worker's suite or driver differs from the others'.
        :raises WorkerError: the scheduler or the last worker is gone.
        """
        run = SoloRun(
            self.fleet,
            partial(_describe, plan.target),
            on_start=lambda number, _: watcher.began(plan.tests[number]),
        )
        first = run.introduce_workers()
        if first is None:
            raise SelectorError(f"driver '{plan.target.selector}': it does not start on any worker")
        return first.described.drivers[0].facts, first.facts, _run_tests(plan, run)


def _run_tests(plan: running.StressPlan, run: SoloRun) -> running.Course:
    """Have the workers run all tests, and yield their events in order."""
    orders = [TestOrder(test.id, plan.target, plan.options) for test in plan.tests]
    for result in run.results([SoloTask(order.test, running.run_test, (order,)) for order in orders]):
        test = plan.tests[result.number]
        if result.answer is not None or result.deaths:
            yield running.TestBegan(test)
        yield _convert_result(test, result)


def _convert_result(test: StressTest, result: SoloResult) -> running.TestEnded:
    """Return the end of a test from the result of its task: an outcome, the death of workers, or nothing."""
    if result.answer is not None:
        outcome, duration_s, failed = result.answer.value
        return running.make_ended(test, outcome.with_timings({"worker": result.answer.worker}), duration_s, failed)
    if result.deaths:
        evidence = {"workers": [dict(death) for death in result.deaths]}
        return running.TestEnded(test, Outcome(Verdict.CRASH, "driver/crash", result.reason, evidence))
    return running.TestEnded(test, Outcome(Verdict.NOT_RUN, reason=result.reason))


def _describe(target: Target) -> Described:
    """Describe the worker's driver. If it dies while it is asked, the tests will report that, as on one machine."""
    return Described((Ready(describe_target(target), ()),))
