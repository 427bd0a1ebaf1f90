"""Stress tests with floods of random models, prepared or executed, and judged by the oracle.

Some models are cut in two parts that run one after the other, each on its own driver if there are two drivers. Random
models in cases, which can be replayed one by one, are in :mod:`nnvet.conformance.suites.random_models`.

Source: docs/contract/crash-tests.md 8.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from nnvet.conformance.kit.executing import basic_config, run_test
from nnvet.conformance.kit.judging import Array
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.stress import loads
from nnvet.conformance.stress.catalogue import stress_test
from nnvet.conformance.stress.run import StressRun
from nnvet.generators.metamorphic.relation import OtherForm
from nnvet.generators.metamorphic.wholes import partitioned
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.reducer.evaluation import NotReducibleError
from nnvet.graphs.model import TestModel
from nnvet.hal.interfaces import PreparedModel

_WIDE: Final = GraphOptions(dimensions=(1, 1000), elements=10_000)
"""Sizes of large tensors, as in MLTS: at most 1000 in each dimension, and at most 10000 elements."""
_NARROW: Final = GraphOptions(dimensions=(1, 10))
"""Sizes of small tensors, as in MLTS."""


def _storm(
    run: StressRun,
    load_s: float,
    size: GraphOptions,
    *,
    executes: bool,
    clock: Callable[[], float] = time.perf_counter,
) -> None:
    """Put a flood of random models on the driver; only its own work is timed: support, preparation or execution."""
    wanted = replace(size, level=run.subject.feature_level)
    models = unsupported = 0
    with run.phase("storm", load_s):
        for test in loads.random_tests(
            run.subject, run.seed, wanted, time.monotonic() + load_s, lambda: not run.tally.done
        ):
            begin = clock()
            prepared = loads.prepare_supported(run.subject, test)
            seconds = clock() - begin
            if prepared is None:
                unsupported += 1
                continue
            models += 1
            if executes:
                seconds = _execute_timed(run, prepared, loads.load_of(test), clock)
            run.tally.add(1, [seconds])
    run.facts.update(models=models, unsupported=unsupported)


def _execute_timed(
    run: StressRun, prepared: PreparedModel, load: loads.StressLoad, clock: Callable[[], float]
) -> float:
    """Execute and judge a model, and return the seconds that the execution took.

    :raises CaseFailed: the driver is wrong.
    """
    subject, config = run.subject, basic_config(run.subject)
    begin = clock()
    (answer,) = run_test(prepared, load.test, config, subject.device, subject.timeout_s)
    seconds = clock() - begin
    load.check(answer, config)
    return seconds


@stress_test("RandomModels/Load/Wide", "Random models of ten operations with large tensors are prepared.", 6.0)
def load_wide(run: StressRun, load_s: float) -> None:
    """MLTS: NNRandomGraphLoadTest, dimensions to 1000."""
    _storm(run, load_s, _WIDE, executes=False)


@stress_test("RandomModels/Load/Narrow", "Random models of ten operations with small tensors are prepared.", 6.0)
def load_narrow(run: StressRun, load_s: float) -> None:
    """MLTS: NNRandomGraphLoadTest, dimensions to 10."""
    _storm(run, load_s, _NARROW, executes=False)


@stress_test("RandomModels/Execution/Wide", "Random models of ten operations with large tensors are executed.", 6.0)
def execution_wide(run: StressRun, load_s: float) -> None:
    """MLTS: NNRandomGraphExecutionTest, dimensions to 1000."""
    _storm(run, load_s, _WIDE, executes=True)


@stress_test("RandomModels/Execution/Narrow", "Random models of ten operations with small tensors are executed.", 6.0)
def execution_narrow(run: StressRun, load_s: float) -> None:
    """MLTS: NNRandomGraphExecutionTest, dimensions to 10."""
    _storm(run, load_s, _NARROW, executes=True)


_OPERATIONS: Final = (3, 8)
"""Operations of a model that is cut: at least three, so that both parts have some."""


@stress_test("SplitModels", "Models are cut in two, and the second part runs on the driver of --split-with.", 6.0)
def split_models(run: StressRun, load_s: float) -> None:
    """Each part is compared with its own error bounds, computed from the values that it was given."""
    options = GraphOptions(operations=_OPERATIONS, level=run.subject.feature_level)
    with run.phase("models", load_s), run.other_driver() as other:
        number, end = 0, time.monotonic() + load_s
        for test in loads.random_tests(run.subject, run.seed, options, end, lambda: not run.tally.done):
            parts = _cut(test, f"{run.seed}/{number}")
            number += 1
            drivers = (run.subject, other) if number % 2 else (other, run.subject)
            if parts and all(
                loads.is_supported(driver, part.test) for driver, part in zip(drivers, parts, strict=True)
            ):
                with run.tally.timed():
                    _execute(parts, drivers)
    run.facts["models"] = number


def _cut(test: TestModel, seed: str) -> Sequence[OtherForm]:
    """Return the two parts of a model; no parts if only empty tensors cross the cut."""
    try:
        return partitioned(SeededChooser(f"stress/split/{seed}"), test)
    except NotReducibleError:
        return ()


def _execute(parts: Sequence[OtherForm], drivers: Sequence[Subject]) -> None:
    """Execute and judge the parts, each on its driver and with the outputs of the parts before."""
    results: list[Sequence[Array]] = []
    for part, driver in zip(parts, drivers, strict=True):
        load = loads.load_of(part.fed(results))
        config = basic_config(driver)
        prepared = loads.prepare_load(driver, load)
        (answer,) = run_test(prepared, load.test, config, driver.device, driver.timeout_s)
        load.check(answer, config)
        results.append(answer.outputs)
