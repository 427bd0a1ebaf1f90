"""The page on VTS and CTS: complete by the counts of the catalogues, and nothing in it that does not exist."""

from collections import Counter
from fnmatch import fnmatchcase

import pytest

from docs import vts_coverage
from docs.vts_coverage import HAL_VERSIONS, catalogue, coverage_page, hal_range, known_ids, rows

BOTH = ("vts", "cts")


def test_macros_of_vts_by_version() -> None:
    """There are as many tests for each HAL version as docs/contract/vts-tests.md 0.2 counts macros."""
    counted = Counter(version for row in rows("vts") if not row.part for version in row.hal)
    assert counted == catalogue("vts")["macros"]


def test_mutations_of_models_by_version() -> None:
    """There are 20, 21, 21, 22 and 21 functions that mutate models (docs/contract/vts-tests.md 2.1)."""
    counted = Counter(version for row in rows("vts") if row.file == "ValidateModel.cpp" for version in row.hal)
    assert [counted[version] for version in HAL_VERSIONS] == [20, 21, 21, 22, 21]


@pytest.mark.parametrize("entry", [e for e in catalogue("cts")["file"] if "part" not in e], ids=lambda e: e["name"])
def test_macros_of_cts_by_file(entry: dict) -> None:  # type: ignore[type-arg] # as TOML has it
    """Each file of CTS has as many tests as docs/contract/cts-tests.md 0.3 counts macros, and 4 for TestValidation."""
    assert sum(test.get("count", 1) for test in entry["tests"]) == entry["macros"]


def test_macros_of_test_validation() -> None:
    """The fixtures of TestValidation have 128 tests together."""
    files = [e for e in catalogue("cts")["file"] if e["name"].startswith("TestValidation.cpp")]
    assert sum(entry["macros"] for entry in files) == 128


@pytest.mark.parametrize("name", BOTH)
def test_every_name_exists(name: str) -> None:
    """Whatever stands for a check of ours matches one."""
    globs = {glob for row in rows(name) for glob in row.by}
    assert [glob for glob in sorted(globs) if not any(fnmatchcase(case, glob) for case in known_ids())] == []


def test_no_test_of_vts_is_left_out() -> None:
    """Every test of VTS has one of ours, or a reason why it cannot apply to a driver."""
    assert [(row.file, row.test) for row in rows("vts") if row.is_hole] == []


@pytest.mark.parametrize("name", BOTH)
def test_no_test_is_listed_twice(name: str) -> None:
    """Names are unique within a file and a version."""
    listed = Counter((row.file, row.test, version) for row in rows(name) for version in row.hal or ("",))
    assert [test for test, count in listed.items() if count > 1] == []


def test_marks() -> None:
    """Rows of CTS are marked; only those for the framework alone, and parts that it decides, need a reason."""
    for row in rows("cts"):
        assert row.mark in ("A", "D", "R", "T", "F"), row.test
        assert bool(row.tested) == (row.mark == "R"), row.test
        assert bool(row.reason) == (row.mark == "F"), row.test


def test_every_test_of_the_runtime_has_one_of_ours() -> None:
    """Each is named by a test of the file that the catalogue gives; a name that nobody says is a hole."""
    assert [row.test for row in rows("cts") if row.tested and row.is_hole] == []
    (row,) = (row for row in rows("cts") if row.test == "FailingDriverTest.SimplePlan")
    assert [test.partition("::")[0] for test in row.covered] == [row.tested]
    assert vts_coverage.tests_that_say("FailingDriverTest.Simple", row.tested) == ()


def test_as_many_of_cts_as_are_meant() -> None:
    """The rest are telemetry, flags of servers, lists of programs, OpenMP, a wrapper, and a test's own generator."""
    counted = sum(row.count for row in rows("cts") if row.covered)
    assert (counted, sum(row.count for row in rows("cts"))) == (806, 851)


def test_hal_range() -> None:
    """A version, and a range with both ends."""
    assert hal_range("1.2") == ("1.2",)
    assert hal_range("1.2-AIDL") == ("1.2", "1.3", "AIDL")
    with pytest.raises(ValueError, match=r"1\.4"):
        hal_range("1.4")


def test_the_page_names_every_row() -> None:
    """The page has a line for each test."""
    page = coverage_page()
    assert page.count("\n|") > sum(1 for name in BOTH for _ in rows(name))
    assert "nothing yet" in page or not any(row.is_hole for row in rows("cts"))
