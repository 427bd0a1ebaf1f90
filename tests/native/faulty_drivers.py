"""Drivers in native code with the faults of ``faults.c``: a service, a library of the C API and a delegate.

Each is compiled once; only the faults are compiled anew for each sanitizer, and linked.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from typing import Final

from tests.native.building import COMPILER, SOURCES, build

C_COMPILER = os.environ.get("CC") or shutil.which("gcc") or shutil.which("clang")
SOURCE: Final = SOURCES / "faults.c"
VARIABLE: Final = "NNVET_TEST_FAULT"
"""Environment variable with the name of the fault."""

_EXAMPLE: Final = SOURCES.parents[1] / "docs" / "examples" / "cpp"
_PATCHES: Final = {
    "execution.cpp": (
        ("namespace {\n", 'extern "C" void nnvet_fault_at_execution(void);\nnamespace {\n'),
        (
            "    return execution.prepared->model.execute",
            "    nnvet_fault_at_execution();\n    return execution.prepared->model.execute",
        ),
    ),
    "main.cpp": (("_exit(0);", "exit(0);"),),
}
"""Of the example service: it asks for its fault at each execution, and ends as programs do."""


class Kind(StrEnum):
    """Kinds of drivers."""

    SERVICE = "service"
    LIBRARY = "library"
    DELEGATE = "delegate"


class Sanitizer(StrEnum):
    """Sanitizers that the faults are compiled with."""

    NONE = ""
    ADDRESS = "address"
    THREAD = "thread"
    UNDEFINED = "undefined"


_RUNTIMES: Final = {
    Sanitizer.ADDRESS: "libasan.so",
    Sanitizer.THREAD: "libtsan.so",
    Sanitizer.UNDEFINED: "libubsan.so",
}


def has(sanitizer: Sanitizer) -> bool:
    """Return True if the compiler has a sanitizer: of a file that it does not have it prints no more than the name."""
    return not sanitizer or "/" in _run(C_COMPILER, f"-print-file-name={_RUNTIMES[sanitizer]}")


class FaultyDrivers:
    """The drivers, built in a folder when they are first asked for."""

    def __init__(self, folder: Path) -> None:
        """Build nothing yet."""
        self._folder = folder

    def selector(self, kind: Kind, sanitizer: Sanitizer) -> str:
        """The selector of a driver."""
        path = self._folder / f"{kind}{sanitizer}.so"
        if not path.exists():
            _run(
                COMPILER, *_sanitized(sanitizer), "-pthread", *self._objects(kind), self._faults(sanitizer), "-o", path
            )
        return {
            Kind.SERVICE: f"exec:{path}",
            Kind.LIBRARY: f"ndk:{path}#nnvet-native",
            Kind.DELEGATE: f"litert:delegate={path},takes=all",
        }[kind]

    def _faults(self, sanitizer: Sanitizer) -> Path:
        path = self._folder / f"faults{sanitizer}.o"
        if not path.exists():
            warnings = ("-Wall", "-Wextra", "-Werror")
            options = ("-std=gnu11", "-g", "-O1", "-fPIC", *warnings, *_sanitized(sanitizer))
            _run(C_COMPILER, *options, "-c", SOURCE, "-o", path)
        return path

    def _objects(self, kind: Kind) -> list[str | Path]:
        """Return the parts of a driver beside its faults, compiled once, and how it is linked."""
        path = self._folder / kind / "driver.o"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            {Kind.SERVICE: _compile_service, Kind.LIBRARY: _compile_library, Kind.DELEGATE: _compile_delegate}[kind](
                path
            )
        return [path] if kind is Kind.SERVICE else ["-shared", path]


def _compile_service(path: Path) -> None:
    copy = path.parent / "examples" / "cpp"
    shutil.copytree(_EXAMPLE, copy)
    shutil.copytree(_EXAMPLE.parents[1] / "native", path.parent / "native")
    for name, patches in _PATCHES.items():
        text = (copy / name).read_text(encoding="utf-8")
        for before, after in patches:
            if text.count(before) != 1:
                raise AssertionError(f"{name} of the example has no longer {before!r}")
            text = text.replace(before, after)
        (copy / name).write_text(text, encoding="utf-8")
    settings = (f"BUILD={path.parent}", f"CXX={COMPILER}", "CXXFLAGS=-O0 -c", f"PYTHON={sys.executable}")
    _run(shutil.which("make"), "-C", copy, *settings)
    (path.parent / "service").rename(path)


def _compile_library(path: Path) -> None:
    build(path.parent)
    (path.parent / "library.o").rename(path)


def _compile_delegate(path: Path) -> None:
    _run(C_COMPILER, "-std=c99", "-fPIC", "-c", SOURCES / "delegate.c", "-o", path)


def _sanitized(sanitizer: Sanitizer) -> list[str]:
    return [f"-fsanitize={sanitizer}"] if sanitizer else []


def _run(*command: str | Path | None) -> str:
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout
