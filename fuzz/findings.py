"""Findings of the fuzzer: their kinds, their files, and the key by which two findings count as the same.

A finding is stored in a folder, ``FINDINGS/HARNESS/KEY``, with the input and all evidence. The configuration of the
processes of a fuzzing job is here as well.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import msgspec

INPUT: Final = "input"
"""File of a finding's folder that holds the input."""
_KNOWN: Final = "finding.json"
"""File of a finding's folder that holds the :class:`SavedFinding`."""


class SavedFinding(msgspec.Struct, frozen=True):
    """A finding as it is saved; ``driver`` is the selector of the driver that it was found in."""

    harness: str
    driver: str
    kind: FindingKind
    rule: str
    message: str
    place: str = ""
    evidence: dict[str, Any] = {}

    @property
    def key(self) -> str:
        """Return the name of the folder of this finding: see :attr:`nnvet.fuzz.findings.FuzzFinding.key`."""
        return self.finding.key

    @property
    def finding(self) -> FuzzFinding:
        """Return the finding as an exception."""
        return FuzzFinding(self.kind, self.rule, self.message, self.evidence, self.place)


def save(folder: Path, harness: str, driver: str, finding: FuzzFinding, data: bytes) -> bool:
    """Save a finding, with the shortest input if it is saved already; return True if it is new.

    :raises OSError: it cannot be written.
    """
    place = folder / harness / finding.key
    file = place / INPUT
    is_new = not file.exists()
    if not is_new and file.stat().st_size <= len(data):
        return False
    place.mkdir(parents=True, exist_ok=True)
    known = SavedFinding(harness, driver, finding.kind, finding.rule, finding.message, finding.place, finding.evidence)
    text = msgspec.json.format(msgspec.json.encode(known, enc_hook=str), indent=2)
    for name, content in ((_KNOWN, text), (INPUT, data)):
        # Renaming leaves no partial file if the process is killed, or if another one writes the same finding.
        unfinished = place / f"{name}.{uuid4().hex}.new"
        unfinished.write_bytes(content)
        unfinished.replace(place / name)
    return is_new


def read_saved(folder: Path) -> Iterator[tuple[SavedFinding, Path]]:
    """Return all findings of a folder in order, each with its own folder; those that cannot be read are left out."""
    for file in sorted(folder.glob(f"*/*/{_KNOWN}")):
        with suppress(OSError, msgspec.MsgspecError):
            finding = msgspec.json.decode(file.read_bytes(), type=SavedFinding)
            if (file.parent / INPUT).is_file():
                yield finding, file.parent


_DIGITS: Final = 8
"""Number of hexadecimal digits of the hash that ends the name of a finding's folder."""
_SLUG: Final = re.compile(r"[^a-z0-9]+")
_LONGEST: Final = 60
"""Largest number of characters of that name before the hash."""


class FindingKind(StrEnum):
    """Kinds of findings, explained in :data:`MEANINGS`; an error whose status the contract allows is no finding."""

    DEATH = "death"
    HANG = "hang"
    MEMORY = "memory"
    SANITIZER = "sanitizer"
    EXCEPTION = "exception"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    WRONG = "wrong"
    LEAK = "leak"
    CUT_OFF = "cut-off"


MEANINGS: Final = {
    FindingKind.DEATH: "the driver's process died",
    FindingKind.HANG: "one input took longer than the limit",
    FindingKind.MEMORY: "more memory was used than the limit allows",
    FindingKind.SANITIZER: "a sanitizer reported an error in native code",
    FindingKind.EXCEPTION: "the driver raised something other than HalError, or HalError with a wrong status",
    FindingKind.ACCEPTED: "the driver accepted an invalid model or request",
    FindingKind.REFUSED: "the driver refused something valid that it claims to support",
    FindingKind.WRONG: "an answer is wrong",
    FindingKind.LEAK: "memory, descriptors or threads grow each time that an input is run",
    FindingKind.CUT_OFF: "the way to the driver was lost each time that an input was run: an error, not the driver's",
}


class FuzzFinding(Exception):  # noqa: N818 - it is what a harness is for, not an error of it
    """A finding. ``rule`` is the id of the broken rule; ``evidence`` has plain values only.

    ``place`` is where a driver raised or died, without line numbers that change with every edit: findings with the
    same kind, rule and place count as one.
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
        """Return kind, rule and message."""
        return f"{self.kind} [{self.rule}]: {self.message}"

    @property
    def key(self) -> str:
        """Return the name of the folder of this finding: ``accepted-model-operand-scale-1f00d2c3``."""
        parts = f"{self.kind}\n{self.rule}\n{self.place}"
        digest = hashlib.sha256(parts.encode(errors="replace")).hexdigest()[:_DIGITS]
        slug = _SLUG.sub("-", f"{self.kind} {self.rule}".lower()).strip("-")
        return f"{slug[:_LONGEST]}-{digest}"


class ChildConfig(msgspec.Struct, frozen=True):
    """Configuration of a process that fuzzes: harness, driver with its limits, folder of findings, memory limit.

    ``instrumented`` and ``compares`` are copied from the harness, because they are needed before its module is
    imported. ``sandbox`` has the devices that the driver's sandbox lets through; None: the driver has no sandbox.
    """

    harness: str
    driver: str
    in_process: bool
    timeout_s: float
    memory_mib: int
    findings: str
    instrumented: tuple[str, ...] = ()
    compares: bool = False
    sandbox: tuple[str, ...] | None = None


def for_harness(
    config: ChildConfig, harness: str, instrumented: tuple[str, ...], *, compares: bool = False
) -> ChildConfig:
    """Return this configuration for another harness, with the modules that guide it in addition to the driver."""
    return msgspec.structs.replace(config, harness=harness, instrumented=instrumented, compares=compares)
