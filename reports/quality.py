"""Answers within the contract and outside of the error bound: a matter of quality, beside the verdict."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from nnvet.reports.events import CaseFinished, Verdict
from nnvet.reports.log import Log

CASES_NAMED: Final = 3
"""So many cases are named on the line of the terminal."""


@dataclass(frozen=True)
class QualityCase:
    """One case that passed so. ``worst`` is the element that stands for it; ``share`` its part of the tolerance."""

    case: str
    made_by: str
    reason: str
    worst: Mapping[str, Any]
    share: float | None


def quality_cases(log: Log) -> tuple[QualityCase, ...]:
    """The cases of a log that are within the contract but outside of the error bound, the worst first."""
    found = [_case(result) for result in log.results.values() if _has_note(result)]
    return tuple(sorted(found, key=lambda case: -(case.share or 0.0)))


def quality_line(log: Log) -> str:
    """One sentence for the end of a run; empty if there is nothing to say."""
    return "; ".join(filter(None, (_crossed_line(log), _liberties_line(log))))


def _liberties_line(log: Log) -> str:
    """Cases that keep their error bounds by liberties that the driver declares (docs/oracle.md)."""
    needs = [
        result.evidence["needs"]
        for result in log.results.values()
        if result.verdict is Verdict.PASS and isinstance(result.evidence.get("needs"), list)
    ]
    if not needs:
        return ""
    counts = Counter(str(name) for names in needs for name in names)
    named = ", ".join(f"{name} ({count:,})" for name, count in sorted(counts.items()))
    cases = "case keeps its" if len(needs) == 1 else "cases keep their"
    return f"{len(needs):,} {cases} error bound by declared liberties: {named}"


def _crossed_line(log: Log) -> str:
    found = quality_cases(log)
    if not found:
        return ""
    named = ", ".join(case.case for case in found[:CASES_NAMED])
    rest = f" and {len(found) - CASES_NAMED:,} more" if len(found) > CASES_NAMED else ""
    noun = "case" if len(found) == 1 else "cases"
    return (
        f"{len(found):,} {noun} inside the contract but outside of the error bound: {named}{rest} (--strict fails them)"
    )


def _has_note(result: CaseFinished) -> bool:
    return result.verdict is Verdict.PASS and result.numbers is not None and bool(result.numbers.quality)


def _case(result: CaseFinished) -> QualityCase:
    quality = result.evidence.get("quality")
    quality = quality if isinstance(quality, dict) else {}
    worst = quality.get("worst")
    reason = result.numbers.quality if result.numbers else ""
    worst = worst if isinstance(worst, dict) else {}
    return QualityCase(result.case, str(quality.get("made_by") or ""), reason, worst, _share(worst))


def _share(worst: Mapping[str, Any]) -> float | None:
    """The part of the tolerance that the worst element uses; None where that is open."""
    try:
        difference, tolerance = float(worst["difference"]), float(worst["tolerance"])
    except (KeyError, TypeError, ValueError):
        return None
    share = difference / tolerance if tolerance > 0 else math.nan
    return share if math.isfinite(share) and math.isfinite(tolerance) else None
