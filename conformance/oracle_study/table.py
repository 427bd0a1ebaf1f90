"""The figures of a study as rows of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from nnvet.conformance.oracle_study.models import KINDS
from nnvet.conformance.oracle_study.study import KillTally, Study

HEADINGS: Final = ("kind", "half", "mutants", "killed", "by NNAPI", "honest runs", "false alarms", "by NNAPI", "open")
_HALVES: Final = {False: "tuned on", True: "held out"}


def rows(study: Study) -> Iterator[tuple[str, ...]]:
    """A row for each kind and half; shares of elements that the bounds leave open once for each kind."""
    for kind in KINDS:
        for held_out, half in _HALVES.items():
            ours, theirs = (study.tallies.get((kind, held_out, judge), KillTally()) for judge in ("bounds", "NNAPI"))
            if not ours.honest and not ours.mutants:
                continue
            shares = study.open_shares[kind]
            yield (
                kind,
                half,
                str(len(ours.mutants)),
                _percent(ours.kill_rate),
                _percent(theirs.kill_rate) if theirs.mutants else "",
                str(ours.honest),
                str(len(ours.alarms)),
                str(len(theirs.alarms)) if theirs.honest else "",
                _percent(sum(shares) / max(1, len(shares))),
            )


def alarms(study: Study) -> list[str]:
    """Return the honest drivers that the bounds blame."""
    return [line for (_, _, judge), tally in study.tallies.items() if judge == "bounds" for line in tally.alarms]


def survivors(study: Study) -> list[tuple[str, str]]:
    """The faults that the bounds miss, the most frequent first, with kinds and operations."""
    missed: dict[str, Counter[str]] = {}
    for (kind, _, judge), tally in study.tallies.items():
        if judge == "bounds":
            for fault, subject in tally.survivors:
                missed.setdefault(fault, Counter())[f"{kind} {subject}"] += 1
    ordered = sorted(missed.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    return [(fault, ", ".join(sorted(places))) for fault, places in ordered]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
