"""Forms of a run for GitHub and similar sites: annotations, job summaries, texts of issues, and badges.

:func:`announce` prints annotations and appends the summary when a run ends in GitHub Actions. :func:`issue_text` is for
a vendor who has neither the log nor, perhaps, nnvet (``nnvet report --issue``). :func:`render_badge` shows the verdict
as a small picture for a README (``nnvet report --badge``). The syntax of annotations is that of workflow commands:
https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from nnvet.reports.contrast import contrasts
from nnvet.reports.events import SOURCE, DriverFacts, Machine
from nnvet.reports.evidence import evidence_lines, replay_of, stated_in, without_stacks
from nnvet.reports.fingerprint import Fold, fold
from nnvet.reports.log import Log, LogError
from nnvet.reports.markdown import render_markdown
from nnvet.reports.outcome import EXIT_CODES, EXIT_CONFORMANT, RunOutcome, failed_cases, judge
from nnvet.reports.values import one_line

ANNOTATIONS: Final = 10
"""Most errors of a step that GitHub shows."""
SUMMARY_BYTES: Final = 1 << 20
"""Largest summary of a step that GitHub accepts."""

_HERE: Final = "GITHUB_ACTIONS"
"""Environment variable that is set in GitHub Actions."""
_TOKEN_BYTES: Final = 16
"""Size of the token that nobody can guess."""
_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""Environment variable with the path of the job's summary."""
_IN_MESSAGES: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
"""Escapes of the message of an annotation, by the rules of workflow commands."""
_IN_PROPERTIES: Final = _IN_MESSAGES | str.maketrans({":": "%3A", ",": "%2C"})
"""Escapes of the title of an annotation."""
_CUT: Final = "\n\nThe rest is in the report.\n"
"""End of a summary that is too long for GitHub."""


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


_CASES: Final = 10
"""Most cases that an issue names; the others are counted."""
_LINES: Final = 60
"""Most lines of evidence in an issue; a driver's output may have thousands."""
_SAID_ALREADY: Final = ("replay", "timings", "vector", "sentence")
"""Fields of the evidence that the text of an issue has elsewhere."""


def issue_text(log: Log, fingerprint: str) -> str:
    """Return the issue in Markdown, with its title as the first heading.

    :raises LogError: the run has no fault with this fingerprint, or several that begin so.
    """
    faults = fold(failed_cases(log))
    found = [fault for fault in faults if fingerprint and fault.fingerprint.startswith(fingerprint)]
    if len(found) != 1:
        known = ", ".join(fault.fingerprint for fault in faults[:_CASES])
        have = f"the commonest are {known}" if known else "it has none at all"
        number = "several faults" if found else "no fault"
        raise LogError(f"{number} of the run with fingerprint {fingerprint!r}; {have}")
    return "\n\n".join(_parts(log, found[0])) + "\n"


def _parts(log: Log, fault: Fold) -> Iterator[str]:
    example, run = fault.example, log.started
    subject = ", ".join(dict.fromkeys(example.operations)) or example.case
    yield f"# {example.verdict} {plain(subject)}: {plain(example.rule or 'no rule')}"
    yield f"{fault.count:,} {'case fails' if fault.count == 1 else 'cases fail'} in this way. The first is:"
    yield fence([one_line(example.case), one_line(example.reason)])
    if sentence := example.evidence.get("sentence"):
        places = ", ".join(stated_in(example))
        yield f"The contract says: {plain(str(sentence))}" + (f" ({plain(places)})" if places else "")
    for contrast in contrasts(log):
        if contrast.operation in example.operations:
            yield f"In common: {plain(str(contrast))}."
    yield "To run the first case again:\n\n" + fence([one_line(replay_of(run, example))])
    if source := example.labels.get(SOURCE):
        yield f"Its spec: {one_line(str(source))}"
    evidence = {key: value for key, value in without_stacks(example.evidence).items() if key not in _SAID_ALREADY}
    if lines := evidence_lines(evidence)[:_LINES]:
        yield "Evidence:\n\n" + fence(lines)
    more = [f"and {fault.count - _CASES:,} more"] if fault.count > _CASES else []
    yield "Cases:\n\n" + fence([one_line(result.case) for result in fault.results[:_CASES]] + more)
    yield _environment(log, fault)


def _environment(log: Log, fault: Fold) -> str:
    run = log.started
    facts = surroundings(run.driver, run.machine)
    return fence([*facts, f"nnvet {run.suite_version}, run of {run.time}", f"fingerprint {fault.fingerprint}"])


def surroundings(driver: DriverFacts, machine: Machine) -> list[str]:
    """Return lines that describe a driver and the machine that it ran on."""
    level = "" if driver.feature_level is None else f", feature level {driver.feature_level}"
    return [
        f"driver {one_line(driver.selector)} {one_line(driver.name)} {one_line(driver.version)}".rstrip() + level,
        f"{one_line(machine.cpu or 'unknown processor')}, {one_line(machine.kernel or 'unknown kernel')}",
    ]


def plain(text: str) -> str:
    """Return a text on one line, in which nothing is a link, code or HTML; names keep their underscores."""
    return re.sub(r"([\\`*\[\]<>~])", r"\\\1", one_line(text))


def fence(lines: list[str]) -> str:
    """Return lines as a block of code, whose fence is longer than any in the lines, so that no text can end it."""
    text = "\n".join(lines)
    marks = "```"
    while marks in text:
        marks += "`"
    return f"{marks}\n{text}\n{marks}"


_BADGE_LABEL: Final = "nnvet"
"""Left part of a badge."""
_CHARACTER: Final = 6.6
"""The average width of a character in pixels; the SVG stretches texts to the computed width."""
_PADDING: Final = 12
"""Pixels beside a text, both sides together."""
_LONGEST: Final = 60
"""Most characters of a verdict on a badge."""
_COLOURS: Final = {
    RunOutcome.CONFORMANT: "#2a7a2a",
    RunOutcome.NO_FAULT: "#2a7a2a",
    RunOutcome.NOT_CONFORMANT: "#b3261e",
    RunOutcome.INCOMPLETE: "#8a5a00",
    RunOutcome.MEASURED: "#4a5568",
}
"""Background colours by outcome, dark enough for white letters (WCAG demands a contrast of 4.5)."""


def render_badge(log: Log) -> str:
    """Return the badge of a run as SVG."""
    judgement = judge(log)
    text = one_line(judgement.brief)
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    left, right = (_CHARACTER * len(part) + _PADDING for part in (_BADGE_LABEL, text))
    title = escape(f"{_BADGE_LABEL}: {text}")
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{left + right:.0f}" height="20" role="img">
<title>{title}</title>
<rect width="{left:.0f}" height="20" fill="#33383d"/>
<rect x="{left:.0f}" width="{right:.0f}" height="20" fill="{_COLOURS[judgement.outcome]}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
{_svg_text(_BADGE_LABEL, 0, left)}
{_svg_text(text, left, right)}
</g>
</svg>
"""


def _svg_text(text: str, x: float, width: float) -> str:
    """Return the SVG of a text in the middle of its half, stretched to the computed width, so that any font fits."""
    length = width - _PADDING
    return f'<text x="{x + _PADDING / 2:.1f}" y="14" textLength="{length:.1f}">{escape(text)}</text>'
