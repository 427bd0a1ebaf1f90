"""Calls for coming cases, sent before their turn to a driver behind a link.

A case that waits for one answer costs a round trip. So the first calls of the next :data:`WINDOW` cases of a batch are
on their way while a case runs, on the same lane: the driver serves all of them one after the other, only earlier.

A driver may die of such a call, or print something about it, during a case that has nothing to do with it. So a case
may end with PASS or UNSUPPORTED while calls for other cases are on their way, and with nothing else: any other outcome
is void. The case runs again on a fresh driver, and the cases after it run without calls ahead. If none of them ends
badly, the void outcome is reported as a finding about the driver. Each such outcome doubles the number of cases without
calls ahead, because a fresh driver takes longer than what is saved.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Final

from nnvet.conformance.engine.selection import argument_of, check_of
from nnvet.conformance.kit.checks import Case, begun_ahead
from nnvet.conformance.kit.outcome import Outcome
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.specs import SpecError
from nnvet.reports.events import Verdict

WINDOW: Final = 32
"""Cases whose first calls are sent at a time, the present one included."""
_PLAIN: Final = (Verdict.PASS, Verdict.UNSUPPORTED)


class Lookahead:
    """The calls that were sent to one driver for coming cases of a batch."""

    def __init__(self) -> None:
        """Begin without calls. ``findings`` are void outcomes that no case alone has confirmed."""
        self.findings: list[Outcome] = []
        self._coming: deque[Case] = deque()
        self._begun = 0
        self._alone = 0
        self._pause = WINDOW
        self._doubt: Outcome | None = None
        self._suspects = 0
        self._error: SpecError | None = None

    def over(self, subject: Subject, cases: Iterable[Case]) -> Iterator[Case]:
        """Yield each case after the calls for it and for the next ones have been sent, if the driver is far away.

        :raises SpecError: the cases cannot be listed to the end; those before have been yielded.
        """
        window = WINDOW if subject.reached.round_trip_s > 0 else 1
        rest = iter(cases)
        self._coming, self._begun, self._error = deque(), 0, None
        while self._list(rest, window):
            if window > 1:
                self._announce(subject)
            self._begun = max(0, self._begun - 1)
            yield self._coming.popleft()
        begun_ahead(subject).clear()
        if self._error is not None:
            raise self._error

    def is_void(self, subject: Subject, case: Case, outcome: Outcome, *, died: bool) -> bool:
        """Return True if calls for other cases may have caused the outcome; the next cases then run without any.

        A lost link is nobody's fault, so its outcome stands.
        """
        if outcome.verdict in _PLAIN or not begun_ahead(subject):
            return False
        begun_ahead(subject).clear()
        suspects, self._begun = self._begun, 0
        if died and outcome.verdict is Verdict.ERROR:
            return False
        self._alone, self._pause = self._pause, 2 * self._pause
        others = f"with calls for the next {suspects} cases on their way, each of which ends well alone"
        self._doubt = replace(outcome, reason=f"{outcome.reason}; this happened during {case.id}, {others}")
        self._suspects = suspects
        return True

    def see(self, outcome: Outcome) -> None:
        """Take note of the final outcome of a case."""
        if self._doubt is None:
            return
        if outcome.verdict not in _PLAIN:
            self._doubt = None
        elif self._suspects:
            self._suspects -= 1
        else:
            self.findings.append(self._doubt)
            self._doubt = None

    def _list(self, rest: Iterator[Case], count: int) -> bool:
        """List more cases, and return True if there are any."""
        if self._error is None:
            try:
                self._coming.extend(islice(rest, count - len(self._coming)))
            except SpecError as error:
                self._error = error
        return bool(self._coming)

    def _announce(self, subject: Subject) -> None:
        if self._alone:
            self._alone -= 1
            return
        for case in islice(self._coming, self._begun, None):
            self._begun += 1
            announce = check_of(case).announce
            if announce is not None:
                # The case itself meets the same error in its turn, and ends with it.
                with suppress(Exception):
                    announce(subject, argument_of(case))
