"""The sentence at the top of a report that says what the command found out, for readers who read nothing else.

:func:`answer_of` returns it to :mod:`nnvet.reports.html.page`. Only ``random``, ``stress``, ``fuzz`` and ``bench``
have one; for other commands the outcome of the run, by :mod:`nnvet.reports.outcome`, says it all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from nnvet.reports.events import OUR_BACKEND, Command, Verdict
from nnvet.reports.evidence import STRESS_LABEL
from nnvet.reports.fingerprint import fold
from nnvet.reports.html.marks import DASH, duration
from nnvet.reports.html.overview import Overview, Standing, build_overview
from nnvet.reports.log import Log
from nnvet.reports.outcome import failed_cases

_NAMED: Final = 3
"""Most failed stress tests, or measured drivers, that an answer names, so that it stays one short paragraph."""


def answer_of(log: Log) -> str:
    """Return what the command of the log found out, in a sentence; empty for commands without such an answer."""
    answer = _ANSWERS.get(log.started.command)
    return answer(log) if answer else ""


def _answer_random(log: Log) -> str:
    """Say how many of the random models the driver computes right."""
    tried = len(log.results) - log.counts[Verdict.UNSUPPORTED]
    failed = len(failed_cases(log))
    refused = f"; {log.counts[Verdict.UNSUPPORTED]:,} more it does not support" if tried < len(log.results) else ""
    if not tried:
        return ""
    if not failed:
        return f"The driver computes {log.counts[Verdict.PASS]:,} of {tried:,} random models right{refused}."
    return f"The driver fails on {failed:,} of {tried:,} random models, by {_count_faults(log)}{refused}."


def _answer_stress(log: Log) -> str:
    """Say how many stress tests the driver survives, and how the others end."""
    tests = [result for result in log.results.values() if STRESS_LABEL in result.labels]
    if not tests:
        return ""
    fallen = [result for result in tests if result.verdict is not Verdict.PASS]
    survived = f"The driver survives {len(tests) - len(fallen)} of {_count_in_words(len(tests), 'stress test')}"
    names = [
        f"{result.labels.get('check', result.case)} ends in {result.labels[STRESS_LABEL]}" for result in fallen[:_NAMED]
    ]
    more = f" and {len(fallen) - _NAMED} more do" if len(fallen) > _NAMED else ""
    return f"{survived}{': ' if names else ''}{', '.join(names)}{more}."


def _answer_fuzz(log: Log) -> str:
    """Say how many inputs ran in how much time, and how many faults they found."""
    inputs, seconds = (sum(getattr(event, name) for event in log.fuzzing) for name in ("executions", "seconds"))
    found = _count_faults(log) if failed_cases(log) else "no fault"
    return f"{_count_in_words(inputs, 'input')} in {duration(seconds)} of fuzzing found {found}." if log.fuzzing else ""


def _answer_bench(log: Log) -> str:
    """Say how fast and accurate each driver is relative to the baseline."""
    overview = build_overview(log.measurements)
    if overview is None:
        return ""
    own = [standing for standing in overview.standings if not standing.backend.is_baseline]
    return " ".join(_describe_standing(standing, overview) for standing in own[:_NAMED])


def _describe_standing(standing: Standing, overview: Overview) -> str:
    """Say of one driver how many models it runs, at which speed, and on how many its accuracy is kept."""
    name = standing.backend.name.removeprefix(OUR_BACKEND)
    text = f"{name} runs {standing.ran} of {_count_in_words(standing.models, 'model')}"
    if standing.speed != DASH:
        text += f" at {standing.speed} the speed of {overview.baseline or 'the baseline'}"
    states = (("kept", standing.kept), ("worse", standing.worse), ("not decided", standing.undecided))
    accuracy = ", ".join(f"{word} on {count}" for word, count in states if count)
    return f"{text}; its accuracy is {accuracy}." if accuracy else f"{text}."


def _count_faults(log: Log) -> str:
    return _count_in_words(len(fold(failed_cases(log))), "fault")


def _count_in_words(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


_ANSWERS: Final[Mapping[Command, Callable[[Log], str]]] = {
    Command.RANDOM: _answer_random,
    Command.STRESS: _answer_stress,
    Command.FUZZ: _answer_fuzz,
    Command.BENCHMARK: _answer_bench,
}
"""Function that makes the answer, by command."""
