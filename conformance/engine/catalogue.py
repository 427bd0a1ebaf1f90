"""Catalogue of the cases of a run, in batches.

A batch is the unit that workers share: the cases of one check, or of one spec file. A spec file is loaded only when its
batch is listed, so that the catalogue of a large corpus costs nothing. :mod:`nnvet.conformance.engine.selection`
decides which cases are selected, and :mod:`nnvet.conformance.engine.runner` runs the batches.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from nnvet.conformance.engine.selection import BUNDLED_SPECS, Selection, SpecFile, spec_files
from nnvet.conformance.kit.checks import Case, Check, checks

SIZE_OF_CASE: Final = 500
"""Size that each case of a check adds to :attr:`Batch.size`, in the unit of bytes of a spec file."""


class Series(msgspec.Struct, frozen=True):
    """Some of the cases of a check that has infinitely many, such as random models.

    An argument is ``TEXT/NUMBER``, with each of ``texts`` in turn and numbers from ``first`` on. ``until`` is a time of
    the monotonic clock, which all processes of a machine share; later no further argument is made. None sets no limit.
    """

    texts: tuple[str, ...]
    first: int
    until: float | None = None

    def arguments(self) -> Iterator[str]:
        """Yield the arguments in order until the time is over."""
        for number, text in enumerate(self.texts, self.first):
            if self.until is not None and time.monotonic() >= self.until:
                return
            yield f"{text}/{number}"


class Batch(msgspec.Struct, frozen=True):
    """Cases that are listed and run together.

    They are all cases of ``check``, or its cases in ``series``, or all cases of a spec ``file``.
    """

    check: str = ""
    file: SpecFile | None = None
    series: Series | None = None

    @property
    def id(self) -> str:
        """Return the batch's name for errors that come up while its cases are listed."""
        return self.check if self.file is None else f"load/{self.file.label}"

    @property
    def size(self) -> int:
        """Return a rough measure of the duration: the bytes of the file; a case of a check counts as a small file."""
        if self.series is not None:
            return SIZE_OF_CASE * len(self.series.texts)
        if self.file is None:
            return SIZE_OF_CASE * max(len(checks()[self.check].values), 1)
        return Path(self.file.path).stat().st_size

    def cases(self, selection: Selection) -> Iterator[Case]:
        """Return the selected cases of the batch; cases that share work follow each other.

        :raises SpecError: the file is no valid spec.
        """
        if self.series is not None:
            return selection.apply(map(checks()[self.check].case_of, self.series.arguments()))
        if self.file is None:
            own = checks()[self.check].cases()
            return selection.apply(case for case in own if selection.exercises(case.named_operations))
        return selection.apply(_cases_of_file(self.file, _checks_over_specs(selection), selection))


@dataclass(frozen=True)
class BatchStream:
    """Batches that are made one by one, each when it is needed; ``size`` is the sum of their sizes, if known.

    A campaign of a million models, or of as many as fit into an hour, begins at once and keeps no list of them.
    """

    batches: Iterable[Batch]
    size: int | None


@dataclass(frozen=True)
class Catalogue:
    """All spec files and checks that a run can select cases from.

    ``places`` are spec files or folders of them; without places the bundled corpus is taken. ``with_checks`` adds the
    checks that need no spec. Checks that are about drivers of other kinds of selectors than that of ``driver`` are
    there only if the selection names something; without a driver all are.
    """

    places: Sequence[Path] = ()
    with_checks: bool = True
    driver: str = ""

    def batches(self, selection: Selection) -> list[Batch]:
        """Return every batch that may hold a selected case, in the order in which they run.

        :raises SelectionError: a place does not exist, or holds no spec file.
        """
        kind = self.driver.partition(":")[0]
        everyone = bool(selection.only) or not kind
        own = [
            check
            for check in checks().values()
            if self.with_checks and check.over is None and (everyone or not check.kinds or kind in check.kinds)
        ]
        batches = [Batch(check.id) for check in own if selection.may_take(check.id)]
        batches += [Batch(check.id, series=series) for check in own for series in _list_named(check, selection.only)]
        if _checks_over_specs(selection):
            files = spec_files(self.places or [BUNDLED_SPECS])
            batches += [Batch(file=file) for file in files if _may_have(file, selection)]
        return batches

    def cases(self, selection: Selection) -> Iterator[Case]:
        """Yield every selected case; each file is loaded when its turn comes.

        :raises SelectionError: a place does not exist, or holds no spec file.
        :raises SpecError: a file is no valid spec.
        """
        for batch in self.batches(selection):
            yield from batch.cases(selection)


def _list_named(check: Check, ids: Sequence[str]) -> Iterator[Series]:
    """Yield the cases of a check with infinitely many cases that the selection names by full id."""
    for text in ids:
        argument = text.removeprefix(f"{check.id}/")
        if check.reads is not None and argument != text and argument not in check.values and check.reads(argument):
            beginning, _, number = argument.rpartition("/")
            yield Series((beginning,), int(number))


def _checks_over_specs(selection: Selection) -> list[Check]:
    """Return the selected checks that run over specs."""
    return [
        check
        for check in checks().values()
        if check.over is not None
        and (selection.full or selection.only or check.has_usual)
        and selection.may_take(f"{check.id}/")
    ]


def _may_have(file: SpecFile, selection: Selection) -> bool:
    """Return True if a file may have a selected case, judging by its name, its operations and the selected ids."""
    if not selection.may_take_argument(file.stem) or not _may_exercise(file, selection):
        return False
    arguments = selection.named_arguments(file.stem)
    return arguments is None or not all(map(file.lacks, arguments))


def _may_exercise(file: SpecFile, selection: Selection) -> bool:
    """Return True if a file may have one of the selected operations, without loading it.

    Files of the bundled corpus name their operations as texts; others are programs, which may compute a name.
    """
    path = Path(file.path)
    if not selection.operations or not path.is_relative_to(BUNDLED_SPECS):
        return True
    source = path.read_text(encoding="utf-8")
    return any(f'"{operation}"' in source for operation in selection.operations)


def _cases_of_file(file: SpecFile, spec_checks: Sequence[Check], selection: Selection) -> Iterator[Case]:
    """Yield the cases of each check over the cases of a spec file.

    :raises SpecError: the file is no valid spec.
    """
    for name, loaded in file.named():
        if selection.operations and not selection.exercises(loaded.operations):
            continue
        for check in spec_checks:
            assert check.over is not None  # noqa: S101 - _checks_over_specs
            if check.over(loaded.spec.outline):
                yield check.case_over(name, loaded.spec)
