"""Common attributes of failing cases, which tell them from passing cases of the same operation.

Cases of specs carry the attributes of their operation (``attributes`` among their labels). For each operation the
shortest condition is looked for that all its failing cases meet and hardly a passing one: an attribute, or two.
Some passing cases may: what is wrong in them may be cut off by an activation, or there may be no elements at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from nnvet.reports.events import ATTRIBUTES, CaseFinished, Verdict
from nnvet.reports.log import Log
from nnvet.reports.outcome import failed_cases

_FEWEST: Final = 3
"""Failing cases, and passing ones, from which on a contrast is no accident."""
_MOST_PARTS: Final = 2
_FAILING_FOR_ONE: Final = 4
"""Failing cases that a passing one takes which meets the condition, too."""
_ELEMENTS: Final = {"FLOAT": "floats", "QUANT": "codes"}
"""Kinds of elements that several types share, by a part of their names."""
_PASSING_FOR_ONE: Final = 10
"""Passing cases without the condition that one with it takes."""
_ALTERNATIVES: Final = 3
"""Conditions that are named where several do: which of them it is, no case has shown."""

Facts = Mapping[str, str]
Condition = tuple[tuple[str, str], ...]
"""Attributes with their values, all of which a case has."""


class Contrast(NamedTuple):
    """Common attributes of the failing cases of an operation; ``conditions`` are alternatives.

    ``exceptions`` of the passing cases meet the condition, too.
    """

    operation: str
    failing: int
    passing: int
    exceptions: int
    conditions: tuple[Condition, ...]

    def __str__(self) -> str:
        """``CONV_2D: all 144 failures have padding SAME and stride_width 2; of 212 cases that pass none has it``."""
        common = ", or ".join(map(_words, self.conditions))
        others = (
            f"of {self.passing:,} cases that pass {f'{self.exceptions:,} have' if self.exceptions else 'none has'} it"
        )
        return f"{self.operation}: all {self.failing:,} failures have {common}; {others}"


def contrasts(log: Log) -> list[Contrast]:
    """The contrasts of a run, of the operation with the most failures first."""
    failing = _by_operation(failed_cases(log))
    passing = _by_operation(result for result in log.results.values() if result.verdict is Verdict.PASS)
    found = (_contrast(operation, facts, passing.get(operation, [])) for operation, facts in failing.items())
    return sorted(filter(None, found), key=lambda contrast: (-contrast.failing, contrast.operation))


def _by_operation(results: Iterable[CaseFinished]) -> dict[str, list[Facts]]:
    found: dict[str, list[Facts]] = {}
    for result in results:
        attributes = result.labels.get(ATTRIBUTES)
        if isinstance(attributes, Mapping) and len(result.operations) == 1:
            found.setdefault(result.operations[0], []).append(dict(_facts(result, attributes)))
    return found


def _facts(result: CaseFinished, attributes: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for kind in result.operand_types[:1]:
        yield "type", kind
        yield from (("elements", name) for part, name in _ELEMENTS.items() if part in kind)
    yield "executor", str(result.labels.get("check", ""))
    yield from ((name, str(value)) for name, value in attributes.items())


def _contrast(operation: str, failing: Sequence[Facts], passing: Sequence[Facts]) -> Contrast | None:
    if min(len(failing), len(passing)) < _FEWEST:
        return None
    common = [pair for pair in failing[0].items() if all(facts.get(pair[0]) == pair[1] for facts in failing)]
    # Many cases, such as those of one model by several executors, have the same facts.
    others = Counter(tuple(sorted(facts.items())) for facts in passing)
    met = {pair: {facts for facts in others if pair in facts} for pair in common}
    most = len(failing) // _FAILING_FOR_ONE
    for parts in range(1, _MOST_PARTS + 1):
        exceptions = {
            condition: sum(others[facts] for facts in set.intersection(*(met[pair] for pair in condition)))
            for condition in combinations(common, parts)
        }
        fewest = min(exceptions.values(), default=most + 1)
        if fewest <= most and fewest <= len(passing) // _PASSING_FOR_ONE:
            best = [condition for condition, count in exceptions.items() if count == fewest]
            return Contrast(operation, len(failing), len(passing), fewest, tuple(best[:_ALTERNATIVES]))
    return None


def _words(condition: Condition) -> str:
    return " and ".join(f"{name} {value}" for name, value in condition)
