"""Progress of a run on the console; plain lines where there is no terminal."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from nnvet.conformance.engine.catalogue import Batch
from nnvet.conformance.engine.runner import RunWatcher
from nnvet.reports.events import Verdict

LINE_S: Final = 10.0
"""Seconds between two lines, at least, where there is no terminal: a log of CI is read as a whole."""


class Pace:
    """Says when a line is due that must not come more often than every :data:`LINE_S` seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """The first line is due when that time has passed; ``clock`` gives seconds."""
        self._clock = clock
        self._last = clock()

    def is_due(self) -> bool:
        """Return True if a line may be printed now; then it counts as printed."""
        now = self._clock()
        if now - self._last < LINE_S:
            return False
        self._last = now
        return True


class RunProgress(RunWatcher):
    """Draws a bar of the batches of a run; how many cases they hold turns out as they run."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        """Draw on ``console``; ``clock`` gives seconds."""
        self._console = console
        self._pace = Pace(clock)
        self._is_terminal = console.is_terminal
        self._progress = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._counts: Counter[Verdict] = Counter()
        self._size = 0
        self._done = 0
        self._running = self._progress.add_task("running", total=None, note="")
        self._more = self._progress.add_task("more", total=None, note="", visible=False)

    def __enter__(self) -> Self:
        """Begin to draw."""
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop drawing."""
        self._progress.stop()

    def planned(self, batches: Sequence[Batch]) -> None:
        """Set the length of the bar."""
        self._size = sum(batch.size for batch in batches)
        self._progress.update(self._running, total=self._size)

    def finished(self, case: str, verdict: Verdict) -> None:
        """Count a case."""
        del case
        self._counts[verdict] += 1
        if self._is_terminal:
            self._progress.update(self._running, note=self.note)
        self.say_how_far()

    def batch_ended(self, batch: Batch) -> None:
        """Move the bar, or print a line if one is due; the last one is printed in any case."""
        self.advance(batch.size)
        if batch.size and self._done >= self._size:
            self._say()
        else:
            self.say_how_far()

    def say_how_far(self) -> None:
        """Without a terminal, print a line if one is due."""
        if self._pace.is_due():
            self._say()

    def _say(self) -> None:
        self.print_plain(f"{100 * self._done // max(self._size, 1)} %: {self.note}")

    def advance(self, size: int) -> None:
        """Move the bar by the size of a batch."""
        self._done += size
        self._progress.update(self._running, completed=self._done)

    def show_share(self, share: float) -> None:
        """Move the bar to a share of its length."""
        self._progress.update(self._running, completed=min(share, 1.0) * self._size)

    @property
    def total(self) -> int:
        """Cases that have ended."""
        return self._counts.total()

    @property
    def note(self) -> str:
        """Text beside the bar: counts of verdicts."""
        return "  ".join(f"{count} {name}" for name, count in self._counts.items())

    def print(self, text: str) -> None:
        """Print a line above the bars."""
        self._console.print(text, markup=False)

    def print_plain(self, text: str) -> None:
        """Print a line where no bars are drawn."""
        if not self._console.is_terminal:
            self.print(text)

    def show_more(self, description: str, done: int, total: int) -> None:
        """Move the bar of what is done after the cases: a benchmark, or reductions."""
        self._progress.update(self._running, visible=False)
        self._progress.update(self._more, description=description, completed=done, total=total, visible=True)
