"""Search for attributes that all failing cases of an operation have, and passing cases do not.

Cases of specs carry the attributes of their operation (the label ``attributes``). For each operation this module looks
for the shortest condition, of one or two attributes, that all failing cases meet and hardly any passing case. A few
passing cases may meet it as well: an activation may cut the error off, or a tensor may have no elements.

:func:`contrasts` finds the contrasts of a run for all reports; :func:`contrasts_between` compares other sets of cases,
such as the random models of ``nnvet smoke`` (``conformance/smoke_models.py``). Equal faults are found by
``fingerprint.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Final, NamedTuple

from nnvet.reports.events import ATTRIBUTES, CaseFinished, Verdict
from nnvet.reports.log import Log
from nnvet.reports.outcome import failed_cases

_FEWEST: Final = 3
"""Minimal number of failing cases, and of passing cases. With fewer cases, a contrast could be an accident."""
_MOST_PARTS: Final = 2
"""Most attributes in a condition; of three, some set fits nearly any failures."""
_FAILING_FOR_ONE: Final = 4
"""Number of failing cases that a condition needs for each passing case that also meets it."""
_CHANCE: Final = 1e-4
"""Probability of a coincidence below which a condition of random cases counts.

It is that small because dozens of conditions are tried for each operation.
"""
_ELEMENTS: Final = {"FLOAT": "floats", "QUANT": "codes"}
"""Names of groups of types, by a word that the names of the types contain."""
_PASSING_FOR_ONE: Final = 10
"""Number of passing cases that a condition needs for each passing case that meets it."""
_ALTERNATIVES: Final = 3
"""Most conditions that are named if they fit equally well, so that the cases cannot show which of them is the cause."""

_WITHOUT_VALUES: Final = "insufficient"
"""Part of the names of executors whose outputs are too small on purpose: such a case passes without any values."""

Facts = Mapping[str, str]
"""Properties of a case: type, elements, executor, and the attributes of its operation."""
Condition = tuple[tuple[str, str], ...]
"""Attributes with their values; a case meets the condition if it has all of them."""


class Contrast(NamedTuple):
    """Common attributes of the failing cases of an operation; ``conditions`` fit equally well.

    ``exceptions`` is the number of passing cases that meet the condition, too.
    """

    operation: str
    failing: int
    passing: int
    exceptions: int
    conditions: tuple[Condition, ...]

    def __str__(self) -> str:
        """``CONV_2D: all 144 failures have padding SAME and stride_width 2; of 212 cases that pass none has it``."""
        common = ", or ".join(map(_join_words, self.conditions))
        others = (
            f"of {self.passing:,} cases that pass {f'{self.exceptions:,} have' if self.exceptions else 'none has'} it"
        )
        return f"{self.operation}: all {self.failing:,} failures have {common}; {others}"


def contrasts(log: Log) -> list[Contrast]:
    """Return the contrasts of a run, that of the operation with the most failures first."""
    passing = (result for result in log.results.values() if result.verdict is Verdict.PASS)
    return contrasts_between(failed_cases(log), passing)


def contrasts_between(
    failed: Iterable[CaseFinished], passed: Iterable[CaseFinished], *, are_drawn: bool = False
) -> list[Contrast]:
    """Return the contrasts between failing and passing cases, the operation with the most failures first.

    ``are_drawn``: the cases are random, so probability decides which conditions are meaningful. Cases of specs are
    variations of a few models, for which probability says nothing.
    """
    failing = _group_by_operation(failed)
    passing = _group_by_operation(case for case in passed if failing.keys() & set(case.operations)) if failing else {}
    found = (
        _find_contrast(operation, facts, _keep_comparable(passing.get(operation, []), facts), are_drawn=are_drawn)
        for operation, facts in failing.items()
    )
    return sorted(filter(None, found), key=lambda contrast: (-contrast.failing, contrast.operation))


def _group_by_operation(results: Iterable[CaseFinished]) -> dict[str, list[Facts]]:
    found: dict[str, list[Facts]] = {}
    for result in results:
        attributes = result.labels.get(ATTRIBUTES)
        if isinstance(attributes, Mapping) and len(result.operations) == 1:
            found.setdefault(result.operations[0], []).append(dict(_list_facts(result, attributes)))
    return found


def _list_facts(result: CaseFinished, attributes: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for kind in result.operand_types[:1]:
        yield "type", kind
        yield from (("elements", name) for part, name in _ELEMENTS.items() if part in kind)
    yield "executor", str(result.labels.get("check", ""))
    yield from ((name, str(value)) for name, value in attributes.items())


def _keep_comparable(passing: Sequence[Facts], failing: Sequence[Facts]) -> Sequence[Facts]:
    """Return the passing cases that judge values, or all of them if cases that judge none fail, too."""
    if any(_WITHOUT_VALUES in facts["executor"] for facts in failing):
        return passing
    return [facts for facts in passing if _WITHOUT_VALUES not in facts["executor"]]


def _find_contrast(
    operation: str, failing: Sequence[Facts], passing: Sequence[Facts], *, are_drawn: bool
) -> Contrast | None:
    if min(len(failing), len(passing)) < _FEWEST:
        return None
    common = [pair for pair in failing[0].items() if all(facts.get(pair[0]) == pair[1] for facts in failing)]
    # Many cases, such as those of one model by several executors, have the same facts.
    others = Counter(tuple(sorted(facts.items())) for facts in passing)
    met = {pair: {facts for facts in others if pair in facts} for pair in common}
    # Conditions on a single attribute come first, so that the shortest one that fits is found.
    most = _allow_exceptions(len(failing), len(passing), are_drawn=are_drawn)
    for parts in range(1, _MOST_PARTS + 1):
        exceptions = {
            condition: sum(others[facts] for facts in set.intersection(*(met[pair] for pair in condition)))
            for condition in combinations(common, parts)
        }
        fewest = min(exceptions.values(), default=most + 1)
        if fewest <= most:
            best = [condition for condition, count in exceptions.items() if count == fewest]
            return Contrast(operation, len(failing), len(passing), fewest, tuple(best[:_ALTERNATIVES]))
    return None


def _allow_exceptions(failing: int, passing: int, *, are_drawn: bool) -> int:
    """Return the largest number of passing cases that may meet a condition of all failing ones."""
    most = min(failing // _FAILING_FOR_ONE, passing // _PASSING_FOR_ONE)
    if are_drawn:
        # The probability that failing cases all meet a condition by chance is that of drawing them from the cases that
        # do.
        chances = (comb(failing + met, failing) / comb(failing + passing, failing) for met in range(passing + 1))
        most = max(most, sum(chance < _CHANCE for chance in chances) - 1)
    return most


def _join_words(condition: Condition) -> str:
    return " and ".join(f"{name} {value}" for name, value in condition)
