"""Work of ``nnvet stress``: list tests, choose drivers, and run tests with progress on the console.

:func:`run_targets` does it for ``commands/stress.py``; :mod:`nnvet.conformance.stress` has the tests and runs them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.table import Table

from nnvet.commands.actions.run import folder_of, run_logged
from nnvet.commands.history import add_to_history
from nnvet.commands.options import PLAIN_WIDTH, CommandError
from nnvet.conformance.engine.target import Target, describe_target
from nnvet.conformance.kit.outcome import Outcome
from nnvet.conformance.stress.catalogue import StressTest
from nnvet.conformance.stress.messages import StressOptions
from nnvet.conformance.stress.running import StressElsewhere, StressPlan, StressWatcher, run_stress
from nnvet.reports.evidence import stress_verdict
from nnvet.reports.log import Log
from nnvet.reports.outcome import worst_exit_code

if TYPE_CHECKING:
    from nnvet.conformance.cluster.fleet import Fleet

_BESIDE_S: Final = 8.0
"""Seconds of a test in addition to its load: starting processes, preparing and recovering."""
_LEAST_SCALE: Final = 0.01
"""Least scale of the tests, however short the time."""


def scale_for(tests: Sequence[StressTest], seconds: float) -> float:
    """Return the scale at which the tests take about ``seconds``."""
    load_s = sum(test.load_s for test in tests)
    return max((seconds - _BESIDE_S * len(tests)) / load_s, _LEAST_SCALE)


def list_tests(tests: Sequence[StressTest], options: StressOptions) -> None:
    """Print the tests with their seconds of load."""
    table = Table("test", "load", "what it does", box=None)
    for test in tests:
        table.add_row(test.name, f"{test.load_s * options.scale:.3g} s", test.summary)
    console = Console()
    console.width = max(console.width, PLAIN_WIDTH)
    console.print(table)


def filter_targets(targets: Sequence[Target], pattern: str | None, fleet: Fleet | None = None) -> Sequence[Target]:
    """Return the targets whose device name matches the pattern; None: all. With ``fleet`` a worker asks for the name.

    :raises CommandError: none matches, or the pattern is no regular expression.
    """
    if pattern is None:
        return targets
    ask = describe_target if fleet is None else partial(fleet.ask, describe_target)
    names = [ask(target).name for target in targets]
    try:
        found = [target for target, name in zip(targets, names, strict=True) if re.fullmatch(pattern, name)]
    except re.error as error:
        raise CommandError(f"{pattern!r} is no regular expression: {error}") from error
    if not found:
        raise CommandError(f"no device matches {pattern!r}; there are {', '.join(names)}")
    return found


def stress_elsewhere(fleet: Fleet | None) -> StressElsewhere | None:
    """Return the workers of a cluster as machines that run the tests; None: this machine runs them."""
    if fleet is None:
        return None
    from nnvet.conformance.stress.on_cluster import StressOnCluster

    return StressOnCluster(fleet)


def run_targets(
    targets: Sequence[Target],
    tests: Sequence[StressTest],
    options: StressOptions,
    out: Path,
    history: Path | None = None,
    elsewhere: StressElsewhere | None = None,
) -> int:
    """Run the tests on one driver after the other, add the runs to a history, if any, and return the exit code of all.

    ``elsewhere`` are machines that run the tests instead of this one.

    :raises HistoryError: the history cannot be extended.
    :raises SelectorError: there is no such driver.
    :raises typer.Exit: a signal has ended the run.
    """
    names = [target.selector for target in targets]
    plans = [StressPlan(target, folder_of(out, target.selector, names), tests, options) for target in targets]
    with add_to_history(history, [plan.log for plan in plans]):
        return worst_exit_code([_run_plan(plan, elsewhere) for plan in plans])


def _run_plan(plan: StressPlan, elsewhere: StressElsewhere | None) -> int:
    console = Console()

    def run() -> Log:
        with StressProgress(console, len(plan.tests)) as progress:
            return run_stress(plan, progress, elsewhere)

    return run_logged(run, plan.log, console)


class StressProgress(StressWatcher):
    """Draws a bar of the tests, with the phase of the present one, and a line for each test that has ended."""

    def __init__(self, console: Console, count: int) -> None:
        """Draw on ``console``."""
        self._console = console
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bars.add_task("stress", total=count, note="")

    def __enter__(self) -> Self:
        """Begin to draw."""
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop drawing."""
        self._bars.stop()

    def began(self, test: StressTest) -> None:
        """Show the name of the test."""
        self._bars.update(self._task, description=test.name, note="")

    def beat(self, phase: str, done: int) -> None:
        """Show the progress of the test."""
        self._bars.update(self._task, note=f"{phase}: {done:,} done")

    def finished(self, test: StressTest, outcome: Outcome, duration_s: float) -> None:
        """Print the end of the test."""
        line = f"{stress_verdict(outcome.verdict):12} {test.name:36} {duration_s:6.1f} s"
        done = outcome.evidence.get("timings", {}).get("done")
        line += "" if done is None else f"  {done:,} done"
        self._console.print(line if not outcome.reason else f"{line}  {outcome.reason}", markup=False, soft_wrap=True)
        self._bars.advance(self._task)
