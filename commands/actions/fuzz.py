"""Work of ``nnvet fuzz``: choose harnesses, run them with progress on the console, and print findings.

A harness searches in one kind of input, such as models or requests. :mod:`nnvet.fuzz.runner` runs a job; this module
reports it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import typer
from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bars

from nnvet.adapters.drivers import open_driver
from nnvet.commands.actions.run import run_to_end
from nnvet.commands.options import CommandError
from nnvet.commands.terminal import BY_SIGNAL, Interruption, Pace
from nnvet.fuzz.findings import INPUT, for_harness, read_saved
from nnvet.fuzz.harness import HARNESSES, Harness
from nnvet.fuzz.replaying import finding_in_process
from nnvet.fuzz.runner import FINDINGS, FuzzingJob, HarnessProgress, OtherMachines, input_command, run_job
from nnvet.reports.events import Verdict
from nnvet.reports.github import announce
from nnvet.reports.log import Log, read_log
from nnvet.reports.outcome import EXIT_CONFORMANT, EXIT_NOT_CONFORMANT, EXIT_SUITE_FAILED
from nnvet.reports.render import render
from nnvet.reports.values import printable

if TYPE_CHECKING:
    from nnvet.conformance.cluster.fleet import Fleet


# Hint at the end of a job whose native driver has no counters of edges.
_NO_EDGES = (
    "no native edges are counted, so nothing in the driver guides the fuzzer; if it is in C or C++, compile it with "
    "-fsanitize-coverage, together with the file that `nnvet fuzz --native-counters` names: docs/fuzzing.md, "
    "'Native libraries'"
)


def choose_harnesses(names: Sequence[str]) -> tuple[Harness, ...]:
    """Return the harnesses of these names, or all.

    :raises CommandError: no harness has one of the names.
    """
    for name in names:
        if name not in HARNESSES:
            raise CommandError(f"there is no harness {name!r}; there are {', '.join(HARNESSES)}")
    return tuple(HARNESSES[name] for name in names or HARNESSES)


def run_fuzzing(job: FuzzingJob, fleet: Fleet | None = None) -> int:
    """Fuzz here or on the workers of ``fleet``, write the reports, print the findings, and return the exit code.

    :raises SelectorError: there is no such driver.
    :raises ClusterError: the workers cannot do the job.
    :raises typer.Exit: a signal has ended it; earlier findings are in the reports.
    """
    console = Console(soft_wrap=True, highlight=False, markup=False)

    def run() -> Log:
        far = None if fleet is None else _open_workers(fleet)
        if far is None:
            # Start the driver once before fuzzing: a driver that does not start is a usage error, not a finding.
            with open_driver(job.driver, timeout_s=job.timeout_s):
                pass
        places = job.jobs if fleet is None else max(1, sum(fleet.workers().values()))
        with FuzzingProgress(console, job, places) as progress:
            return read_log(run_job(job, progress, far))

    with Interruption(once=True) as interruption:
        log = run_to_end(run, job.log)
        interruption.hold()
        if interruption.number:
            name = signal.Signals(interruption.number).name
            console.print(f"interrupted by {name}: {'nothing had begun' if log is None else 'what was found stays'}")
        if log is not None:
            _report(job, log, console)
    if interruption.number:
        raise typer.Exit(BY_SIGNAL + interruption.number)
    return EXIT_SUITE_FAILED if log is None or log.finished is None else log.finished.exit_code


def _open_workers(fleet: Fleet) -> OtherMachines:
    # dask is an extra.
    from nnvet.fuzz.cluster.run import OnWorkers

    return OnWorkers(fleet)


def _report(job: FuzzingJob, log: Log, console: Console) -> None:
    paths = render(log, job.out)
    for known, folder in read_saved(job.out / FINDINGS):
        console.print(f"{known.kind} [{known.rule}] {known.message}\n  {input_command(job, known, folder / INPUT)}")
    for event in log.fuzzing:
        result = log.results.get(f"Fuzz/{event.harness}")
        if result is not None and result.verdict is Verdict.UNSUPPORTED:
            console.print(f"{event.harness}: nothing to fuzz: {printable(result.reason)}")
            continue
        growth = f"coverage {event.curve[0][1]} to {event.curve[-1][1]}" if event.curve else "no coverage"
        inputs = f"{event.executions:,} inputs in {event.seconds:.0f} s"
        edges = f" ({event.native_edges:,} native edges counted)" if event.native_edges else ""
        console.print(f"{event.harness}: {inputs}, {growth}{edges}, {event.findings} findings")
    if not job.config.in_process and not any(event.native_edges for event in log.fuzzing):
        console.print(f"nnvet: {_NO_EDGES}")
    for problem in log.finished.problems if log.finished else ():
        console.print(f"nnvet: {problem}")
    console.print(f"report: {paths.html}")
    announce(log, os.environ, typer.echo)


def replay_input(job: FuzzingJob, file: Path) -> int:
    """Run an input in a process of its own; return the exit code 1 if it finds anything, else 0.

    :raises CommandError: there is no such file, or not exactly one harness.
    """
    if len(job.harnesses) != 1 or not file.is_file():
        raise CommandError("--input needs one harness and a file: nnvet fuzz HARNESS --input FILE")
    harness = job.harnesses[0]
    finding = finding_in_process(for_harness(job.config, harness.name, harness.instrumented), file)
    console = Console(soft_wrap=True, highlight=False, markup=False)
    if finding is None:
        console.print("nothing is found")
        return EXIT_CONFORMANT
    console.print(str(finding))
    for text in finding.evidence.values():
        console.print(str(text))
    return EXIT_NOT_CONFORMANT


class FuzzingProgress:
    """Draws a bar for each harness; without a terminal, prints a line from time to time."""

    def __init__(self, console: Console, job: FuzzingJob, places: int) -> None:
        """Draw on ``console``; ``places`` is how many slices run at a time."""
        self._console = console
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[note]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._share = job.seconds * places / len(job.harnesses)
        self._tasks = {
            harness.name: self._bars.add_task(harness.name, total=self._share, note="") for harness in job.harnesses
        }
        self._findings = job.out / FINDINGS
        self._pace = Pace()

    def __enter__(self) -> Self:
        """Begin to draw."""
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop drawing."""
        self._bars.stop()

    def passed(self, progress: HarnessProgress) -> None:
        """Show the progress of a harness."""
        reached = progress.curve[-1][0] if progress.curve else 0.0
        done = max(progress.seconds, reached)
        found = len(list((self._findings / progress.harness).glob("*/" + INPUT)))
        note = f"coverage {progress.coverage:,}  corpus {progress.corpus:,}  {found} findings"
        self._bars.update(self._tasks[progress.harness], completed=done, note=note)
        if not self._console.is_terminal and self._pace.is_due():
            self._console.print(f"{progress.harness}: {note}")
