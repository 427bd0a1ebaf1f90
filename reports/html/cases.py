"""Data of the searchable table of cases at the end of a page, as JSON that the script ``report.js`` reads.

:func:`case_data` makes the data for ``page.py`` (all cases) and ``diff.py`` (changed cases). Hundreds of thousands of
cases would make a page that no browser opens, so that the constants below limit rows, evidence and texts: cases that
are alike share rows that count them. The chapters of a page, with a few cases in full, are made by ``groups.py``.
"""

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
"""Number of characters of evidence in the page after which no more is added."""

QUIET_CASES: Final = 3000
"""Most cases of a verdict without news (passed, unsupported, not run) that have a row each."""
FAILED_CASES: Final = 10_000
"""Most cases of any other verdict that have a row each."""
ROWS_LIMIT: Final = dict.fromkeys((Verdict.PASS, Verdict.UNSUPPORTED, Verdict.NOT_RUN), QUIET_CASES)
"""Most cases that have a row each, by verdict without news; other verdicts have the limit :data:`FAILED_CASES`."""


ROWS_SHOWN: Final = 12_000
"""Most rows of the table; beyond them, all cases of a suite and verdict share a row."""
TEXTS_SIZE: Final = 2_000_000
"""Number of characters of different reasons in the page after which further ones are cut to :data:`BRIEF`."""
BRIEF: Final = 120
"""Length in characters of reasons that are cut."""


def folded_verdicts(counts: Mapping[Verdict, int]) -> tuple[Verdict, ...]:
    """Return the verdicts with so many cases that cases which are alike share a row."""
    return tuple(verdict for verdict in Verdict if counts.get(verdict, 0) > ROWS_LIMIT.get(verdict, FAILED_CASES))


def case_data(
    log: Log, results: Sequence[CaseFinished] | None = None, changes: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return rows of numbers that point into a list of texts, with as much evidence as fits into the page.

    A row has the order of ``COLUMNS`` in ``report.js``. The table has the given ``results``, or without them all cases
    of the log; ``changes`` says by case, in words, how its verdict changed since an earlier run.
    """
    changed = changes or {}
    texts: dict[str, int] = {}

    def number(text: object) -> int:
        return texts.setdefault(str(text), len(texts))

    groups = _group_by_row(list(log.results.values()) if results is None else results, changed)
    details = _collect_details([members[0] for members in groups], log)
    reasons = _Reasons()
    cases = [_build_row(members, number, changed, details, reasons) for members in groups[:ROWS_SHOWN]]
    cases += [_build_shared_row(members, number, changed) for members in _group_by_part(groups[ROWS_SHOWN:], changed)]
    return {"signs": SIGNS, "texts": list(texts), "cases": cases}


class _Reasons:
    """Collects the reasons of rows: complete up to a total size, and then cut."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._size = 0

    def shorten(self, reason: str) -> str:
        """Return the reason, cut if it is new and the texts are too long already."""
        if reason not in self._known:
            if self._size + len(reason) > TEXTS_SIZE and len(reason) > BRIEF:
                return f"{reason[:BRIEF]}…"
            self._known.add(reason)
            self._size += len(reason)
        return reason


def _group_by_part(groups: Iterable[list[CaseFinished]], changes: Mapping[str, str]) -> list[list[CaseFinished]]:
    parts: defaultdict[tuple[object, ...], list[CaseFinished]] = defaultdict(list)
    for members in groups:
        first = members[0]
        parts[first.verdict, first.suite, changes.get(first.case)] += members
    return list(parts.values())


def _build_shared_row(
    members: list[CaseFinished], number: Callable[[object], int], changes: Mapping[str, str]
) -> list[Any]:
    """Return a row for cases that have the suite and the verdict in common and nothing else."""
    first = members[0]
    name = f"{first.case} and {len(members) - 1:,} others, which are in the log"
    duration_s = round(sum(member.duration_s for member in members), 6)
    empty = number("")
    parts = [number(first.verdict), number(first.suite), empty, [], empty, empty, empty]
    return [name, *parts, duration_s, len(members), empty, number(changes.get(first.case, "")), {}]


def _build_row(
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
        number(reasons.shorten(first.reason)),
        number(key_of(first)),
        round(sum(member.duration_s for member in members), 6),
        count,
        number(again_of(first)[0]),
        number(changes.get(first.case, "")),
        details.get(first.case) or _show_labels(first),
    ]


def _group_by_row(results: Sequence[CaseFinished], changes: Mapping[str, str]) -> list[list[CaseFinished]]:
    """Return the cases of each row; rows of a single case come first, in the order of the log."""
    folded = folded_verdicts(Counter(result.verdict for result in results))
    groups: defaultdict[tuple[object, ...], list[CaseFinished]] = defaultdict(list)
    for result in results:
        key = (*_sharing_key(result), changes.get(result.case)) if result.verdict in folded else (result.case,)
        groups[key].append(result)
    # Failed cases are of more use to a reader, so they come first if the table is cut.
    quiet = tuple(ROWS_LIMIT) if len(groups) > ROWS_SHOWN else ()
    return sorted(groups.values(), key=lambda members: (members[0].verdict in quiet, len(members) > 1))


def _sharing_key(result: CaseFinished) -> tuple[object, ...]:
    """Return a key that is equal for cases that may share a row.

    Failed cases share a row by fingerprint: their reasons contain numbers and are hardly ever equal.
    """
    cause = (result.rule, result.reason) if result.verdict in ROWS_LIMIT else (key_of(result),)
    check = str(result.labels.get("check"))
    return (result.verdict, result.suite, check, row_of(result), result.operand_types, *cause)


def _collect_details(results: Iterable[CaseFinished], log: Log) -> dict[str, dict[str, str]]:
    """Return the evidence that the table shows on demand, by case, within the limits; the log has the rest."""
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
            found[result.case] = _show_labels(result) | shown
    return found


def _show_labels(result: CaseFinished) -> dict[str, str]:
    return {key: show(value) for key, value in result.labels.items() if key in ("check", "level", SOURCE)}


def embedded(data: dict[str, Any]) -> str:
    """Return JSON that cannot end the script element around it."""
    return msgspec.json.encode(json_safe(data)).decode().replace("<", "\\u003c")
