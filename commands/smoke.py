"""``nnvet smoke``: print a first look at a driver within seconds.

:mod:`nnvet.conformance.smoke` asks the driver seven questions. This module prints the answers, with advice for each
wrong answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from nnvet.commands.options import Driver, InProcess, SandboxDevices, Sandboxed, Timeout, sandbox_of, user_errors

if TYPE_CHECKING:
    from rich.console import Console

    from nnvet.conformance.kit.outcome import Finished
    from nnvet.conformance.smoke import Asked

_SECONDS: Final = 10.0
"""Default of the option --seconds: the answers come within twice as much."""


def smoke(
    driver: Driver = "reference",
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.0, help="Begin no further model after this many seconds.")
    ] = _SECONDS,
    timeout: Timeout = 2.0,
    in_process: InProcess = False,
    sandbox: Sandboxed = False,
    sandbox_device: SandboxDevices = None,
) -> None:
    """Ask a driver seven questions within twenty seconds.

    For each wrong answer it says what to do.
    Exit code 1 if an answer is wrong. This is only a first look: go on with nnvet run.
    """
    from rich.console import Console

    from nnvet.conformance.engine.target import Target
    from nnvet.conformance.smoke import answers

    console = Console(soft_wrap=True, highlight=False, markup=False)
    wrong = 0
    target = Target(driver, in_process, timeout, sandbox=sandbox_of(sandbox_device, asked=sandbox))
    with user_errors():
        for answer in answers(target, seconds):
            _show(answer, driver, console, at_length=not wrong)
            wrong += answer.is_wrong
    if wrong:
        console.print(f"{wrong} to mend, the first one first")
    else:
        console.print(f"nothing is wrong at first sight: go on with nnvet run -d {driver}")
    raise typer.Exit(1 if wrong else 0)


def _show(answer: Asked, driver: str, console: Console, *, at_length: bool) -> None:
    """Print a question; with ``at_length`` everything that helps to mend a wrong answer, else only its failures."""
    from rich.text import Text

    from nnvet.reports.console import print_words

    counts = [f"{answer.passed} passed"] if answer.passed else []
    counts += [f"{len(answer.failed)} failed"] if answer.failed else []
    found = "; ".join(part for part in (answer.note, ", ".join(counts), answer.not_asked) if part) or "no"
    mark, style = ("WRONG", "red") if answer.is_wrong else ("-    ", "dim") if answer.not_asked else ("ok   ", "green")
    print_words(console, Text.assemble((mark, style), f"  {answer.question.title}: {found}"))
    # The same rule is broken for the same reason, as a rule.
    shown = list({failure.outcome.rule: failure for failure in reversed(answer.ranked_failures)}.values())[::-1][
        : 1 + at_length
    ]
    for failure in shown:
        _show_failure(failure, answer.about.get(failure.case, ""), console)
        if at_length:
            _show_details(failure, driver, console)
    if len(answer.failed) > len(shown):
        console.print(f"       and {len(answer.failed) - len(shown)} more", style="dim")
    if answer.common:
        print_words(console, Text(f"       in common: {answer.common}", "bold"))
    if answer.is_wrong and not answer.failed and answer.refusal:
        from nnvet.reports.values import printable

        print_words(console, Text(f"       the driver says: {printable(answer.refusal)}"))
    if answer.is_wrong:
        from nnvet.conformance.smoke import advice_for

        print_words(console, Text(f"       what to do: {advice_for(answer)}"))


def _show_failure(failure: Finished, about: str, console: Console) -> None:
    from rich.text import Text

    from nnvet.reports.console import print_words
    from nnvet.reports.values import printable

    console.print(f"       {failure.outcome.verdict} {about}{': ' if about else ''}{failure.case}", style="bold")
    print_words(console, Text(f"         {printable(failure.outcome.reason)}"))


def _show_details(failure: Finished, driver: str, console: Console) -> None:
    """Print the place of the exception or hang, the rule, and the command that runs it again."""
    from nnvet.hal.specification import section_of
    from nnvet.reports.evidence import HUNG_IN, STACK_LINES, replay_line
    from nnvet.reports.values import last_traceback, printable

    outcome = failure.outcome
    if places := outcome.evidence.get("timings", {}).get(HUNG_IN):
        console.print(f"         it was in {printable(places)}")
    stack = str(outcome.evidence.get("timings", {}).get("native_stacks", "")).splitlines()[:STACK_LINES]
    for line in (*last_traceback(str(outcome.evidence.get("stderr_tail", ""))), *stack):
        console.print(f"           {printable(line)}", style="dim")
    if outcome.rule:
        console.print(f"         rule {outcome.rule}, stated in {section_of(outcome.rule)}", style="dim")
    if not failure.recurs:
        console.print(f"         {replay_line(failure.case, driver)}", style="dim")
