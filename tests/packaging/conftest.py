"""The wheel of the sources, once for all tests of it."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PIP: Final = (sys.executable, "-m", "pip", "--disable-pip-version-check")
SOURCES: Final = (
    "LICENSE",
    "README.md",
    "pyproject.toml",
    "src",
    *(link.name for link in (ROOT / "src" / "nnvet").iterdir()),
    # Files to which commands/templates/sources links.
    *(f"docs/examples/{name}" for name in ("cpp", "nnapi", "delegate")),
    *(f"docs/native/{name}" for name in ("nnvet.h", "operations.json")),
    # Pages that `nnvet explain` shows.
    *(str(page.relative_to(ROOT)) for page in (ROOT / "docs").glob("*.md")),
    *(f"docs/{name}" for name in ("contract", "tutorials", "reference")),
)
BACKEND: Final = 77
"""Major version of setuptools that pyproject.toml asks for."""


def ended(*command: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command with all that it printed in ``stdout``; it sees no PYTHONPATH but one that is given."""
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [*map(str, command)],
        check=False,
        cwd=cwd,
        env=plain | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run_plain(*command: object, cwd: Path, **environment: str) -> str:
    """Output of a command that has to succeed."""
    done = ended(*command, cwd=cwd, **environment)
    assert done.returncode == 0, done.stdout
    return done.stdout


def _backend() -> int:
    try:
        return int(version("setuptools").partition(".")[0])
    except PackageNotFoundError:
        return 0


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the sources without network."""
    if _backend() < BACKEND:
        pytest.skip(f"building a wheel needs setuptools {BACKEND}; it comes with the extra 'dev'")
    folder = tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        source, ignored = ROOT / name, shutil.ignore_patterns("__pycache__", "*.egg-info")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, folder / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(source, folder / name)
    build = (*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder / "dist")
    run_plain(*build, folder, cwd=folder)
    return next((folder / "dist").glob("*.whl"))
