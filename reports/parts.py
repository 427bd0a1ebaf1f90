"""Numbers of a run by part, few enough to be kept for years: operations in their types, and suites.

The log has a digest and shares for each case; a history has one line for a run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

import msgspec

from nnvet.reports.events import CaseFinished, Verdict

_DIGEST_BYTES: Final = 6


class PartNumbers(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The cases of one operation in one type, or of a suite.

    ``cases`` passed with values, ``digest`` is that of their names and outputs together; ``bound_used`` is the largest
    share of an error bound. ``passed`` and ``unsupported`` count all cases.
    """

    passed: int = 0
    unsupported: int = 0
    cases: int = 0
    digest: str = ""
    bound_used: float | None = None


def part_numbers(results: Iterable[CaseFinished]) -> dict[str, PartNumbers]:
    """Numbers by part, in the order of their names."""
    parts: defaultdict[str, list[CaseFinished]] = defaultdict(list)
    for result in results:
        parts[_part_of(result)].append(result)
    return {name: _summed(parts[name]) for name in sorted(parts)}


def _part_of(result: CaseFinished) -> str:
    if len(result.operations) != 1:
        return result.suite
    return " ".join((result.operations[0], *result.operand_types[:1]))


def _summed(results: list[CaseFinished]) -> PartNumbers:
    verdicts = [result.verdict for result in results]
    numbered = sorted((result.case, result.numbers) for result in results if result.numbers)
    digest = blake2b(digest_size=_DIGEST_BYTES)
    for case, numbers in numbered:
        digest.update(f"{case} {numbers.digest}\n".encode())
    shares = [numbers.bound_used for _, numbers in numbered if numbers.bound_used is not None]
    return PartNumbers(
        verdicts.count(Verdict.PASS),
        verdicts.count(Verdict.UNSUPPORTED),
        len(numbered),
        digest.hexdigest() if numbered else "",
        max(shares, default=None),
    )
