"""Models that are cut in two: each part on a driver of its own, if there are two, the second fed by the first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from nnvet.conformance.engine.executing import run_test
from nnvet.conformance.engine.handmade import basic_config
from nnvet.conformance.engine.judging import Array
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.stress.catalogue import stress_test
from nnvet.conformance.stress.loads import is_supported, load_of, prepare_load, random_tests
from nnvet.conformance.stress.run import StressRun
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.metamorphic.relation import OtherForm
from nnvet.generators.metamorphic.wholes import partitioned
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.reducer.parts import NotReducibleError

_OPERATIONS: Final = (3, 8)


@stress_test("SplitModels", "Models are cut in two, and the second part runs on the driver of --split-with.", 6.0)
def split_models(run: StressRun, load_s: float) -> None:
    """Each part is held against its own error bounds, with the values that it was given."""
    options = GraphOptions(operations=_OPERATIONS, level=run.subject.feature_level)
    with run.phase("models", load_s), run.other_driver() as other:
        number, end = 0, time.monotonic() + load_s
        for test in random_tests(run.subject, run.seed, options, end, lambda: not run.tally.done):
            parts = _parts(test, f"{run.seed}/{number}")
            number += 1
            drivers = (run.subject, other) if number % 2 else (other, run.subject)
            if parts and all(is_supported(driver, part.test) for driver, part in zip(drivers, parts, strict=True)):
                with run.tally.timed():
                    _execute(parts, drivers)
    run.facts["models"] = number


def _parts(test: TestModel, seed: str) -> Sequence[OtherForm]:
    """The two parts; none, if nothing but nothing crosses the cut."""
    try:
        return partitioned(SeededChooser(f"stress/split/{seed}"), test)
    except NotReducibleError:
        return ()


def _execute(parts: Sequence[OtherForm], drivers: Sequence[Subject]) -> None:
    results: list[Sequence[Array]] = []
    for part, driver in zip(parts, drivers, strict=True):
        load = load_of(part.fed(results))
        config = basic_config(driver)
        prepared = prepare_load(driver, load)
        (answer,) = run_test(prepared, load.test, config, driver.device, driver.timeout_s)
        load.check(answer, config)
        results.append(answer.outputs)
