"""``nnvet upgrade``: two versions of a driver side by side, and the old one's caches offered to the new one."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest

from nnvet.reports.diff import OLDER_CACHE
from nnvet.reports.events import Verdict
from nnvet.reports.log import read_log
from tests.commands.test_utilities import nnvet, words

OLDER: Final = """
import os

import numpy as np

os.environ["NNVET_DRIVER_VERSION"] = "0.9"

from nnvet.hal.types import OperationType
from nnvet.reference_driver.device import ReferenceDevice
from nnvet.reference_driver.device import VARIANTS
from nnvet.reference_driver.zoo.caching_lifecycle import cache_version_crash, cache_version_wrong
from nnvet.reference_driver.zoo.full_device import WrongKernels, only


def honest():
    return ReferenceDevice(VARIANTS[""])


def nearly(kernel, call):
    result = only(kernel(call))
    return np.nextafter(result, np.float32(1)) if result.dtype == np.float32 else result


def other_bits():
    return WrongKernels({OperationType.SOFTMAX}, nearly)
"""
BASICS: Final = ("--only", "BasicTest/*")
ABS: Final = ("--only", "TestRandomGraph/SingleOperationTest.ABS_V1_2/0")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with older drivers."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "older.py").write_text(OLDER)
    return tmp_path


def upgraded(old: str, new: str, *options: str) -> tuple[int, str]:
    """Exit code and words of the command."""
    result = nnvet("upgrade", "-d", old, "-d", new, *options)
    assert "Traceback" not in result.output
    return result.exit_code, words(result)


def offered(out: Path) -> dict[str, tuple[Verdict, str]]:
    """Verdict and rule of the cases of older caches, by network."""
    results = read_log(out / "new" / "run.jsonl").results
    found = {case: result for case, result in results.items() if case.startswith(OLDER_CACHE)}
    return {case.removeprefix(f"{OLDER_CACHE}/"): (result.verdict, result.rule) for case, result in found.items()}


def test_the_same_version_takes_its_own_caches(folder: Path) -> None:
    """All four networks are prepared from the older cache, and nothing has changed."""
    code, said = upgraded("reference", "reference", *BASICS)
    assert (code, "safe to upgrade: nothing got worse" in said) == (0, True), said
    assert said.count(": taken") == 4
    assert set(offered(folder / "out").values()) == {(Verdict.PASS, "")}
    page = (folder / "out" / "upgrade.html").read_text()
    assert "Safe to upgrade: nothing got worse" in page
    # Results of chains are compared with known values.
    assert page.count("<td>taken</td><td>same bits</td>") == 2
    assert page.count("<td>taken</td><td></td>") == 2


def test_other_bits_of_the_networks_are_said(folder: Path) -> None:
    """One unit in the last place of a softmax is safe, and the network is counted; that of codes has the same."""
    code, said = upgraded("python:older.py:other_bits", "reference", *BASICS)
    assert (code, "networks with other bits: 1" in said) == (0, True), said
    assert "<td>other bits</td>" in (folder / "out" / "upgrade.html").read_text()


def test_a_refused_cache_is_a_change_and_no_fault(folder: Path) -> None:
    """The bundled driver refuses the cache of another version: clients compile anew."""
    code, said = upgraded("python:older.py:honest", "reference", *BASICS)
    assert (code, "safe to upgrade, but results change" in said) == (0, True), said
    assert "older caches refused: 4" in said
    assert "Changes that the contract allows" in (folder / "out" / "upgrade.html").read_text()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("bug", "verdict"),
    [("cache_version_wrong", Verdict.FAIL), pytest.param("cache_version_crash", Verdict.CRASH, marks=pytest.mark.long)],
)
def test_an_older_cache_that_is_misread(folder: Path, bug: str, verdict: Verdict) -> None:
    """Wrong results and death are faults of the new version, whatever the old one was."""
    code, said = upgraded(f"python:older.py:{bug}", f"zoo:{bug.replace('_', '-')}", *BASICS)
    assert (code, "not safe to upgrade" in said) == (1, True), said
    networks = {name: found for name, found in offered(folder / "out").items() if name.startswith("small_mobilenet")}
    assert networks == dict.fromkeys(networks, (verdict, "cache/version"))
    assert networks
    assert '<h1 class="fail">Not safe to upgrade</h1>' in (folder / "out" / "upgrade.html").read_text()


def test_a_lost_claim() -> None:
    """A version that supports less is not safe: applications fall back."""
    code, said = upgraded("reference", "reference:minimal", *ABS)
    assert (code, "claims are lost" in said) == (1, True), said


def test_nothing_judged_is_not_decided() -> None:
    """Two runs without any PASS show nothing."""
    code, said = upgraded("reference:minimal", "reference:minimal", *ABS)
    assert (code, "not decided whether it is safe to upgrade" in said) == (3, True), said


def test_an_old_driver_with_faults_of_its_own(folder: Path) -> None:
    """A cache that the old one cannot fill is no fault of the new one."""
    code, said = upgraded("zoo:cache-files-many", "reference", *BASICS)
    assert (code, "safe to upgrade" in said) == (0, True), said
    assert {verdict for verdict, _ in offered(folder / "out").values()} == {Verdict.UNSUPPORTED}


@pytest.mark.long
def test_a_resumed_run_offers_the_caches_of_the_old_driver_that_is_named_now(folder: Path) -> None:
    """The log of the new driver says nothing of which old one it was; its other cases are kept."""
    assert upgraded("reference", "reference", *BASICS)[1].count(": taken") == 4
    began = read_log(folder / "out" / "new" / "run.jsonl").results["BasicTest/CycleTest"]
    shutil.rmtree(folder / "out" / "old")
    code, said = upgraded("python:older.py:honest", "reference", *BASICS, "--resume")
    assert (code, "older caches refused: 4" in said) == (0, True), said
    assert ": taken" not in said
    assert read_log(folder / "out" / "new" / "run.jsonl").results["BasicTest/CycleTest"] == began


def test_another_old_driver_does_not_go_on_with_the_run_of_the_first() -> None:
    """Exit code 2 names the log."""
    upgraded("reference", "reference", *BASICS)
    code, said = upgraded("python:older.py:honest", "reference", *BASICS, "--resume")
    assert (code, "out/old/run.jsonl: the log of another driver" in said) == (2, True), said


WAIVER: Final = """
[[waiver]]
case = "{case}"
reason = "known"
expires = 2999-12-31
"""


def test_a_waived_failure_is_no_regression_and_is_named(folder: Path) -> None:
    """A case that only the new driver fails, and an older cache that it misreads, are forgiven by their entries."""
    name = "UpgradeTest/OlderCache/small_mobilenet/*"
    (folder / "known.toml").write_text(WAIVER.format(case=name) + WAIVER.format(case="BasicTest/CycleTest"))
    drivers = "python:older.py:cache_version_wrong", "zoo:cache-version-wrong"
    code, said = upgraded(*drivers, *BASICS, "--waivers", "known.toml")
    assert (code, "safe to upgrade" in said, "cases are waived: 2" in said) == (0, True, True), said
    # The run of the part shows that the other entry is of no use, as nnvet run says it.
    assert "known.toml#2 (known) was not needed: remove it" in said
    assert {verdict for verdict, _ in offered(folder / "out").values()} == {Verdict.WAIVED, Verdict.PASS}
    assert '<ul id="waivers"><li>cases are waived: 2' in (folder / "out" / "upgrade.html").read_text()


def test_a_wrong_file_of_waivers_ends_before_any_run(folder: Path) -> None:
    """Exit code 2, and nothing is written."""
    (folder / "known.toml").write_text('[[waiver]]\nreason = "x"\n')
    code, said = upgraded("reference", "reference", *BASICS, "--waivers", "known.toml")
    assert (code, "known.toml" in said) == (2, True), said
    assert not (folder / "out").exists()


def test_the_new_driver_has_to_fulfil_a_profile(folder: Path) -> None:
    """Nothing got worse, but a part of the suite makes nobody conformant to control-flow."""
    code, said = upgraded("reference", "reference", *BASICS, "--profile", "control-flow")
    assert (code, "not safe to upgrade" in said) == (1, True), said
    assert "the new driver is not conformant to control-flow: no PASS for 2 of 2 operations" in said
    assert upgraded("reference", "reference", *BASICS, "--profile", "nonsense")[0] == 2


def test_both_runs_are_added_to_a_history(folder: Path) -> None:
    """Those of two drivers are two series."""
    code, said = upgraded("reference", "python:older.py:honest", *BASICS, "--history", "past")
    assert (code, said.count("the first run of this driver and selection")) == (0, 2), said
    shown = words(nnvet("history", "past"))
    assert "0.9" in shown


@pytest.mark.parametrize("drivers", [("reference",), ("reference", "reference", "reference")])
def test_two_versions_are_wanted(drivers: tuple[str, ...]) -> None:
    """One line says how many were given."""
    result = nnvet("upgrade", *(part for driver in drivers for part in ("-d", driver)))
    assert (result.exit_code, f"-d is given {len(drivers)} times" in words(result)) == (2, True)


def test_a_selector_that_means_nothing_ends_before_any_run(folder: Path) -> None:
    """The second one is looked at before the first has run for minutes."""
    assert upgraded("reference", "nonsense:", *BASICS)[0] == 2
    assert not (folder / "out").exists()
