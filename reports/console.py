"""The end of a run on the console; works without a terminal too."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from nnvet.reports.events import CaseFinished, Verdict
from nnvet.reports.log import Log
from nnvet.reports.outcome import Outcome, failed_cases, judge

FAILURES_SHOWN: Final = 5

STYLES: Final = {
    Verdict.PASS: "green",
    Verdict.FAIL: "bold red",
    Verdict.HANG: "bold yellow",
    Verdict.CRASH: "bold magenta",
    Verdict.ERROR: "bold yellow",
    Verdict.NOT_RUN: "yellow",
    Verdict.UNSUPPORTED: "dim",
    Verdict.WAIVED: "cyan",
}
OUTCOME_STYLES: Final = {
    Outcome.CONFORMANT: "bold green",
    Outcome.NOT_CONFORMANT: "bold red",
    Outcome.INCOMPLETE: "bold yellow",
    Outcome.MEASURED: "bold",
}


def print_summary(log: Log, reports: Iterable[Path] = (), console: Console | None = None) -> None:
    """Print counts by verdict, the first failures, the outcome and where the ``reports`` lie."""
    console = console or Console()
    counts = Table(box=None, show_header=False, pad_edge=False)
    counts.add_column(justify="right")
    for verdict, count in log.counts.items():
        if count:
            counts.add_row(f"{count:,}", Text(verdict, STYLES[verdict]))
    console.print(counts)
    _print_failures(log, console)
    judgement = judge(log)
    name = log.started.driver.name or log.started.driver.selector
    console.print(Text.assemble(name, ": ", (judgement.outcome, OUTCOME_STYLES[judgement.outcome])), soft_wrap=True)
    for cause in judgement.causes:
        console.print(Text(f"  {cause}"), soft_wrap=True)
    for path in reports:
        console.print(Text(f"  report: {path}"), soft_wrap=True)


def _print_failures(log: Log, console: Console) -> None:
    failed = failed_cases(log)
    for result in failed[:FAILURES_SHOWN]:
        console.print(_line(result), soft_wrap=True)
    if len(failed) > FAILURES_SHOWN:
        console.print(Text(f"  and {len(failed) - FAILURES_SHOWN:,} more", "dim"))


def _line(result: CaseFinished) -> Text:
    """One line: what a driver prints may hold line ends and control codes."""
    because = ": ".join(part for part in (result.rule, result.reason) if part)
    text = "".join(char if char.isprintable() else " " for char in because)
    return Text.assemble((f"  {result.verdict} ", STYLES[result.verdict]), result.case, "  ", (text, "dim"))
