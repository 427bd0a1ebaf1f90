"""The harness ``calls``: a sequence of steps with the objects of a driver; two bytes or so choose a step."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from nnvet.fuzz.calls.machine import STEPS, ApiMachine
from nnvet.fuzz.harness import Harness, OneInput, Seed
from nnvet.fuzz.target import DriverChoice, FuzzTarget, open_target
from nnvet.generators.random_graphs.fuzzed import PlainBytes

_MAX_LEN: Final = 128
_BYTES_OF_STEP: Final = 2
_SEEDS: Final = 32
_SEED_BYTES: Final = 64


class CallsInput:
    """What is done with an input of the harness."""

    def __init__(self, target: FuzzTarget) -> None:
        """Ask a driver."""
        self._target = target

    def __call__(self, data: bytes) -> None:
        """Take all steps, each one of those that are possible then.

        :raises FuzzFinding: a step does not end as it has to.
        """
        machine, source = ApiMachine(self._target), PlainBytes(data)
        for _ in range(len(data) // _BYTES_OF_STEP):
            possible = [rule for rule in STEPS if rule.is_possible(machine)]
            rule = possible[source.ConsumeIntInRange(0, len(possible) - 1)]
            rule.act(machine, lambda count: source.ConsumeIntInRange(0, count - 1))


@contextmanager
def opened(choice: DriverChoice) -> Iterator[OneInput]:
    """The harness on a driver; raises like :func:`nnvet.fuzz.target.open_target`."""
    with open_target(choice) as target:
        yield CallsInput(target)


def random_seeds(name: str) -> Iterator[Seed]:
    """Inputs of random bytes for a harness that makes choices of them."""
    for number in range(_SEEDS):
        yield Seed(f"random-{number}", random.Random(f"{name}/{number}").randbytes(_SEED_BYTES))  # noqa: S311 - no secret


CALLS: Final = Harness(
    name="calls",
    summary="objects of the driver are made, used and dropped in any order: models, executions, bursts, device memory",
    opens=opened,
    seeds=lambda: random_seeds("calls"),
    max_len=_MAX_LEN,
)
