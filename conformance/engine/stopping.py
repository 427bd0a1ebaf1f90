"""When a run stops before its end: because it was asked to, or because the driver is hopeless."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from nnvet.reports.events import DRIVER_FAULTS, Verdict

DEATHS_IN_A_ROW: Final = 25
"""A driver that dies or hangs at so many cases in a row is not run any further."""

_DEATHS: Final = (Verdict.CRASH, Verdict.HANG)
_SAYS_NOTHING: Final = (Verdict.UNSUPPORTED, Verdict.NOT_RUN, Verdict.ERROR)


@dataclass(frozen=True)
class StopRules:
    """After how many failures, seconds, and deaths of the driver in a row a run stops; None: never."""

    max_failures: int | None = None
    budget_s: float | None = None
    deaths_in_a_row: int | None = DEATHS_IN_A_ROW


class Stopper:
    """Watches the verdicts of a run; ``reason`` says why it is to stop, once it is."""

    def __init__(self, rules: StopRules) -> None:
        """The time begins to run."""
        self._rules = rules
        self._end = None if rules.budget_s is None else time.monotonic() + rules.budget_s
        self._failures = 0
        self._deaths = 0
        self.reason = ""

    def see(self, verdict: Verdict) -> None:
        """Take in how a case ended."""
        rules = self._rules
        self._failures += verdict in DRIVER_FAULTS
        if verdict not in _SAYS_NOTHING:
            self._deaths = self._deaths + 1 if verdict in _DEATHS else 0
        if self._end is not None and time.monotonic() >= self._end:
            self.reason = f"stopped after {rules.budget_s:g} s, as --budget asks"
        elif rules.max_failures is not None and self._failures >= rules.max_failures:
            self.reason = f"stopped after {self._failures} failures, as --max-failures asks"
        elif rules.deaths_in_a_row is not None and self._deaths >= rules.deaths_in_a_row:
            self.reason = f"stopped after the driver died or hung at {self._deaths} cases in a row; the rest is not run"
