"""Findings of a fuzzer: their kinds, and the key by which two findings are one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

_DIGITS: Final = 8
_SLUG: Final = re.compile(r"[^a-z0-9]+")
_LONGEST: Final = 60


class FindingKind(StrEnum):
    """Everything that counts; an error with a status that the contract allows does not."""

    DEATH = "death"
    HANG = "hang"
    MEMORY = "memory"
    SANITIZER = "sanitizer"
    EXCEPTION = "exception"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    WRONG = "wrong"
    LEAK = "leak"


MEANINGS: Final = {
    FindingKind.DEATH: "the driver's process died",
    FindingKind.HANG: "one input took longer than the limit",
    FindingKind.MEMORY: "more memory was used than the limit allows",
    FindingKind.SANITIZER: "a sanitizer reported an error in native code",
    FindingKind.EXCEPTION: "something other than HalError was raised, or a status that the contract does not allow",
    FindingKind.ACCEPTED: "an invalid model or request was accepted",
    FindingKind.REFUSED: "what is valid and claimed as supported was refused",
    FindingKind.WRONG: "an answer is wrong",
    FindingKind.LEAK: "memory, descriptors or threads become more each time that an input is run",
}


class FuzzFinding(Exception):  # noqa: N818 - it is what a harness is for, not an error of it
    """One finding. ``rule`` is the id of the broken rule; ``evidence`` has plain values alone.

    ``place`` is where a driver raised or died, without line numbers that change with every edit: findings of one kind,
    rule and place are one.
    """

    def __init__(
        self, kind: FindingKind, rule: str, message: str, evidence: Mapping[str, Any] | None = None, place: str = ""
    ) -> None:
        """Keep the parts; the text shows kind, rule and message."""
        super().__init__(kind, rule, message)
        self.kind = kind
        self.rule = rule
        self.message = message
        self.evidence = dict(evidence or {})
        self.place = place

    def __str__(self) -> str:
        """Kind and rule, then what happened."""
        return f"{self.kind} [{self.rule}]: {self.message}"

    @property
    def key(self) -> str:
        """Name of a folder for this finding and its duplicates, such as ``accepted-model-operand-scale-1f00d2c3``."""
        parts = f"{self.kind}\n{self.rule}\n{self.place}"
        digest = hashlib.sha256(parts.encode(errors="replace")).hexdigest()[:_DIGITS]
        slug = _SLUG.sub("-", f"{self.kind} {self.rule}".lower()).strip("-")
        return f"{slug[:_LONGEST]}-{digest}"
