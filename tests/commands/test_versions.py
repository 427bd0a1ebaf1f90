"""``nnvet versions`` on an index of tiny wheels in a folder: no network, no real runtime."""

import json
import os
import zipfile
from pathlib import Path

import pytest

from nnvet.adapters import releases
from nnvet.adapters.releases import ReleaseError, releases_of
from nnvet.reports.findings import FindingError, FindingStatus, RuntimeFinding, Weight, read_findings
from nnvet.reports.outcome import EXIT_USAGE
from nnvet.reports.releases import Column, FindingRow, ReleaseMatrix, ReleaseResult, Showing, disagreement
from tests.commands.test_utilities import nnvet, words

PACKAGE = "tiny-runtime"
FACTS = """
title = "{name} is wrong"
status = "{status}"
weight = "{weight}"
runtime = "litert"
package = "tiny-runtime"
versions = ">=1.0,<=2.0"
features = {features}
operations = ["ADD"]
types = ["FLOAT32"]
kernel = "the only one"
model = "1 + 1"
result = "3"
due = "2"
threshold = "1 alone"
upstream = ["https://example.org/1"]
{more}
[promise]
quote = "x + y"
address = "https://example.org/add"
"""
SCRIPTS = {
    "always": "print('expected 2 actual 3'); sys.exit(3)",
    "mended": "print('expected 2 actual', tiny_runtime.add()); sys.exit(0 if tiny_runtime.add() == 2 else 3)",
    "crash": "print('expected 2', flush=True); os.abort()",
    "signal-of-a-wrong-result": "os.abort()",
    "script-fails": "tiny_runtime.no_such_name",
    "elsewhere": "sys.exit(3)",
}


def _wheel(folder: Path, name: str, version: str, code: str, needs: str = "") -> None:
    """Write a wheel of one module."""
    module, info = name.replace("-", "_"), f"{name.replace('-', '_')}-{version}.dist-info"
    demand = f"Requires-Dist: {needs}\n" if needs else ""
    with zipfile.ZipFile(folder / f"{module}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{module}.py", code)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{demand}")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All that pip knows, a folder of wheels: 1.0 and 1.1 add wrongly, 1.2 needs what there is not, 2.0 is right."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for version, result in (("1.0", 3), ("1.1", 3), ("1.2", 3), ("2.0rc1", 3), ("2.0", 2)):
        _wheel(folder, PACKAGE, version, f"def add(): return {result}\n", "no-such-package" if version == "1.2" else "")
    for name in ("flatbuffers", "numpy"):
        _wheel(folder, name, "1.0", "")
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def _finding(folder: Path, name: str, status: str = "new", weight: str = "wrong", more: str = "") -> None:
    place = folder / "litert" / name
    place.mkdir(parents=True)
    features = '["no_such_feature"]' if name == "elsewhere" else "[]"
    facts = FACTS.format(name=name, status=status, weight=weight, features=features, more=more)
    (place / "finding.toml").write_text(facts)
    (place / "repro.py").write_text(f"import os, sys, tiny_runtime\n{SCRIPTS[name]}\n")


@pytest.fixture
def findings(tmp_path: Path) -> Path:
    """Findings whose scripts end in every manner."""
    folder = tmp_path / "findings"
    for name in SCRIPTS:
        _finding(folder, name, weight="crash" if name == "crash" else "wrong")
    return folder


def _run(findings: Path, tmp_path: Path, *more: str) -> list[str]:
    places = ("--findings", findings, "--cache", tmp_path / "cache", "--out", tmp_path / "out")
    return ["versions", "-d", "litert", "--package", PACKAGE, *map(str, places), *more]


def _outcomes(tmp_path: Path) -> dict[str, dict[str, str]]:
    matrix = json.loads((tmp_path / "out" / "versions.json").read_text())
    return {
        column["version"]: {name: cell["outcome"] for name, cell in column["cells"].items()}
        for column in matrix["columns"]
    }


def test_stable_releases_are_listed_by_number(index: Path) -> None:
    """A release candidate is none, 1.10 would follow 1.2, and --last counts from the newest."""
    assert releases_of(PACKAGE, 10) == ["1.0", "1.1", "1.2", "2.0"]
    _wheel(index, PACKAGE, "1.10", "")
    assert releases_of(PACKAGE, 3) == ["1.2", "1.10", "2.0"]


def test_every_finding_is_run_in_every_release(index: Path, findings: Path, tmp_path: Path) -> None:
    """Cells are what the scripts show with that release; one that is not installable is a column with its reason."""
    ended = nnvet(*_run(findings, tmp_path))
    assert ended.exit_code == 0, ended.output
    found = _outcomes(tmp_path)
    both = {
        "always": "shows",
        "crash": "shows",
        "elsewhere": "not here",
        "mended": "shows",
        "script-fails": "broken",
        "signal-of-a-wrong-result": "broken",
    }
    assert found == {"1.0": both, "1.1": both, "1.2": {}, "2.0": {**both, "mended": "right"}}
    assert "went in 2.0" in ended.output
    assert "1.2: not installed" in words(ended)
    assert "no-such-package" in words(ended)
    page = (tmp_path / "out" / "versions.html").read_text()
    assert "1.2 was not run" in page
    assert page.count('class="cell fault"') == 8 + 1  # always and crash in three releases, mended in two; the legend
    assert "needs a processor with no_such_feature" in page


@pytest.mark.long
def test_the_cache_is_used_and_a_half_made_environment_is_not(index: Path, findings: Path, tmp_path: Path) -> None:
    """Without wheels a cached release still runs; one whose installation was cut off is made again."""
    assert nnvet(*_run(findings, tmp_path, "--last", "1")).exit_code == 0
    place = tmp_path / "cache" / f"{PACKAGE}-2.0"
    (index / "flatbuffers-1.0-py3-none-any.whl").unlink()
    assert nnvet(*_run(findings, tmp_path, "--last", "1")).exit_code == 0
    assert _outcomes(tmp_path)["2.0"]["mended"] == "right"
    (place / "installed").unlink()
    ended = nnvet(*_run(findings, tmp_path, "--last", "1"))
    assert ended.exit_code == 0
    assert "2.0: not installed" in words(ended)


def test_an_interruption_keeps_what_was_run(
    index: Path, findings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cells before it are in the file, which says that it is not all; the exit code is that of an interruption."""
    run = releases.reproduce
    seen: list[str] = []

    def interrupted(finding: RuntimeFinding, python: Path, limit_s: float) -> ReleaseResult:
        if len(seen) == 2:
            raise KeyboardInterrupt
        seen.append(finding.name)
        return run(finding, python, limit_s)

    monkeypatch.setattr(releases, "reproduce", interrupted)
    ended = nnvet(*_run(findings, tmp_path))
    assert ended.exit_code == 130
    assert list(_outcomes(tmp_path)["1.0"]) == seen
    assert json.loads((tmp_path / "out" / "versions.json").read_text())["is_interrupted"] is True
    assert "Interrupted" in (tmp_path / "out" / "versions.html").read_text()


@pytest.mark.long
def test_a_script_that_does_not_end_is_stopped(index: Path, tmp_path: Path) -> None:
    """It hangs after the time limit, and the rest is run."""
    folder = tmp_path / "findings"
    _finding(folder, "always")
    _finding(folder, "mended")
    (folder / "litert" / "always" / "repro.py").write_text("import time\ntime.sleep(600)\n")
    assert nnvet(*_run(folder, tmp_path, "--last", "1", "--timeout", "2")).exit_code == 0
    assert _outcomes(tmp_path)["2.0"] == {"always": "hangs", "mended": "right"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-d", "litrt"), "no findings against a runtime 'litrt'; did you mean 'litert'?"),
        (("-d", "litert", "--findings", "nowhere"), "no findings against litert in nowhere: give --findings"),
        (("-d", "litert", "--package", "no-such-runtime"), "no-such-runtime: the package index has no stable release"),
    ],
)
def test_mistakes_are_one_line(index: Path, arguments: tuple[str, ...], said: str) -> None:
    """They say what is wrong and what to do, with exit code 2."""
    ended = nnvet("versions", *arguments)
    assert ended.exit_code == EXIT_USAGE
    assert said in words(ended)
    assert "Traceback" not in ended.output


def test_an_index_that_cannot_be_reached_is_said_to_be(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens at port 9 of this machine."""
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    with pytest.raises(ReleaseError, match="cannot be reached: check the network"):
        releases_of(PACKAGE, 1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('status = "new"', 'status = "old"'), "Invalid enum value 'old'"),
        (('runtime = "litert"', 'runtime = "torch"'), "its folder is that of 'litert'"),
        (('status = "new"', 'status = "fixed"'), "fixed_in belongs to the status fixed"),
        (('upstream = ["https://example.org/1"]', ""), "names no issue upstream"),
        (('title = "always is wrong"', ""), "missing required field `title`"),
        (("[promise]", "[promis]"), "unknown field `promis`"),
    ],
)
def test_facts_that_cannot_be_are_refused(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    """The file is named, and what is wrong in it."""
    _finding(tmp_path, "always")
    path = tmp_path / "litert" / "always" / "finding.toml"
    text = path.read_text().replace(*change)
    path.write_text(text.replace('"new"', '"known"') if change[1] == "" else text)
    with pytest.raises(FindingError, match=r"finding\.toml: ") as error:
        read_findings(tmp_path, "litert")
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("status", "more", "version", "outcome", "agrees"),
    [
        ("new", "", "2.0", Showing.SHOWS, True),
        ("new", "", "2.0", Showing.RIGHT, False),
        ("known", "", "2.0", Showing.BROKEN, False),
        ("arguable", "", "2.0", Showing.HANGS, False),
        ("fixed", 'fixed_in = "1.10"', "1.9+cpu", Showing.SHOWS, True),
        ("fixed", 'fixed_in = "1.10"', "1.9", Showing.RIGHT, False),
        ("fixed", 'fixed_in = "1.10"', "1.10", Showing.SHOWS, False),
        ("fixed", 'fixed_in = "1.10"', "2.0", Showing.RIGHT, True),
        ("new", "", "2.0", Showing.NOT_HERE, True),
        ("new", "", "0.9", Showing.RIGHT, True),
    ],
)
def test_status_and_result_disagree_in_both_directions(
    tmp_path: Path, status: str, more: str, version: str, outcome: Showing, agrees: bool
) -> None:
    """Releases are ordered by number, and before the first one that was seen a finding says nothing."""
    _finding(tmp_path, "always", status, more=more)
    (finding,) = read_findings(tmp_path, "litert")
    assert (finding.status, finding.weight) == (FindingStatus(status), Weight.WRONG)
    assert (disagreement(finding, version, ReleaseResult(outcome)) == "") is agrees


def test_changes_skip_what_does_not_decide() -> None:
    """A release without an answer is neither a coming nor a going."""
    row = FindingRow("a", "a", "new", "wrong")
    outcomes = (Showing.RIGHT, Showing.BROKEN, Showing.SHOWS, Showing.NOT_HERE, Showing.SHOWS, Showing.RIGHT)
    columns = [Column(str(number), cells={"a": ReleaseResult(outcome)}) for number, outcome in enumerate(outcomes)]
    matrix = ReleaseMatrix("litert", PACKAGE, "2026-01-01", "", [row], [*columns, Column("6", "not installable")])
    assert matrix.change(row) == "came in 2, went in 5"
