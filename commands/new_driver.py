"""``nnvet new-driver``: write the project of a small driver that passes the suite, for authors to begin with.

A project consists of templates in ``commands/templates``, filled in with the words of :func:`_choose_words`, and of
copies of the documentation's examples. :data:`_PROJECTS` says which files a kind of project has.
"""

from __future__ import annotations

import dataclasses
import json
import keyword
import os
import re
import runpy
import shutil
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from nnvet.commands.options import CommandError, user_errors

_TEMPLATES: Final = Path(__file__).parent / "templates"
"""Folder of the templates of projects."""
_SOURCES: Final = _TEMPLATES / "sources"
"""The documentation's examples in C++: links in a clone, files in an installation."""

_GIVEN: Final = "nnvet"
"""Folder for the files of a project that its author should not change."""


class ProjectKind(StrEnum):
    """Kinds of projects."""

    PYTHON = "python"
    CPP = "cpp"
    NDK = "ndk"
    SL = "sl"
    DELEGATE = "delegate"


@dataclasses.dataclass(frozen=True)
class _Project:
    """Files of a kind of project (templates, and copies in ``src`` and ``nnvet``), and words for its texts."""

    files: Mapping[str, str]
    scheme: str
    requirement: str = "nnvet"
    own: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    about: str = ""
    rest: str = ""

    @property
    def is_library(self) -> bool:
        """Return True for a library, which a service of the suite loads; a program is a service itself."""
        return not self.scheme.startswith("exec:")


# Files of projects: names with their templates, and globs of the examples in C++ that are copied.
_COMMON: Final = {"waivers.toml": "waivers.toml.jinja", ".github/workflows/conformance.yml": "conformance.yml.jinja"}
"""Files of every project: name, and template."""
_PYTHON: Final = {
    "{module}.py": "driver.py.jinja",
    "test_{module}.py": "test_driver.py.jinja",
    "README.md": "README.md.jinja",
    **_COMMON,
}
_NATIVE: Final = {
    "README.md": "README.native.md.jinja",
    "CMakeLists.txt": "CMakeLists.txt.jinja",
    "test_driver.py": "test_native.py.jinja",
    ".gitignore": "gitignore.jinja",
    **_COMMON,
}
_NATIVE_DEVICE: Final = {**_NATIVE, "src/device.h": "device.h.jinja"}

_MODEL: Final = ("nnvet.h", "cpp/failure.h", "cpp/descriptor.h", "cpp/model.h", "cpp/tables.*")
_DRIVER: Final = ("cpp/kernels.*", "cpp/driver.*")
_VALIDATION: Final = (*_MODEL, "cpp/model.cpp", "cpp/validator.*", "cpp/operation_rules.cpp", "cpp/fences.*")
_WIRE: Final = ("msgpack.*", "wire.*", "session.*", "service.*", "reader.*", "execution.*", "main.cpp")
_C_API: Final = ("nnapi/objects.h", "nnapi/models.cpp", "nnapi/executions.cpp")

_PROJECTS: Final = {
    ProjectKind.PYTHON: _Project(_PYTHON, "python:"),
    ProjectKind.CPP: _Project(
        _NATIVE_DEVICE,
        "exec:",
        own=_DRIVER,
        given=(*_VALIDATION, *(f"cpp/{name}" for name in _WIRE)),
        about="a program that is started as a service",
        rest="the wire, and the validation of models and requests",
    ),
    ProjectKind.NDK: _Project(
        _NATIVE_DEVICE,
        "ndk:",
        "'nnvet[ndk]'",
        own=_DRIVER,
        given=(*_VALIDATION, *_C_API),
        about="a library that exports the C API of the NNAPI",
        rest="the C API, and the validation of models and requests",
    ),
    ProjectKind.SL: _Project(
        _NATIVE_DEVICE,
        "sl:",
        "'nnvet[ndk]'",
        own=_DRIVER,
        given=(*_VALIDATION, *_C_API, "nnapi/support_library.cpp"),
        about="a support library of the NNAPI",
        rest="the C API, the structure of its functions, and the validation of models and requests",
    ),
    ProjectKind.DELEGATE: _Project(
        _NATIVE,
        "litert:delegate=",
        "'nnvet[litert]'",
        own=("cpp/kernels.*", "delegate/delegate.cpp"),
        given=(*_MODEL, "delegate/tflite.h"),
        about="an external delegate of LiteRT (TensorFlow Lite)",
        rest="LiteRT's structures, and tables of the operations",
    ),
}

_DEBUG: Final = {"CMAKE_BUILD_TYPE": "Debug"}
_PRESETS: Final = {
    "plain": ("Optimised, with the lines that stacks show", {}),
    "asan": ("AddressSanitizer", {"SANITIZE": "address", **_DEBUG}),
    "ubsan": ("UndefinedBehaviorSanitizer", {"SANITIZE": "undefined", **_DEBUG}),
    "tsan": ("ThreadSanitizer", {"SANITIZE": "thread", **_DEBUG}),
    "coverage": ("For nnvet fuzz: AddressSanitizer and counters of edges", {"SANITIZE": "address", "COVERAGE": "ON"}),
}
"""Presets of CMake, with descriptions and variables. Without optimisation, builds are faster and stacks complete."""
_RUNTIMES: Final = {"asan": "libasan.so", "tsan": "libtsan.so", "coverage": "libasan.so"}
"""Runtimes of sanitizers, which have to be in the process before a library is loaded into it."""


def new_driver(
    name: Annotated[str, typer.Argument(help="Name of the driver, and of the folder that is made.")],
    parent: Annotated[Path, typer.Option("--in", help="Folder to make it in.")] = Path(),
    kind: Annotated[
        ProjectKind,
        typer.Option(help="A module in Python, or in C++ a service, an NNAPI library, a support library, a delegate."),
    ] = ProjectKind.PYTHON,
) -> None:
    """Make a small working driver to begin with.

    The folder has the driver, its tests and a CI workflow.
    Drivers in C++ are built with CMake, or with the one command in their README.
    """
    with user_errors():
        words = _choose_words(name, kind)
        folder = parent / name
        written = _write(folder, kind, words)
    given = folder / _GIVEN
    for path in written:
        if path.parent != given:
            typer.echo(path)
    if kind is not ProjectKind.PYTHON:
        typer.echo(f"{given}/: {sum(path.parent == given for path in written)} files that need no change")
        _look_for_tools()
    typer.echo(f"now: cd {folder} && {words['first']}nnvet smoke -d {words['selector']}")


def _choose_words(name: str, kind: ProjectKind) -> dict[str, Any]:
    """Return the words of templates for a driver.

    :raises CommandError: there is no such name.
    """
    module = name.replace("-", "_").lower()
    if not re.fullmatch(r"[a-z]\w*", module, re.ASCII):
        raise CommandError(f"{name!r} is no name: letters, digits, - and _, a letter first")
    project = _PROJECTS[kind]
    words = {"name": name, "module": module, "kind": kind.value, "requirement": project.requirement, "first": ""}
    if kind is ProjectKind.PYTHON:
        if keyword.iskeyword(module):
            raise CommandError(f"{name!r} is no name: letters, digits, - and _, a letter first, and no word of Python")
        cls = "".join(part.capitalize() for part in module.split("_"))
        return words | {"cls": cls, "selector": f"python:{module}.py:{cls}"}
    built = "libdriver.so" if project.is_library else "service"
    flags = " -fPIC -shared -fvisibility=hidden" if project.is_library else ""
    command = f"g++ -std=c++17 -O2 -g -Wall -Wextra{flags} -pthread -Isrc -Innvet -o build/plain/{built}"
    compiled = f"{command} src/*.cpp nnvet/*.cpp"
    return words | {
        "is_library": project.is_library,
        "scheme": project.scheme,
        "selector": f"{project.scheme}build/plain/{built}",
        "first": "cmake --preset plain && cmake --build --preset plain && ",
        "compile": compiled,
        "about": project.about,
        "rest": project.rest,
        "replay": {preset: _make_replay(project, preset, built) for preset in _PRESETS},
    }


def _make_replay(project: _Project, preset: str, built: str) -> str:
    """Return the command that replays a case on the build of a preset."""
    command = f"nnvet replay CASE -d {project.scheme}build/{preset}/{built}"
    if not project.is_library or preset not in _RUNTIMES:
        return command
    # Python is no C++ program: without libstdc++ the sanitizer's runtime could not intercept exceptions.
    runtime = f'LD_PRELOAD="$(g++ -print-file-name={_RUNTIMES[preset]}) $(g++ -print-file-name=libstdc++.so)"'
    return f"ASAN_OPTIONS=detect_leaks=0 {runtime} {command} --memory-limit 0"


def _make_presets() -> str:
    """Return the presets of CMake to configure, build and test, each in a folder of its own."""
    configured = [
        {
            "name": name,
            "description": about,
            "binaryDir": "${sourceDir}/build/${presetName}",
            "cacheVariables": variables,
        }
        for name, (about, variables) in _PRESETS.items()
    ]
    built = [{"name": name, "configurePreset": name} for name in _PRESETS]
    tested = [preset | {"output": {"outputOnFailure": True}} for preset in built]
    presets = {"version": 3, "configurePresets": configured, "buildPresets": built, "testPresets": tested}
    return json.dumps(presets, indent=2) + "\n"


def _look_for_tools() -> None:
    """Print the tools that a project in C++ needs and this machine lacks; the project is written in any case."""
    compilers = (os.environ.get("CXX", ""), "c++", "g++", "clang++")
    if not any(map(shutil.which, filter(None, compilers))):
        typer.echo("this machine has no compiler of C++: install one (g++ or clang++), or have CXX name it")
    if not shutil.which("cmake"):
        typer.echo("this machine has no CMake: install it, or build with the one command in README.md")


def _write(folder: Path, kind: ProjectKind, words: Mapping[str, Any]) -> list[Path]:
    """Write the files, and return their paths.

    :raises CommandError: the folder exists, or cannot be written; then nothing of it is left.
    """
    try:
        folder.mkdir(parents=True)
    except FileExistsError as error:
        raise CommandError(f"{folder} is there already; choose another name, or --in FOLDER") from error
    except OSError as error:
        raise CommandError(f"{folder}: cannot be made ({error.strerror or error})") from error
    written = []
    try:
        for path, text in _make_texts(kind, words):
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            written.append(file)
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if not isinstance(error, OSError):
            raise
        raise CommandError(f"{folder}: cannot be made ({error.strerror or error})") from error
    return written


def _make_texts(kind: ProjectKind, words: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield paths within a project, with the contents of the files."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(  # noqa: S701 - programs, not pages; the words are identifiers
        loader=FileSystemLoader(_TEMPLATES), undefined=StrictUndefined, keep_trailing_newline=True
    )
    project = _PROJECTS[kind]
    for path, template in project.files.items():
        yield path.format(**words), templates.get_template(template).render(words)
    for folder, patterns in (("src", project.own), (_GIVEN, project.given)):
        for pattern in patterns:
            for source in sorted(_SOURCES.glob(pattern)):
                yield f"{folder}/{source.name}", source.read_text(encoding="utf-8")
    if project.given:
        yield "CMakePresets.json", _make_presets()
        writer = runpy.run_path(str(_SOURCES / "cpp" / "operation_tables.py"))
        yield f"{_GIVEN}/operation_tables.inc", writer["tables"](_SOURCES / "operations.json")
    if "nnapi/objects.h" in project.given:
        from nnvet.adapters.nnapi.header import make_header

        yield f"{_GIVEN}/NeuralNetworks.h", make_header()
