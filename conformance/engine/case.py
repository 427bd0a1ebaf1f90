"""What the runner runs: a case has an id and yields an outcome. Suites over specs and hand-written checks make them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol

from nnvet.conformance.engine.outcome import Outcome
from nnvet.conformance.engine.subject import Subject


class Case(Protocol):
    """One case of a run.

    ``id`` is unique, stable and readable. ``needed_level`` is the feature level that the case needs, None if it is
    not known. Cases of one ``unit`` share work and stay together when a run is split.
    """

    @property
    def id(self) -> str:
        """Id in logs, reports and on the command line."""

    @property
    def needed_level(self) -> int | None:
        """Feature level without which the case means nothing."""

    @property
    def usual(self) -> bool:
        """Whether the case runs without being asked for by id or by the full matrix."""

    @property
    def unit(self) -> Hashable:
        """Cases of equal units stay together."""

    def run(self, subject: Subject) -> Outcome:
        """Run on the driver under test.

        :raises DriverGone: the driver's process died, or gave no answer in time.
        """

    def labels(self, subject: Subject) -> dict[str, Any]:
        """What reports group by; asked for after the case has run."""
