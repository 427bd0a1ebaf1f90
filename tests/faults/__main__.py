"""``python -m tests.faults FOLDER JOB``: a JSON line for scenarios without faults, then one for each try.

A process of its own, since the modules of the product are loaded rewritten.
"""

from __future__ import annotations

import random
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from tests.faults.daily import DAILY
from tests.faults.injector import Fault
from tests.faults.lab import Ended, Lab, Try
from tests.faults.scenarios import BENCHMARK, IN_PROCESS, PROCESSES, Scenario

GROUPS: Final = {"here": (*IN_PROCESS, *DAILY), "elsewhere": PROCESSES, "models": BENCHMARK}


class Job(msgspec.Struct):
    """At most so many faults in the scenarios of each group, drawn from ``seed``; each site once before others twice.

    ``only``, a part of a fault's description, is for those who mend what was found.
    """

    tries: dict[str, int]
    seed: int
    only: str = ""


class Line(msgspec.Struct):
    """The sites that a scenario comes to without a fault, or what was tried and what was wrong (empty: nothing)."""

    scenario: str
    reached: tuple[str, ...] = ()
    tried: str = ""
    wrong: str = ""


def main(folder: Path, job: Job) -> None:
    """Run a job."""
    lab = Lab(folder)
    for group in job.tries:
        _run(lab, group, job)


def _run(lab: Lab, group: str, job: Job) -> None:
    # It imports the product, which has to be loaded rewritten.
    from tests.faults.judging import complaints  # noqa: PLC0415

    undisturbed: dict[str, Try] = {}
    costs: dict[str, float] = {}
    choices: list[tuple[Scenario, Fault]] = []
    for scenario in GROUPS[group]:
        begin = time.monotonic()
        attempt = undisturbed[scenario.name] = lab.run(scenario)
        costs[scenario.name] = time.monotonic() - begin
        if attempt.ended is None or attempt.ended != Ended(scenario.code, scenario.code):
            raise SystemExit(f"{scenario.name} goes wrong by itself: {attempt.ended}\n{attempt.printed}")
        calls = Counter(tuple(line.split("\t")) for line in attempt.notes.read_text().splitlines())
        _say(Line(scenario.name, tuple(sorted({site for _, site in calls}))))
        choices += [(scenario, fault) for fault in _faults(scenario, calls, lab.failures)]
    left = job.tries[group]
    for scenario, fault in _drawn(choices, costs, job):
        if not left:
            break
        attempt = lab.run(scenario, fault)
        # Threads and processes may take turns in another order, so that a later call is not made.
        if attempt.notes.exists() or attempt.ended is None:
            left -= 1
            wrong = "; ".join(complaints(scenario, undisturbed[scenario.name], attempt, fault))
            _say(Line(scenario.name, tried=str(fault), wrong=wrong))
        shutil.rmtree(attempt.folder, ignore_errors=True)


def _faults(
    scenario: Scenario, calls: Counter[tuple[str, ...]], failures: dict[str, tuple[int, ...]]
) -> Iterator[Fault]:
    for (role, site), count in sorted(calls.items()):
        if role in scenario.roles:
            for number in range(1, count + 1):
                for error in failures[site]:
                    yield Fault(role, site, number, error)


def _drawn(choices: list[tuple[Scenario, Fault]], costs: Mapping[str, float], job: Job) -> list[tuple[Scenario, Fault]]:
    """The faults to try: first one for each site and role, where it costs least time."""
    wanted = [(scenario, fault) for scenario, fault in choices if job.only in str(fault)]
    random.Random(job.seed).shuffle(wanted)
    first: dict[tuple[str, str], tuple[Scenario, Fault]] = {}
    for scenario, fault in sorted(wanted, key=lambda choice: (choice[1].number, costs[choice[0].name])):
        first.setdefault((fault.role, fault.site), (scenario, fault))
    chosen = random.Random(job.seed).sample(list(first.values()), len(first))
    return chosen + [choice for choice in wanted if choice not in chosen]


def _say(line: Line) -> None:
    sys.stdout.write(msgspec.json.encode(line).decode() + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), msgspec.json.decode(sys.argv[2], type=Job))
