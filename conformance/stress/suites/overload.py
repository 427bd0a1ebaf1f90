"""More than a driver can do or hold at once: it may refuse, with the errors that are for that, and has to recover."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from functools import partial
from typing import Final

from nnvet.conformance.engine.config import TestConfig
from nnvet.conformance.engine.executing import execute
from nnvet.conformance.engine.handmade import basic_config
from nnvet.conformance.engine.outcome import fail
from nnvet.conformance.engine.preparing import built_model, open_request
from nnvet.conformance.stress.catalogue import stress_test
from nnvet.conformance.stress.loads import StressLoad, infer, load_of, prepare_load, steady_test
from nnvet.conformance.stress.run import StressRun
from nnvet.conformance.stress.threads import run_threads
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, Priority
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import PrepareModelConfig

_MISSED: Final = (ErrorStatus.MISSED_DEADLINE_TRANSIENT, ErrorStatus.MISSED_DEADLINE_PERSISTENT)
_EXHAUSTED: Final = (ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT)
_DEADLINES_NS: Final = (NO_DEADLINE, 0, 200_000, 2_000_000, 20_000_000, 2_000_000_000)
"""From now on; the second has passed already."""
_MOST_MODELS: Final = 1500
_KEPT_AT_LEAST: Final = 16
"""Prepared models that any driver has to hold at once, at the least."""
_CHECKED_EVERY: Final = 100
_LEVEL: Final = 4


@stress_test(
    "QueueOverload",
    "Threads execute with every priority and with deadlines that can and cannot be met.",
    10.0,
    level=_LEVEL,
)
def queue_overload(run: StressRun, load_s: float) -> None:
    """Executions without deadline succeed; those with one succeed or miss it; all outputs that there are are right."""
    load = load_of(steady_test(run.subject))
    prepared = [prepare_load(run.subject, load, PrepareModelConfig(priority=priority)) for priority in Priority]
    config = basic_config(run.subject)

    def work(numbers: random.Random) -> None:
        _one_of_the_queue(run, load, numbers.choice(prepared), config, numbers.choice(_DEADLINES_NS))

    count = 4 * run.options.threads
    with run.phase("overload", load_s):
        works = [partial(work, random.Random(f"{run.seed}/{number}")) for number in range(count)]  # noqa: S311 - no secret
        run_threads(works, load_s, run.timeout_s, run.tally)
        run.settle()
    with run.phase("recovery"):
        infer(run.subject, prepared[0], load)


def _one_of_the_queue(
    run: StressRun, load: StressLoad, prepared: PreparedModel, config: TestConfig, wait_ns: int
) -> None:
    deadline_ns = NO_DEADLINE if wait_ns == NO_DEADLINE else boot_time_ns() + wait_ns
    with open_request(load.test) as packed:
        (answer,) = execute(prepared, packed.request, config, run.timeout_s, deadline_ns)
        if answer.status in _MISSED and wait_ns != NO_DEADLINE:
            run.tally.refused(answer.status.name)
            return
        outputs = packed.output_arrays(load.test.main.outputs) if answer.status is ErrorStatus.NONE else ()
    load.check(replace(answer, outputs=tuple(outputs)), config)


@stress_test(
    "ManyPreparedModels", "Models are prepared and kept until the driver refuses one, or there are very many.", 10.0
)
def many_prepared_models(run: StressRun, load_s: float) -> None:
    """All that are held work; the refusal is RESOURCE_EXHAUSTED; when they are gone, the driver takes models again."""
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
                run.tally.refused(error.status.name)
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
    if error.status not in _EXHAUSTED:
        raise fail("client/recovery", f"with {held} models held, the next one is refused with {error}") from error
    if held < _KEPT_AT_LEAST:
        reason = f"the driver holds no more than {held} small models at once: {error}"
        raise fail("client/recovery", reason) from error
