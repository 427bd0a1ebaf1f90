"""Waivers forgive exactly what they name; unused and expired ones are problems."""

import datetime as dt
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nnvet.commands.main import app
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.waivers import WaiverError, WaiverFile, Waivers, read_waivers
from nnvet.conformance.kit.outcome import PASSED, Outcome
from nnvet.reports.events import CaseFinished, DriverFacts, Verdict
from nnvet.reports.fingerprint import fingerprint
from nnvet.reports.log import read_log
from nnvet.reports.outcome import EXIT_CONFORMANT, EXIT_NOT_CONFORMANT, EXIT_USAGE

DRIVER = DriverFacts("python:a.py:create", name="fast-npu", version="2.3.1")
TODAY = dt.date(2030, 5, 1)
FAILED = Outcome(Verdict.FAIL, "ADD/output.value", "off by 3", {"worst": {"difference": 3}})
CASE = "GeneratedTest/sync/add"


def waivers(folder: Path, *entries: str, driver: DriverFacts = DRIVER) -> Waivers:
    """Waivers on ``TODAY``, each entry with a reason and the last day of the month unless it has its own."""
    return Waivers(written(folder, *entries), driver, TODAY)


def written(folder: Path, *entries: str) -> WaiverFile:
    """A file of entries, read."""
    path = folder / "waivers.toml"
    usual = {"reason": '"known"', "expires": "2030-05-31"}
    texts = []
    for entry in entries:
        missing = [f"{key} = {value}" for key, value in usual.items() if f"{key} =" not in entry]
        texts.append("\n".join(["[[waiver]]", entry, *missing]))
    path.write_text("\n".join(texts))
    return read_waivers(path)


@pytest.mark.parametrize(
    "entry",
    [
        'case = "GeneratedTest/*/add"',
        'rule = "ADD/*"',
        'rule = "ADD/output.value"\nverdicts = ["FAIL"]',
        'case = "*add"\ndriver = "fast-*"\nversions = ">=2,<3"',
        'case = "*add"\ndriver = "python:*"',
        'case = "*add"\nexpires = 2030-05-01',
    ],
)
def test_forgiven(tmp_path: Path, entry: str) -> None:
    """The verdict becomes WAIVED; the one that it was and the entry stand in the evidence, all else is as it was."""
    waived = waivers(tmp_path, entry).judge(CASE, FAILED)
    assert waived.verdict is Verdict.WAIVED
    assert (waived.rule, waived.reason, waived.evidence["worst"]) == (FAILED.rule, FAILED.reason, {"difference": 3})
    assert waived.evidence["waived"] == "FAIL"
    assert waived.evidence["waiver"] == "waivers.toml#1 (known)"


@pytest.mark.parametrize(
    "entry",
    [
        'case = "GeneratedTest/*/mul"',
        'rule = "MUL/*"',
        'case = "*add"\nrule = "MUL/*"',
        'case = "*add"\nverdicts = ["CRASH", "HANG"]',
        'case = "*add"\ndriver = "slow-*"',
        'case = "*add"\nversions = "<2.3.1"',
        'case = "*add"\nexpires = 2030-04-30',
        'fingerprint = "0123456789ab"',
    ],
)
def test_not_forgiven(tmp_path: Path, entry: str) -> None:
    """An entry about something else, or of yesterday, changes nothing."""
    assert waivers(tmp_path, entry).judge(CASE, FAILED) is FAILED


def test_versions_that_are_no_numbers_are_in_no_range(tmp_path: Path) -> None:
    """A range forgives a driver only if it is known to be in it."""
    odd = DriverFacts("reference", name="fast-npu", version="build of Tuesday")
    assert waivers(tmp_path, 'case = "*"\nrule = "ADD/*"\nversions = ">=0"', driver=odd).judge(CASE, FAILED) is FAILED


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.ERROR, Verdict.NOT_RUN, Verdict.UNSUPPORTED])
def test_nothing_but_failures_is_forgiven(tmp_path: Path, verdict: Verdict) -> None:
    """A fault of the suite stays one, and a pass stays a pass."""
    outcome = Outcome(verdict, "ADD/output.value")
    assert waivers(tmp_path, 'case = "*add"').judge(CASE, outcome) is outcome


def test_by_fingerprint(tmp_path: Path) -> None:
    """A fault is known by its fingerprint, which being forgiven does not change."""
    known = fingerprint(CaseFinished(CASE, FAILED.verdict, FAILED.rule, FAILED.reason, FAILED.evidence))
    waived = waivers(tmp_path, f'fingerprint = "{known}"').judge("GeneratedTest/burst/add", FAILED)
    assert waived.verdict is Verdict.WAIVED
    assert fingerprint(CaseFinished(CASE, waived.verdict, waived.rule, waived.reason, waived.evidence)) == known


OF_UPGRADES = 'case = "UpgradeTest/OlderCache/*"'
"""For a suite that only another command has."""
EXACT, GLOB, ABSENT = f'case = "{CASE}"', 'case = "GeneratedTest/*"', 'case = "GeneratedTest/sync/mul"'


@pytest.mark.parametrize(
    ("entry", "full", "is_whole", "is_idle"),
    [
        (EXACT, False, True, True),
        (EXACT, False, False, True),
        (GLOB, False, True, True),
        (GLOB, False, False, False),
        (ABSENT, True, True, True),
        (ABSENT, False, True, False),
        (ABSENT, True, False, False),
        (OF_UPGRADES, True, True, False),
    ],
)
def test_of_no_use(tmp_path: Path, entry: str, full: bool, is_whole: bool, is_idle: bool) -> None:
    """An entry whose cases pass is a problem, if the run has seen all that it may be about."""
    known = waivers(tmp_path, entry)
    assert known.judge(CASE, PASSED) is PASSED
    problems = known.problems(Selection(full=full), is_whole=is_whole)
    assert problems == (("waivers.toml#1 (known) was not needed: remove it",) if is_idle else ())


def test_of_use(tmp_path: Path) -> None:
    """All entries that forgive a failure are of use, though the first is the one that is named."""
    known = waivers(tmp_path, EXACT, GLOB)
    assert known.judge(CASE, FAILED).evidence["waiver"] == "waivers.toml#1 (known)"
    assert known.problems(Selection(full=True), is_whole=True) == ()


def test_expired(tmp_path: Path) -> None:
    """An entry of yesterday is a problem, in any run of its driver."""
    known = waivers(tmp_path, f"{EXACT}\nexpires = 2030-04-30", f'{EXACT}\nexpires = 2030-04-30\ndriver = "other"')
    problems = known.problems(Selection(only=("x",)), is_whole=False)
    assert problems == ("waivers.toml#1 (known) has expired on 2030-04-30",)


def test_what_was_logged_is_judged_anew(tmp_path: Path) -> None:
    """A failure that was forgiven is none no longer when its waiver has gone, and the other way round."""
    with_one, without = waivers(tmp_path, EXACT), Waivers(None, DRIVER, TODAY)
    failed = CaseFinished(CASE, FAILED.verdict, FAILED.rule, FAILED.reason, FAILED.evidence)
    (waived,) = with_one.judge_again([failed])
    assert waived.verdict is Verdict.WAIVED
    assert without.judge_again([waived]) == [failed]
    assert with_one.judge_again([waived]) == [waived]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('driver = "x"', "give a case, a rule or a fingerprint"),
        ('case = "x"\nreason = " "', "reason is empty"),
        ('case = "x"\nversions = "2 to 3"', "write a range such as"),
        ('case = "x"\nexpires = "soon"', "expires"),
        ('case = "x"\nverdicts = ["ERROR"]', "verdicts"),
        ('cases = "x"', "unknown field `cases`"),
        ("case =", "see docs/waivers.md"),
    ],
)
def test_wrong_entries(tmp_path: Path, entry: str, message: str) -> None:
    """A message about a wrong file gives the fault and the place of the entry."""
    with pytest.raises(WaiverError, match=message) as error:
        written(tmp_path, 'case = "y"', entry)
    assert str(tmp_path / "waivers.toml") in str(error.value)


def test_from_failure_to_waiver(tmp_path: Path) -> None:
    """An entry that triage proposes is refused without a reason; with one the run is conformant, and names it."""
    runner, out, file = CliRunner(), tmp_path / "out", tmp_path / "known.toml"
    case = "TestRandomGraph/SingleOperationTest.PRELU_V1_2/0"
    run = ["run", "-d", "zoo:graph-drift", "--in-process", "--only", case, "--out", str(out)]
    passing = [*run, "--only", "TestRandomGraph/SingleOperationTest.ABS_V1_2/0"]
    assert runner.invoke(app, passing).exit_code == EXIT_NOT_CONFORMANT
    assert runner.invoke(app, ["triage", str(out), "--out", str(file)]).exit_code == 0
    assert runner.invoke(app, [*passing, "--waivers", str(file)]).exit_code == EXIT_USAGE
    file.write_text(file.read_text().replace('reason = ""', 'reason = "drifts"'))
    forgiven = runner.invoke(app, [*passing, "--waivers", str(file)])
    assert forgiven.exit_code == EXIT_CONFORMANT
    assert "1  WAIVED" in forgiven.stdout
    assert read_log(out / "run.jsonl").results[case].evidence["waiver"] == "known.toml#1 (drifts)"
    # Forgiven, it is no fault to propose a waiver for.
    assert "[[waiver]]" not in runner.invoke(app, ["triage", str(out / "run.jsonl")]).stdout


def test_a_waiver_of_no_use_fails_the_run(tmp_path: Path) -> None:
    """The driver keeps the contract, and the run is not conformant all the same."""
    file, out = tmp_path / "known.toml", tmp_path / "out"
    case = "TestRandomGraph/SingleOperationTest.ABS_V1_2/0"
    file.write_text(f'[[waiver]]\ncase = "{case}"\nreason = "was wrong once"\nexpires = 2999-01-01\n')
    run = ["run", "-d", "reference", "--in-process", "--only", case, "--out", str(out), "--waivers", str(file)]
    ended = CliRunner().invoke(app, run)
    assert ended.exit_code == EXIT_NOT_CONFORMANT
    assert "known.toml#1 (was wrong once) was not needed: remove it" in ended.stdout
