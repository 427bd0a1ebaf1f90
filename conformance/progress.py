"""Progress of a run on the console; plain lines where there is no terminal."""

from __future__ import annotations

from collections import Counter
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from conformance.runner import Watcher
from reports.events import Verdict

_LINES = 10


class RunProgress(Watcher):
    """Draws a bar for loading and one for running."""

    def __init__(self, console: Console) -> None:
        """Draw on ``console``."""
        self._console = console
        self._progress = Progress(
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
