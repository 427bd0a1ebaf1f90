"""Waivers, known failures that a run accepts: read ``waivers.toml``, apply it, report unused and expired entries.

Each entry names failures by glob of case or rule, or by fingerprint, for one driver and a range of its versions. It has
a reason, an expiry date, and a link to the work on the failure. docs/waivers.md describes the format. Runs read the
file with :func:`read_waivers` and judge each outcome with :class:`Waivers`. Deviations that a driver declares, and that
error bounds then allow, are liberties (docs/oracle.md), not waivers.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.kit.outcome import Outcome
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, DriverFacts, Verdict
from nnvet.reports.files import MALFORMED, read_file
from nnvet.reports.fingerprint import key_of

ANY: Final = "*"
"""Glob of a field that is left out."""


class WaiverError(Exception):
    """A file of waivers that cannot be used; the text says where and why."""


class Waiver(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry; all of its fields that are given have to match. ``expires`` is its last day.

    ``driver`` is a glob of the driver's name or selector, ``versions`` a range as of Python packages (``>=2,<3``).
    """

    reason: str
    expires: dt.date
    case: str = ANY
    rule: str = ANY
    fingerprint: str = ANY
    driver: str = ANY
    versions: str = ""
    link: str = ""
    verdicts: tuple[Literal["FAIL", "HANG", "CRASH"], ...] = ("FAIL", "HANG", "CRASH")

    def __post_init__(self) -> None:
        """Refuse an entry without a reason, and one that would forgive everything.

        :raises ValueError: the entry is refused, as the text says.
        """
        if not self.reason.strip():
            raise ValueError("reason is empty: say why the failure is forgiven")
        if {self.case, self.rule, self.fingerprint} == {ANY}:
            raise ValueError("it would forgive every failure: give a case, a rule or a fingerprint")
        try:
            SpecifierSet(self.versions)
        except InvalidSpecifier as error:
            raise ValueError(f"versions: {error}; write a range such as >=2,<3") from error

    def is_about(self, driver: DriverFacts) -> bool:
        """Return True if the entry applies to a driver; a version that is no number is in no range."""
        if not (fnmatchcase(driver.name, self.driver) or fnmatchcase(driver.selector, self.driver)):
            return False
        if not self.versions:
            return True
        try:
            return SpecifierSet(self.versions).contains(Version(driver.version), prereleases=True)
        except InvalidVersion:
            return False

    def forgives(self, result: CaseFinished) -> bool:
        """Return True if the entry matches a failure."""
        return (
            result.verdict in self.verdicts
            and fnmatchcase(result.case, self.case)
            and fnmatchcase(result.rule, self.rule)
            and self.fingerprint in (ANY, key_of(result))
        )


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Form of ``waivers.toml``: a list of tables ``[[waiver]]``."""

    waiver: tuple[Waiver, ...] = ()


@dataclass(frozen=True)
class WaiverFile:
    """Contents of a file of waivers. Entries are numbered from 1; ``digest`` is the file's SHA-256."""

    name: str
    entries: tuple[Waiver, ...]
    digest: str = ""


def read_waivers(path: Path) -> WaiverFile:
    """Read ``waivers.toml``.

    :raises WaiverError: it cannot be read, is no TOML, or has a wrong entry.
    """
    try:
        data = read_file(path)
        digest = hashlib.sha256(data).hexdigest()
        return WaiverFile(path.name, msgspec.toml.decode(data, type=_File).waiver, digest)
    except OSError as error:
        raise WaiverError(f"{path}: cannot read the waivers ({error.strerror or error})") from error
    except MALFORMED as error:
        raise WaiverError(f"{path}: {error}; see docs/waivers.md") from error


class Waivers:
    """Applies the waivers in one run on one driver, and counts their uses."""

    def __init__(self, file: WaiverFile | None, driver: DriverFacts, today: dt.date | None = None) -> None:
        """Apply the entries of ``file``; without a file nothing is forgiven. ``today`` is by default the day in UTC.

        Entries for other drivers, and expired ones, forgive nothing.
        """
        self._file = file or WaiverFile("", ())
        self._today = today or dt.datetime.now(dt.UTC).date()
        self._known = {n: waiver for n, waiver in enumerate(self._file.entries, start=1) if waiver.is_about(driver)}
        self._valid = {number: waiver for number, waiver in self._known.items() if waiver.expires >= self._today}
        self._used: set[int] = set()
        self._met: set[int] = set()
        self._suites: set[str] = set()

    def judge(self, case: str, outcome: Outcome, labels: dict[str, Any] | None = None) -> Outcome:
        """Return the outcome, WAIVED if an entry forgives it; the evidence then has the old verdict and the entry."""
        result = CaseFinished(case, outcome.verdict, outcome.rule, outcome.reason, outcome.evidence, 0.0, labels or {})
        self._met.update(number for number, waiver in self._valid.items() if fnmatchcase(case, waiver.case))
        self._suites.add(case.partition("/")[0])
        if outcome.verdict not in DRIVER_FAULTS:
            return outcome
        fitting = [number for number, waiver in self._valid.items() if waiver.forgives(result)]
        self._used.update(fitting)
        if not fitting:
            return outcome
        evidence = {**outcome.evidence, "waived": str(outcome.verdict), "waiver": self._name_entry(fitting[0])}
        return replace(outcome, verdict=Verdict.WAIVED, evidence=evidence)

    @property
    def digests(self) -> dict[str, str]:
        """Return the file's SHA-256 by its name; nothing without a file."""
        return {self._file.name: self._file.digest} if self._file.name else {}

    @property
    def uses(self) -> dict[str, list[int]]:
        """Return the numbers of entries whose case ran, and of those that forgave a failure; for :meth:`add_uses`."""
        return {"met": sorted(self._met), "used": sorted(self._used)}

    def add_uses(self, uses: Mapping[str, Iterable[int]]) -> None:
        """Add the uses of the same entries in another process, on the same driver."""
        self._met.update(uses["met"])
        self._used.update(uses["used"])

    def judge_again(self, results: Iterable[CaseFinished]) -> list[CaseFinished]:
        """Return an earlier run's logged case after this run's waivers; that run may have had others."""
        return [self._judge_logged(result) for result in results]

    def _judge_logged(self, result: CaseFinished) -> CaseFinished:
        """Return a logged case after this run's waivers, from the verdict that it had before any waiver."""
        evidence = dict(result.evidence)
        evidence.pop("waiver", None)
        verdict = Verdict(evidence.pop("waived", result.verdict))
        outcome = self.judge(result.case, Outcome(verdict, result.rule, result.reason, evidence), result.labels)
        return msgspec.structs.replace(result, verdict=outcome.verdict, evidence=outcome.evidence)

    def problems(self, selection: Selection, *, is_whole: bool) -> tuple[str, ...]:
        """Return messages about expired entries, and about those that the run shows to be unused.

        A partial run (a selection, a shard, an early stop) can only judge entries for exactly one case that ran. A
        whole run judges all entries whose case ran; with the full matrix also entries that name no case of its suites.
        Entries for suites of other commands are never judged.
        """
        found = []
        for number, waiver in self._known.items():
            if waiver.expires < self._today:
                found.append(f"{self._name_entry(number)} has expired on {waiver.expires}")
            elif number not in self._used and self._is_idle(number, waiver, selection, is_whole=is_whole):
                found.append(f"{self._name_entry(number)} was not needed: remove it")
        return tuple(found)

    def _is_idle(self, number: int, waiver: Waiver, selection: Selection, *, is_whole: bool) -> bool:
        """Return True if the run shows that an entry which forgave nothing is not needed."""
        if not is_whole:
            return number in self._met and not any(char in waiver.case for char in "*?[")
        suite = waiver.case.partition("/")[0]
        return number in self._met or (selection.full and any(fnmatchcase(ran, suite) for ran in self._suites))

    def _name_entry(self, number: int) -> str:
        """Return file, number, reason and link of an entry."""
        waiver = self._file.entries[number - 1]
        link = f", {waiver.link}" if waiver.link else ""
        return f"{self._file.name}#{number} ({waiver.reason}{link})"
