"""Measures the cost of a random model from its making to its verdict, through the bundled driver's service.

``python benchmarks/random_verdicts.py`` runs models of ten operations as campaigns do, one after the other, and prints
the models per second of processor time of both processes together, the share of each stage, and the wall time of each.
Processor time is least disturbed by other work on the machine.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import patch

from nnvet.conformance.engine.driver import DriverUnderTest, open_subject
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit import bounded
from nnvet.conformance.suites.random_models import RandomCase

_WARM_UP: Final = 100
_SECOND: Final = 10**9


def processor_ns(process_id: int) -> int:
    """Nanoseconds that all threads of a process have had of the processor: its clock, by Linux's numbering."""
    return time.clock_gettime_ns(~process_id << 3 | 2)


class Stages:
    """Nanoseconds of processor time by stage."""

    def __init__(self) -> None:
        """Begin with no time in any stage."""
        self.found: dict[str, int] = {}

    @contextmanager
    def time(self, stage: str) -> Iterator[None]:
        """Count the processor time of this process inside the block."""
        begin = time.process_time_ns()
        yield
        self.found[stage] = self.found.get(stage, 0) + time.process_time_ns() - begin

    def timed(self, stage: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """Return the same function, with its time counted for a stage."""

        def run(*arguments: Any) -> Any:
            with self.time(stage):
                return work(*arguments)

        return run


def run_models(subject: DriverUnderTest, seeds: range, operations: int, stages: Stages) -> None:
    """Make models, and run each as a case of its own.

    :raises CaseFailed: the bundled driver is wrong, or the bounds are.
    """
    for seed in seeds:
        with stages.time("making it"):
            test = RandomCase(f"operations={operations}", seed).make()
        subject.shared.clear()
        with stages.time("suite"):
            bounded.run_bounded(subject, test)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500, help="models")
    parser.add_argument("--operations", type=int, default=10)
    arguments = parser.parse_args()
    stages = Stages()
    with (
        open_subject(Target("reference")) as subject,
        patch.object(bounded, "estimates", stages.timed("estimates", bounded.estimates)),
    ):
        assert subject.process_id is not None  # noqa: S101 - the driver is in its service process
        run_models(subject, range(_WARM_UP), arguments.operations, stages)
        stages.found.clear()
        begin, before = time.monotonic_ns(), processor_ns(subject.process_id)
        run_models(subject, range(_WARM_UP, _WARM_UP + arguments.count), arguments.operations, stages)
        on_clock = time.monotonic_ns() - begin
        service = processor_ns(subject.process_id) - before
    making, estimates, suite = (stages.found[stage] for stage in ("making it", "estimates", "suite"))
    parts = {"making it": making, "estimates": estimates, "rest of the suite": suite - estimates, "service": service}
    total = sum(parts.values())
    a_second = arguments.count * _SECOND / total
    print(f"{arguments.count} models of {arguments.operations} operations: {a_second:.0f} in a second of a processor")
    for part, taken in parts.items():
        print(f"  {part:18} {taken / total:5.1%}  {taken / arguments.count / 1e6:6.2f} ms")
    print(f"  processor, both    100 %  {total / arguments.count / 1e6:6.2f} ms")
    print(f"  on the clock              {on_clock / arguments.count / 1e6:6.2f} ms")


if __name__ == "__main__":
    main()
