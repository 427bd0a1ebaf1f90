"""Catalogue of stress tests; the modules of ``suites/`` register their tests in it.

::

    @stress_test("MemoryMappedModelLoad", "Models whose constants are mapped from files.", 8.0)
    def mapped(run: StressRun, load_s: float) -> None:
        ...

The function is called with the seconds of load that it has to make: its ``load_s`` times the scale of the run. It
returns normally if the driver has done everything right; otherwise it raises ``CaseFailed`` or ``DriverGone``.

The command line and the plugin of pytest choose tests with :func:`select_tests`; a test's process finds its test by id
in :func:`stress_tests`. Cases of conformance are registered by :mod:`nnvet.conformance.kit.checks` instead.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Final

import nnvet.conformance.stress.suites as package
from nnvet.conformance.engine.selection import SelectionError

if TYPE_CHECKING:
    from nnvet.conformance.stress.run import StressRun

SUITE: Final = "StressTest"
"""Name of the suite in the ids of all stress tests."""
_TESTS: list[StressTest] = []
"""Tests in the order of their registration."""

Body = Callable[["StressRun", float], None]
"""Function of a test; the float is its seconds of load."""


@dataclass(frozen=True)
class StressTest:
    """A stress test; ``summary`` is its line in the list of tests.

    ``load_s`` are its seconds of load at scale 1, ``level`` is the first feature level that it needs.
    """

    name: str
    summary: str
    body: Body
    load_s: float
    level: int = 1

    @property
    def id(self) -> str:
        """Case id of the test in the event log."""
        return f"{SUITE}/{self.name}"


def stress_test(name: str, summary: str, load_s: float, *, level: int = 1) -> Callable[[Body], Body]:
    """Register a function as a test."""

    def register(body: Body) -> Body:
        _TESTS.append(StressTest(name, summary, body, load_s, level))
        return body

    return register


@cache
def stress_tests() -> dict[str, StressTest]:
    """Return all tests by id, in the order in which they are run.

    :raises ValueError: two have the same name.
    """
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    by_id = {test.id: test for test in _TESTS}
    if len(by_id) != len(_TESTS):
        raise ValueError("two stress tests have the same name")
    return by_id


def select_tests(globs: tuple[str, ...]) -> list[StressTest]:
    """Return the tests whose ids or names match one of the globs; all tests if there are no globs.

    :raises SelectionError: a glob matches nothing.
    """
    everything = list(stress_tests().values())
    for glob in globs:
        if not any(_matches(test, glob) for test in everything):
            names = ", ".join(test.name for test in everything)
            raise SelectionError(f"no stress test matches {glob!r}; there are {names}")
    return [test for test in everything if not globs or any(_matches(test, glob) for glob in globs)]


def _matches(test: StressTest, glob: str) -> bool:
    """Return True if a glob matches the id or the name of a test."""
    return fnmatchcase(test.id, glob) or fnmatchcase(test.name, glob)
