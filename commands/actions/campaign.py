"""Work of ``nnvet campaign``: read the campaign's file (:func:`read_campaign`), and run its commands one by one.

The options of a command are looked up in the command itself, so this module has no list of them.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import typer

from nnvet.commands.options import CommandError
from nnvet.commands.terminal import BY_SIGNAL
from nnvet.reports import outcome
from nnvet.reports.files import MALFORMED, read_file, replace_file
from nnvet.reports.render import folder_name

SUMMARY: Final = "campaign.json"
"""File with all ended jobs of a campaign."""
_IN_WORDS: Final = {
    outcome.EXIT_CONFORMANT: "nothing is wrong",
    outcome.EXIT_NOT_CONFORMANT: "the driver has faults",
    outcome.EXIT_USAGE: "it could not begin",
    outcome.EXIT_SUITE_FAILED: "incomplete",
    outcome.EXIT_SPEC: "a spec is wrong",
}
"""Exit codes of jobs in words."""


class CampaignJob(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A job: a command with its ``options``, by their long names without dashes."""

    command: Literal["run", "random", "stress", "fuzz", "bench"]
    name: str = ""
    options: dict[str, Any] = {}


class CampaignFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The jobs, and common options for those commands that have them.

    Paths are relative to the folder in which the campaign runs, like those of the command line.
    """

    drivers: tuple[str, ...]
    job: tuple[CampaignJob, ...]
    out: str = "campaign"
    history: str | None = None
    waivers: str | None = None
    cluster: str | None = None
    resource: tuple[str, ...] = ()


@dataclass(frozen=True)
class JobCommand:
    """Arguments of ``nnvet`` for a job, or for one driver of it; ``folder`` is for its results."""

    name: str
    arguments: tuple[str, ...]
    folder: Path

    @property
    def text(self) -> str:
        """Return the command line."""
        return shlex.join(("nnvet", *self.arguments))


def read_campaign(path: Path) -> CampaignFile:
    """Read a campaign.

    :raises CommandError: it cannot be read, is no TOML, or has an unknown key or a wrong value.
    """
    try:
        read = msgspec.toml.decode(read_file(path), type=CampaignFile)
    except OSError as error:
        raise CommandError(f"{path}: cannot be read: {error.strerror or error}") from error
    except MALFORMED as error:
        raise CommandError(f"{path}: {error}; see docs/campaigns.md") from error
    for key, entries in (("drivers", read.drivers), ("job", read.job)):
        if not entries:
            raise CommandError(f"{path}: {key} is empty: there is nothing to run; see docs/campaigns.md")
    return read


def commands_of(campaign: CampaignFile, only: Sequence[str], nnvet: Any) -> list[JobCommand]:
    """Return the commands of all jobs whose names match, in order; ``nnvet`` is typer's group of commands.

    :raises CommandError: an option does not exist, two jobs have one name, one names no folder, or no job matches.
    """
    names = [job.name or f"{number}-{job.command}" for number, job in enumerate(campaign.job, start=1)]
    twice = next((name for name in names if names.count(name) > 1), None)
    outside = next((name for name in names if Path(name).name != name or name in ("", ".", "..")), None)
    if outside is not None:
        raise CommandError(f"a job is called {outside!r}: a folder gets that name, so leave out / and ..")
    if twice is not None:
        raise CommandError(f"two jobs are called {twice!r}: give each a name of its own")
    found = [
        command
        for name, job in zip(names, campaign.job, strict=True)
        if any(fnmatchcase(name, glob) for glob in only)
        for command in _list_commands(campaign, name, job, nnvet)
    ]
    if not found:
        raise CommandError(f"no job matches {' '.join(only)}; there are {', '.join(names)}")
    return found


def run_commands(jobs: Sequence[JobCommand], file: Path) -> int:
    """Run one command after the other, print the end of each, and return the worst exit code.

    After each job ``campaign.json`` in the folder of the results has all ended jobs.

    :raises CommandError: that file cannot be written.
    """
    ended: list[tuple[JobCommand, int]] = []
    for job in jobs:
        typer.echo(f"{job.name}: {job.text}")
        code = _run(job)
        ended.append((job, code))
        _keep(ended, jobs)
        if code >= BY_SIGNAL:
            break
    for job, code in ended:
        typer.echo(f"{job.name}: {_IN_WORDS.get(code, f'interrupted ({code})')}; {job.folder}")
    if len(ended) < len(jobs):
        typer.echo(f"{file}: {len(jobs) - len(ended)} jobs were not run")
        return ended[-1][1]
    # A job that could not start leaves the campaign incomplete, like one that stopped early.
    return outcome.worst_exit_code(
        outcome.EXIT_SUITE_FAILED if code == outcome.EXIT_USAGE else code for _, code in ended
    )


def _run(job: JobCommand) -> int:
    command = [sys.executable, "-P", "-m", "nnvet.commands", *job.arguments]
    with subprocess.Popen(command) as process:
        while True:
            try:
                code = process.wait()
            except KeyboardInterrupt:
                # The job has received the signal, too, and is writing its reports.
                continue
            break
    if code < 0:
        return BY_SIGNAL - code
    return code if code in _IN_WORDS or code >= BY_SIGNAL else outcome.EXIT_SUITE_FAILED


def _keep(ended: Sequence[tuple[JobCommand, int]], jobs: Sequence[JobCommand]) -> None:
    folder = jobs[0].folder.parent
    entries = [{"job": job.name, "command": job.text, "exit_code": code} for job, code in ended]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(folder / SUMMARY, json.dumps({"ended": entries, "planned": len(jobs)}, indent=2))
    except OSError as error:
        raise CommandError(f"{folder / SUMMARY}: cannot be written: {error.strerror or error}") from error


def _list_commands(campaign: CampaignFile, name: str, job: CampaignJob, nnvet: Any) -> Iterator[JobCommand]:
    known = _list_parameters(nnvet, job.command)
    given = [
        part for option, value in job.options.items() for part in _make_option(known, name, job.command, option, value)
    ]
    shared = {field: getattr(campaign, field) for field in ("history", "waivers", "cluster", "resource")}
    common = [
        part
        for option, value in shared.items()
        if value and option in known and option not in job.options
        for part in _make_option(known, name, job.command, option, value)
    ]
    # A command that accepts a single driver runs once for each driver.
    groups = [campaign.drivers] if known["driver"].multiple else [(driver,) for driver in campaign.drivers]
    for drivers in groups:
        alone = len(groups) > 1
        folder = Path(campaign.out) / (f"{name}-{folder_name(drivers[0])}" if alone else name)
        chosen = [part for driver in drivers for part in ("-d", driver)]
        yield JobCommand(folder.name, (job.command, *chosen, "--out", str(folder), *common, *given), folder)


def _list_parameters(nnvet: Any, command: str) -> dict[str, Any]:
    """Return the options of a command, as typer has them, by their long names without dashes."""
    options = [parameter for parameter in nnvet.commands[command].params if parameter.param_type_name == "option"]
    return {name.removeprefix("--"): option for option in options for name in option.opts if name.startswith("--")}


def _make_option(known: dict[str, Any], name: str, command: str, option: str, value: Any) -> list[str]:
    """Return an option in the form of the command line.

    :raises CommandError: the command has no such option, the campaign itself sets it, or its value is wrong.
    """
    where = f"job {name!r}: {option}"
    if option in ("driver", "out"):
        raise CommandError(f"{where} is the campaign's own: see the keys drivers and out")
    if option not in known:
        near = get_close_matches(option, known, 1)
        hint = f"; the nearest is {near[0]}" if near else ""
        raise CommandError(f"{where} is no option of nnvet {command}{hint}")
    if known[option].is_flag:
        if not isinstance(value, bool):
            raise CommandError(f"{where} is a switch: write true or false")
        off = next((flag for flag in known[option].secondary_opts if flag.startswith("--")), None)
        return [f"--{option}"] if value else [off] if off else []
    values = value if isinstance(value, list | tuple) else [value]
    if any(isinstance(value, bool | dict) for value in values):
        raise CommandError(f"{where} wants a value, not {value!r}")
    if len(values) > 1 and not known[option].multiple:
        raise CommandError(f"{where} takes one value")
    return [part for value in values for part in (f"--{option}", str(value))]
