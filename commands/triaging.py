"""``nnvet triage``: what failed in a run, as waivers whose reasons are to be filled in."""

from __future__ import annotations

import datetime as dt
import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nnvet.commands.options import CommandError, user_errors

if TYPE_CHECKING:
    from nnvet.reports.fingerprint import Fold

RunLog = Annotated[Path, typer.Argument(help="run.jsonl of a run, or its folder.")]


def triage(
    log: RunLog,
    out: Annotated[
        Path | None, typer.Option("--out", help="File to add the waivers to; default: they are printed.")
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=3650, help="After so many days they expire.")] = 90,
) -> None:
    """Write a waiver for each fault of a run that none forgives yet, its reason to be filled in."""
    from nnvet.reports.events import DRIVER_FAULTS
    from nnvet.reports.fingerprint import fold
    from nnvet.reports.log import read_run

    with user_errors():
        read = read_run(log)
        folds = fold(result for result in read.results.values() if result.verdict in DRIVER_FAULTS)
        expires = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=days)
        driver = read.started.driver.name or read.started.driver.selector
        text = "\n".join(_proposal(group, driver, expires) for group in folds)
        if out is None:
            typer.echo(text, nl=False)
        elif folds:
            _append(out, text)
    number = f"{len(folds)} fault{'' if len(folds) == 1 else 's'}"
    typer.echo(f"{number}: fill in each reason, or mend the driver" if folds else "no fault to forgive", err=True)


def _proposal(group: Fold, driver: str, expires: dt.date) -> str:
    """One entry; what is known of the fault stands above it."""
    result = group.example
    cases = f"{group.count} cases, the first is {result.case}" if group.count > 1 else result.case
    fields = {
        "fingerprint": group.fingerprint,
        **({"rule": result.rule} if result.rule else {}),
        "driver": driver,
        "verdicts": [str(result.verdict)],
        "reason": "",
        "link": "",
    }
    # JSON's texts and lists are TOML's, too.
    lines = [f"{key} = {json.dumps(value)}" for key, value in fields.items()]
    return "\n".join([f"# {cases}", f"# {_one_line(result.reason)}", "[[waiver]]", *lines, f"expires = {expires}", ""])


def _one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _append(path: Path, text: str) -> None:
    """Add to what is there: all of the text, or nothing."""
    try:
        with path.open("ab", buffering=0) as file:
            size = file.tell()
            rest = memoryview((("\n" if size else "") + text).encode("utf-8"))
            try:
                while rest:
                    rest = rest[file.write(rest) or 0 :]
            except OSError:
                with suppress(OSError):
                    file.truncate(size)
                raise
    except OSError as error:
        raise CommandError(f"{path}: cannot write the waivers ({error.strerror or error})") from error
