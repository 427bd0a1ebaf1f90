"""``nnvet zoo --oracle``: how many planted errors the oracle finds, and whether it blames honest drivers."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from rich.console import Console
from rich.progress import track
from rich.table import Table

from nnvet.commands.options import CommandError, table_console
from nnvet.conformance.oracle_study.faults import FAULTS
from nnvet.conformance.oracle_study.honest import HONEST
from nnvet.conformance.oracle_study.models import KINDS, StudyModel, models_of
from nnvet.conformance.oracle_study.runtimes import runtime_drivers
from nnvet.conformance.oracle_study.study import (
    HEADINGS,
    Comparisons,
    alarms,
    compare,
    models_of_piece,
    rows,
    run_study,
    survivors,
)


def print_study(glob: str, count: int) -> bool:
    """Run the study and print it; whether no honest driver was blamed.

    ``glob`` chooses operations by their names, and ``graph``; ``count`` is the number of models of each form of an
    operation and type.

    :raises CommandError: no operation matches.
    """
    console = table_console(soft_wrap=True, highlight=False)
    models = list(_models(glob, count))
    if not models:
        raise CommandError(f"no operation matches {glob!r}")
    drivers = (*HONEST, *runtime_drivers())
    watched = track(models, "models", console=console, disable=not console.is_terminal, transient=True)
    study = run_study(watched, drivers=drivers)
    console.print(f"{len(models)} models, {count} of each form; {len(FAULTS)} kinds of errors, {len(drivers)} drivers")
    table = Table(*HEADINGS, box=None)
    for row in rows(study):
        table.add_row(*row)
    console.print(table)
    for fault, places in survivors(study):
        console.print(f"missed: {fault}: {places}", markup=False)
    blamed = alarms(study)
    for line in blamed:
        console.print(f"false alarm: {line}", markup=False)
    return not blamed


def print_comparisons(least: int, first: int) -> bool:
    """Compare honest drivers, piece by piece from the first one, until there are so many comparisons.

    A line for each piece says how far it is; what was broken off goes on with the next one. Whether none was blamed.
    """
    console = Console(soft_wrap=True, highlight=False)
    found, piece, runtimes = Comparisons(), first, runtime_drivers()
    while found.total < least:
        known = len(found.alarms)
        for model in models_of_piece(piece):
            compare(model, found, runtimes)
        console.print(f"piece {piece}: {found.total} comparisons, {len(found.alarms)} false alarms")
        for line in found.alarms[known:]:
            console.print(f"false alarm: {line}", markup=False)
        piece += 1
    table = Table("kind", "of one operation", "of graphs", "different results", box=None)
    for kind in found.different:
        table.add_row(kind, *(str(counts[kind]) for counts in (found.singles, found.graphs, found.different)))
    console.print(table)
    return not found.alarms


def _models(glob: str, count: int) -> Iterator[StudyModel]:
    for seed in range(count):
        for kind in KINDS:
            yield from (model for model in models_of(seed, kind) if fnmatchcase(model.subject, glob))
