"""Runs of a history that can be compared, and what changed from one to the next: which faults came and went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nnvet.reports.history import WHOLE, KnownFault, RunFacts


@dataclass(frozen=True)
class RunStep:
    """A run beside the one before it: fingerprints that fail now and did not, and those that did and are gone."""

    run: RunFacts
    new: tuple[str, ...]
    fixed: tuple[str, ...]


@dataclass(frozen=True)
class Life:
    """When a fault was there: ``spans`` are numbers of runs, the first and the last of each time it was known.

    ``states`` has a letter for each run: ``x`` failed, ``w`` waived, ``.`` gone, ``?`` the run was cut short.
    """

    fingerprint: str
    fault: KnownFault
    spans: tuple[tuple[int, int], ...]
    states: str

    @property
    def is_open(self) -> bool:
        """Whether the last run had it, or did not get as far as to tell."""
        return self.spans[-1][1] == len(self.states) - 1


@dataclass(frozen=True)
class RunSeries:
    """Runs of one driver and selection, oldest first; ``lives`` are their faults, open ones and the latest first."""

    runs: tuple[RunFacts, ...]
    steps: tuple[RunStep, ...]
    lives: tuple[Life, ...]

    @property
    def last(self) -> RunFacts:
        """The latest run, which says what the series is of."""
        return self.runs[-1]

    @property
    def title(self) -> str:
        """Driver, selection and what else the runs have in common."""
        run = self.last
        parts = (
            run.driver if run.driver == run.selector else f"{run.driver} ({run.selector})",
            " ".join(run.selection),
            f"feature level {run.level}" if run.level is not None else "",
            f"shard {run.shard}" if run.shard != WHOLE else "",
            " ".join(run.options),
        )
        return ", ".join(filter(None, parts))


def series_of(runs: Sequence[RunFacts]) -> list[RunSeries]:
    """Runs that can be compared, together; the series with the latest run comes first."""
    found: dict[tuple[object, ...], list[RunFacts]] = {}
    for run in runs:
        found.setdefault(run.key, []).append(run)
    listed = sorted(found.values(), key=lambda one: one[-1].time, reverse=True)
    return [RunSeries(tuple(one), tuple(_steps(one)), tuple(_lives(one))) for one in listed]


def _steps(runs: Sequence[RunFacts]) -> Iterator[RunStep]:
    """A fault is fixed when a whole run does not meet it any more; a run that was cut short cannot tell."""
    known: dict[str, KnownFault] = {}
    for number, run in enumerate(runs):
        before = _failing(known)
        new = tuple(key for key in _failing(run.faults) if key not in before) if number else ()
        fixed = tuple(key for key in before if key not in run.faults) if run.is_whole else ()
        yield RunStep(run, new, fixed)
        known = dict(run.faults) if run.is_whole else known | run.faults


def _failing(faults: Mapping[str, KnownFault]) -> dict[str, KnownFault]:
    return {key: fault for key, fault in faults.items() if not fault.is_waived}


def _lives(runs: Sequence[RunFacts]) -> list[Life]:
    keys = dict.fromkeys(key for run in runs for key in run.faults)
    lives = [_life(key, runs) for key in keys]
    return sorted(lives, key=lambda life: (not life.is_open, -life.spans[-1][0]))


def _life(key: str, runs: Sequence[RunFacts]) -> Life:
    states = "".join(_state(key, run) for run in runs)
    spans: list[tuple[int, int]] = []
    here = False
    for number, state in enumerate(states):
        seen = state in "xw"
        if seen and not here:
            spans.append((number, number))
        elif seen or (here and state == "?"):
            spans[-1] = (spans[-1][0], number)
        here = seen or (here and state == "?")
    return Life(key, next(run.faults[key] for run in reversed(runs) if key in run.faults), tuple(spans), states)


def _state(key: str, run: RunFacts) -> str:
    if key in run.faults:
        return "w" if run.faults[key].is_waived else "x"
    return "." if run.is_whole else "?"
