"""``nnvet bundle`` and ``nnvet judge``: write cases for people without nnvet, and judge their answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from nnvet.commands.choosing import Only, Operations, Suites
from nnvet.commands.options import CommandError, Level, Out, WantedProfiles, user_errors
from nnvet.commands.terminal import end_by_signals

As = Annotated[str, typer.Option("--as", metavar="tflite|onnx|nnvet-vectors", help="Form of the models in the bundle.")]
_TIMEOUT_S: Final = 60.0
"""Seconds that the command may take for an answer."""
_REASONS_SHOWN: Final = 10
"""Most reasons for cases that are left out that are printed."""


def bundle(
    form: As = "tflite",
    out: Annotated[Path, typer.Option("--out", help="New folder of the bundle.")] = Path("bundle"),
    only: Only = None,
    suite: Suites = None,
    operation: Operations = None,
    level: Level = None,
    shard: Annotated[str, typer.Option(help="Take the I-th of N parts, written I/N.")] = "1/1",
) -> None:
    """Write cases into a folder, for a vendor without nnvet.

    The folder has models, inputs and programs that run them.
    """
    from nnvet.commands.choosing import choice_of
    from nnvet.conformance.bundles.making import FORMS, USUAL, make_bundle
    from nnvet.conformance.engine.catalogue import Catalogue

    with user_errors():
        if form not in FORMS:
            raise CommandError(f"--as {form}: choose {', '.join(FORMS)}")
        globs = only if only or suite else [USUAL]
        selection = choice_of(globs, suite, operation, level, shard, full=False)
        try:
            made = make_bundle(out, form, selection, Catalogue())
        except OSError as error:
            raise CommandError(f"--out {out}: {error.strerror}") from error
    typer.echo(f"bundle: {out}: {made.executions:,} executions in files, for {made.tests:,} cases")
    for reason, count in made.left_out.most_common(_REASONS_SHOWN):
        typer.echo(f"{count:>8,}  left out: {reason}")
    if others := made.left_out.total() - sum(count for _, count in made.left_out.most_common(_REASONS_SHOWN)):
        typer.echo(f"{others:>8,}  left out for other reasons, which nnvet judge gives")


def judge(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a bundle, with the outputs in it.")],
    out: Out = Path("out"),
    command: Annotated[
        str | None,
        typer.Option("--command", help="Before judging, run this command on cases that have no outputs yet."),
    ] = None,
    batch: Annotated[
        int, typer.Option("--batch", min=1, help="Largest number of cases in one run of the command.")
    ] = 32,
    timeout: Annotated[
        float, typer.Option(min=0.1, max=86400.0, help="Seconds that one run of the command may take.")
    ] = _TIMEOUT_S,
    profile: WantedProfiles = None,
) -> None:
    """Judge the outputs that were sent back for a bundle.

    Log, verdicts and report are those of any driver.
    """
    from nnvet.adapters.files.answers import BundleError, check_files, read_bundle
    from nnvet.commands.actions.run import run_plans
    from nnvet.conformance.engine.runner import Plan, StopRules
    from nnvet.conformance.engine.selection import Selection, Shard
    from nnvet.conformance.engine.target import Target

    with user_errors():
        try:
            manifest, key = read_bundle(folder)
            check_files(folder, manifest)
        except BundleError as error:
            raise CommandError(str(error)) from error
        if command is not None:
            _answer(folder, command, batch, timeout)
        target = Target(f"answers:{folder}", level=key.level)
        selection = Selection(key.only, key.level, Shard.parse(key.shard), operations=key.operations)
        # Reading recorded answers is cheap, so a series of deaths need not end the run.
        plan = Plan(
            target, out, selection=selection, stop=StopRules(deaths_in_a_row=None), profiles=tuple(profile or ())
        )
        code = run_plans([(plan, None)])
    raise typer.Exit(code)


def _answer(folder: Path, command: str, batch: int, timeout_s: float) -> None:
    """Let a command run the cases of a bundle that have no answer yet.

    :raises SelectorError: the command is invalid.
    :raises CommandError: a file cannot be written.
    """
    from nnvet.adapters.files.command import FileCommand
    from nnvet.adapters.files.device import parse_command
    from nnvet.commands.actions.run import print_answers
    from nnvet.conformance.bundles.making import run_left

    try:
        with end_by_signals():
            run_left(FileCommand(parse_command(command), timeout_s), folder, batch, print_answers)
    except OSError as error:
        raise CommandError(f"{error.filename or folder}: {error.strerror}") from error
