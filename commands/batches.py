"""Runs on a driver that is a command (``files:``): executions in batches come before the cases that need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import typer

from nnvet.commands.options import CommandError

if TYPE_CHECKING:
    from nnvet.conformance.engine.runner import Plan

_FILES: Final = "files:"


def tell_answers(done: int, count: int) -> None:
    """Print the number of executions on standard error, since standard output is for results."""
    typer.echo(f"{done:,} of {count:,} executions in batches", err=True)


def in_batches(plan: Plan) -> Plan:
    """Run the executions that a driver takes in batches, and return the plan with their answers.

    A plan for a driver of another kind is returned unchanged.


    :raises SelectorError: the driver's command is invalid.
    :raises CommandError: a file cannot be written.
    """
    # Late imports: most drivers are of another kind.
    if not plan.target.selector.startswith(_FILES):
        return plan
    from nnvet.conformance.bundles.making import run_ahead

    try:
        return run_ahead(plan, tell_answers)
    except OSError as error:
        raise CommandError(f"{error.filename or plan.out}: {error.strerror}") from error
