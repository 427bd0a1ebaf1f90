"""Recovery of a driver after the load: idle, and without what was made for clients that are gone."""

from __future__ import annotations

import time
from typing import Final

from nnvet.conformance.engine.footprint import Footprint, settled
from nnvet.conformance.engine.outcome import fail
from nnvet.conformance.stress.run import StressRun
from nnvet.conformance.stress.sampling import cpu_time_s

_PATIENCE_S: Final = 3.0
"""Time for which a driver may go on with what it had begun for a client that has gone."""
_LOOK_S: Final = 0.5
_IDLE: Final = 0.3
"""Part of one processor that an idle driver may use."""
_ALLOWED: Final = Footprint(6, 6, 128 << 20)
"""Resources that the death of many clients may leave: caches and pools of threads, but nothing for each of them."""


def check_idle(run: StressRun) -> None:
    """Check that the driver stops working when there is nobody left whom it works for.

    :raises CaseFailed: it computes on.
    """
    if run.driver.pid is None:
        run.facts["idle"] = "not measured: the driver has no process of its own"
        return
    end = time.monotonic() + _PATIENCE_S
    while True:
        before = cpu_time_s(run.driver.pid)
        time.sleep(_LOOK_S)
        share = (cpu_time_s(run.driver.pid) - before) / _LOOK_S
        if share <= _IDLE:
            return
        if time.monotonic() > end:
            reason = f"{_PATIENCE_S:g} s after its clients have gone the driver still uses {share:.0%} of a processor"
            raise fail("client/interference", reason, cpu_share=round(share, 2))


def check_returned(run: StressRun, before: Footprint | None) -> None:
    """Check that descriptors, threads and memory of clients that are gone have come back.

    :raises CaseFailed: the driver holds more than ``before``; None: it cannot be measured.
    """
    if before is None:
        run.facts["footprint"] = "not measured: the driver has no process of its own"
        return
    growth = settled(run.subject, before, _ALLOWED)
    found = {"descriptors": growth.descriptors, "threads": growth.threads, "memory_bytes": growth.memory_bytes}
    run.facts["growth"] = found
    if any(grown > most for grown, most in zip(growth, _ALLOWED, strict=True)):
        text = ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in found.items())
        raise fail("client/leak", f"after the death of its clients the driver holds more than before: {text}", **found)
