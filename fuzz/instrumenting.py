"""Instrumentation of the Python code whose coverage guides the fuzzer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, Final

_BUNDLED: Final = ("nnvet.reference_driver", "nnvet.driver_kit")
_IN_PYTHON: Final = {"reference": _BUNDLED, "zoo": _BUNDLED}


def driver_modules(selector: str) -> tuple[str, ...]:
    """Packages or modules that a driver consists of; none if it is not of Python or in another process."""
    kind, _, arguments = selector.partition(":")
    if kind == "python":
        place = arguments.rpartition(":")[0]
        # That is what the adapter calls a module that it loads from a file.
        return (f"nnvet_driver_{Path(place).stem}",) if place.endswith(".py") else (_package(place),)
    return _IN_PYTHON.get(kind, ())


def _package(module: str) -> str:
    """Return the package that a module of a driver is in, or the module itself."""
    return module.rpartition(".")[0] if module.startswith("nnvet.") else module.partition(".")[0]


def is_within(module: str, names: Sequence[str]) -> bool:
    """Return True if a module is one of these, or in one of these packages."""
    return any(module == name or module.startswith(f"{name}.") for name in names)


class Instrumented:
    """Instruments what is imported from now on. ``modules`` are those that have been.

    atheris has a hook of its own, which takes all modules of a distribution or none, and misses those that are loaded
    from a file.
    """

    def __init__(self, names: Sequence[str], patch: Callable[[CodeType], CodeType]) -> None:
        """Instrument the packages and modules of these ``names`` by ``patch``."""
        self.modules: list[str] = []
        original: Callable[[SourceFileLoader, str], Any] = SourceFileLoader.get_code
        modules = self.modules

        def get_code(loader: SourceFileLoader, fullname: str) -> Any:
            code = original(loader, fullname)
            if code is None or not is_within(fullname, names):
                return code
            modules.append(fullname)
            return patch(code)

        SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]
