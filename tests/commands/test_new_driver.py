"""``nnvet new-driver``: what it makes has no fault, and passes its own tests."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nnvet.conformance import check_driver
from tests.commands.test_utilities import nnvet, words

WORKFLOW = ".github/workflows/conformance.yml"
FILES = {"my_npu.py", "test_my_npu.py", "README.md", "waivers.toml", WORKFLOW}
NIGHTLY = Path(__file__).parents[2] / "docs" / "examples" / "ci" / "nightly.yml"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder of a new driver."""
    result = nnvet("new-driver", "my-npu", "--in", tmp_path)
    assert result.exit_code == 0, result.output
    assert f"cd {tmp_path / 'my-npu'} && nnvet smoke -d python:my_npu.py:MyNpu" in words(result)
    return tmp_path / "my-npu"


def test_it_has_no_fault(project: Path) -> None:
    """ADD and RELU in all forms, wrong models, and a share of everything else; a slip in it is found."""
    only = ("*/add_*", "*/relu_*", "BasicTest/*", "TestValidation/*", "TestRandomGraph/SingleOperationTest.ADD*/*")
    driver = f"python:{project / 'my_npu.py'}:MyNpu"
    checked = check_driver(driver, only=only)
    assert checked.faultless, checked
    file = project / "my_npu.py"
    file.write_text(file.read_text().replace("np.maximum(values, 0)", "np.minimum(values, 0)"))
    failures = check_driver(driver, only=("GeneratedTest/sync/relu_*",)).failures
    assert {failure.rule for failure in failures} == {"execution/output.value"}


@pytest.mark.long
def test_its_files_and_tests(project: Path) -> None:
    """As the README has them: nothing of the templates is left, and pytest passes."""
    assert {str(path.relative_to(project)) for path in project.rglob("*") if path.is_file()} == FILES
    for name in FILES:
        text = (project / name).read_text()
        assert "{{" not in text.replace("${{", "")
        assert "my_npu" in text
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


def steps_of(file: Path) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Variables and steps of the only job of a workflow."""
    yaml = pytest.importorskip("yaml", reason="a package that pre-commit brings")
    workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
    # YAML 1.1 takes the key "on" for a truth value.
    assert set(workflow) == {"name", True, "env", "jobs"}
    (job,) = workflow["jobs"].values()
    assert all(("run" in step) != ("uses" in step) for step in job["steps"])
    return workflow["env"], job["steps"]


@pytest.mark.long
def test_its_workflow(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its commands run in the folder, of the suite a part; what is uploaded has a report."""
    environment, steps = steps_of(project / WORKFLOW)
    said = (step["run"] for step in steps if "run" in step)
    commands = [shlex.split(re.sub(r"\$(\w+)", lambda name: environment[name[1]], text)) for text in said]
    install, smoke, run = commands
    assert install == ["python", "-m", "pip", "install", "nnvet"]
    assert (smoke[:2], run[:2], run[4:8]) == (
        ["nnvet", "smoke"],
        ["nnvet", "run"],
        ["-n", "2", "--waivers", "waivers.toml"],
    )
    monkeypatch.chdir(project)
    assert nnvet(*smoke[1:]).exit_code == 0
    assert nnvet(*run[1:], "--only", "BasicTest/*").exit_code == 0
    (upload,) = [step for step in steps if step.get("uses", "").startswith("actions/upload-artifact@")]
    assert upload["if"] == "always()"
    assert (project / upload["with"]["path"] / "report.html").is_file()


@pytest.mark.long
def test_a_failure_is_forgiven_in_its_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The workflow's run reads the entry that triage adds to the project's file."""
    monkeypatch.chdir(project)
    file = Path("my_npu.py")
    file.write_text(file.read_text().replace("np.maximum(values, 0)", "np.minimum(values, 0)"))
    only = ("--only", "GeneratedTest/sync/relu_*", "--only", "BasicTest/*")
    run = ("run", "-d", "python:my_npu.py:MyNpu", *only, "--waivers", "waivers.toml")
    assert nnvet(*run).exit_code == 1
    assert nnvet("triage", "out", "--out", "waivers.toml").exit_code == 0
    waivers = Path("waivers.toml")
    waivers.write_text(waivers.read_text().replace('reason = ""', 'reason = "not written yet"'))
    forgiven = nnvet(*run)
    assert (forgiven.exit_code, "WAIVED" in words(forgiven)) == (0, True)


def test_the_workflow_of_the_night() -> None:
    """Its only command of ours is one whose options exist."""
    environment, steps = steps_of(NIGHTLY)
    (fuzz,) = [step["run"] for step in steps if step.get("run", "").startswith("nnvet ")]
    words_of = shlex.split(fuzz.replace("$DRIVER", environment["DRIVER"]))
    known = nnvet(words_of[1], "--help").output
    assert words_of[:4] == ["nnvet", "fuzz", "-d", "reference"]
    assert [word for word in words_of if word.startswith("-") and word not in known] == []


@pytest.mark.parametrize("name", ["", "7up", "class", "-d", "my npu", "../x", "_x", "ümlaut"])
def test_names_that_python_cannot_have(name: str, tmp_path: Path) -> None:
    """Exit code 2, and nothing is made."""
    result = nnvet("new-driver", "--in", tmp_path, "--", name)
    assert result.exit_code == 2
    assert "is no name" in words(result)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(project: Path) -> None:
    """A folder of that name stays as it is."""
    (project / "my_npu.py").write_text("mine")
    result = nnvet("new-driver", "my-npu", "--in", project.parent)
    assert result.exit_code == 2
    assert "is there already" in words(result)
    assert (project / "my_npu.py").read_text() == "mine"
