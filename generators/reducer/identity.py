"""Identity of failures: what makes two the same one."""

from __future__ import annotations

import msgspec

from nnvet.reports.events import Verdict


class Identity(msgspec.Struct, frozen=True):
    """A failure as it has to stay while its test is made smaller.

    ``rule`` is the one that is broken; ``cause`` is what the driver itself gives away, a rule of an operation, the
    place of an exception or of a fatal signal; empty: nothing.
    """

    verdict: Verdict
    rule: str
    cause: str = ""

    def __str__(self) -> str:
        """In words."""
        return " ".join((self.verdict, self.rule, *([f"({self.cause})"] if self.cause else [])))
