"""Profiles: must-pass lists by purpose, and the comparison of a run's log with them.

A profile is a TOML file beside this module, with the operations, types and suites that it asks for. To add a profile,
add a file; docs/profiles.md describes its fields. Runs call :func:`profile_results` at their end, commands and reports
:func:`profiles` and :func:`demanded_cases`; :mod:`nnvet.conformance.profiles.statement` writes the results as a signed
statement.

A run with a fault or a gap fulfils no profile, wherever the fault is, because a driver has to do right all that it
claims. The must-pass cases are listed from the bundled corpus and the checks, not from the log, so that a selection
cannot leave out any.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.selection import Selection, load_case
from nnvet.conformance.kit.checks import Case
from nnvet.diagnostics.nearest_names import nearest_names
from nnvet.hal.operations.catalogue import declarations
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, Command, ProfileResult, Verdict
from nnvet.reports.history import WHOLE
from nnvet.reports.log import Log
from nnvet.reports.outcome import kinds_of

FOLDER: Final = Path(__file__).parent
"""Folder of the profiles' files."""
ANY: Final = "any"
"""Placeholder for the type of operations such as WHILE, whose declaration leaves the types of inputs open."""

Text = Annotated[str, msgspec.Meta(min_length=1)]
"""A text that is not empty."""


class ProfileError(Exception):
    """Raised if a profile does not exist or its file is wrong; the text says what to write instead."""


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A must-pass list.

    ``operations`` are names by operand type, or all operations of ``level`` except ``without_operations`` (names of
    operations with a type). ``suites`` are globs of case ids, except ``without_suites``. Only cases that exist at
    ``level`` count. ``floor`` is the share of the corpus's cases of an operation and type that has to pass; others may
    be UNSUPPORTED.
    """

    title: Text
    audience: Text
    level: Annotated[int, msgspec.Meta(ge=1, le=8)]
    suites: tuple[Text, ...]
    floor: Annotated[float, msgspec.Meta(gt=0, le=1)]
    operations: dict[str, tuple[str, ...]] | Literal["all"] = {}
    without_operations: tuple[str, ...] = ()
    without_suites: tuple[str, ...] = ()
    name: str = ""

    def __post_init__(self) -> None:
        """Refuse operations and types that the level does not have, and an empty list, which every driver would fulfil.

        :raises ValueError: the profile names such an operation or type, or asks for nothing.
        """
        without = {tuple(text.split(" ", 1)) for text in self.without_operations}
        if unknown := sorted((self._named - _read_pairs(self.level)) | (without - _read_pairs(self.level))):
            raise ValueError(f"level {self.level} has no operation {' of '.join(unknown[0])}")
        if without and not isinstance(self.operations, str):
            raise ValueError('without_operations belongs to operations = "all"; leave them out of the table')
        if not (self.suites or self.pairs):
            raise ValueError("it asks for nothing: give suites or operations")

    @property
    def _named(self) -> frozenset[tuple[str, str]]:
        """Return the pairs that ``operations`` names."""
        if isinstance(self.operations, str):
            return _read_pairs(self.level)
        return frozenset((name, kind) for kind, names in self.operations.items() for name in names)

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Pairs of an operation and a type in which the profile asks for it."""
        return self._named - {tuple(text.split(" ", 1)) for text in self.without_operations}

    @cached_property
    def types(self) -> dict[str, list[str]]:
        """Types by operation, both sorted."""
        found: dict[str, list[str]] = {}
        for name, kind in sorted(self.pairs):
            found.setdefault(name, []).append(kind)
        return found


@cache
def profiles() -> dict[str, Profile]:
    """Return all profiles by name: levels from the oldest to the newest, then the others alphabetically.

    :raises ProfileError: a file is wrong.
    """
    found = [read_profile(path) for path in FOLDER.glob("*.toml")]
    found.sort(key=lambda profile: (not profile.name.startswith("nnapi-"), profile.level, profile.name))
    return {profile.name: profile for profile in found}


def read_profile(path: Path) -> Profile:
    """Read a file into a profile of the same name.

    :raises ProfileError: it breaks the schema, or names something that does not exist.
    """
    try:
        fields = msgspec.toml.decode(path.read_bytes(), type=dict[str, object])
        if "name" in fields:
            raise ProfileError(f"{path}: name is the file's, {path.stem}; remove it")
        return msgspec.convert({**fields, "name": path.stem}, Profile)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path}: {error}; docs/profiles.md has the fields") from error


def check_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of profiles, each once.

    :raises ProfileError: there is no profile of a name.
    """
    for name in names:
        if name not in profiles():
            near = nearest_names(name, profiles())
            advice = f"the nearest are {', '.join(near)}" if near else "nnvet profiles lists them"
            raise ProfileError(f"there is no profile {name!r}; {advice}")
    return tuple(dict.fromkeys(names))


@cache
def _read_pairs(level: int) -> frozenset[tuple[str, str]]:
    """Return all pairs of an operation and a type of a level."""
    known = [declaration for declaration in declarations().values() if declaration.level <= level]
    return frozenset((operation.name, kind) for operation in known for kind in (kinds_of(operation, level) or (ANY,)))


COMPUTING: Final = "GeneratedTest"
"""The suite whose cases say that an operation computes: it executes the corpus and judges each value."""
BEYOND_LEVEL: Final = "model/level"
"""The rule of cases that the suite does not run because they need a higher level than the one tested."""
_NAMED: Final = 3
"""Most names in a message; the others are counted."""


@dataclass(frozen=True)
class MustPass:
    """A case of the usual run; ``pairs`` are the operation and type that it tests, and the operation with any type."""

    id: str
    level: int
    pairs: tuple[tuple[str, str], ...]


def profile_results(log: Log, problems: Sequence[str] = (), *, cut_short: bool = False) -> tuple[ProfileResult, ...]:
    """Compare a run with all profiles; ``problems`` and ``cut_short`` are those of the log's footer, present or future.

    The result is None for logs of other commands than ``nnvet run``.
    """
    if log.started.command is not Command.RUN:
        return ()
    obstacle = _find_obstacle(log, problems, cut_short=cut_short)
    passed = frozenset(
        pair for result in log.results.values() if result.verdict is Verdict.PASS for pair in _pairs_of(result)
    )
    return tuple(_compare_with(profile, log, passed, obstacle) for profile in profiles().values())


@cache
def must_pass() -> tuple[MustPass, ...]:
    """Return every case of the usual run, of the bundled corpus and the checks."""
    return tuple(map(_list_case, Catalogue().cases(Selection())))


def demanded_cases(profile: Profile) -> Iterator[tuple[MustPass, bool]]:
    """Yield the cases that a profile demands, each with True if the profile demands it by one of its suites."""
    wanted = _pattern(profile.suites)
    unwanted = _pattern(profile.without_suites)
    for case in must_pass():
        if case.level <= profile.level and not unwanted.match(case.id):
            of_suite = bool(wanted.match(case.id))
            if of_suite or not profile.pairs.isdisjoint(case.pairs):
                yield case, of_suite


def _find_obstacle(log: Log, problems: Sequence[str], *, cut_short: bool) -> str:
    """Return the reason why a run can fulfil no profile; empty if it can."""
    counts = log.counts
    checks = (
        (any(counts[verdict] for verdict in DRIVER_FAULTS), "the driver has faults"),
        (bool(problems), problems[0] if problems else ""),
        (bool(counts[Verdict.ERROR] or counts[Verdict.NOT_RUN]), "cases were not judged: ERROR or NOT_RUN"),
        (cut_short or bool(log.unfinished), "the run did not come to its end"),
        (log.started.shard != WHOLE, f"the run is shard {log.started.shard}: put the shards together"),
        ("--specs" in log.started.options, "the run is of other specs than the bundled ones"),
    )
    return next((text for holds, text in checks if holds), "")


def _compare_with(profile: Profile, log: Log, passed: frozenset[tuple[str, str]], obstacle: str) -> ProfileResult:
    """Return a run's result for one profile; ``passed`` are the pairs with a PASS."""
    lacking = {name: [kind for kind in kinds if (name, kind) not in passed] for name, kinds in profile.types.items()}
    lacking = {name: kinds for name, kinds in lacking.items() if kinds}
    missing = [obstacle] if obstacle else []
    if lacking:
        named = [f"{name} ({', '.join(kinds[:_NAMED])})" for name, kinds in lacking.items()]
        missing.append(f"no PASS for {len(lacking)} of {len(profile.types)} operations: {_name_some(named)}")
    missing += [f"no PASS in {glob}" for glob in profile.suites if not _has_pass(log, glob)]
    cases = 0
    if not missing:
        missing, cases = _compare_cases(profile, log)
    done = len(profile.types) - len(lacking)
    return ProfileResult(profile.name, len(profile.types), done, cases, tuple(missing))


def _compare_cases(profile: Profile, log: Log) -> tuple[list[str], int]:
    """Return the must-pass cases that are missing, and the number that have passed."""
    tested = log.started.level or log.started.driver.feature_level or 1
    absent: list[str] = []
    unsupported: list[str] = []
    tally: defaultdict[tuple[str, str], Counter[Verdict]] = defaultdict(Counter)
    cases = 0
    for case, of_suite in demanded_cases(profile):
        result = log.results.get(case.id)
        if result is None:
            absent.append(case.id)
            continue
        if result.verdict is Verdict.UNSUPPORTED and result.rule == BEYOND_LEVEL and tested >= profile.level:
            continue
        cases += result.verdict is Verdict.PASS
        if of_suite and result.verdict is Verdict.UNSUPPORTED:
            unsupported.append(case.id)
        for pair in profile.pairs.intersection(case.pairs):
            tally[pair][result.verdict] += 1
    missing = [f"cases of it that were not run: {len(absent):,}, such as {_name_some(absent)}"] if absent else []
    if unsupported:
        missing.append(f"UNSUPPORTED cases of its suites: {len(unsupported):,}, such as {_name_some(unsupported)}")
    missing += _list_below_floor(profile, tally)
    return missing, cases


def _list_below_floor(profile: Profile, tally: Mapping[tuple[str, str], Counter[Verdict]]) -> list[str]:
    """Return operations with too few passing cases. A waived case is not missing, but one case has to pass itself."""
    found = []
    for (name, kind), counts in sorted(tally.items()):
        fulfilled = counts[Verdict.PASS] + counts[Verdict.WAIVED]
        if not counts[Verdict.PASS] or fulfilled < profile.floor * counts.total():
            found.append(f"{name} ({kind}) {counts[Verdict.PASS]:,} of {counts.total():,}")
    return [f"too few cases pass, {profile.floor:.0%} are wanted: {_name_some(found)}"] if found else []


def _list_case(case: Case) -> MustPass:
    """Return a case of the catalogue as a must-pass case."""
    pairs: tuple[tuple[str, str], ...] = ()
    if case.name.suite == COMPUTING and case.spec is not None:
        # The labels of a case would say the same, but their attributes take as long as all the rest of the list.
        loaded = load_case(case.spec)
        pairs = _pairs(loaded.operations, loaded.operand_types)
    return MustPass(case.id, int(case.needed_level or 1), pairs)


def _pairs_of(result: CaseFinished) -> tuple[tuple[str, str], ...]:
    """Return the only operation of a case, with its type and with any type; none for cases of several operations."""
    return _pairs(result.operations, result.operand_types) if result.suite == COMPUTING else ()


def _pairs(operations: Sequence[str], operand_types: Sequence[str]) -> tuple[tuple[str, str], ...]:
    if len(operations) != 1:
        return ()
    return tuple((operations[0], kind) for kind in (*operand_types, ANY))


def _has_pass(log: Log, glob: str) -> bool:
    """Return True if a case whose id matches the glob has passed."""
    pattern = _pattern((glob,))
    return any(result.verdict is Verdict.PASS and pattern.match(result.case) for result in log.results.values())


def _pattern(globs: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern that matches any of the globs; without globs it matches nothing."""
    return re.compile("|".join(map(translate, globs)) or "(?!)")


def _name_some(names: Sequence[str]) -> str:
    """Return a few of the names, and the number of the others."""
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest:,} more" if rest > 0 else "")
