"""Options of ``nnvet run`` and others that select cases: make a selection from them, and list the selected cases.

:mod:`nnvet.commands.options` has the other shared options. :class:`nnvet.conformance.engine.selection.Selection` is the
result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from nnvet.commands import completing
from nnvet.commands.options import CommandError
from nnvet.commands.tables import matching

if TYPE_CHECKING:
    from nnvet.conformance.engine.runner import Plan
    from nnvet.conformance.engine.selection import Selection
    from nnvet.conformance.engine.waivers import WaiverFile

Only = Annotated[list[str] | None, typer.Option("--only", help="Glob of case ids; may be repeated.")]
Suites = Annotated[
    list[str] | None,
    typer.Option("--suite", help="The same as --only 'SUITE/*'; may be repeated.", autocompletion=completing.suites),
]
Operations = Annotated[
    list[str] | None,
    typer.Option(
        "--op", help="Cases that exercise this operation; may be repeated.", autocompletion=completing.operations
    ),
]
LastFailed = Annotated[
    bool, typer.Option("--last-failed", help="Only cases that failed in the run whose log is in --out.")
]
ListOnly = Annotated[bool, typer.Option("--list", help="Print the ids and the number of the cases; run nothing.")]


def waivers_in(path: Path | None) -> WaiverFile | None:
    """Return the waivers of a file, if one is given.

    Raises like :func:`nnvet.conformance.engine.waivers.read_waivers`.
    """
    from nnvet.conformance.engine.waivers import read_waivers

    return None if path is None else read_waivers(path)


def choice_of(
    only: Sequence[str] | None,
    suites: Sequence[str] | None,
    operations: Sequence[str] | None,
    level: int | None,
    shard: str,
    *,
    full: bool,
) -> Selection:
    """Return the options as a selection; names of suites and operations may be globs, the latter in lower case.

    :raises CommandError: there is no such suite or operation.
    :raises SelectionError: the shard is not of the form I/N.
    """
    from nnvet.conformance.engine.selection import Selection, Shard
    from nnvet.conformance.kit.checks import suite_names
    from nnvet.hal.enums import OperationType

    known = suite_names() if suites else ()
    globs = (*(only or ()), *(f"{name}/*" for glob in suites or () for name in matching("suite", glob, known)))
    names = [operation.name for operation in OperationType]
    wanted = tuple(found for name in operations or () for found in matching("operation", name.upper(), names))
    return Selection(globs, level, Shard.parse(shard), full, wanted)


def limit_to_failed(selection: Selection, folder: Path, *, resume: bool) -> Selection:
    """Limit a selection to the cases that failed in the run of a folder.

    :raises CommandError: none failed, or that run is to be resumed.
    :raises LogError: the folder has no log.
    """
    from dataclasses import replace

    from nnvet.generators.specs.operand_type import spec_name
    from nnvet.reports.events import OF_A_SPEC, OF_THE_DRIVER
    from nnvet.reports.log import read_log
    from nnvet.reports.outcome import failed_cases

    if resume:
        raise CommandError("--last-failed and --resume: choose one, what failed or what is left")
    log = folder / "run.jsonl"
    failed = [case.case for case in failed_cases(read_log(log)) if not case.case.startswith(OF_THE_DRIVER)]
    # A repeated finding has a number after ``#``, and is no case of its own.
    ids = dict.fromkeys(case.partition("#")[0] for case in failed if not case.startswith(OF_A_SPEC))
    # The cases of a file that could not be loaded are unknown, but their names all begin with its name.
    files = [spec_name(Path(case)) for case in failed if case.startswith(OF_A_SPEC)]
    chosen = (*filter(selection.matches, ids), *(f"*/{name}*" for name in files))
    if not chosen:
        raise CommandError(f"{log}: no selected case has failed; run without --last-failed")
    return replace(selection, only=chosen)


def print_cases(plan: Plan) -> NoReturn:
    """Print an id in each line, and on standard error the numbers of cases by suite.

    :raises typer.Exit: always, because nothing else is to be done.
    :raises SelectionError: nothing is selected.
    :raises SpecError: a spec file has an error.
    """
    from nnvet.conformance.engine.catalogue import Catalogue
    from nnvet.conformance.engine.nearest import explain_empty_selection, find_idle_globs
    from nnvet.conformance.engine.selection import SelectionError

    catalogue = Catalogue(plan.specs, plan.checks, driver=plan.target.selector)
    counts: Counter[str] = Counter()
    ids: list[str] = []
    for case in catalogue.cases(plan.selection):
        typer.echo(case.id)
        counts[case.name.suite] += 1
        ids.append(case.id)
    if not counts:
        raise SelectionError(explain_empty_selection(catalogue, plan.selection))
    for suite, count in counts.items():
        typer.echo(f"{count:>8,}  {suite}", err=True)
    typer.echo(f"{counts.total():>8,}  in all", err=True)
    _say(find_idle_globs(catalogue, plan.selection, ids))
    raise typer.Exit


@contextmanager
def report_idle_globs(plan: Plan, selection: Selection) -> Iterator[None]:
    """After the block, if the run has ended, name globs and ids that matched no case, because they may be misspelt."""
    yield
    # A single glob without a case has ended the run already. Ids from --last-failed were not written by hand.
    if len(selection.only) > 1 and plan.selection is selection and plan.log.exists():
        from nnvet.conformance.engine.catalogue import Catalogue
        from nnvet.conformance.engine.nearest import find_idle_globs
        from nnvet.reports.log import read_log

        log = read_log(plan.log)
        if log.finished is not None and not log.finished.cut_short:
            catalogue = Catalogue(plan.specs, plan.checks, driver=plan.target.selector)
            _say(find_idle_globs(catalogue, selection, log.results))


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(f"nnvet: {line}", err=True)
