"""Checks of priorities on a machine that has other work to do."""

import pytest

from nnvet.conformance.suites.quality_of_service import priorities
from nnvet.hal.enums import Priority


@pytest.mark.parametrize(
    ("load", "milliseconds"), [(0.5, 150), (3.9, 150), (4.0, 300), (32.0, 2400), (40.0, 3000), (1000.0, 3000)]
)
def test_loops_last_longer_on_a_busy_machine(monkeypatch: pytest.MonkeyPatch, load: float, milliseconds: int) -> None:
    """A sum of priority HIGH needs time to overtake loops where 32 others want the two cores; there is a maximum."""
    monkeypatch.setattr(priorities, "load", lambda: load)
    monkeypatch.setattr(priorities, "cores", lambda: 2)
    assert priorities.loop_of(Priority.LOW).loop_timeout_ns == milliseconds * 1_000_000
