"""Checks of compilation caching on drivers that cache in unusual ways, or not at all."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import checks
from nnvet.conformance.kit.outcome import Finished
from nnvet.conformance.suites.caching import basic
from nnvet.reports.events import Verdict

DRIVERS = Path(__file__).parents[1] / "drivers" / "caching_drivers.py"
FAILED, PASSED, UNSUPPORTED = Verdict.FAIL, Verdict.PASS, Verdict.UNSUPPORTED

# Names as in docs/contract/vts-tests.md 5.2; what it demands of drivers without caching, and no more.
WITHOUT_CACHING = {
    "CacheSavingAndRetrieval": PASSED,
    "CacheSavingAndRetrievalNonZeroOffset": PASSED,
    "SaveOverLongerFiles": PASSED,
    "SaveToCacheInvalidNumCache": PASSED,
}


def verdicts(
    selector: str, *, only: str = "", in_process: bool = True, level: int | None = None
) -> Mapping[str, tuple[Verdict, str]]:
    """Verdict and rule of each check of caching; of one with several parameters, those of its last case."""
    cases = [
        case for check in checks().values() if check.suite.startswith("CompilationCaching") for case in check.cases()
    ]
    chosen = [case for case in cases if only in case.id and not case.id.endswith(tuple("123456789"))]
    target = Target(selector, in_process, timeout_s=20.0, level=level)
    ended = [event for event in run_cases(chosen, target) if isinstance(event, Finished)]
    assert len(ended) == len(chosen)
    return {event.case.split("/")[1]: (event.outcome.verdict, event.outcome.rule) for event in ended}


def verdicts_of(name: str) -> Mapping[str, tuple[Verdict, str]]:
    """Verdicts on one of the drivers beside this file."""
    return verdicts(f"python:{DRIVERS}:{name}")


def test_all_of_vts_is_there() -> None:
    """Every test of docs/contract/vts-tests.md 5.2 and 5.4 has a check of its name."""
    names = {check.name for check in checks().values() if check.suite == basic.SUITE}
    assert names >= {
        "CacheSavingAndRetrieval",
        "CacheSavingAndRetrievalNonZeroOffset",
        "SaveToCacheInvalidNumCache",
        "PrepareModelFromCacheInvalidNumCache",
        "SaveToCacheInvalidNumFd",
        "PrepareModelFromCacheInvalidNumFd",
        "SaveToCacheInvalidAccessMode",
        "PrepareModelFromCacheInvalidAccessMode",
        "SaveToCache_TOCTOU",
        "PrepareFromCache_TOCTOU",
        "ReplaceSecuritySensitiveCache",
    }
    security = [
        case.id
        for check in checks().values()
        if check.suite == "CompilationCachingSecurityTest"
        for case in check.cases()
    ]
    for name in (
        "CorruptedModelCache",
        "WrongLengthModelCache",
        "CorruptedDataCache",
        "WrongLengthDataCache",
        "WrongToken",
    ):
        seeded = [case for case in security if case.split("/")[1] == name]
        assert len(set(seeded)) == 20


def test_a_driver_without_caching() -> None:
    """A driver without caching passes the checks that concern it; all others are UNSUPPORTED, and nothing fails."""
    found = verdicts_of("no_caching")
    passed = {name: verdict for name, (verdict, _) in found.items() if name in WITHOUT_CACHING}
    assert passed == WITHOUT_CACHING
    others = {verdict for name, (verdict, _) in found.items() if name not in WITHOUT_CACHING}
    assert others == {UNSUPPORTED}


def test_a_driver_without_caching_must_say_so() -> None:
    """INVALID_ARGUMENT is no answer to the right number of files, none, where there is no caching."""
    found = verdicts("zoo:cache-none-blames")
    assert found["CacheSavingAndRetrieval"] == (FAILED, "cache/unsupported")
    assert found["PrepareModelFromCacheInvalidNumCache"][0] is UNSUPPORTED


def test_a_driver_that_never_stores() -> None:
    """A driver that stores nothing is no failure, but passes nothing that needs a cache: it has shown nothing."""
    found = verdicts_of("never_stores")
    assert FAILED not in {verdict for verdict, _ in found.values()}
    for name in ("CacheSavingAndRetrieval", "ReplaceSecuritySensitiveCache", "CorruptedModelCache", "WrongToken"):
        assert found[name] == (UNSUPPORTED, "cache/retrieval")
    assert found["SaveToCacheInvalidAccessMode"][0] is PASSED


def test_a_driver_with_several_files_of_one_kind() -> None:
    """Model cache files alone are as good; there is then no data cache to damage."""
    found = verdicts_of("model_files_only")
    wrong = {name: verdict for name, verdict in found.items() if verdict[0] is not PASSED}
    assert {name: verdict for name, (verdict, _) in wrong.items()} == dict.fromkeys(
        ("CorruptedDataCache", "WrongLengthDataCache", "TruncatedDataCache"), UNSUPPORTED
    )


@pytest.mark.parametrize("thing", ["pipes", "links", "folders", "huge_files"])
def test_a_driver_that_puts_something_else_in_place_of_its_files(thing: str) -> None:
    """Nobody waits for a pipe, follows a link into a device or reads 4 TB: it is the driver's FAIL, in every check."""
    found = verdicts_of(f"puts_{thing}")
    right = {(FAILED, "cache/files.kept"), (UNSUPPORTED, "cache/retrieval"), (PASSED, "")}
    assert set(found.values()) <= right
    assert found["CacheSavingAndRetrieval"] == (FAILED, "cache/files.kept")
    assert found["CorruptedModelCache"] == (FAILED, "cache/files.kept")


def test_a_driver_that_removes_its_files() -> None:
    """The next client makes them anew, and they are empty: nothing is found again, which is no fault of the suite."""
    assert Verdict.ERROR not in {verdict for verdict, _ in verdicts_of("puts_nothing").values()}


def test_a_driver_of_few_operations() -> None:
    """A driver that does not take the networks is left out; the chains of additions are not enough for it."""
    assert {verdict for verdict, _ in verdicts("reference:minimal").values()} == {UNSUPPORTED}


@pytest.mark.parametrize(("level", "verdict"), [(2, UNSUPPORTED), (3, PASSED)])
def test_levels(level: int, verdict: Verdict) -> None:
    """Caching begins at feature level 3."""
    found = verdicts("reference", level=level)
    assert {answer for answer, _ in found.values()} == {verdict}


@pytest.mark.parametrize(
    ("selector", "expected"),
    [("reference", (PASSED, "")), ("zoo:cache-forgets", (UNSUPPORTED, "cache/restart"))],
)
def test_restarts_of_a_process(selector: str, expected: tuple[Verdict, str]) -> None:
    """A process that is ended between saving and preparing leaves the next one what it needs, or nothing."""
    assert verdicts(selector, only="RetrievalAfterRestart", in_process=False) == {"RetrievalAfterRestart": expected}
