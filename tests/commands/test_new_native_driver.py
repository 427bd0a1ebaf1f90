"""``nnvet new-driver`` in C++: built as pages say it is without a fault, and a planted bug leads to its line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.commands.test_utilities import nnvet, words
from tests.docs.pages import ROOT, fences

KINDS: Final = ("cpp", "ndk", "sl", "delegate")
COMPILER: Final = os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")
TUTORIAL: Final = ROOT / "docs" / "tutorials" / "first-native-driver.md"
PAGE: Final = (ROOT / "docs" / "drivers.md").read_text(encoding="utf-8")
QUICK: Final = {
    (found[1], found[2] or "commands"): found[3]
    for found in re.finditer(r"<!-- quick start: (\w+) ?(\S*) -->\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
}
"""Blocks of the quick starts, by kind of selector and by file."""
SOUND: Final = "for (float& value : result.values) value = kernel.unary(value);"
OVERFLOW: Final = "for (std::size_t i = 0; i <= result.values.size(); ++i) result.values.data()[i] *= kernel.unary(1);"
CASE: Final = "GeneratedTest/sync/relu_float_rank1"

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a compiler of C++")
by_cmake = pytest.mark.skipif(shutil.which("cmake") is None, reason="needs CMake")


def shell(command: str, folder: Path, **environment: str) -> tuple[int, str]:
    """Exit code and output of lines that a user types, with the nnvet of the tests.

    Time limits are wide, for a machine that is busy; what is not said otherwise is not optimised, and asked few models.
    """
    short = '$([ "$1" = smoke ] && echo --timeout 60 --seconds 0.2)'
    ours = f'nnvet() {{ "{sys.executable}" -m nnvet.commands "$@" {short}; }}\n'
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NNVET_", "GITHUB_"))}
    done = subprocess.run(
        [str(shutil.which("bash")), "-c", f"set -e\n{ours}{command}"],
        cwd=folder,
        env=kept | {"COLUMNS": "130", "CMAKE_BUILD_TYPE": "Debug"} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def passes(command: str, folder: Path, **environment: str) -> str:
    """The output of lines that have to succeed."""
    code, said = shell(command, folder, **environment)
    assert code == 0, said
    return said


def steps(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Commands of a page's consoles, with the lines that the page shows below each."""
    blocks = "".join(found.text for found in fences(page) if found.language == "console")
    for step in blocks.split("\n$ "):
        command, *shown = step.removeprefix("$ ").splitlines()
        yield command, shown


class Followed(NamedTuple):
    """Folder of the project that the tutorial makes; its commands, with exit code, output and what the page shows."""

    project: Path
    steps: list[tuple[str, int, str, list[str]]]


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Followed:
    """The tutorial, as a reader follows it from an empty folder on."""
    folder, done = tmp_path_factory.mktemp("tutorial"), []
    for command, shown in steps(TUTORIAL):
        if command.startswith("cd "):
            folder = folder / command.removeprefix("cd ")
            continue
        done.append((command, *shell(command, folder, CXXFLAGS="-Werror"), shown))
    return Followed(folder, done)


@pytest.mark.long
@by_cmake
def test_the_tutorial_leads_to_the_line(followed: Followed) -> None:
    """Its commands print what it shows, "…" standing for anything, and the last one names the line of the bug."""
    for command, code, said, shown in followed.steps:
        assert code == command.startswith(("nnvet run", "nnvet replay")), said
        for part in (part.strip() for line in shown for part in line.split("…")):
            assert part in said, f"{command}\n{said}"
    lines = (followed.project / "src/kernels.cpp").read_text().splitlines()
    (planted,) = [number for number, line in enumerate(lines, 1) if "i <=" in line]
    assert f"src/kernels.cpp:{planted}" in followed.steps[-1][2]


@pytest.mark.long
@by_cmake
def test_a_service_starts_quickly(followed: Followed) -> None:
    """Its commands are those of the tutorial with another preset; with the page's file RELU is the only operation."""
    quick = QUICK["exec", "commands"].replace(" && cd my-npu", "").replace(" && ", "\n").replace("plain", "asan")
    assert quick.splitlines() == [command for command, *_ in followed.steps][:4]
    (followed.project / "src/kernels.cpp").write_text(QUICK["exec", "src/kernels.cpp"])
    said = passes("cmake --build --preset asan\nnnvet smoke -d exec:build/asan/service", followed.project)
    assert "1 of 105 operations of its level: RELU" in said
    assert '"coverage"' in passes("cmake --list-presets", followed.project)


LIBRARIES: Final = [
    pytest.param("ndk", "client.cpp", "my-nnapi: level 1000008", marks=pytest.mark.long),
    ("sl", "support.cpp", ""),
]


@by_cmake
@pytest.mark.parametrize(
    ("kind", "file", "says"), [LIBRARIES[0], pytest.param(*LIBRARIES[1], marks=pytest.mark.long)], ids=["ndk", "sl"]
)
def test_a_library_starts_quickly(kind: str, file: str, says: str, tmp_path: Path) -> None:
    """The project as it was made, then the page's code beside it; an overflow leads to its line by both interfaces."""
    assert "7 of 105" in passes(QUICK[kind, "commands"], tmp_path, CXXFLAGS="-Werror")
    (project,) = tmp_path.iterdir()
    assert says in beside(project, QUICK[kind, file], file)
    if kind == "sl":
        assert "7 of 105" in passes("nnvet smoke -d sl:libsupport.so", project)
        objects = project.glob("build/plain/**/*.o")
        rest = [str(path) for path in objects if path.name != "kernels.cpp.o"]
        library = overflowing(project, rest)
        for selector in (f"ndk:{library}", f"sl:{library}"):
            leads_to_the_line(project, selector)


@pytest.mark.long
def test_a_delegate_starts_quickly(tmp_path: Path) -> None:
    """Without CMake, as the README of the project says, without a warning; then the delegate of the page."""
    pytest.importorskip("ai_edge_litert.interpreter", reason="needs the litert extra")
    assert nnvet("new-driver", "my-delegate", "--kind", "delegate", "--in", tmp_path).exit_code == 0
    project = tmp_path / "my-delegate"
    (build,) = [found.text for found in fences_of(project / "README.md") if "g++ " in found.text]
    assert passes(build.replace("-O2", "-O0 -Werror").replace("g++", str(COMPILER)), project) == ""
    (smoke,) = [line for line in QUICK["delegate", "commands"].splitlines() if "smoke" in line]
    assert "7 of 105" in passes(smoke, project)
    beside(project, QUICK["delegate", "relu.cpp"], "relu.cpp")
    assert "1 of 105 operations of its level: RELU" in passes("nnvet smoke -d litert:delegate=./librelu.so", project)
    others = [str(path) for folder in ("src", "nnvet") for path in (project / folder).glob("*.cpp")]
    library = overflowing(project, [path for path in others if not path.endswith("kernels.cpp")])
    leads_to_the_line(project, f"litert:delegate={library}")


def test_the_page_has_the_layout_of_the_header(tmp_path: Path) -> None:
    """Every size and offset that it names is that of ``tflite.h``, with which delegates work in the test above."""
    rows = re.findall(r"^\| `(TfLite\w+)` \| (?:(\d+): )?(.*?)(?:: so many.*|, and more)? \|$", PAGE, re.MULTILINE)
    assert len(rows) == 7
    lines = [f"static_assert(sizeof({name}) == {size});" for name, size, _ in rows if size]
    for name, _, members in rows:
        pairs = [member.split(" ") for member in members.split(", ")]
        lines += [f"static_assert(offsetof({name}, {member}) == {offset});" for member, offset in pairs]
    assert len(lines) > 45
    program = tmp_path / "layout.cpp"
    program.write_text("\n".join(['#include "tflite.h"', *lines, ""]))
    passes(f"{COMPILER} -std=c++17 -fsyntax-only -I{ROOT}/docs/examples/delegate {program}", tmp_path)


class Block(NamedTuple):
    """A block of a page."""

    text: str


def fences_of(page: Path) -> Iterator[Block]:
    """Blocks of a page outside of the repository."""
    yield from map(Block, re.findall(r"^```sh\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))


def beside(project: Path, text: str, name: str) -> str:
    """Output of the command in the first line of a program of the page, which stands beside the project's files."""
    (project / name).write_text(text)
    command = next(line for line in text.splitlines() if line.startswith("// g++ ")).removeprefix("// ")
    return passes(command.replace("g++", f"{COMPILER} -Wall -Wextra -Werror", 1), project)


def overflowing(project: Path, rest: list[str]) -> Path:
    """The library with an overflow, of which AddressSanitizer sees the file that has it."""
    kernels, library = project / "src" / "kernels.cpp", project / "libwrong.so"
    assert kernels.read_text().count(SOUND) == 1
    kernels.write_text(kernels.read_text().replace(SOUND, OVERFLOW))
    flags = "-std=c++17 -g -fsanitize=address -fPIC -fvisibility=hidden -shared -pthread -Isrc -Innvet"
    if rest[0].endswith(".cpp"):
        compile_rest = " && ".join(
            f"{COMPILER} -std=c++17 -fPIC -Isrc -Innvet -c -o rest{number}.o {path}" for number, path in enumerate(rest)
        )
        passes(compile_rest, project)
        rest = [f"rest{number}.o" for number in range(len(rest))]
    passes(f"{COMPILER} {flags} -o {library} src/kernels.cpp {' '.join(rest)}", project)
    return library


def leads_to_the_line(project: Path, selector: str) -> None:
    """A replay names the file and the line, with the runtime of the sanitizer as the README says."""
    lines = (project / "src/kernels.cpp").read_text().splitlines()
    (line,) = [number for number, text in enumerate(lines, 1) if OVERFLOW in text]
    (row,) = [row for row in (project / "README.md").read_text().splitlines() if row.startswith("| `asan`")]
    command = row.split("`")[3].replace("CASE", CASE).replace("g++", str(COMPILER))
    code, said = shell(
        re.sub(r"-d \S+", f"-d {selector}", command).replace(" nnvet ", f" {sys.executable} -m nnvet.commands "),
        project,
    )
    assert (code, "heap-buffer-overflow" in said, f"src/kernels.cpp:{line}" in said) == (1, True, True), said


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_made(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the templates is left; presets, workflow and README speak of the same driver; what lacks is said."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    made = nnvet("new-driver", "my-npu", "--kind", kind, "--in", tmp_path)
    assert made.exit_code == 0, made.output
    assert "no compiler of C++" in words(made)
    assert "no CMake" in words(made)
    project = tmp_path / "my-npu"
    for path in ("README.md", "CMakeLists.txt", "test_driver.py", ".github/workflows/conformance.yml", "waivers.toml"):
        text = (project / path).read_text()
        assert "{{" not in text.replace("${{", ""), path
        assert "{%" not in text, path
    presets = json.loads((project / "CMakePresets.json").read_text())
    names = {
        part: [preset["name"] for preset in presets[part]]
        for part in ("configurePresets", "buildPresets", "testPresets")
    }
    assert set(map(tuple, names.values())) == {("plain", "asan", "ubsan", "tsan", "coverage")}
    (selector,) = re.findall(r"nnvet smoke -d (\S+)", words(made))
    for path in ("README.md", "test_driver.py", ".github/workflows/conformance.yml"):
        assert selector in (project / path).read_text()


def test_names_and_kinds_that_there_are_not(tmp_path: Path) -> None:
    """Exit code 2, and nothing is made; a word of Python is a name in C++."""
    for name in ("", "7up", "-d", "my npu", "../x", "_x", "ümlaut", 'a"b', "a$b"):
        refused = nnvet("new-driver", "--kind", "cpp", "--in", tmp_path, "--", name)
        assert (refused.exit_code, "is no name" in words(refused)) == (2, True), name
    refused = nnvet("new-driver", "my-npu", "--kind", "rust", "--in", tmp_path)
    assert (refused.exit_code, "'rust' is not one of" in words(refused)) == (2, True)
    assert list(tmp_path.iterdir()) == []
    assert nnvet("new-driver", "class", "--kind", "cpp", "--in", tmp_path).exit_code == 0
    again = nnvet("new-driver", "class", "--kind", "ndk", "--in", tmp_path)
    assert (again.exit_code, "is there already" in words(again)) == (2, True)
