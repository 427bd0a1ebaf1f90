"""Mutated replies: the suite tests a driver, and in each try one of its answers is damaged on the way.

A case has to end as PASS if the answer still means the same, and otherwise with a verdict on the driver and a rule,
in time. What comes after it must not suffer: on the same driver the next case passes, or finds the driver gone; on a
fresh one it passes. A driver that is damaged as it starts and describes itself cannot be reached, or is lost.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path
from typing import Final

from nnvet.conformance.kit.outcome import Outcome
from nnvet.reports.events import DRIVER_FAULTS, Verdict
from tests.attack.apart import attack_apart
from tests.attack.figures import Attack, Figures
from tests.attack.middleman import Done, Middleman, Saboteur
from tests.attack.service import PATIENCE_S, serving
from tests.attack.tester import Tester

_SHORT_S: Final = 0.3
"""Time limit of an answer that may never come."""
_LONG_S: Final = 20.0
"""No try takes so long, whatever is answered; several answers in it may be waited for."""
_LIMIT_S: Final = 3600.0
_ONE_SUFFICES: Final = "GeneratedValidationTest/"
"""A negative case wants one of several sums executed, to see that not all executions fail."""


def attack_by_replies(tries: int, seed: int, folder: Path) -> Figures:
    """Damage one answer of the bundled driver in each of ``tries`` cases and starts."""
    return attack_apart(_attack, tries, seed, folder, limit_s=_LIMIT_S)


def _attack(tries: int, seed: int, folder: Path) -> Figures:
    figures, ends = Figures(), Counter[str]()
    with serving(folder) as (_, connect):
        saboteur = Saboteur()
        tester = Tester(connect, saboteur, Middleman(to_client=saboteur))
        while figures.tried < tries:
            number = f"{seed}/{figures.tried}"
            wrong, verdict = _try(tester, random.Random(number))
            figures.see(wrong and f"{number}: {wrong}")
            ends[verdict] += 1
        tester.close()
    figures.notes = ", ".join(f"{count} {verdict}" for verdict, count in sorted(ends.items()))
    return figures


def _try(tester: Tester, draw: random.Random) -> tuple[str, Verdict]:
    """One damaged answer: what was wrong with how it ended, if anything, and the verdict."""
    case, order = tester.draw(draw)
    name = "start" if case is None else case.id
    begin = time.monotonic()
    outcome, died, done = tester.run(case, order, _SHORT_S)
    took = time.monotonic() - begin
    if (died and done is None) or (outcome.verdict is Verdict.HANG and (done is None or done.means_the_same)):
        # The machine has much to do, perhaps, or the try before this one has come to light.
        tester.revive()
        outcome, died, done = tester.run(case, order, PATIENCE_S)
    late = f"took {took:.1f} s" if took > _LONG_S else ""
    wrongs = late, _wrong(outcome, done, name.startswith(_ONE_SUFFICES)), _wrong_afterwards(tester, died)
    wrong = ", ".join(filter(None, wrongs))
    return wrong and f"{name}, {order}: {wrong}; {outcome}; {done}", outcome.verdict


def _wrong(outcome: Outcome, done: Done | None, one_suffices: bool) -> str:
    """Return the fault in the end of a case in which that was done."""
    verdict = outcome.verdict
    if done is None or done.means_the_same:
        return "" if verdict is Verdict.PASS else "false alarm"
    if verdict in DRIVER_FAULTS:
        return "" if outcome.rule else "no rule"
    if verdict is Verdict.PASS:
        return "passed with another result" if done.differs_in_result and not one_suffices else ""
    # It may have said that it does not support something.
    return "" if verdict is Verdict.UNSUPPORTED else f"ended as {verdict}"


def _wrong_afterwards(tester: Tester, is_dead: bool) -> str:
    if is_dead:
        tester.revive()
    outcome, died = tester.run_undamaged()
    if died and not is_dead:
        tester.revive()
        outcome, _ = tester.run_undamaged()
    return "" if outcome.verdict is Verdict.PASS else f"afterwards {outcome}"


REPLIES: Final = Attack(
    "mutated replies", attack_by_replies, 12, 10_000, "a right verdict in time; the next case passes", 300.0
)
