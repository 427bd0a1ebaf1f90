"""Latencies in turns: a busy machine causes no false alarm, and a driver that has become slower is found on it."""

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from nnvet.conformance.kit.growth import Interval, median_interval
from nnvet.conformance.kit.outcome import CaseFailed
from nnvet.conformance.stress.suites.performance import (
    LEAST_TURNS,
    Block,
    TimedTurn,
    block_of,
    in_turns,
    judge_ratio,
    measure_growth,
    ratios_of,
)

PHASE_S = 4.0
MOST = 0.5


class Machine:
    """Time that passes as things are executed; ``load`` is by how much everything takes longer at a time."""

    def __init__(self, seed: int, load: Callable[[float], float]) -> None:
        """It begins."""
        self.now = 0.0
        self.load = load
        self.numbers = random.Random(seed)

    def block(self, latency_s: Callable[[], float]) -> Block:
        """Executes what takes so long on an idle machine."""

        def execute() -> float:
            seconds = latency_s() * self.load(self.now) * self.numbers.lognormvariate(0, 0.3)
            self.now += seconds
            return seconds

        return block_of(execute, lambda: self.now)

    def turns(self, judged: Block, beside: Block) -> list[TimedTurn]:
        """Both, for one phase."""
        return in_turns(judged, beside, PHASE_S, lambda: self.now)


def bursts(seed: int) -> Callable[[float], float]:
    """Every second of a machine is idle or busy, up to ten times as slow; towards the end it is busy for good."""
    numbers = random.Random(seed)
    seconds = [numbers.choice((1.0, 1.0, 3.0, 10.0)) for _ in range(1000)]
    return lambda now: seconds[min(int(now), 999)] * (1.0 if now < PHASE_S + 1 else 3.0)


def over_time(seed: int, slower: float) -> Interval:
    """Return OverTime's interval for a driver that is so many times as slow after long work, and for an idle one."""
    machine, latency = Machine(seed, bursts(seed)), [0.002]
    own, idle = machine.block(lambda: latency[0]), machine.block(lambda: 0.002)
    first = machine.turns(own, idle)
    latency[0] *= slower
    machine.now += 5.0
    return measure_growth(first, machine.turns(own, idle))


def is_accused(ratio: Interval) -> bool:
    """Return True if the limit is broken for certain."""
    run: Any = SimpleNamespace(facts={})
    try:
        judge_ratio(run, ratio, MOST, "later")
    except CaseFailed as failed:
        return failed.outcome.rule == "client/degradation"
    return False


@pytest.mark.parametrize("seed", range(10))
def test_load_accuses_nobody(seed: int) -> None:
    """On a machine that becomes three times as slow, and more for moments, the same driver has the same ratio."""
    found = over_time(seed, 1.0)
    assert found.low <= 1.0 <= found.high
    assert not is_accused(found)


@pytest.mark.parametrize("seed", range(10))
def test_a_driver_that_has_become_slower_is_found(seed: int) -> None:
    """On the same machine."""
    assert is_accused(over_time(seed, 4.0))


def test_a_median_without_turns_would_accuse() -> None:
    """The load of these tests is one at which latencies of two times differ by more than is allowed."""
    machine = Machine(0, bursts(0))
    block = machine.block(lambda: 0.002)
    first = sorted(block(PHASE_S))
    machine.now += 5.0
    last = sorted(block(PHASE_S))
    assert last[len(last) // 2] > (1 + MOST) * first[len(first) // 2]


@pytest.mark.parametrize(("factor", "is_slower"), [(1.0, False), (4.0, True)])
def test_what_disturbs_is_seen_in_turns(factor: float, is_slower: bool) -> None:
    """Blocks that are disturbed against those that are not."""
    machine = Machine(3, bursts(3))
    turns = machine.turns(machine.block(lambda: 0.002 * factor), machine.block(lambda: 0.002))
    found = median_interval(ratios_of(turns))
    assert found.low <= factor <= found.high
    assert is_accused(found) == is_slower


def test_a_slow_driver_has_turns_enough() -> None:
    """Of executions of a minute there are as many as a ratio needs, and no more; neither is always first."""
    order: list[str] = []
    machine = Machine(0, lambda _: 1.0)

    def slow(name: str) -> Block:
        def latency() -> float:
            order.append(name)
            return 60.0

        return machine.block(latency)

    assert len(in_turns(slow("a"), slow("b"), 1.0, lambda: machine.now)) == LEAST_TURNS
    assert len(order) == 2 * 3 * LEAST_TURNS
    assert "".join(order[:12]) == "aaabbbbbbaaa"
