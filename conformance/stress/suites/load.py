"""Stress tests of heavy load: undisturbed threads and processes, more models than a driver can hold, a shared cache.

Clients that die are in ``deaths.py``, latency and leaks in ``performance.py``, random models in ``random_models.py``.
Source: docs/contract/crash-tests.md; names that MLTS has are in the docstrings of the tests.
"""

from __future__ import annotations

import random
import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from tempfile import TemporaryDirectory
from typing import Final

from nnvet.conformance.kit.executing import TestConfig, basic_config, execute
from nnvet.conformance.kit.outcome import fail, unsupported
from nnvet.conformance.kit.preparing import built_model, open_request
from nnvet.conformance.stress.catalogue import stress_test
from nnvet.conformance.stress.clients import TOKEN
from nnvet.conformance.stress.loads import StressLoad, infer, load_of, prepare_load, steady_test
from nnvet.conformance.stress.run import StressRun
from nnvet.conformance.stress.threads import run_threads
from nnvet.conformance.suites.caching.fixtures import fresh_cache
from nnvet.conformance.suites.caching.networks import CachedNetwork
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import NO_DEADLINE, ErrorStatus, PrepareModelConfig, Priority

_MISSED: Final = (ErrorStatus.MISSED_DEADLINE_TRANSIENT, ErrorStatus.MISSED_DEADLINE_PERSISTENT)
"""Statuses of an execution that misses its deadline."""
_EXHAUSTED: Final = (ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT)
"""Statuses of a driver that cannot hold more."""
_DEADLINES_NS: Final = (NO_DEADLINE, 0, 200_000, 2_000_000, 20_000_000, 2_000_000_000)
"""Deadlines of executions, counted from the call; the second one has passed already."""
_MOST_MODELS: Final = 1500
"""Models after which the flood ends, at scale 1."""
_KEPT_AT_LEAST: Final = 16
"""Number of prepared models that every driver has to hold at once."""
_CHECKED_EVERY: Final = 100
"""Number of preparations after which one of the held models is executed."""
_LEVEL: Final = 4
"""First feature level (HAL 1.3) with priorities and deadlines."""


@stress_test(
    "QueueOverload",
    "Threads execute with every priority and with deadlines that can and cannot be met.",
    10.0,
    level=_LEVEL,
)
def queue_overload(run: StressRun, load_s: float) -> None:
    """Executions without deadline succeed, those with one succeed or miss it, and all outputs are right."""
    load = load_of(steady_test(run.subject))
    prepared = [prepare_load(run.subject, load, PrepareModelConfig(priority=priority)) for priority in Priority]
    config = basic_config(run.subject)

    def work(numbers: random.Random) -> None:
        _execute_by_deadline(run, load, numbers.choice(prepared), config, numbers.choice(_DEADLINES_NS))

    count = 4 * run.options.threads
    with run.phase("overload", load_s):
        works = [partial(work, random.Random(f"{run.seed}/{number}")) for number in range(count)]  # noqa: S311 - no secret
        run_threads(works, load_s, run.timeout_s, run.tally)
        run.settle()
    with run.phase("recovery"):
        infer(run.subject, prepared[0], load)


def _execute_by_deadline(
    run: StressRun, load: StressLoad, prepared: PreparedModel, config: TestConfig, wait_ns: int
) -> None:
    """Execute a model with a deadline ``wait_ns`` from now on; missing the deadline counts as an allowed error."""
    deadline_ns = NO_DEADLINE if wait_ns == NO_DEADLINE else boot_time_ns() + wait_ns
    with open_request(load.test) as packed:
        (answer,) = execute(prepared, packed.request, config, run.timeout_s, deadline_ns)
        if answer.status in _MISSED and wait_ns != NO_DEADLINE:
            run.tally.count_refusal(answer.status.name)
            return
        outputs = packed.output_arrays(load.test.main.outputs) if answer.status is ErrorStatus.NONE else ()
    load.check(replace(answer, outputs=tuple(outputs)), config)


@stress_test(
    "ManyPreparedModels", "Models are prepared and kept until the driver refuses one, or there are very many.", 10.0
)
def many_prepared_models(run: StressRun, load_s: float) -> None:
    """All held models work, a refusal is RESOURCE_EXHAUSTED, and once they are gone the driver takes models again."""
    load = load_of(steady_test(run.subject))
    # A driver that does not take the model at all refuses nothing for want of space.
    held = [prepare_load(run.subject, load)]
    with run.phase("flood", load_s):
        end = time.monotonic() + load_s
        while len(held) < run.options.number(_MOST_MODELS) and (time.monotonic() < end or len(held) < _KEPT_AT_LEAST):
            try:
                with built_model(load.test, run.subject.feature_level) as model, run.tally.timed():
                    held.append(run.subject.prepare(model))
            except HalError as error:
                _check_exhausted(error, len(held))
                run.tally.count_refusal(error.status.name)
                break
            if len(held) % _CHECKED_EVERY == 0:
                infer(run.subject, held[run.numbers.randrange(len(held))], load)
    run.facts["held"] = len(held)
    with run.phase("all at once"):
        for prepared in (held[0], held[len(held) // 2], held[-1]):
            infer(run.subject, prepared, load)
    with run.phase("recovery"):
        del prepared
        held.clear()
        infer(run.subject, prepare_load(run.subject, load), load)


def _check_exhausted(error: HalError, held: int) -> None:
    """Check that the driver refuses a model for want of resources, and not too early."""
    if error.status not in _EXHAUSTED:
        raise fail("client/recovery", f"with {held} models held, the next one is refused with {error}") from error
    if held < _KEPT_AT_LEAST:
        reason = f"the driver holds no more than {held} small models at once: {error}"
        raise fail("client/recovery", reason) from error


@stress_test("ParallelInference/InProcess", "Threads of the test's own process execute models by every method.", 10.0)
def in_process(run: StressRun, load_s: float) -> None:
    """MLTS: NNParallelInProcessInferenceTest."""
    with run.phase("inference", load_s):
        run.threads("inference", load_s)


@stress_test("ParallelInference/SeparateProcess", "The same threads in a process of their own.", 10.0)
def separate_process(run: StressRun, load_s: float) -> None:
    """MLTS: NNParallelCrashResistantInferenceTest."""
    with run.phase("inference", load_s):
        run.processes("inference", load_s, count=1, threads=run.options.threads)


@stress_test("MemoryMappedModelLoad", "Threads prepare models whose constants are mapped from files.", 8.0)
def memory_mapped_model_load(run: StressRun, load_s: float) -> None:
    """MLTS: NNMemoryMappedModelCompilationTest."""
    with run.phase("loading", load_s):
        run.processes("mapped_loading", load_s, count=1, threads=max(run.options.threads // 2, 1))


@stress_test("InferenceStress", "One thread executes models for long.", 20.0)
def inference_stress(run: StressRun, load_s: float) -> None:
    """MLTS: NNInferenceStressTest."""
    with run.phase("inference", load_s):
        run.threads("inference", load_s, count=1)


@stress_test("ModelLoadingStress", "One thread prepares models, executes each and lets it go, for long.", 20.0)
def model_loading_stress(run: StressRun, load_s: float) -> None:
    """MLTS: NNModelLoadingStressTest."""
    with run.phase("loading", load_s):
        run.threads("loading", load_s, count=1)


@stress_test("CacheStorm", "Processes save a model under one token and prepare it from files, some shared.", 8.0)
def cache_storm(run: StressRun, load_s: float) -> None:
    """A file that others write may be refused; a model prepared from one computes rightly, and later all works."""
    run.require_role("caches")
    # A driver that does not take the model at all has nothing to save.
    prepare_load(run.subject, load_of(steady_test(run.subject)))
    before = _save_and_retrieve(run)
    if before:
        raise unsupported(f"the driver does not prepare what it was given to save: {before}", "cache/retrieval")
    with run.phase("storm", load_s), TemporaryDirectory(prefix="nnvet-stress-") as folder:
        run.processes("caches", load_s, folder=folder)
    with run.phase("recovery"):
        after = _save_and_retrieve(run)
        if after:
            raise fail("client/recovery", f"after the storm a saved model is not found: {after}")


def _save_and_retrieve(run: StressRun) -> str:
    """Save a model and prepare it from its files; return the reason if the driver refuses that, else an empty string.

    :raises CaseFailed: it cannot be saved, or computes wrongly.
    """
    load = load_of(steady_test(run.subject))
    with ExitStack() as stack:
        model = stack.enter_context(built_model(load.test, run.subject.feature_level))
        cache = stack.enter_context(fresh_cache(run.subject, CachedNetwork(load.test, model), TOKEN))
        infer(run.subject, cache.save(), load)
        retrieval = cache.load()
        if retrieval.prepared is None:
            return f"{retrieval.status.name} {retrieval.message}".rstrip()
        infer(run.subject, retrieval.prepared, load)
    return ""
