"""Fates of mutants: one line each in a file that is only added to, so that an interrupted run goes on."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from tools.mutants.mutant import ROOT, Mutant

EQUIVALENT: Final = Path(__file__).parent / "equivalent.toml"
"""Mutants that answer as the original does, or differ only where no answer is required, each with the reason."""


class Fate(StrEnum):
    """Fate of a mutant. One that runs out of time is found too.

    One that is UNREACHED survives since no case comes to its line; one that is UNCHANGED answers as the original does;
    one that is SWITCHED_OFF answers so where code for speed is left out, and leaves it out more often; one that is
    REFUSED is right wherever it does not refuse a model, which every driver may.
    """

    KILLED = "killed"
    TIMEOUT = "timeout"
    SURVIVED = "survived"
    UNREACHED = "unreached"
    UNCHANGED = "unchanged"
    SWITCHED_OFF = "switched off"
    REFUSED = "refused"
    STILLBORN = "stillborn"


FOUND: Final = (Fate.KILLED, Fate.TIMEOUT)
_OPEN: Final = (Fate.SURVIVED, Fate.UNREACHED, Fate.UNCHANGED, Fate.SWITCHED_OFF, Fate.REFUSED)
"""Fates that more cases may change."""


class Result(msgspec.Struct, frozen=True):
    """One mutant against one thing, such as ``specs`` or ``random TENSOR_FLOAT32``.

    ``by`` is the case that found it; ``tried`` counts the cases. ``source`` is a digest of the file it was made of,
    ``asked`` one of what it was tried against: that nothing found a mutant is of interest only as long as nothing was
    added.
    """

    mutant: Mutant
    against: str
    fate: Fate
    source: str
    asked: str
    by: str = ""
    tried: int = 0

    @property
    def key(self) -> tuple[str, str, int, str]:
        """Key by which a later result replaces one of the same mutant."""
        return self.against, self.mutant.file, self.mutant.number, self.source


class Equivalent(msgspec.Struct, frozen=True):
    """Mutants that are as good as the original.

    ``file``, ``where``, the function, and ``line``, the changed line without its indentation, are globs. Without
    ``after`` every change of ``before``, without ``nth`` at every place of the function. ``against`` are the tests that
    cannot tell them from the original, whatever the values: those that allow what changes; empty: all.
    """

    file: str
    where: str
    before: str
    reason: str
    after: str | None = None
    nth: int | None = None
    against: str = ""
    line: str = "*"

    def covers(self, mutant: Mutant) -> bool:
        """Return True if a mutant is one of them."""
        return (
            self.before == mutant.before
            and self.after in (None, mutant.after)
            and self.nth in (None, mutant.nth)
            and fnmatchcase(mutant.where, self.where)
            and fnmatchcase(mutant.file, self.file)
            and (self.line == "*" or fnmatchcase(_line(mutant), self.line))
        )


def _line(mutant: Mutant) -> str:
    """Return the text of a mutant's first line."""
    return _lines(mutant.file)[mutant.lines[0] - 1].strip()


@cache
def _lines(file: str) -> list[str]:
    return (ROOT / file).read_text(encoding="utf-8").splitlines()


def equivalents() -> list[Equivalent]:
    """Return all equivalent mutants of the list."""
    entries = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))
    return msgspec.convert(entries["mutant"], list[Equivalent])


def is_equivalent(mutant: Mutant, known: Iterable[Equivalent], against: str = "") -> bool:
    """Return True if a mutant is listed: for all tests, or for those against which it was tried."""
    return any(
        equivalent.against in ("", against.partition(" ")[0]) and equivalent.covers(mutant) for equivalent in known
    )


class Results:
    """The results in a file."""

    def __init__(self, path: Path) -> None:
        """Read what is there; a last line that was cut is forgotten."""
        self.path = path
        self._known: dict[tuple[str, str, int, str], Result] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_bytes().split(b"\n") if path.exists() else []
        for line in lines[:-1]:
            result = msgspec.json.decode(line, type=Result)
            self._known[result.key] = result
        if lines and lines[-1]:
            path.write_bytes(b"\n".join(lines[:-1]) + b"\n")

    def has(self, mutant: Mutant, against: str, source: str) -> bool:
        """Return True if a mutant was ever tried."""
        return (against, mutant.file, mutant.number, source) in self._known

    def known(self, mutant: Mutant, against: str, source: str, asked: str) -> Result | None:
        """Return the result of a mutant, unless it has to be tried again."""
        result = self._known.get((against, mutant.file, mutant.number, source))
        again = result is None or (result.fate in _OPEN and result.asked != asked)
        return None if again else result

    def add(self, result: Result) -> None:
        """Keep a result."""
        self._known[result.key] = result
        with self.path.open("ab") as file:
            file.write(msgspec.json.encode(result) + b"\n")
