"""Tables of results: for the terminal, and as sections of ``docs/power.md``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from tools.mutants.mutant import ROOT
from tools.mutants.results import FOUND, Equivalent, Fate, Result, is_equivalent

PAGE: Final = ROOT / "docs" / "power.md"
_LEFT_OUT: Final = (Fate.STILLBORN, Fate.UNCHANGED, Fate.SWITCHED_OFF)
"""Mutants that give no wrong answer."""
_HEAD: Final = "mutants | killed | hung | survived | of these on lines not reached | equivalent | allowed | found"


class Table:
    """Results of one run. ``known`` are the equivalent mutants.

    Those that cannot be imported, change no answer or only do without code for speed are left out. Those that are
    equivalent to these tests only, because these allow what they change, are "allowed", and so are those that refuse
    models and are right otherwise.
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

    def rows(self, title: str, of: Callable[[Result], str]) -> str:
        """Yield the rows of a table by a property of the results, and a last row for all."""
        names = sorted({of(result) for result in self.born})
        lines = [f"| {title} | {_HEAD} |", "|---" * 9 + "|"]
        lines += [self._row(name, [result for result in self.born if of(result) == name]) for name in names]
        return "\n".join([*lines, self._row("all", self.born)]) + "\n"

    def _row(self, name: str, results: Sequence[Result]) -> str:
        equivalent, allowed = (
            sum(id(result) in listed for result in results) for listed in (self.equivalent, self.allowed)
        )
        fates = Counter(result.fate for result in results if id(result) not in self.equivalent | self.allowed)
        found = sum(fates[fate] for fate in FOUND)
        share = f"{100 * found / fates.total():.1f} %" if fates else "-"
        lost = fates[Fate.SURVIVED] + fates[Fate.UNREACHED]
        counts = (fates[Fate.KILLED], fates[Fate.TIMEOUT], lost, fates[Fate.UNREACHED], equivalent, allowed)
        return f"| {name} | {' | '.join(map(str, (len(results), *counts)))} | {share} |"


def section(title: str, command: str, table: Table) -> str:
    """Return the page's section about one run."""
    survivors = (
        "".join(f"- `{_cell(str(survivor.mutant))}` {_type(survivor)}\n" for survivor in table.survivors) or "none\n"
    )
    by_type = f"{table.rows('type', _type)}\n" if any(map(_type, table.born)) else ""
    unchanged = f", {table.unchanged} more change no answer" if table.unchanged else ""
    off = f", {table.off} more only do without code for speed" if table.off else ""
    return (
        f"`{command}`; {table.stillborn} more cannot be imported{unchanged}{off}.\n\n"
        f"{by_type}"
        f"{table.rows('kind', lambda result: result.mutant.kind)}\n"
        f"{table.rows('family', lambda result: result.mutant.family)}\n"
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


def _type(result: Result) -> str:
    """Return the type of the random models; empty if it was tried against something else."""
    return result.against.partition(" ")[2]


def _cell(text: str) -> str:
    return text.replace("`", "'")
