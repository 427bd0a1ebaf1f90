"""``nnvet new-driver``: what it makes is conformant, and passes its own tests."""

import subprocess
import sys
from pathlib import Path

import pytest

from nnvet.conformance import check_driver
from tests.commands.test_utilities import nnvet, words

FILES = {"my_npu.py", "test_my_npu.py", "README.md", ".github/workflows/conformance.yml"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder of a new driver."""
    result = nnvet("new-driver", "my-npu", "--in", tmp_path)
    assert result.exit_code == 0, result.output
    assert f"cd {tmp_path / 'my-npu'} && nnvet smoke -d python:my_npu.py:MyNpu" in words(result)
    return tmp_path / "my-npu"


def test_it_is_conformant(project: Path) -> None:
    """ADD and RELU in all forms, wrong models, and a share of everything else; a slip in it is found."""
    only = ("*/add_*", "*/relu_*", "BasicTest/*", "TestValidation/*", "TestRandomGraph/SingleOperationTest.ADD*/*")
    driver = f"python:{project / 'my_npu.py'}:MyNpu"
    checked = check_driver(driver, only=only)
    assert checked.conformant, checked
    file = project / "my_npu.py"
    file.write_text(file.read_text().replace("np.maximum(values, 0)", "np.minimum(values, 0)"))
    failures = check_driver(driver, only=("GeneratedTest/sync/relu_*",)).failures
    assert {one.rule for one in failures} == {"execution/output.value"}


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
