"""All cases of a run, batch by batch: nothing is loaded before its batch is listed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from nnvet.conformance.engine.checks import Case, Check, checks
from nnvet.conformance.engine.selection import BUNDLED_SPECS, Selection, SpecFile, spec_files

SIZE_OF_CASE: Final = 500
"""Contribution of a check's case to :attr:`Batch.size`."""


class Series(msgspec.Struct, frozen=True):
    """Arguments ``TEXT/NUMBER`` of a check that has cases without end: of each text one, numbered from ``first`` on.

    ``until``: none is begun after this time of the monotonic clock, which all processes share; None: all are.
    """

    texts: tuple[str, ...]
    first: int
    until: float | None = None

    def arguments(self) -> Iterator[str]:
        """One after the other, as long as there is time."""
        for number, text in enumerate(self.texts, self.first):
            if self.until is not None and time.monotonic() >= self.until:
                return
            yield f"{text}/{number}"


class Batch(msgspec.Struct, frozen=True):
    """Cases that are listed and run together: those of one check, some of its ``series``, or all of a spec file."""

    check: str = ""
    file: SpecFile | None = None
    series: Series | None = None

    @property
    def id(self) -> str:
        """Name in errors of listing it."""
        return self.check if self.file is None else f"load/{self.file.label}"

    @property
    def size(self) -> int:
        """Rough duration: bytes of the file; the cases of a check count as much as a small file each."""
        if self.series is not None:
            return SIZE_OF_CASE * len(self.series.texts)
        if self.file is None:
            return SIZE_OF_CASE * max(len(checks()[self.check].values), 1)
        return Path(self.file.path).stat().st_size

    def cases(self, selection: Selection) -> Iterator[Case]:
        """Its selected cases, those that share work side by side.

        :raises SpecError: the file is no valid spec.
        """
        if self.series is not None:
            return selection.apply(map(checks()[self.check].case_of, self.series.arguments()))
        if self.file is None:
            own = checks()[self.check].cases()
            return selection.apply(case for case in own if selection.exercises(case.named_operations))
        return selection.apply(_over(self.file, _checks_over_specs(selection), selection))


@dataclass(frozen=True)
class Catalogue:
    """All that can run: spec files (none: the bundled corpus) and, if asked for, the checks that need no spec.

    If there is any ``series``, that alone.
    """

    places: Sequence[Path] = ()
    with_checks: bool = True
    series: Sequence[Batch] = ()

    def batches(self, selection: Selection) -> list[Batch]:
        """Every batch that may hold a selected case, in the order in which they run.

        :raises SelectionError: a place does not exist, or holds no spec file.
        """
        if self.series:
            return list(self.series)
        own = [check for check in checks().values() if self.with_checks and check.over is None]
        batches = [Batch(check.id) for check in own if selection.may_take(check.id)]
        batches += [Batch(check.id, series=series) for check in own for series in _named(check, selection.only)]
        if _checks_over_specs(selection):
            files = spec_files(self.places or [BUNDLED_SPECS])
            batches += [Batch(file=file) for file in files if _may_have(file, selection)]
        return batches

    def cases(self, selection: Selection) -> Iterator[Case]:
        """Every selected case, one after the other; files are loaded as they are reached.

        :raises SelectionError: a place does not exist, or holds no spec file.
        :raises SpecError: a file is no valid spec.
        """
        for batch in self.batches(selection):
            yield from batch.cases(selection)


def _named(check: Check, ids: Sequence[str]) -> Iterator[Series]:
    """Cases without end that are named by their whole ids."""
    for text in ids:
        argument = text.removeprefix(f"{check.id}/")
        if check.reads is not None and argument != text and argument not in check.values and check.reads(argument):
            beginning, _, number = argument.rpartition("/")
            yield Series((beginning,), int(number))


def _checks_over_specs(selection: Selection) -> list[Check]:
    return [
        check
        for check in checks().values()
        if check.over is not None
        and (selection.full or selection.only or check.has_usual)
        and selection.may_take(f"{check.id}/")
    ]


def _may_have(file: SpecFile, selection: Selection) -> bool:
    """Return True if a file may have a selected case: by its name, its operations, and for whole ids its cases."""
    if not selection.may_take_argument(file.stem) or not _may_exercise(file, selection):
        return False
    arguments = selection.named_arguments(file.stem)
    return arguments is None or not all(map(file.lacks, arguments))


def _may_exercise(file: SpecFile, selection: Selection) -> bool:
    """Return True if a file may have one of the selected operations, without loading it.

    Files of the bundled corpus name their operations as texts; others are programs, which may put a name together.
    """
    path = Path(file.path)
    if not selection.operations or not path.is_relative_to(BUNDLED_SPECS):
        return True
    source = path.read_text(encoding="utf-8")
    return any(f'"{operation}"' in source for operation in selection.operations)


def _over(file: SpecFile, over: Sequence[Check], selection: Selection) -> Iterator[Case]:
    for name, loaded in file.named():
        if selection.operations and not selection.exercises(loaded.labels["operations"]):
            continue
        for check in over:
            assert check.over is not None  # noqa: S101 - _checks_over_specs
            if check.over(loaded.spec.outline):
                yield check.case_over(name, loaded.spec)
