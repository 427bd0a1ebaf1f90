"""Progress of a run on the console; plain lines where there is no terminal."""

from __future__ import annotations

from collections import Counter
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from nnvet.conformance.engine.runner import Watcher
from nnvet.models.bench import Progress
from nnvet.reports.events import Verdict

_LINES = 10


class RunProgress(Watcher):
    """Draws a bar for loading and one for running."""

    def __init__(self, console: Console) -> None:
        """Draw on ``console``."""
        self._console = console
        self._progress = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._counts: Counter[Verdict] = Counter()
        self._total = 0
        self._loading = self._progress.add_task("loading specs", total=None, note="")
        self._running = self._progress.add_task("running", total=None, note="", visible=False)
        self._bench = self._progress.add_task("benchmark", total=None, note="", visible=False)

    def __enter__(self) -> Self:
        """Begin to draw."""
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop drawing."""
        self._progress.stop()

    def collected(self, files: int, total: int) -> None:
        """Move the loading bar."""
        self._progress.update(self._loading, completed=files, total=total)

    def planned(self, cases: int) -> None:
        """Show the running bar."""
        self._total = cases
        self._progress.update(self._loading, visible=False)
        self._progress.update(self._running, total=cases, visible=True)

    def finished(self, case: str, verdict: Verdict) -> None:
        """Move the running bar, or print a line now and then."""
        del case
        self._counts[verdict] += 1
        note = "  ".join(f"{count} {name}" for name, count in self._counts.items())
        self._progress.update(self._running, advance=1, note=note)
        done = self._counts.total()
        if not self._console.is_terminal and (done % max(self._total // _LINES, 1) == 0 or done == self._total):
            self._console.print(f"{done} of {self._total} cases: {note}")

    def print(self, text: str) -> None:
        """Print a line above the bars."""
        self._console.print(text, markup=False)

    def print_plain(self, text: str) -> None:
        """Print a line where no bars are drawn."""
        if not self._console.is_terminal:
            self.print(text)

    def show_bench(self, description: str, done: int, total: int) -> None:
        """Move the bar of the benchmark."""
        self._progress.update(self._running, visible=False)
        self._progress.update(self._bench, description=description, completed=done, total=total, visible=True)


class BenchProgress:
    """Draws the benchmark beneath the run; see :class:`nnvet.commands.benchmark.BenchWatcher`."""

    def __init__(self, run: RunProgress) -> None:
        """Draw with the bars of ``run``."""
        self._run = run
        self._last = ("", "")

    def note(self, text: str) -> None:
        """Print a line."""
        self._run.print(text)

    def step(self, progress: Progress) -> None:
        """Move the bar; without a terminal, print a line for each model and phase."""
        self._run.show_bench(f"{progress.model}: {progress.phase}", progress.done, progress.total)
        current = (progress.model, progress.phase)
        if current != self._last and progress.phase == "run":
            self._run.print_plain(f"benchmark: {progress.model}")
        self._last = current
