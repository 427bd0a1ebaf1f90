"""Mutated requests: in each try one call of a client to a service is damaged on the way.

Services survive; an honest client beside them and newcomers are served all the time; when the hostile clients have
gone, nothing of them is left.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Final

from tests.attack.apart import attack_apart
from tests.attack.besieged import SERVICES, Besieged
from tests.attack.figures import Attack, Figures
from tests.attack.middleman import Middleman, Saboteur
from tests.attack.tester import Tester

_SHORT_S: Final = 0.3
_LIMIT_S: Final = 3600.0
_HONEST_EVERY: Final = 20


def attack_by_requests(tries: int, seed: int, folder: Path) -> Figures:
    """Damage one call to the bundled driver in each of ``tries`` cases and starts."""
    return attack_apart(_attack, tries, seed, folder, limit_s=_LIMIT_S)


def _attack(tries: int, seed: int, folder: Path) -> Figures:
    figures = Figures()
    os.environ["NNVET_DRIVER_STATE"] = str(folder)
    for number, (name, serve) in enumerate(SERVICES.items(), 1):
        with serve(folder) as (pid, connect):
            besieged = Besieged(pid, connect)
            _besiege(besieged, tries * number // len(SERVICES), f"{seed}/{name}", figures)
            figures.peak_mib = max(figures.peak_mib, besieged.peak_mib)
    figures.notes = f"honest clients served after every {_HONEST_EVERY}, nothing left behind" * (not figures.wrong)
    return figures


def _besiege(besieged: Besieged, tries: int, seed: str, figures: Figures) -> None:
    """Until ``tries`` have been made in all."""
    saboteur = Saboteur()
    tester = Tester(besieged.connect, saboteur, Middleman(to_service=saboteur))
    while figures.tried < tries:
        number = f"{seed}/{figures.tried}"
        case, order = tester.draw(random.Random(number))
        _, died, done = tester.run(case, order, _SHORT_S)
        wrong = besieged.wrong() if figures.tried % _HONEST_EVERY == 0 else ""
        if died:
            tester.revive()
        if figures.tried == tries - 1:
            tester.close()
            wrong = wrong or besieged.left_behind() or besieged.wrong()
        figures.see(wrong and f"{number}, {case.id if case else 'start'}, {order}: {wrong}; {done}")


REQUESTS: Final = Attack(
    "mutated requests", attack_by_requests, 12, 10_000, "the service goes on, honest clients are served", 300.0
)
