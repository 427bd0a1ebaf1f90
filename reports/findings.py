"""Findings: faults that nnvet found in runtimes such as LiteRT, each a folder with ``finding.toml`` and ``repro.py``.

A reproducer needs only the runtime. It prints the expected and the actual result, and exits with ``SHOWN`` if the fault
shows, with 0 if it does not; a fault of weight ``crash`` may also end the process by a signal.
"""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

SHOWN: Final = 3
"""Exit status of a reproducer whose fault shows; 1 means a Python error, and 2 a wrong call."""
FACTS: Final = "finding.toml"
"""File of a finding with its facts."""
SCRIPT: Final = "repro.py"
"""File of a finding with its reproducer."""
_NUMBERS: Final = re.compile(r"\d+(?:\.\d+)*")
"""Leading numbers of a version such as 2.1.0rc1."""
_FIRST: Final = re.compile(r">=([\d.]+)")
"""Lower end of a range of versions in the notation of pip."""


class FindingError(Exception):
    """Raised if a finding cannot be read, or there are no findings."""


class FindingStatus(StrEnum):
    """Status of a finding: ``new`` is not known upstream, ``arguable`` depends on how a promise is read."""

    NEW = "new"
    KNOWN = "known"
    ARGUABLE = "arguable"
    FIXED = "fixed"


class Weight(StrEnum):
    """Consequences of a fault."""

    CRASH = "crash"
    WRONG = "wrong"
    IMPRECISE = "imprecise"
    REFUSED = "refused"


class Promise(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A quotation from the documentation of the runtime or the standard, and its page."""

    quote: str
    address: str


class RuntimeFinding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fault of a runtime.

    ``versions`` are the releases in which it was seen, ``features`` the processor features that it needs, by Linux's
    names. ``kernel`` is the kernel in the runtime's own profile. ``fixed_in`` is the first release without the fault.
    ``folder`` is the folder of the finding.
    """

    title: str
    status: FindingStatus
    weight: Weight
    runtime: str
    package: str
    versions: str
    features: tuple[str, ...]
    operations: tuple[str, ...]
    types: tuple[str, ...]
    kernel: str
    model: str
    result: str
    due: str
    threshold: str
    promise: Promise | None = None
    fixed_in: str = ""
    note: str = ""
    upstream: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    folder: Path = Path()

    @property
    def name(self) -> str:
        """Return the name of the folder."""
        return self.folder.name

    @property
    def standing(self) -> str:
        """Return the status in words."""
        return f"fixed in {self.fixed_in}" if self.fixed_in else self.status.value

    @property
    def script(self) -> Path:
        """Return the path of the reproducer."""
        return self.folder / SCRIPT

    @property
    def first(self) -> str:
        """Return the first release in which the fault was seen."""
        found = _FIRST.search(self.versions)
        return found[1] if found else ""

    def is_due(self, version: str) -> bool:
        """Return True if the fault should show in a release, which is not older than the first one."""
        return not self.fixed_in or numbers_of(version) < numbers_of(self.fixed_in)

    def is_covered(self, version: str) -> bool:
        """Return True if the finding covers a release: it is not older than the first one."""
        return not self.first or numbers_of(version) >= numbers_of(self.first)


def numbers_of(version: str) -> tuple[int, ...]:
    """Return the numbers at the beginning of a version, which order releases; a local part does not count.

    :raises FindingError: the version does not begin with a number.
    """
    found = _NUMBERS.match(version)
    if found is None:
        raise FindingError(f"{version!r} is no version: it begins with no number")
    return tuple(int(number) for number in found[0].split("."))


def read_findings(folder: Path, runtime: str) -> list[RuntimeFinding]:
    """Return the findings against one runtime, by name, from ``FOLDER/RUNTIME/NAME/finding.toml``.

    :raises FindingError: there are none, or one cannot be read.
    """
    found = [_read(path) for path in sorted((folder / runtime).glob(f"*/{FACTS}"))]
    if not found:
        raise FindingError(
            f"no findings against {runtime} in {folder}: give --findings the folder docs/findings of a source "
            "checkout; an installed package has none"
        )
    for finding in found:
        _check(finding, runtime)
    return found


def _read(path: Path) -> RuntimeFinding:
    try:
        finding = msgspec.toml.decode(path.read_bytes(), type=RuntimeFinding)
    except (OSError, UnicodeDecodeError, msgspec.MsgspecError) as error:
        raise FindingError(f"{path}: {error}") from error
    return msgspec.structs.replace(finding, folder=path.parent)


def _check(finding: RuntimeFinding, runtime: str) -> None:
    """Check that a finding has everything that its status and its folder demand."""
    demands = (
        (finding.runtime == runtime, f"runtime is {finding.runtime!r}, but its folder is that of {runtime!r}"),
        (finding.script.is_file(), f"has no {SCRIPT} beside it"),
        (
            bool(finding.promise) or finding.status is FindingStatus.ARGUABLE,
            "cites no promise; only an arguable one may",
        ),
        (bool(finding.upstream) or finding.status is not FindingStatus.KNOWN, "is known, but names no issue upstream"),
        (
            bool(finding.fixed_in) == (finding.status is FindingStatus.FIXED),
            "fixed_in belongs to the status fixed, and to it alone",
        ),
    )
    for is_kept, demand in demands:
        if not is_kept:
            raise FindingError(f"{finding.folder / FACTS}: {demand}")
