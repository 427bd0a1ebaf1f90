"""Figures of an attack on the suite: how often it was tried, and how often the suite did the right thing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_EXAMPLES: Final = 20


@dataclass
class Figures:
    """Figures of one attack; ``wrongs`` describe the first of those that the suite did not withstand.

    ``peak_mib`` is the most memory in MiB that the process under attack had (0: not looked at), ``notes`` is what else
    was counted, in words.
    """

    tried: int = 0
    right: int = 0
    wrongs: list[str] = field(default_factory=list)
    peak_mib: float = 0.0
    notes: str = ""

    @property
    def wrong(self) -> int:
        """Number of tries that did not end as they have to."""
        return self.tried - self.right

    def see(self, wrong: str = "") -> None:
        """Count one try; ``wrong`` says what the suite did that it must not, and to which attack, or nothing."""
        self.tried += 1
        self.right += not wrong
        if wrong and len(self.wrongs) < _EXAMPLES:
            self.wrongs.append(wrong)


@dataclass(frozen=True)
class Attack:
    """One way to attack the suite: ``run(tries, seed, folder)``, where ``folder`` is empty and may be written to.

    ``short`` and ``long`` are how often the tests and ``make attack`` try it; ``withstood`` is what has to come of it.
    """

    name: str
    run: Callable[[int, int, Path], Figures]
    short: int
    long: int
    withstood: str
    memory_limit_mib: float = float("inf")
