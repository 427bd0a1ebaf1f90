"""Commands that print tables or render reports again: ``rules``, ``drivers``, ``zoo``, ``report``, ``scoreboard``.

The docstrings of commands are their help. A command imports what takes long to import, so that the others start fast.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nnvet.commands import completing
from nnvet.commands.history import HistoryFolder, add_runs
from nnvet.commands.options import CommandError, WantedProfiles, table_console, user_errors

if TYPE_CHECKING:
    from nnvet.hal.rules import ContractRule
    from nnvet.reference_driver.zoo.registry import Bug
    from nnvet.reports.log import Log


def rules(
    glob: Annotated[str, typer.Argument(help="Only rules whose id matches.", autocompletion=completing.rules)] = "*",
) -> None:
    """List the numbered rules of the contract, or explain one.

    The list counts for each rule the checks that look for it, the drivers of the zoo that break it, and the cases of
    the bundled specs that break it on purpose. A single rule is shown with the status that its breach gets, the place
    in the specification, and the commands that test it.
    """
    from nnvet.hal.rules import all_rules

    with user_errors():
        found = [all_rules()[rule] for rule in matching("rule", glob, all_rules())]
    if len(found) == 1:
        from nnvet.conformance.rule_counts import explanation

        typer.echo("\n".join(explanation(found[0])))
    else:
        _list_rules(found)


def _list_rules(found: list[ContractRule]) -> None:
    from rich.table import Column, Table

    from nnvet.conformance.rule_counts import rule_counts

    counts = rule_counts()
    columns = (Column(name, justify="right") for name in ("checks", "zoo", "specs"))
    # Users copy ids, so they must not be wrapped.
    ids = Column("rule", min_width=max(len(rule.id) for rule in found), no_wrap=True)
    table = Table(ids, "phase", *columns, "sentence", box=None)
    for rule in found:
        table.add_row(rule.id, rule.phase, *map(str, counts[rule.id]), rule.sentence)
    console = table_console(highlight=False)
    console.print(table)


def drivers() -> None:
    """List the kinds of driver selectors."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Column, Table

    from nnvet.adapters.selector import known_kinds

    # Users copy the syntax, so it is folded and not cut off; brackets in it must not be taken for markup.
    columns = (Column(title, overflow="fold") for title in ("kind", "write", "to reach"))
    table = Table(*columns, box=None)
    for kind in known_kinds().values():
        table.add_row(*map(escape, (kind.name, kind.syntax, kind.summary)))
    Console().print(table)


def _facts_of(bug: Bug) -> Iterator[str]:
    """Yield sentences that say what finds a wrong driver, and what it breaks; :class:`Bug` explains the fields."""
    if bug.harness:
        yield f"passes the suite, found by nnvet fuzz {bug.harness}"
    if bug.stress:
        test, end = bug.stress
        yield f"needs load: nnvet stress --only '{test}' ends in {end}"
    if bug.models:
        yield f"passes the suite, found by nnvet bench --only '{bug.models}'"
    if bug.example:
        cases, rule = bug.example
        yield f"fails {cases} by {rule}, and more"
    if bug.ends:
        yield f"cases of 1, 2, 3 and 4 elements end in {', '.join(bug.ends)}"
    if bug.signs:
        yield f"fails some of {'  '.join(bug.signs.cases)}"
        yield f"depends on {' and '.join(bug.signs.common) or 'nothing'}"
    if bug.breaks_cases:
        yield f"breaks {'  '.join(bug.breaks)}"
        if bug.strict:
            yield "keeps the contract: fails with --strict alone"
        yield f"against {'  '.join(bug.rules) or 'no rule'}"


def zoo(
    glob: Annotated[
        str,
        typer.Argument(help="Only bugs whose name matches.", autocompletion=completing.bugs),
    ] = "*",
) -> None:
    """List the deliberately wrong drivers, zoo:NAME.

    With GLOB also the cases that each must fail.
    """
    from rich.console import Console
    from rich.markup import escape

    from nnvet.reference_driver.zoo.registry import bugs

    console = Console(soft_wrap=True, highlight=False)
    with user_errors():
        found = [bugs()[name] for name in matching("bug", glob, bugs())]
    for bug in found:
        console.print(f"[bold]zoo:{bug.name}[/bold]  {escape(bug.summary)}")
        if glob == "*":
            continue
        for line in _facts_of(bug):
            console.print(f"    {escape(line)}", style="dim")
    if glob == "*":
        console.print(f"{len(found)} wrong drivers; nnvet zoo NAME says what finds one", style="dim")


def report(
    logs: Annotated[list[Path], typer.Argument(help="run.jsonl of a run, or its folder; or those of its shards.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the reports; default: beside the log, of shards: out.")
    ] = None,
    tables: Annotated[
        Path | None,
        typer.Option("--tables", help="Also write operations, cases and performance as CSV and JSON into this folder."),
    ] = None,
    issue: Annotated[
        str, typer.Option("--issue", metavar="FINGERPRINT", help="Only print this fault as the text of an issue.")
    ] = "",
    badge: Annotated[
        Path | None, typer.Option("--badge", help="Write the verdict as a badge into this SVG file.")
    ] = None,
    profile: WantedProfiles = None,
    history: HistoryFolder = None,
) -> None:
    """Render the reports of a log again, or join those of shards.

    With --profile the exit code is 1 unless the run is conformant to that profile.
    """
    if issue:
        _print_issue(logs, issue)
        return
    from nnvet.conformance.profiles.evaluation import profile_results
    from nnvet.conformance.profiles.statement import write_statement
    from nnvet.reports.console import print_summary
    from nnvet.reports.github import announce
    from nnvet.reports.log import read_run
    from nnvet.reports.merging import merge
    from nnvet.reports.outcome import EXIT_NOT_CONFORMANT, unmet_profiles
    from nnvet.reports.render import render
    from nnvet.reports.tables import write_tables

    with user_errors():
        read = [read_run(log) for log in logs]
        if len(read) > 1:
            folder = out or Path("out")
            if any(log.path.resolve() == (folder / "run.jsonl").resolve() for log in read):
                raise CommandError(f"{folder}/run.jsonl is the log of a shard; choose another --out")
            whole = merge(read, folder / "run.jsonl", profile_results)
            more: tuple[Path, ...] = (write_statement(whole, folder),)
        else:
            whole, folder, more = read[0], out or read[0].path.parent, ()
        paths = render(whole, folder)
        more += write_tables(whole, tables) if tables else ()
        more += _badge(whole, badge) if badge else ()
        print_summary(whole, [paths.html, paths.junit, paths.markdown, *more])
        if len(read) > 1:
            # Shards that are joined are a new result. For a single log the run itself has announced it before.
            announce(whole, os.environ, typer.echo)
        add_runs(history, [whole], folder)
        unmet = unmet_profiles(whole.finished.profiles if whole.finished else (), profile or ())
        for reason in unmet.values():
            typer.echo(f"nnvet: {reason}", err=True)
        if unmet:
            raise typer.Exit(EXIT_NOT_CONFORMANT)


def _print_issue(logs: list[Path], fingerprint: str) -> None:
    from nnvet.reports.github import issue_text
    from nnvet.reports.log import read_run

    with user_errors():
        if len(logs) > 1:
            raise CommandError(
                "an issue is about one run: render the whole run of the shards first, then name its folder"
            )
        typer.echo(issue_text(read_run(logs[0]), fingerprint), nl=False)


def _badge(log: Log, path: Path) -> tuple[Path]:
    from nnvet.reports.files import replace_file
    from nnvet.reports.github import render_badge

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, render_badge(log))
    except OSError as error:
        raise CommandError(f"{path}: cannot be written ({error.strerror or error})") from error
    return (path,)


def scoreboard(
    runs: Annotated[list[Path], typer.Argument(help="run.jsonl of each run, or its folder.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the page and the reports it leads to.")] = Path(
        "scoreboard"
    ),
) -> None:
    """Show several runs side by side.

    The folder can be published; it has verdicts, operations and latency by driver.
    """
    from nnvet.reports.log import read_run
    from nnvet.reports.render import write_scoreboard

    with user_errors():
        logs = [read_run(run) for run in runs]
        typer.echo(f"scoreboard: {write_scoreboard(logs, out)}")


def matching(kind: str, glob: str, known: Iterable[str]) -> list[str]:
    """Return the names that match a glob.

    :raises CommandError: none matches.
    """
    from fnmatch import fnmatchcase

    from nnvet.diagnostics.nearest_names import nearest_names

    found = [name for name in known if fnmatchcase(name, glob)]
    if not found:
        near = nearest_names(glob, known)
        advice = f"the nearest are {', '.join(near)}" if near else "without a name all of them are listed"
        raise CommandError(f"no {kind} matches {glob!r}; {advice}")
    return found
