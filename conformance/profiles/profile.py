"""Profiles as data: the TOML files beside this module, each with the operations, types and suites that it asks for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from nnvet.diagnostics.nearest_names import nearest_names
from nnvet.hal.operations.catalogue import declarations
from nnvet.reports.judged import kinds_of

FOLDER: Final = Path(__file__).parent
ANY: Final = "any"
"""The type of operations such as WHILE, whose declaration leaves the types of inputs open."""

Text = Annotated[str, msgspec.Meta(min_length=1)]


class ProfileError(Exception):
    """There is no such profile, or its file is wrong; the text says what to write instead."""


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """One must-pass list.

    ``operations`` are names by operand type, or all that ``level`` has but ``without_operations`` (``"NAME TYPE"``).
    ``suites`` are globs of case ids, less ``without_suites``. Of cases only those count that ``level`` has.
    ``floor`` is the least share of the corpus's cases of an operation and type that has to pass; the others may be
    UNSUPPORTED.
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
        """Refuse operations and types that the level does not have, and a list that every driver fulfils.

        :raises ValueError: it names one, or asks for nothing.
        """
        without = {tuple(text.split(" ", 1)) for text in self.without_operations}
        if unknown := sorted((self._named - _pairs_of(self.level)) | (without - _pairs_of(self.level))):
            raise ValueError(f"level {self.level} has no operation {' of '.join(unknown[0])}")
        if without and not isinstance(self.operations, str):
            raise ValueError('without_operations belongs to operations = "all"; leave them out of the table')
        if not (self.suites or self.pairs):
            raise ValueError("it asks for nothing: give suites or operations")

    @property
    def _named(self) -> frozenset[tuple[str, str]]:
        if isinstance(self.operations, str):
            return _pairs_of(self.level)
        return frozenset((name, kind) for kind, names in self.operations.items() for name in names)

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Each operation with a type in which it is asked for."""
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
    """All profiles by name: levels from the oldest to the newest, then the others in the order of the alphabet.

    :raises ProfileError: a file is wrong.
    """
    found = [read_profile(path) for path in FOLDER.glob("*.toml")]
    found.sort(key=lambda profile: (not profile.name.startswith("nnapi-"), profile.level, profile.name))
    return {profile.name: profile for profile in found}


def read_profile(path: Path) -> Profile:
    """Read one file; the profile has its name.

    :raises ProfileError: it breaks the schema, or names what there is not.
    """
    try:
        fields = msgspec.toml.decode(path.read_bytes(), type=dict[str, object])
        if "name" in fields:
            raise ProfileError(f"{path}: name is the file's, {path.stem}; remove it")
        return msgspec.convert({**fields, "name": path.stem}, Profile)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path}: {error}; docs/profiles.md has the fields") from error


def check_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each once.

    :raises ProfileError: a profile has none of them.
    """
    for name in names:
        if name not in profiles():
            near = nearest_names(name, profiles())
            advice = f"the nearest are {', '.join(near)}" if near else "nnvet profiles lists them"
            raise ProfileError(f"there is no profile {name!r}; {advice}")
    return tuple(dict.fromkeys(names))


@cache
def _pairs_of(level: int) -> frozenset[tuple[str, str]]:
    known = [declaration for declaration in declarations().values() if declaration.level <= level]
    return frozenset((operation.name, kind) for operation in known for kind in (kinds_of(operation, level) or (ANY,)))
