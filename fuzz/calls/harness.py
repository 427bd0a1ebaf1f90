"""The harness ``calls``: a sequence of steps with the objects of a driver (:mod:`nnvet.fuzz.calls.machine`).

Coverage alone cannot guide the fuzzer here, because every sequence runs much the same lines. So the harness marks
(:mod:`nnvet.fuzz.counters`) which call follows which, and how many objects exist at that time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from nnvet.conformance.engine.target import Target
from nnvet.fuzz.calls.machine import STEPS, ApiMachine
from nnvet.fuzz.counters import MARKS
from nnvet.fuzz.harness import Harness, OneInput
from nnvet.fuzz.steps import StepForm
from nnvet.fuzz.target import FuzzedDriver, open_fuzzed
from nnvet.generators.random_graphs.chooser import PlainBytes

FORM: Final = StepForm(size=4, most=32)
"""The first byte of a step chooses the step, the others choose objects and values."""
_SEVERAL: Final = 2
"""From this number of objects of a kind on, all numbers count as the same state."""


class CallsInput:
    """Runs the inputs of the harness on a driver."""

    def __init__(self, driver: FuzzedDriver) -> None:
        """Send all calls to ``driver``."""
        self._driver = driver

    def __call__(self, data: bytes) -> None:
        """Take all steps of an input; a step that is impossible in the present state is replaced by a possible one.

        :raises FuzzFinding: a step does not end as the contract demands.
        """
        machine, before = ApiMachine(self._driver), 0
        _, steps = FORM.sources(data)
        for source in steps:
            number = _possible(machine, source.ConsumeIntInRange(0, _LAST))
            counts = (min(_SEVERAL, len(kind)) for kind in machine.objects)
            MARKS.mark(0, before, number)
            MARKS.mark(1, number, *counts)
            STEPS[number].act(machine, partial(_below, source))
            before = number


_LAST: Final = 255
"""Largest value of a byte."""


def _below(source: PlainBytes, count: int) -> int:
    return source.ConsumeIntInRange(0, count - 1)


def _possible(machine: ApiMachine, number: int) -> int:
    """Return the step of that number, or the next one in the table that is possible."""
    count = len(STEPS)
    return next(
        place % count for place in range(number % count, 2 * count) if STEPS[place % count].is_possible(machine)
    )


@contextmanager
def open_calls(target: Target) -> Iterator[OneInput]:
    """Open the harness on a driver; raises like :func:`nnvet.fuzz.target.open_fuzzed`."""
    with open_fuzzed(target) as driver:
        yield CallsInput(driver)


CALLS: Final = Harness(
    name="calls",
    summary="objects of the driver are made, used and dropped in any order: models, executions, bursts, device memory",
    opens=open_calls,
    seeds=lambda: FORM.seeds("calls"),
    mutator=FORM.mutated,
    crossover=FORM.crossed,
    max_len=FORM.max_len,
)
