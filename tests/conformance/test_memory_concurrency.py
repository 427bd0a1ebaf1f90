"""Two threads that use one device memory: planted drivers that crash of it, or block, are found for that rule."""

from pathlib import Path

import pytest

from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import Case, checks
from nnvet.conformance.kit.outcome import Finished
from nnvet.reports.events import Verdict

DRIVERS = Path(__file__).parents[1] / "drivers" / "lawful.py"


def case_of(pair: str) -> Case:
    """The case of a pair of uses."""
    return checks()["MemoryDomainConcurrencyTest/ConcurrentUse"].case_of(pair)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("driver", "pair", "expected"),
    [
        ("zoo:buffer-concurrent-crash", "CopyFrom_CopyTo", (Verdict.CRASH, "buffer/concurrent")),
        ("zoo:buffer-concurrent-blocks", "CopyTo_ExecutionOutput", (Verdict.HANG, "buffer/concurrent")),
        ("reference", "CopyFromOtherShape_CopyTo", (Verdict.PASS, "")),
        (f"python:{DRIVERS}:no_device_memory", "CopyFrom_CopyTo", (Verdict.UNSUPPORTED, "allocate/supported")),
    ],
)
def test_uses_at_the_same_time(driver: str, pair: str, expected: tuple[Verdict, str]) -> None:
    """The verdict names the rule of such uses; a driver that has no device memory passes nothing."""
    (ended,) = [
        case for case in run_cases([case_of(pair)], Target(driver, timeout_s=5.0)) if isinstance(case, Finished)
    ]
    assert (ended.outcome.verdict, ended.outcome.rule) == expected
