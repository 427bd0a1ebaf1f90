"""The wheel, installed beside a project whose own packages have the names of ours: nothing is mixed up."""

import os
import re
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.packaging.conftest import PIP, ROOT, run_plain

FORBIDDEN = ("adapters", "commands", "reports", "tests")
"""Packages of the project that must never be imported; its ``models`` belong to its driver."""
DRIVER = (
    "\n\nfrom models.names import NAME\n\n\nclass Mine(AddDevice):\n    name = NAME\n\n\ncreate = lambda *_: Mine()\n"
)
SPEC = """\
one, two = Input("one", "TENSOR_FLOAT32", "{2}"), Input("two", "TENSOR_FLOAT32", "{2}")
total = Output("total", "TENSOR_FLOAT32", "{2}")
Example({one: [1, 2], two: [3, 4], total: [4, 6]}, model=Model().Operation("ADD", one, two, 0).To(total))
"""


@pytest.fixture(scope="module")
def bin_folder(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the programs of a new environment, which has the wheel and sees what nnvet depends on."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    scheme = {"vars": {"base": str(folder), "platbase": str(folder)}}
    packages, programs = (Path(sysconfig.get_path(name, "venv", **scheme)) for name in ("purelib", "scripts"))
    # Lines of a .pth file are folders; .pth files in those folders, such as that of an editable nnvet, are not read.
    ours = dict.fromkeys((sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
    (packages / "dependencies.pth").write_text("\n".join(ours), encoding="utf-8")
    pip = (*PIP, "--python", programs / "python", "install")
    run_plain(*pip, "--no-deps", "--no-index", "--force-reinstall", wheel, cwd=folder)
    return programs


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Somebody's project, with a driver that needs the project's ``models``, and a plug-in that makes it a kind."""
    for name in FORBIDDEN:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"raise ImportError('{name} is not nnvet.{name}')\n")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "__init__.py").touch()
    (tmp_path / "models" / "names.py").write_text("NAME = 'mine'\n")
    example = (ROOT / "docs" / "examples" / "minimal_driver.py").read_text(encoding="utf-8")
    (tmp_path / "driver.py").write_text(example + DRIVER)
    (tmp_path / "drivers").mkdir()
    (tmp_path / "drivers" / "__init__.py").write_text("from driver import create\n")
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "add.mod.py").write_text(SPEC)
    plug_in = tmp_path / "mine-1.0.dist-info"
    plug_in.mkdir()
    (plug_in / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (plug_in / "entry_points.txt").write_text("[nnvet.adapters]\nmine = drivers:create\n")
    return tmp_path


def test_wheel_holds_nnvet_alone(wheel: Path) -> None:
    """One package at the top, with every module, marker, spec, template and schema of the sources; and the pages."""
    everything = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    pages = {name.partition(".data/data/share/nnvet/")[2]: name for name in everything if ".data/" in name}
    shown = [page.relative_to(ROOT) for page in (ROOT / "docs").rglob("*.md")]
    assert pages.keys() == {str(page) for page in shown if not {"api", "examples"} & {*page.parts}}
    names = everything - {*pages.values()}
    assert {name.partition("/")[0] for name in names} == {"nnvet"}
    wanted = {
        "nnvet/" + str(Path(folder, name).relative_to(ROOT))
        for link in (ROOT / "src" / "nnvet").iterdir()
        # Links are followed: what they lead to is in the wheel.
        for folder, _, files in os.walk(ROOT / link.name, followlinks=True)
        for name in files
        if "__pycache__" not in folder
    }
    assert names == wanted
    assert {"nnvet/hal/py.typed", "nnvet/reports/event_log.schema.json", "nnvet/reports/templates/report.css"} <= names


@pytest.mark.long
def test_environment_has_the_wheels_nnvet(bin_folder: Path, project: Path) -> None:
    """The programs import the wheel's modules, and neither the sources nor an editable installation."""
    code = "import nnvet.hal.types, nnvet.conformance.plugin; print(*nnvet.__path__)"
    (place,) = run_plain(bin_folder / "python", "-c", code, cwd=project).split()
    assert Path(place).is_relative_to(bin_folder.parent)
    assert not Path(place, "hal").is_symlink()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("driver", "path"), [("python:./driver.py:create", ""), ("python:drivers:create", "."), ("mine", ".")]
)
def test_command_runs_the_projects_driver(bin_folder: Path, project: Path, driver: str, path: str) -> None:
    """From a file, from a package and as a plug-in: the driver gets the project's modules, and nnvet its own."""
    folder = str(project / path) if path else ""
    command = (
        bin_folder / "nnvet",
        "run",
        "-d",
        driver,
        "--specs",
        "specs",
        "--only",
        "GeneratedTest/*",
        "--out",
        "out",
    )
    assert "mine: no fault found" in run_plain(*command, cwd=project, PYTHONPATH=folder)


def test_command_has_the_bundled_corpus(bin_folder: Path, project: Path) -> None:
    """Without specs of its own a project gets those of the wheel."""
    command = (bin_folder / "nnvet", "run", "-d", "python:./driver.py:create", "--only", "BasicTest/*", "--out", "out")
    assert "mine: no fault found" in run_plain(*command, cwd=project)


def test_explains_without_the_sources(bin_folder: Path, project: Path) -> None:
    """Each rule, operation and verdict, every tenth term, and each page, or part of one, that a message names."""
    known = "[*all_rules(), *map(operation_name, declarations()), *Verdict.__members__, *terms, *sys.argv[1:]]"
    modules = (path for link in (ROOT / "src" / "nnvet").iterdir() for path in (ROOT / link.name).rglob("*.py"))
    place = re.compile(r"docs/[\w/-]+\.md(?:#[\w./-]*\w|, '[^'{}]+')?")
    named = {found for path in modules for found in place.findall(path.read_text(encoding="utf-8"))}
    assert len(named) > 10
    code = f"""import sys
from nnvet.commands.explain import explain_text
from nnvet.commands.pages import headings, table_rows
from nnvet.hal.operations.catalogue import declarations, operation_name
from nnvet.hal.rules import all_rules
from nnvet.reports.events import Verdict
terms = [title for title, _ in headings()] + [row.cells[0] for row in table_rows() if row.cells[0]]
terms = terms[::10]
print([name for name in {known} if not explain_text(name).strip()], len({known}))"""
    said = run_plain(bin_folder / "python", "-c", code, *sorted(named), cwd=project, PYTHONPATH="")
    missing, _, count = said.strip().rpartition(" ")
    assert missing == "[]"
    assert int(count) > 1500


def test_plug_in_is_listed(bin_folder: Path, project: Path) -> None:
    """``nnvet drivers`` shows the kinds that installed packages register."""
    assert "from drivers:create" in run_plain(bin_folder / "nnvet", "drivers", cwd=project, PYTHONPATH=str(project))


def test_pytest_runs_the_projects_specs(bin_folder: Path, project: Path) -> None:
    """pytest, which puts the project first on the path, collects the specs and runs them on the driver."""
    command = (
        bin_folder / "python",
        "-m",
        "pytest",
        "specs",
        "--driver=python:./driver.py:create",
        "--no-checks",
        "-p",
        "no:cacheprovider",
    )
    said = run_plain(*command, cwd=project, PYTHONPATH="")
    assert " passed" in said
    assert "failed" not in said
