"""Tables of results: for the terminal, and as sections of ``docs/power.md``.

:class:`Table` counts the fates of mutants, :func:`make_section` makes the text, and :func:`keep` puts it into the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from tools.mutants.mutant import ROOT
from tools.mutants.results import FOUND, Equivalent, Fate, Result, is_equivalent

PAGE: Final = ROOT / "docs" / "power.md"
"""The page with the tables."""
_LEFT_OUT: Final = (Fate.STILLBORN, Fate.UNCHANGED, Fate.SWITCHED_OFF)
"""Fates of mutants that give no wrong answer, so that no test can find them; tables leave them out."""
# The head of a table, without its first column.
_HEAD: Final = "mutants | killed | hung | survived | of these on lines not reached | equivalent | allowed | found"


class Table:
    """Counts of the results of one run; ``known`` are the listed equivalent mutants.

    Mutants that cannot be imported, change no answer or only do without code for speed are left out. A mutant is
    *equivalent* if it is as good as the original, and *allowed* if the tests of this run allow what it changes, or if
    it refuses models and is right otherwise.
    """

    def __init__(self, results: Sequence[Result], known: Sequence[Equivalent]) -> None:
        """Sort the results into found, surviving and equivalent ones."""
        fates = Counter(result.fate for result in results)
        self.stillborn, self.unchanged, self.off = (fates[fate] for fate in _LEFT_OUT)
        self.born = [result for result in results if result.fate not in _LEFT_OUT]
        lost = [result for result in self.born if result.fate not in FOUND]
        self.equivalent = {id(result) for result in lost if is_equivalent(result.mutant, known)}
        alike = {id(result) for result in lost if is_equivalent(result.mutant, known, result.against)}
        self.allowed = alike - self.equivalent | {id(result) for result in lost if result.fate is Fate.REFUSED}

    @property
    def survivors(self) -> list[Result]:
        """Mutants that tests should have found, but did not."""
        excused = self.equivalent | self.allowed
        return [result for result in self.born if result.fate not in FOUND and id(result) not in excused]

    def make_rows(self, title: str, key: Callable[[Result], str]) -> str:
        """Return a table in Markdown with a row for each value of a key of the results, and a last row for all."""
        names = sorted({key(result) for result in self.born})
        lines = [f"| {title} | {_HEAD} |", "|---" * 9 + "|"]
        lines += [self._make_row(name, [result for result in self.born if key(result) == name]) for name in names]
        return "\n".join([*lines, self._make_row("all", self.born)]) + "\n"

    def _make_row(self, name: str, results: Sequence[Result]) -> str:
        equivalent, allowed = (
            sum(id(result) in listed for result in results) for listed in (self.equivalent, self.allowed)
        )
        fates = Counter(result.fate for result in results if id(result) not in self.equivalent | self.allowed)
        found = sum(fates[fate] for fate in FOUND)
        share = f"{100 * found / fates.total():.1f} %" if fates else "-"
        lost = fates[Fate.SURVIVED] + fates[Fate.UNREACHED]
        counts = (fates[Fate.KILLED], fates[Fate.TIMEOUT], lost, fates[Fate.UNREACHED], equivalent, allowed)
        return f"| {name} | {' | '.join(map(str, (len(results), *counts)))} | {share} |"


def make_section(title: str, command: str, table: Table) -> str:
    """Return the page's section about one run."""
    survivors = (
        "".join(f"- `{_escape(str(survivor.mutant))}` {_read_type(survivor)}\n" for survivor in table.survivors)
        or "none\n"
    )
    by_type = f"{table.make_rows('type', _read_type)}\n" if any(map(_read_type, table.born)) else ""
    unchanged = f", {table.unchanged} more change no answer" if table.unchanged else ""
    off = f", {table.off} more only do without code for speed" if table.off else ""
    return (
        f"`{command}`; {table.stillborn} more cannot be imported{unchanged}{off}.\n\n"
        f"{by_type}"
        f"{table.make_rows('kind', lambda result: result.mutant.kind)}\n"
        f"{table.make_rows('family', lambda result: result.mutant.family)}\n"
        f"<details><summary>Survivors: {title}</summary>\n\n{survivors}\n</details>\n"
    )


def keep(title: str, text: str, page: Path = PAGE) -> None:
    """Put a section into the page, between the marks of its title.

    :raises ValueError: the page has no such marks.
    """
    begin, end = f"<!-- begin {title}: written by `make mutants` -->\n", f"<!-- end {title} -->\n"
    before, mark, rest = page.read_text(encoding="utf-8").partition(begin)
    _, last, after = rest.partition(end)
    if not mark or not last:
        raise ValueError(f"{page} has no place for {title!r}")
    page.write_text(before + begin + text + end + after, encoding="utf-8")


def _read_type(result: Result) -> str:
    """Return the operand type of the random models; empty if the mutant was tried against something else."""
    return result.against.partition(" ")[2]


def _escape(text: str) -> str:
    return text.replace("`", "'")
