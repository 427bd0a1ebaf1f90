"""Runs of a driver that is a command: what it takes in batches runs before the cases do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import typer

from nnvet.commands.options import CommandError

if TYPE_CHECKING:
    from nnvet.conformance.engine.runner import Plan

_FILES: Final = "files:"


def tell_answers(done: int, count: int) -> None:
    """Say how many executions have run; standard output is for results."""
    typer.echo(f"{done:,} of {count:,} executions in batches", err=True)


def in_batches(plan: Plan) -> Plan:
    """Return the plan of a run, after all that its driver takes in batches has run; itself for drivers that take none.

    :raises SelectorError: the driver's command makes no sense.
    :raises CommandError: a file cannot be written.
    """
    # Most drivers are none of this kind, and their runs need none of what this loads.
    if not plan.target.selector.startswith(_FILES):
        return plan
    from nnvet.conformance.bundles.ahead import run_ahead

    try:
        return run_ahead(plan, tell_answers)
    except OSError as error:
        raise CommandError(f"{error.filename or plan.out}: {error.strerror}") from error
