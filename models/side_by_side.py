"""Time and energy of sessions of one model, block by block in turns, so that whatever slows the machine slows all."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from nnvet.models.contenders import ModelSession
from nnvet.models.datasets import StepSequence
from nnvet.models.energy import EnergyMeter

_BLOCK_S: Final = 0.02
_UNDISTURBED: Final = 10
"""Percentile of latencies that counts: whatever else the machine does makes some longer, and none shorter."""


@dataclass
class Usage:
    """Time and energy of a session: seconds of each inference, seconds of whole blocks, their joules if metered."""

    latencies_s: list[float] = field(default_factory=list)
    blocks_s: float = 0.0
    joules: float | None = None

    @property
    def undisturbed_s(self) -> float:
        """Of an inference that nothing got into the way of."""
        return float(np.percentile(self.latencies_s, _UNDISTURBED))

    @property
    def watts(self) -> float | None:
        """Mean power of the machine while the session was at work; None: not metered."""
        return None if self.joules is None else self.joules / self.blocks_s


def measure(
    sessions: Sequence[ModelSession], sequences: Sequence[StepSequence], seconds: float, meter: EnergyMeter | None
) -> list[Usage]:
    """Usage of each session after ``seconds`` of blocks of each, one at least, and a warm-up of one block.

    :raises ContenderError: a session fails.
    :raises OSError: the meter fails.
    """
    for session in sessions:
        _block(session, sequences, Usage(), None)
    usages = [Usage() for _ in sessions]
    while True:
        for session, usage in zip(sessions, usages, strict=True):
            _block(session, sequences, usage, meter)
        if all(usage.blocks_s >= seconds for usage in usages):
            return usages


def _block(session: ModelSession, sequences: Sequence[StepSequence], usage: Usage, meter: EnergyMeter | None) -> None:
    """Whole sequences for a little while, at least one."""
    if meter is not None:
        meter.used()
    started = time.perf_counter()
    while True:
        _sequence(session, sequences[len(usage.latencies_s) % len(sequences)], usage.latencies_s)
        spent = time.perf_counter() - started
        if spent >= _BLOCK_S:
            break
    usage.blocks_s += spent
    if meter is not None:
        usage.joules = (usage.joules or 0.0) + meter.used()


def _sequence(session: ModelSession, sequence: StepSequence, latencies_s: list[float]) -> None:
    session.reset()
    for step in sequence.steps:
        session.put(step.load())
        started = time.perf_counter()
        session.invoke()
        latencies_s.append(time.perf_counter() - started)
        session.take()
