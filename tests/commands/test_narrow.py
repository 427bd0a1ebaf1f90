"""A terminal of 80 columns: help, progress and summaries fit, and no word is broken."""

import io
from pathlib import Path

import pytest
import typer
from rich.console import Console
from rich.text import Text
from typer.testing import CliRunner

from nnvet.commands.actions.run import RunProgress
from nnvet.commands.main import app
from nnvet.reports.console import print_summary, print_words
from nnvet.reports.events import DriverFacts, RunStarted, Verdict
from nnvet.reports.log import EventLog

WIDTH = 80
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
REASON = "output 0: 6 of 6 elements differ; " + "every wrong element is 1 too large, " * 5


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits(name: str) -> None:
    """Every word of every option's help is there, in one piece."""
    output = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": str(WIDTH)}).output
    assert all(len(line) <= WIDTH for line in output.splitlines())
    options = [option.help for option in COMMANDS[name].params if getattr(option, "help", None)]
    wanted = [word for text in options for word in text.split()]
    assert set(wanted) <= set(output.split())


def terminal(width: int = WIDTH) -> tuple[Console, io.StringIO]:
    """A console that takes itself for a terminal, and what is written to it."""
    stream = io.StringIO()
    return Console(file=stream, width=width, force_terminal=True, color_system=None), stream


def test_sentences_are_wrapped_between_words() -> None:
    """Further lines are indented; a word that is longer than a line stands whole on its own."""
    console, stream = terminal(30)
    print_words(
        console, Text("  a sentence that does not fit GeneratedTest/sync/a_name_of_forty_letters_or_so into it")
    )
    assert stream.getvalue().splitlines() == [
        "  a sentence that does not",
        "    fit",
        "    GeneratedTest/sync/a_name_of_forty_letters_or_so",
        "    into it",
    ]


def test_without_a_terminal_a_line_is_a_line() -> None:
    """Whoever searches a log finds the sentence."""
    stream = io.StringIO()
    print_words(Console(file=stream, width=30), Text(f"  {REASON}"))
    assert stream.getvalue() == f"  {REASON}\n"


def test_a_summary_fits(tmp_path: Path) -> None:
    """All but what is there to be copied, such as the command that replays a case."""
    started = RunStarted("0.1.0", DriverFacts("reference", name="driver"), "2026-11-27T07:00:00Z")
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        log.case_started("GeneratedTest/sync/sqrt")
        log.case_finished("GeneratedTest/sync/sqrt", Verdict.FAIL, rule="execution/output.value", reason=REASON)
        log.finish(1)
        console, stream = terminal()
        print_summary(log.so_far, [], console)
    lines = stream.getvalue().splitlines()
    assert [line for line in lines if len(line) > WIDTH and not line.lstrip().startswith("nnvet ")] == []
    assert " ".join(REASON.split()) in " ".join(stream.getvalue().split())


def test_progress_leaves_space_for_verdicts() -> None:
    """Counts of four verdicts in thousands stand beside the bar, not cut."""
    console, stream = terminal()
    progress = RunProgress(console, lambda: 0.0)
    with progress:
        for verdict, count in ((Verdict.PASS, 1519), (Verdict.FAIL, 212), (Verdict.CRASH, 3)):
            for number in range(count):
                progress.finished(str(number), verdict)
    assert "1519 PASS  212 FAIL  3 CRASH" in stream.getvalue().replace("1,519", "1519")
