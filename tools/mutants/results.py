"""Fates of mutants, and the file that stores them: a line for each, so that an interrupted run can continue.

:class:`Results` reads and writes the file for ``__main__.py``; ``equivalent.toml`` lists the mutants that no test can
find (:class:`Equivalent`). ``page.py`` makes tables of the results.
"""

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
"""File with the mutants that answer as the original does, or differ only where no answer is required, with reasons."""


class Fate(StrEnum):
    """Fate of a mutant; KILLED and TIMEOUT count as found.

    UNREACHED: it survives because no case reaches its lines. UNCHANGED: all its answers are those of the original.
    SWITCHED_OFF: it only leaves out code for speed more often than the original. REFUSED: it only refuses models, which
    every driver may. STILLBORN: it cannot be imported.
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
"""Fates of mutants that the tests found."""
_OPEN: Final = (Fate.SURVIVED, Fate.UNREACHED, Fate.UNCHANGED, Fate.SWITCHED_OFF, Fate.REFUSED)
"""Fates that may change if cases are added, so that such mutants are tried again."""


class Result(msgspec.Struct, frozen=True):
    """The fate of a mutant ``against`` some tests, such as ``specs`` or ``random TENSOR_FLOAT32``.

    ``by`` is the case that found the mutant, ``tried`` the number of cases. ``source`` is a digest of the mutated file.
    ``asked`` is a digest of the tests: a mutant that was not found has to be tried again if tests were added.
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
        """Key of the mutant and its tests; a later result with the same key replaces this one."""
        return self.against, self.mutant.file, self.mutant.number, self.source


class Equivalent(msgspec.Struct, frozen=True):
    """Mutants that are as good as the original, for the given ``reason``.

    ``file``, ``where`` (the function) and ``line`` (the changed line without its indentation) are globs. Without
    ``after`` every change of ``before`` is meant; without ``nth``, at every position of the function. ``against`` names
    the only tests that allow what the mutants change; empty: no test can tell the mutants from the original.
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
        """Return True if a mutant is one of these."""
        return (
            self.before == mutant.before
            and self.after in (None, mutant.after)
            and self.nth in (None, mutant.nth)
            and fnmatchcase(mutant.where, self.where)
            and fnmatchcase(mutant.file, self.file)
            and (self.line == "*" or fnmatchcase(_read_line(mutant), self.line))
        )


def _read_line(mutant: Mutant) -> str:
    """Return the text of a mutant's first line."""
    return _read_lines(mutant.file)[mutant.lines[0] - 1].strip()


@cache
def _read_lines(file: str) -> list[str]:
    return (ROOT / file).read_text(encoding="utf-8").splitlines()


def list_equivalents() -> list[Equivalent]:
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
        """Read the results of earlier runs; a last line that was cut off is removed."""
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
        """Return True if a mutant was tried before."""
        return (against, mutant.file, mutant.number, source) in self._known

    def known(self, mutant: Mutant, against: str, source: str, asked: str) -> Result | None:
        """Return the result of a mutant; None if the mutant has to be tried, or tried again."""
        result = self._known.get((against, mutant.file, mutant.number, source))
        again = result is None or (result.fate in _OPEN and result.asked != asked)
        return None if again else result

    def add(self, result: Result) -> None:
        """Add a result to the file."""
        self._known[result.key] = result
        with self.path.open("ab") as file:
            file.write(msgspec.json.encode(result) + b"\n")
