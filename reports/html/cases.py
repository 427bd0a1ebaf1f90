"""Data of the table of cases on the page: a row for every failed case; many other cases share rows that count them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from nnvet.reports.events import DRIVER_FAULTS, SOURCE, CaseFinished, Verdict
from nnvet.reports.evidence import again_of, replay_of
from nnvet.reports.fingerprint import key_of
from nnvet.reports.html.groups import operations_of, reductions_by_fault, show, without_chapters
from nnvet.reports.html.marks import SIGNS
from nnvet.reports.html.matrix import row_of
from nnvet.reports.log import Log
from nnvet.reports.pictures import PICTURE
from nnvet.reports.values import json_safe

DETAILED_CASES: Final = 3000
"""Most cases whose evidence is in the page; failures come first."""
DETAILS_SIZE: Final = 2_000_000
"""Number of characters after which no more evidence is added."""

QUIET_CASES: Final = 3000
FAILED_CASES: Final = 10_000
ROWS_LIMIT: Final = dict.fromkeys((Verdict.PASS, Verdict.UNSUPPORTED, Verdict.NOT_RUN), QUIET_CASES)
"""Most cases of a verdict that have a row each; for verdicts that are not listed the number is ``FAILED_CASES``."""


ROWS_SHOWN: Final = 12_000
"""Most rows of the table; beyond them, cases share rows by part and verdict."""
TEXTS_SIZE: Final = 2_000_000
"""Number of characters after which reasons are cut."""
BRIEF: Final = 120
"""Characters to which reasons are then cut."""


def folded_verdicts(counts: Mapping[Verdict, int]) -> tuple[Verdict, ...]:
    """Return the verdicts with so many cases that equal ones share a row; otherwise the page would open slowly."""
    return tuple(verdict for verdict in Verdict if counts.get(verdict, 0) > ROWS_LIMIT.get(verdict, FAILED_CASES))


def case_data(
    log: Log, results: Sequence[CaseFinished] | None = None, changes: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return rows of numbers that point into a list of texts, with as much evidence as fits into the page.

    A row has the order of ``COLUMNS`` in the script. The table is one of ``results``, or of all cases of the log;
    ``changes`` says in words what became of a case since an earlier run.
    """
    changed = changes or {}
    texts: dict[str, int] = {}

    def number(text: object) -> int:
        return texts.setdefault(str(text), len(texts))

    groups = _grouped(list(log.results.values()) if results is None else results, changed)
    details = _details([members[0] for members in groups], log)
    reasons = _Reasons()
    cases = [_row(members, number, changed, details, reasons) for members in groups[:ROWS_SHOWN]]
    cases += [_shared_row(members, number, changed) for members in _by_part(groups[ROWS_SHOWN:], changed)]
    return {"signs": SIGNS, "texts": list(texts), "cases": cases}


class _Reasons:
    """Collects the reasons of rows: complete up to a total size, and then cut."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._size = 0

    def shown(self, reason: str) -> str:
        if reason not in self._known:
            if self._size + len(reason) > TEXTS_SIZE and len(reason) > BRIEF:
                return f"{reason[:BRIEF]}…"
            self._known.add(reason)
            self._size += len(reason)
        return reason


def _by_part(groups: Iterable[list[CaseFinished]], changes: Mapping[str, str]) -> list[list[CaseFinished]]:
    parts: defaultdict[tuple[object, ...], list[CaseFinished]] = defaultdict(list)
    for members in groups:
        first = members[0]
        parts[first.verdict, first.suite, changes.get(first.case)] += members
    return list(parts.values())


def _shared_row(members: list[CaseFinished], number: Callable[[object], int], changes: Mapping[str, str]) -> list[Any]:
    """Return a row of cases that have a part and a verdict in common and nothing else."""
    first = members[0]
    name = f"{first.case} and {len(members) - 1:,} others, which are in the log"
    duration_s = round(sum(member.duration_s for member in members), 6)
    empty = number("")
    parts = [number(first.verdict), number(first.suite), empty, [], empty, empty, empty]
    return [name, *parts, duration_s, len(members), empty, number(changes.get(first.case, "")), {}]


def _row(
    members: list[CaseFinished],
    number: Callable[[object], int],
    changes: Mapping[str, str],
    details: dict[str, dict[str, str]],
    reasons: _Reasons,
) -> list[Any]:
    first, count = members[0], len(members)
    return [
        first.case if count == 1 else f"{first.case} and {count - 1:,} alike",
        number(first.verdict),
        number(first.suite),
        number(row_of(first)),
        [number(kind) for kind in first.operand_types],
        number(first.rule),
        number(reasons.shown(first.reason)),
        number(key_of(first)),
        round(sum(member.duration_s for member in members), 6),
        count,
        number(again_of(first)[0]),
        number(changes.get(first.case, "")),
        details.get(first.case) or _labels(first),
    ]


def _grouped(results: Sequence[CaseFinished], changes: Mapping[str, str]) -> list[list[CaseFinished]]:
    """Return the cases that share a row, those with a row of their own first, in the order of the log."""
    folded = folded_verdicts(Counter(result.verdict for result in results))
    groups: defaultdict[tuple[object, ...], list[CaseFinished]] = defaultdict(list)
    for result in results:
        key = (*_key(result), changes.get(result.case)) if result.verdict in folded else (result.case,)
        groups[key].append(result)
    # Failed cases are of more use, so they get the rows within the limit.
    quiet = tuple(ROWS_LIMIT) if len(groups) > ROWS_SHOWN else ()
    return sorted(groups.values(), key=lambda members: (members[0].verdict in quiet, len(members) > 1))


def _key(result: CaseFinished) -> tuple[object, ...]:
    """Return a key that is equal for cases that may share a row; fingerprints have no numbers, as reasons have."""
    cause = (result.rule, result.reason) if result.verdict in ROWS_LIMIT else (key_of(result),)
    check = str(result.labels.get("check"))
    return (result.verdict, result.suite, check, row_of(result), result.operand_types, *cause)


def _details(results: Iterable[CaseFinished], log: Log) -> dict[str, dict[str, str]]:
    """Return the details that the table shows on demand, by case; those that do not fit are only in the log."""
    failed_first = sorted(results, key=lambda result: result.verdict not in (*DRIVER_FAULTS, Verdict.ERROR))
    small = {
        fault: "; ".join(f"{operations_of(reduction)}, in {reduction.folder}" for reduction in some)
        for fault, some in reductions_by_fault(log).items()
    }
    found: dict[str, dict[str, str]] = {}
    size = 0
    for result in failed_first:
        if len(found) >= DETAILED_CASES or size >= DETAILS_SIZE:
            break
        if result.verdict is not Verdict.PASS:
            evidence = {"replay": replay_of(log.started, result)} | without_chapters(result, result.evidence)
            evidence.pop(PICTURE, None)
            if key_of(result) in small:
                evidence["made small"] = small[key_of(result)]
            shown = {key.replace("_", " "): show(value) for key, value in evidence.items()}
            size += sum(map(len, shown.values()))
            found[result.case] = _labels(result) | shown
    return found


def _labels(result: CaseFinished) -> dict[str, str]:
    return {key: show(value) for key, value in result.labels.items() if key in ("check", "level", SOURCE)}


def embedded(data: dict[str, Any]) -> str:
    """Return JSON that cannot end the script element around it."""
    return msgspec.json.encode(json_safe(data)).decode().replace("<", "\\u003c")
