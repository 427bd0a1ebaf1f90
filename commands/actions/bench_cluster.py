"""Plan of a benchmark run, and its execution on this machine or on the workers of a cluster.

``nnvet bench`` calls :func:`plan_of` and :func:`bench_plan`. On a cluster, one worker measures each model, and no other
task runs on its machine meanwhile. :mod:`nnvet.commands.actions.bench` measures on this machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace as replace_event

from nnvet.commands.actions.bench import BenchChoice, BenchJournal, BenchWatcher, benchmark, open_contenders
from nnvet.commands.actions.run import run_plans
from nnvet.conformance.cluster.chunk import Fate
from nnvet.conformance.cluster.fleet import Fleet
from nnvet.conformance.cluster.host import UnfitError
from nnvet.conformance.cluster.solo import Described, SoloResult, SoloTask
from nnvet.conformance.cluster.solo_run import SoloRun
from nnvet.conformance.engine.catalogue import Batch
from nnvet.conformance.engine.driver import open_subject
from nnvet.conformance.engine.pool import make_events
from nnvet.conformance.engine.runner import Plan
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.engine.work import Answer, Assignment, Message, Ready
from nnvet.formats.errors import DataError
from nnvet.models.bench import Hooks, Progress, baselines, bench_entry, select_entries
from nnvet.models.bundled import ZOO
from nnvet.models.catalogue import LISTS_FOLDER, ModelCatalogue, ModelEntry, load_catalogue
from nnvet.models.results import BenchResult
from nnvet.models.rounds import energy_meter
from nnvet.reports.events import OUR_BACKEND, Command, Verdict
from nnvet.reports.facts import places_in_words, places_of
from nnvet.reports.figures import known_family
from nnvet.reports.log import EventLog

_BASELINES: Final = "baselines"
"""Key of what all machines of a cluster must have in common: the names of the baselines."""


@dataclass
class BenchOnCluster:
    """The machines of a cluster: they describe the driver to a run, and then measure."""

    fleet: Fleet
    targets: Sequence[Target]
    choice: BenchChoice
    _run: SoloRun | None = None
    _backends: tuple[str, ...] = ()

    def run(self, batches: Iterable[Batch], assignment: Assignment) -> Generator[Message]:  # noqa: ARG002 - no batches
        """Yield the description of driver and machine; see :class:`nnvet.conformance.engine.work.Elsewhere`.

        :raises SelectorError: no worker has such a driver.
        :raises ClusterError: there are no workers, or they differ in drivers, models or baselines.
        :raises WorkerError: the scheduler or the last worker is gone.
        """
        choice = _make_absolute(self.choice)
        self._run = SoloRun(
            self.fleet,
            partial(describe_worker, tuple(self.targets), choice),
            {"models": _digest_models(_read_catalogue(choice))},
        )
        first = self._run.introduce_workers()
        if first is None:
            if self._run.lost is not None:
                yield from make_events(self._run.lost)
            return
        its = first.described
        others = filter(None, its.alike[_BASELINES].split(", "))
        self._backends = (*others, *(OUR_BACKEND + target.selector for target in self.targets))
        yield replace(its.drivers[0], machine=first.facts)

    def ask(self, function: Callable[..., Answer], *args: Any) -> Answer:
        """Call a function on one of the workers; return its result, or raise its exception.

        :raises ClusterError: there is no worker.
        """
        return self.fleet.ask(function, *args)

    def bench_into(self, log: EventLog, watcher: BenchWatcher) -> bool:
        """Let workers measure the models that are not in the log; return False if a model failed on a driver.

        :raises WorkerError: the scheduler or the last worker is gone; finished models are in the log.
        """
        if self._run is None:
            raise DataError("no worker was asked what it has")
        choice = _make_absolute(self.choice)
        done = frozenset(measurement.model for measurement in log.so_far.measurements)
        if done:
            watcher.note(f"{len(done)} models are measured already")
        entries = [listed for listed in select_entries(_read_catalogue(choice), choice.only) if listed.name not in done]
        journal = BenchJournal(log, self.targets, self.choice)
        self._run.on_start = lambda number, _: watcher.step(Progress(entries[number].name, "run", number, len(entries)))
        tasks = [SoloTask(entry.name, measure_model, (tuple(self.targets), choice, entry.name)) for entry in entries]
        for result in self._run.results(tasks):
            entry = entries[result.number]
            if result.answer is None:
                journal.keep_model([_judge_given_up(entry, backend, result) for backend in self._backends])
            else:
                journal.keep_model(result.answer.value, result.answer.worker, result.answer.facts)
        if len(places_of(log.so_far.measurements)) > 1:
            watcher.note(places_in_words(log.so_far.measurements)[0])
        return not journal.failed


def describe_worker(targets: Sequence[Target], choice: BenchChoice) -> Described:
    """Return the drivers, models and baselines of a worker.

    :raises UnfitError: the models are not there.
    :raises SelectorError: it has no such driver.
    :raises DriverLostError: a driver does not start.
    """
    try:
        catalogue = _read_catalogue(choice)
    except DataError as error:
        raise UnfitError(Fate.UNFIT, f"{error}; give all workers the models at one path") from error
    drivers = []
    for target in targets:
        with open_subject(target) as subject:
            facts = replace_event(subject.facts, selector=target.selector)
            drivers.append(Ready(facts, tuple(subject.findings)))
    others, missing = baselines(reference_kernels=choice.reference_kernels)
    no_energy = energy_meter()[1]
    notes = (f"no baseline: {missing}" if missing else "", f"no energy: {no_energy}" if no_energy else "")
    alike = {"models": _digest_models(catalogue), _BASELINES: ", ".join(other.backend for other in others)}
    return Described(tuple(drivers), alike, tuple(filter(None, notes)))


def measure_model(targets: Sequence[Target], choice: BenchChoice, name: str) -> list[BenchResult]:
    """Measure a model on all contenders, in the process of a task.

    :raises SelectorError, DriverGone: a driver does not open.
    """
    catalogue = _read_catalogue(choice)
    entry = next(entry for entry in catalogue.entries if entry.name == name)
    with open_contenders(targets, choice) as (contenders, _):
        return bench_entry(catalogue, entry, contenders, choice.measuring, Hooks())


def _judge_given_up(entry: ModelEntry, backend: str, result: SoloResult) -> BenchResult:
    """Return CRASH of a driver if workers have died of the model, else NOT_RUN."""
    died = result.deaths and backend.startswith(OUR_BACKEND)
    return BenchResult(
        entry.name,
        backend,
        Verdict.CRASH if died else Verdict.NOT_RUN,
        result.reason,
        evidence={"workers": [dict(death) for death in result.deaths]} if died else {},
        family=known_family(entry.name),
        toy=entry.toy,
    )


def _make_absolute(choice: BenchChoice) -> BenchChoice:
    """Return the options with an absolute path; the bundled models need none, since they come with the package."""
    return choice if choice.folder is None else replace(choice, folder=choice.folder.absolute())


def _read_catalogue(choice: BenchChoice) -> ModelCatalogue:
    return load_catalogue(choice.folder or ZOO)


def _digest_models(catalogue: ModelCatalogue) -> str:
    """Return a digest of the lists of models, and of the names and sizes (not contents) of their files."""
    digest = hashlib.sha256()
    for path in sorted(file for file in catalogue.folder.rglob("*") if file.is_file()):
        relative = path.relative_to(catalogue.folder)
        digest.update(f"{relative.as_posix()} {path.stat().st_size}\n".encode())
        if relative.parts[0] == LISTS_FOLDER:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def plan_of(targets: Sequence[Target], choice: BenchChoice, out: Path, globs: tuple[str, ...], *, resume: bool) -> Plan:
    """Return the plan of a run without cases, which only measures; it is named after the first driver."""
    beside = tuple(part for target in targets[1:] for part in ("-d", target.selector))
    return Plan(
        targets[0],
        out,
        selection=Selection(globs),
        conformance=False,
        command=Command.BENCHMARK,
        resume=resume,
        options=(*beside, *choice.options),
    )


def bench_plan(
    plan: Plan, targets: Sequence[Target], choice: BenchChoice, fleet: Fleet | None, history: Path | None
) -> int:
    """Run the plan on the workers of ``fleet``, or here without one; return the exit code.

    :raises SelectorError: there is no such driver.
    :raises DataError: the folder is no benchmark, or no model of it is selected.
    """
    if fleet is None:
        return run_plans([(plan, benchmark(targets, choice))], history)
    # Imported late, because dask is an extra.

    machines = BenchOnCluster(fleet, targets, choice)
    return run_plans([(plan, benchmark(targets, choice, machines))], history, machines)
