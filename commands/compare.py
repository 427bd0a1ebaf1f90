"""``nnvet diff``, ``upgrade`` and ``triage``: compare runs, and accept known failures.

``diff`` shows the changes from one run to another. ``upgrade`` decides whether a new version of a driver can replace
the old one. ``triage`` writes the failures of a run as waivers, whose reasons the user has to fill in.
:mod:`nnvet.reports.diff` compares logs.
"""

from __future__ import annotations

import datetime as dt
import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nnvet.commands import completing, options
from nnvet.commands.choosing import Only, Operations, Suites
from nnvet.commands.history import HistoryFolder

if TYPE_CHECKING:
    from nnvet.commands.actions.run import Measuring
    from nnvet.conformance.engine.runner import Plan
    from nnvet.reports.fingerprint import Fold
    from nnvet.reports.log import Log

Run = Annotated[Path, typer.Argument(help="run.jsonl of a run, or its folder.")]


def diff(
    before: Run,
    after: Run,
    out: Annotated[
        Path | None, typer.Option("--out", help="Also write the result as a page into this file, such as diff.html.")
    ] = None,
) -> None:
    """Show which verdicts changed between two runs.

    Exit code 1 if something got worse.
    """
    from rich.console import Console

    from nnvet.reports.console import print_changes
    from nnvet.reports.diff import Trend, group_changes
    from nnvet.reports.html.diff import write_changes
    from nnvet.reports.log import read_run
    from nnvet.reports.outcome import EXIT_CONFORMANT, EXIT_NOT_CONFORMANT

    with options.user_errors():
        logs = read_run(before), read_run(after)
        console = Console()
        print_changes(*logs, console)
        if out is not None:
            write_changes(*logs, out)
            typer.echo(f"page: {out}")
    is_worse = any(group.trend is Trend.WORSE for group in group_changes(*logs))
    raise typer.Exit(EXIT_NOT_CONFORMANT if is_worse else EXIT_CONFORMANT)


Versions = Annotated[
    list[str],
    typer.Option(
        "-d",
        "--driver",
        help="Driver selector, KIND:ARGUMENTS; twice: the old version, then the new one.",
        autocompletion=completing.kinds_of_drivers,
    ),
]


def upgrade(
    driver: Versions,
    out: options.Out = Path("out"),
    only: Only = None,
    suite: Suites = None,
    operation: Operations = None,
    level: options.Level = None,
    jobs: options.Jobs = 1,
    full: options.Full = False,
    timeout: options.Timeout = 20.0,
    memory_limit: options.MemoryLimit = options.MEMORY_LIMIT_MIB,
    in_process: options.InProcess = False,
    sandbox: options.Sandboxed = False,
    sandbox_device: options.SandboxDevices = None,
    bench: options.WithBenchmark = False,
    models: options.Models = None,
    resume: options.Resume = False,
    waivers: options.WaiverPath = None,
    strict: options.Strict = False,
    liberty: options.Liberties = None,
    profile: options.WantedProfiles = None,
    history: HistoryFolder = None,
) -> None:
    """Compare two versions of a driver.

    Run the suite on both, and offer the old one's caches to the new one.
    Exit code 1 if something got worse or the new version is not conformant to --profile, 3 if this is undecided.
    """
    from nnvet.adapters.selector import parse_selector
    from nnvet.commands.choosing import choice_of, waivers_in
    from nnvet.commands.history import add_to_history
    from nnvet.conformance.engine.runner import Plan
    from nnvet.conformance.upgrade import RENEWED

    with options.user_errors():
        if len(driver) != 2:  # noqa: PLR2004 - the old one and the new one
            raise options.CommandError(f"-d is given {len(driver)} times; give the old version, then the new one")
        for selector in driver:
            parse_selector(selector)
        selection = choice_of(only, suite, operation, level, "1/1", full=full)
        known = waivers_in(waivers)
        box = options.sandbox_of(sandbox_device, asked=sandbox)
        old, new = (
            Plan(
                options.target_of(
                    selector, timeout, level, memory_limit, box, in_process=in_process, strict=strict, liberty=liberty
                ),
                out / folder,
                selection=selection,
                jobs=jobs,
                resume=resume,
                renewed=RENEWED,
                waivers=known,
                profiles=tuple(profile or ()),
            )
            for selector, folder in zip(driver, ("old", "new"), strict=True)
        )
        with add_to_history(history, [old.log, new.log]):
            code = _upgrade(old, new, models, bench=bench)
    raise typer.Exit(code)


def _upgrade(old: Plan, new: Plan, models: Path | None, *, bench: bool) -> int:
    """Run both plans, print and write the changes, and return the exit code.

    :raises typer.Exit: a signal has ended one of the runs.
    """
    from nnvet.commands.actions.run import join_tasks
    from nnvet.commands.run import benchmark_of
    from nnvet.conformance.upgrade import older_caches
    from nnvet.reports.outcome import EXIT_SUITE_FAILED

    measured = [benchmark_of(plan.target, models) if bench else None for plan in (old, new)]
    caches = join_tasks([lambda progress: older_caches(old.target, new, progress), *filter(None, measured[1:])])
    before = _log_after(old, measured[0])
    after = _log_after(new, caches)
    if before is None or after is None:
        return EXIT_SUITE_FAILED
    return _show_changes(before, after, new.out.parent / "upgrade.html")


def _log_after(plan: Plan, measuring: Measuring | None) -> Log | None:
    """Run the plan, and return its log; None if the run has not begun one."""
    import datetime as dt

    from nnvet.commands.actions.run import run_plan
    from nnvet.reports.log import read_log

    begun = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    run_plan(plan, measuring)
    log = read_log(plan.log) if plan.log.exists() else None
    # A log of an earlier run in the folder does not count.
    return None if log is None or log.started.time < begun else log


def _show_changes(before: Log, after: Log, page: Path) -> int:
    from rich.console import Console
    from rich.text import Text

    from nnvet.reports.console import print_changes
    from nnvet.reports.diff import EXIT_CODES, UpgradeAnswer, judge_upgrade
    from nnvet.reports.html.diff import write_changes

    judgement = judge_upgrade(before, after)
    write_changes(before, after, page, judgement)
    console = Console()
    console.rule("old and new")
    print_changes(before, after, console)
    style = "bold green" if judgement.answer is UpgradeAnswer.SAFE else "bold red"
    console.print(Text(judgement.headline, style), soft_wrap=True)
    caches = (f"{cache.network}: {cache.offer}" for cache in judgement.caches)
    for line in (*judgement.reasons, *judgement.changes, *judgement.waivers, *caches):
        console.print(Text(f"  {line}"), soft_wrap=True)
    console.print(Text(f"  page: {page}"), soft_wrap=True)
    return EXIT_CODES[judgement.answer]


RunLog = Annotated[Path, typer.Argument(help="run.jsonl of a run, or its folder.")]


def triage(
    log: RunLog,
    out: Annotated[
        Path | None, typer.Option("--out", help="Add the waivers to this file; default: print them.")
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=3650, help="Number of days after which the waivers expire.")] = 90,
) -> None:
    """Write a waiver for each fault of a run that has none yet.

    You fill in the reasons.
    """
    from nnvet.reports.events import DRIVER_FAULTS
    from nnvet.reports.fingerprint import fold
    from nnvet.reports.log import read_run

    with options.user_errors():
        read = read_run(log)
        folds = fold(result for result in read.results.values() if result.verdict in DRIVER_FAULTS)
        expires = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=days)
        driver = read.started.driver.name or read.started.driver.selector
        text = "\n".join(_propose_waiver(group, driver, expires) for group in folds)
        if out is None:
            typer.echo(text, nl=False)
        elif folds:
            _append(out, text)
    number = f"{len(folds)} fault{'' if len(folds) == 1 else 's'}"
    typer.echo(f"{number}: fill in each reason, or mend the driver" if folds else "no fault to forgive", err=True)


def _propose_waiver(group: Fold, driver: str, expires: dt.date) -> str:
    """Return an entry, with the known facts about the fault as comments above it."""
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
    # Texts and lists of JSON are valid TOML, too.
    lines = [f"{key} = {json.dumps(value)}" for key, value in fields.items()]
    return "\n".join(
        [f"# {cases}", f"# {_join_lines(result.reason)}", "[[waiver]]", *lines, f"expires = {expires}", ""]
    )


def _join_lines(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _append(path: Path, text: str) -> None:
    """Append all of the text to the file, or nothing."""
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
        raise options.CommandError(f"{path}: cannot write the waivers ({error.strerror or error})") from error
