"""A fault of a run as the text of an issue, for a vendor who has neither the log nor, perhaps, nnvet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from nnvet.reports.contrast import contrasts
from nnvet.reports.events import SOURCE, DriverFacts, Machine
from nnvet.reports.evidence import evidence_lines, replay_of, stated_in, without_stacks
from nnvet.reports.fingerprint import Fold, fold
from nnvet.reports.log import Log, LogError
from nnvet.reports.outcome import failed_cases
from nnvet.reports.values import one_line

_CASES: Final = 10
"""Cases that are named; the others are counted."""
_LINES: Final = 60
"""Lines of evidence; a driver's output may have thousands."""
_SAID_ALREADY: Final = ("replay", "timings", "vector", "sentence")


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
    yield fenced([one_line(example.case), one_line(example.reason)])
    if sentence := example.evidence.get("sentence"):
        places = ", ".join(stated_in(example))
        yield f"The contract says: {plain(str(sentence))}" + (f" ({plain(places)})" if places else "")
    for contrast in contrasts(log):
        if contrast.operation in example.operations:
            yield f"In common: {plain(str(contrast))}."
    yield "To run the first case again:\n\n" + fenced([one_line(replay_of(run, example))])
    if source := example.labels.get(SOURCE):
        yield f"Its spec: {one_line(str(source))}"
    evidence = {key: value for key, value in without_stacks(example.evidence).items() if key not in _SAID_ALREADY}
    if lines := evidence_lines(evidence)[:_LINES]:
        yield "Evidence:\n\n" + fenced(lines)
    more = [f"and {fault.count - _CASES:,} more"] if fault.count > _CASES else []
    yield "Cases:\n\n" + fenced([one_line(result.case) for result in fault.results[:_CASES]] + more)
    yield _environment(log, fault)


def _environment(log: Log, fault: Fold) -> str:
    run = log.started
    facts = surroundings(run.driver, run.machine)
    return fenced([*facts, f"nnvet {run.suite_version}, run of {run.time}", f"fingerprint {fault.fingerprint}"])


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


def fenced(lines: list[str]) -> str:
    """Return lines as a block of code, whatever they hold: a driver's words are no markup, and end no block."""
    text = "\n".join(lines)
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"
