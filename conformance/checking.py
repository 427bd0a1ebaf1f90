"""The suite as a function, :func:`check_driver`, for use in a driver's own tests.

It returns a :class:`CheckedDriver`. :mod:`nnvet.conformance.plugin` offers the same to pytest's command line,
:mod:`nnvet.commands.run` to a shell; all three run a plan of :mod:`nnvet.conformance.engine.runner`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.nearest import find_idle_globs
from nnvet.conformance.engine.runner import Plan, RunWatcher, execute_plan
from nnvet.conformance.engine.selection import Selection, SelectionError, Shard
from nnvet.conformance.engine.target import Target
from nnvet.hal.interfaces import Device
from nnvet.reports.events import CaseFinished, Verdict
from nnvet.reports.evidence import replay_of
from nnvet.reports.log import Log
from nnvet.reports.outcome import failed_cases
from nnvet.reports.render import render

_MOST: Final = 20
"""Most failures that a message lists one by one."""


@dataclass(frozen=True, repr=False)
class CheckedDriver:
    """Result of a run on a driver; ``log`` has every case with its evidence.

    ``replays``: its cases can be run again by a command, since a selector says how to reach the driver.
    """

    log: Log
    replays: bool = True

    @property
    def exit_code(self) -> int:
        """Return the exit code that ``nnvet run`` would have."""
        assert self.log.finished is not None  # noqa: S101 - execute_plan returns finished logs
        return self.log.finished.exit_code

    @property
    def faultless(self) -> bool:
        """Return True if all judged cases passed, and there was one; :attr:`profiles` has what it conforms to."""
        return self.exit_code == 0 and bool(self.log.counts[Verdict.PASS])

    @property
    def profiles(self) -> tuple[str, ...]:
        """Return the names of all profiles to which the driver is conformant; a part of the suite seldom suffices."""
        results = () if self.log.finished is None else self.log.finished.profiles
        return tuple(result.profile for result in results if result.is_held)

    @property
    def failures(self) -> list[CaseFinished]:
        """Return the cases that need attention: FAIL, CRASH, HANG and ERROR, with rule, reason and evidence."""
        return failed_cases(self.log)

    def assert_conformant(self, *profiles: str) -> None:
        """Pass if every judged case passed, at least one did, and the driver is conformant to all ``profiles``.

        :raises AssertionError: with the counts, and each failure with its reason and the command that runs it again.
        """
        __tracebackhide__ = True
        missing = [name for name in profiles if name not in self.profiles]
        if missing or not self.faultless:
            lost = f"not conformant to {', '.join(missing)}\n" if missing else ""
            raise AssertionError(f"{lost}{self}")

    def __repr__(self) -> str:
        """Return counts of verdicts."""
        return f"<CheckedDriver: {self._describe_counts()}>"

    def __str__(self) -> str:
        """Return counts of verdicts, and the failures one by one: fit for ``assert checked.faultless, checked``."""
        failures = self.failures
        more = [f"and {len(failures) - _MOST} more"] if len(failures) > _MOST else []
        return "\n".join(
            [self._describe_counts(), *chain.from_iterable(map(self._list_lines, failures[:_MOST])), *more]
        )

    def _describe_counts(self) -> str:
        """Return the numbers of verdicts in words."""
        return ", ".join(f"{count} {verdict}" for verdict, count in self.log.counts.items() if count) or "no case ran"

    def _list_lines(self, failure: CaseFinished) -> list[str]:
        """Return a failure as lines: verdict, rule and reason, and the command that runs it again."""
        line = f"{failure.verdict} {failure.case} [{failure.rule}] {failure.reason}"
        return [line, f"    {replay_of(self.log.started, failure)}"] if self.replays else [line]


def check_driver(
    driver: str | Callable[[], Device],
    *,
    only: str | Sequence[str] = (),
    specs: str | Path | Sequence[str | Path] = (),
    checks: bool = True,
    level: int | None = None,
    full: bool = False,
    shard: str = "1/1",
    jobs: int = 1,
    timeout_s: float = 20.0,
    out: str | Path | None = None,
) -> CheckedDriver:
    """Test a driver, and say what was found; nothing is raised for a driver that is wrong.

    ::

        def test_my_driver():
            checked = check_driver("python:my_package.driver:create", only=["BasicTest/*", "GeneratedTest/*"])
            checked.assert_conformant()

    :param driver: a selector, whose driver gets a process of its own; or a function that makes the device, which then
        lives in this process, where a crash or a hang cannot be survived.
    :param only: a glob of case ids, or several; none: the usual run.
    :param specs: a file or folder of specs, or several; none: the bundled corpus. ``checks`` adds those that need no
        spec.
    :param level: test as a driver of this feature level (1 to 8).
    :param full: every executor and form of arguments, and every check over every spec.
    :param shard: ``I/N`` for the I-th of N fractions.
    :param jobs: processes, each with a driver of its own; 1 for a driver that a function makes.
    :param timeout_s: seconds after which a silent driver hangs.
    :param out: folder for the log and the reports; None: they are not kept.
    :raises SelectorError: there is no such driver.
    :raises SelectionError: nothing is selected, or a glob of ``only`` selects nothing: a test would pass for nothing.
    :raises ValueError: ``jobs`` are asked for with a function.
    """
    if not isinstance(driver, str) and jobs != 1:
        raise ValueError("a function makes its devices in this process: give a selector for several jobs")
    target = _make_target(driver, timeout_s, level)
    with ExitStack() as stack:
        folder = Path(out or stack.enter_context(tempfile.TemporaryDirectory(prefix="nnvet-")))
        globs = (only,) if isinstance(only, str) else tuple(only)
        places = [specs] if isinstance(specs, str | Path) else specs
        selection = Selection(globs, level, Shard.parse(shard), full)
        plan = Plan(target, folder, [Path(place) for place in places], selection, jobs, checks=checks)
        log = execute_plan(plan, RunWatcher())
        if out is not None:
            render(log, plan.out)
        idle = find_idle_globs(Catalogue(plan.specs, plan.checks, target.selector), selection, log.results)
        if idle:
            raise SelectionError("; ".join(idle))
        return CheckedDriver(log, replays=target.factory is None)


def _make_target(driver: str | Callable[[], Device], timeout_s: float, level: int | None) -> Target:
    """Return the target for a selector, or for a function that makes the device in this process."""
    if isinstance(driver, str):
        return Target(driver, timeout_s=timeout_s, level=level)
    name = getattr(driver, "__qualname__", type(driver).__name__)
    return Target(name, in_process=True, timeout_s=timeout_s, level=level, factory=driver)
