"""A run beside the earlier ones of a history: what is new, what is fixed, and how fast its models were before."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nnvet.reports.figures import Delta, figure_delta, figure_name, figures_of, leading_figure, median_delta
from nnvet.reports.history import History, KnownFault, RunFacts, facts_of
from nnvet.reports.log import Log
from nnvet.reports.series import RunSeries, RunStep, series_of


@dataclass(frozen=True)
class Past:
    """The runs of a series up to one, and what changed with it."""

    series: RunSeries
    step: RunStep
    before: RunFacts

    @property
    def new(self) -> tuple[tuple[str, str], ...]:
        """Fingerprint and name of each fault that the run before did not have."""
        return tuple((key, _name(self.step.run.faults[key])) for key in self.step.new)

    @property
    def fixed(self) -> tuple[tuple[str, str], ...]:
        """Fingerprint and name of each fault that is gone."""
        known = {key: fault for run in self.series.runs for key, fault in run.faults.items()}
        return tuple((key, _name(known[key])) for key in self.step.fixed)

    def changes(self, log: Log) -> dict[str, Delta]:
        """Return the changes of median latency of the driver's models since the last run; {} of several drivers."""
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
