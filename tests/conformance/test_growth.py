"""Growth with every cycle is a leak; caches, warm-up and garbage are none. The processes are made up."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit import growth
from nnvet.conformance.kit.checks import checks
from nnvet.conformance.kit.growth import Footprint, Growth, measure_growth
from nnvet.conformance.kit.outcome import Finished
from nnvet.conformance.kit.subject import Subject
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.reports.events import Verdict

KIB, MIB = 1 << 10, 1 << 20
Held = Callable[[int], Footprint]
"""Resources of a process after so many cycles."""


def looked_at(monkeypatch: pytest.MonkeyPatch, held: Held, *, has_sanitizer: bool = False) -> Growth:
    """The judgement on a process that holds what a function says."""
    done = 0

    def cycle() -> None:
        nonlocal done
        done += 1

    monkeypatch.setattr(growth, "measure_footprint", lambda _: held(done))
    monkeypatch.setattr(growth, "has_sanitizer", lambda _: has_sanitizer)
    return measure_growth(cast("Subject", SimpleNamespace()), cycle)


def memory(bytes_after: Callable[[int], float]) -> Held:
    """A process of which only the memory changes, in pages."""
    return lambda done: Footprint(9, 4, 40 * MIB + bytes_after(done) // 4096 * 4096)


@pytest.mark.parametrize(
    ("held", "leaks"),
    [
        (memory(lambda done: 4 * KIB * done), ("memory_bytes",)),
        (memory(lambda done: 64 * KIB * done), ("memory_bytes",)),
        (memory(lambda done: 4 * KIB * done // (256 * KIB) * 256 * KIB), ("memory_bytes",)),
        (lambda done: Footprint(9 + done, 4, 0), ("descriptors",)),
        (lambda done: Footprint(9 + done // 8, 4, 0), ("descriptors",)),
        (lambda done: Footprint(9, 4 + done, 0), ("threads",)),
    ],
    ids=["4 KiB", "64 KiB", "arenas", "descriptors", "every eighth", "threads"],
)
def test_a_leak_is_found(monkeypatch: pytest.MonkeyPatch, held: Held, leaks: tuple[str, ...]) -> None:
    """Of each resource; the slope is what leaks with a cycle, and no smaller than what the look claims to find."""
    found = looked_at(monkeypatch, held)
    assert found.leaks == leaks
    for name in leaks:
        true = getattr(held(64_000), name) - getattr(held(0), name)
        assert found.per_cycle[name].value == pytest.approx(true / 64_000, rel=0.1)
        assert found.evidence["finds_from"][name] <= 2 * true / 64_000


@pytest.mark.parametrize(
    "held",
    [
        memory(lambda _: 0),
        memory(lambda done: min(done, 700) * 64 * KIB),
        memory(lambda done: min(done, 3000) * 4 * KIB),
        memory(lambda done: 48 * MIB * (1 - 0.99**done)),
        memory(lambda done: done % 700 * 64 * KIB),
        memory(lambda done: MIB * np.random.default_rng(done).random()),
        memory(lambda done: 100 * done),
        lambda done: Footprint(9 + min(done, 64), 4 + min(done, 64), 0),
        lambda done: Footprint(9 + done % 2, 4 + done % 3, 0),
    ],
    ids=["nothing", "cache", "history", "warm-up", "garbage", "noise", "bytes", "pools", "to and fro"],
)
def test_what_has_an_end_is_no_leak(monkeypatch: pytest.MonkeyPatch, held: Held) -> None:
    """Caches, histories, pools of threads, allocators, garbage that is collected every 700 cycles, noise of a MiB."""
    assert looked_at(monkeypatch, held).leaks == ()


def test_a_sanitizer_keeps_what_is_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is not judged then, which the evidence says; descriptors are."""
    found = looked_at(monkeypatch, lambda done: Footprint(done, 4, 64 * KIB * done), has_sanitizer=True)
    assert found.leaks == ("descriptors",)
    assert "sanitizer" in found.evidence["unjudged"]["memory_bytes"]


def test_too_few_cycles_judge_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a driver that is so slow, what grows may still be a cache; the evidence says so."""
    monkeypatch.setattr(growth, "_LEAST_CYCLES", 1 << 20)
    found = looked_at(monkeypatch, memory(lambda done: 4 * KIB * done))
    assert found.leaks == ()
    assert "cache" in found.evidence["unjudged"]["memory_bytes"]


@pytest.mark.parametrize("cycles", ["executions", "preparations"])
def test_a_driver_that_supports_nothing_is_asked_for_every_model(cycles: str) -> None:
    """One of them that is invalid would be an ERROR of the suite."""
    case = checks()["LeakTest/Soak"].case_of(cycles)
    target = Target("base", in_process=True, factory=BaseDevice)
    (ended,) = (event.outcome for event in run_cases([case], target) if isinstance(event, Finished))
    assert (ended.verdict, ended.reason) == (
        Verdict.UNSUPPORTED,
        "the driver supports none of the models: ADD, MUL and RELU of float and 8-bit types",
    )
