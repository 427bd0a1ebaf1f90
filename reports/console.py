"""Text on the console: the summary at the end of a run, and the changes since another run.

:func:`print_summary` is called by the commands that test a driver, :func:`print_changes` by ``nnvet diff`` and
``nnvet upgrade``. On a terminal, sentences are wrapped between words (:func:`print_words`). In a file or a pipe lines
are not wrapped, so that they can be searched. ``markdown.py`` makes the summary for GitHub, ``junit.py`` that for CI.
"""

import textwrap
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from nnvet.reports import evidence
from nnvet.reports.accuracy import positions_line, quality_line
from nnvet.reports.addresses import WHAT_NOW, site_address
from nnvet.reports.bench_lines import rule_lines, scenario_lines
from nnvet.reports.contrast import contrasts
from nnvet.reports.diff import SHOWN as DRIFT_SHOWN
from nnvet.reports.diff import differences, drift_between, group_changes, summarise_changes
from nnvet.reports.events import Verdict
from nnvet.reports.figures import HEADS, NUMBERS, bench_table, load_warning
from nnvet.reports.fingerprint import Fold, fold
from nnvet.reports.log import Log
from nnvet.reports.outcome import RunOutcome, extent_of, failed_cases, judge
from nnvet.reports.values import last_traceback, one_line

FAILURES_SHOWN: Final = 5
"""Most faults that a summary lists: they fit on a screen, and the report has all."""

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
"""Style of each verdict, in rich's syntax."""
_CELL_STYLES: Final = {"✓": "green", "✕": "bold red", "?": "yellow"}
"""Style of a cell of the table of models, by the sign with which the cell begins."""
OUTCOME_STYLES: Final = {
    RunOutcome.CONFORMANT: "bold green",
    RunOutcome.NO_FAULT: "green",
    RunOutcome.NOT_CONFORMANT: "bold red",
    RunOutcome.INCOMPLETE: "bold yellow",
    RunOutcome.MEASURED: "bold",
}
"""Style of each outcome of a run."""


def print_summary(log: Log, reports: Iterable[Path] = (), console: Console | None = None) -> None:
    """Print counts, the most frequent faults, measurements, the outcome with its extent, and the ``reports``."""
    console = console or Console()
    counts = Table(box=None, show_header=False, pad_edge=False)
    counts.add_column(justify="right")
    for verdict, count in log.counts.items():
        if count:
            counts.add_row(f"{count:,}", Text(verdict, STYLES[verdict]))
    console.print(counts)
    _print_failures(log, console)
    _print_models(log, console)
    judgement = judge(log)
    name = log.started.driver.name or log.started.driver.selector
    print_words(console, Text.assemble(name, ": ", (judgement.headline, OUTCOME_STYLES[judgement.outcome])))
    for line in (*judgement.causes, *extent_of(log).sentences, quality_line(log), positions_line(log)):
        if line:
            print_words(console, Text(f"  {one_line(line)}"))
    for path in reports:
        console.print(Text(f"  report: {path}"), soft_wrap=True)
    if failed_cases(log):
        console.print(Text(f"  what now: {site_address(WHAT_NOW) or WHAT_NOW}"), soft_wrap=True)


def print_changes(before: Log, after: Log, console: Console | None = None) -> None:
    """Print the changes between two runs: counts by verdict, numbers of worse and better cases, and groups of cases."""
    console = console or Console()
    counts = Table(
        "", Column("before", justify="right"), Column("after", justify="right"), "", box=None, pad_edge=False
    )
    for verdict in Verdict:
        old, new = before.counts[verdict], after.counts[verdict]
        if old or new:
            counts.add_row(
                Text(verdict, STYLES[verdict]), f"{old:,}", f"{new:,}", f"{new - old:+,}" if new != old else ""
            )
    console.print(counts)
    groups = group_changes(before, after)
    print_words(console, Text(summarise_changes(groups)))
    for difference in differences((before, after)):
        print_words(console, Text(f"not alike: {one_line(difference)}", "dim"))
    for group in groups:
        change = f"{group.before or 'absent'} -> {group.after or 'absent'}"
        noun = "case" if len(group.cases) == 1 else "cases"
        console.print(Text(f"{group.trend}: {change}, {len(group.cases):,} {noun}"), soft_wrap=True)
        for case in group.shown:
            console.print(Text(f"  {case}"), soft_wrap=True)
        if group.rest:
            console.print(Text(f"  and {group.rest:,} more", "dim"))
    for text, cases in drift_between(before, after).lines:
        print_words(console, Text(text))
        for case in cases[:DRIFT_SHOWN]:
            console.print(Text(f"  {case}"), soft_wrap=True)
        if len(cases) > DRIFT_SHOWN:
            console.print(Text(f"  and {len(cases) - DRIFT_SHOWN:,} more", "dim"))


def _print_failures(log: Log, console: Console) -> None:
    faults = _sort_plainest_first(fold(failed_cases(log)))
    for fault in faults[:FAILURES_SHOWN]:
        print_words(console, _describe_fault(fault))
        for line in last_traceback(str(fault.example.evidence.get("stderr_tail", ""))):
            console.print(Text(f"    {one_line(line)}", "dim"), soft_wrap=True)
        if places := evidence.hung_in(fault.example):
            console.print(Text(f"    it was in {one_line(places)}", "dim"), soft_wrap=True)
        for line in (evidence.native_stacks_of(fault.example).splitlines() or evidence.frames_of(fault.example))[
            : evidence.STACK_LINES
        ]:
            console.print(Text(f"    {one_line(line)}", "dim"), soft_wrap=True)
        if advice := fault.example.evidence.get("advice"):
            print_words(console, Text(f"    what to do: {one_line(str(advice))}"))
        if core := evidence.core_of(fault.example):
            console.print(Text(f"    core: {one_line(core)}", "dim"), soft_wrap=True)
        for more in (
            *map(_explain_place, evidence.stated_in(fault.example)),
            evidence.replay_of(log.started, fault.example),
        ):
            console.print(Text(f"    {one_line(more)}", "dim"), soft_wrap=True)
    if len(faults) > FAILURES_SHOWN:
        rest = sum(fault.count for fault in faults[FAILURES_SHOWN:])
        kinds = len(faults) - FAILURES_SHOWN
        console.print(Text(f"  and {rest:,} more of {kinds:,} other {'kind' if kinds == 1 else 'kinds'}", "dim"))
    for contrast in contrasts(log)[:FAILURES_SHOWN]:
        print_words(console, Text(f"  {contrast}"))


def _print_models(log: Log, console: Console) -> None:
    """Print the measurements; those of several drivers on a model stand below its name."""
    if not log.measurements:
        return
    heads, rows = bench_table(log.measurements)
    if heads == HEADS:
        heads, rows = (HEADS[0], *HEADS[2:]), [line for row in rows for line in _split_row(row, rows)]
    columns = (
        Column(name, justify="right" if name in NUMBERS else "left", no_wrap=name in NUMBERS, overflow="fold")
        for name in heads
    )
    table = Table(*columns, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(Text(cell, _CELL_STYLES.get(cell[:1], "")) for cell in row))
    console.print(table)
    for line in scenario_lines(log.measurements):
        print_words(console, Text(f"  {one_line(line)}"))
    warning = load_warning(log.measurements)
    for line in (*((warning,) if warning else ()), *rule_lines(log.measurements)):
        print_words(console, Text(f"  {one_line(line)}", "yellow"))


def _split_row(row: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return a driver's line, preceded by a line with the model and its baseline for the first driver on a model."""
    model, driver, median, baseline, speed, accuracy = row
    own = (f"  {driver}", median, "", speed, accuracy)
    is_first = next(row for row in rows if row[0] == model) is row
    return [(model, "", baseline, "", ""), own] if is_first else [own]


def _sort_plainest_first(faults: list[Fold]) -> list[Fold]:
    """Return the faults, the most frequent first, but before all others one that names a line or an operation.

    Such a fault leads to the cause at once, while the most frequent one may be a follow-up of several.
    """
    plain = next((fault for fault in faults if evidence.names_cause(fault.example)), None)
    return faults if plain is None else [plain, *(fault for fault in faults if fault is not plain)]


def _explain_place(place: str) -> str:
    """Return a place in the specification; for a rule also the command that explains the rule in the terminal."""
    rule = place.partition("#")[2]
    shown = site_address(place) or place
    return f"nnvet rules {rule}  {shown}" if rule else shown


def _describe_fault(fault: Fold) -> Text:
    """Return a line with the number of cases, an example, and the reason."""
    result = fault.example
    maker = evidence.maker_of(result)
    often = f"{fault.count:,} x " if fault.count > 1 else ""
    because = ": ".join(part for part in (result.rule, result.reason) if part)
    style = STYLES[result.verdict]
    return Text.assemble(
        (f"  {often}{result.verdict} ", style),
        result.case,
        f" ({one_line(maker)})" if maker else "",
        "  ",
        (one_line(because), "dim"),
        f"  [{fault.fingerprint}]",
    )


_HANGING: Final = 2
"""Columns by which further lines of a sentence are indented."""
_NARROWEST: Final = 20
"""Least width of a wrapped line in columns, however narrow the terminal is."""
# Long words are paths and case ids; broken, they could not be searched or copied.
_WRAPPER: Final = partial(
    textwrap.TextWrapper,
    break_long_words=False,
    break_on_hyphens=False,
    expand_tabs=False,
    replace_whitespace=False,
)


def print_words(console: Console, text: Text) -> None:
    """Print a line; on a terminal it is wrapped between words and keeps its indentation.

    Text to copy, such as a command, is printed with ``soft_wrap`` instead: a terminal then copies it as one line.
    """
    if not console.is_terminal or text.cell_len <= console.width:
        console.print(text, soft_wrap=True)
        return
    indent = len(text.plain) - len(text.plain.lstrip())
    width = max(console.width - indent - _HANGING, _NARROWEST)
    begin = indent
    for line in _WRAPPER(width=width).wrap(text.plain[indent:]):
        place = text.plain.index(line, begin)
        lead = " " * (indent if begin == indent else indent + _HANGING)
        begin = place + len(line)
        console.print(Text.assemble(lead, text[place:begin]), soft_wrap=True)
