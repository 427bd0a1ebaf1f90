"""The benchmark: it runs every model of a catalogue on baselines and drivers, side by side in one run.

The command ``nnvet bench`` calls :func:`run_bench`. Results are judged in :mod:`nnvet.models.comparing`, times are
measured in :mod:`nnvet.models.rounds` and :mod:`nnvet.models.compiling`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial

from nnvet.formats.errors import DataError, MissingExtraError, ModelFileError
from nnvet.formats.onnx.reader import import_network
from nnvet.formats.tflite.source import read_file
from nnvet.models.alone import AloneOptions, run_alone
from nnvet.models.catalogue import ModelCatalogue, ModelEntry
from nnvet.models.comparing import Compared, compare_noise, judge
from nnvet.models.compiling import CompileLimits, compile_benchmark
from nnvet.models.conditions import Readers, Watch
from nnvet.models.contenders import BenchModel, Contender, ContenderError, is_baseline, revive
from nnvet.models.datasets import StepSequence, load_sequences
from nnvet.models.driver import DriverContender
from nnvet.models.evaluation import Evaluation, StepResult
from nnvet.models.evaluators import make_evaluator
from nnvet.models.golden import GoldenComparison
from nnvet.models.litert import OPTIMISED, REFERENCE, LiteRt
from nnvet.models.results import BenchResult
from nnvet.models.rounds import (
    RoundLimits,
    Track,
    conditions_of,
    latency_ratio,
    run_rounds,
    waited_share,
    waiting_times_ns,
)
from nnvet.models.statistics import ArithmeticKind, kind_of, make_yardstick
from nnvet.reports.conditions import Conditions
from nnvet.reports.events import Verdict
from nnvet.reports.figures import known_family, summarise


@dataclass(frozen=True)
class BenchOptions:
    """Options of a measurement. Times are seconds of inferences on each contender.

    ``complete_set`` runs every sequence at least once, as accuracy needs, within ``complete_limit_s``. ``compile`` is
    None if compilation is not measured. ``relaxed`` lets drivers compute float32 as float16. ``only`` are globs of
    names. ``wrap`` keeps MLTS's defect in 8-bit preprocessing, which turns white into black. ``done`` are models to
    omit. ``alone`` are further runs of drivers alone. ``readers`` read the machine.
    """

    warmup_s: float = 0.3
    run_s: float = 1.0
    complete_set: bool = True
    complete_limit_s: float = 300.0
    compile: CompileLimits | None = field(default_factory=lambda: CompileLimits(0.1, 0.5))
    relaxed: bool = False
    only: tuple[str, ...] = ("*",)
    wrap: bool = False
    done: frozenset[str] = frozenset()
    alone: AloneOptions = field(default_factory=AloneOptions)
    readers: Readers = field(default_factory=Readers)


@dataclass(frozen=True)
class Progress:
    """Progress of the benchmark: ``done`` of ``total`` sequences of a ``phase`` of a model."""

    model: str
    phase: str
    done: int
    total: int


@dataclass(frozen=True)
class BenchRun:
    """All results, model by model, baselines first; ``interrupted`` if the user stopped the run."""

    results: tuple[BenchResult, ...]
    interrupted: bool = False


@dataclass(frozen=True)
class Hooks:
    """Callbacks for a caller who follows the run: progress, and each result as soon as it is final."""

    progress: Callable[[Progress], None] = lambda _: None
    result: Callable[[BenchResult], None] = lambda _: None


def baselines(*, reference_kernels: bool = False) -> tuple[tuple[Contender, ...], str]:
    """Return LiteRT with its optimised and, on request, its reference kernels; or no baselines and the reason."""
    names = (OPTIMISED, REFERENCE) if reference_kernels else (OPTIMISED,)
    try:
        return tuple(LiteRt(name) for name in names), ""
    except MissingExtraError as error:
        return (), str(error)


def run_bench(
    catalogue: ModelCatalogue,
    contenders: Sequence[Contender],
    options: BenchOptions | None = None,
    hooks: Hooks | None = None,
) -> BenchRun:
    """Run every selected model of ``catalogue`` on all ``contenders`` (baselines first, then drivers).

    A model that cannot be run gives NOT_RUN results with the reason. KeyboardInterrupt ends the run: models that were
    finished keep their results, the others are NOT_RUN.

    :raises DataError: ``options.only`` selects nothing.
    """
    options, hooks = options or BenchOptions(), hooks or Hooks()
    remaining = [entry for entry in select_entries(catalogue, options.only) if entry.name not in options.done]
    results: list[BenchResult] = []
    with suppress(KeyboardInterrupt):
        while remaining:
            finished = bench_entry(catalogue, remaining[0], contenders, options, hooks)
            del remaining[0]
            for result in finished:
                results.append(result)
                hooks.result(result)
    interrupted = bool(remaining)
    for entry in remaining:
        for result in _all_not_run(entry, contenders, "the run was interrupted"):
            results.append(result)
            hooks.result(result)
    return BenchRun(tuple(results), interrupted)


def select_entries(catalogue: ModelCatalogue, only: Sequence[str]) -> list[ModelEntry]:
    """Return the entries whose names match one of the globs; of several entries with one name only the first.

    :raises DataError: a glob matches no name.
    """
    names = [entry.name for entry in catalogue.entries]
    for glob in only:
        if not any(fnmatchcase(name, glob) for name in names):
            raise DataError(f"{catalogue.folder}: no model is selected by {glob}; there are {', '.join(names)}")
    by_name = {entry.name: entry for entry in reversed(catalogue.entries)}
    return [by_name[name] for name in dict.fromkeys(names) if any(fnmatchcase(name, glob) for glob in only)]


def bench_entry(
    catalogue: ModelCatalogue, entry: ModelEntry, contenders: Sequence[Contender], options: BenchOptions, hooks: Hooks
) -> list[BenchResult]:
    """Measure one model on all contenders, and judge the results."""
    path = catalogue.folder / entry.model_path
    try:
        sequences = load_sequences(catalogue.folder, entry, wrap=options.wrap)
        model = _load(BenchModel(entry, path, read_file(path), None), options)
    except (DataError, ModelFileError, MissingExtraError) as error:
        return _all_not_run(entry, contenders, str(error))
    try:
        return _measure(catalogue, model, sequences, contenders, options, hooks)
    except (DataError, MissingExtraError) as error:
        # A fault that shows only while the model runs is in none of its files.
        said = str(error)
        return _all_not_run(entry, contenders, said if str(catalogue.folder) in said else f"{path}: {said}")
    finally:
        if model.imported:
            model.imported.close()


def _load(model: BenchModel, options: BenchOptions) -> BenchModel:
    """Load a model with its HAL form, or with the reason why it has none."""
    entry = model.entry
    try:
        imported = import_network(model.path, model.data, input_shape=entry.input_size, relaxed=options.relaxed)
    except ModelFileError as error:
        return replace(model, import_error=_explain_import_error(model, str(error)))
    return replace(model, imported=imported)


def _explain_import_error(model: BenchModel, error: str) -> str:
    """Return the reason why a model has no HAL form; with the input shape of its own file it may have one."""
    try:
        with import_network(model.path, model.data) as imported:
            own = list(imported.inputs[0].shape)
    except ModelFileError:
        return error
    return f"inputSize {list(model.entry.input_size)} of the list does not fit the model, whose input is {own}: {error}"


def _measure(
    catalogue: ModelCatalogue,
    model: BenchModel,
    sequences: Sequence[StepSequence],
    contenders: Sequence[Contender],
    options: BenchOptions,
    hooks: Hooks,
) -> list[BenchResult]:
    """Warm up, run, compile, score and judge."""
    name = model.entry.name
    watch = Watch(readers=options.readers)
    watch.look_before()
    tracks = [_open(contender, model, options) for contender in contenders]
    watch.own = [pid for track in tracks for pid in track.processes]
    try:
        conditions, waited = _take_turns(tracks, sequences, options, watch, partial(_report_turn, hooks, name))
    finally:
        for contender, track in zip(contenders, tracks, strict=True):
            if track.loaded:
                track.loaded.close()
            if track.error:
                revive(contender, track.error)
    results = [
        replace(
            _result(catalogue, model.entry, track, sequences),
            waited=waited,
            conditions=conditions_of(track, conditions),
        )
        for track in tracks
    ]
    baseline = next((track for track in tracks if is_baseline(track.backend) and not track.error), None)
    if baseline:
        results = [
            result if track is baseline else replace(result, ratio=latency_ratio(track.turns_s, baseline.turns_s))
            for result, track in zip(results, tracks, strict=True)
        ]
    if options.compile:
        results = _measure_compilation(model, contenders, results, options.compile, hooks)
    evaluate = partial(_figures, catalogue, model.entry, sequences)
    results = [
        run_alone(contender, model, sequences, result, options.alone, evaluate, partial(_report_share, hooks, name))
        for contender, result in zip(contenders, results, strict=True)
    ]
    hooks.progress(Progress(name, "judge", len(contenders), len(contenders)))
    noise = _noise(model, tracks, sequences)
    scored = {tuple((result.sequence, result.step) for result in track.results) for track in tracks if not track.error}
    kind = kind_of(model.imported.model) if model.imported else ArithmeticKind.FLOAT32
    steps = [result for track in tracks for result in track.results]
    scored_until = max((step.sequence for step in steps), default=-1) + 1

    def second() -> BenchResult | None:
        return _second_kernel_set(catalogue, model, sequences[:scored_until], options, hooks) if baseline else None

    golden = [track.golden for track in tracks]
    return judge(results, golden, noise, kind, same_steps=len(scored) == 1, second=second)


def _take_turns(
    tracks: Sequence[Track],
    sequences: Sequence[StepSequence],
    options: BenchOptions,
    watch: Watch,
    progress: Callable[[str, int, int], None],
) -> tuple[Conditions, float | None]:
    """Warm up and run; return the conditions of the timed run, and the share of time that it waited for a processor."""
    warmup = RoundLimits(options.warmup_s, complete=False, complete_limit_s=0.0)
    run_rounds(tracks, sequences, warmup, partial(progress, "warm-up"))
    for track in tracks:
        track.forget()

    def show(done: int, total: int) -> None:
        watch.look()
        progress("run", done, total)

    before = waiting_times_ns()
    watch.begin()
    run_rounds(tracks, sequences, RoundLimits(options.run_s, options.complete_set, options.complete_limit_s), show)
    return watch.end(), waited_share(before, waiting_times_ns())


def _report_turn(hooks: Hooks, model: str, phase: str, done: int, total: int) -> None:
    hooks.progress(Progress(model, phase, done, total))


def _report_share(hooks: Hooks, model: str, phase: str, share: float) -> None:
    _report_turn(hooks, model, phase, round(share * 100), 100)


def _figures(
    catalogue: ModelCatalogue, entry: ModelEntry, sequences: Sequence[StepSequence], steps: Sequence[StepResult]
) -> dict[str, float]:
    """Return the evaluator's figures of outputs; none without an evaluator."""
    if entry.evaluator is None:
        return {}
    return make_evaluator(catalogue.folder, entry.evaluator).evaluate(sequences, steps).values


def _measure_compilation(
    model: BenchModel,
    contenders: Sequence[Contender],
    results: Sequence[BenchResult],
    limits: CompileLimits,
    hooks: Hooks,
) -> list[BenchResult]:
    """Return the results with times of compilation, for the contenders that have finished."""
    found = list(results)
    for number, contender in enumerate(contenders):
        if results[number].verdict is Verdict.PASS:
            hooks.progress(Progress(model.entry.name, f"compile on {contender.backend}", number, len(contenders)))
            compilation = compile_benchmark(contender, model, limits)
            found[number] = replace(found[number], compilation=compilation, harness_overhead_s=contender.overhead_s())
    return found


def _second_kernel_set(
    catalogue: ModelCatalogue,
    model: BenchModel,
    sequences: Sequence[StepSequence],
    options: BenchOptions,
    hooks: Hooks,
) -> BenchResult | None:
    """Run LiteRT's slow reference kernels on the scored inputs, untimed; return None if they refuse the model."""
    name = model.entry.name
    track = _open(LiteRt(REFERENCE), model, options)
    limits = RoundLimits(0.0, complete=True, complete_limit_s=options.complete_limit_s)
    run_rounds([track], sequences, limits, lambda done, all_: hooks.progress(Progress(name, REFERENCE, done, all_)))
    if track.loaded:
        track.loaded.close()
    # Examples beyond the limit of time are missing on this side alone: figures are compared on shared ones.
    if track.error and not track.results:
        return None
    return replace(_result(catalogue, model.entry, replace(track, error=None), sequences), verdict=Verdict.PASS)


def _noise(model: BenchModel, tracks: Sequence[Track], sequences: Sequence[StepSequence]) -> list[Compared]:
    """Return the noise in each track's outputs; None for tracks that ended early and models without NNAPI form."""
    finished = [track for track in tracks if not track.error]
    yardstick = make_yardstick(model.imported, sequences) if model.imported and finished else None
    if yardstick is None or model.imported is None:
        return [Compared() for _ in tracks]
    kind = kind_of(model.imported.model)
    return [
        Compared()
        if track.error
        else compare_noise(
            yardstick, {(result.sequence, result.step): result.outputs[0] for result in track.results}, kind
        )
        for track in tracks
    ]


def _open(contender: Contender, model: BenchModel, options: BenchOptions) -> Track:
    """Load a model on a contender, and return its track, which has an error if loading failed."""
    golden = GoldenComparison(relaxed=options.relaxed)
    try:
        loaded = contender.open(model)
    except ContenderError as error:
        return Track(contender.backend, None, golden, error=error)
    track = Track(contender.backend, loaded, golden, used_s=options.readers.processor_s)
    if isinstance(contender, DriverContender):
        track.processes, track.is_accelerator = contender.processes(), contender.is_accelerator
    return track


def _result(
    catalogue: ModelCatalogue, entry: ModelEntry, track: Track, sequences: Sequence[StepSequence]
) -> BenchResult:
    """Return the measurements of a track, not yet judged."""
    evaluation: Evaluation | None = None
    if entry.evaluator and not track.error:
        evaluation = make_evaluator(catalogue.folder, entry.evaluator).evaluate(sequences, track.results)
    return BenchResult(
        model=entry.name,
        backend=track.backend,
        verdict=track.error.verdict if track.error else Verdict.PASS,
        reason=track.error.reason if track.error else "",
        evidence=track.error.evidence if track.error else {},
        latency=summarise(track.latencies_s) if track.latencies_s else None,
        golden=track.golden.errors(),
        evaluation=evaluation,
        test_set_size=sum(len(sequence.steps) for sequence in sequences),
        scored_steps=len(track.results),
        first_inference_s=track.first_s,
        energy_j=track.energy_j / len(track.latencies_s) if track.energy_j and track.latencies_s else None,
        family=known_family(entry.name),
        toy=entry.toy,
    )


def _all_not_run(entry: ModelEntry, contenders: Sequence[Contender], reason: str) -> list[BenchResult]:
    """Return the verdict NOT_RUN for every contender."""
    return [
        BenchResult(
            entry.name, contender.backend, Verdict.NOT_RUN, reason, family=known_family(entry.name), toy=entry.toy
        )
        for contender in contenders
    ]
