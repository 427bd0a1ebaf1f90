"""Findings as files: a folder for each, ``FINDINGS/HARNESS/KEY``, with the input and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import msgspec

from nnvet.fuzz.findings import FindingKind, FuzzFinding

INPUT: Final = "input"
_KNOWN: Final = "finding.json"


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
        """Name of its folder: see :attr:`nnvet.fuzz.findings.FuzzFinding.key`."""
        return self.finding.key

    @property
    def finding(self) -> FuzzFinding:
        """The finding itself."""
        return FuzzFinding(self.kind, self.rule, self.message, self.evidence, self.place)


def save(folder: Path, harness: str, driver: str, finding: FuzzFinding, data: bytes) -> bool:
    """Write a finding; the shortest input of several stays. Whether it is new.

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
        # A process that is killed leaves whole files; another one may write the same finding.
        unfinished = place / f"{name}.{uuid4().hex}.new"
        unfinished.write_bytes(content)
        unfinished.replace(place / name)
    return is_new


def saved(folder: Path) -> Iterator[tuple[SavedFinding, Path]]:
    """All findings of a folder in order, each with its own folder; what cannot be read is passed over."""
    for file in sorted(folder.glob(f"*/*/{_KNOWN}")):
        with suppress(OSError, msgspec.MsgspecError):
            finding = msgspec.json.decode(file.read_bytes(), type=SavedFinding)
            if (file.parent / INPUT).is_file():
                yield finding, file.parent
