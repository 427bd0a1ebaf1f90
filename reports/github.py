"""Annotations and job summaries of runs in GitHub Actions.

The syntax is that of workflow commands: https://docs.github.com/en/actions/reference/workflow-commands-for-github-
actions.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from nnvet.reports.evidence import replay_of
from nnvet.reports.fingerprint import Fold, fold
from nnvet.reports.log import Log
from nnvet.reports.markdown import render_markdown
from nnvet.reports.outcome import EXIT_CODES, EXIT_CONFORMANT, failed_cases, judge
from nnvet.reports.values import one_line

ANNOTATIONS: Final = 10
"""Most errors of a step that GitHub shows."""
SUMMARY_BYTES: Final = 1 << 20
"""Largest summary of a step that GitHub accepts."""

_HERE: Final = "GITHUB_ACTIONS"
_TOKEN_BYTES: Final = 16
_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
_IN_MESSAGES: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTIES: Final = _IN_MESSAGES | str.maketrans({":": "%3A", ",": "%2C"})
_CUT: Final = "\n\nThe rest is in the report.\n"


class _Commands:
    """Switch for workflow commands in this process's output: they are ignored while a secret token is set."""

    def __init__(self) -> None:
        """Begin with commands switched on."""
        self.token = ""

    def stop(self, environment: Mapping[str, str], say: Callable[[str], object]) -> None:
        """Make GitHub ignore commands from now on, because output may contain texts of drivers, specs and logs."""
        if environment.get(_HERE) == "true":
            self.token = secrets.token_hex(_TOKEN_BYTES)
            say(f"::stop-commands::{self.token}")

    def resume(self, say: Callable[[str], object]) -> None:
        """Make GitHub obey commands again from now on."""
        if self.token:
            say(f"::{self.token}::")
            self.token = ""


COMMANDS: Final = _Commands()
"""The switch of this process."""


def announce(log: Log, environment: Mapping[str, str], say: Callable[[str], object]) -> None:
    """In GitHub Actions, print an annotation for each fault, and append the summary to the job's; elsewhere do nothing.

    ``environment`` holds the variables of the process, ``say`` prints a line. A summary that cannot be written is a
    warning.
    """
    if environment.get(_HERE) != "true":
        return
    was_stopped = bool(COMMANDS.token)
    COMMANDS.resume(say)
    _announce(log, environment, say)
    if was_stopped:
        COMMANDS.stop(environment, say)


def _announce(log: Log, environment: Mapping[str, str], say: Callable[[str], object]) -> None:
    for line in _annotations(log):
        say(line)
    if path := environment.get(_SUMMARY):
        try:
            _append(Path(path), render_markdown(log))
        except OSError as error:
            say(_command("warning", "nnvet: no job summary", f"{path}: {error.strerror or error}"))


def _annotations(log: Log) -> list[str]:
    """Return the most frequent faults; for a run that failed without a faulty case, the reason of its failure."""
    if faults := fold(failed_cases(log)):
        return [_of_fault(log, fault) for fault in faults[:ANNOTATIONS]]
    judgement = judge(log)
    if EXIT_CODES[judgement.outcome] == EXIT_CONFORMANT:
        return []
    name = log.started.driver.name or log.started.driver.selector
    title = one_line(f"{name}: {judgement.headline}")
    return [_command("error", title, one_line(cause)) for cause in judgement.causes[:ANNOTATIONS]]


def _of_fault(log: Log, fault: Fold) -> str:
    result = fault.example
    often = f" and {fault.count - 1:,} more" if fault.count > 1 else ""
    because = ": ".join(part for part in (result.rule, result.reason) if part)
    message = [because or "no reason is known", replay_of(log.started, result), f"fingerprint {fault.fingerprint}"]
    title = one_line(f"{result.verdict} {result.case}{often}")
    return _command("error", title, "\n".join(one_line(line) for line in message))


def _command(name: str, title: str, message: str) -> str:
    return f"::{name} title={title.translate(_IN_PROPERTIES)}::{message.translate(_IN_MESSAGES)}"


def _append(path: Path, text: str) -> None:
    """Append as much of ``text`` as the limit allows, in whole lines.

    :raises OSError: it cannot be written.
    """
    with path.open("ab") as file:
        space = SUMMARY_BYTES - file.tell()
        data = text.encode("utf-8", "backslashreplace")
        if len(data) > space:
            kept, end, _ = data[: max(space - len(_CUT), 0)].rpartition(b"\n")
            data = kept + end + _CUT.encode() if end else b""
        file.write(data)
