"""Deadlines of preparations from a cache, and caches of other versions: planted drivers break the right rule."""

from pathlib import Path

import pytest

from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import checks
from nnvet.conformance.kit.outcome import Finished
from nnvet.reports.events import Verdict

DRIVERS = Path(__file__).parents[1] / "drivers" / "caching_drivers.py"
PASSED, FAILED, UNSUPPORTED = Verdict.PASS, Verdict.FAIL, Verdict.UNSUPPORTED
FROM_CACHE = "DeadlineTest/PrepareModelFromCache"
OTHER_VERSION = "CompilationCachingTest/OtherVersion"
FLOAT = "TENSOR_FLOAT32"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("driver", "check", "argument", "expected"),
    [
        ("zoo:deadline-cache-overflows", FROM_CACHE, "UNLIMITED", (FAILED, "prepare/deadline.status")),
        ("zoo:deadline-cache-wrong-status", FROM_CACHE, "LONG_PAST", (FAILED, "prepare/deadline.status")),
        ("zoo:deadline-cache-wrong-status", FROM_CACHE, "NONE", (PASSED, "")),
        ("zoo:deadline-cache-negative", f"{FROM_CACHE}Negative", "", (FAILED, "prepare/deadline")),
        pytest.param(
            *("zoo:deadline-cache-waits", FROM_CACHE, "LONG_PAST", (Verdict.HANG, "driver/hang")),
            marks=pytest.mark.long,
        ),
        (f"python:{DRIVERS}:no_caching", FROM_CACHE, "NOW", (UNSUPPORTED, "cache/unsupported")),
        ("reference", OTHER_VERSION, FLOAT, (PASSED, "")),
        ("zoo:cache-version-wrong", OTHER_VERSION, FLOAT, (FAILED, "cache/version")),
        ("zoo:cache-version-crash", OTHER_VERSION, FLOAT, (Verdict.CRASH, "cache/version")),
        (f"python:{DRIVERS}:never_stores", OTHER_VERSION, FLOAT, (UNSUPPORTED, "cache/retrieval")),
    ],
)
def test_verdicts(driver: str, check: str, argument: str, expected: tuple[Verdict, str]) -> None:
    """Each planted fault is found by the check that is there for it; a driver without a cache passes nothing."""
    case = checks()[check].case_of(argument)
    (ended,) = [event for event in run_cases([case], Target(driver, timeout_s=10.0)) if isinstance(event, Finished)]
    assert (ended.outcome.verdict, ended.outcome.rule) == expected, ended.outcome.reason
