"""Series of comparable runs of a history, and the changes from one run to the next: new faults and fixed faults.

:func:`series_of` makes the series for ``nnvet history``. For the report of a single run, :func:`past_of` compares it
with the earlier runs (:class:`Past`). :mod:`nnvet.reports.history` keeps the runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from nnvet.reports.events import Command
from nnvet.reports.figures import Delta, figure_delta, figure_name, figures_of, leading_figure, median_delta
from nnvet.reports.history import WHOLE, History, KnownFault, PartNumbers, RunFacts, facts_of
from nnvet.reports.log import Log

_NAMED: Final = 3
"""Most parts that a list names."""


@dataclass(frozen=True)
class PartDrift:
    """Parts that changed from one run to the next: other bits, more of the bound used, claims lost.

    None of these is a failure; failures have fingerprints.
    """

    bits: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Return the numbers of parts in a few words; empty if nothing changed."""
        parts = (("other bits", self.bits), ("more of the bound", self.used), ("claims lost", self.lost))
        return ", ".join(f"{text}: {len(found):,}" for text, found in parts if found)


NO_DRIFT: Final = PartDrift()
"""Drift of a run that has no earlier one."""


@dataclass(frozen=True)
class RunStep:
    """A run compared with the previous one: new fingerprints, and those that have disappeared.

    ``drift`` has the changes that verdicts do not show.
    """

    run: RunFacts
    new: tuple[str, ...]
    fixed: tuple[str, ...]
    drift: PartDrift = NO_DRIFT


@dataclass(frozen=True)
class Life:
    """The history of a fault: ``spans`` holds the first and the last run of each period in which it was known.

    ``states`` has a letter for each run: ``x`` failed, ``w`` waived, ``.`` gone, ``?`` unknown.
    """

    fingerprint: str
    fault: KnownFault
    spans: tuple[tuple[int, int], ...]
    states: str

    @property
    def is_open(self) -> bool:
        """True if the last run has the fault, or ended too early to tell."""
        return self.spans[-1][1] == len(self.states) - 1


@dataclass(frozen=True)
class RunSeries:
    """Runs of one driver and selection, oldest first; ``lives`` are their faults, open ones and the latest first."""

    runs: tuple[RunFacts, ...]
    steps: tuple[RunStep, ...]
    lives: tuple[Life, ...]

    @property
    def last(self) -> RunFacts:
        """Return the latest run, whose facts describe the series."""
        return self.runs[-1]

    @property
    def title(self) -> str:
        """Return driver, selection and the other common facts of the runs."""
        run = self.last
        parts = (
            run.driver if run.driver == run.selector else f"{run.driver} ({run.selector})",
            "" if run.command is Command.RUN else f"nnvet {run.command}",
            _listed(run.selection),
            f"feature level {run.level}" if run.level is not None else "",
            f"shard {run.shard}" if run.shard != WHOLE else "",
            " ".join(run.options),
        )
        return ", ".join(filter(None, parts))


def series_of(runs: Sequence[RunFacts]) -> list[RunSeries]:
    """Return series of comparable runs; the one with the latest run comes first."""
    found: dict[tuple[object, ...], list[RunFacts]] = {}
    for run in runs:
        found.setdefault(run.key, []).append(run)
    listed = sorted(found.values(), key=lambda own: own[-1].time, reverse=True)
    return [RunSeries(tuple(own), tuple(_steps(own)), tuple(_lives(own))) for own in listed]


def _steps(runs: Sequence[RunFacts]) -> Iterator[RunStep]:
    """Yield the steps. A fault counts as fixed if a run that covers its cases does not have it.

    An unfinished run fixes nothing.
    """
    seen: dict[str, RunFacts] = {}
    for number, run in enumerate(runs):
        before = [key for key, last in seen.items() if not last.faults[key].is_waived]
        gone = {key for key, last in seen.items() if key not in run.faults and run.tells_of(last)}
        failing = [key for key, fault in run.faults.items() if not fault.is_waived]
        new = tuple(key for key in failing if key not in before) if number else ()
        drift = drift_of_parts(runs[number - 1], run) if number else NO_DRIFT
        yield RunStep(run, new, tuple(key for key in before if key in gone), drift)
        seen = {key: last for key, last in seen.items() if key not in gone} | dict.fromkeys(run.faults, run)


def drift_of_parts(before: RunFacts, after: RunFacts) -> PartDrift:
    """Return the changes from one run to another of the same selection.

    Bits and bounds are compared only if the same number of cases passed, with the same version of the suite and the
    same seed, because other cases have other outputs.
    """
    pairs = [(name, before.parts[name], now) for name, now in after.parts.items() if name in before.parts]
    alike = (before.suite_version, before.seed) == (after.suite_version, after.seed)
    compared = [(name, old, new) for name, old, new in pairs if alike and old.cases == new.cases]
    return PartDrift(
        bits=tuple(name for name, old, new in compared if old.digest != new.digest),
        used=tuple(_used(compared)),
        lost=tuple(name for name, old, new in pairs if new.unsupported > old.unsupported and new.passed < old.passed),
    )


def _used(pairs: Iterable[tuple[str, PartNumbers, PartNumbers]]) -> Iterator[str]:
    for name, old, new in pairs:
        was, now = old.bound_used, new.bound_used
        if was is not None and now is not None and now > was:
            yield f"{name}: {was:.3g} -> {now:.3g} of its bound"


def _lives(runs: Sequence[RunFacts]) -> list[Life]:
    keys = dict.fromkeys(key for run in runs for key in run.faults)
    lives = [_life(key, runs) for key in keys]
    return sorted(lives, key=lambda life: (not life.is_open, -life.spans[-1][0]))


def _life(key: str, runs: Sequence[RunFacts]) -> Life:
    states = _states(key, runs)
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


def _states(key: str, runs: Sequence[RunFacts]) -> str:
    states = ""
    seen = next(run for run in runs if key in run.faults)
    for run in runs:
        if key in run.faults:
            states += "w" if run.faults[key].is_waived else "x"
            seen = run
        else:
            states += "." if run.tells_of(seen) else "?"
    return states


def _listed(names: Sequence[str]) -> str:
    """Return the names, or only the first ones if there are many."""
    more = len(names) - _NAMED
    return " ".join(names) if more <= 0 else f"{' '.join(names[:_NAMED])} and {more} more"


@dataclass(frozen=True)
class Past:
    """The runs of a series up to one, and what changed with it."""

    series: RunSeries
    step: RunStep
    before: RunFacts

    @property
    def new(self) -> tuple[tuple[str, str], ...]:
        """Return fingerprint and name of each fault that the run before did not have."""
        return tuple((key, _name(self.step.run.faults[key])) for key in self.step.new)

    @property
    def fixed(self) -> tuple[tuple[str, str], ...]:
        """Return fingerprint and name of each fault that is gone."""
        known = {key: fault for run in self.series.runs for key, fault in run.faults.items()}
        return tuple((key, _name(known[key])) for key in self.step.fixed)

    def changes(self, log: Log) -> dict[str, Delta]:
        """Return the changes of median latency since the last run by model; empty if the log has several drivers."""
        before: dict[str, float] = {}
        for run in self.series.runs[:-1]:
            before |= {name: model.median_s for name, model in run.models.items() if model.median_s}
        found = {
            item.model: median_delta(item.latency.p50_s, before[item.model])
            for item in log.measurements
            if item.model in before and not item.is_baseline and item.latency and item.latency.iterations
        }
        return {model: delta for model, delta in found.items() if delta}

    def figure_changes(self, log: Log) -> dict[str, Delta]:
        """Return the change of each model's first figure, with its name; those that did not change are left out."""
        before: dict[str, dict[str, float]] = {}
        for run in self.series.runs[:-1]:
            before |= {name: model.accuracy for name, model in run.models.items() if model.accuracy}
        found: dict[str, Delta] = {}
        for item in log.measurements:
            key = leading_figure(figures_of(item).keys() & before.get(item.model, {}).keys())
            if key is not None and not item.is_baseline:
                delta = figure_delta(key, figures_of(item)[key] - before[item.model][key])
                if delta.quality != "same":
                    found[item.model] = replace(delta, text=f"{figure_name(key)} {delta.text}")
        return found


def _name(fault: KnownFault) -> str:
    return fault.rule or f"{fault.verdict} {fault.case}"


def past_of(log: Log, history: History | None) -> Past | None:
    """Return the runs before a log that a history has; None if the log did not end, or is the first of its kind.

    The history may hold the run itself. Runs after it are left out.
    """
    if history is None or log.finished is None:
        return None
    facts = facts_of(log)
    earlier = [run for run in history.runs if run.key == facts.key and run.time <= facts.time and run != facts]
    if not earlier:
        return None
    (series,) = series_of([*earlier, facts])
    return Past(series, series.steps[-1], earlier[-1])
