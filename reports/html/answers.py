"""Sentence on top of a report that answers the question of the command, for readers who read nothing else.

:func:`answer_of` makes it for ``page.py``; :mod:`nnvet.reports.outcome` has the verdict that stands beside it.
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
"""Most failed tests, and most drivers, that a sentence names."""


def answer_of(log: Log) -> str:
    """Return the answer to the question of the log's command; empty where the outcome itself is the answer."""
    answer = _ANSWERS.get(log.started.command)
    return answer(log) if answer else ""


def _random(log: Log) -> str:
    """Return the answer of random models: unforeseen models are computed correctly, or not."""
    tried = len(log.results) - log.counts[Verdict.UNSUPPORTED]
    failed = len(failed_cases(log))
    refused = f"; {log.counts[Verdict.UNSUPPORTED]:,} more it does not support" if tried < len(log.results) else ""
    if not tried:
        return ""
    if not failed:
        return f"The driver computes {log.counts[Verdict.PASS]:,} of {tried:,} random models right{refused}."
    return f"The driver fails on {failed:,} of {tried:,} random models, by {_faults(log)}{refused}."


def _stress(log: Log) -> str:
    """Return the answer of stress tests: the driver survives them, or not."""
    tests = [result for result in log.results.values() if STRESS_LABEL in result.labels]
    if not tests:
        return ""
    fallen = [result for result in tests if result.verdict is not Verdict.PASS]
    survived = f"The driver survives {len(tests) - len(fallen)} of {_number(len(tests), 'stress test')}"
    names = [
        f"{result.labels.get('check', result.case)} ends in {result.labels[STRESS_LABEL]}" for result in fallen[:_NAMED]
    ]
    more = f" and {len(fallen) - _NAMED} more do" if len(fallen) > _NAMED else ""
    return f"{survived}{': ' if names else ''}{', '.join(names)}{more}."


def _fuzz(log: Log) -> str:
    """Return the answer of fuzzing: inputs that break the driver were found, or not."""
    inputs, seconds = (sum(getattr(event, name) for event in log.fuzzing) for name in ("executions", "seconds"))
    found = _faults(log) if failed_cases(log) else "no fault"
    return f"{_number(inputs, 'input')} in {duration(seconds)} of fuzzing found {found}." if log.fuzzing else ""


def _bench(log: Log) -> str:
    """Return the answer of a benchmark: the driver's speed and accuracy relative to the baseline."""
    overview = build_overview(log.measurements)
    if overview is None:
        return ""
    own = [standing for standing in overview.standings if not standing.backend.is_baseline]
    return " ".join(_bench_sentence(standing, overview) for standing in own[:_NAMED])


def _bench_sentence(standing: Standing, overview: Overview) -> str:
    name = standing.backend.name.removeprefix(OUR_BACKEND)
    text = f"{name} runs {standing.ran} of {_number(standing.models, 'model')}"
    if standing.speed != DASH:
        text += f" at {standing.speed} the speed of {overview.baseline or 'the baseline'}"
    states = (("kept", standing.kept), ("worse", standing.worse), ("not decided", standing.undecided))
    accuracy = ", ".join(f"{word} on {count}" for word, count in states if count)
    return f"{text}; its accuracy is {accuracy}." if accuracy else f"{text}."


def _faults(log: Log) -> str:
    return _number(len(fold(failed_cases(log))), "fault")


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


_ANSWERS: Final[Mapping[Command, Callable[[Log], str]]] = {
    Command.RANDOM: _random,
    Command.STRESS: _stress,
    Command.FUZZ: _fuzz,
    Command.BENCHMARK: _bench,
}
